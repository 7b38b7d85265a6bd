//! Merges the people of all pages: each person once, with the union of their values; different
//! people of one name stay apart.

use contract::{ContactPerson, PersonSource, Seniority};

use super::found_person::{FoundPerson, FoundPhone, TitleRank, add_new};
use super::job_title;
use super::name::{PersonName, fold as folded};

/// Maximum people per domain.
const MAX_PEOPLE: usize = 300;

/// The values of one person from all pages.
#[derive(Debug)]
struct PersonGroup {
    person: FoundPerson,
    name: FoldedName,
    urls: Vec<String>,
    sources: Vec<PersonSource>,
    /// Position of the first occurrence.
    order: usize,
}

/// Merges the people of all pages. `dialled` formats a phone number for the record.
pub(crate) fn merge_people(
    found: Vec<(String, FoundPerson)>,
    dialled: impl Fn(&FoundPhone) -> String,
) -> Vec<ContactPerson> {
    let mut groups: Vec<PersonGroup> = Vec::new();
    // Complete names first, so that names with initials join them.
    let (whole, short): (Vec<_>, Vec<_>) =
        found.into_iter().enumerate().partition(|(_, (_, one))| !has_initial_only(one));
    for (order, (url, person)) in whole.into_iter().chain(short) {
        let name = FoldedName::of(&person.name);
        match matching_group(&groups, &url, &person, &name) {
            Some(at) => groups[at].add(url, person, name),
            None if groups.len() < MAX_PEOPLE => {
                groups.push(PersonGroup::new(url, person, name, order))
            }
            None => {}
        }
    }
    let mut people: Vec<(usize, ContactPerson)> =
        groups.into_iter().map(|group| (group.order, group.finish(&dialled))).collect();
    people.sort_by_key(|(order, person)| {
        (!person.legal_representative, rank(person.seniority), *order)
    });
    people.into_iter().map(|(_, person)| person).collect()
}

fn rank(seniority: Option<Seniority>) -> u8 {
    match seniority {
        Some(Seniority::Executive) => 0,
        Some(Seniority::Head) => 1,
        Some(Seniority::Staff) => 2,
        None => 3,
    }
}

fn has_initial_only(person: &FoundPerson) -> bool {
    person.name.first.as_deref().is_some_and(|first| {
        first.split_whitespace().all(|word| word.chars().filter(|c| c.is_alphabetic()).count() == 1)
    })
}

/// Folded letters and digits.
fn letters_only(text: &str) -> String {
    folded(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameMatch {
    Not,
    /// One name has initials or fewer given names.
    Shortened,
    Same,
}

/// A folded name. It is folded once because folding costs more than comparing.
#[derive(Debug)]
struct FoldedName {
    whole: String,
    firsts: Vec<String>,
    last: String,
}

impl FoldedName {
    fn of(name: &PersonName) -> Self {
        let first = name.first.as_deref().unwrap_or_default();
        Self {
            whole: letters_only(&name.name),
            firsts: first
                .split([' ', '.'])
                .map(letters_only)
                .filter(|word| !word.is_empty())
                .collect(),
            last: name.last.as_deref().map(letters_only).unwrap_or_default(),
        }
    }
}

fn name_match(one: &FoldedName, other: &FoldedName) -> NameMatch {
    if one.whole == other.whole {
        return NameMatch::Same;
    }
    let (firsts, others) = (&one.firsts, &other.firsts);
    let (mine, theirs) = (&one.last, &other.last);
    // "García" and "García Martín" match if the given names match.
    let last_agrees = mine == theirs
        || (mine.len() > 3 && theirs.starts_with(mine))
        || (theirs.len() > 3 && mine.starts_with(theirs));
    if !last_agrees || firsts.is_empty() || others.is_empty() {
        return NameMatch::Not;
    }
    let agrees = |(mine, theirs): (&String, &String)| {
        mine == theirs
            || (mine.len() == 1 && theirs.starts_with(mine.as_str()))
            || (theirs.len() == 1 && mine.starts_with(theirs.as_str()))
    };
    if firsts.iter().zip(others).all(agrees) { NameMatch::Shortened } else { NameMatch::Not }
}

fn shares<T: PartialEq>(one: &[T], other: &[T]) -> bool {
    one.iter().any(|value| other.contains(value))
}

fn own_title(person: &FoundPerson) -> Option<String> {
    person
        .title
        .as_ref()
        .filter(|(rank, _)| *rank == TitleRank::Own)
        .map(|(_, title)| letters_only(title))
}

/// Whether two people of one name are different people: their titles and channels differ, or
/// one page shows both.
fn are_namesakes(group: &PersonGroup, url: &str, person: &FoundPerson) -> bool {
    let known = &group.person;
    if shares(&known.emails, &person.emails) || shares(&known.profiles, &person.profiles) {
        return false;
    }
    let titles_differ = match (own_title(known), own_title(person)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    };
    let departments_differ = matches!((&known.department, &person.department), (Some(one), Some(other)) if letters_only(one) != letters_only(other));
    let mails_differ = !known.emails.is_empty() && !person.emails.is_empty();
    let phones_differ = !known.phones.is_empty()
        && !person.phones.is_empty()
        && !shares(&known.phones, &person.phones);
    let profiles_differ = !known.profiles.is_empty() && !person.profiles.is_empty();
    let same_page = group.urls.iter().any(|known| known == url);
    let reach_differs = mails_differ || phones_differ;
    let both_shown = same_page
        && known.method == person.method
        && !shares(&known.phones, &person.phones)
        && (!known.emails.is_empty() || !known.phones.is_empty())
        && (!person.emails.is_empty() || !person.phones.is_empty());
    (titles_differ
        && (mails_differ || (same_page && (reach_differs || both_shown || departments_differ))))
        || (same_page && mails_differ && phones_differ)
        || (same_page && profiles_differ && both_shown)
}

/// The group of a person.
fn matching_group(
    groups: &[PersonGroup],
    url: &str,
    person: &FoundPerson,
    name: &FoldedName,
) -> Option<usize> {
    let matches: Vec<(usize, NameMatch)> = groups
        .iter()
        .enumerate()
        .map(|(at, group)| (at, name_match(&group.name, name)))
        .filter(|(at, name_match)| {
            *name_match > NameMatch::Not && !are_namesakes(&groups[*at], url, person)
        })
        .collect();
    let best = matches.iter().map(|(_, name_match)| *name_match).max()?;
    let best: Vec<usize> = matches
        .into_iter()
        .filter(|(_, name_match)| *name_match == best)
        .map(|(at, _)| at)
        .collect();
    if let [alone] = best[..] {
        return Some(alone);
    }
    // Among several groups, one that shares more than the name.
    let fits = |at: &&usize| {
        let known = &groups[**at].person;
        shares(&known.emails, &person.emails)
            || shares(&known.phones, &person.phones)
            || (own_title(known).is_some() && own_title(known) == own_title(person))
    };
    let represents = |at: &&usize| person.represents && groups[**at].person.represents;
    let found = best.iter().find(fits).or_else(|| best.iter().find(represents));
    match found {
        Some(at) => Some(*at),
        // An initial that matches two people belongs to neither.
        None if has_initial_only(person) => None,
        None => best.first().copied(),
    }
}

impl PersonGroup {
    fn new(url: String, person: FoundPerson, name: FoldedName, order: usize) -> Self {
        let sources = vec![person.source(url.clone())];
        Self { person, name, urls: vec![url], sources, order }
    }

    fn add(&mut self, url: String, other: FoundPerson, name: FoldedName) {
        let known = &mut self.person;
        let source = other.source(url.clone());
        add_new(&mut self.sources, [source]);
        add_new(&mut self.urls, [url]);
        // The longer spelling is kept; of equal ones the first.
        if other.name.name.chars().count() > known.name.name.chars().count() {
            let honorific = known.name.honorific.take();
            known.name = other.name.clone();
            known.name.honorific = honorific;
            self.name = name;
        }
        let longer = |one: &Option<String>, other: &Option<String>| {
            other
                .as_ref()
                .is_some_and(|other| one.as_ref().is_none_or(|one| other.len() > one.len()))
        };
        if longer(&known.name.honorific, &other.name.honorific) {
            known.name.honorific = other.name.honorific;
        }
        if let Some((rank, title)) = other.title {
            known.set_title(rank, &title);
        }
        known.department = known.department.take().or(other.department);
        known.represents |= other.represents;
        add_new(&mut known.emails, other.emails);
        add_new(&mut known.phones, other.phones);
        add_new(&mut known.profiles, other.profiles);
        known.confidence = known.confidence.max(other.confidence);
        known.method = other.method;
    }

    fn finish(self, dialled: impl Fn(&FoundPhone) -> String) -> ContactPerson {
        let person = self.person;
        let mut phones: Vec<String> = Vec::new();
        add_new(&mut phones, person.phones.iter().map(dialled));
        let title = person.title.map(|(_, title)| title);
        let seniority = title.as_deref().and_then(job_title::parse).map(|role| role.seniority);
        // A representative is an executive, whatever the title.
        let seniority = seniority
            .or_else(|| (person.represents && title.is_some()).then_some(Seniority::Executive));
        ContactPerson {
            name: person.name.name,
            first_name: person.name.first,
            last_name: person.name.last,
            honorific: person.name.honorific,
            title,
            department: person.department,
            seniority,
            legal_representative: person.represents,
            emails: person.emails,
            phones,
            profiles: person.profiles,
            // No page proves a person for sure.
            confidence: (person.confidence * 100.0).round().clamp(1.0, 99.0) / 100.0,
            sources: self.sources,
        }
    }
}
