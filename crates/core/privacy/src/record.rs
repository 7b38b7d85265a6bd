//! Redaction of contact records.
//!
//! A person is removed with their own mailboxes and numbers. Values of the company stay:
//! mailboxes of functions, and numbers that a remaining person has as well. A value that cannot
//! be attributed is removed.

use std::collections::HashSet;

use contract::{
    ContactCompany, ContactItem, ContactPerson, ContactPhone, ContactSource, ContactStatus,
    ContactsKnown, MailboxType, PersonSource,
};

use super::OptOuts;

impl OptOuts {
    /// Redacts the contact record of a domain. Returns whether anything changed. The status
    /// follows the remaining values, so that an empty record is not charged.
    pub fn apply(&self, item: &mut ContactItem) -> bool {
        if self.is_empty() {
            return false;
        }
        let led_there = item.redirected_to.as_deref().is_some_and(|host| self.cover_host(host));
        if led_there || self.cover_host(&item.domain) {
            let domain = std::mem::take(&mut item.domain);
            let input = item.input.take();
            let bare = ContactItem::empty(domain, ContactStatus::Blocked, item.fetched_at);
            let before = std::mem::replace(item, ContactItem { input, ..bare });
            // Domain and input are equal by construction; the comparison covers the other
            // fields.
            let (domain, input) = (item.domain.clone(), item.input.clone());
            let before = ContactItem { domain, input, ..before };
            return before != *item;
        }
        redact_record(self, item)
    }
}

/// Redacts a record whose domain is not covered. Returns whether anything changed.
fn redact_record(opt_outs: &OptOuts, item: &mut ContactItem) -> bool {
    let before = item.clone();
    remove_people(opt_outs, item);
    item.emails.retain(|email| {
        let labelled = email.label.as_deref().is_some_and(|label| opt_outs.is_named_in(label));
        let is_theirs = labelled && email.kind == MailboxType::Personal;
        !is_theirs && !opt_outs.cover_mailbox(&email.value)
    });
    item.addresses.retain(|address| !opt_outs.is_named_in(&address.raw));
    item.socials.retain(|social| !is_covered_url(opt_outs, &social.url));
    redact_texts(opt_outs, item);
    redact_sources(opt_outs, item);
    if *item == before {
        return false;
    }
    item.status = status_of(item);
    true
}

/// Removes the covered people with their mailboxes and numbers.
fn remove_people(opt_outs: &OptOuts, item: &mut ContactItem) {
    let role: HashSet<String> = item
        .emails
        .iter()
        .filter(|email| email.kind == MailboxType::Role)
        .map(|email| email.value.to_lowercase())
        .collect();
    let is_own = |mailbox: &str| !role.contains(&mailbox.to_lowercase());
    let is_covered = |person: &ContactPerson| {
        let parts = [person.first_name.as_deref(), person.last_name.as_deref()];
        let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        opt_outs.cover_name(&person.name)
            || opt_outs.cover_name(&parts)
            || person.emails.iter().any(|email| {
                // A covered mail domain does not identify a person.
                is_own(email) && opt_outs.cover_mailbox(email) && !at_host(opt_outs, email)
            })
    };
    let (gone, stay): (Vec<_>, Vec<_>) =
        std::mem::take(&mut item.people).into_iter().partition(is_covered);
    item.people = stay;
    let shared_mailbox = |mailbox: &str| has(&item.people, |person| &person.emails, mailbox);
    let shared_number = |number: &str| has(&item.people, |person| &person.phones, number);
    let mailboxes: HashSet<String> = gone
        .iter()
        .flat_map(|person| &person.emails)
        .filter(|mailbox| is_own(mailbox) && !shared_mailbox(mailbox))
        .map(|mailbox| mailbox.to_lowercase())
        .collect();
    let numbers: HashSet<&str> = gone
        .iter()
        .flat_map(|person| &person.phones)
        .map(String::as_str)
        .filter(|number| !shared_number(number))
        .collect();
    item.emails.retain(|email| !mailboxes.contains(&email.value.to_lowercase()));
    let is_theirs = |phone: &ContactPhone| {
        phone.e164.as_deref().is_some_and(|number| numbers.contains(number))
            || numbers.contains(phone.raw.as_str())
    };
    item.phones.retain(|phone| !is_theirs(phone));
    for person in &mut item.people {
        person.emails.retain(|email| !opt_outs.cover_mailbox(email));
        person.profiles.retain(|profile| !is_covered_url(opt_outs, &profile.url));
    }
}

fn at_host(opt_outs: &OptOuts, mailbox: &str) -> bool {
    mailbox.split_once('@').is_some_and(|(_, host)| opt_outs.cover_host(host))
}

fn has(people: &[ContactPerson], of: fn(&ContactPerson) -> &Vec<String>, value: &str) -> bool {
    people.iter().flat_map(of).any(|one| one.eq_ignore_ascii_case(value))
}

/// Whether a URL leads to a covered host or contains a covered name or mailbox.
fn is_covered_url(opt_outs: &OptOuts, url: &str) -> bool {
    opt_outs.is_named_in(url) || opt_outs.redact(url).is_some() || opt_outs.cover_url(url)
}

/// Redacts mailboxes in texts, and removes texts that name a covered person.
fn redact_texts(opt_outs: &OptOuts, item: &mut ContactItem) {
    let ContactCompany { name, legal_name, description, .. } = &mut item.company;
    let labels = item.emails.iter_mut().map(|email| &mut email.label);
    let of_people =
        item.people.iter_mut().flat_map(|person| [&mut person.title, &mut person.department]);
    for text in [name, legal_name, description].into_iter().chain(labels).chain(of_people) {
        let Some(said) = text else { continue };
        if opt_outs.is_named_in(said) {
            *text = None;
        } else if let Some(kept) = opt_outs.redact(said) {
            *said = kept;
        }
    }
    for url in [&mut item.company.logo_url, &mut item.contact_page_url] {
        if url.as_deref().is_some_and(|url| is_covered_url(opt_outs, url)) {
            *url = None;
        }
    }
    for address in &mut item.addresses {
        if let Some(kept) = opt_outs.redact(&address.raw) {
            address.raw = kept;
        }
    }
}

fn redact_sources(opt_outs: &OptOuts, item: &mut ContactItem) {
    let keep = |source: &ContactSource| !is_covered_url(opt_outs, &source.url);
    item.company.sources.retain(keep);
    item.emails.iter_mut().for_each(|email| email.sources.retain(keep));
    item.phones.iter_mut().for_each(|phone| phone.sources.retain(keep));
    item.addresses.iter_mut().for_each(|address| address.sources.retain(keep));
    item.socials.iter_mut().for_each(|social| social.sources.retain(keep));
    let keep = |source: &PersonSource| !is_covered_url(opt_outs, &source.url);
    item.people.iter_mut().for_each(|person| person.sources.retain(keep));
}

/// The status of the remaining values: never better than before.
fn status_of(item: &ContactItem) -> ContactStatus {
    let known = ContactsKnown {
        can_reach: !item.emails.is_empty() || !item.phones.is_empty(),
        has_address: !item.addresses.is_empty(),
        has_more: !item.socials.is_empty() || !item.people.is_empty(),
    };
    match item.status {
        ContactStatus::Found | ContactStatus::Partial => known.status(),
        status @ (ContactStatus::None
        | ContactStatus::Blocked
        | ContactStatus::Unreachable
        | ContactStatus::Parked) => status,
    }
}

#[cfg(test)]
mod tests;
