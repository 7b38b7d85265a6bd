//! The people of a page: names, titles, departments, and the mailboxes, phone numbers and
//! profiles that belong to them; and the people of a domain, merged from its pages.
//!
//! A person is accepted only from a card, a row, a label or structured data that presents staff
//! of the company. Values of one card are never assigned to another.

mod candidate;
mod card;
mod context;
mod evidence;
mod found_person;
mod job_title;
mod labelled;
mod mailbox;
mod merge;
mod model;
mod name;
mod profile;
mod prose;
mod region;
mod segment;
mod structured;
mod vcard;

#[cfg(feature = "training")]
pub(crate) use evidence::FEATURE_NAMES;
pub(crate) use found_person::FoundPerson;
pub(crate) use merge::merge_people;
pub(crate) use vcard::people as from_vcards;

use contract::ContactMethod;
use hashbrown::{HashMap, HashSet};

use super::email;
use super::page_view::PageView;
use context::PeopleContext;
use evidence::PersonFeature as F;
use mailbox::{LocalPart, MailboxMatch, Spellings};
use text::vocabulary::TermList;

/// Maximum people per page.
const MAX_PEOPLE: usize = 300;

/// Maximum people per page that are examined.
const MAX_CANDIDATES: usize = 2_000;

/// The people of a page that belong to the company. `host` is that of the site without `www.`;
/// `path` is that of the page.
pub(crate) fn read(page: &PageView<'_, '_>, host: &str, path: &str) -> Vec<FoundPerson> {
    let mut people = found(page, host, path);
    people.retain(|person| model::is_accepted(person.confidence));
    people.truncate(MAX_PEOPLE);
    assign_loose_mailboxes(page, &mut people);
    people
}

/// Everyone who may be a person of the company, with the probability of it.
pub(crate) fn found(page: &PageView<'_, '_>, host: &str, path: &str) -> Vec<FoundPerson> {
    let labelled = labelled::read(page);
    let context = PeopleContext::new(host, path, &labelled);
    let mut people = structured::marked(page, &context);
    people.extend(structured::linked(page, host));
    people.extend(card::read(page, &context, host));
    if !context.is_privacy() {
        people.extend(prose::read(page, &context, host));
    }
    let with_label =
        labelled.people.iter().filter(|(_, one)| one.represents || !context.is_privacy());
    people.extend(with_label.cloned().map(|(line, mut person)| {
        context.describe(page, line, 0, &mut person.evidence);
        person
    }));
    people.truncate(MAX_CANDIDATES);
    drop_people_of_several_companies(&mut people, host);
    assess(&mut people, &context, host);
    people
}

/// Sets the features that depend on all people of a page, and their confidence.
fn assess(people: &mut [FoundPerson], context: &PeopleContext<'_>, host: &str) {
    let keys: Vec<String> = people.iter().map(|person| name::fold(&person.name.name)).collect();
    let mut readers: HashMap<&str, u8> = HashMap::new();
    let mut elsewhere = 0;
    for (person, key) in people.iter_mut().zip(&keys) {
        let title = person.title.as_ref().map_or("", |(_, title)| title.as_str());
        elsewhere += usize::from(context.describe_title(title, &mut person.evidence));
        *readers.entry(key).or_default() |= 1 << reader(person);
    }
    for (person, key) in people.iter_mut().zip(&keys) {
        let evidence = &mut person.evidence;
        evidence.set_if(
            F::OtherReader,
            readers.get(key.as_str()).is_some_and(|all| all.count_ones() > 1),
        );
        evidence.set_number(F::OtherCompaniesOnPage, elsewhere as f32 / keys.len() as f32);
        person.assess(host);
    }
}

/// The number of the reader that found a person.
fn reader(person: &FoundPerson) -> u8 {
    match person.method {
        ContactMethod::Jsonld => 0,
        ContactMethod::Microdata => 1,
        ContactMethod::Vcard => 2,
        _ if person.evidence.has(F::FromLabel) => 3,
        _ if person.evidence.has(F::FromSentence) => 4,
        _ if person.evidence.has(F::FromMailbox) => 5,
        _ => 6,
    }
}

/// Minimum chief executives of a page that are those of several companies.
const MIN_CHIEFS: usize = 3;

/// A company has one chief executive. If a page names several, it lists other companies: only
/// people with a mailbox at the domain of the site remain.
fn drop_people_of_several_companies(people: &mut Vec<FoundPerson>, host: &str) {
    static CHIEFS: TermList = phrase_list!("titles/chief_executive.txt");
    let is_chief = |person: &&FoundPerson| {
        let title = person.title.as_ref().map_or("", |(_, title)| title.as_str());
        let words = job_title::folded_words(title).join(" ");
        CHIEFS.iter().any(|chief| words == *chief || words.ends_with(&format!(" {chief}")))
    };
    let chiefs = people.iter().filter(is_chief).map(|person| name::fold(&person.name.name));
    if chiefs.collect::<HashSet<_>>().len() >= MIN_CHIEFS {
        people.retain(|person| {
            let mut domains = person.emails.iter().filter_map(|mail| mail.split_once('@'));
            domains.any(|(_, domain)| email::is_own_domain(domain, host))
        });
    }
}

/// Assigns a mailbox outside of all cards to the only person whose name it contains.
fn assign_loose_mailboxes(page: &PageView<'_, '_>, people: &mut [FoundPerson]) {
    let spellings: Vec<Spellings> =
        people.iter().map(|person| Spellings::of(&person.name)).collect();
    let keys: Vec<String> = people.iter().map(|person| name::fold(&person.name.name)).collect();
    for mail in &page.mails {
        if people.iter().any(|person| person.emails.contains(&mail.value)) {
            continue;
        }
        let local = LocalPart::of(&mail.value);
        let mut fits = (0..people.len())
            .filter(|at| spellings[*at].mailbox_match(&local) >= MailboxMatch::Last);
        if let Some(first) = fits.next()
            && fits.all(|at| keys[at] == keys[first])
        {
            people[first].emails.push(mail.value.clone());
        }
    }
}

#[cfg(test)]
mod tests;
