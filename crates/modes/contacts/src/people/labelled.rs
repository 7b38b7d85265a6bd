//! Names after labels: "Geschäftsführer: Anna Berg, Dr. Karl Otto", rows of a legal notice,
//! "vertreten durch …" in a sentence, "your contact: …".

use contract::ContactMethod;
use hashbrown::HashSet;

use super::evidence::PersonFeature;
use super::found_person::{FoundPerson, TitleRank};
use super::job_title::label::{self, LabelMeaning, RoleLabel};
use super::job_title::{self, folded_words};
use super::name::{GivenNameMatch, names_in_row};
use crate::visible_text::{TextLine, VisibleText, Zone};
use text::vocabulary::TermSet;

/// Maximum lines below a label that may contain names.
const ROWS_BELOW: usize = 14;

static AMBIGUOUS_LABELS: TermSet = phrase_set!("people/ambiguous_labels.txt");

/// Names and lines that the labels of a page describe.
#[derive(Debug, Default)]
pub(super) struct Labelled {
    /// Each person with the line of the name.
    pub people: Vec<(usize, FoundPerson)>,
    /// Lines whose names are third parties.
    pub third_party_lines: HashSet<usize>,
    /// Lines that name boards and responsible people, as rows of a legal notice do.
    pub fact_lines: HashSet<usize>,
}

pub(super) fn read(page: &VisibleText<'_, '_>) -> Labelled {
    let mut found = Labelled::default();
    for (number, line) in page.lines.iter().enumerate() {
        if matches!(line.zone, Zone::Quote | Zone::Form | Zone::Nav | Zone::Notice)
            || found.people.len() > 400
        {
            continue;
        }
        let mut labels = label::labels(&line.text);
        let is_above = line.level.is_some() || is_beside_next(page, number);
        if is_above
            && labels.iter().all(|label| !label.has_colon)
            && let Some(meaning) = label::meaning(&line.text)
            && !is_department(&line.text)
        {
            let title = label::title(&line.text);
            // Contact persons are shown in cards below their heading.
            let has_colon = meaning != LabelMeaning::Contact || line.level.is_none();
            labels = vec![RoleLabel { meaning, title, to: line.text.len(), has_colon }];
        }
        for label in &labels {
            take(page, number, line, label, &mut found);
        }
        sentence(number, line, &mut found);
    }
    found
}

/// "Administración" above names is a department, "Directie" is a board.
fn is_department(text: &str) -> bool {
    job_title::department::named(text).is_some() && !job_title::department::is_management(text)
}

/// Whether the next line is the cell beside this one.
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
    if !label.has_colon {
        return;
    }
    // The names are in the lines below, one per line, or in the cell beside.
    for below in number + 1..(number + 1 + ROWS_BELOW).min(page.lines.len()) {
        let text = page.lines[below].text.as_str();
        if label.meaning == LabelMeaning::ThirdParty {
            found.third_party_lines.insert(below);
            // Only the lines of the same block belong to the third party.
            if below > number + 3 || page.lines[below].level.is_some() {
                break;
            }
            continue;
        }
        let names = names_in_row(text);
        let covered = names.last().map_or(0, |last| last.to);
        let rest = text.get(covered..).unwrap_or_default();
        let office = names.last().and_then(|last| last.title.as_deref()).unwrap_or_default();
        let rest = rest.trim_matches(|c: char| !c.is_alphanumeric());
        // A name that a sentence continues is not part of a list.
        let is_list = rest.len() <= office.len() + 3 || job_title::parse(rest).is_some();
        if names.is_empty() || !is_list {
            break;
        }
        note(below, text, label, found);
    }
}

/// The text after a remark in brackets: "Vorstand (§ 26 BGB): …".
fn after_brackets(text: &str) -> &str {
    let text = text.trim_start();
    let rest = match (text.strip_prefix('('), text.find(')')) {
        (Some(_), Some(end)) => text.get(end + 1..).unwrap_or_default(),
        _ => text,
    };
    rest.trim_start_matches([':', ' ', '-', '–'])
}

fn note(number: usize, text: &str, label: &RoleLabel, found: &mut Labelled) {
    if label.meaning == LabelMeaning::ThirdParty {
        found.third_party_lines.insert(number);
        return;
    }
    let loose = match &label.title {
        Some(title) => AMBIGUOUS_LABELS.contains(folded_words(title).join(" ").as_str()),
        None => label.meaning != LabelMeaning::Represents,
    };
    let row = names_in_row(text);
    if !row.is_empty()
        && matches!(
            label.meaning,
            LabelMeaning::Represents | LabelMeaning::Supervisory | LabelMeaning::Editorial
        )
    {
        found.fact_lines.insert(number);
    }
    let several = row.len() > 1;
    for one in row {
        let is_sure = label.has_colon && !loose;
        if (!is_sure && one.name.given_name_match == GivenNameMatch::Unknown)
            || (label.meaning == LabelMeaning::Titled
                && one.name.given_name_match == GivenNameMatch::Unknown
                && !several
                && one.name.honorific.is_none())
        {
            continue;
        }
        let mut person = FoundPerson::new(one.name, ContactMethod::Text);
        person.evidence.set(PersonFeature::FromLabel);
        match label.meaning {
            LabelMeaning::Represents => person.evidence.set(PersonFeature::LabelRepresents),
            LabelMeaning::Editorial => person.evidence.set(PersonFeature::LabelEditorial),
            LabelMeaning::Contact => person.evidence.set(PersonFeature::LabelContact),
            _ => {}
        }
        if let Some(office) =
            one.title.as_deref().filter(|office| job_title::parse(office).is_some())
        {
            person.set_title(TitleRank::Own, office);
        }
        let office = person.title.as_ref().and_then(|(_, title)| job_title::parse(title));
        match (&label.meaning, &label.title) {
            (LabelMeaning::Represents, title) => {
                person.represents = true;
                if let Some(title) = title {
                    // The label names the board; the title of the person may be elsewhere.
                    person.set_title(TitleRank::Board, title);
                }
            }
            (LabelMeaning::Titled | LabelMeaning::Supervisory, Some(title)) => {
                person.set_title(TitleRank::Own, title);
                person.represents = label.meaning == LabelMeaning::Titled
                    && office.is_some_and(|role| role.represents);
            }
            (LabelMeaning::Editorial, Some(title)) => {
                person.represents = office.is_some_and(|role| role.represents);
                if job_title::parse(title).is_some()
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

/// Reads titles in sentences: "our managing director Jane Doe".
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
            let Some(role) = job_title::parse(title) else { continue };
            let Some(one) =
                names_in_row(line.text.get(next.0..).unwrap_or_default()).into_iter().next()
            else {
                continue;
            };
            if one.from > 0 || one.name.given_name_match != GivenNameMatch::Known {
                continue;
            }
            let mut person = FoundPerson::new(one.name, ContactMethod::Text);
            person.evidence.set(PersonFeature::FromSentence);
            person.set_title(TitleRank::Own, title);
            person.represents = role.represents;
            found.people.push((number, person));
            break;
        }
    }
}
