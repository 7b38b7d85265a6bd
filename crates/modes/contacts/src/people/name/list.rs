//! Lists of names after a label: "Dr. Anna Berg (Vorsitzende), Karl Otto und …".

use super::given::{GivenNameMatch, given_name_match};
use super::word::{is_initial, is_particle, never_in_names};
use super::{PersonName, fold, honorific, parse};
use crate::people::job_title;
use crate::words::placed_words;
use text::vocabulary::{TermList, TermSet};

/// Maximum names of a list.
const MAX_NAMES: usize = 40;

/// Maximum words of a title in lower case.
const MAX_OFFICE_WORDS: usize = 9;

static CONJUNCTIONS: TermSet = term_group!("conjunctions.tsv", "people");
static LETTER_CONJUNCTIONS: TermSet = term_group!("conjunctions.tsv", "people_letters");

static FORMS_OF_ADDRESS: TermSet = word_set!("people/forms_of_address.txt");
static CAPACITIES: TermList = phrase_list!("people/capacity_phrases.txt");

/// A name of a list, with its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedName {
    pub name: PersonName,
    /// The title after the name, in brackets or after a comma.
    pub title: Option<String>,
    /// Byte range in the text.
    pub from: usize,
    pub to: usize,
}

/// What a word means for the current name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListStep {
    /// The word belongs to the name.
    Take,
    /// The word belongs to the name and ends it.
    TakeLast,
    /// The word separates two names.
    Part,
    /// The list ends before the word.
    Stop,
}

/// The names at the beginning of a text. A text that is no name ends the list; after a
/// semicolon a new list begins.
pub(crate) fn names_in_row(text: &str) -> Vec<ListedName> {
    let mut found: Vec<ListedName> = Vec::new();
    let mut at = 0;
    for part in text.split_inclusive(';').take(MAX_NAMES) {
        let row = row(part);
        if row.is_empty() {
            break;
        }
        found.extend(row.into_iter().map(|one| ListedName {
            from: one.from + at,
            to: one.to + at,
            ..one
        }));
        at += part.len();
    }
    found.truncate(MAX_NAMES);
    found
}

fn row(text: &str) -> Vec<ListedName> {
    let mut found: Vec<ListedName> = Vec::new();
    let words: Vec<(usize, &str)> = placed_words(text).take(MAX_NAMES * 8).collect();
    let mut at = 0;
    while at < words.len() && found.len() < MAX_NAMES {
        if let Some(end) = bracket(&words, at) {
            let (from, to) = (words[at].0, words[end].0 + words[end].1.len());
            let title = text.get(from..to).unwrap_or_default().trim_matches(is_edge);
            match found.last_mut() {
                Some(last) if last.title.is_none() => last.title = Some(title.to_owned()),
                Some(_) => {}
                None => break,
            }
            at = end + 1;
            continue;
        }
        if matches!(classify_word(&words, at, at), ListStep::Part) {
            at += 1;
            continue;
        }
        let (end, stops) = run(&words, at);
        // A following legal form makes it the name of a company.
        if end == at || words.get(end).is_some_and(|next| is_legal_form(next.1)) {
            break;
        }
        let Some((name, used)) = longest(text, &words[at..end]) else {
            if !title_after(text, &words[at..end], &mut found) {
                break;
            }
            at = end;
            if stops {
                break;
            }
            continue;
        };
        let last = words[at + used - 1];
        let to = last.0 + last.1.trim_end_matches([',', ';', '.', ':']).len();
        let has_comma = last.1.ends_with(',');
        found.push(ListedName { name, title: None, from: words[at].0, to });
        let cut_short = at + used < end;
        at += used;
        if has_comma && let Some((title, count)) = lower_case_title(text, &words[at..]) {
            if let Some(last) = found.last_mut() {
                last.title = Some(title);
            }
            at += count;
            continue;
        }
        if stops || cut_short {
            // A title in brackets may still follow.
            if bracket(&words, at).is_none() {
                break;
            }
        }
    }
    found
}

static LEGAL_FORM_WORDS: TermSet = word_set!("people/legal_form_words.txt");

pub(in crate::people) fn is_legal_form(word: &str) -> bool {
    let bare: String = fold(word).chars().filter(|c| c.is_alphanumeric()).collect();
    LEGAL_FORM_WORDS.contains(bare.as_str())
}

fn is_edge(c: char) -> bool {
    matches!(c, '(' | ')' | '[' | ']' | ',' | ';' | '.' | ' ')
}

/// Index of the last word of the brackets that open here.
fn bracket(words: &[(usize, &str)], at: usize) -> Option<usize> {
    let open = words.get(at)?.1;
    if !open.starts_with(['(', '[']) {
        return None;
    }
    (at..words.len().min(at + 12))
        .find(|at| words[*at].1.trim_end_matches([',', ';', '.']).ends_with([')', ']']))
}

/// The words from here that may form one name, and whether the list ends with them.
fn run(words: &[(usize, &str)], at: usize) -> (usize, bool) {
    let mut end = at;
    while end < words.len() && end < at + 12 {
        match classify_word(words, at, end) {
            ListStep::Take => end += 1,
            ListStep::TakeLast => return (end + 1, false),
            ListStep::Part => return (end, false),
            ListStep::Stop => return (end, true),
        }
    }
    (end, end == words.len())
}

fn classify_word(words: &[(usize, &str)], start: usize, at: usize) -> ListStep {
    let word = words[at].1;
    let bare = word.trim_end_matches([',', ';']);
    let folded = fold(bare);
    if matches!(bare, "" | "&" | "/" | "|" | "·" | "•" | "-" | "–" | "—" | ":" | "+") {
        return ListStep::Part;
    }
    match folded.as_str() {
        "und" if words.get(at + 1).is_some_and(|next| next.1 == "zu") => return ListStep::Take,
        word if CONJUNCTIONS.contains(word) => return ListStep::Part,
        word if LETTER_CONJUNCTIONS.contains(word)
            && (at == start || begins_name(words, at + 1) && at >= start + 2) =>
        {
            return ListStep::Part;
        }
        word if FORMS_OF_ADDRESS.contains(word) && at > start => return ListStep::Part,
        _ => {}
    }
    let is_title = honorific::is_before(bare)
        || (at > start && honorific::continues(bare))
        || honorific::is_after(bare);
    let ends = word.ends_with([',', ';']);
    if is_title {
        return if word.ends_with(';') { ListStep::TakeLast } else { ListStep::Take };
    }
    if bare.starts_with('(')
        || word.ends_with(':')
        || bare.chars().any(|c| c.is_ascii_digit() || c == '@')
    {
        return ListStep::Stop;
    }
    let lower = !bare.starts_with(char::is_uppercase);
    let elided = bare.starts_with(['d', 'l', '\'', '’']) && bare.contains(['\'', '’']);
    if lower && !is_particle(bare) && !elided {
        return ListStep::Stop;
    }
    if never_in_names(bare) && given_name_match(bare) != GivenNameMatch::Known && !is_particle(bare)
    {
        return ListStep::Stop;
    }
    if ends {
        // "Berg, Anna" continues after its comma.
        let alone = at == start || words[start..at].iter().all(|(_, word)| is_particle(word));
        let by_surname = word.ends_with(',')
            && alone
            && job_title::parse(bare).is_none()
            && words.get(at + 1).is_some_and(|next| {
                given_name_match(next.1.trim_end_matches([',', ';'])) > GivenNameMatch::Unknown
            });
        // "Anna Berg, MBA" continues too.
        let degree = words
            .get(at + 1)
            .is_some_and(|next| honorific::is_after(next.1.trim_end_matches([',', ';'])));
        return if word.ends_with(',') && (by_surname || degree) {
            ListStep::Take
        } else {
            ListStep::TakeLast
        };
    }
    if word.ends_with('.') && !is_initial(word) && !is_particle(word) {
        return ListStep::TakeLast;
    }
    ListStep::Take
}

/// Whether a name of two words may begin here.
fn begins_name(words: &[(usize, &str)], at: usize) -> bool {
    let upper =
        |at: usize| words.get(at).is_some_and(|word| word.1.starts_with(char::is_uppercase));
    upper(at)
        && (upper(at + 1) || words.get(at + 1).is_some_and(|word| is_particle(word.1)))
        && words.get(at).is_some_and(|word| {
            honorific::is_before(word.1) || given_name_match(word.1) > GivenNameMatch::Unknown
        })
}

/// The longest name at the beginning of a run, and its number of words.
fn longest(text: &str, run: &[(usize, &str)]) -> Option<(PersonName, usize)> {
    (2..=run.len()).rev().find_map(|count| {
        let (from, last) = (run[0].0, run[count - 1]);
        let part = text.get(from..last.0 + last.1.len())?;
        let part = if last.1.ends_with('.')
            && !honorific::is_after(last.1)
            && !honorific::is_generation(last.1)
        {
            part.trim_end_matches('.')
        } else {
            part
        };
        // A name shorter than the run needs a known given name.
        let name = parse(part)?;
        // "Präsidentin des Verwaltungsrats" has the shape of a name.
        if name.given_name_match < GivenNameMatch::Known && job_title::parse(part).is_some() {
            return None;
        }
        (count == run.len() || name.given_name_match > GivenNameMatch::Unknown)
            .then_some((name, count))
    })
}

/// A title in lower case after a name and a comma ("Claire Rivoire, gérante"), with its number
/// of words.
fn lower_case_title(text: &str, words: &[(usize, &str)]) -> Option<(String, usize)> {
    let first = words.first().filter(|first| first.1.starts_with(char::is_lowercase))?;
    let ends = |word: &&(usize, &str)| word.1.ends_with([',', ';', '.']);
    let count = words.iter().take(MAX_OFFICE_WORDS).position(|word| ends(&word)).map(|at| at + 1);
    let count = count.or_else(|| (words.len() <= MAX_OFFICE_WORDS).then_some(words.len()))?;
    let last = words.get(count - 1)?;
    let part = text.get(first.0..last.0 + last.1.len())?.trim_matches(is_edge);
    let title = CAPACITIES
        .iter()
        .find_map(|start| part.strip_prefix(start)?.strip_prefix(' '))
        .unwrap_or(part);
    job_title::parse(title).map(|_| (title.to_owned(), count))
}

/// Takes a run that is no name as the title of the name before it.
fn title_after(text: &str, run: &[(usize, &str)], found: &mut [ListedName]) -> bool {
    let (Some(first), Some(last), Some(name)) = (run.first(), run.last(), found.last_mut()) else {
        return false;
    };
    let part = text.get(first.0..last.0 + last.1.len()).unwrap_or_default().trim_matches(is_edge);
    if name.title.is_some() || job_title::parse(part).is_none() {
        return false;
    }
    name.title = Some(part.to_owned());
    true
}
