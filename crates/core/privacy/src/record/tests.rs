//! Redaction of contact records.

use contract::{
    ContactAddress, ContactEmail, ContactMethod, ContactSocial, Millis, PersonContextKind,
    PersonProfile, PhoneType,
};

use super::*;
use crate::OptOut;

fn at(path: &str) -> Vec<ContactSource> {
    let url = format!("https://firm.test{path}");
    vec![ContactSource { url, method: ContactMethod::Text }]
}

fn email(value: &str, kind: MailboxType) -> ContactEmail {
    ContactEmail { value: value.to_owned(), kind, label: None, sources: at("/contact") }
}

fn phone(number: &str) -> ContactPhone {
    let e164 = Some(number.to_owned());
    ContactPhone { e164, raw: number.to_owned(), kind: PhoneType::Voice, sources: at("/contact") }
}

fn person(name: &str, emails: &[&str], phones: &[&str]) -> ContactPerson {
    let network = "linkedin".to_owned();
    let url = format!("https://linkedin.com/in/{}", name.to_lowercase().replace(' ', "-"));
    ContactPerson {
        name: name.to_owned(),
        first_name: None,
        last_name: None,
        honorific: None,
        title: Some("Director".to_owned()),
        department: None,
        seniority: None,
        legal_representative: false,
        emails: emails.iter().map(|email| (*email).to_owned()).collect(),
        phones: phones.iter().map(|phone| (*phone).to_owned()).collect(),
        profiles: vec![PersonProfile { network, url }],
        confidence: 0.9,
        sources: vec![PersonSource {
            url: "https://firm.test/team".to_owned(),
            method: ContactMethod::Text,
            context: Some(PersonContextKind::Team),
        }],
    }
}

fn company() -> ContactItem {
    let address = ContactAddress {
        raw: "Main Street 1, 12345 Town".to_owned(),
        street: None,
        city: None,
        region: None,
        postal_code: None,
        country: None,
        sources: at("/imprint"),
    };
    let social = ContactSocial {
        network: "x".to_owned(),
        url: "https://x.com/firm".to_owned(),
        sources: at("/"),
    };
    ContactItem {
        company: ContactCompany {
            name: Some("Firm".to_owned()),
            description: Some("Ask Ada@firm.test or info@firm.test.".to_owned()),
            ..ContactCompany::default()
        },
        emails: vec![
            email("info@firm.test", MailboxType::Role),
            email("ada@firm.test", MailboxType::Personal),
            email("bob@firm.test", MailboxType::Personal),
        ],
        phones: vec![phone("+4930100"), phone("+4930101"), phone("+4930102")],
        addresses: vec![address],
        socials: vec![social],
        people: vec![
            person("Ada Lovelace", &["ada@firm.test", "info@firm.test"], &["+4930100", "+4930101"]),
            person("Bob Bit", &["bob@firm.test", "info@firm.test"], &["+4930100", "+4930102"]),
        ],
        pages_checked: 3,
        ..ContactItem::empty("firm.test".to_owned(), ContactStatus::Found, Millis(7))
    }
}

fn without(opt_out: Result<OptOut, crate::OptOutError>, mut item: ContactItem) -> ContactItem {
    let opt_outs = OptOuts::of(&opt_out.expect("an opt-out"));
    assert!(opt_outs.apply(&mut item), "something is taken out");
    assert!(!opt_outs.apply(&mut item), "and nothing is left to take");
    item
}

fn mailboxes(item: &ContactItem) -> Vec<&str> {
    item.emails.iter().map(|email| email.value.as_str()).collect()
}

fn numbers(item: &ContactItem) -> Vec<&str> {
    item.phones.iter().map(|phone| phone.raw.as_str()).collect()
}

#[test]
fn person_is_removed_with_own_values_and_shared_values_stay() {
    for opt_out in [OptOut::email("ADA@firm.test"), OptOut::name("Lovelace, Ada")] {
        let left = without(opt_out, company());
        assert_eq!(mailboxes(&left), ["info@firm.test", "bob@firm.test"]);
        assert_eq!(numbers(&left), ["+4930100", "+4930102"]);
        assert_eq!(left.people, [company().people[1].clone()]);
        assert_eq!(left.status, ContactStatus::Found);
    }
    let left = without(OptOut::email("ada+x@firm.test"), company());
    let said = "Ask (removed) or info@firm.test.";
    assert_eq!(left.company.description.as_deref(), Some(said));
}

#[test]
fn opt_out_of_a_role_mailbox_removes_no_person() {
    let left = without(OptOut::email("info@firm.test"), company());
    assert_eq!(mailboxes(&left), ["ada@firm.test", "bob@firm.test"]);
    let people: Vec<_> = left.people.iter().map(|person| person.emails.as_slice()).collect();
    assert_eq!(people, [["ada@firm.test"], ["bob@firm.test"]]);
    assert_eq!(numbers(&left).len(), 3);
}

#[test]
fn name_is_removed_from_all_fields() {
    let mut item = company();
    item.people.remove(0);
    item.company.legal_name = Some("Ada Lovelace e.K.".to_owned());
    item.emails.push(email("ada.lovelace@mail.test", MailboxType::Personal));
    item.socials[0].url = "https://x.com/ada-lovelace".to_owned();
    item.addresses[0].raw = "c/o Ada Lovelace, Main Street 1".to_owned();
    item.phones[0].sources = at("/team/ada_lovelace");
    item.people[0].title = Some("Assistant of Ada Lovelace".to_owned());
    let left = without(OptOut::name("Ada Lovelace"), item);
    let text = serde_json::to_string(&left).expect("JSON").to_lowercase();
    assert!(!text.contains("lovelace"), "{text}");
    assert_eq!(left.status, ContactStatus::Partial, "the address is removed");
}

#[test]
fn opted_out_domain_leaves_an_empty_blocked_record() {
    let bare = ContactItem::empty("firm.test".to_owned(), ContactStatus::Blocked, Millis(7));
    assert_eq!(without(OptOut::domain("firm.test"), company()), bare);
    let moved = ContactItem { redirected_to: Some("www.new.test".to_owned()), ..company() };
    assert_eq!(without(OptOut::domain("new.test"), moved), bare);
}

#[test]
fn opted_out_domain_is_removed_from_other_records() {
    let mut item = company();
    item.emails.push(email("firm@agency.test", MailboxType::Role));
    item.people[1].emails.push("bob@agency.test".to_owned());
    item.contact_page_url = Some("https://www.agency.test/firm".to_owned());
    item.socials[0].url = "https://agency.test/".to_owned();
    let left = without(OptOut::domain("agency.test"), item);
    let text = serde_json::to_string(&left).expect("JSON");
    assert!(!text.contains("agency"), "{text}");
    assert_eq!(left.people.len(), 2, "an opted-out company is no person");
}

#[test]
fn emptied_record_has_status_none() {
    let mut item = company();
    item.addresses.clear();
    item.socials.clear();
    item.phones.clear();
    item.people = vec![person("Ada Lovelace", &["ada@firm.test"], &[])];
    item.emails = vec![email("ada@firm.test", MailboxType::Personal)];
    item.status = ContactStatus::Partial;
    assert_eq!(without(OptOut::email("ada@firm.test"), item).status, ContactStatus::None);
}

#[test]
fn record_without_covered_data_is_unchanged() {
    let opt_outs = OptOuts::of(&OptOut::name("Eve Other").expect("a name"));
    let mut item = company();
    assert!(!opt_outs.apply(&mut item) && !OptOuts::default().apply(&mut item));
    assert_eq!(item, company());
}
