//! Names, register entry and ids of the company.

use contract::{ContactCompany, ContactMethod, ContactSource};

use super::{AggregatedPage, CompanyIdentity, add_source};
use crate::company_id::RegisterEntry;
use crate::{LeadTopic, legal};
use text::vocabulary::TermSet;

pub(super) fn company(pages: &[AggregatedPage<'_>], identity: &CompanyIdentity) -> ContactCompany {
    let mut sources: Vec<ContactSource> = Vec::new();
    let vat_id = vat(pages, identity, &mut sources);
    let (registration_number, register) = entry(pages, identity, &mut sources);
    let founded = founded(pages, identity, &mut sources);
    for page in pages {
        let is_it = |name: &str| identity.legal_name.as_deref() == Some(name);
        for found in page.facts.names.iter().filter(|found| is_it(&found.value.name)) {
            add_source(&mut sources, *page, found.method);
        }
    }
    let name = brand(pages, identity);
    if let Some((_, at, method)) = name {
        add_source(&mut sources, pages[at], method);
    }
    let home_first = || pages.iter().filter(|page| page.facts.is_home).chain(pages);
    let description = home_first().find_map(|page| Some((page, page.facts.description.as_ref()?)));
    if let Some((page, (_, method))) = description {
        add_source(&mut sources, *page, *method);
    }
    let logo = home_first().find_map(|page| Some((page, page.facts.logo.as_ref()?)));
    if let Some((page, (_, method))) = logo {
        add_source(&mut sources, *page, *method);
    }
    ContactCompany {
        name: name.map(|(name, _, _)| name),
        legal_name: identity.legal_name.clone().filter(|_| identity.is_legal_name_stated),
        legal_form: identity.legal_form.clone(),
        description: description.map(|(_, (text, _))| text.clone()),
        registration_number,
        register,
        vat_id,
        founded,
        logo_url: logo.map(|(_, (url, _))| url.clone()),
        sources,
    }
}

/// Rank of a page as a source of legal facts; 0 is the best.
fn weight(page: AggregatedPage<'_>) -> u8 {
    match page.facts.topic {
        Some(LeadTopic::Imprint) => 0,
        Some(LeadTopic::Contact) => 1,
        Some(LeadTopic::Privacy) => 4,
        _ if page.facts.is_home => 2,
        _ => 3,
    }
}

fn vat(
    pages: &[AggregatedPage<'_>],
    identity: &CompanyIdentity,
    sources: &mut Vec<ContactSource>,
) -> Option<String> {
    let home = identity.home_country.as_deref();
    let own = pages
        .iter()
        .flat_map(|page| identity.own_values(&page.facts.vats).map(move |found| (*page, found)));
    let (page, found) = own.min_by_key(|(page, found)| {
        let is_abroad = home.is_some_and(|home| home != found.value.1);
        (is_abroad, weight(*page))
    })?;
    // A VAT id that only a privacy policy shows may belong to a third party.
    if weight(page) >= 4 {
        return None;
    }
    let value = found.value.0.as_str();
    for page in pages {
        for found in page.facts.vats.iter().filter(|found| found.value.0 == value) {
            add_source(sources, *page, found.method);
        }
    }
    Some(value.to_owned())
}

fn entry(
    pages: &[AggregatedPage<'_>],
    identity: &CompanyIdentity,
    sources: &mut Vec<ContactSource>,
) -> (Option<String>, Option<String>) {
    let home = identity.home_country.as_deref();
    let own = || {
        let trusted = pages.iter().filter(|page| page.is_trusted());
        trusted.flat_map(|page| {
            identity.own_values(&page.facts.entries).map(move |found| (*page, found))
        })
    };
    let is_abroad = |entry: &RegisterEntry| {
        home.is_some_and(|home| entry.country.is_some_and(|code| code != home))
    };
    // Labels of British numbers are everyday words: accept them only for British and Irish
    // companies.
    let is_accepted = |entry: &RegisterEntry| {
        !is_abroad(entry)
            || !matches!(entry.country, Some("GB" | "IE"))
            || matches!(home, Some("GB" | "IE"))
    };
    let best = own()
        .filter(|(_, found)| found.value.number.is_some() && is_accepted(&found.value))
        .min_by_key(|(page, found)| {
            (is_abroad(&found.value), weight(*page), found.value.office.is_none())
        });
    let number = best.and_then(|(_, found)| found.value.number.as_deref());
    let mut office = best.and_then(|(_, found)| found.value.office.clone());
    for (page, found) in own() {
        let is_same = found.value.number.as_deref() == number && number.is_some();
        let fits = found.value.number.is_none() || is_same;
        let of_home = home.is_none_or(|home| found.value.country.is_none_or(|code| code == home));
        // "England" alone is a place, not a register.
        let is_office = !matches!(found.value.country, Some("GB" | "NL" | "IE")) || is_same;
        if office.is_none() && fits && of_home && is_office && number.is_some() {
            office = found.value.office.clone();
        }
        if is_same {
            add_source(sources, page, found.method);
        }
    }
    // In Portugal the register number is the tax number of the company.
    let entered = pages
        .iter()
        .flat_map(|page| identity.own_values(&page.facts.entries))
        .find(|found| found.value.country == Some("PT") && found.value.office.is_some());
    if let (None, Some(entered)) = (number, entered)
        && home == Some("PT")
    {
        let vat = vat(pages, identity, &mut Vec::new());
        let digits = vat.map(|vat| vat.trim_start_matches("PT").to_owned());
        return (digits, entered.value.office.clone());
    }
    (number.map(str::to_owned), office)
}

fn founded(
    pages: &[AggregatedPage<'_>],
    identity: &CompanyIdentity,
    sources: &mut Vec<ContactSource>,
) -> Option<String> {
    let mut counts: Vec<(&str, u32)> = Vec::new();
    for page in pages.iter().filter(|page| page.is_trusted()) {
        for found in identity.own_values(&page.facts.founded) {
            let weight = match (found.method, page.facts.topic) {
                _ if !found.value.1 => 1,
                (ContactMethod::Jsonld | ContactMethod::Microdata, _) => 20,
                (_, Some(LeadTopic::About | LeadTopic::Imprint)) => 6,
                _ => 4,
            };
            match counts.iter_mut().find(|(year, _)| *year == found.value.0) {
                Some((_, count)) => *count += weight,
                None => counts.push((&found.value.0, weight)),
            }
        }
    }
    let (year, _) = counts.iter().rev().max_by_key(|(_, count)| *count)?;
    for page in pages {
        for found in page.facts.founded.iter().filter(|found| found.value.0 == *year) {
            add_source(sources, *page, found.method);
        }
    }
    Some((*year).to_owned())
}

/// Maximum words of a brand name that does not resemble the host.
const MAX_UNLIKE_WORDS: usize = 4;

/// Comparison keys of the labels of a host, without its ending.
fn host_labels(host: &str) -> Vec<String> {
    let labels = host.split('.').rev().skip(1).map(legal::comparison_key);
    labels.filter(|label| label.len() >= 4 && label != "shop" && label != "blog").collect()
}

/// Removes slogans from a name: the part between separators that resembles the host counts,
/// else the first one of a long name.
fn without_slogan<'n>(name: &'n str, host: &str) -> &'n str {
    const SEPARATORS: [&str; 8] = [" | ", " - ", " – ", " — ", " · ", ": ", "- ", " / "];
    let edges = |c: char| c.is_whitespace() || "|-–—·:,/.®™".contains(c);
    let labels = host_labels(host);
    let mut parts = vec![name];
    for separator in SEPARATORS {
        parts = parts.into_iter().flat_map(|part| part.split(separator)).take(12).collect();
    }
    // "Muster, the toolmakers": only the text before a comma may be the name.
    let before_comma = name.split(", ").next();
    parts.extend(before_comma);
    let parts = parts.into_iter().map(|part| without_generic_end(part.trim_matches(edges)));
    let whole = name.trim_matches(edges);
    let named = parts.clone().filter(|part| {
        let key = legal::comparison_key(part);
        labels.iter().any(|own| *own == key || key.len() >= 4 && own.contains(&key))
    });
    if let Some(part) = named.max_by_key(|part| part.len()) {
        return part;
    }
    let is_long = whole.split_whitespace().count() > MAX_UNLIKE_WORDS + 2;
    let first = name.split(['|', '–', '—', '·']).next().unwrap_or(name);
    let first = first.split(" - ").next().unwrap_or(first).trim_matches(edges);
    if is_long && first.len() > 2 { first } else { whole }
}

/// Removes a word such as "Blog" at the end of a name.
fn without_generic_end(name: &str) -> &str {
    match name.rsplit_once(' ') {
        Some((head, last)) if is_generic(last) => head,
        _ => name,
    }
}

/// Whether a name denotes no company: "Homepage".
fn is_generic(name: &str) -> bool {
    static GENERIC_NAMES: TermSet = phrase_set!("company/generic_names.txt");
    name.is_empty() || GENERIC_NAMES.contains(name.to_lowercase().as_str())
}

/// The brand name: stated names before shown ones, then the name on most pages.
fn brand(
    pages: &[AggregatedPage<'_>],
    identity: &CompanyIdentity,
) -> Option<(String, usize, ContactMethod)> {
    struct Brand<'b> {
        name: &'b str,
        weight: u8,
        pages: usize,
        at: usize,
        method: ContactMethod,
    }
    let mut brands: Vec<Brand<'_>> = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let mut seen: Vec<&str> = Vec::new();
        for (name, weight, method) in page.facts.brands.iter().take(40) {
            let name = without_slogan(name, &identity.host);
            if is_generic(name) {
                continue;
            }
            let is_new = !seen.contains(&name);
            seen.push(name);
            match brands.iter_mut().find(|brand| brand.name == name) {
                Some(brand) => {
                    brand.pages += usize::from(is_new);
                    brand.weight = brand.weight.min(*weight);
                }
                None => brands.push(Brand { name, weight: *weight, pages: 1, at, method: *method }),
            }
        }
    }
    let labels = host_labels(&identity.host);
    let resembles_host = |name: &str| {
        let key = legal::comparison_key(name);
        key.len() >= 3
            && labels.iter().any(|own| own.contains(&key) && key.len() >= 4 || key.contains(own))
    };
    let fits = |brand: &&Brand<'_>| {
        let is_like = identity.is_company(brand.name) && identity.legal_name.is_some()
            || resembles_host(brand.name);
        match brand.weight {
            // A long name unlike the host is a slogan.
            0 | 1 => is_like || brand.name.split_whitespace().count() <= MAX_UNLIKE_WORDS,
            2 => is_like || pages.len() > 1 && brand.pages * 2 > pages.len(),
            _ => {
                (is_like && brand.pages * 2 >= pages.len())
                    || (pages.len() > 2 && brand.pages * 4 > pages.len() * 3)
            }
        }
    };
    let is_legal =
        |name: &str| identity.legal_name.as_deref() == Some(name) && identity.legal_form.is_some();
    // A long name unlike the host is a slogan.
    let is_slogan =
        |name: &str| name.split_whitespace().count() > MAX_UNLIKE_WORDS && !resembles_host(name);
    let best = brands.iter().filter(fits).min_by_key(|brand| {
        (
            is_legal(brand.name),
            is_slogan(brand.name),
            brand.weight,
            usize::MAX - brand.pages,
            brand.at,
        )
    });
    match best {
        Some(brand) if !is_legal(brand.name) => {
            Some((brand.name.to_owned(), brand.at, brand.method))
        }
        _ => {
            let legal = identity.legal_name.as_deref()?;
            let at = pages
                .iter()
                .position(|page| page.facts.names.iter().any(|found| found.value.name == legal))?;
            Some((legal::without_form(legal).to_owned(), at, ContactMethod::Text))
        }
    }
}
