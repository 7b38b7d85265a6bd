//! People in vCard files.

use contract::ContactMethod;

use super::found_person::{FoundPerson, FoundPhone, add_new};
use super::name::parse;
use crate::email;
use crate::vcard::VCard;

/// The people of vCards; cards of companies are skipped.
pub(crate) fn people(cards: &[VCard], host: &str) -> Vec<FoundPerson> {
    cards
        .iter()
        .filter(|card| !card.is_organization())
        .filter_map(|card| person(card, host))
        .collect()
}

fn person(card: &VCard, host: &str) -> Option<FoundPerson> {
    let filled = |part: &Option<String>| part.clone().filter(|part| !part.trim().is_empty());
    let (given, surname) = (filled(&card.given), filled(&card.surname));
    let in_parts =
        given.clone().zip(surname.clone()).map(|(given, surname)| format!("{given} {surname}"));
    let shown = filled(&card.name).and_then(|name| parse(&name));
    let mut name = shown.or_else(|| parse(in_parts.as_deref()?))?;
    if let Some(whole) = in_parts {
        (name.name, name.first, name.last) = (whole, given, surname);
    }
    name.honorific = name.honorific.or_else(|| filled(&card.prefix));
    let mut person = FoundPerson::new(name, ContactMethod::Vcard);
    if let Some(title) = filled(&card.title) {
        person.set_stated_title(&title);
    }
    person.department = filled(&card.department);
    add_new(&mut person.emails, card.mails.iter().filter_map(|mail| email::normalize(mail, host)));
    for (raw, _) in card.phones.iter().filter(|(_, kind)| *kind != "fax") {
        person.phones.push(FoundPhone { raw: raw.clone(), dialled: None });
    }
    for url in &card.urls {
        person.add_profile(url);
    }
    person.assess(host);
    Some(person)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vcard::parse_vcards;

    #[test]
    fn vcard_of_a_person_is_read_and_vcard_of_a_company_skipped() {
        let text = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Berg;Anna;;Dr.;\r\nFN:Dr. Anna Berg\r\nORG:Muster GmbH;Vertrieb\r\n\
                    TITLE:Leiterin Vertrieb\r\nTEL;TYPE=WORK,VOICE:+49 221 1234567\r\nTEL;TYPE=FAX:+49 221 9999\r\n\
                    EMAIL;TYPE=INTERNET:anna.berg@muster.test\r\nEND:VCARD\r\n\
                    BEGIN:VCARD\r\nFN:Muster GmbH\r\nORG:Muster GmbH\r\nEND:VCARD\r\n";
        let people = people(&parse_vcards(text), "muster.test");
        assert_eq!(people.len(), 1);
        let one = &people[0];
        assert_eq!(
            (one.name.name.as_str(), one.name.honorific.as_deref()),
            ("Anna Berg", Some("Dr."))
        );
        assert_eq!(one.emails, ["anna.berg@muster.test"]);
        assert_eq!(one.phones.len(), 1);
        assert_eq!(one.department.as_deref(), Some("Vertrieb"));
    }
}
