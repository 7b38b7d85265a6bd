//! The words before a number that say what it is. They are in `data/number_labels.tsv`.

use std::sync::LazyLock;

use hashbrown::HashSet;

use crate::redaction::line::ScannedLine;
use crate::vocabulary;

/// What the words before a number say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberLabel {
    Phone,
    /// The reader is asked to call: the number may be a telephone number.
    Call,
    /// An article number, a standard or another code.
    Code,
    None,
}

/// How many characters and words before a number are read.
const MAX_CHARS: usize = 48;
const MAX_WORDS: usize = 5;

const PHONE_SIGNS: &[char] = &['☎', '☏', '✆', '📞', '📱', '🕿', '🖷', '📠', '📲'];

struct LabelWords {
    phone: HashSet<&'static str>,
    call: HashSet<&'static str>,
    code: HashSet<&'static str>,
    /// Beginnings of words that name a code.
    code_prefixes: Vec<&'static str>,
    /// Words that say that a number follows, and not what for.
    number: HashSet<&'static str>,
    /// East Asian words, which are written without spaces.
    phone_unspaced: Vec<&'static str>,
    code_unspaced: Vec<&'static str>,
    /// Further words that lead to a contact.
    lead: HashSet<&'static str>,
}

static WORDS: LazyLock<LabelWords> = LazyLock::new(|| {
    let file = include_str!("../../../data/number_labels.tsv");
    LabelWords {
        phone: vocabulary::group_set(file, "phone"),
        call: vocabulary::group_set(file, "call"),
        code: vocabulary::group_set(file, "code"),
        code_prefixes: vocabulary::group_list(file, "code_prefix"),
        number: vocabulary::group_set(file, "number"),
        phone_unspaced: vocabulary::group_list(file, "phone_unspaced"),
        code_unspaced: vocabulary::group_list(file, "code_unspaced"),
        lead: vocabulary::group_set(file, "lead"),
    }
});

impl NumberLabel {
    /// What the nearest known word before a position says.
    pub fn before(line: &ScannedLine, at: usize) -> Self {
        let from = at.saturating_sub(MAX_CHARS);
        let signs = line.chars.get(from..at).unwrap_or_default();
        // Words of an earlier sentence do not count.
        let ends =
            signs.iter().rposition(|c| matches!(c, '!' | '?' | '。' | ';')).map_or(0, |at| at + 1);
        let from = from + ends;
        let signs = line.chars.get(from..at).unwrap_or_default();
        if signs.iter().rev().take(6).any(|c| PHONE_SIGNS.contains(c)) {
            return Self::Phone;
        }
        let tail: String =
            line.lower.get(from.max(at.saturating_sub(8))..at).unwrap_or_default().iter().collect();
        if WORDS.phone_unspaced.iter().any(|word| tail.contains(word)) {
            return Self::Phone;
        }
        if WORDS.code_unspaced.iter().any(|word| tail.contains(word))
            || signs.iter().rev().take(3).any(|c| matches!(c, '#' | '№'))
        {
            return Self::Code;
        }
        let mut names_number = false;
        for (distance, word) in line.words(from..at).iter().rev().take(MAX_WORDS).enumerate() {
            let word = word.as_str();
            if WORDS.number.contains(word) {
                names_number = true;
            } else if names_phone(word) {
                // "Phone holder 12345" has no telephone number.
                let is_near = distance <= usize::from(names_number);
                return if is_near { Self::Phone } else { Self::Call };
            } else if WORDS.call.contains(word) {
                return Self::Call;
            } else if names_code(word) {
                return Self::Code;
            }
        }
        if names_number { Self::Code } else { Self::None }
    }
}

pub(super) fn names_phone(word: &str) -> bool {
    WORDS.phone.contains(word)
}

pub(super) fn names_code(word: &str) -> bool {
    WORDS.code.contains(word) || WORDS.code_prefixes.iter().any(|prefix| word.starts_with(prefix))
}

/// Whether a word leads to a number or another contact.
pub(super) fn leads_to_number(word: &str) -> bool {
    [&WORDS.phone, &WORDS.call, &WORDS.number, &WORDS.lead].iter().any(|set| set.contains(word))
}
