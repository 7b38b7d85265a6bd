//! Splits a name into given names and surnames.

use super::given::{GivenNameMatch, given_name_match, is_given};
use super::word::{is_capitals, is_initial, is_particle};
use super::{PersonName, fold};
use text::vocabulary::TermSet;

static DEVOTIONS: TermSet = word_set!("people/devotions.txt");

static SURNAMES: TermSet = word_set!("people/surnames_like_given_names.txt");

/// Joins words with normal capitalisation.
pub(super) fn fix_capitals(words: &[&str]) -> String {
    let spelled: Vec<String> = words.iter().map(|word| fix_capitals_of_word(word)).collect();
    spelled.join(" ")
}

fn fix_capitals_of_word(word: &str) -> String {
    if !is_capitals(word) || is_initial(word) {
        return word.to_owned();
    }
    if is_particle(word) {
        return word.to_lowercase();
    }
    let mut spelled = String::with_capacity(word.len());
    let mut begins = true;
    for letter in word.chars() {
        if begins {
            spelled.push(letter);
        } else {
            spelled.extend(letter.to_lowercase());
        }
        begins = !letter.is_alphabetic();
    }
    for (article, lower) in [("D'", "d'"), ("D’", "d’")] {
        if let Some(rest) = spelled.strip_prefix(article) {
            return format!("{lower}{rest}");
        }
    }
    match spelled.strip_prefix("Mc") {
        Some(rest) => {
            let mut letters = rest.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            format!("Mc{first}{}", letters.as_str())
        }
        None => spelled,
    }
}

/// Splits words that have the shape of a name.
pub(super) fn split_name(words: &[&str], generation: Option<&str>) -> PersonName {
    let capitals: Vec<bool> =
        words.iter().map(|word| is_capitals(word) && !is_initial(word)).collect();
    let (first, last) = match by_capitals(words, &capitals) {
        Some(parts) => parts,
        None => {
            let at = surname_at(words);
            (words[..at].to_vec(), words[at..].to_vec())
        }
    };
    let known =
        first.iter().map(|word| given_name_match(word)).max().unwrap_or(GivenNameMatch::Unknown);
    let (first, last) = (fix_capitals(&first), fix_capitals(&last));
    let mut name = [first.as_str(), last.as_str()].join(" ");
    if let Some(generation) = generation {
        name.push(' ');
        name.push_str(generation);
    }
    PersonName {
        name,
        first: Some(first),
        last: Some(last),
        honorific: None,
        given_name_match: known,
    }
}

/// Words in capitals are the surname if other words are not in capitals.
fn by_capitals<'a>(words: &[&'a str], capitals: &[bool]) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    let count = capitals.iter().filter(|is| **is).count();
    if count == 0 || count == words.len() {
        return None;
    }
    let first = capitals.iter().position(|is| *is)?;
    // "JD Berg": two initials without full stops.
    let is_pair = |word: &str| word.len() == 2 && !word.contains(['A', 'E', 'I', 'O', 'U', 'Y']);
    if count == 1 && first == 0 && is_pair(words[0]) {
        return None;
    }
    let last = capitals.iter().rposition(|is| *is)?;
    let holds = |at: usize| capitals[at] || is_particle(words[at]);
    if !(first..=last).all(holds) {
        return None;
    }
    // Particles before the surname belong to it.
    let mut start = first;
    while start > 0 && is_particle(words[start - 1]) && start > 1 {
        start -= 1;
    }
    if last + 1 == words.len() && start > 0 {
        return Some((words[..start].to_vec(), words[start..].to_vec()));
    }
    (first == 0 && last + 1 < words.len())
        .then(|| (words[last + 1..].to_vec(), words[..=last].to_vec()))
}

/// Index of the first word of the surname.
fn surname_at(words: &[&str]) -> usize {
    let mut at = 1;
    while at + 1 < words.len() {
        let word = words[at];
        // In "Tomás Ó Briain" the letter belongs to the surname.
        if is_initial(word) && word != "Ó" {
            at += 1;
            continue;
        }
        if is_particle(word) {
            match devotion_end(words, at) {
                Some(end) if end < words.len() => {
                    at = end;
                    continue;
                }
                _ => break,
            }
        }
        if !is_given_here(words, at) {
            break;
        }
        at += 1;
    }
    at
}

/// Whether the word is a further given name.
fn is_given_here(words: &[&str], at: usize) -> bool {
    let word = words[at];
    let folded = fold(word);
    if !is_given(word) || is_particle(word) && !word.starts_with(char::is_uppercase) {
        return false;
    }
    !SURNAMES.contains(folded.as_str())
}

/// Index after "da Luz" in "Maria da Luz Braga".
fn devotion_end(words: &[&str], at: usize) -> Option<usize> {
    let mut end = at;
    while end < words.len() && is_particle(words[end]) && end < at + 2 {
        end += 1;
    }
    let word = fold(words.get(end)?);
    let devout = DEVOTIONS.contains(word.as_str());
    let woman = given_name_match(words[0]) > GivenNameMatch::Unknown;
    (devout && woman && end + 1 < words.len()).then_some(end + 1)
}
