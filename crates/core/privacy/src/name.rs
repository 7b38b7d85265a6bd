//! Normalised names of people. Case, accents, order, honorifics and white space do not matter.

use text::vocabulary::{TermSet, TermTable};
use text::{term_table, word_set};

use super::{OptOutKind, digest};

/// Maximum words of a name; a longer text is no name.
const MAX_WORDS: usize = 8;

/// Honorifics before a name, words between them and the name, and degrees after it.
static HONORIFICS: TermSet = word_set!("honorifics.txt");
static FACULTIES: TermSet = word_set!("faculties.txt");
static DEGREES: TermSet = word_set!("degrees.txt");

/// Letters with their accented forms. Stored keys depend on them, so that the folding for
/// comparisons within a run cannot replace them.
static FOLDED_LETTERS: TermTable<2> = term_table!("folded_letters.tsv");

/// A name as a list of normalised words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NormalizedName(Vec<String>);

impl NormalizedName {
    /// Parses a full name; in `Lovelace, Ada` the family name is first.
    pub fn parse(text: &str) -> Option<Self> {
        let name = match text.split_once(',') {
            Some((last, first)) if !is_degree(first) => Self::of(&format!("{first} {last}"))?,
            _ => Self::of(text)?,
        };
        let has_letter = |word: &String| word.chars().any(char::is_alphabetic);
        let Self(words) = &name;
        // Scripts without case write a full name as one word.
        let caseless = |word: &String| {
            word.chars().count() > 1 && word.chars().all(|c| c.is_alphabetic() && !c.is_lowercase())
        };
        let full = match words.as_slice() {
            [word] => caseless(word),
            words => words.iter().all(has_letter),
        };
        full.then_some(name)
    }

    /// The words of a text that is known to be a name.
    pub fn of(text: &str) -> Option<Self> {
        let mut words = words(text);
        let titles = words.iter().take_while(|word| HONORIFICS.contains(word.as_str())).count();
        if titles > 0 {
            words.drain(..titles);
            let in_title = |word: &&String| {
                FACULTIES.contains(word.as_str()) || HONORIFICS.contains(word.as_str())
            };
            let faculty = words.iter().take_while(in_title).count();
            words.drain(..faculty);
        }
        while words.last().is_some_and(|word| DEGREES.contains(word.as_str())) {
            words.pop();
        }
        (!words.is_empty() && words.len() <= MAX_WORDS).then_some(Self(words))
    }

    /// The key of the name: number of words, and hash.
    pub fn mark(&self) -> String {
        mark(&self.0)
    }

    /// All keys under which an opt-out of this person may be stored: the full name and all
    /// forms without middle names, family name last or first.
    pub fn marks(&self) -> Vec<String> {
        let mut marks = Vec::new();
        for order in orders(&self.0) {
            let [first, middle @ .., last] = order.as_slice() else {
                marks.push(mark(&order));
                continue;
            };
            for kept in 0..1_u32 << middle.len() {
                let mut words = vec![first.clone()];
                let chosen = middle.iter().enumerate().filter(|(place, _)| kept >> place & 1 == 1);
                words.extend(chosen.map(|(_, word)| word.clone()));
                words.push(last.clone());
                marks.push(mark(&words));
            }
        }
        marks
    }
}

/// The keys of all sequences of `length` words in a text, in either order.
pub(super) fn marks_within(text: &str, length: usize) -> Vec<String> {
    let words = words(text);
    words.windows(length.max(1)).flat_map(orders).map(|order| mark(&order)).collect()
}

/// The number of words of the name with this key.
pub(super) fn length_of(mark: &str) -> Option<usize> {
    let length = mark.split_once(':')?.0.parse().ok()?;
    (1..=MAX_WORDS).contains(&length).then_some(length)
}

/// The initials of a name, for the operator.
pub(super) fn hint(text: &str) -> String {
    let is_title = |word: &&str| {
        let folded = words(word).join("");
        HONORIFICS.contains(folded.as_str()) || FACULTIES.contains(folded.as_str())
    };
    let words = text.split_whitespace().skip_while(is_title);
    let initials = words.filter_map(|word| word.chars().find(|c| c.is_alphabetic()));
    initials.map(|initial| format!("{initial}…")).collect::<Vec<_>>().join(" ")
}

fn mark(words: &[String]) -> String {
    format!("{}:{}", words.len(), digest(OptOutKind::Name, &words.join(" ")))
}

fn is_degree(text: &str) -> bool {
    let words = words(text);
    words.is_empty() || words.iter().all(|word| DEGREES.contains(word.as_str()))
}

/// The words as given, and with the family name moved to the other end.
fn orders(words: &[String]) -> Vec<Vec<String>> {
    let mut orders = vec![words.to_vec()];
    if words.len() > 1 {
        for turn in [1, words.len() - 1] {
            let mut order = words.to_vec();
            order.rotate_left(turn);
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
    }
    orders
}

/// The normalised words of a text.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        match letter {
            '\'' | '’' | '`' | '\u{300}'..='\u{36f}' | '\u{ad}' => {}
            letter if letter.is_alphanumeric() => fold(letter, &mut word),
            _ if word.is_empty() => {}
            _ => words.push(std::mem::take(&mut word)),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Appends a letter without case and accent. An `e` after a vowel is dropped if it may replace
/// an umlaut: Müller, Mueller and Muller are equal.
fn fold(letter: char, word: &mut String) {
    for small in letter.to_lowercase() {
        let mut own = [0; 4];
        let base: &str = if small.is_ascii() {
            small.encode_utf8(&mut own)
        } else {
            match FOLDED_LETTERS.iter().find(|[_, accented]| accented.contains(small)) {
                Some([base, _]) => base,
                None if ('\u{300}'..='\u{36f}').contains(&small) => "",
                None => small.encode_utf8(&mut own),
            }
        };
        for plain in base.chars() {
            if plain != 'e' || !word.ends_with(['a', 'o', 'u']) {
                word.push(plain);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(opt_out: &str, person: &str) -> bool {
        let mark = NormalizedName::parse(opt_out).expect("a name").mark();
        NormalizedName::of(person).is_some_and(|name| name.marks().contains(&mark))
    }

    #[test]
    fn name_is_covered_in_every_spelling() {
        for (opt_out, person) in [
            ("Ada Lovelace", "ADA  lovelace"),
            ("Ada Lovelace", "Prof. Dr. rer. nat. Ada Lovelace, PhD"),
            ("Lovelace, Ada", "Ada Lovelace"),
            ("Ada Lovelace", "Lovelace Ada"),
            ("Ada Lovelace", "Ada King Lovelace"),
            ("Ada Lovelace", "Ada K. Lovelace"),
            ("Jürgen Müller", "Juergen Mueller"),
            ("Jürgen Müller", "Jurgen Mu\u{308}ller"),
            ("Søren Łukasz", "Soeren Lukasz"),
            ("Seán O'Brien", "Sean O’Brien"),
            ("Anna Müller-Weiß", "Anna Mueller Weiss"),
            ("Nguyễn Văn An", "Nguyen Van An"),
            ("山田太郎", "山田太郎"),
        ] {
            assert!(covers(opt_out, person), "{opt_out} is {person}");
        }
    }

    /// Opt-outs are stored by these keys: another key makes a stored opt-out ineffective.
    #[test]
    fn keys_of_stored_opt_outs_are_unchanged() {
        for (name, mark) in [
            ("Ada Lovelace", "2:caea0e161657f5102e3bb5c6140802f78669d9c55217ad8967d19cd1a1977fd6"),
            ("Jürgen Müller", "2:cbd33cb0b5e0473a599d641a1a31c9cd5975f47a3290c9190a83b32e4e2c234f"),
            ("Фёдор Семёнов", "2:c42a6642a69e0053f767858c05a01462427d7809793de7ad9fa399951c757db1"),
            ("Ḥasan Ṣāliḥ", "2:98d27841ac3c2c82ad00c98777dfb45cdafa7c51e705246ba5bee3bd34bc49ce"),
            ("Žofie Ǽlfric", "2:f4510bf5f40f21beaf7f27e456b587bdc29071f3638cc1bd1fed884100490c09"),
            (
                "Ἑλένη Παπαδάκης",
                "2:e2b30e3f2b705630215cdec231810939f24336ee572fcb4328578207980d4f7e",
            ),
            (
                "Nguyễn Văn Đức",
                "3:2ca2668b7b9a79c5f1ca03271e7f0e72d0e6d84e13d6207b569a11ea4d168c5c",
            ),
            ("山田太郎", "1:769c32c63a4d789323a1b5abc3de8544491cc95917f9c8838e17e33ca6543a3c"),
        ] {
            assert_eq!(NormalizedName::parse(name).expect("a name").mark(), mark, "{name}");
        }
    }

    #[test]
    fn similar_names_are_not_covered() {
        for (opt_out, person) in [
            ("Ada Lovelace", "Ada Lovel"),
            ("Ada Lovelace", "Eda Lovelace"),
            ("Ada King Lovelace", "Ada Lovelace"),
            ("Ada Lovelace", "Ada Lovelace Byron"),
            ("Jan Jansen", "Jansen"),
        ] {
            assert!(!covers(opt_out, person), "{opt_out} is not {person}");
        }
    }

    #[test]
    fn name_is_found_within_a_text() {
        let mark = NormalizedName::parse("Ada Lovelace").expect("a name").mark();
        for text in ["Founded by Ada Lovelace in 1843.", "/team/ada-lovelace.html", "ada.lovelace"]
        {
            assert!(marks_within(text, 2).contains(&mark), "{text}");
        }
        assert!(!marks_within("Ada and Lovelace", 2).contains(&mark));
        assert_eq!((length_of(&mark), length_of("x")), (Some(2), None));
    }
}
