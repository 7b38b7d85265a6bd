//! Names behind labels: "Geschäftsführer: Anna Berg, Dr. Karl Otto", the rows of an imprint,
//! "vertreten durch …" in a sentence, "your contact: …".

use contract::ContactMethod;
use hashbrown::HashSet;

use super::found_person::{FoundPerson, TitleRank};
use super::job_title::label::{self, LabelMeaning, RoleLabel};
use super::job_title::{self, folded_words};
use super::name::{GivenNameMatch, listed};
use crate::visible_text::{TextLine, VisibleText, Zone};
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
pub(super) fn read(page: &VisibleText<'_, '_>) -> Labelled {
    let mut found = Labelled::default();
    for (number, line) in page.lines.iter().enumerate() {
        if matches!(line.zone, Zone::Quote | Zone::Form | Zone::Nav | Zone::Notice)
            || found.people.len() > 400
        {
            continue;
        }
        let mut labels = label::labels(&line.text);
        let stands_over = line.level.is_some() || is_beside_next(page, number);
        if stands_over
            && labels.iter().all(|label| !label.is_marked)
            && let Some(meaning) = label::meaning(&line.text)
            && !is_department(&line.text)
        {
            let title = label::title(&line.text);
            // Whom to ask is shown in cards below their heading.
            let is_marked = meaning != LabelMeaning::Contact || line.level.is_none();
            labels = vec![RoleLabel { meaning, title, to: line.text.len(), is_marked }];
        }
        for label in &labels {
            take(page, number, line, label, &mut found);
        }
        sentence(number, line, &mut found);
    }
    found
}

/// "Administración" over names is a department, "Directie" is an organ.
fn is_department(text: &str) -> bool {
    job_title::department::named(text).is_some() && !job_title::department::is_top(text)
}

/// Whether the next line is the cell beside it.
fn is_beside_next(page: &VisibleText<'_, '_>, number: usize) -> bool {
    match (page.lines.get(number), page.lines.get(number + 1)) {
        (Some(one), Some(next)) => page.are_beside(one, next),
        _ => false,
    }
}

fn take(
    page: &VisibleText<'_, '_>,
    number: usize,
    line: &TextLine,
    label: &RoleLabel,
    found: &mut Labelled,
) {
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
    for below in number + 1..(number + 1 + ROWS_BELOW).min(page.lines.len()) {
        let text = page.lines[below].text.as_str();
        if label.meaning == LabelMeaning::Foreign {
            found.foreign.insert(below);
            // Only the lines of its own block are said to be another's.
            if below > number + 3 || page.lines[below].level.is_some() {
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
        let is_list = rest.len() <= office.len() + 3 || job_title::read(rest).is_some();
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

fn note(number: usize, text: &str, label: &RoleLabel, found: &mut Labelled) {
    if label.meaning == LabelMeaning::Foreign {
        found.foreign.insert(number);
        return;
    }
    let loose = label.title.as_deref().is_none_or(|title| {
        let folded = folded_words(title).join(" ");
        AMBIGUOUS_LABELS.contains(folded.as_str())
    }) && label.meaning != LabelMeaning::Represents
        || label
            .title
            .as_deref()
            .is_some_and(|title| AMBIGUOUS_LABELS.contains(folded_words(title).join(" ").as_str()));
    let row = listed(text);
    if !row.is_empty()
        && matches!(
            label.meaning,
            LabelMeaning::Represents | LabelMeaning::Supervises | LabelMeaning::Answers
        )
    {
        found.facts.insert(number);
    }
    let several = row.len() > 1;
    for one in row {
        let needed = if label.is_marked && !loose {
            GivenNameMatch::Unknown
        } else {
            GivenNameMatch::Ambiguous
        };
        if one.name.given_name_match < needed
            || (label.meaning == LabelMeaning::Titled
                && one.name.given_name_match == GivenNameMatch::Unknown
                && !several
                && one.name.honorific.is_none())
        {
            continue;
        }
        let strength = match one.name.given_name_match {
            GivenNameMatch::Known => 0.92,
            GivenNameMatch::Ambiguous => 0.85,
            GivenNameMatch::Unknown => 0.75,
        };
        let mut person = FoundPerson::new(one.name, strength, ContactMethod::Text);
        if let Some(office) =
            one.office.as_deref().filter(|office| job_title::read(office).is_some())
        {
            person.set_title(TitleRank::Own, office);
        }
        let office = person.title.as_ref().and_then(|(_, title)| job_title::read(title));
        match (&label.meaning, &label.title) {
            (LabelMeaning::Represents, title) => {
                person.represents = true;
                if let Some(title) = title {
                    // The label is the organ's; a person's own title is said elsewhere.
                    person.set_title(TitleRank::Organ, title);
                }
            }
            (LabelMeaning::Titled | LabelMeaning::Supervises, Some(title)) => {
                person.set_title(TitleRank::Own, title);
                person.represents = label.meaning == LabelMeaning::Titled
                    && office.is_some_and(|role| role.represents);
            }
            (LabelMeaning::Answers, Some(title)) => {
                person.represents = office.is_some_and(|role| role.represents);
                if job_title::read(title).is_some()
                    && !folded_words(title).iter().any(|word| word.starts_with("verantwort"))
                {
                    person.set_title(TitleRank::Duty, title);
                }
            }
            _ => person.represents = office.is_some_and(|role| role.represents),
        }
        found.people.push((number, person));
    }
}

/// Whose title a sentence says: "our managing director Jane Doe".
fn sentence(number: usize, line: &TextLine, found: &mut Labelled) {
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
            let Some(role) = job_title::read(title) else { continue };
            let Some(one) = listed(line.text.get(next.0..).unwrap_or_default()).into_iter().next()
            else {
                continue;
            };
            if one.from > 0 || one.name.given_name_match != GivenNameMatch::Known {
                continue;
            }
            let mut person = FoundPerson::new(one.name, 0.78, ContactMethod::Text);
            person.set_title(TitleRank::Own, title);
            person.represents = role.represents;
            found.people.push((number, person));
            break;
        }
    }
}
