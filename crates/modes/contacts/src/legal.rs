//! Legal forms, and the company names that have them.
//!
//! A name extends from its legal form to the left, over the words that can be part of a name.
//! Forms match case-sensitively, the longest first.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::words::placed_words;
use text::fold::fold_letter;
use text::vocabulary::{self, TermList, TermSet};

/// Maximum words of a name before its form.
const MAX_WORDS: usize = 9;

/// A company name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LegalName {
    pub name: String,
    pub form: String,
    /// Byte range in the text.
    pub from: usize,
    pub to: usize,
}

static LEGAL_FORMS: TermList = phrase_list!("company/legal_forms.txt");

static FORM_MATCHER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| vocabulary::longest_matcher(LEGAL_FORMS.iter()));

/// Finds the names with a legal form in a text.
pub(crate) fn find_names(text: &str) -> Vec<LegalName> {
    let Some(finder) = FORM_MATCHER.as_ref() else { return Vec::new() };
    let mut found: Vec<LegalName> = Vec::new();
    for hit in finder.find_iter(text).take(40) {
        let form = hit.start()..hit.end();
        let Some(name) = name_before_form(text, &form).or_else(|| name_after_form(text, &form))
        else {
            continue;
        };
        if found.last().is_none_or(|last| name.from >= last.to) {
            found.push(name);
        }
    }
    found
}

/// The name that ends with a form.
fn name_before_form(text: &str, place: &Range<usize>) -> Option<LegalName> {
    let before = text.get(..place.start).and_then(|head| head.chars().next_back());
    let after = text.get(place.end..).and_then(|rest| rest.chars().next());
    let is_word = before.is_some_and(|c| c == ' ' || c == '\u{a0}' || c == '(')
        && after.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '&' && c != '@');
    if !is_word {
        return None;
    }
    let form = text.get(place.clone())?;
    let from = name_start(text, place.start, form);
    let name = text.get(from..place.end)?;
    let bare = name.get(..name.len() - form.len())?;
    let bare = bare.trim().trim_end_matches([',', '-', '–', '(']).trim();
    let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
    let is_named = bare.chars().any(char::is_uppercase) || bare.chars().any(|c| c.is_ascii_digit());
    // "SA 9-12" is an opening time, not a form.
    let rest = text.get(place.end..)?.trim_start();
    let goes_on =
        rest.starts_with(|c: char| c.is_ascii_digit()) && matches!(form, "SA" | "SO" | "SC" | "CO");
    (letters >= 2 && is_named && !goes_on).then(|| LegalName {
        name: name.trim().to_owned(),
        form: form.to_owned(),
        from,
        to: place.end,
    })
}

static LEADING_FORMS: TermSet = word_set!("company/leading_forms.txt");

static NEVER_IN_NAMES: TermSet = word_set!("company/never_in_names.txt");

/// The name that begins with a form: "SARL Atelier Duval & Fils".
fn name_after_form(text: &str, place: &Range<usize>) -> Option<LegalName> {
    let form = text.get(place.clone()).filter(|form| LEADING_FORMS.contains(*form))?;
    let before = text.get(..place.start).and_then(|head| head.chars().next_back());
    let rest = text.get(place.end..)?.strip_prefix([' ', '\u{a0}'])?;
    if before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let base = text.len() - rest.len();
    let (mut at, mut to) = (base, place.end);
    for word in rest.split([' ', '\u{a0}']).take(MAX_WORDS) {
        let bare = word.trim_end_matches([',', ';', ':', ')', '.']);
        let is_name = bare.starts_with(|c: char| c.is_uppercase() || c == '&' || c == '«');
        if NEVER_IN_NAMES.contains(word) || !(is_name || PARTICLES.contains(bare)) {
            break;
        }
        if is_name && bare != "&" {
            to = at + bare.len();
        }
        // A separator ends the name.
        if bare.len() < word.len() && !is_abbreviation(word) {
            break;
        }
        at += word.len() + 1;
    }
    let name = text.get(place.start..to).filter(|_| to > base + 1)?;
    Some(LegalName { name: name.to_owned(), form: form.to_owned(), from: place.start, to })
}

/// Removes the legal form from a name.
pub(crate) fn without_form(name: &str) -> &str {
    let Some(last) = find_names(name).pop() else { return name };
    if last.from == 0 && name.starts_with(last.form.as_str()) {
        return name.get(last.form.len()..).unwrap_or(name).trim();
    }
    let head = name.get(..name.len() - last.form.len()).unwrap_or(name);
    let is_end = name.ends_with(last.form.as_str());
    if is_end { head.trim().trim_end_matches([',', '-', '–', '(']).trim() } else { name }
}

pub(crate) fn form_of(name: &str) -> Option<String> {
    find_names(name).pop().map(|found| found.form)
}

static PARTICLES: TermSet = word_set!("company/name_particles.txt");
static NEVER_FIRST: TermSet = word_set!("company/never_first_in_names.txt");

static ARTICLES: TermSet = word_set!("company/articles.txt");

/// Start of the name before a form.
fn name_start(text: &str, end: usize, form: &str) -> usize {
    let head = text.get(..end).unwrap_or_default();
    let is_row = is_partnership(form) && is_row_of_partners(head);
    let mut first_name = end;
    for (count, (at, word)) in placed_words(head).rev().take(MAX_WORDS).enumerate() {
        let is_last = count == 0;
        // A separator ends the name; a comma is allowed right before the form.
        let ends = word.ends_with([':', ';', '|', '·', '•', '©', '!', '?', '®', '»', '…'])
            || (word.ends_with(',') && !is_last && !is_row)
            || (word.ends_with('.') && !is_abbreviation(word) && !is_last);
        if ends && !(word.ends_with(')') && is_last) {
            break;
        }
        let bare = word.trim_start_matches(['"', '„', '“', '«', '(', '\'']);
        let first = bare.chars().next();
        let is_year =
            bare.len() == 4 && bare.parse::<u32>().is_ok_and(|year| (1900..=2100).contains(&year));
        // "1996–2026": years and version numbers before a name.
        let digits = bare.bytes().filter(u8::is_ascii_digit).count();
        let is_number = digits >= 6 && digits * 2 > bare.chars().count();
        if is_year || is_number || word.starts_with('©') || word.contains(['@', '/', '=', '©']) {
            break;
        }
        let is_name = first
            .is_some_and(|c| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '&' | '+'))
            || (bare.chars().any(char::is_uppercase) && bare.chars().count() > 2);
        let is_article = ARTICLES.contains(bare);
        let is_particle = is_article
            || PARTICLES.contains(bare)
            || ((bare.starts_with("d'") || bare.starts_with("d’") || bare.starts_with("l'"))
                && bare.len() > 3);
        if is_name && !is_article && !NEVER_FIRST.contains(bare.trim_end_matches([',', '.'])) {
            first_name = at;
        } else if is_name && !is_article && NEVER_FIRST.contains(bare) {
            break;
        } else if matches!(word, "–" | "-") && is_dash_of_name(head, at) {
            // "Amendoeira – Sociedade Hoteleira, Lda."
        } else if !is_particle {
            break;
        }
    }
    first_name
}

/// Whether a form is that of a partnership, whose name lists the partners.
fn is_partnership(form: &str) -> bool {
    form.contains("Part") || matches!(form, "mbB" | "GbR" | "eGbR" | "LLP" | "SCP" | "SELARL")
}

/// Whether a text is a list of partners: "Dr. Köhler, Steinbrecher & Partner".
fn is_row_of_partners(head: &str) -> bool {
    static CONJUNCTIONS: TermSet = term_group!("conjunctions.tsv", "partners");
    let binds = |word: &str| CONJUNCTIONS.contains(word);
    let words: Vec<&str> = head.split_whitespace().collect();
    words.len() <= MAX_WORDS
        && words.iter().any(|word| binds(word))
        && words.iter().all(|word| binds(word) || word.starts_with(char::is_uppercase))
}

/// Whether a dash is part of a name: a word for a company follows it.
fn is_dash_of_name(head: &str, at: usize) -> bool {
    let after = head.get(at..).unwrap_or_default().trim_start_matches(['–', '-', ' ']);
    let word = after.split_whitespace().next().unwrap_or_default().to_lowercase();
    static WORDS_AFTER_DASH: TermSet = word_set!("company/words_after_dash.txt");
    WORDS_AFTER_DASH.contains(word.as_str())
}

fn is_abbreviation(word: &str) -> bool {
    static ABBREVIATIONS: TermSet = word_set!("company/abbreviations.txt");
    let bare = word.trim_end_matches('.');
    bare.chars().count() <= 4 || bare.contains('.') || ABBREVIATIONS.contains(bare)
}

/// Comparison key of a name: lower-case letters and digits without accents.
pub(crate) fn comparison_key(name: &str) -> String {
    let mut key = String::new();
    for c in name.chars() {
        match c {
            // Domains spell umlauts with an e.
            'ä' | 'Ä' => key.push_str("ae"),
            'ö' | 'Ö' => key.push_str("oe"),
            'ü' | 'Ü' => key.push_str("ue"),
            c => fold_letter(c, |plain| key.extend(Some(plain).filter(|c| c.is_alphanumeric()))),
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn company_names_are_found_with_their_legal_form() {
        let cases = [
            (
                "© 2024 Hansen & Söhne GmbH & Co. KG. Alle Rechte",
                "Hansen & Söhne GmbH & Co. KG",
                "GmbH & Co. KG",
            ),
            ("Larchway Software, Inc. is a company", "Larchway Software, Inc.", "Inc."),
            ("Die Muster Holding AG ist", "Muster Holding AG", "AG"),
            ("Raison sociale : Boulangerie du Coin SARL", "Boulangerie du Coin SARL", "SARL"),
            ("Talleres Vega, S.L.U.", "Talleres Vega, S.L.U.", "S.L.U."),
            ("Officine Bianchi S.r.l. - P.IVA", "Officine Bianchi S.r.l.", "S.r.l."),
            ("Bakkerij de Vries B.V.", "Bakkerij de Vries B.V.", "B.V."),
            ("Zielony Dom sp. z o.o.", "Zielony Dom sp. z o.o.", "sp. z o.o."),
            ("Casa Verde Comércio Ltda.", "Casa Verde Comércio Ltda.", "Ltda."),
            (
                "Amendoeira – Sociedade Hoteleira, Lda.",
                "Amendoeira – Sociedade Hoteleira, Lda.",
                "Lda.",
            ),
            ("Registered: The Old Mill Trust CIO", "The Old Mill Trust CIO", "CIO"),
            ("Grupo Sol, S.A. de C.V.", "Grupo Sol, S.A. de C.V.", "S.A. de C.V."),
            ("Verein der Gartenfreunde e.V.", "Verein der Gartenfreunde e.V.", "e.V."),
            (
                "Dr. Köhler, Steinbrecher & Partner mbB",
                "Dr. Köhler, Steinbrecher & Partner mbB",
                "mbB",
            ),
            ("Anna Berg, Muster & Söhne GmbH", "Muster & Söhne GmbH", "GmbH"),
            ("édité par la SARL Atelier Duval & Fils", "SARL Atelier Duval & Fils", "SARL"),
            ("SAS Dupont, RCS Lyon 1", "SAS Dupont", "SAS"),
            ("La SCI du Vieux Port au capital de", "SCI du Vieux Port", "SCI"),
            ("Over De Groene Gevel B.V.", "Groene Gevel B.V.", "B.V."),
        ];
        for (text, name, form) in cases {
            let found = find_names(text);
            let first = found.first().map(|one| (one.name.as_str(), one.form.as_str()));
            assert_eq!(first, Some((name, form)), "{text}");
        }
        for text in [
            "la SARL est",
            "SAS RCS Paris",
            "eine GmbH",
            "Tagesordnung",
            "AGB",
            "Mo-Sa 9-12",
            "the company limited to",
        ] {
            assert_eq!(find_names(text), [], "{text}");
        }
        assert_eq!(without_form("Talleres Vega, S.L.U."), "Talleres Vega");
        assert_eq!(without_form("SARL Atelier Duval & Fils"), "Atelier Duval & Fils");
    }
}
