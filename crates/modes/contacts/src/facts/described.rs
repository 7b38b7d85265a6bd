//! What descriptions for machines and vCard files tell, taken over into what a page tells.

use contract::{ContactMethod, PhoneType};
use urls::CanonicalUrl;

use super::{Found, Mail, Name, NamePlace, Phone, Standing, Told};
use crate::linked::Described;
use crate::phone::Evidence;
use crate::{LeadTopic, card, email, id, legal, social};

/// Takes over what machines are told.
pub(super) fn take(described: Described, base: &CanonicalUrl, told: &mut Told) {
    let Some(method) = described.method else { return };
    // One that says it is at home elsewhere is another.
    let elsewhere =
        described.url.as_deref().and_then(|url| base.join(url).ok()).is_some_and(|url| {
            let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
            let (one, other) = (bare(url.host()), bare(base.host()));
            one != other
                && !one.ends_with(&format!(".{other}"))
                && !other.ends_with(&format!(".{one}"))
        });
    let standing = || Standing { is_other: elsewhere, ..Standing::default() };
    for (value, label) in described.mails {
        told.mails.push(Found { value: Mail { value, label }, method, standing: standing() });
    }
    for (raw, is_fax) in described.phones {
        let digits = raw.bytes().filter(u8::is_ascii_digit).count();
        if (5..=17).contains(&digits) && raw.len() < 40 {
            let kind = if is_fax { PhoneType::Fax } else { PhoneType::Unknown };
            let value = Phone { raw, dialled: None, kind, evidence: Evidence::Link, alone: true };
            told.phones.push(Found { value, method, standing: standing() });
        }
    }
    for address in described.addresses {
        told.addresses.push(Found { value: address, method, standing: standing() });
    }
    for url in described.profiles {
        if let Some(profile) = social::profile(&url) {
            told.profiles.push(Found { value: profile, method, standing: standing() });
        }
    }
    if elsewhere {
        return;
    }
    if let Some(vat) = described.vat.as_deref().and_then(|vat| id::checked(vat, None)) {
        told.vats.push(Found { value: (vat.0, vat.1.to_owned()), method, standing: standing() });
    }
    if let Some(legal) = described.legal_name {
        let form = legal::form_of(&legal);
        let value = Name { name: legal, form, place: NamePlace::Stated };
        told.names.push(Found { value, method, standing: standing() });
    }
    if let Some(name) = described.name.filter(|name| name.len() <= 120) {
        if let Some(found) = legal::names(&name).pop().filter(|found| found.to == name.len()) {
            let value =
                Name { name: name.clone(), form: Some(found.form), place: NamePlace::Stated };
            told.names.push(Found { value, method, standing: standing() });
        }
        told.brands.push((name, 0, method));
    }
    if let Some(year) = described.founded.as_deref().and_then(date) {
        told.founded.push(Found { value: (year, true), method, standing: standing() });
    }
    if told.description.is_none() {
        told.description = described.description.map(|text| (text, method));
    }
    if told.logo.is_none() {
        let logo = described.logo.and_then(|logo| base.join(&logo).ok());
        told.logo = logo.map(|logo| (logo.as_str().to_owned(), method));
    }
}

/// A year, or a whole date.
fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let year = text.get(..4)?;
    let is_year = year.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = text.len() == 10
        && text.as_bytes().get(4) == Some(&b'-')
        && text.as_bytes().get(7) == Some(&b'-');
    is_year.then(|| if is_date { text.to_owned() } else { year.to_owned() })
}

/// What the cards of a file tell: companies' and persons' values alike are the company's.
pub(crate) fn of_cards(cards: Vec<card::Card>, host: &str) -> Told {
    let mut told = Told { topic: Some(LeadTopic::Card), ..Told::default() };
    let method = ContactMethod::Vcard;
    let standing = Standing::default;
    for card in &cards {
        for mail in card.mails.iter().filter_map(|mail| email::checked(mail, host)) {
            told.mails.push(Found {
                value: Mail { value: mail, label: None },
                method,
                standing: standing(),
            });
        }
        for (raw, kind) in &card.phones {
            let kind = match *kind {
                "fax" => PhoneType::Fax,
                "cell" => PhoneType::Mobile,
                _ => PhoneType::Voice,
            };
            let value = Phone {
                raw: raw.clone(),
                dialled: None,
                kind,
                evidence: Evidence::Link,
                alone: true,
            };
            told.phones.push(Found { value, method, standing: standing() });
        }
        for address in &card.addresses {
            told.addresses.push(Found { value: address.clone(), method, standing: standing() });
        }
        if let Some(name) = card.name.as_ref().filter(|_| card.is_organisation()) {
            told.brands.push((name.clone(), 1, method));
        }
        if let Some(name) = &card.organisation {
            let form = legal::form_of(name);
            if form.is_some() {
                let value = Name { name: name.clone(), form, place: NamePlace::Stated };
                told.names.push(Found { value, method, standing: standing() });
            }
        }
        let profiles = card.urls.iter().filter_map(|url| social::profile(url));
        told.profiles.extend(profiles.map(|value| Found { value, method, standing: standing() }));
    }
    told.cards = cards;
    told
}
