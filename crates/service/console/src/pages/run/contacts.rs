//! Results of `contacts`: a card for each domain.

use contract::{
    ContactItem, ContactMethod, ContactPerson, ContactSource, ContactStatus, PhoneType,
};
use maud::{Markup, html};

use crate::link::link_as;
use crate::number_format::count;

/// Number of people that are shown at once.
const FEW: usize = 4;

/// Domains with data as cards, and the others as a list below them: an empty card would leave a hole.
pub(super) fn cards(items: &[ContactItem]) -> Markup {
    let (with_data, without): (Vec<_>, Vec<_>) =
        items.iter().partition(|item| has_data(item.status));
    html! {
        @if !with_data.is_empty() { div.cards.uneven { @for item in with_data { (card(item)) } } }
        @if !without.is_empty() {
            section.panel.without aria-labelledby="without-title" {
                h2 id="without-title" { "Domains without contact data" }
                ul {
                    @for item in without {
                        li {
                            (domain(item)) " " (status(item.status))
                            @if let Some(other) = &item.redirected_to { " → " (other) }
                        }
                    }
                }
            }
        }
    }
}

fn has_data(status: ContactStatus) -> bool {
    match status {
        ContactStatus::Found | ContactStatus::Partial => true,
        ContactStatus::Blocked
        | ContactStatus::Unreachable
        | ContactStatus::None
        | ContactStatus::Parked => false,
    }
}

fn domain(item: &ContactItem) -> Markup {
    link_as(&format!("https://{}/", item.domain), &item.domain)
}

fn phone_name(kind: PhoneType) -> &'static str {
    match kind {
        PhoneType::Voice | PhoneType::Unknown => "Phone",
        PhoneType::Fax => "Fax",
        PhoneType::Mobile => "Mobile",
    }
}

/// The name of a network as it writes it.
fn network_name(network: &str) -> String {
    let known = match network {
        "github" => "GitHub",
        "gitlab" => "GitLab",
        "linkedin" => "LinkedIn",
        "orcid" => "ORCID",
        "soundcloud" => "SoundCloud",
        "tiktok" => "TikTok",
        "tripadvisor" => "TripAdvisor",
        "whatsapp" => "WhatsApp",
        "xing" => "XING",
        "youtube" => "YouTube",
        other => {
            let mut letters = other.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            return first.chain(letters).collect();
        }
    };
    known.to_owned()
}

fn card(item: &ContactItem) -> Markup {
    let company = &item.company;
    let name = company.name.as_deref().or(company.legal_name.as_deref());
    html! {
        article.card {
            h2 {
                @match name { Some(name) => (name), None => (domain(item)) }
                " " (status(item.status))
            }
            @if name.is_some() || item.redirected_to.is_some() {
                p {
                    @if name.is_some() { (domain(item)) }
                    @if let Some(other) = &item.redirected_to { " → " (other) }
                }
            }
            @if let Some(description) = &company.description { p { (description) } }
            dl.pairs {
                (pair("Legal name", company.legal_name.as_deref()))
                (pair("Register", company.register.as_deref()))
                (pair("Number", company.registration_number.as_deref()))
                (pair("VAT", company.vat_id.as_deref()))
                (pair("Founded", company.founded.as_deref()))
                @for email in &item.emails {
                    dt { "E-mail" }
                    dd {
                        (email.value)
                        @if let Some(label) = &email.label { " (" (label) ")" }
                        " " (source(&email.sources))
                    }
                }
                @for phone in &item.phones {
                    dt { (phone_name(phone.kind)) }
                    dd { (phone.e164.as_deref().unwrap_or(&phone.raw)) " " (source(&phone.sources)) }
                }
                @for address in &item.addresses {
                    dt { "Address" } dd { (address.raw) " " (source(&address.sources)) }
                }
                @for social in &item.socials {
                    dt { (network_name(&social.network)) } dd { (link_as(&social.url, &social.url)) }
                }
            }
            @if !item.people.is_empty() {
                details.more open[item.people.len() <= FEW] {
                    summary { (count(item.people.len() as u64, "person", "people")) }
                    ul { @for person in &item.people { li { (of_person(person)) } } }
                }
            }
            p.source {
                (count(u64::from(item.pages_checked), "page", "pages")) " read"
                @if let Some(url) = &item.contact_page_url { " · " (link_as(url, "contact page")) }
            }
        }
    }
}

fn of_person(person: &ContactPerson) -> Markup {
    html! {
        b { @if let Some(honorific) = &person.honorific { (honorific) " " } (person.name) }
        @if let Some(title) = &person.title { ", " (title) }
        @if person.legal_representative { " " span.chip { "Legal representative" } }
        @for text in person.emails.iter().chain(&person.phones) { br; (text) }
        @for profile in &person.profiles { br; (link_as(&profile.url, &format!("Profile at {}", network_name(&profile.network)))) }
        @if let Some(found) = person.sources.first() { " " (source_link(&found.url, found.method)) }
    }
}

fn status(status: ContactStatus) -> Markup {
    let tone = match status {
        ContactStatus::Found => "chip good",
        ContactStatus::Partial => "chip warn",
        ContactStatus::Blocked | ContactStatus::Unreachable => "chip bad",
        ContactStatus::None | ContactStatus::Parked => "chip",
    };
    html! { span class=(tone) { (status) } }
}

fn pair(name: &str, value: Option<&str>) -> Markup {
    html! { @if let Some(value) = value { dt { (name) } dd { (value) } } }
}

/// The page of a value and the method that found it.
fn source(sources: &[ContactSource]) -> Markup {
    html! {
        @if let Some(source) = sources.first() { (source_link(&source.url, source.method)) }
    }
}

fn source_link(url: &str, method: ContactMethod) -> Markup {
    html! { span.source title=(url) { (link_as(url, method.as_str())) } }
}

#[cfg(test)]
mod tests {
    use contract::{
        ContactEmail, ContactSocial, MailboxType, Millis, PersonContextKind, PersonProfile,
        PersonSource,
    };

    use super::*;

    #[test]
    fn networks_have_their_names() {
        assert_eq!(["linkedin", "facebook"].map(network_name), ["LinkedIn", "Facebook"]);
        assert_eq!(network_name(""), "");
    }

    #[test]
    fn company_data_is_escaped() {
        let evil = "\"><script>alert(1)</script>".to_owned();
        let script = "javascript:alert(1)".to_owned();
        let sources = vec![ContactSource { url: script.clone(), method: ContactMethod::Text }];
        let mut item = ContactItem::empty(evil.clone(), ContactStatus::Found, Millis(0));
        item.redirected_to = Some(evil.clone());
        item.company.name = Some(evil.clone());
        item.company.description = Some(evil.clone());
        item.contact_page_url = Some(script.clone());
        item.emails.push(ContactEmail {
            value: evil.clone(),
            kind: MailboxType::Role,
            label: Some(evil.clone()),
            sources: sources.clone(),
        });
        item.socials.push(ContactSocial { network: evil.clone(), url: script.clone(), sources });
        item.people.push(ContactPerson {
            name: evil.clone(),
            first_name: None,
            last_name: None,
            honorific: Some(evil.clone()),
            title: Some(evil.clone()),
            department: None,
            seniority: None,
            legal_representative: true,
            emails: vec![evil.clone()],
            phones: vec![evil.clone()],
            profiles: vec![PersonProfile { network: evil, url: script.clone() }],
            confidence: 1.0,
            sources: vec![PersonSource {
                url: script,
                method: ContactMethod::Text,
                context: Some(PersonContextKind::Card),
            }],
        });
        let mut empty =
            ContactItem::empty("<b>.test".to_owned(), ContactStatus::Blocked, Millis(0));
        empty.redirected_to = Some("<script>".to_owned());
        let shown = cards(&[item, empty]).into_string();
        assert!(shown.contains("Domains without contact data"));
        for forbidden in ["<script", "href", "onclick"] {
            assert!(!shown.contains(forbidden), "{forbidden}: {shown}");
        }
    }
}
