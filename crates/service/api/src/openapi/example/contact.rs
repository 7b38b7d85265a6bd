//! The record of a domain, as the examples of the document tell it.

use contract::{
    ContactAddress, ContactCompany, ContactEmail, ContactItem, ContactMethod, ContactPerson,
    ContactPhone, ContactSocial, ContactSource, ContactStatus, Item, MailboxType, Mode,
    PersonProfile, PhoneType, ResultsPage, Seniority,
};

use super::{NOW, job_id};

pub(crate) fn results() -> ResultsPage {
    let gone = ContactItem::empty("gone.example".to_owned(), ContactStatus::Unreachable, NOW);
    ResultsPage {
        job_id: job_id(),
        mode: Mode::Contacts,
        items: vec![Item::Contact(Box::new(record())), Item::Contact(Box::new(gone))],
        total: 2,
        page: 1,
        page_size: 100,
        has_more: false,
        offset: 0,
    }
}

fn record() -> ContactItem {
    let text = |text: &str| Some(text.to_owned());
    let on = |path: &str, method| {
        vec![ContactSource { url: format!("https://www.werft.example/{path}"), method }]
    };
    let phone = |e164: &str, raw: &str, kind| ContactPhone {
        e164: text(e164),
        raw: raw.to_owned(),
        kind,
        sources: on("kontakt", ContactMethod::Text),
    };
    ContactItem {
        domain: "werft.example".to_owned(),
        status: ContactStatus::Found,
        redirected_to: None,
        company: ContactCompany {
            name: text("Werft Nord"),
            legal_name: text("Werft Nord GmbH"),
            legal_form: text("GmbH"),
            description: text("Boats of wood, built and mended."),
            registration_number: text("HRB 12345"),
            register: text("Amtsgericht Kiel"),
            vat_id: text("DE136695976"),
            founded: text("1974"),
            logo_url: text("https://www.werft.example/logo.svg"),
            sources: on("impressum", ContactMethod::Text),
        },
        emails: vec![
            ContactEmail {
                value: "info@werft.example".to_owned(),
                kind: MailboxType::Role,
                label: None,
                sources: on("impressum", ContactMethod::Mailto),
            },
            ContactEmail {
                value: "a.jensen@werft.example".to_owned(),
                kind: MailboxType::Personal,
                label: None,
                sources: on("team", ContactMethod::Deobfuscated),
            },
        ],
        phones: vec![
            phone("+494319900", "0431 9900", PhoneType::Voice),
            phone("+4943199099", "0431 990-99", PhoneType::Fax),
        ],
        addresses: vec![ContactAddress {
            raw: "Am Kai 1, 24103 Kiel".to_owned(),
            street: text("Am Kai 1"),
            city: text("Kiel"),
            region: None,
            postal_code: text("24103"),
            country: None,
            sources: on("impressum", ContactMethod::Text),
        }],
        socials: vec![ContactSocial {
            network: "linkedin".to_owned(),
            url: "https://www.linkedin.com/company/werft-nord-example".to_owned(),
            sources: on("", ContactMethod::Text),
        }],
        contact_page_url: text("https://www.werft.example/kontakt"),
        people: vec![ContactPerson {
            name: "Anna Jensen".to_owned(),
            first_name: text("Anna"),
            last_name: text("Jensen"),
            honorific: text("Dr."),
            title: text("Geschäftsführerin"),
            department: None,
            seniority: Some(Seniority::Executive),
            legal_representative: true,
            emails: vec!["a.jensen@werft.example".to_owned()],
            phones: Vec::new(),
            profiles: vec![PersonProfile {
                network: "linkedin".to_owned(),
                url: "https://www.linkedin.com/in/anna-jensen-example".to_owned(),
            }],
            confidence: 0.95,
            sources: on("team", ContactMethod::Text),
        }],
        pages_checked: 5,
        language: text("de"),
        fetched_at: NOW,
        input: text("https://www.werft.example/de/"),
    }
}
