//! Numbers spelled out in words: "null eins sieben eins …".

use std::ops::Range;
use std::sync::LazyLock;

use hashbrown::HashSet;

use super::super::line::Line;

const DIGITS: &str = "zero oh one two three four five six seven eight nine null eins zwei zwo drei \
    vier fünf sechs sieben acht neun zéro un deux trois quatre cinq sept huit neuf cero uno dos \
    tres cuatro cinco seis siete ocho nueve due tre quattro cinque sei sette otto nove nul een \
    twee vijf zes zeven negen um dois três sete oito jeden dwa trzy cztery pięć sześć siedem osiem \
    dziewięć noll ett två fyra fem sex sju åtta nio";

static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| DIGITS.split_ascii_whitespace().collect());

/// So many digits in a row are counted out to nobody.
const LEAST: usize = 6;

/// The telephone numbers of a line that are spelled out. A few figures may stand among the
/// words.
pub(super) fn phones(line: &Line) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut run: Option<(Range<usize>, usize, usize)> = None;
    let mut finish = |run: Option<(Range<usize>, usize, usize)>| {
        let long = run.filter(|(_, count, spelled)| *count >= LEAST && *spelled >= LEAST - 2);
        found.extend(long.map(|(part, ..)| part));
    };
    let mut at = 0;
    while at < line.small.len() {
        let is_word = |c: &char| c.is_alphanumeric();
        let rest = line.small.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|c| is_word(c)).count();
        if length == 0 {
            // A sentence that ends is the end of a number as well.
            if rest.first().is_some_and(|c| !matches!(c, ' ' | '-' | ',' | '.' | '/' | '\u{a0}')) {
                finish(run.take());
            }
            at += 1;
            continue;
        }
        let word: String = rest.iter().take(length.min(12)).collect();
        let is_spelled = WORDS.contains(word.as_str());
        let is_figure = length <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_spelled || is_figure {
            let (part, count, spelled) = run.unwrap_or((at..at, 0, 0));
            run = Some((part.start..at + length, count + 1, spelled + usize::from(is_spelled)));
        } else {
            finish(run.take());
        }
        at += length;
    }
    finish(run);
    found
}
