//! Who the company is: its names, its entry, its ids.

use contract::{ContactCompany, ContactMethod, ContactSource};

use super::{Judgement, Leaf, add_source};
use crate::facts::Found;
use crate::{LeadTopic, legal};

/// What the pages say of the company itself.
pub(super) fn company(leaves: &[Leaf<'_>], judgement: &Judgement) -> ContactCompany {
    let mut sources: Vec<ContactSource> = Vec::new();
    let vat_id = vat(leaves, judgement, &mut sources);
    let (registration_number, register) = entry(leaves, judgement, &mut sources);
    let founded = founded(leaves, judgement, &mut sources);
    for leaf in leaves {
        let is_it = |name: &str| judgement.legal_name.as_deref() == Some(name);
        for found in leaf.told.names.iter().filter(|found| is_it(&found.value.name)) {
            add_source(&mut sources, *leaf, found);
        }
    }
    let name = brand(leaves, judgement);
    if let Some((_, at, method)) = &name {
        note(&mut sources, leaves, *at, *method);
    }
    let home = || {
        leaves
            .iter()
            .enumerate()
            .filter(|(_, leaf)| leaf.told.is_home)
            .chain(leaves.iter().enumerate())
    };
    let description =
        home().find_map(|(at, leaf)| leaf.told.description.as_ref().map(|found| (at, found)));
    if let Some((at, (_, method))) = description {
        note(&mut sources, leaves, at, *method);
    }
    let logo = home().find_map(|(at, leaf)| leaf.told.logo.as_ref().map(|found| (at, found)));
    if let Some((at, (_, method))) = logo {
        note(&mut sources, leaves, at, *method);
    }
    ContactCompany {
        name: name.map(|(name, _, _)| name),
        legal_name: judgement.legal_name.clone(),
        legal_form: judgement.legal_form.clone(),
        description: description.map(|(_, (text, _))| text.clone()),
        registration_number,
        register,
        vat_id,
        founded,
        logo_url: logo.map(|(_, (url, _))| url.clone()),
        sources,
    }
}

fn note(sources: &mut Vec<ContactSource>, leaves: &[Leaf<'_>], at: usize, method: ContactMethod) {
    if let Some(leaf) = leaves.get(at) {
        add_source(sources, *leaf, &Found { value: (), method, standing: Default::default() });
    }
}

/// How near a page is to what the law asks for.
fn weight(leaf: Leaf<'_>) -> u8 {
    match leaf.told.topic {
        Some(LeadTopic::Imprint) => 0,
        Some(LeadTopic::Contact) => 1,
        Some(LeadTopic::Privacy) => 4,
        _ if leaf.told.is_home => 2,
        _ => 3,
    }
}

fn vat(
    leaves: &[Leaf<'_>],
    judgement: &Judgement,
    sources: &mut Vec<ContactSource>,
) -> Option<String> {
    let mut best: Option<(u8, bool, &str)> = None;
    for leaf in leaves {
        for found in leaf.told.vats.iter().filter(|found| found.standing.is_ours(judgement)) {
            let is_abroad = judgement.home.as_deref().is_some_and(|home| home != found.value.1);
            let rank = (weight(*leaf), is_abroad, found.value.0.as_str());
            if best.is_none_or(|known| (rank.1, rank.0) < (known.1, known.0)) {
                best = Some(rank);
            }
        }
    }
    // Where only data protection is explained, the id may be anybody's.
    let (weight, _, value) = best?;
    if weight >= 4 {
        return None;
    }
    for leaf in leaves {
        for found in leaf.told.vats.iter().filter(|found| found.value.0 == value) {
            add_source(sources, *leaf, found);
        }
    }
    Some(value.to_owned())
}

fn entry(
    leaves: &[Leaf<'_>],
    judgement: &Judgement,
    sources: &mut Vec<ContactSource>,
) -> (Option<String>, Option<String>) {
    let home = judgement.home.as_deref();
    let mut best: Option<(bool, u8, usize, &str, Option<&str>)> = None;
    for leaf in leaves.iter().filter(|leaf| leaf.is_trusted()) {
        for found in leaf.told.entries.iter().filter(|found| found.standing.is_ours(judgement)) {
            let Some(number) = found.value.number.as_deref() else { continue };
            let country = found.value.country;
            let is_abroad = home.is_some_and(|home| country.is_some_and(|code| code != home));
            // Words of everyday stand before British numbers: they need a British company.
            if is_abroad
                && matches!(country, Some("GB" | "IE"))
                && !matches!(home, Some("GB" | "IE"))
            {
                continue;
            }
            let has_office = usize::from(found.value.office.is_none());
            let rank = (is_abroad, weight(*leaf), has_office);
            if best.is_none_or(|(abroad, page, office, _, _)| rank < (abroad, page, office)) {
                best = Some((rank.0, rank.1, rank.2, number, found.value.office.as_deref()));
            }
        }
    }
    let number = best.map(|(_, _, _, number, _)| number);
    let mut office = best.and_then(|(_, _, _, _, office)| office).map(str::to_owned);
    for leaf in leaves.iter().filter(|leaf| leaf.is_trusted()) {
        for found in leaf.told.entries.iter().filter(|found| found.standing.is_ours(judgement)) {
            let is_same = found.value.number.as_deref() == number && number.is_some();
            let fits = found.value.number.is_none() || is_same;
            let of_home =
                home.is_none_or(|home| found.value.country.is_none_or(|code| code == home));
            // England alone is a place like any other.
            let is_office = !matches!(found.value.country, Some("GB" | "NL" | "IE")) || is_same;
            if office.is_none() && fits && of_home && is_office && number.is_some() {
                office = found.value.office.clone();
            }
            if is_same {
                add_source(sources, *leaf, found);
            }
        }
    }
    // In Portugal the number of the company is that of its entry.
    let is_portuguese = |found: &&Found<crate::id::Entry>| {
        found.value.country == Some("PT")
            && found.value.office.is_some()
            && found.standing.is_ours(judgement)
    };
    let entered = leaves.iter().flat_map(|leaf| &leaf.told.entries).find(is_portuguese);
    if let (None, Some(entered)) = (number, entered)
        && home == Some("PT")
    {
        let vat = vat(leaves, judgement, &mut Vec::new());
        let digits = vat.map(|vat| vat.trim_start_matches("PT").to_owned());
        return (digits, entered.value.office.clone());
    }
    (number.map(str::to_owned), office)
}

fn founded(
    leaves: &[Leaf<'_>],
    judgement: &Judgement,
    sources: &mut Vec<ContactSource>,
) -> Option<String> {
    let mut counts: Vec<(&str, u32)> = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.is_trusted()) {
        for found in leaf.told.founded.iter().filter(|found| found.standing.is_ours(judgement)) {
            let weight = match (found.method, leaf.told.topic) {
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
    for leaf in leaves {
        for found in leaf.told.founded.iter().filter(|found| found.value.0 == *year) {
            add_source(sources, *leaf, found);
        }
    }
    Some((*year).to_owned())
}

/// The name over the door: what most places call it, those that say so before those that
/// only show it.
fn brand(leaves: &[Leaf<'_>], judgement: &Judgement) -> Option<(String, usize, ContactMethod)> {
    struct Brand<'b> {
        name: &'b str,
        weight: u8,
        pages: usize,
        at: usize,
        method: ContactMethod,
    }
    let mut brands: Vec<Brand<'_>> = Vec::new();
    for (at, leaf) in leaves.iter().enumerate() {
        let mut seen: Vec<&str> = Vec::new();
        for (name, weight, method) in leaf.told.brands.iter().take(40) {
            if seen.contains(&name.as_str()) {
                continue;
            }
            seen.push(name);
            match brands.iter_mut().find(|brand| brand.name == name) {
                Some(brand) => {
                    brand.pages += 1;
                    brand.weight = brand.weight.min(*weight);
                }
                None => brands.push(Brand { name, weight: *weight, pages: 1, at, method: *method }),
            }
        }
    }
    let own = legal::key(super::judgement::main_label(&judgement.host));
    let fits = |brand: &&Brand<'_>| {
        let key = legal::key(brand.name);
        let is_like = judgement.is_company(brand.name) && judgement.legal_name.is_some()
            || (own.len() >= 4 && (own.contains(&key) || key.contains(&own)) && key.len() >= 3);
        match brand.weight {
            0 | 1 => true,
            2 => is_like || leaves.len() > 1 && brand.pages * 2 > leaves.len(),
            _ => {
                (is_like && brand.pages * 2 >= leaves.len())
                    || (leaves.len() > 2 && brand.pages * 4 > leaves.len() * 3)
            }
        }
    };
    let is_legal = |name: &str| {
        judgement.legal_name.as_deref() == Some(name) && judgement.legal_form.is_some()
    };
    let best = brands.iter().filter(fits).min_by_key(|brand| {
        (is_legal(brand.name), brand.weight, usize::MAX - brand.pages, brand.at)
    });
    match best {
        Some(brand) if !is_legal(brand.name) => {
            Some((brand.name.to_owned(), brand.at, brand.method))
        }
        _ => {
            let legal = judgement.legal_name.as_deref()?;
            let at = leaves
                .iter()
                .position(|leaf| leaf.told.names.iter().any(|found| found.value.name == legal))?;
            Some((legal::without_form(legal).to_owned(), at, ContactMethod::Text))
        }
    }
}
