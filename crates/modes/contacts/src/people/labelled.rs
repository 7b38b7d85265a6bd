//! Names behind labels: "Geschäftsführer: Anna Berg, Dr. Karl Otto", the rows of an imprint,
//! "vertreten durch …" in a sentence, "your contact: …".

use contract::ContactMethod;
use hashbrown::HashSet;

use super::found::{FoundPerson, TitleRank};
use super::name::{Acquaintance, listed};
use super::role::organ::{self, Label, Sense};
use super::role::{self, folded_words};
use crate::sheet::{Line, Sheet, Zone};
use crate::vocabulary::TermSet;

/// How many lines below a label names may stand.
const ROWS_BELOW: usize = 14;

/// Labels that as often stand before companies and friends: the names must be known.
static AMBIGUOUS_LABELS: TermSet = phrase_set!("people/ambiguous_labels.txt");

/// What labels say of a page's names.
#[derive(Debug, Default)]
pub(super) struct Labelled {
    /// With the line that each name stands in.
    pub people: Vec<(usize, FoundPerson)>,
    /// Lines whose names are not of the company.
    pub foreign: HashSet<usize>,
    /// Lines that name organs and those who answer, as the rows of an imprint do.
    pub facts: HashSet<usize>,
}

/// Reads the labels of a page.
pub(super) fn read(sheet: &Sheet<'_, '_>) -> Labelled {
    let mut found = Labelled::default();
    for (number, line) in sheet.lines.iter().enumerate() {
        if matches!(line.zone, Zone::Quote | Zone::Form | Zone::Nav | Zone::Notice)
            || found.people.len() > 400
        {
            continue;
        }
        let mut labels = organ::labels(&line.text);
        let stands_over = line.level.is_some() || is_beside_next(sheet, number);
        if stands_over
            && labels.iter().all(|label| !label.is_marked)
            && let Some(sense) = organ::sense(&line.text)
            && !is_department(&line.text)
        {
            let title = organ::title(&line.text);
            // Whom to ask is shown in cards below their heading.
            let is_marked = sense != Sense::Contact || line.level.is_none();
            labels = vec![Label { sense, title, to: line.text.len(), is_marked }];
        }
        for label in &labels {
            take(sheet, number, line, label, &mut found);
        }
        sentence(number, line, &mut found);
    }
    found
}

/// "Administración" over names is a department, "Directie" is an organ.
fn is_department(text: &str) -> bool {
    role::department::named(text).is_some() && !role::department::is_top(text)
}

/// Whether the next line is the cell beside it.
fn is_beside_next(sheet: &Sheet<'_, '_>, number: usize) -> bool {
    match (sheet.lines.get(number), sheet.lines.get(number + 1)) {
        (Some(one), Some(next)) => sheet.are_beside(one, next),
        _ => false,
    }
}

fn take(sheet: &Sheet<'_, '_>, number: usize, line: &Line, label: &Label, found: &mut Labelled) {
    let rest = line.text.get(label.to..).unwrap_or_default();
    let rest = after_brackets(rest);
    if rest.chars().any(char::is_alphanumeric) {
        note(number, rest, label, found);
        return;
    }
    if !label.is_marked {
        return;
    }
    // The names stand below, one a line, or beside.
    for below in number + 1..(number + 1 + ROWS_BELOW).min(sheet.lines.len()) {
        let text = sheet.lines[below].text.as_str();
        if label.sense == Sense::Foreign {
            found.foreign.insert(below);
            // Only the lines of its own block are said to be another's.
            if below > number + 3 || sheet.lines[below].level.is_some() {
                break;
            }
            continue;
        }
        let names = listed(text);
        let covered = names.last().map_or(0, |last| last.to);
        let rest = text.get(covered..).unwrap_or_default();
        let office = names.last().and_then(|last| last.office.as_deref()).unwrap_or_default();
        let rest = rest.trim_matches(|c: char| !c.is_alphanumeric());
        // Whoever goes on to speak or to act is in a story, not in a list.
        let is_list = rest.len() <= office.len() + 3 || role::read(rest).is_some();
        if names.is_empty() || !is_list {
            break;
        }
        note(below, text, label, found);
    }
}

/// What follows a remark in brackets: "Vorstand (§ 26 BGB): …".
fn after_brackets(text: &str) -> &str {
    let text = text.trim_start();
    let rest = match (text.strip_prefix('('), text.find(')')) {
        (Some(_), Some(end)) => text.get(end + 1..).unwrap_or_default(),
        _ => text,
    };
    rest.trim_start_matches([':', ' ', '-', '–'])
}

fn note(number: usize, text: &str, label: &Label, found: &mut Labelled) {
    if label.sense == Sense::Foreign {
        found.foreign.insert(number);
        return;
    }
    let loose = label.title.as_deref().is_none_or(|title| {
        let folded = folded_words(title).join(" ");
        AMBIGUOUS_LABELS.contains(folded.as_str())
    }) && label.sense != Sense::Represents
        || label
            .title
            .as_deref()
            .is_some_and(|title| AMBIGUOUS_LABELS.contains(folded_words(title).join(" ").as_str()));
    let row = listed(text);
    if !row.is_empty()
        && matches!(label.sense, Sense::Represents | Sense::Supervises | Sense::Answers)
    {
        found.facts.insert(number);
    }
    let several = row.len() > 1;
    for one in row {
        let needed =
            if label.is_marked && !loose { Acquaintance::Unknown } else { Acquaintance::Unsure };
        if one.name.acquaintance < needed
            || (label.sense == Sense::Titled
                && one.name.acquaintance == Acquaintance::Unknown
                && !several
                && one.name.honorific.is_none())
        {
            continue;
        }
        let strength = match one.name.acquaintance {
            Acquaintance::Known => 0.92,
            Acquaintance::Unsure => 0.85,
            Acquaintance::Unknown => 0.75,
        };
        let mut person = FoundPerson::new(one.name, strength, ContactMethod::Text);
        if let Some(office) = one.office.as_deref().filter(|office| role::read(office).is_some()) {
            person.entitle(TitleRank::Own, office);
        }
        let office = person.title.as_ref().and_then(|(_, title)| role::read(title));
        match (&label.sense, &label.title) {
            (Sense::Represents, title) => {
                person.represents = true;
                if let Some(title) = title {
                    // The label is the organ's; a person's own title is said elsewhere.
                    person.entitle(TitleRank::Organ, title);
                }
            }
            (Sense::Titled | Sense::Supervises, Some(title)) => {
                person.entitle(TitleRank::Own, title);
                person.represents =
                    label.sense == Sense::Titled && office.is_some_and(|role| role.represents);
            }
            (Sense::Answers, Some(title)) => {
                person.represents = office.is_some_and(|role| role.represents);
                if role::read(title).is_some()
                    && !folded_words(title).iter().any(|word| word.starts_with("verantwort"))
                {
                    person.entitle(TitleRank::Duty, title);
                }
            }
            _ => person.represents = office.is_some_and(|role| role.represents),
        }
        found.people.push((number, person));
    }
}

/// Whose title a sentence says: "our managing director Jane Doe".
fn sentence(number: usize, line: &Line, found: &mut Labelled) {
    static POSSESSIVES: TermSet = word_set!("people/possessives.txt");
    if line.text.len() < 20 || matches!(line.zone, Zone::Footer | Zone::Header) {
        return;
    }
    let words: Vec<(usize, &str)> = line
        .text
        .split(' ')
        .scan(0, |at, word| {
            let from = *at;
            *at += word.len() + 1;
            Some((from, word))
        })
        .take(600)
        .collect();
    for (at, (_, word)) in words.iter().enumerate() {
        if !POSSESSIVES.contains(word.to_lowercase().as_str()) {
            continue;
        }
        for length in 1..=5 {
            let (Some(first), Some(next)) = (words.get(at + 1), words.get(at + 1 + length)) else {
                break;
            };
            let title = line.text.get(first.0..next.0).unwrap_or_default().trim();
            if title.contains([',', '.', ';']) && !title.ends_with(',') {
                break;
            }
            let title = title.trim_end_matches(',');
            let Some(role) = role::read(title) else { continue };
            let Some(one) = listed(line.text.get(next.0..).unwrap_or_default()).into_iter().next()
            else {
                continue;
            };
            if one.from > 0 || one.name.acquaintance != Acquaintance::Known {
                continue;
            }
            let mut person = FoundPerson::new(one.name, 0.78, ContactMethod::Text);
            person.entitle(TitleRank::Own, title);
            person.represents = role.represents;
            found.people.push((number, person));
            break;
        }
    }
}
