//! Contact channels of the company: mailboxes, phone numbers, addresses, profiles.

use contract::{
    ContactAddress, ContactEmail, ContactMethod, ContactPerson, ContactPhone, ContactSocial,
    MailboxType, PhoneType,
};
use hashbrown::{HashMap, HashSet};

use super::{AggregatedPage, CompanyIdentity, MAX_VALUES, add_source};
use crate::address::PostalAddress;
use crate::email::role;
use crate::facts::{EmailFact, Extracted, PhoneFact};
use crate::phone::{DialableNumber, PhoneEvidence, resolve_number};
use crate::social::SocialProfile;
use crate::{LeadTopic, email, legal, social};
use text::vocabulary::{TermList, TermSet, TermTable};

/// The entry that `fits`, else a new one unless the list is full.
fn find_or_push<T>(
    list: &mut Vec<T>,
    fits: impl Fn(&T) -> bool,
    make: impl FnOnce() -> T,
) -> Option<&mut T> {
    let at = list.iter().position(fits).unwrap_or(list.len());
    if at == list.len() && at < MAX_VALUES {
        list.push(make());
    }
    list.get_mut(at)
}

/// Whether a mailbox belongs to the company.
fn is_company_email(
    found: &Extracted<EmailFact>,
    page: AggregatedPage<'_>,
    identity: &CompanyIdentity,
    has_own: bool,
) -> bool {
    let Some((_, domain)) = found.value.value.split_once('@') else { return false };
    if email::is_own_domain(domain, &identity.host) {
        return true;
    }
    let is_named = email::is_free_provider(domain) && identity.is_named_in(&found.value.value);
    if found.context.is_third_party
        || (!page.is_trusted() && !is_named && !identity.is_mail_domain(domain))
    {
        return false;
    }
    if identity.is_mail_domain(domain) || is_named {
        return true;
    }
    if !found.context.is_own_value(identity) || !page.is_trusted() {
        return false;
    }
    use LeadTopic as T;
    let is_central = page.facts.is_home
        || matches!(page.facts.topic, Some(T::Imprint | T::Contact | T::Team | T::About | T::Card));
    // A mailbox at another domain belongs to the company if a central page shows it and the
    // company has no mailbox at its own domain, or if the domain is a free provider.
    is_central && (email::is_free_provider(domain) || !has_own)
}

pub(super) fn emails(
    pages: &[AggregatedPage<'_>],
    identity: &CompanyIdentity,
) -> Vec<ContactEmail> {
    let all =
        || pages.iter().flat_map(|page| page.facts.mails.iter().map(move |found| (*page, found)));
    let has_own = all().any(|(_, found)| {
        let domain = found.value.value.split_once('@').map_or("", |(_, domain)| domain);
        email::is_own_domain(domain, &identity.host)
    });
    let mut emails: Vec<ContactEmail> = Vec::new();
    for (page, found) in
        all().filter(|(page, found)| is_company_email(found, *page, identity, has_own))
    {
        let EmailFact { value, label } = &found.value;
        let known = find_or_push(
            &mut emails,
            |email| email.value == *value,
            || {
                let name = value.split_once('@').map_or("", |(name, _)| name);
                let kind =
                    if role::is_personal(name) { MailboxType::Personal } else { MailboxType::Role };
                ContactEmail { value: value.clone(), kind, label: None, sources: Vec::new() }
            },
        );
        let Some(email) = known else { continue };
        add_source(&mut email.sources, page, found.method);
        if email.label.is_none() && email.kind == MailboxType::Role {
            email.label = label.as_deref().and_then(purpose);
        }
    }
    emails
}

/// Marks a mailbox as personal if the site assigns it to a person and its name is not a
/// function.
pub(super) fn mark_personal(emails: &mut [ContactEmail], people: &[ContactPerson]) {
    for email in emails {
        let name = email.value.split_once('@').map_or("", |(name, _)| name);
        let is_given = people.iter().any(|person| person.emails.contains(&email.value));
        if is_given && !role::is_role(name) {
            email.kind = MailboxType::Personal;
            email.label = None;
        }
    }
}

/// The purpose that a label gives to a mailbox. Labels that only mean "e-mail" give none.
fn purpose(label: &str) -> Option<String> {
    let label = label.trim().trim_end_matches([':', '-', '–', ' ']);
    let lower = label.to_lowercase();
    static PLAIN_LABELS: TermList = phrase_list!("email/plain_labels.txt");
    let is_plain = PLAIN_LABELS.contains(&lower.as_str());
    let has_digits = label.bytes().any(|byte| byte.is_ascii_digit());
    let fits = (2..=50).contains(&label.len())
        && label.split_whitespace().count() <= 5
        && !label.contains(['@', '.', ',', '(']);
    let ends_plain = PLAIN_LABELS
        .iter()
        .any(|word| word.len() > 3 && lower.ends_with(word) && lower.len() > word.len() + 24);
    (!is_plain && !has_digits && fits && !ends_plain).then(|| label.to_owned())
}

/// A phone number with its comparison key.
struct MergedPhone {
    phone: ContactPhone,
    key: String,
    by_label: bool,
}

fn accept_phone(
    found: &Extracted<PhoneFact>,
    page: AggregatedPage<'_>,
    identity: &CompanyIdentity,
) -> Option<Option<DialableNumber>> {
    if !found.context.is_own_value(identity) || !page.is_trusted() {
        return None;
    }
    let phone = &found.value;
    let spelled = phone.dialled.as_deref().unwrap_or(&phone.raw);
    let number = resolve_number(&[spelled, &phone.raw], &identity.countries);
    match (phone.evidence, number) {
        (PhoneEvidence::Shape, Some(number)) => {
            use LeadTopic as T;
            let topics = [T::Imprint, T::Contact, T::Locations, T::Team, T::Management, T::Press];
            let topic = page.facts.topic;
            let is_central =
                page.facts.is_home || topic.is_some_and(|topic| topics.contains(&topic));
            let is_likely = is_central || number.has_usual_groups;
            (number.is_valid && phone.alone && is_likely).then_some(Some(number))
        }
        (PhoneEvidence::Shape | PhoneEvidence::International, None) => None,
        (_, Some(number)) => Some(Some(number)),
        // Without a country only the number as written is known.
        (PhoneEvidence::Label | PhoneEvidence::Link, None) => {
            identity.countries.is_empty().then_some(None)
        }
    }
}

pub(super) fn phones(
    pages: &[AggregatedPage<'_>],
    identity: &CompanyIdentity,
) -> Vec<ContactPhone> {
    let mut merged: Vec<MergedPhone> = Vec::new();
    for page in pages {
        for found in &page.facts.phones {
            let Some(number) = accept_phone(found, *page, identity) else { continue };
            let digits: String = found.value.raw.chars().filter(char::is_ascii_digit).collect();
            let e164 = number.as_ref().map(|number| number.e164.clone());
            let key = e164.clone().unwrap_or(digits);
            let kind = kind(found, number.as_ref());
            let by_label = found.value.kind != PhoneType::Unknown;
            let known = find_or_push(
                &mut merged,
                |known| known.key == key,
                || {
                    let raw = found.value.raw.clone();
                    let phone = ContactPhone { e164, raw, kind, sources: Vec::new() };
                    MergedPhone { phone, key: key.clone(), by_label }
                },
            );
            let Some(known) = known else { continue };
            if by_label && !known.by_label {
                known.phone.kind = kind;
                known.by_label = true;
            }
            add_source(&mut known.phone.sources, *page, found.method);
        }
    }
    merged.into_iter().map(|merged| merged.phone).collect()
}

/// The type of a number: by its label, else by the numbering plan.
fn kind(found: &Extracted<PhoneFact>, number: Option<&DialableNumber>) -> PhoneType {
    let by_plan = number.map_or(PhoneType::Unknown, |number| number.kind);
    match (found.value.kind, by_plan) {
        (PhoneType::Fax, _) => PhoneType::Fax,
        (_, PhoneType::Mobile) => PhoneType::Mobile,
        (PhoneType::Unknown, PhoneType::Unknown) if found.value.evidence == PhoneEvidence::Link => {
            PhoneType::Voice
        }
        (PhoneType::Unknown, by_plan) => by_plan,
        (by_label, _) => by_label,
    }
}

static STREET_SYNONYMS: TermTable<2> = term_table!("address/street_synonyms.tsv");

/// Comparison key of a street: synonyms unified, punctuation removed.
fn street_key(street: &str) -> String {
    let lower = street
        .to_lowercase()
        .replace("straße", "str")
        .replace("strasse", "str")
        .replace("str.", "str");
    let mut key = String::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        let synonym = STREET_SYNONYMS.iter().find(|[known, _]| *known == word);
        key.push_str(synonym.map_or(word, |[_, key]| key.trim_matches('-')));
    }
    legal::comparison_key(&key)
}

fn is_same_address(one: &ContactAddress, other: &PostalAddress) -> bool {
    let compact = |text: Option<&str>| legal::comparison_key(text.unwrap_or_default());
    let streets = (
        street_key(one.street.as_deref().unwrap_or_default()),
        street_key(other.street.as_deref().unwrap_or_default()),
    );
    let same_street = streets.0 == streets.1
        || (streets.0.len() >= 6
            && streets.1.len() >= 6
            && (streets.0.contains(&streets.1) || streets.1.contains(&streets.0)));
    let codes = (compact(one.postal_code.as_deref()), compact(other.postal_code.as_deref()));
    let same_code = codes.0 == codes.1 || codes.0.is_empty() || codes.1.is_empty();
    let same_city = compact(one.city.as_deref()) == compact(other.city.as_deref());
    same_street && same_code && (same_city || !codes.0.is_empty())
}

pub(super) fn addresses(
    pages: &[AggregatedPage<'_>],
    identity: &CompanyIdentity,
) -> Vec<ContactAddress> {
    let mut addresses: Vec<ContactAddress> = Vec::new();
    for page in pages.iter().filter(|page| page.is_trusted()) {
        for found in identity.own_values(&page.facts.addresses) {
            let value = &found.value;
            let is_same = |known: &ContactAddress| is_same_address(known, value);
            let known = find_or_push(&mut addresses, is_same, || ContactAddress {
                raw: value.raw.clone(),
                street: value.street.clone(),
                city: value.city.clone(),
                region: value.region.clone(),
                postal_code: value.postal_code.clone(),
                country: value.country.clone(),
                sources: Vec::new(),
            });
            let Some(known) = known else { continue };
            add_source(&mut known.sources, *page, found.method);
            known.street = known.street.take().or_else(|| value.street.clone());
            known.region = known.region.take().or_else(|| value.region.clone());
            known.postal_code = known.postal_code.take().or_else(|| value.postal_code.clone());
            known.country = known.country.take().or_else(|| value.country.clone());
        }
    }
    addresses
}

pub(super) fn socials(
    pages: &[AggregatedPage<'_>],
    identity: &CompanyIdentity,
    people: &[ContactPerson],
) -> Vec<ContactSocial> {
    // Profiles beside a person are those of the person.
    let personal: HashSet<String> = people
        .iter()
        .flat_map(|person| &person.profiles)
        .map(|profile| social::key(&profile.url))
        .collect();
    let is_sure = |found: &Extracted<SocialProfile>| {
        found.context.in_frame
            || found.method != ContactMethod::Text
            || is_named_like_company(found, identity)
    };
    // If header, footer or name show the profile on a network, others in the content are those
    // of third parties.
    let sure: HashSet<&str> = pages
        .iter()
        .flat_map(|page| &page.facts.profiles)
        .filter(|found| is_sure(found) && !found.value.is_personal)
        .map(|found| found.value.network)
        .collect();
    // Several others on one network are those of third parties as well.
    let mut unsure: HashMap<&str, HashSet<String>> = HashMap::new();
    for found in pages.iter().flat_map(|page| &page.facts.profiles) {
        if !is_sure(found) && !found.value.is_personal {
            unsure.entry(found.value.network).or_default().insert(social::key(&found.value.url));
        }
    }
    let is_unclear = |network: &str| {
        sure.contains(network) || unsure.get(network).is_some_and(|keys| keys.len() > 1)
    };
    let mut socials: Vec<ContactSocial> = Vec::new();
    for page in pages {
        for found in page.facts.profiles.iter().filter(|found| {
            // A profile named like the company counts even beside the credits of the web
            // agency.
            !found.value.is_personal
                && (!found.context.is_third_party || is_named_like_company(found, identity))
        }) {
            let is_whatsapp = found.value.network == "whatsapp";
            if is_whatsapp || !is_of_company(found, *page, identity) {
                continue;
            }
            let key = social::key(&found.value.url);
            if !is_sure(found) && is_unclear(found.value.network) {
                continue;
            }
            if personal.contains(&key) && !is_named_like_company(found, identity) {
                continue;
            }
            let is_same = |known: &ContactSocial| social::key(&known.url) == key;
            let known = find_or_push(&mut socials, is_same, || {
                let (network, url) = (found.value.network.to_owned(), found.value.url.clone());
                ContactSocial { network, url, sources: Vec::new() }
            });
            if let Some(known) = known {
                add_source(&mut known.sources, *page, found.method);
            }
        }
    }
    socials
}

/// Whether the handle of a profile resembles the company name.
fn is_named_like_company(found: &Extracted<SocialProfile>, identity: &CompanyIdentity) -> bool {
    let name = found.value.url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    identity.is_related(&format!("{}.x", name.trim_start_matches('@')))
}

static SHARED_NETWORKS: TermSet = word_set!("social/shared_networks.txt");

/// Whether a profile belongs to the company: header, footer or structured data link to it, or
/// its handle resembles the company name.
fn is_of_company(
    found: &Extracted<SocialProfile>,
    page: AggregatedPage<'_>,
    identity: &CompanyIdentity,
) -> bool {
    let is_named_like_company = is_named_like_company(found, identity);
    let is_stated = found.method != ContactMethod::Text;
    // Some networks use the same URLs for people and companies.
    let is_shared = SHARED_NETWORKS.contains(found.value.network);
    let is_of_people = matches!(page.facts.topic, Some(LeadTopic::Team | LeadTopic::Management));
    is_named_like_company || is_stated || found.context.in_frame || (!is_shared && !is_of_people)
}
