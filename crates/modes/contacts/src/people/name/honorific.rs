//! Honorifics: degrees, offices and forms of address around a name.

use super::fold;
use text::vocabulary::TermSet;

static BEFORE: TermSet = word_set!("people/honorifics_before.txt");

static AFTER: TermSet = word_set!("people/honorifics_after.txt");

static GENERATION: TermSet = word_set!("people/honorifics_generation.txt");

/// A word as the vocabularies write it.
fn bare(word: &str) -> String {
    let trimmed = word.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | ';' | '"'));
    let plain: String =
        trimmed.chars().filter(|c| !matches!(c, '.' | 'º' | 'ª' | '°' | '/')).collect();
    // "Dipl.-Ing." has a full stop inside.
    fold(plain.trim_matches('-'))
}

/// Whether a word is an honorific before a name.
pub(super) fn is_before(word: &str) -> bool {
    let plain = bare(word);
    if !BEFORE.contains(plain.as_str()) {
        return word.starts_with("Dipl.-")
            || word.starts_with("Dr.-")
            || word.starts_with("Univ.-");
    }
    // Single letters and common words are honorifics only with a full stop or a capital.
    match plain.as_str() {
        // "HR" in capitals is the abbreviation of human resources.
        "hr" => word != "HR",
        "m" | "d" | "h" | "c" | "ab" | "em" | "ao" => word.ends_with('.'),
        "me" | "pr" | "pre" => word.starts_with(['M', 'P']),
        "don" | "bm" | "ph" | "rb" | "wp" | "kr" | "ds" | "col" | "ra" | "pd" => {
            word.ends_with('.') || word.starts_with(char::is_uppercase)
        }
        _ => true,
    }
}

/// Whether a word may continue a row of honorifics, as "med." after "Dr.".
pub(super) fn continues(word: &str) -> bool {
    is_before(word) || (word.starts_with('(') && word.ends_with(')') && word.len() < 12)
}

/// Whether a word is an honorific after a name.
pub(super) fn is_after(word: &str) -> bool {
    let plain = bare(word);
    let short = plain.len() <= 2;
    // Short ones are surnames as well, unless they are in capitals or have full stops.
    let marked =
        word.contains('.') || word.starts_with('(') || !word.chars().any(char::is_lowercase);
    AFTER.contains(plain.as_str())
        && (marked || (!short && word.chars().filter(|c| c.is_uppercase()).count() > 1))
}

/// Whether a word is a generation suffix such as "Jr.".
pub(super) fn is_generation(word: &str) -> bool {
    let plain = bare(word);
    GENERATION.contains(plain.as_str())
        && (plain.len() > 3
            || word.ends_with('.')
            || word.chars().all(char::is_uppercase)
            || word == "Jr"
            || word == "Sr")
}

/// Whether a text consists of honorifics.
pub(super) fn is_only(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some()
        && words.all(|word| {
            is_before(word) || is_after(word) || (word.starts_with('(') && word.ends_with(')'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honorifics_are_distinguished_from_names() {
        for word in [
            "Dr.",
            "Prof.",
            "Dr.-Ing.",
            "Dipl.-Ing.",
            "Dipl.-Kfm.",
            "Mag.",
            "Herr",
            "Frau",
            "Mme",
            "M.",
            "Sr.",
            "Sra.",
            "D.",
            "Dña.",
            "Dott.ssa",
            "Avv.",
            "dhr.",
            "mevr.",
            "drs.",
            "Eng.º",
            "Dr.ª",
            "mgr",
            "inż.",
            "hab.",
            "med.",
            "h.c.",
            "Univ.-Prof.",
            "Sir",
            "Dame",
            "RA",
            "Me",
            "Pr",
        ] {
            assert!(is_before(word), "{word}");
        }
        for word in ["MBA", "PhD", "Ph.D.", "LL.M.", "CPA", "Esq.", "M.Sc.", "B.A.", "(FH)"] {
            assert!(is_after(word), "{word}");
        }
        for word in ["Jr.", "III", "Junior", "Filho"] {
            assert!(is_generation(word), "{word}");
        }
        for word in ["Anna", "Berg", "Martin", "D", "m", "Ma", "Le", "Do", "Kim"] {
            assert!(!is_before(word) && !is_after(word), "{word}");
        }
    }
}
