//! The year of foundation that a line states.

use text::vocabulary::TermList;

static STRONG: TermList = phrase_list!("company/founded_strong.txt");
static WEAK: TermList = phrase_list!("company/founded_weak.txt");
static BETWEEN: TermList = phrase_list!("company/founded_between.txt");

/// Maximum length of a line in which a weak word counts, in bytes.
const MAX_WEAK_LINE: usize = 60;

/// The year, and whether the wording is unambiguous.
pub(crate) fn year(text: &str) -> Option<(String, bool)> {
    if text.len() > 600 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let lower = text.to_lowercase();
    let mut weak = None;
    for (at, _) in lower.match_indices(['1', '2']) {
        let Some(year) =
            lower.get(at..at + 4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))
        else {
            continue;
        };
        let (head, after) = (lower.get(..at)?, lower.get(at + 4..)?.chars().next());
        let is_alone = !head
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '/' | '.' | ','))
            && after.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '/' | '–'));
        if !is_alone || !year.parse::<u32>().is_ok_and(|year| (1500..=2100).contains(&year)) {
            continue;
        }
        let mut before = head.trim_end_matches([':', ' ', '(', '\u{a0}']);
        for word in BETWEEN.iter() {
            if let Some(rest) =
                before.strip_suffix(word).filter(|rest| rest.is_empty() || rest.ends_with(' '))
            {
                before = rest.trim_end();
            }
        }
        let ends = |list: &TermList| {
            list.iter().any(|word| {
                before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphabetic))
            })
        };
        if ends(&STRONG) {
            return Some((year.to_owned(), true));
        }
        if text.len() < MAX_WEAK_LINE && ends(&WEAK) {
            weak = weak.or_else(|| Some((year.to_owned(), false)));
        }
    }
    weak
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn year_of_foundation_is_found_by_the_words_before_it() {
        let cases = [
            ("Gegründet 1958", Some(("1958", true))),
            ("Founded in 1999 by two brothers", Some(("1999", true))),
            ("Fondata nel 1975", Some(("1975", true))),
            ("Rok założenia: 2001", Some(("2001", true))),
            ("Family business since 1923", Some(("1923", false))),
            (
                "Seit 2009 gilt eine Regel: Nichts verlässt den Hof, was wir nicht selbst benutzen würden.",
                None,
            ),
            ("© 2011–2024", None),
            ("Established 12345", None),
        ];
        for (text, expected) in cases {
            let found = year(text);
            assert_eq!(
                found.as_ref().map(|(year, sure)| (year.as_str(), *sure)),
                expected,
                "{text}"
            );
        }
    }
}
