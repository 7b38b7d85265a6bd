//! The words before a number that say what it is. They are in `data/number_labels.tsv`.

use text::vocabulary::{TermList, TermSet};

use crate::redaction::line::ScannedLine;

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

static PHONE: TermSet = term_group!("number_labels.tsv", "phone");
static CALL: TermSet = term_group!("number_labels.tsv", "call");
static CODE: TermSet = term_group!("number_labels.tsv", "code");
/// Beginnings of words that name a code.
static CODE_PREFIXES: TermList = term_group!("number_labels.tsv", "code_prefix");
/// Words that say that a number follows, and not what for.
static NUMBER: TermSet = term_group!("number_labels.tsv", "number");
// East Asian words, which are written without spaces.
static PHONE_UNSPACED: TermList = term_group!("number_labels.tsv", "phone_unspaced");
static CODE_UNSPACED: TermList = term_group!("number_labels.tsv", "code_unspaced");
/// Further words that lead to a contact.
static LEAD: TermSet = term_group!("number_labels.tsv", "lead");

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
        if PHONE_UNSPACED.iter().any(|word| tail.contains(word)) {
            return Self::Phone;
        }
        if CODE_UNSPACED.iter().any(|word| tail.contains(word))
            || signs.iter().rev().take(3).any(|c| matches!(c, '#' | '№'))
        {
            return Self::Code;
        }
        let mut names_number = false;
        for (distance, word) in line.words(from..at).iter().rev().take(MAX_WORDS).enumerate() {
            let word = word.as_str();
            if NUMBER.contains(word) {
                names_number = true;
            } else if names_phone(word) {
                // "Phone holder 12345" has no telephone number.
                let is_near = distance <= usize::from(names_number);
                return if is_near { Self::Phone } else { Self::Call };
            } else if CALL.contains(word) {
                return Self::Call;
            } else if names_code(word) {
                return Self::Code;
            }
        }
        if names_number { Self::Code } else { Self::None }
    }
}

pub(super) fn names_phone(word: &str) -> bool {
    PHONE.contains(word)
}

pub(super) fn names_code(word: &str) -> bool {
    CODE.contains(word) || CODE_PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

/// Whether a word leads to a number or another contact.
pub(super) fn leads_to_number(word: &str) -> bool {
    [&PHONE, &CALL, &NUMBER, &LEAD].iter().any(|set| set.contains(word))
}
