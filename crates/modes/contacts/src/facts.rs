//! What one page tells of a company, each value with whose it seems to be.

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
use crate::vocabulary::TermList;
use html::dom::NodeId;

mod head;
mod structured;

pub(crate) use structured::of_cards;

/// How many names of companies of a page are kept.
const MAX_NAMES: usize = 120;

/// A value, how it was given and whose it seems to be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Extracted<T> {
    pub value: T,
    pub method: ContactMethod,
    pub context: ValueContext,
}

/// Where a value stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ValueContext {
    /// Under a heading or behind a label of somebody else.
    pub is_third_party: bool,
    /// The company that is named just before it.
    pub named: Option<String>,
    /// In the frame of the page: header, footer, menu, margin.
    pub in_frame: bool,
    /// The heading it stands under.
    pub section: Option<usize>,
    /// How early on the page.
    pub line: usize,
    /// The domain of the mailboxes in its section, where none of them is the site's.
    pub beside: Option<String>,
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

/// A name of the company with its form, or without.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CompanyNameFact {
    pub name: String,
    pub form: Option<String>,
    pub place: NamePosition,
}

/// Where a name stands, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NamePosition {
    /// Behind a label that says so, or as the legal name of a description.
    Stated,
    /// In the line of the copyright.
    Copyright,
    /// Just above the postal address.
    AboveAddress,
    Elsewhere,
}

/// What one page tells of a company.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PageFacts {
    pub topic: Option<LeadTopic>,
    pub is_home: bool,
    /// A part of it is for making contact, and a link leads there.
    pub has_contact_part: bool,
    pub language: Option<String>,
    pub mails: Vec<Extracted<EmailFact>>,
    pub phones: Vec<Extracted<PhoneFact>>,
    pub addresses: Vec<Extracted<PostalAddress>>,
    pub vats: Vec<Extracted<(String, String)>>,
    pub entries: Vec<Extracted<RegisterEntry>>,
    pub names: Vec<Extracted<CompanyNameFact>>,
    pub profiles: Vec<Extracted<SocialProfile>>,
    /// A year or a date, and whether the words leave no doubt.
    pub founded: Vec<Extracted<(String, bool)>>,
    /// Names over the door: of descriptions, of the site, of the title.
    pub brands: Vec<(String, u8, ContactMethod)>,
    pub description: Option<(String, ContactMethod)>,
    pub logo: Option<(String, ContactMethod)>,
    pub cards: Vec<vcard::VCard>,
}

/// Reads a page.
pub(crate) fn read(page: &PageView<'_, '_>, url: &CanonicalUrl, base: &CanonicalUrl) -> PageFacts {
    let third_parties = ThirdPartyParts::of(page);
    let foreign_sections = foreign_sections(page, &third_parties, url.bare_host());
    let mut facts = PageFacts {
        topic: topic(page, url),
        is_home: url.path() == "/" || url.path().is_empty() || is_start(url.path()),
        ..PageFacts::default()
    };
    let context = |line: usize, at: usize| {
        let zone = page.lines.get(line).map(|line| line.zone);
        ValueContext {
            is_third_party: third_parties.is_third_party(line, at),
            named: third_parties.named(line).map(str::to_owned),
            in_frame: matches!(zone, Some(Zone::Footer | Zone::Header | Zone::Nav | Zone::Aside)),
            section: page.lines.get(line).and_then(|line| line.heading),
            line,
            beside: page
                .lines
                .get(line)
                .and_then(|line| foreign_sections.get(&line.heading))
                .cloned(),
        }
    };
    for mail in &page.mails {
        facts.mails.push(Extracted {
            value: EmailFact { value: mail.value.clone(), label: mail.label.clone() },
            method: mail.method,
            context: context(mail.line, mail.at),
        });
    }
    for phone in &page.phones {
        let value = PhoneFact {
            raw: phone.raw.clone(),
            dialled: phone.dialled.clone(),
            kind: phone.kind,
            evidence: phone.evidence,
            alone: phone.alone,
        };
        facts.phones.push(Extracted {
            value,
            method: phone.method,
            context: context(phone.line, phone.at),
        });
    }
    let marked = structured_data::marked_addresses(page.dom);
    for (address, node) in &marked {
        let line = page.lines_in(*node).start;
        facts.addresses.push(Extracted {
            value: address.clone(),
            method: ContactMethod::Vcard,
            context: context(line, usize::MAX - 1),
        });
    }
    let mut tops = Vec::new();
    for seen in address::read(page) {
        tops.push(seen.first);
        let mut place = context(seen.first, 0);
        // Its code tells where in the line it stands.
        let code = seen.address.postal_code.as_deref().unwrap_or_default();
        let at = page.lines.get(seen.last).and_then(|line| line.text.find(code));
        place.is_third_party |= third_parties.is_third_party(seen.last, at.unwrap_or(0));
        above(page, &third_parties, seen.first, &mut facts);
        facts.addresses.push(Extracted {
            value: seen.address,
            method: ContactMethod::Text,
            context: place,
        });
    }
    ids(page, &context, &mut facts);
    names(page, &context, &tops, &mut facts);
    facts.has_contact_part = page.links.iter().any(|link| {
        link.href.contains('#')
            && base.join(&link.href).is_ok_and(|to| to.page_key() == url.page_key())
            && leads::topic_of_heading(&link.text) == Some(LeadTopic::Contact)
    });
    for link in &page.links {
        if let Some(profile) = social::profile(&link.href)
            && facts.profiles.len() < 200
        {
            let mut place = context(link.line, link.at);
            place.in_frame =
                matches!(link.zone, Zone::Footer | Zone::Header | Zone::Nav | Zone::Aside);
            // The line before a picture alone says nothing of it from another block.
            place.is_third_party &= is_inside(page, link.line, link.node);
            facts.profiles.push(Extracted {
                value: profile,
                method: ContactMethod::Text,
                context: place,
            });
        }
    }
    for described in structured_data::organisations(page, url.bare_host()) {
        structured::take(described, base, &mut facts);
    }
    head::head(page.dom, base, &mut facts);
    facts
}

fn is_start(path: &str) -> bool {
    let inner = path.trim_matches('/');
    // "/de/", "/index.php", "/en-gb"
    (inner.len() == 2 || (inner.len() == 5 && inner.contains('-')))
        || inner.starts_with("index.")
        || inner == "home"
}

/// What a page is for, by its address, else by its first heading.
fn topic(page: &VisibleText<'_, '_>, url: &CanonicalUrl) -> Option<LeadTopic> {
    leads::topic_of_path(url).or_else(|| {
        let first = page.lines.iter().find(|line| line.level == Some(1))?;
        leads::topic_of_heading(&first.text)
    })
}

/// The sections whose mailboxes are all elsewhere, with the domain of one.
fn foreign_sections(
    page: &PageView<'_, '_>,
    third_parties: &ThirdPartyParts,
    host: &str,
) -> HashMap<Option<usize>, String> {
    let mut sections: HashMap<Option<usize>, (bool, Option<String>)> = HashMap::new();
    for mail in &page.mails {
        let heading = page.lines.get(mail.line).and_then(|line| line.heading);
        // Without a heading nothing holds them together, and the page's own stands over all.
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

/// Whether a node stands in the block of a line, or under its heading.
fn is_inside(page: &VisibleText<'_, '_>, line: usize, node: NodeId) -> bool {
    let Some(line) = page.lines.get(line) else { return false };
    let block = page.dom.parent(line.node).filter(|_| line.heading.is_some()).unwrap_or(line.node);
    block <= node && node < page.dom.end(block)
}

/// The line just above an address names whose it is.
fn above(
    page: &VisibleText<'_, '_>,
    third_parties: &ThirdPartyParts,
    first: usize,
    facts: &mut PageFacts,
) {
    let Some(line) = first.checked_sub(1).and_then(|at| Some((at, page.lines.get(at)?))) else {
        return;
    };
    let (at, line) = line;
    let text = line.text.trim();
    let is_name = (3..=80).contains(&text.len())
        && !text.contains(['@', ':', '?', '!', '|'])
        && !text.bytes().any(|byte| byte.is_ascii_digit())
        && text.split_whitespace().count() <= 8
        && text.chars().next().is_some_and(char::is_uppercase);
    if is_name && legal::names(text).is_empty() && facts.names.len() < MAX_NAMES {
        facts.names.push(Extracted {
            value: CompanyNameFact {
                name: text.to_owned(),
                form: None,
                place: NamePosition::AboveAddress,
            },
            method: ContactMethod::Text,
            context: ValueContext {
                is_third_party: third_parties.is_third_party(at, 0),
                named: None,
                in_frame: line.zone == Zone::Footer,
                section: line.heading,
                line: at,
                beside: None,
            },
        });
    }
}

fn ids(
    page: &VisibleText<'_, '_>,
    context: &impl Fn(usize, usize) -> ValueContext,
    facts: &mut PageFacts,
) {
    let (mut vats, mut entries) = (Vec::new(), Vec::new());
    for (number, line) in page.lines.iter().enumerate() {
        // A label in the cell beside is part of what is read.
        let beside = number.checked_sub(1).and_then(|last| page.lines.get(last)).filter(|last| {
            last.text.len() < 60
                && (page.are_beside(last, line)
                    || last.text.trim_end().ends_with(':')
                    || last.level.is_some())
        });
        match beside {
            Some(label) if line.text.len() < 200 => {
                let joined = format!("{} {}", label.text, line.text);
                company_id::vat_ids(&joined, number, &mut vats);
                company_id::entries(&joined, number, &mut entries);
            }
            _ => {
                company_id::vat_ids(&line.text, number, &mut vats);
                company_id::entries(&line.text, number, &mut entries);
            }
        }
        if let Some(year) = founded::year(&line.text) {
            facts.founded.push(Extracted {
                value: year,
                method: ContactMethod::Text,
                context: context(number, 0),
            });
        }
    }
    for vat in vats {
        facts.vats.push(Extracted {
            value: (vat.value, vat.country.to_owned()),
            method: ContactMethod::Text,
            context: context(vat.line, vat.at),
        });
    }
    for entry in entries {
        facts.entries.push(Extracted {
            value: entry.entry,
            method: ContactMethod::Text,
            context: context(entry.line, entry.at),
        });
    }
}

fn names(
    page: &VisibleText<'_, '_>,
    context: &impl Fn(usize, usize) -> ValueContext,
    tops: &[usize],
    facts: &mut PageFacts,
) {
    for (number, line) in page.lines.iter().enumerate() {
        let small = line.text.to_lowercase();
        let is_copyright =
            line.text.contains('©') || small.contains("copyright") || small.contains("(c) 20");
        let says = |text: &str| {
            let text = text.trim_end().trim_end_matches([':', ' ']);
            LEGAL_NAME_LABELS.iter().any(|word| text.ends_with(word))
        };
        let heading = page.headings(number).next().filter(|heading| heading.len() < 60);
        let is_headed = heading.is_some_and(|heading| says(&heading.to_lowercase()));
        for found in legal::names(&line.text) {
            if facts.names.len() >= MAX_NAMES {
                return;
            }
            let before = small.get(..found.from.min(small.len())).unwrap_or_default();
            let place = if is_copyright {
                NamePosition::Copyright
            } else if says(before) || (is_headed && found.from == 0) {
                NamePosition::Stated
            } else if tops.iter().any(|top| *top == number || *top == number + 1) {
                NamePosition::AboveAddress
            } else {
                NamePosition::Elsewhere
            };
            facts.names.push(Extracted {
                value: CompanyNameFact { name: found.name, form: Some(found.form), place },
                method: ContactMethod::Text,
                context: context(number, found.from),
            });
        }
    }
}

/// Labels before a legal name, small.
static LEGAL_NAME_LABELS: TermList = phrase_list!("company/legal_name_labels.txt");
