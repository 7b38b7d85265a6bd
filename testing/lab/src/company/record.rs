//! The truth about a company from what was written on its pages. What stands nowhere is not
//! in it, however much of it was drawn.

use super::firm::{Firm, Person};
use super::ids;
use super::paths::Page;
use super::scribe::{Key, Ledger};
use super::truth::{
    AddressTruth, CompanyTruth, ContactStatus, EmailTruth, Fact, FirmTruth, PersonTruth,
    PhoneTruth, ProfileTruth, Standing,
};

/// The record of a firm.
pub(super) fn of(firm: &Firm, ledger: &Ledger, description: &str) -> CompanyTruth {
    let plan = &firm.plan;
    let company = company(firm, ledger, description);
    let (emails, phones) = (emails(firm, ledger), phones(firm, ledger));
    let addresses = addresses(firm, ledger);
    let reachable = !emails.is_empty() || !phones.is_empty();
    let status = match (reachable, addresses.is_empty()) {
        (true, false) => ContactStatus::Found,
        (false, true) => ContactStatus::None,
        _ => ContactStatus::Partial,
    };
    let contact = Page::Contact.path(plan);
    CompanyTruth {
        host: firm.host.clone(),
        status,
        redirected_to: None,
        language: Some(plan.words.tag.to_owned()),
        home: Some(plan.land.code.to_owned()),
        contact_page: Some(if plan.one_page() { "/".to_owned() } else { contact }),
        company,
        emails,
        phones,
        addresses,
        socials: socials(&firm.socials, |at| ledger.at(Key::Social(at))),
        people: (0..firm.people.len())
            .filter_map(|number| person(firm, ledger, number, &firm.people[number]))
            .collect(),
        foreign: ledger.foreign.iter().cloned().collect(),
    }
}

impl Ledger {
    fn at(&self, key: Key) -> Vec<Standing> {
        self.standings.get(&key).cloned().unwrap_or_default()
    }

    fn fact(&self, key: Key, value: &str) -> Option<Fact> {
        let sources = self.at(key);
        (!sources.is_empty()).then(|| Fact { value: value.to_owned(), sources })
    }
}

fn company(firm: &Firm, ledger: &Ledger, description: &str) -> FirmTruth {
    let plan = &firm.plan;
    let register = firm.ids.register.as_ref();
    let form = Some(plan.form).filter(|form| !form.is_empty());
    FirmTruth {
        name: ledger.fact(Key::Name, &firm.name),
        legal_name: ledger.fact(Key::LegalName, &firm.legal),
        // Where the legal name stands, there stands the form.
        legal_form: form.and_then(|form| ledger.fact(Key::LegalName, form)),
        description: ledger.fact(Key::Description, description),
        registration_number: register.and_then(|register| {
            ledger.fact(Key::RegistrationNumber, &ids::compact(&register.number))
        }),
        register: register
            .and_then(|register| register.office.as_deref())
            .and_then(|office| ledger.fact(Key::Register, office)),
        vat_id: firm
            .ids
            .vat
            .as_ref()
            .and_then(|vat| ledger.fact(Key::Vat, &vat.compact()))
            .map(|fact| Fact { value: fact.value.trim_end_matches("MWST").to_owned(), ..fact }),
        founded: ledger.fact(Key::Founded, &firm.founded.to_string()),
        logo: ledger.fact(Key::Logo, "/img/logo.svg"),
    }
}

fn emails(firm: &Firm, ledger: &Ledger) -> Vec<EmailTruth> {
    let mut emails = Vec::new();
    for (at, mailbox) in firm.mailboxes.iter().enumerate() {
        let sources = ledger.at(Key::Mailbox(at));
        if sources.is_empty() {
            continue;
        }
        let labelled = ledger.standings.contains_key(&Key::Purpose(at));
        emails.push(EmailTruth {
            value: mailbox.value.clone(),
            personal: mailbox.of.is_some(),
            label: mailbox.label.filter(|_| labelled).map(str::to_owned),
            of: mailbox.of.and_then(|person| firm.people.get(person)).map(Person::name),
            sources,
        });
    }
    emails
}

fn phones(firm: &Firm, ledger: &Ledger) -> Vec<PhoneTruth> {
    let mut phones: Vec<PhoneTruth> = Vec::new();
    for (at, line) in firm.lines.iter().enumerate() {
        let sources = ledger.at(Key::Line(at));
        let Some(first) = sources.first() else { continue };
        let e164 = line.number.e164();
        // An extension is reached by the number of the house: one line, not two.
        if let Some(same) = phones.iter_mut().find(|phone| e164.is_some() && phone.e164 == e164) {
            same.sources.extend(sources);
            continue;
        }
        phones.push(PhoneTruth {
            e164,
            raw: first.spelling.replace("&nbsp;", " "),
            kind: line.kind,
            of: line.of.and_then(|person| firm.people.get(person)).map(Person::name),
            sources,
        });
    }
    phones
}

fn addresses(firm: &Firm, ledger: &Ledger) -> Vec<AddressTruth> {
    let mut addresses = Vec::new();
    for (at, place) in firm.places.iter().enumerate() {
        let sources = ledger.at(Key::Place(at));
        if sources.is_empty() {
            continue;
        }
        let named = ledger.standings.contains_key(&Key::Country(at));
        addresses.push(AddressTruth {
            raw: place.lines().join(", "),
            street: place.street.clone(),
            city: place.city.clone(),
            region: place.region.clone(),
            postal_code: place.postal.clone(),
            country: named.then(|| firm.plan.land.code.to_owned()),
            sources,
        });
    }
    addresses
}

fn socials(
    profiles: &[(&'static str, String)],
    standings: impl Fn(usize) -> Vec<Standing>,
) -> Vec<ProfileTruth> {
    profiles
        .iter()
        .enumerate()
        .map(|(at, (network, url))| ProfileTruth {
            network: (*network).to_owned(),
            url: url.clone(),
            sources: standings(at),
        })
        .filter(|profile| !profile.sources.is_empty())
        .collect()
}

fn person(firm: &Firm, ledger: &Ledger, number: usize, person: &Person) -> Option<PersonTruth> {
    let sources = ledger.at(Key::Person(number));
    if sources.is_empty() {
        return None;
    }
    let organ = firm.plan.organ;
    let label = organ.label.trim_end_matches([':', ' ']);
    let title = ledger
        .fact(Key::Title(number), person.title)
        .or_else(|| ledger.fact(Key::Organ(number), label));
    let mailbox = person.mailbox.and_then(|at| firm.mailboxes.get(at));
    let tied = ledger.standings.contains_key(&Key::PersonMailbox(number));
    let lines = person
        .lines
        .iter()
        .filter(|at| ledger.standings.contains_key(&Key::PersonLine(number, **at)));
    Some(PersonTruth {
        name: person.name(),
        first_name: person.first.to_owned(),
        last_name: person.last.to_owned(),
        honorific: person.honorific.and_then(|one| ledger.fact(Key::Honorific(number), one)),
        department: person.department.and_then(|one| ledger.fact(Key::Department(number), one)),
        seniority: title.is_some().then_some(person.seniority),
        legal_representative: person.leads && organ.legal && title.is_some(),
        title,
        emails: mailbox.filter(|_| tied).map(|mailbox| mailbox.value.clone()).into_iter().collect(),
        phones: lines.filter_map(|at| firm.lines[*at].number.e164()).collect(),
        profiles: socials(&person.profiles, |at| ledger.at(Key::Profile(number, at))),
        sources,
    })
}
