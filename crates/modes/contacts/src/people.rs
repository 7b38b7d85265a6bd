//! The people of a page: names, titles, departments, and the mailboxes, phone numbers and
//! profiles that belong to them; and the people of a domain, merged from its pages.
//!
//! A person is accepted only from a card, a row, a label or structured data that presents staff
//! of the company. Values of one card are never assigned to another.

mod candidate;
mod card;
mod context;
mod found_person;
mod job_title;
mod labelled;
mod mailbox;
mod merge;
mod name;
mod profile;
mod prose;
mod region;
mod segment;
mod structured;
mod vcard;

pub(crate) use found_person::FoundPerson;
pub(crate) use merge::merge_people;
pub(crate) use vcard::people as from_vcards;

use hashbrown::HashSet;

use super::email;
use super::page_view::PageView;
use context::PeopleContext;
use mailbox::{LocalPart, MailboxMatch, Spellings};
use text::vocabulary::TermList;

/// Maximum people per page.
const MAX_PEOPLE: usize = 300;

/// The people of a page. `host` is that of the site without `www.`; `path` is that of the page.
pub(crate) fn read(page: &PageView<'_, '_>, host: &str, path: &str) -> Vec<FoundPerson> {
    let labelled = labelled::read(page);
    let context = PeopleContext::new(host, path, &labelled);
    let mut people = structured::marked(page, &context);
    people.extend(structured::linked(page, host));
    people.extend(card::read(page, &context));
    if !context.is_privacy() {
        people.extend(prose::read(page, &context, host));
    }
    let labelled =
        labelled.people.iter().filter(|(_, one)| one.represents || !context.is_privacy());
    people.extend(labelled.cloned().map(|(_, person)| person));
    people.truncate(MAX_PEOPLE);
    drop_people_of_several_companies(&mut people, host);
    assign_loose_mailboxes(page, &mut people);
    people
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
