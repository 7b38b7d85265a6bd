//! The facts that one page states about a company, each with its context.

use std::borrow::Cow;

use contract::{ContactMethod, PhoneType};
use hashbrown::HashMap;
use urls::CanonicalUrl;

use super::address::{self, PostalAddress};
use super::company_id::{self, RegisterEntry};
use super::legal;
use super::page_view::PageView;
use super::phone::PhoneEvidence;
use super::social::{self, SocialProfile};
use super::structured_data;
use super::third_party::ThirdPartyParts;
use super::visible_text::{VisibleText, Zone};
use super::{LeadTopic, email, founded, leads, vcard};
use html::dom::{Element, NodeId};
use text::vocabulary::TermList;

mod head;
mod structured;

pub(crate) use structured::from_vcards;

/// Maximum company names per page.
const MAX_NAMES: usize = 120;

/// A value, its method of extraction and its context.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Extracted<T> {
    pub value: T,
    pub method: ContactMethod,
    pub context: ValueContext,
}

impl<T> Extracted<T> {
    pub fn new(value: T, method: ContactMethod, context: ValueContext) -> Self {
        Self { value, method, context }
    }
}

/// The position of a value on the page, and who it may belong to.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ValueContext {
    /// A heading or a label introduces a third party.
    pub is_third_party: bool,
    /// The company that is named just before the value.
    pub named: Option<String>,
    /// The value is in the header, footer, navigation or sidebar.
    pub in_frame: bool,
    /// Line of the heading above the value.
    pub section: Option<usize>,
    /// Line number on the page.
    pub line: usize,
    /// Domain of the mailboxes in the section, if none of them is at the domain of the site.
    pub section_domain: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EmailFact {
    pub value: String,
    pub label: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PhoneFact {
    pub raw: String,
    pub dialled: Option<String>,
    pub kind: PhoneType,
    pub evidence: PhoneEvidence,
    pub alone: bool,
}

impl PhoneFact {
    /// A number that structured data or a vCard states.
    fn stated(raw: String, kind: PhoneType) -> Self {
        Self { raw, dialled: None, kind, evidence: PhoneEvidence::Link, alone: true }
    }
}

/// A company name, with its legal form if it has one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CompanyNameFact {
    pub name: String,
    pub form: Option<String>,
    pub position: NamePosition,
}

impl CompanyNameFact {
    fn stated(name: String, form: Option<String>) -> Self {
        Self { name, form, position: NamePosition::Stated }
    }
}

/// Position of a company name, the most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NamePosition {
    /// After a label for legal names, or as `legalName` of structured data.
    Stated,
    /// In the copyright line of the page.
    Copyright,
    /// Just above the postal address.
    AboveAddress,
    Elsewhere,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PageFacts {
    pub topic: Option<LeadTopic>,
    pub is_home: bool,
    /// The page links to a contact section within itself.
    pub has_contact_section: bool,
    pub language: Option<String>,
    pub mails: Vec<Extracted<EmailFact>>,
    pub phones: Vec<Extracted<PhoneFact>>,
    pub addresses: Vec<Extracted<PostalAddress>>,
    pub vats: Vec<Extracted<(String, String)>>,
    pub entries: Vec<Extracted<RegisterEntry>>,
    pub names: Vec<Extracted<CompanyNameFact>>,
    pub profiles: Vec<Extracted<SocialProfile>>,
    /// Year or date, and whether the wording is unambiguous.
    pub founded: Vec<Extracted<(String, bool)>>,
    /// Brand names from structured data, metadata, logo and title, with a rank (0 is best).
    pub brands: Vec<(String, u8, ContactMethod)>,
    pub description: Option<(String, ContactMethod)>,
    pub logo: Option<(String, ContactMethod)>,
    pub cards: Vec<vcard::VCard>,
}

/// Reads the facts of a page. Relative links are resolved against `base`.
pub(crate) fn read(page: &PageView<'_, '_>, url: &CanonicalUrl, base: &CanonicalUrl) -> PageFacts {
    let third_parties = ThirdPartyParts::of(page, url.bare_host());
    let foreign_sections = foreign_sections(page, &third_parties, url.bare_host());
    let mut facts = PageFacts {
        topic: topic(page, url),
        is_home: url.path() == "/" || url.path().is_empty() || is_home_path(url.path()),
        ..PageFacts::default()
    };
    let context = |line: usize, at: usize| {
        let own = page.lines.get(line);
        ValueContext {
            is_third_party: third_parties.is_third_party(line, at),
            named: third_parties.named(line, at).map(str::to_owned),
            in_frame: own.is_some_and(|own| own.zone.is_frame()),
            section: own.and_then(|own| own.heading),
            line,
            section_domain: own.and_then(|own| foreign_sections.get(&own.heading)).cloned(),
        }
    };
    for mail in &page.mails {
        let value = EmailFact { value: mail.value.clone(), label: mail.label.clone() };
        facts.mails.push(Extracted::new(value, mail.method, context(mail.line, mail.at)));
    }
    for phone in &page.phones {
        let value = PhoneFact {
            raw: phone.raw.clone(),
            dialled: phone.dialled.clone(),
            kind: phone.kind,
            evidence: phone.evidence,
            alone: phone.alone,
        };
        facts.phones.push(Extracted::new(value, phone.method, context(phone.line, phone.at)));
    }
    for (address, node) in structured_data::hcard_addresses(page.dom) {
        let found_at = context(page.lines_in(node).start, usize::MAX - 1);
        facts.addresses.push(Extracted::new(address, ContactMethod::Vcard, found_at));
    }
    let mut address_lines = Vec::new();
    for seen in address::read(page) {
        address_lines.push(seen.first);
        let street = seen.address.street.as_deref().unwrap_or_default();
        let street = street.split(", ").next().unwrap_or_default();
        let start = page.lines.get(seen.first).and_then(|line| line.text.find(street));
        let mut found_at = context(seen.first, start.unwrap_or(0));
        // The postal code gives the position in the line.
        let code = seen.address.postal_code.as_deref().unwrap_or_default();
        let at = page.lines.get(seen.last).and_then(|line| line.text.find(code));
        found_at.is_third_party |= third_parties.is_third_party(seen.last, at.unwrap_or(0));
        name_above_address(page, &third_parties, seen.first, &mut facts);
        facts.addresses.push(Extracted::new(seen.address, ContactMethod::Text, found_at));
    }
    find_ids(page, &context, &mut facts);
    find_company_names(page, &context, &address_lines, &mut facts);
    facts.has_contact_section = page.links.iter().any(|link| {
        link.href.contains('#')
            && base.join(&link.href).is_ok_and(|to| to.page_key() == url.page_key())
            && leads::topic_of_heading(&link.text) == Some(LeadTopic::Contact)
    });
    for link in &page.links {
        if let Some(profile) = social::profile(&link.href)
            && facts.profiles.len() < 200
        {
            let mut found_at = context(link.line, link.at);
            found_at.in_frame = link.zone.is_frame();
            // A line in another block does not describe a picture link.
            found_at.is_third_party &= is_inside(page, link.line, link.node);
            facts.profiles.push(Extracted::new(profile, ContactMethod::Text, found_at));
        }
    }
    let organizations = structured_data::organizations(page, url.bare_host());
    let is_directory = structured::is_directory(&organizations, url.bare_host());
    for described in organizations {
        let is_listed = is_directory && !structured::is_named_like(&described, url.bare_host());
        structured::add_organization(described, base, is_listed, &mut facts);
    }
    head::head(page.dom, base, &mut facts);
    facts
}

fn is_home_path(path: &str) -> bool {
    let inner = path.trim_matches('/');
    // "/de/", "/index.php", "/en-gb"
    (inner.len() == 2 || (inner.len() == 5 && inner.contains('-')))
        || inner.starts_with("index.")
        || inner == "home"
}

/// The topic of a page: by its URL, else by its first heading.
fn topic(page: &VisibleText<'_, '_>, url: &CanonicalUrl) -> Option<LeadTopic> {
    leads::topic_of_path(url).or_else(|| {
        let first = page.lines.iter().find(|line| line.level == Some(1))?;
        leads::topic_of_heading(&first.text)
    })
}

/// Sections whose mailboxes are all at other domains, with one of these domains.
fn foreign_sections(
    page: &PageView<'_, '_>,
    third_parties: &ThirdPartyParts,
    host: &str,
) -> HashMap<Option<usize>, String> {
    let mut sections: HashMap<Option<usize>, (bool, Option<String>)> = HashMap::new();
    for mail in &page.mails {
        let heading = page.lines.get(mail.line).and_then(|line| line.heading);
        // Without a heading there is no section, and the main heading covers the whole page.
        let Some(above) = heading.and_then(|heading| page.lines.get(heading)) else { continue };
        if above.level == Some(1) || third_parties.is_third_party(mail.line, mail.at) {
            continue;
        }
        let domain = mail.value.split_once('@').map_or("", |(_, domain)| domain);
        let known = sections.entry(heading).or_default();
        if email::is_own_domain(domain, host) || email::is_free_provider(domain) {
            known.0 = true;
        } else {
            known.1 = known.1.take().or_else(|| Some(domain.to_owned()));
        }
    }
    let foreign = sections.into_iter().filter(|(_, (has_own, _))| !has_own);
    foreign.filter_map(|(heading, (_, domain))| Some((heading, domain?))).collect()
}

/// Whether a node is in the block of a line, or under its heading.
fn is_inside(page: &VisibleText<'_, '_>, line: usize, node: NodeId) -> bool {
    let Some(line) = page.lines.get(line) else { return false };
    let block = page.dom.parent(line.node).filter(|_| line.heading.is_some()).unwrap_or(line.node);
    page.dom.contains(block, node)
}

/// Adds the line just above an address as a possible company name.
fn name_above_address(
    page: &VisibleText<'_, '_>,
    third_parties: &ThirdPartyParts,
    first: usize,
    facts: &mut PageFacts,
) {
    let Some(at) = first.checked_sub(1) else { return };
    let Some(line) = page.lines.get(at) else { return };
    let text = line.text.trim();
    let is_name = (3..=80).contains(&text.len())
        && !text.contains(['@', ':', '?', '!', '|'])
        && !text.bytes().any(|byte| byte.is_ascii_digit())
        && text.split_whitespace().count() <= 8
        && text.chars().next().is_some_and(char::is_uppercase);
    if is_name && legal::find_names(text).is_empty() && facts.names.len() < MAX_NAMES {
        let position = NamePosition::AboveAddress;
        let value = CompanyNameFact { name: text.to_owned(), form: None, position };
        let context = ValueContext {
            is_third_party: third_parties.is_third_party(at, 0),
            in_frame: line.zone == Zone::Footer,
            section: line.heading,
            line: at,
            ..ValueContext::default()
        };
        facts.names.push(Extracted::new(value, ContactMethod::Text, context));
    }
}

fn find_ids(
    page: &VisibleText<'_, '_>,
    context: &impl Fn(usize, usize) -> ValueContext,
    facts: &mut PageFacts,
) {
    let (mut vats, mut entries) = (Vec::new(), Vec::new());
    for (number, line) in page.lines.iter().enumerate() {
        // A label in the cell beside is read together with the line.
        let label_line =
            number.checked_sub(1).and_then(|last| page.lines.get(last)).filter(|last| {
                last.text.len() < 60
                    && (page.are_beside(last, line)
                        || last.text.trim_end().ends_with(':')
                        || last.level.is_some())
            });
        let text = match label_line {
            Some(label) if line.text.len() < 200 => {
                Cow::Owned(format!("{} {}", label.text, line.text))
            }
            _ => Cow::Borrowed(line.text.as_str()),
        };
        company_id::find_vat_ids(&text, number, &mut vats);
        company_id::find_entries(&text, number, &mut entries);
        if let Some(year) = founded::year(&line.text) {
            facts.founded.push(Extracted::new(year, ContactMethod::Text, context(number, 0)));
        }
    }
    for vat in vats {
        let value = (vat.value, vat.country.to_owned());
        facts.vats.push(Extracted::new(value, ContactMethod::Text, context(vat.line, vat.at)));
    }
    for entry in entries {
        let found_at = context(entry.line, entry.at);
        facts.entries.push(Extracted::new(entry.entry, ContactMethod::Text, found_at));
    }
}

fn find_company_names(
    page: &VisibleText<'_, '_>,
    context: &impl Fn(usize, usize) -> ValueContext,
    address_lines: &[usize],
    facts: &mut PageFacts,
) {
    for (number, line) in page.lines.iter().enumerate() {
        let lower = line.text.to_lowercase();
        let is_copyright =
            line.text.contains('©') || lower.contains("copyright") || lower.contains("(c) 20");
        // Preformatted text is that of a document or a program, with the names of its authors.
        let mut around = page.dom.self_and_ancestors(line.node);
        if is_copyright && around.any(|id| page.dom.is(id, Element::Pre)) {
            continue;
        }
        let says = |text: &str| {
            let text = text.trim_end().trim_end_matches([':', ' ']);
            LEGAL_NAME_LABELS.iter().any(|word| text.ends_with(word))
        };
        if is_copyright && let Some(name) = copyright_owner(&line.text) {
            facts.brands.push((name.to_owned(), 2, ContactMethod::Text));
        }
        let heading = page.headings(number).next().filter(|heading| heading.len() < 60);
        let is_headed = heading.is_some_and(|heading| says(&heading.to_lowercase()));
        for found in legal::find_names(&line.text) {
            if facts.names.len() >= MAX_NAMES {
                return;
            }
            let before = lower.get(..found.from.min(lower.len())).unwrap_or_default();
            let position = if is_copyright {
                NamePosition::Copyright
            } else if says(before) || (is_headed && found.from == 0) {
                NamePosition::Stated
            } else if address_lines.iter().any(|top| *top == number || *top == number + 1) {
                NamePosition::AboveAddress
            } else {
                NamePosition::Elsewhere
            };
            let value = CompanyNameFact { name: found.name, form: Some(found.form), position };
            let found_at = context(number, found.from);
            facts.names.push(Extracted::new(value, ContactMethod::Text, found_at));
        }
    }
}

/// The name in a copyright line, between the years and the reservation of rights.
fn copyright_owner(text: &str) -> Option<&str> {
    let start = text.rfind('©').map(|at| at + '©'.len_utf8());
    let start = start.or_else(|| text.to_ascii_lowercase().find("copyright").map(|at| at + 9))?;
    let is_edge = |c: char| c.is_ascii_digit() || c.is_whitespace() || "-–—,.|:()".contains(c);
    let rest = text.get(start..)?.trim_start_matches(is_edge);
    let rest = rest.strip_prefix("Copyright").unwrap_or(rest).trim_start_matches(is_edge);
    let rest = rest.strip_prefix("by ").unwrap_or(rest);
    let mark = rest.find(['|', '.', '·', '•', '©']).unwrap_or(rest.len());
    let rights = rest.to_ascii_lowercase().find(" all rights").unwrap_or(rest.len());
    let end = mark.min(rights);
    let name = rest.get(..end)?.trim_end_matches(is_edge);
    let words = name.split_whitespace().count();
    let is_name = name.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    (is_name && (3..=60).contains(&name.len()) && (1..=6).contains(&words)).then_some(name)
}

static LEGAL_NAME_LABELS: TermList = phrase_list!("company/legal_name_labels.txt");
