//! Hand-written pages of invented companies, different from the generated ones and as irregular
//! as real sites. Each page was written before the reader was run on it.

use contacts::{ContactAggregator, Contacts};
use contract::ContactStatus;
use urls::CanonicalUrl;

use crate::scoring::read;

mod further;
mod more;
mod pages;

use further::PAGES_TEN_COUNTRIES;
use more::PAGES_NINE_COUNTRIES;
use pages::PAGES;

fn pages() -> impl Iterator<Item = &'static HandwrittenPage> {
    PAGES.iter().chain(PAGES_NINE_COUNTRIES).chain(PAGES_TEN_COUNTRIES)
}

/// A page with the values of its company and of third parties.
pub(crate) struct HandwrittenPage {
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

fn record_of(page: &HandwrittenPage) -> Contacts {
    let url = CanonicalUrl::parse(page.url).expect("a page");
    let mut aggregator = ContactAggregator::new(url.host());
    let page = read(page.html, &url);
    aggregator.add(url, page);
    aggregator.finish()
}

/// Values that are wrong or missing in the record.
fn differences(page: &HandwrittenPage) -> Vec<String> {
    let record = record_of(page);
    let mut differences = Vec::new();
    let mut compare = |field: &str, given: Vec<String>, wanted: Vec<String>| {
        for value in given.iter().filter(|value| !wanted.contains(value)) {
            differences.push(format!("{} {field} + {value}", page.url));
        }
        for value in wanted.iter().filter(|value| !given.contains(value)) {
            differences.push(format!("{} {field} - {value}", page.url));
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
        owned(page.emails),
    );
    let phones =
        record.phones.iter().map(|phone| phone.e164.clone().unwrap_or_else(|| phone.raw.clone()));
    compare("phone", phones.collect(), owned(page.phones));
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let given = record.addresses.iter().map(|one| {
        format!("{} / {} / {}", part(&one.street), part(&one.postal_code), part(&one.city))
    });
    let wanted =
        page.addresses.iter().map(|(street, code, town)| format!("{street} / {code} / {town}"));
    compare("address", given.collect(), wanted.collect());
    compare(
        "legal name",
        record.company.legal_name.clone().into_iter().collect(),
        one(page.legal_name),
    );
    compare("vat", record.company.vat_id.clone().into_iter().collect(), one(page.vat));
    compare(
        "registration",
        record.company.registration_number.clone().into_iter().collect(),
        one(page.registration),
    );
    let socials = record.socials.iter().map(|one| one.url.trim_end_matches('/').to_owned());
    compare("social", socials.collect(), owned(page.socials));
    let text = format!("{record:?}");
    for value in page.foreign.iter().filter(|value| text.contains(**value)) {
        differences.push(format!("{} foreign {value}", page.url));
    }
    differences
}

#[test]
fn handwritten_pages_are_read_without_errors() {
    let differences: Vec<String> = pages().flat_map(differences).collect();
    let values: usize = pages()
        .map(|page| {
            let ones = [page.legal_name, page.vat, page.registration];
            page.emails.len()
                + page.phones.len()
                + page.addresses.len()
                + page.socials.len()
                + ones.iter().filter(|one| !one.is_empty()).count()
        })
        .sum();
    println!("{values} values, {} faults\n{}", differences.len(), differences.join("\n"));
    assert_eq!(differences, Vec::<String>::new());
}

#[test]
fn every_handwritten_company_is_found() {
    for page in pages() {
        assert_eq!(record_of(page).status, ContactStatus::Found, "{}", page.url);
    }
}
