//! What one page tells of a company, each value with whose it seems to be.

use contract::{ContactMethod, PhoneType};
use site::CanonicalUrl;

use super::address::{self, Address};
use super::id::{self, Entry};
use super::legal;
use super::linked::{self, Described};
use super::owner::Owners;
use super::phone::Evidence;
use super::sheet::{Sheet, Zone};
use super::social::{self, Profile};
use super::{LeadTopic, card, lead};
use crate::dom::{Dom, Element, NodeId};
use crate::text::Collapsed;

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
    pub in_footer: bool,
    /// How early on the page.
    pub line: usize,
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
    pub language: Option<String>,
    pub mails: Vec<Found<Mail>>,
    pub phones: Vec<Found<Phone>>,
    pub addresses: Vec<Found<Address>>,
    pub vats: Vec<Found<(String, String)>>,
    pub entries: Vec<Found<Entry>>,
    pub names: Vec<Found<Name>>,
    pub profiles: Vec<Found<Profile>>,
    pub founded: Vec<Found<String>>,
    /// Names over the door: of descriptions, of the site, of the title.
    pub brands: Vec<(String, u8, ContactMethod)>,
    pub description: Option<(String, ContactMethod)>,
    pub logo: Option<(String, ContactMethod)>,
    pub cards: Vec<card::Card>,
}

/// Reads a page.
pub(crate) fn read(sheet: &Sheet<'_, '_>, url: &CanonicalUrl, base: &CanonicalUrl) -> Told {
    let owners = Owners::of(sheet);
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
            in_footer: zone == Some(Zone::Footer),
            line,
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
    for seen in address::read(sheet) {
        let mut place = standing(seen.first, 0);
        place.is_other |= owners.is_other(seen.last, 0);
        above(sheet, &owners, seen.first, &mut told);
        told.addresses.push(Found {
            value: seen.address,
            method: ContactMethod::Text,
            standing: place,
        });
    }
    ids(sheet, &standing, &mut told);
    names(sheet, &standing, &mut told);
    for link in &sheet.links {
        if let Some(profile) = social::profile(&link.href)
            && told.profiles.len() < 200
        {
            let mut place = standing(link.line, 0);
            place.is_other |= is_credit(sheet, link.line, link.node);
            told.profiles.push(Found {
                value: profile,
                method: ContactMethod::Text,
                standing: place,
            });
        }
    }
    for described in linked::organisations(sheet, url.bare_host()) {
        take(described, base, &mut told);
    }
    head(sheet.dom, base, &mut told);
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

/// Whether a link stands in the line of those who made the site.
fn is_credit(sheet: &Sheet<'_, '_>, line: usize, node: NodeId) -> bool {
    let Some(line) = sheet.lines.get(line) else { return false };
    let end = sheet.dom.end(line.node);
    let inside = line.node <= node && node < end;
    inside && super::owner::speaks_of_others(&line.text).is_some()
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
                in_footer: line.zone == Zone::Footer,
                line: at,
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
        if let Some(year) = founded(&line.text) {
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

fn names(sheet: &Sheet<'_, '_>, standing: &impl Fn(usize, usize) -> Standing, told: &mut Told) {
    for (number, line) in sheet.lines.iter().enumerate() {
        let small = line.text.to_lowercase();
        let is_copyright =
            line.text.contains('©') || small.contains("copyright") || small.contains("(c) 20");
        for found in legal::names(&line.text) {
            if told.names.len() >= MAX_NAMES {
                return;
            }
            let before = small.get(..found.from.min(small.len())).unwrap_or_default();
            let place = if is_copyright {
                NamePlace::Copyright
            } else if STATED
                .split('|')
                .any(|word| before.trim_end().trim_end_matches([':', ' ']).ends_with(word.trim()))
            {
                NamePlace::Stated
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
const STATED: &str = "firma|firmenname|firmenwortlaut|unternehmen|betreiber|diensteanbieter|anbieter|raison sociale|dénomination sociale|dénomination|éditeur|éditeur du site|\
    site édité par|razón social|denominación social|denominación|titular|titular del sitio|ragione sociale|denominazione|denominazione sociale|naam|bedrijfsnaam|handelsnaam|statutaire naam|\
    razão social|denominação social|denominação|nome empresarial|firma|nazwa|nazwa firmy|pełna nazwa|company name|registered name|legal name|trading name of|is a trading name of|operated by|owned by|herausgeber|is operated by";

/// The year that a line says the company was founded in.
fn founded(text: &str) -> Option<String> {
    if text.len() > 600 {
        return None;
    }
    let small = text.to_lowercase();
    const WORDS: &str = "founded in|founded|established in|established|est.|since|gegründet|gegründet im jahr|gründung|gründungsjahr|seit|fondée en|fondé en|fondée|fondé|créée en|créé en|depuis|\
        fundada en|fundado en|fundada|fundado|fundación|desde|fondata nel|fondato nel|fondata|fondato|dal|anno di fondazione|opgericht in|opgericht|sinds|fundada em|fundado em|ano de fundação|założona w|założony w|rok założenia|założono|od roku|od|w roku|constituée en|nel";
    let mut best: Option<(usize, String)> = None;
    for (at, _) in small.match_indices(|c: char| c == '1' || c == '2') {
        let Some(year) =
            small.get(at..at + 4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))
        else {
            continue;
        };
        let before = small.get(..at)?;
        let behind = small.get(at + 4..).and_then(|rest| rest.chars().next());
        let is_alone = !before
            .ends_with(|c: char| c.is_alphanumeric() || c == '-' || c == '/' || c == '.')
            && behind.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '/');
        let number: u32 = year.parse().ok()?;
        if !is_alone || !(1500..=2026).contains(&number) {
            continue;
        }
        let before = before.trim_end().trim_end_matches([':', ' ', '(', ',']).trim_end();
        let before = [
            "im jahr", "im jahre", "the year", "l'an", "roku", "el año", "l'anno", "o ano", "anno",
            "het jaar", "in", "en", "em", "w", "im",
        ]
        .iter()
        .fold(before, |before, word| {
            before
                .strip_suffix(word)
                .filter(|head| head.is_empty() || head.ends_with(' '))
                .map_or(before, str::trim_end)
        });
        let word = WORDS.split('|').map(str::trim).find(|word| {
            before
                .strip_suffix(word)
                .is_some_and(|head| head.is_empty() || !head.ends_with(char::is_alphabetic))
        });
        if let Some(word) = word {
            let weight = usize::from(matches!(
                word,
                "seit" | "since" | "desde" | "depuis" | "dal" | "od" | "sinds" | "nel"
            ));
            if best.as_ref().is_none_or(|(known, _)| weight < *known) {
                best = Some((weight, year.to_owned()));
            }
        }
    }
    best.map(|(_, year)| year)
}

/// Takes over what machines are told.
fn take(described: Described, base: &CanonicalUrl, told: &mut Told) {
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
        told.founded.push(Found { value: year, method, standing: standing() });
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
    let is_date =
        text.len() == 10 && text.bytes().nth(4) == Some(b'-') && text.bytes().nth(7) == Some(b'-');
    is_year.then(|| if is_date { text.to_owned() } else { year.to_owned() })
}

/// What the head of the page says, and the picture of the house.
fn head(dom: &Dom<'_>, base: &CanonicalUrl, told: &mut Told) {
    let mut title = String::new();
    let mut logo = None;
    for id in dom.descendants(NodeId::ROOT) {
        match dom.element(id) {
            Some(Element::Html) => {
                told.language = dom
                    .attribute(id, "lang")
                    .map(|lang| lang.trim().to_owned())
                    .filter(|lang| lang.len() >= 2);
            }
            Some(Element::Title) if title.is_empty() => {
                title = Collapsed::of(&dom.inner_text(id), 300)
            }
            Some(Element::Meta) => {
                let name = dom.attribute(id, "name").or_else(|| dom.attribute(id, "property"));
                let content = dom
                    .attribute(id, "content")
                    .map(|text| Collapsed::of(&text, 1_000))
                    .filter(|text| !text.is_empty());
                match (name.as_deref().map(str::to_ascii_lowercase).as_deref(), content) {
                    (
                        Some("og:site_name" | "application-name" | "apple-mobile-web-app-title"),
                        Some(text),
                    ) if text.len() <= 100 => {
                        told.brands.push((text, 1, ContactMethod::Text));
                    }
                    (Some("description"), Some(text)) if told.description.is_none() => {
                        told.description = Some((text, ContactMethod::Text));
                    }
                    (Some("og:description"), Some(text)) if told.description.is_none() => {
                        told.description = Some((text, ContactMethod::Text));
                    }
                    _ => {}
                }
            }
            Some(Element::Image) if logo.is_none() => logo = logo_at(dom, id, told),
            _ => {}
        }
    }
    if told.logo.is_none()
        && let Some(url) = logo.and_then(|src| base.join(&src).ok())
    {
        told.logo = Some((url.as_str().to_owned(), ContactMethod::Text));
    }
    for part in title
        .split(['|', '·', '»', '—', '•'])
        .flat_map(|part| part.split(" - "))
        .flat_map(|part| part.split(" – "))
    {
        let part = part.trim();
        if (2..=60).contains(&part.len()) {
            told.brands.push((part.to_owned(), 3, ContactMethod::Text));
        }
    }
}

/// The picture that a page calls its logo.
fn logo_at(dom: &Dom<'_>, id: NodeId, told: &mut Told) -> Option<String> {
    let says = |id: NodeId| {
        ["class", "id", "alt", "src"].iter().any(|name| {
            dom.raw_attribute(id, name)
                .is_some_and(|value| value.to_ascii_lowercase().contains("logo"))
        })
    };
    let mut near = std::iter::once(id).chain(dom.ancestors(id).take(3));
    let is_logo = near.any(says);
    let is_foreign = dom.ancestors(id).take(12).any(|above| {
        let class = dom.raw_attribute(above, "class").unwrap_or_default().to_ascii_lowercase();
        ["partner", "client", "sponsor", "customer", "referen", "logos", "footer"]
            .iter()
            .any(|word| class.contains(word))
            || dom.is(above, Element::Footer)
    });
    if !is_logo || is_foreign {
        return None;
    }
    if let Some(alt) = dom.attribute(id, "alt") {
        let alt = alt.trim();
        let name = alt
            .strip_prefix("Logo ")
            .or_else(|| alt.strip_suffix(" Logo"))
            .or_else(|| alt.strip_suffix(" logo"))
            .unwrap_or(alt);
        if (2..=60).contains(&name.len()) && !name.eq_ignore_ascii_case("logo") {
            told.brands.push((name.trim().to_owned(), 2, ContactMethod::Text));
        }
    }
    dom.attribute(id, "src")
        .or_else(|| dom.attribute(id, "data-src"))
        .map(|src| src.trim().to_owned())
        .filter(|src| !src.is_empty() && !src.starts_with("data:"))
}

/// What the cards of a file tell: companies' and persons' values alike are the company's.
pub(crate) fn of_cards(cards: Vec<card::Card>, host: &str) -> Told {
    let mut told = Told { topic: Some(LeadTopic::Card), ..Told::default() };
    let method = ContactMethod::Vcard;
    let standing = Standing::default;
    for card in &cards {
        for mail in card.mails.iter().filter_map(|mail| super::email::checked(mail, host)) {
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
