//! Labels before names in legal notices and contact lists: representatives, supervisory boards,
//! people responsible for content, and third parties.

use super::super::name::fold;
use super::{folded_words, parse};
use text::vocabulary::{TermList, TermSet};

static DATA_PROTECTION: TermList = phrase_list!("labels/data_protection.txt");
static THIRD_PARTY: TermList = phrase_list!("labels/third_party.txt");
static SUPERVISORY: TermList = phrase_list!("labels/supervisory.txt");
static EDITORIAL: TermList = phrase_list!("labels/editorial.txt");
static REPRESENTATIVES: TermList = phrase_list!("labels/representatives.txt");
static UNTITLED: TermList = phrase_list!("labels/untitled.txt");
static CONJUNCTIONS: TermSet = term_group!("conjunctions.tsv", "offices");
static CONTACT: TermList = phrase_list!("labels/contact.txt");

/// What a label says about the names after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LabelMeaning {
    /// They represent the company by law.
    Represents,
    /// The label is their job title.
    Titled,
    /// They are contact persons.
    Contact,
    /// They supervise the company and represent it only against its management.
    Supervisory,
    /// They are responsible for content. This alone does not make them legal representatives: a
    /// "directeur de la publication" should be one, but many sites name their press office.
    Editorial,
    /// They do not work for the company: photographers, agencies, hosts, data protection
    /// officers.
    ThirdParty,
}

/// A label with the position of the names after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoleLabel {
    pub meaning: LabelMeaning,
    /// The label as shown, if it is a title.
    pub title: Option<String>,
    /// Byte offset at which the names may begin.
    pub to: usize,
    /// A colon follows, or the label is a heading or a separate cell.
    pub has_colon: bool,
}

static FILLERS: TermSet = word_set!("labels/fillers.txt");

/// The meaning of a whole label.
pub(crate) fn meaning(label: &str) -> Option<LabelMeaning> {
    if label.len() > 90 {
        return None;
    }
    let bare = without_brackets(label);
    let words = folded_words(&bare);
    if words.is_empty() || words.len() > 9 {
        return None;
    }
    let joined = words.join(" ");
    let has = |list: &TermList| list.iter().any(|part| joined.contains(part));
    let says = |list: &TermList| list.iter().any(|part| *part == joined);
    let opens = |list: &TermList| {
        list.iter().any(|part| {
            joined.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
                || joined.strip_suffix(part).is_some_and(|rest| rest.ends_with(' '))
        })
    };
    if has(&SUPERVISORY) {
        return Some(LabelMeaning::Supervisory);
    }
    // A department or a title may contain such a word.
    let is_office =
        (parse(&bare).is_some() || super::department::named(&bare).is_some()) && !has(&EDITORIAL);
    let whole = folded_words(label).join(" ");
    if DATA_PROTECTION.iter().any(|part| whole.contains(part)) || (has(&THIRD_PARTY) && !is_office)
    {
        return Some(LabelMeaning::ThirdParty);
    }
    if has(&EDITORIAL) {
        // "Gérant et directeur de la publication": one of the two offices represents the
        // company.
        let binds = |word: &String| CONJUNCTIONS.contains(word.as_str());
        let mut offices = words.split(binds).map(|office| office.join(" "));
        let is_board = offices.any(|office| parse(&office).is_some_and(|role| role.represents));
        return Some(if is_board { LabelMeaning::Represents } else { LabelMeaning::Editorial });
    }
    if says(&REPRESENTATIVES)
        || (words.len() <= 6 && opens(&REPRESENTATIVES))
            && !["assist", "sekret", "stellvertretung der"].iter().any(|part| joined.contains(part))
    {
        return Some(LabelMeaning::Represents);
    }
    if let Some(role) = parse(&bare) {
        return Some(if role.represents { LabelMeaning::Represents } else { LabelMeaning::Titled });
    }
    (says(&CONTACT)
        || (words.len() <= 5
            && CONTACT
                .iter()
                .filter(|part| part.contains(' '))
                .any(|part| joined.starts_with(part))))
    .then_some(LabelMeaning::Contact)
}

/// The title in a label, as shown.
pub(crate) fn title(label: &str) -> Option<String> {
    let shown = label.trim().trim_end_matches([':', ' ', '-', '–']).trim();
    let folded = folded_words(&without_brackets(shown)).join(" ");
    if let Some(rest) = UNTITLED.iter().find_map(|phrase| folded.strip_prefix(phrase)) {
        // "Vertretungsberechtigter Geschäftsführer" contains the title.
        let rest_words = rest.split_whitespace().skip_while(|word| word.len() < 4).count();
        let last = shown.split_whitespace().last().filter(|_| rest_words > 0)?;
        return parse(last).map(|_| last.to_owned());
    }
    (!shown.is_empty()).then(|| shown.to_owned())
}

/// Removes the text in brackets.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            letter if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept
}

/// The labels of a line: texts before a colon, and phrases that need no colon.
pub(crate) fn labels(text: &str) -> Vec<RoleLabel> {
    let mut found = Vec::new();
    for (colon, _) in text.match_indices(':').take(40) {
        let before = text.get(..colon).unwrap_or_default();
        let start = before.rfind([';', '|', '·', '•', ':']).map_or(0, |at| at + 1);
        let part = before.get(start..).or_else(|| before.get(start + 1..)).unwrap_or_default();
        // A sentence may end before the label.
        let part = sentence_tail(part);
        let label =
            part.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')' | '§'));
        if let Some(meaning) = meaning(label) {
            found.push(RoleLabel { meaning, title: title(label), to: colon + 1, has_colon: true });
        }
    }
    for label in unmarked_labels(text) {
        // A label with a colon takes precedence.
        if !found.iter().any(|known: &RoleLabel| known.to >= label.to && known.to <= label.to + 60)
        {
            found.push(label);
        }
    }
    found.sort_by_key(|label| label.to);
    found
}

/// The text after the last end of a sentence.
fn sentence_tail(text: &str) -> &str {
    let end = text.match_indices(". ").filter(|(at, _)| {
        let word = text.get(..*at).unwrap_or_default().rsplit(' ').next().unwrap_or_default();
        word.chars().count() > 4
    });
    end.last().map_or(text, |(at, _)| text.get(at + 2..).unwrap_or_default())
}

/// Phrases that introduce representatives without a colon: "vertreten durch den
/// Geschäftsführer".
fn unmarked_labels(text: &str) -> Vec<RoleLabel> {
    let words = placed_words(text);
    let mut found = Vec::new();
    for at in 0..words.len() {
        for phrase in REPRESENTATIVES.iter() {
            if phrase.split(' ').next() != Some(words[at].2.as_str()) {
                continue;
            }
            let parts: Vec<&str> = phrase.split(' ').collect();
            let matches = parts
                .iter()
                .enumerate()
                .all(|(offset, part)| words.get(at + offset).is_some_and(|word| word.2 == *part));
            if !matches {
                continue;
            }
            let (mut end, mut title_range) = (at + parts.len(), None);
            if !UNTITLED.iter().any(|known| phrase.starts_with(known)) {
                title_range = Some((words[at].0, words[end - 1].1));
            }
            // Fillers, and the title that follows "vertreten durch".
            let mut skipped = 0;
            while skipped < 8
                && let Some(word) = words.get(end)
            {
                let is_filler = FILLERS.contains(word.2.as_str());
                let is_office =
                    word.0 > 0 && parse(text.get(word.0..word.1).unwrap_or_default()).is_some();
                if !is_filler && !is_office {
                    break;
                }
                if is_office {
                    title_range = match title_range {
                        Some((from, to)) if words[end - 1].1 == to => Some((from, word.1)),
                        _ => Some((word.0, word.1)),
                    };
                }
                end += 1;
                skipped += 1;
            }
            // Within a sentence a title may belong to a third party.
            let before = text.get(..words[at].0).unwrap_or_default().trim_end();
            let opens = before.is_empty()
                || before.ends_with(['.', ';', '|', '·', '•', ',', '(', '-', '–']);
            let is_story = text.len() > 160;
            if (!opens || is_story) && !UNTITLED.iter().any(|known| phrase.starts_with(known)) {
                continue;
            }
            let title = title_range.and_then(|(from, to)| text.get(from..to)).map(str::to_owned);
            let to = words.get(end - 1).map_or(text.len(), |word| word.1);
            found.push(RoleLabel {
                meaning: LabelMeaning::Represents,
                title,
                to,
                has_colon: false,
            });
            break;
        }
        if found.len() > 40 {
            break;
        }
    }
    found
}

/// The folded words of a text with their byte ranges.
fn placed_words(text: &str) -> Vec<(usize, usize, String)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match (letter.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                if let Some(word) = text.get(from..at) {
                    words.push((from, at, fold(word)));
                }
                start = None;
            }
            _ => {}
        }
        if words.len() >= 600 {
            break;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_the_right_meaning() {
        let known = [
            ("Geschäftsführer", LabelMeaning::Represents),
            ("Vertreten durch", LabelMeaning::Represents),
            ("Vorstand (§ 26 BGB)", LabelMeaning::Represents),
            ("Vertretungsberechtigte Geschäftsführerin", LabelMeaning::Represents),
            ("Inhaberin", LabelMeaning::Represents),
            ("Gérant", LabelMeaning::Represents),
            ("Représentant légal", LabelMeaning::Represents),
            ("Président", LabelMeaning::Represents),
            ("Administrateurs délégués", LabelMeaning::Represents),
            ("Administrador único", LabelMeaning::Represents),
            ("Representante legal", LabelMeaning::Represents),
            ("Amministratore unico", LabelMeaning::Represents),
            ("Legale rappresentante", LabelMeaning::Represents),
            ("Soci amministratori", LabelMeaning::Represents),
            ("Directie", LabelMeaning::Represents),
            ("Bestuurder", LabelMeaning::Represents),
            ("Zaakvoerder", LabelMeaning::Represents),
            ("Gerência", LabelMeaning::Represents),
            ("Sócio-gerente", LabelMeaning::Represents),
            ("Zarząd", LabelMeaning::Represents),
            ("Prezes Zarządu", LabelMeaning::Represents),
            ("Wspólnicy", LabelMeaning::Represents),
            ("Directors", LabelMeaning::Represents),
            ("Reprezentowana przez", LabelMeaning::Represents),
            ("Aufsichtsrat", LabelMeaning::Supervisory),
            ("Vorsitzender des Aufsichtsrats", LabelMeaning::Supervisory),
            ("Raad van commissarissen", LabelMeaning::Supervisory),
            ("V.i.S.d.P.", LabelMeaning::Editorial),
            ("Verantwortlich i. S. d. § 18 Abs. 2 MStV", LabelMeaning::Editorial),
            ("Directeur de la publication", LabelMeaning::Editorial),
            ("Gérant et directeur de la publication", LabelMeaning::Represents),
            ("Datenschutzbeauftragter", LabelMeaning::ThirdParty),
            ("Foto", LabelMeaning::ThirdParty),
            ("Webdesign", LabelMeaning::ThirdParty),
            ("Délégué à la protection des données", LabelMeaning::ThirdParty),
            ("Inspektor ochrony danych", LabelMeaning::ThirdParty),
            ("Owner", LabelMeaning::Titled),
            ("Pressesprecherin", LabelMeaning::Titled),
            ("Ihr Ansprechpartner", LabelMeaning::Contact),
            ("Your contact", LabelMeaning::Contact),
            ("Prokurist", LabelMeaning::Titled),
        ];
        for (label, expected) in known {
            assert_eq!(meaning(label), Some(expected), "{label}");
        }
        for label in [
            "Telefon",
            "Handelsregister",
            "USt-IdNr",
            "Adresse",
            "Öffnungszeiten",
            "E-Mail",
            "Registergericht",
        ] {
            assert_eq!(meaning(label), None, "{label}");
        }
    }

    #[test]
    fn labels_are_found_with_and_without_colon() {
        let one = &labels("Muster GmbH, vertreten durch den Geschäftsführer Karl Otto, Köln")[0];
        assert_eq!(
            (one.meaning, one.title.as_deref()),
            (LabelMeaning::Represents, Some("Geschäftsführer"))
        );
        let text = "Sitz: Köln; Geschäftsführer: Anna Berg";
        let one = labels(text)
            .into_iter()
            .find(|label| label.meaning == LabelMeaning::Represents)
            .expect("a label");
        assert_eq!(&text[one.to..], " Anna Berg");
        assert_eq!(title("Vertreten durch:"), None);
        assert_eq!(
            title("Vertretungsberechtigter Geschäftsführer:").as_deref(),
            Some("Geschäftsführer")
        );
        assert_eq!(title("Vorstand (§ 26 BGB):").as_deref(), Some("Vorstand (§ 26 BGB)"));
    }
}
