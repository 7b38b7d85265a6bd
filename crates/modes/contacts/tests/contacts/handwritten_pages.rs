//! Hand-written pages of invented companies, different from the generated ones and as irregular
//! as real sites. Each page was written before the reader was run on it.

use contacts::{ContactAggregator, Contacts};
use contract::ContactStatus;
use urls::CanonicalUrl;

use crate::scoring::read;

mod further;
mod more;
mod pages;

use further::FURTHER;
use more::MORE;
use pages::PAGES;

fn firms() -> impl Iterator<Item = &'static Firm> {
    PAGES.iter().chain(MORE).chain(FURTHER)
}

/// A page with the values of its company and of third parties.
pub(crate) struct Firm {
    pub url: &'static str,
    pub html: &'static str,
    pub legal_name: &'static str,
    pub emails: &'static [&'static str],
    pub phones: &'static [&'static str],
    /// Street, postal code, town.
    pub addresses: &'static [(&'static str, &'static str, &'static str)],
    pub vat: &'static str,
    pub registration: &'static str,
    pub socials: &'static [&'static str],
    /// Values of third parties that must not appear in the record.
    pub foreign: &'static [&'static str],
}

fn closed(firm: &Firm) -> Contacts {
    let url = CanonicalUrl::parse(firm.url).expect("a page");
    let mut aggregator = ContactAggregator::new(url.host());
    let page = read(firm.html, &url);
    aggregator.add(url, page);
    aggregator.finish()
}

/// Values that are wrong or missing in the record.
fn faults(firm: &Firm) -> Vec<String> {
    let record = closed(firm);
    let mut faults = Vec::new();
    let mut compare = |field: &str, given: Vec<String>, wanted: Vec<String>| {
        for value in given.iter().filter(|value| !wanted.contains(value)) {
            faults.push(format!("{} {field} + {value}", firm.url));
        }
        for value in wanted.iter().filter(|value| !given.contains(value)) {
            faults.push(format!("{} {field} - {value}", firm.url));
        }
    };
    let owned =
        |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    let one = |value: &str| {
        owned(&[value]).into_iter().filter(|value| !value.is_empty()).collect::<Vec<_>>()
    };
    compare(
        "email",
        record.emails.iter().map(|email| email.value.clone()).collect(),
        owned(firm.emails),
    );
    let phones =
        record.phones.iter().map(|phone| phone.e164.clone().unwrap_or_else(|| phone.raw.clone()));
    compare("phone", phones.collect(), owned(firm.phones));
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let given = record.addresses.iter().map(|one| {
        format!("{} / {} / {}", part(&one.street), part(&one.postal_code), part(&one.city))
    });
    let wanted =
        firm.addresses.iter().map(|(street, code, town)| format!("{street} / {code} / {town}"));
    compare("address", given.collect(), wanted.collect());
    compare(
        "legal name",
        record.company.legal_name.clone().into_iter().collect(),
        one(firm.legal_name),
    );
    compare("vat", record.company.vat_id.clone().into_iter().collect(), one(firm.vat));
    compare(
        "registration",
        record.company.registration_number.clone().into_iter().collect(),
        one(firm.registration),
    );
    let socials = record.socials.iter().map(|one| one.url.trim_end_matches('/').to_owned());
    compare("social", socials.collect(), owned(firm.socials));
    let text = format!("{record:?}");
    for value in firm.foreign.iter().filter(|value| text.contains(**value)) {
        faults.push(format!("{} foreign {value}", firm.url));
    }
    faults
}

#[test]
fn pages_of_other_makes_are_read() {
    let faults: Vec<String> = firms().flat_map(faults).collect();
    let values: usize = firms()
        .map(|firm| {
            let ones = [firm.legal_name, firm.vat, firm.registration];
            firm.emails.len()
                + firm.phones.len()
                + firm.addresses.len()
                + firm.socials.len()
                + ones.iter().filter(|one| !one.is_empty()).count()
        })
        .sum();
    println!("{values} values, {} faults\n{}", faults.len(), faults.join("\n"));
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn every_firm_can_be_reached() {
    for firm in firms() {
        assert_eq!(closed(firm).status, ContactStatus::Found, "{}", firm.url);
    }
}
