//! Company data in JSON-LD, microdata, RDFa and hCard.
//!
//! Only the company of the page counts. Organizations within reviews, offers, job postings,
//! memberships and relations are third parties.

use contract::ContactMethod;
use serde_json::{Map, Value};

use super::address::PostalAddress;
use super::visible_text::VisibleText;
use super::{country, email};
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::structured::{Syntax, ThingWalk, each, item_roots, items, types};
use text::vocabulary::{TermList, TermSet};

/// Maximum values of one source, and organizations of a page.
const MAX_THINGS: usize = 3_000;
const MAX_ORGANIZATIONS: usize = 40;

/// An organization in structured data.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OrganizationData {
    pub method: Option<ContactMethod>,
    pub name: Option<String>,
    pub legal_name: Option<String>,
    pub description: Option<String>,
    pub url: Option<String>,
    pub logo: Option<String>,
    pub founded: Option<String>,
    pub vat: Option<String>,
    pub mails: Vec<(String, Option<String>)>,
    /// Number, and whether it is a fax.
    pub phones: Vec<(String, bool)>,
    pub addresses: Vec<PostalAddress>,
    pub profiles: Vec<String>,
}

static OWNER_PROPERTIES: TermList = phrase_list!("structured/owner_properties.txt");
static OTHER_TYPES: TermSet = word_set!("structured/other_types.txt");
static TYPE_ENDS: TermSet = word_set!("structured/organization_type_ends.txt");

/// The organizations that a page describes as its own.
pub(crate) fn organizations(page: &VisibleText<'_, '_>, host: &str) -> Vec<OrganizationData> {
    let mut found = Vec::new();
    gather(&page.json_ld, ContactMethod::Jsonld, host, &mut found);
    for syntax in [Syntax::Microdata, Syntax::Rdfa] {
        let items = items(page.dom, syntax, &item_roots(page.dom, syntax));
        gather(&items, ContactMethod::Microdata, host, &mut found);
    }
    found
}

fn gather(values: &[Value], method: ContactMethod, host: &str, found: &mut Vec<OrganizationData>) {
    let mut walk = ThingWalk::new(values, (), MAX_THINGS);
    while let Some((thing, ())) = walk.next_thing()
        && found.len() < MAX_ORGANIZATIONS
    {
        let is_text = is_article(thing);
        for property in OWNER_PROPERTIES.iter().filter(|name| !is_text || **name != "about") {
            walk.follow(thing.get(*property), ());
        }
        if is_organization(thing) {
            found.push(organization_data(thing, method, host));
        }
    }
}

/// Whether a thing is an article or a post, which may be about other companies and their people.
pub(crate) fn is_article(thing: &Map<String, Value>) -> bool {
    types(thing).any(|name| name.ends_with("Article") || name.ends_with("Posting"))
}

fn is_organization(thing: &Map<String, Value>) -> bool {
    let is_other = types(thing).any(|name| OTHER_TYPES.contains(name));
    let is_known = types(thing).any(|name| TYPE_ENDS.iter().any(|end| name.ends_with(end)));
    let is_described =
        ["address", "telephone", "legalName", "vatID"].iter().any(|name| thing.contains_key(*name));
    let has_type = types(thing).next().is_some();
    has_type && !is_other && (is_known || (is_described && thing.contains_key("name")))
}

/// The text of a value: itself, its name, or the first of several.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Array(values) => return values.iter().find_map(text),
        Value::Object(thing) => {
            return ["name", "@value", "url", "@id"]
                .iter()
                .find_map(|name| thing.get(*name).and_then(text));
        }
        Value::Null | Value::Bool(_) => return None,
    };
    let text = html::entity::resolve(&text, html::entity::EntityContext::Text).into_owned();
    (!text.is_empty() && text.len() <= 2_000).then_some(text)
}

fn values_of(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    each(value).iter().take(60)
}

fn organization_data(
    thing: &Map<String, Value>,
    method: ContactMethod,
    host: &str,
) -> OrganizationData {
    let get = |name: &str| thing.get(name).and_then(text);
    let mut out = OrganizationData {
        method: Some(method),
        name: get("name"),
        legal_name: get("legalName"),
        description: get("description"),
        url: get("url"),
        logo: thing.get("logo").and_then(address_of_image),
        founded: get("foundingDate"),
        vat: get("vatID").or_else(|| get("taxID")),
        ..OrganizationData::default()
    };
    contact(thing, host, None, &mut out);
    for point in values_of(thing.get("contactPoint")).chain(values_of(thing.get("contactPoints"))) {
        if let Value::Object(point) = point {
            let label = point.get("contactType").and_then(text);
            contact(point, host, label.as_deref(), &mut out);
        }
    }
    for place in values_of(thing.get("address"))
        .chain(values_of(thing.get("location")).filter_map(|place| place.get("address")))
        .chain(values_of(thing.get("department")).filter_map(|place| place.get("address")))
    {
        out.addresses.extend(postal_address(place));
    }
    out.profiles = values_of(thing.get("sameAs")).filter_map(text).collect();
    out
}

fn contact(
    thing: &Map<String, Value>,
    host: &str,
    label: Option<&str>,
    out: &mut OrganizationData,
) {
    for mail in values_of(thing.get("email")).filter_map(text) {
        out.mails
            .extend(email::normalize(&mail, host).map(|mail| (mail, label.map(str::to_owned))));
    }
    out.phones
        .extend(values_of(thing.get("telephone")).filter_map(text).map(|number| (number, false)));
    out.phones
        .extend(values_of(thing.get("faxNumber")).filter_map(text).map(|number| (number, true)));
}

fn address_of_image(value: &Value) -> Option<String> {
    match value {
        Value::Object(thing) => {
            ["url", "contentUrl", "@id"].iter().find_map(|name| thing.get(*name).and_then(text))
        }
        other => text(other),
    }
}

/// Reads a `PostalAddress` object or a text.
fn postal_address(value: &Value) -> Option<PostalAddress> {
    let Value::Object(thing) = value else {
        let written = text(value)?;
        return super::address::find_in_text(&written).into_iter().next();
    };
    let get = |name: &str| thing.get(name).and_then(text);
    let address = address_from_parts(
        get("streetAddress"),
        get("addressLocality"),
        get("addressRegion"),
        get("postalCode"),
        get("addressCountry").as_deref(),
    )?;
    Some(match get("postOfficeBoxNumber") {
        Some(number) if address.street.is_none() => PostalAddress {
            raw: format!("{number}, {}", address.raw),
            street: Some(number),
            ..address
        },
        _ => address,
    })
}

/// An address from named parts. It needs a town, and a street or a postal code.
pub(crate) fn address_from_parts(
    street: Option<String>,
    city: Option<String>,
    region: Option<String>,
    postal_code: Option<String>,
    named: Option<&str>,
) -> Option<PostalAddress> {
    let clean = |part: Option<String>| {
        part.map(|part| {
            part.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(',').to_owned()
        })
        .filter(|part| !part.is_empty())
    };
    let (street, city, region, postal_code) =
        (clean(street), clean(city), clean(region), clean(postal_code));
    if city.is_none() || (street.is_none() && postal_code.is_none()) {
        return None;
    }
    // Some sites write the whole address as the street.
    let street = street.map(|street| match (&city, &postal_code) {
        (Some(city), Some(code)) if street.contains(code.as_str()) => {
            let end = street.find(&format!(", {city}")).unwrap_or(street.len());
            street.get(..end).unwrap_or(&street).to_owned()
        }
        _ => street,
    });
    let present = |parts: [Option<&str>; 2], between: &str| {
        parts.into_iter().flatten().collect::<Vec<_>>().join(between)
    };
    let town = present([postal_code.as_deref(), city.as_deref()], " ");
    let raw = present([street.as_deref(), Some(&town)], ", ");
    let country = named.and_then(country::stated);
    let address = PostalAddress { raw, street, city, region, postal_code, country, shape: &[] };
    Some(without_country_in_code(address, &town))
}

/// Splits "CH-8620" and "Wetzikon ZH" into code, country and region.
fn without_country_in_code(address: PostalAddress, town: &str) -> PostalAddress {
    let has_country = address.postal_code.as_deref().is_some_and(|code| {
        code.split_once('-').is_some_and(|(before, after)| {
            (1..=2).contains(&before.len())
                && before.bytes().all(|byte| byte.is_ascii_uppercase())
                && after.bytes().all(|byte| byte.is_ascii_digit())
        })
    });
    match super::address::from_town(town).filter(|_| has_country) {
        Some(read) => PostalAddress {
            city: read.city,
            region: address.region.or(read.region),
            postal_code: read.postal_code,
            country: address.country.or(read.country),
            ..address
        },
        None => address,
    }
}

/// The addresses that hCard classes mark.
pub(crate) fn hcard_addresses(dom: &Dom<'_>) -> Vec<(PostalAddress, NodeId)> {
    let mut found = Vec::new();
    for id in dom.descendants(NodeId::ROOT) {
        let has = |id: NodeId, names: &[&str]| dom.has_word(id, "class", names);
        if found.len() >= 40 || !has(id, &["adr", "p-adr", "h-adr"]) {
            continue;
        }
        let part = |names: &[&str]| {
            let node = dom.descendants(id).take(400).find(|inner| has(*inner, names))?;
            Some(inline_text(dom, node))
        };
        let address = address_from_parts(
            part(&["street-address", "p-street-address"]),
            part(&["locality", "p-locality"]),
            part(&["region", "p-region"]),
            part(&["postal-code", "p-postal-code"]),
            part(&["country-name", "p-country-name"]).as_deref(),
        );
        found.extend(address.map(|address| (address, id)));
    }
    found
}

fn inline_text(dom: &Dom<'_>, node: NodeId) -> String {
    let mut text = html::text::Collapsed::new(300);
    for id in dom.descendants(node).take(200) {
        match dom.kind(id) {
            NodeKind::Text => text.push(&dom.text(id)),
            NodeKind::Element(Element::Br) => text.push(", "),
            _ => {}
        }
    }
    text.take()
}
