//! Postal codes and their towns, by the formats of the countries.

use super::region::{CANADIAN_PROVINCES, US_STATES, is_listed};
use super::town::city;
use crate::country;
use recognize::vocabulary::{TermList, TermSet};

/// A town with its postal code.
#[derive(Debug, Clone, Default)]
pub(super) struct PostalTown {
    pub postal: String,
    /// Empty if the town precedes the code.
    pub city: String,
    pub region: Option<String>,
    pub country: Option<&'static str>,
    pub shape: &'static [&'static str],
    /// A region may follow the town.
    pub takes_region: bool,
}

const FIVE: &[&str] = &["DE", "FR", "ES", "IT", "MX"];
const FOUR: &[&str] = &["AT", "CH", "BE", "LU", "LI"];

/// The words of a text with their byte offsets.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            if let Some(from) = from.take() {
                words.push((from, &text[from..at]));
            }
        } else {
            from.get_or_insert(at);
        }
    }
    if let Some(from) = from {
        words.push((from, &text[from..]));
    }
    words
}

fn is_digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn dashed(text: &str, left: usize, right: usize) -> bool {
    text.split_once(['-', '–'])
        .is_some_and(|(one, other)| is_digits(one, left) && is_digits(other, right))
}

/// The postal code at a word: number of words, spelling, possible countries, country of its
/// prefix.
fn code_at(
    words: &[(usize, &str)],
    at: usize,
) -> Option<(usize, String, &'static [&'static str], Option<&'static str>)> {
    let word =
        words.get(at)?.1.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | ';' | '[' | ']'));
    let (word, prefix) = match word.split_once(['-', '–']) {
        Some((letters, rest))
            if letters.len() <= 2
                && !letters.is_empty()
                && letters.bytes().all(|byte| byte.is_ascii_uppercase()) =>
        {
            (rest, Some(country::of_postal_prefix(letters)?))
        }
        _ => (word, None),
    };
    let next = words
        .get(at + 1)
        .map(|(_, next)| next.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | ';')));
    if dashed(word, 5, 3) {
        return Some((1, word.replace('–', "-"), &["BR"], prefix));
    }
    if dashed(word, 4, 3) {
        return Some((1, word.replace('–', "-"), &["PT"], prefix));
    }
    if dashed(word, 2, 3) {
        return Some((1, word.replace('–', "-"), &["PL"], prefix));
    }
    let is_pair =
        |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_digits(word, 4) && next.is_some_and(is_pair) && words.len() > at + 2 {
        return Some((2, format!("{word} {}", next.unwrap_or_default()), &["NL"], prefix));
    }
    if word.len() == 6
        && word.get(..4).is_some_and(|head| is_digits(head, 4))
        && word.get(4..).is_some_and(is_pair)
    {
        return Some((1, word.to_owned(), &["NL"], prefix));
    }
    if is_digits(word, 5) {
        return Some((1, word.to_owned(), FIVE, prefix));
    }
    if is_digits(word, 4) {
        let year = word.parse::<u32>().is_ok_and(|year| (1900..=2035).contains(&year));
        // A number that may be a year needs a following word.
        if year && prefix.is_none() && next.is_none() {
            return None;
        }
        return Some((1, word.to_owned(), FOUR, prefix));
    }
    british(word, next).or_else(|| irish(word, next)).or_else(|| canadian(word, next))
}

fn british(
    word: &str,
    next: Option<&str>,
) -> Option<(usize, String, &'static [&'static str], Option<&'static str>)> {
    let is_inward = |text: &str| {
        text.len() == 3
            && text.as_bytes()[0].is_ascii_digit()
            && text.bytes().skip(1).all(|byte| byte.is_ascii_uppercase())
    };
    let is_outward = |text: &str| {
        let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
        let rest = text.get(letters..).unwrap_or_default();
        (1..=2).contains(&letters)
            && (1..=2).contains(&rest.len())
            && rest.as_bytes()[0].is_ascii_digit()
            && rest.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
    };
    if is_outward(word) && next.is_some_and(is_inward) {
        return Some((2, format!("{word} {}", next.unwrap_or_default()), &["GB"], None));
    }
    let cut = word.len().checked_sub(3)?;
    let (out, inward) = (word.get(..cut)?, word.get(cut..)?);
    (is_outward(out) && is_inward(inward))
        .then(|| (1, word.to_owned(), &["GB"] as &'static [_], None))
}

fn irish(
    word: &str,
    next: Option<&str>,
) -> Option<(usize, String, &'static [&'static str], Option<&'static str>)> {
    let is_routing = |text: &str| {
        let bytes = text.as_bytes();
        bytes.len() == 3
            && bytes[0].is_ascii_uppercase()
            && bytes[1].is_ascii_digit()
            && (bytes[2].is_ascii_digit() || bytes[2] == b'W')
    };
    let is_unique = |text: &str| {
        text.len() == 4
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            && text.bytes().any(|byte| byte.is_ascii_digit())
    };
    if is_routing(word) && next.is_some_and(is_unique) {
        return Some((2, format!("{word} {}", next.unwrap_or_default()), &["IE"], None));
    }
    let (head, tail) = (word.get(..3)?, word.get(3..)?);
    (word.len() == 7 && is_routing(head) && is_unique(tail))
        .then(|| (1, word.to_owned(), &["IE"] as &'static [_], None))
}

fn canadian(
    word: &str,
    next: Option<&str>,
) -> Option<(usize, String, &'static [&'static str], Option<&'static str>)> {
    let is_shape = |text: &str, letters: [bool; 3]| {
        text.len() == 3
            && text.bytes().zip(letters).all(|(byte, letter)| {
                if letter { byte.is_ascii_uppercase() } else { byte.is_ascii_digit() }
            })
    };
    (is_shape(word, [true, false, true])
        && next.is_some_and(|next| is_shape(next, [false, true, false])))
    .then(|| (2, format!("{word} {}", next.unwrap_or_default()), &["CA"] as &'static [_], None))
}

/// The town in a part of a line, and the text before it.
pub(super) fn town(text: &str) -> Option<(PostalTown, String)> {
    if text.len() > 160 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let words = words(text);
    // The last code counts: a house number of five digits may precede it.
    for at in (0..words.len()).rev() {
        let Some((count, postal, shape, prefixed)) = code_at(&words, at) else { continue };
        let rest: Vec<&str> = words.iter().skip(at + count).map(|(_, word)| *word).collect();
        let head = text.get(..words[at].0).unwrap_or_default().trim();
        let mut town = PostalTown { postal, shape, country: prefixed, ..PostalTown::default() };
        let mut head = without_code_label(head);
        match shape {
            ["GB" | "IE" | "CA"] => {
                if !rest.is_empty() {
                    let tail = rest.join(" ");
                    let (left, code) = country::ending(&tail).unzip();
                    if left.is_some_and(str::is_empty) {
                        town.country = code;
                    } else {
                        continue;
                    }
                }
                if let ["CA"] = shape {
                    let state = head.rsplit(' ').next().unwrap_or_default();
                    if is_listed(&CANADIAN_PROVINCES, state) {
                        town.region = Some(state.to_owned());
                        head = head[..head.len() - state.len()].trim_end();
                    }
                }
                return Some((town, head.trim_end_matches(',').to_owned()));
            }
            ["BR"] => {
                town.takes_region = true;
                if rest.is_empty() {
                    return Some((town, head.to_owned()));
                }
            }
            _ => {}
        }
        // "OR 97209": a state before five digits makes it a US code.
        let state = head.rsplit([' ', ',']).next().unwrap_or_default();
        if town.postal.len() == 5 && is_listed(&US_STATES, state) {
            let tail_is_fit = rest.is_empty() || country::named(&rest.join(" ")) == Some("US");
            if tail_is_fit {
                town.region = Some(state.to_owned());
                town.shape = &["US"];
                town.country = country::named(&rest.join(" "));
                let head = head[..head.len() - state.len()].trim_end().trim_end_matches(',');
                return Some((town, head.to_owned()));
            }
        }
        let Some((city, region, named)) = city(&rest.join(" ")) else { continue };
        if is_other_number(head) {
            continue;
        }
        town.city = city;
        town.region = region;
        town.country = town.country.or(named);
        town.takes_region = matches!(town.shape, ["BR"] | ["DE", "FR", "ES", "IT", "MX"]);
        return Some((town, head.to_owned()));
    }
    // "OR 97209-1234"
    let (at, word) = words.iter().enumerate().find(|(_, (_, word))| dashed(word, 5, 4))?;
    let head = text.get(..word.0)?.trim();
    let state = head.rsplit([' ', ',']).next().unwrap_or_default();
    let fits = is_listed(&US_STATES, state) && words.len() <= at + 4;
    let town = PostalTown {
        postal: word.1.to_owned(),
        region: Some(state.to_owned()),
        shape: &["US"],
        ..PostalTown::default()
    };
    fits.then(|| {
        (town, head[..head.len() - state.len()].trim_end().trim_end_matches(',').to_owned())
    })
}

/// Removes a label such as "CP" before a code.
fn without_code_label(head: &str) -> &str {
    static POSTAL_CODE_LABELS: TermList = phrase_list!("address/postal_code_labels.txt");
    for label in POSTAL_CODE_LABELS.iter() {
        if let Some(rest) = head.strip_suffix(label) {
            return rest.trim_end();
        }
    }
    head
}

static NOT_POSTAL_CODE: TermSet = word_set!("address/words_before_other_numbers.txt");

/// Whether the word before a number shows that the number is not a postal code.
fn is_other_number(head: &str) -> bool {
    let last = head.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    NOT_POSTAL_CODE.contains(last)
}
