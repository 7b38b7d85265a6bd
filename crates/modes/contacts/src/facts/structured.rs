//! Facts from structured data and vCard files.

use contract::{ContactMethod, PhoneType};
use hashbrown::HashSet;
use urls::CanonicalUrl;

use super::{CompanyNameFact, EmailFact, Extracted, PageFacts, PhoneFact, ValueContext};
use crate::host_label::main_label;
use crate::structured_data::OrganizationData;
use crate::{LeadTopic, company_id, email, legal, social, vcard};

/// Minimum organizations with other names than the site's that make a page a directory.
const MIN_LISTED: usize = 3;

/// Whether the structured data of a page describe several other companies.
pub(super) fn is_directory(organizations: &[OrganizationData], host: &str) -> bool {
    let others = organizations.iter().filter(|one| !is_named_like(one, host));
    let names = others.filter_map(|one| Some(legal::comparison_key(one.name.as_deref()?)));
    names.collect::<HashSet<_>>().len() >= MIN_LISTED
}

/// Whether the name of an organization resembles the host, as names of branches do.
pub(super) fn is_named_like(organization: &OrganizationData, host: &str) -> bool {
    let own = legal::comparison_key(main_label(host));
    let name = legal::comparison_key(organization.name.as_deref().unwrap_or_default());
    let start: String = name.chars().take(5).collect();
    own.contains(&name) || name.contains(&own) || start.len() == 5 && own.starts_with(&start)
}

/// Adds the facts of an organization in structured data. `is_listed` if it is an entry of a
/// directory.
pub(super) fn add_organization(
    organization: OrganizationData,
    base: &CanonicalUrl,
    is_listed: bool,
    facts: &mut PageFacts,
) {
    let Some(method) = organization.method else { return };
    // An organization with a URL on another site is a third party.
    let elsewhere = is_listed
        || organization.url.as_deref().and_then(|url| base.join(url).ok()).is_some_and(|url| {
            let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
            let (one, other) = (bare(url.host()), bare(base.host()));
            one != other
                && !one.ends_with(&format!(".{other}"))
                && !other.ends_with(&format!(".{one}"))
        });
    let context = || ValueContext { is_third_party: elsewhere, ..ValueContext::default() };
    for (value, label) in organization.mails {
        facts.mails.push(Extracted::new(EmailFact { value, label }, method, context()));
    }
    for (raw, is_fax) in organization.phones {
        let digits = raw.bytes().filter(u8::is_ascii_digit).count();
        if (5..=17).contains(&digits) && raw.len() < 40 {
            let kind = if is_fax { PhoneType::Fax } else { PhoneType::Unknown };
            facts.phones.push(Extracted::new(PhoneFact::stated(raw, kind), method, context()));
        }
    }
    for address in organization.addresses {
        facts.addresses.push(Extracted::new(address, method, context()));
    }
    for url in organization.profiles {
        if let Some(profile) = social::profile(&url) {
            facts.profiles.push(Extracted::new(profile, method, context()));
        }
    }
    if elsewhere {
        return;
    }
    if let Some(vat) =
        organization.vat.as_deref().and_then(|vat| company_id::validate_vat_id(vat, None))
    {
        facts.vats.push(Extracted::new((vat.0, vat.1.to_owned()), method, context()));
    }
    if let Some(legal) = organization.legal_name {
        let form = legal::form_of(&legal);
        facts.names.push(Extracted::new(CompanyNameFact::stated(legal, form), method, context()));
    }
    if let Some(name) = organization.name.filter(|name| name.len() <= 120) {
        if let Some(found) = legal::find_names(&name).pop().filter(|found| found.to == name.len()) {
            let value = CompanyNameFact::stated(name.clone(), Some(found.form));
            facts.names.push(Extracted::new(value, method, context()));
        }
        facts.brands.push((name, 0, method));
    }
    if let Some(year) = organization.founded.as_deref().and_then(date) {
        facts.founded.push(Extracted::new((year, true), method, context()));
    }
    if facts.description.is_none() {
        facts.description = organization.description.map(|text| (text, method));
    }
    if facts.logo.is_none() {
        let logo = organization.logo.and_then(|logo| base.join(&logo).ok());
        facts.logo = logo.map(|logo| (logo.as_str().to_owned(), method));
    }
}

/// A year, or a complete date.
fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let year = text.get(..4)?;
    let is_year = year.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = text.len() == 10
        && text.as_bytes().get(4) == Some(&b'-')
        && text.as_bytes().get(7) == Some(&b'-');
    is_year.then(|| if is_date { text.to_owned() } else { year.to_owned() })
}

/// The facts of vCards. Values of companies and of people both count for the company.
pub(crate) fn from_vcards(cards: Vec<vcard::VCard>, host: &str) -> PageFacts {
    let mut facts = PageFacts { topic: Some(LeadTopic::Card), ..PageFacts::default() };
    let method = ContactMethod::Vcard;
    let context = ValueContext::default;
    for card in &cards {
        for mail in card.mails.iter().filter_map(|mail| email::normalize(mail, host)) {
            let value = EmailFact { value: mail, label: None };
            facts.mails.push(Extracted::new(value, method, context()));
        }
        for (raw, kind) in &card.phones {
            let kind = match *kind {
                "fax" => PhoneType::Fax,
                "cell" => PhoneType::Mobile,
                _ => PhoneType::Voice,
            };
            let value = PhoneFact::stated(raw.clone(), kind);
            facts.phones.push(Extracted::new(value, method, context()));
        }
        for address in &card.addresses {
            facts.addresses.push(Extracted::new(address.clone(), method, context()));
        }
        if let Some(name) = card.name.as_ref().filter(|_| card.is_organization()) {
            facts.brands.push((name.clone(), 1, method));
        }
        if let Some(name) = &card.organization {
            let form = legal::form_of(name);
            if form.is_some() {
                let value = CompanyNameFact::stated(name.clone(), form);
                facts.names.push(Extracted::new(value, method, context()));
            }
        }
        let profiles = card.urls.iter().filter_map(|url| social::profile(url));
        facts.profiles.extend(profiles.map(|value| Extracted::new(value, method, context())));
    }
    facts.cards = cards;
    facts
}
