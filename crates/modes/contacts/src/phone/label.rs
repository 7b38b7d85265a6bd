//! Labels of numbers: phone, fax, mobile, or something else.

use contract::PhoneType;

use text::vocabulary::TermSet;

/// What a label says about a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhoneLabel {
    Voice,
    Fax,
    Mobile,
    /// Not a phone number: an id, an account, a price.
    Other,
}

impl PhoneLabel {
    pub fn kind(self) -> PhoneType {
        match self {
            Self::Voice => PhoneType::Voice,
            Self::Fax => PhoneType::Fax,
            Self::Mobile => PhoneType::Mobile,
            Self::Other => PhoneType::Unknown,
        }
    }
}

/// Maximum words before a number that are searched for a label.
const MAX_LABEL_WORDS: usize = 5;

static VOICE: TermSet = word_set!("phone/voice_labels.txt");
static FAX: TermSet = word_set!("phone/fax_labels.txt");
static MOBILE: TermSet = word_set!("phone/mobile_labels.txt");
static OTHER: TermSet = word_set!("phone/other_number_labels.txt");

// Ends of compounds: "Bürotelefon", "Umsatzsteuer-Identifikationsnummer".
static FAX_ENDINGS: TermSet = word_set!("phone/fax_endings.txt");
static VOICE_ENDINGS: TermSet = word_set!("phone/voice_endings.txt");
static OTHER_ENDINGS: TermSet = word_set!("phone/other_number_endings.txt");
static TRANSPARENT: TermSet = word_set!("phone/transparent_words.txt");

fn of_word(word: &str) -> Option<PhoneLabel> {
    use PhoneLabel::{Fax, Mobile, Other, Voice};
    let lists = [(&FAX, Fax), (&MOBILE, Mobile), (&VOICE, Voice), (&OTHER, Other)];
    if let Some((_, label)) = lists.into_iter().find(|(list, _)| list.contains(word)) {
        return Some(label);
    }
    let lists = [(&FAX_ENDINGS, Fax), (&VOICE_ENDINGS, Voice), (&OTHER_ENDINGS, Other)];
    let ends =
        |list: &TermSet| list.iter().any(|end| word.ends_with(end) && word.len() > end.len() + 2);
    lists.into_iter().find(|(list, _)| ends(list)).map(|(_, label)| label)
}

/// A single letter as a label: "T +49…", "F: 030…".
fn of_letter(word: &str, after: &str) -> Option<PhoneLabel> {
    let marks = after.trim();
    let is_marked =
        marks.is_empty() || marks.chars().all(|c| matches!(c, ':' | '.' | '|' | '/' | ')' | '+'));
    if !is_marked {
        return None;
    }
    match word {
        "T" => Some(PhoneLabel::Voice),
        "P" if marks.contains(':') => Some(PhoneLabel::Voice),
        "t" if marks.contains([':', '.']) => Some(PhoneLabel::Voice),
        "F" => Some(PhoneLabel::Fax),
        "f" if marks.contains([':', '.']) => Some(PhoneLabel::Fax),
        "M" | "H" => Some(PhoneLabel::Mobile),
        "m" if marks.contains([':', '.']) => Some(PhoneLabel::Mobile),
        _ => None,
    }
}

fn words_before(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '°' || c == 'º';
    let mut end = text.len();
    std::iter::from_fn(move || {
        let head = text.get(..end)?;
        let stop = head.trim_end_matches(|c: char| !is_word(c)).len();
        if stop == 0 {
            return None;
        }
        let word_start = head[..stop]
            .rfind(|c: char| !is_word(c))
            .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
        end = word_start;
        Some((&text[word_start..stop], stop))
    })
}

/// The nearest label before a number. A digit ends the search because it belongs to another
/// value.
pub(super) fn before(text: &str) -> Option<PhoneLabel> {
    let from = text.len().saturating_sub(160);
    let text = text.get(text.ceil_char_boundary(from)..).unwrap_or_default();
    // Currency, paragraph and number signs.
    if text.trim_end().ends_with(['€', '$', '£', '§', '#', '№']) {
        return Some(PhoneLabel::Other);
    }
    let mut found: Option<PhoneLabel> = None;
    for (at, (word, stop)) in words_before(text).take(MAX_LABEL_WORDS).enumerate() {
        let head = text.get(..stop - word.len()).and_then(|head| head.chars().next_back());
        if at == 0
            && head.is_none_or(|c| c.is_whitespace() || matches!(c, '|' | '·' | '•' | '(' | ','))
            && let Some(label) = of_letter(word, text.get(stop..).unwrap_or_default())
        {
            return Some(label);
        }
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            return found;
        }
        let lower = word.to_lowercase();
        let label = of_word(&lower);
        match (found, label) {
            // "Tel. / Fax" is a phone number too; "Mobile phone" is mobile.
            (Some(PhoneLabel::Fax), Some(PhoneLabel::Voice)) => return Some(PhoneLabel::Voice),
            (Some(PhoneLabel::Voice), Some(PhoneLabel::Mobile)) => return Some(PhoneLabel::Mobile),
            // "Order hotline" is still a phone number.
            (Some(_), None) if TRANSPARENT.contains(lower.as_str()) => {}
            (Some(label), _) => return Some(label),
            (None, Some(label)) => {
                let is_last = at + 1 >= MAX_LABEL_WORDS;
                if is_last || !matches!(label, PhoneLabel::Voice | PhoneLabel::Fax) {
                    return Some(label);
                }
                found = Some(label);
            }
            (None, None) => {}
        }
    }
    found
}

/// The label in brackets right after a number: "(Fax)", "(mobile)".
pub(super) fn after(text: &str) -> Option<PhoneLabel> {
    let rest = text.trim_start();
    let inside = rest.strip_prefix('(').or_else(|| rest.strip_prefix('['))?;
    let inside = inside.split([')', ']']).next()?;
    let word = inside.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
    of_word(&word.to_lowercase()).filter(|label| *label != PhoneLabel::Other)
}

/// The label in a short text such as `aria-label`.
pub(super) fn in_text(text: &str) -> Option<PhoneLabel> {
    text.split(|c: char| !c.is_alphanumeric())
        .take(12)
        .find_map(|word| of_word(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_label_decides_the_type_of_a_number() {
        let cases = [
            ("Tel.: ", Some(PhoneLabel::Voice)),
            ("Telefon ", Some(PhoneLabel::Voice)),
            ("T ", Some(PhoneLabel::Voice)),
            ("F: ", Some(PhoneLabel::Fax)),
            ("Tel./Fax: ", Some(PhoneLabel::Voice)),
            ("Telefon und Telefax: ", Some(PhoneLabel::Voice)),
            ("Mobile phone: ", Some(PhoneLabel::Mobile)),
            ("Portable : ", Some(PhoneLabel::Mobile)),
            ("tel. kom. ", Some(PhoneLabel::Mobile)),
            ("Tel.-Nr. ", Some(PhoneLabel::Voice)),
            ("USt-IdNr.: DE ", Some(PhoneLabel::Other)),
            ("Amtsgericht Köln, HRB ", Some(PhoneLabel::Other)),
            ("HRB 12345, Tel. ", Some(PhoneLabel::Voice)),
            ("Order number ", Some(PhoneLabel::Other)),
            ("Tel. 030 1234, ", None),
            ("since ", Some(PhoneLabel::Other)),
            ("we have ", None),
            ("Umsatzsteuer-Identifikationsnummer ", Some(PhoneLabel::Other)),
        ];
        for (text, expected) in cases {
            assert_eq!(before(text), expected, "{text}");
        }
    }
}
