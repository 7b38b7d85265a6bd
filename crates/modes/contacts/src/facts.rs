//! What one page tells of a company, each value with whose it seems to be.

use contract::{ContactMethod, PhoneType};
use hashbrown::HashMap;
use urls::CanonicalUrl;

use super::address::{self, Address};
use super::id::{self, Entry};
use super::legal;
use super::linked;
use super::owner::Owners;
use super::phone::Evidence;
use super::sheet::{Sheet, Zone};
use super::social::{self, Profile};
use super::{LeadTopic, card, email, founded, lead};
use crate::vocabulary::TermList;
use html::dom::NodeId;

mod described;
mod head;

pub(crate) use described::of_cards;

/// How many names of companies of a page are kept.
const MAX_NAMES: usize = 120;

/// A value, how it was given and whose it seems to be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found<T> {
    pub value: T,
    pub method: ContactMethod,
    pub standing: Standing,
}

/// Where a value stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Standing {
    /// Under a heading or behind a label of somebody else.
    pub is_other: bool,
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
pub(crate) struct Mail {
    pub value: String,
    pub label: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Phone {
    pub raw: String,
    pub dialled: Option<String>,
    pub kind: PhoneType,
    pub evidence: Evidence,
    pub alone: bool,
}

/// A name of the company with its form, or without.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Name {
    pub name: String,
    pub form: Option<String>,
    pub place: NamePlace,
}

/// Where a name stands, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NamePlace {
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
pub(crate) struct Told {
    pub topic: Option<LeadTopic>,
    pub is_home: bool,
    /// A part of it is for making contact, and a link leads there.
    pub has_contact_part: bool,
    pub language: Option<String>,
    pub mails: Vec<Found<Mail>>,
    pub phones: Vec<Found<Phone>>,
    pub addresses: Vec<Found<Address>>,
    pub vats: Vec<Found<(String, String)>>,
    pub entries: Vec<Found<Entry>>,
    pub names: Vec<Found<Name>>,
    pub profiles: Vec<Found<Profile>>,
    /// A year or a date, and whether the words leave no doubt.
    pub founded: Vec<Found<(String, bool)>>,
    /// Names over the door: of descriptions, of the site, of the title.
    pub brands: Vec<(String, u8, ContactMethod)>,
    pub description: Option<(String, ContactMethod)>,
    pub logo: Option<(String, ContactMethod)>,
    pub cards: Vec<card::Card>,
}

/// Reads a page.
pub(crate) fn read(sheet: &Sheet<'_, '_>, url: &CanonicalUrl, base: &CanonicalUrl) -> Told {
    let owners = Owners::of(sheet);
    let strangers = strangers(sheet, &owners, url.bare_host());
    let mut told = Told {
        topic: topic(sheet, url),
        is_home: url.path() == "/" || url.path().is_empty() || is_start(url.path()),
        ..Told::default()
    };
    let standing = |line: usize, at: usize| {
        let zone = sheet.lines.get(line).map(|line| line.zone);
        Standing {
            is_other: owners.is_other(line, at),
            named: owners.named(line).map(str::to_owned),
            in_frame: matches!(zone, Some(Zone::Footer | Zone::Header | Zone::Nav | Zone::Aside)),
            section: sheet.lines.get(line).and_then(|line| line.heading),
            line,
            beside: sheet.lines.get(line).and_then(|line| strangers.get(&line.heading)).cloned(),
        }
    };
    for mail in &sheet.mails {
        told.mails.push(Found {
            value: Mail { value: mail.value.clone(), label: mail.label.clone() },
            method: mail.method,
            standing: standing(mail.line, mail.at),
        });
    }
    for phone in &sheet.phones {
        let value = Phone {
            raw: phone.raw.clone(),
            dialled: phone.dialled.clone(),
            kind: phone.kind,
            evidence: phone.evidence,
            alone: phone.alone,
        };
        told.phones.push(Found {
            value,
            method: phone.method,
            standing: standing(phone.line, phone.at),
        });
    }
    let marked = linked::marked_addresses(sheet.dom);
    for (address, node) in &marked {
        let line = sheet.lines_in(*node).start;
        told.addresses.push(Found {
            value: address.clone(),
            method: ContactMethod::Vcard,
            standing: standing(line, usize::MAX - 1),
        });
    }
    let mut tops = Vec::new();
    for seen in address::read(sheet) {
        tops.push(seen.first);
        let mut place = standing(seen.first, 0);
        // Its code tells where in the line it stands.
        let code = seen.address.postal_code.as_deref().unwrap_or_default();
        let at = sheet.lines.get(seen.last).and_then(|line| line.text.find(code));
        place.is_other |= owners.is_other(seen.last, at.unwrap_or(0));
        above(sheet, &owners, seen.first, &mut told);
        told.addresses.push(Found {
            value: seen.address,
            method: ContactMethod::Text,
            standing: place,
        });
    }
    ids(sheet, &standing, &mut told);
    names(sheet, &standing, &tops, &mut told);
    told.has_contact_part = sheet.links.iter().any(|link| {
        link.href.contains('#')
            && base.join(&link.href).is_ok_and(|to| to.page_key() == url.page_key())
            && lead::topic_of_heading(&link.text) == Some(LeadTopic::Contact)
    });
    for link in &sheet.links {
        if let Some(profile) = social::profile(&link.href)
            && told.profiles.len() < 200
        {
            let mut place = standing(link.line, link.at);
            place.in_frame =
                matches!(link.zone, Zone::Footer | Zone::Header | Zone::Nav | Zone::Aside);
            // The line before a picture alone says nothing of it from another block.
            place.is_other &= is_inside(sheet, link.line, link.node);
            told.profiles.push(Found {
                value: profile,
                method: ContactMethod::Text,
                standing: place,
            });
        }
    }
    for described in linked::organisations(sheet, url.bare_host()) {
        described::take(described, base, &mut told);
    }
    head::head(sheet.dom, base, &mut told);
    told
}

fn is_start(path: &str) -> bool {
    let inner = path.trim_matches('/');
    // "/de/", "/index.php", "/en-gb"
    (inner.len() == 2 || (inner.len() == 5 && inner.contains('-')))
        || inner.starts_with("index.")
        || inner == "home"
}

/// What a page is for, by its address, else by its first heading.
fn topic(sheet: &Sheet<'_, '_>, url: &CanonicalUrl) -> Option<LeadTopic> {
    lead::topic_of_path(url).or_else(|| {
        let first = sheet.lines.iter().find(|line| line.level == Some(1))?;
        lead::topic_of_heading(&first.text)
    })
}

/// The sections whose mailboxes are all elsewhere, with the domain of one.
fn strangers(sheet: &Sheet<'_, '_>, owners: &Owners, host: &str) -> HashMap<Option<usize>, String> {
    let mut sections: HashMap<Option<usize>, (bool, Option<String>)> = HashMap::new();
    for mail in &sheet.mails {
        let heading = sheet.lines.get(mail.line).and_then(|line| line.heading);
        // Without a heading nothing holds them together, and the page's own stands over all.
        let Some(above) = heading.and_then(|heading| sheet.lines.get(heading)) else { continue };
        if above.level == Some(1) || owners.is_other(mail.line, mail.at) {
            continue;
        }
        let domain = mail.value.split_once('@').map_or("", |(_, domain)| domain);
        let known = sections.entry(heading).or_default();
        if email::is_of(domain, host) || email::is_free_provider(domain) {
            known.0 = true;
        } else {
            known.1 = known.1.take().or_else(|| Some(domain.to_owned()));
        }
    }
    let foreign = sections.into_iter().filter(|(_, (has_own, _))| !has_own);
    foreign.filter_map(|(heading, (_, domain))| Some((heading, domain?))).collect()
}

/// Whether a node stands in the block of a line, or under its heading.
fn is_inside(sheet: &Sheet<'_, '_>, line: usize, node: NodeId) -> bool {
    let Some(line) = sheet.lines.get(line) else { return false };
    let block = sheet.dom.parent(line.node).filter(|_| line.heading.is_some()).unwrap_or(line.node);
    block <= node && node < sheet.dom.end(block)
}

/// The line just above an address names whose it is.
fn above(sheet: &Sheet<'_, '_>, owners: &Owners, first: usize, told: &mut Told) {
    let Some(line) = first.checked_sub(1).and_then(|at| Some((at, sheet.lines.get(at)?))) else {
        return;
    };
    let (at, line) = line;
    let text = line.text.trim();
    let is_name = (3..=80).contains(&text.len())
        && !text.contains(['@', ':', '?', '!', '|'])
        && !text.bytes().any(|byte| byte.is_ascii_digit())
        && text.split_whitespace().count() <= 8
        && text.chars().next().is_some_and(char::is_uppercase);
    if is_name && legal::names(text).is_empty() && told.names.len() < MAX_NAMES {
        told.names.push(Found {
            value: Name { name: text.to_owned(), form: None, place: NamePlace::AboveAddress },
            method: ContactMethod::Text,
            standing: Standing {
                is_other: owners.is_other(at, 0),
                named: None,
                in_frame: line.zone == Zone::Footer,
                section: line.heading,
                line: at,
                beside: None,
            },
        });
    }
}

fn ids(sheet: &Sheet<'_, '_>, standing: &impl Fn(usize, usize) -> Standing, told: &mut Told) {
    let (mut vats, mut entries) = (Vec::new(), Vec::new());
    for (number, line) in sheet.lines.iter().enumerate() {
        // A label in the cell beside is part of what is read.
        let beside = number.checked_sub(1).and_then(|last| sheet.lines.get(last)).filter(|last| {
            last.text.len() < 60
                && (sheet.are_beside(last, line)
                    || last.text.trim_end().ends_with(':')
                    || last.level.is_some())
        });
        match beside {
            Some(label) if line.text.len() < 200 => {
                let joined = format!("{} {}", label.text, line.text);
                id::vat_ids(&joined, number, &mut vats);
                id::entries(&joined, number, &mut entries);
            }
            _ => {
                id::vat_ids(&line.text, number, &mut vats);
                id::entries(&line.text, number, &mut entries);
            }
        }
        if let Some(year) = founded::year(&line.text) {
            told.founded.push(Found {
                value: year,
                method: ContactMethod::Text,
                standing: standing(number, 0),
            });
        }
    }
    for vat in vats {
        told.vats.push(Found {
            value: (vat.value, vat.country.to_owned()),
            method: ContactMethod::Text,
            standing: standing(vat.line, vat.at),
        });
    }
    for entry in entries {
        told.entries.push(Found {
            value: entry.entry,
            method: ContactMethod::Text,
            standing: standing(entry.line, entry.at),
        });
    }
}

fn names(
    sheet: &Sheet<'_, '_>,
    standing: &impl Fn(usize, usize) -> Standing,
    tops: &[usize],
    told: &mut Told,
) {
    for (number, line) in sheet.lines.iter().enumerate() {
        let small = line.text.to_lowercase();
        let is_copyright =
            line.text.contains('©') || small.contains("copyright") || small.contains("(c) 20");
        let says = |text: &str| {
            let text = text.trim_end().trim_end_matches([':', ' ']);
            LEGAL_NAME_LABELS.iter().any(|word| text.ends_with(word))
        };
        let heading = sheet.headings(number).next().filter(|heading| heading.len() < 60);
        let is_headed = heading.is_some_and(|heading| says(&heading.to_lowercase()));
        for found in legal::names(&line.text) {
            if told.names.len() >= MAX_NAMES {
                return;
            }
            let before = small.get(..found.from.min(small.len())).unwrap_or_default();
            let place = if is_copyright {
                NamePlace::Copyright
            } else if says(before) || (is_headed && found.from == 0) {
                NamePlace::Stated
            } else if tops.iter().any(|top| *top == number || *top == number + 1) {
                NamePlace::AboveAddress
            } else {
                NamePlace::Elsewhere
            };
            told.names.push(Found {
                value: Name { name: found.name, form: Some(found.form), place },
                method: ContactMethod::Text,
                standing: standing(number, found.from),
            });
        }
    }
}

/// Labels before a legal name, small.
static LEGAL_NAME_LABELS: TermList = phrase_list!("company/legal_name_labels.txt");
