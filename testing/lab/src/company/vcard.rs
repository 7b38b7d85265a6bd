//! vCard files for people, and the classes of hCard around an address.

use std::fmt::Write as _;

use super::firm::{MAIN, ascii};
use super::scribe::{Key, Scribe};
use super::truth::{Method, PhoneKind};

/// Writes the card of a person; its path comes back.
pub(super) fn file(scribe: &mut Scribe<'_>, number: usize) -> String {
    let person = &scribe.firm.people[number];
    let path = format!("/vcard/{}-{number}.vcf", ascii(&person.name()));
    // What a card gives stands in the card, not on the page that links to it.
    let page = std::mem::replace(&mut scribe.path, path.clone());
    let honorific = person.honorific.unwrap_or_default();
    let mut text = String::from("BEGIN:VCARD\r\nVERSION:3.0\r\n");
    let name = person.name();
    // Writing to a String cannot fail.
    let _ = write!(text, "N;CHARSET=UTF-8:{};{};;{honorific};\r\n", person.last, person.first);
    let _ = write!(text, "FN;CHARSET=UTF-8:{name}\r\nORG:{}\r\n", scribe.firm.name);
    let _ = write!(text, "TITLE;CHARSET=UTF-8:{}\r\n", person.title);
    scribe.note(Key::Person(number), Method::Vcard, &name, None);
    scribe.note(Key::Title(number), Method::Vcard, person.title, None);
    for at in &person.lines {
        let line = &scribe.firm.lines[*at];
        let Some(e164) = line.number.e164() else { continue };
        let kind = if line.kind == PhoneKind::Mobile { "CELL" } else { "WORK,VOICE" };
        let _ = write!(text, "TEL;TYPE={kind}:{e164}\r\n");
        scribe.note(Key::Line(*at), Method::Vcard, &e164, None);
        scribe.note(Key::PersonLine(number, *at), Method::Vcard, &e164, None);
    }
    if let Some(at) = person.mailbox {
        let value = scribe.firm.mailboxes[at].value.clone();
        let _ = write!(text, "EMAIL;TYPE=INTERNET:{value}\r\n");
        scribe.note(Key::Mailbox(at), Method::Vcard, &value, None);
        scribe.note(Key::PersonMailbox(number), Method::Vcard, &value, None);
    }
    text.push_str("END:VCARD\r\n");
    scribe.path = page;
    scribe.ledger.files.insert(path.clone(), text);
    path
}

/// The seat as an hCard.
pub(super) fn seat(scribe: &mut Scribe<'_>) -> String {
    let legal = scribe.legal_name();
    let place = scribe.firm.places[0].clone();
    scribe.note(
        Key::Place(0),
        Method::Microdata,
        &[&*place.street, &place.postal, &place.city].join("\n"),
        None,
    );
    let phone = scribe.phone(MAIN);
    let mail = scribe.mail(0);
    format!(
        "<div class=\"vcard\"><span class=\"fn org\">{legal}</span><br>\n<span class=\"adr\">\
         <span class=\"street-address\">{}</span><br>\n<span class=\"postal-code\">{}</span> \
         <span class=\"locality\">{}</span></span><br>\n<span class=\"tel\">{phone}</span><br>\n\
         <span class=\"email\">{mail}</span></div>\n",
        place.street, place.postal, place.city
    )
}
