//! Recognises names of departments in eight languages.

use super::folded_words;
use text::vocabulary::TermSet;

static DEPARTMENTS: TermSet = phrase_set!(
    "departments/english.txt",
    "departments/german.txt",
    "departments/french.txt",
    "departments/spanish.txt",
    "departments/italian.txt",
    "departments/dutch.txt",
    "departments/portuguese.txt",
    "departments/polish.txt",
);

static CONJUNCTIONS: TermSet = term_group!("conjunctions.tsv", "departments");

static OPENERS: TermSet = word_set!("departments/first_words.txt");

/// The name of a department, without "Department:" before it.
pub(crate) fn named(text: &str) -> Option<&str> {
    let text = text.trim().trim_matches([':', '-', '–', '|', '·']).trim();
    if text.is_empty() || text.len() > 60 {
        return None;
    }
    if let Some((label, value)) = text.split_once(':') {
        let words = folded_words(label);
        let is_label = matches!(&words[..], [word] if OPENERS.contains(word.as_str()));
        let value = value.trim();
        return (is_label && !value.is_empty()).then_some(value);
    }
    let words = folded_words(text);
    if words.is_empty() || words.len() > 6 {
        return None;
    }
    let joined = words.join(" ");
    let inner: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !CONJUNCTIONS.contains(*word)).collect();
    let rest = words.get(1..).unwrap_or_default().join(" ");
    let opened = OPENERS.contains(words[0].as_str()) && DEPARTMENTS.contains(rest.as_str());
    let all_known = inner.len() > 1 && inner.iter().all(|word| DEPARTMENTS.contains(*word));
    (DEPARTMENTS.contains(joined.as_str())
        || DEPARTMENTS.contains(inner.join(" ").as_str())
        || opened
        || all_known)
        .then_some(text)
}

/// Whether a heading names the management, or a service that is sold as well.
pub(crate) fn is_management(text: &str) -> bool {
    static NOT_DEPARTMENTS: TermSet = phrase_set!("departments/not_departments.txt");
    text.len() < 3 || NOT_DEPARTMENTS.contains(folded_words(text).join(" ").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn departments_are_recognised_by_name() {
        for text in [
            "Vertrieb",
            "Sales",
            "Customer service",
            "Service de presse",
            "Ufficio commerciale",
            "Dział handlowy",
            "Biuro prasowe",
            "Atención al cliente",
            "Assessoria de imprensa",
            "Klantenservice",
            "Abteilung Vertrieb",
            "Forschung & Entwicklung",
            "Einkauf und Logistik",
            "Human Resources",
        ] {
            assert_eq!(named(text), Some(text));
        }
        assert_eq!(named("Abteilung: Sonderfertigung"), Some("Sonderfertigung"));
        for text in ["Anna Berg", "Unser Team", "Leiter Vertrieb", "Köln", "", "Telefon: 0221 1"] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
