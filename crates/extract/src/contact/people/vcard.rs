//! A vCard file of a person.

use contract::ContactMethod;

use super::found::{FoundPerson, FoundPhone, TitleRank};
use super::name::parse;
use super::{profile, role};
use crate::contact::email;

/// How many lines of a file are read.
const MAX_LINES: usize = 5_000;
/// How many cards of a file are read.
const MAX_CARDS: usize = 300;

/// The people of a file.
pub(crate) fn people(text: &str, host: &str) -> Vec<FoundPerson> {
    let mut people = Vec::new();
    let mut card: Vec<(String, String, String)> = Vec::new();
    for line in unfolded(text) {
        let Some((head, value)) = line.split_once(':') else { continue };
        let mut parameters = head.split(';');
        let name = parameters.next().unwrap_or_default();
        let name = name.rsplit('.').next().unwrap_or_default().to_ascii_uppercase();
        let parameters = parameters.collect::<Vec<_>>().join(";").to_ascii_uppercase();
        match name.as_str() {
            "BEGIN" => card.clear(),
            "END" => people.extend(person(&card, host)),
            _ if card.len() < 200 => card.push((name, parameters, value.to_owned())),
            _ => {}
        }
        if people.len() >= MAX_CARDS {
            break;
        }
    }
    people
}

/// The lines of a file, those that go on joined.
fn unfolded(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().take(MAX_LINES) {
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some(last)) if last.len() < 8_000 => last.push_str(rest),
            _ => lines.push(line.trim_end().to_owned()),
        }
    }
    lines
}

fn person(card: &[(String, String, String)], host: &str) -> Option<FoundPerson> {
    let of = |name: &'static str| card.iter().filter(move |line| line.0 == name).map(|line| (line.1.as_str(), plain(&line.2, &line.1)));
    let first = |name: &'static str| of(name).map(|(_, value)| value).find(|value| !value.trim().is_empty());
    let parts: Vec<String> = first("N").unwrap_or_default().split(';').map(|part| part.trim().to_owned()).collect();
    let part = |at: usize| parts.get(at).filter(|part| !part.is_empty()).cloned();
    let shown = first("FN").or_else(|| Some(format!("{} {}", part(1)?, part(0)?)))?;
    let org = first("ORG").unwrap_or_default();
    let mut units = org.split(';').map(str::trim);
    if units.next().is_some_and(|company| company.eq_ignore_ascii_case(shown.trim())) {
        return None;
    }
    let mut name = parse(&shown).or_else(|| parse(&format!("{} {}", part(1)?, part(0)?)))?;
    if let (Some(first), Some(last)) = (part(1), part(0)) {
        name.name = format!("{first} {last}");
        (name.first, name.last) = (Some(first), Some(last));
    }
    name.honorific = name.honorific.or_else(|| part(3));
    let mut person = FoundPerson::new(name, 0.93, ContactMethod::Vcard);
    if let Some(title) = first("TITLE").or_else(|| first("ROLE")) {
        person.represents = role::read(&title).is_some_and(|role| role.represents);
        person.entitle(TitleRank::Own, &title);
    }
    person.department = units.find(|unit| !unit.is_empty()).map(str::to_owned);
    for (_, mail) in of("EMAIL") {
        person.emails.extend(email::checked(&mail, host).filter(|mail| !person.emails.contains(mail)));
    }
    for (kind, raw) in of("TEL").filter(|(kind, _)| !kind.contains("FAX")) {
        let raw = raw.trim_start_matches("tel:").trim().to_owned();
        let _ = kind;
        if raw.bytes().filter(u8::is_ascii_digit).count() > 4 {
            person.phones.push(FoundPhone { raw, dialled: None });
        }
    }
    for (_, url) in of("URL").chain(of("X-SOCIALPROFILE")) {
        person.profiles.extend(profile::of(&url).filter(|profile| !person.profiles.contains(profile)));
    }
    Some(person)
}

/// A value without its escapes.
fn plain(value: &str, parameters: &str) -> String {
    if parameters.contains("QUOTED-PRINTABLE") {
        return quoted(value);
    }
    value.replace("\\,", ",").replace("\\;", ";").replace("\\n", " ").replace("\\N", " ")
}

/// Quoted-printable, as old cards have it.
fn quoted(value: &str) -> String {
    let bytes = value.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], code) {
            (b'=', Some(byte)) => {
                plain.push(byte);
                at += 3;
            }
            (byte, _) => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_gives_a_person_and_the_card_of_a_company_none() {
        let text = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Berg;Anna;;Dr.;\r\nFN:Dr. Anna Berg\r\nORG:Muster GmbH;Vertrieb\r\nTITLE:Leiterin\r\n Vertrieb\r\nTEL;TYPE=WORK,VOICE:+49 221 1234567\r\nTEL;TYPE=FAX:+49 221 9999\r\nitem1.EMAIL;TYPE=INTERNET:anna.berg@muster.test\r\nEND:VCARD\r\n\
                    BEGIN:VCARD\r\nFN:Muster GmbH\r\nORG:Muster GmbH\r\nEND:VCARD\r\n";
        let people = people(text, "muster.test");
        assert_eq!(people.len(), 1);
        let one = &people[0];
        assert_eq!((one.name.name.as_str(), one.name.honorific.as_deref()), ("Anna Berg", Some("Dr.")));
        assert_eq!(one.emails, ["anna.berg@muster.test"]);
        assert_eq!(one.phones.len(), 1);
        assert_eq!(one.department.as_deref(), Some("Vertrieb"));
    }
}
