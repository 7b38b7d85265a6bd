//! People in JSON-LD, microdata and hCard.

use contract::{ContactMethod, PhoneType};
use serde_json::{Map, Value};

use super::context::PeopleContext;
use super::evidence::PersonFeature;
use super::found_person::{FoundPerson, FoundPhone, add_new};
use super::name::{PersonName, parse};
use crate::email;
use crate::page_view::PageView;
use crate::structured_data::is_article;
use crate::visible_text::{VisibleText, Zone};
use html::dom::NodeId;
use html::prose;
use html::structured::{ThingWalk, is_a};
use html::text::Collapsed;
use text::vocabulary::TermSet;

/// Maximum objects and lists of one JSON-LD value.
const MAX_VALUES: usize = 20_000;
/// Maximum people in structured data per page.
const MAX_PEOPLE: usize = 300;

static THIRD_PARTY_PROPERTIES: TermSet = word_set!("structured/third_party_properties.txt");
static OWN_PROPERTIES: TermSet = word_set!("structured/own_properties.txt");

pub(super) fn linked(page: &VisibleText<'_, '_>, host: &str) -> Vec<FoundPerson> {
    let mut people = Vec::new();
    for value in &page.json_ld {
        let mut walk = ThingWalk::new(std::slice::from_ref(value), false, MAX_VALUES);
        while let Some((thing, own)) = walk.next_thing()
            && people.len() < MAX_PEOPLE
        {
            if is_a(thing, &["Person", "Physician"]) {
                people.extend(described(thing, own, host));
            }
            let is_text = is_article(thing);
            for (key, inner) in thing.iter().rev() {
                let is_subject = is_text && key == "about";
                if !is_subject && !THIRD_PARTY_PROPERTIES.contains(key.as_str()) {
                    walk.follow(Some(inner), OWN_PROPERTIES.contains(key.as_str()));
                }
            }
        }
    }
    people
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![Collapsed::of(text, 300)],
        Some(Value::Array(list)) => {
            let texts = list.iter().filter_map(Value::as_str).take(8);
            texts.map(|text| Collapsed::of(text, 300)).collect()
        }
        Some(Value::Object(object)) => texts(object.get("name").or_else(|| object.get("@value"))),
        _ => Vec::new(),
    }
}

/// A person in JSON-LD. One without a title or an employer is the author of the page.
fn described(thing: &Map<String, Value>, own: bool, host: &str) -> Option<FoundPerson> {
    let text = |key: &str| texts(thing.get(key)).into_iter().next().filter(|text| !text.is_empty());
    let name =
        text("name").or_else(|| Some(format!("{} {}", text("givenName")?, text("familyName")?)))?;
    let mut name = parse(&name)?;
    if let (Some(first), Some(last)) = (text("givenName"), text("familyName")) {
        (name.first, name.last) = (Some(first), Some(last));
    }
    name.honorific = name.honorific.or_else(|| text("honorificPrefix"));
    let title = text("jobTitle").or_else(|| text("hasOccupation"));
    let works = thing.get("worksFor").is_some() || thing.get("affiliation").is_some();
    if !own && title.is_none() && !works {
        return None;
    }
    let mut person = FoundPerson::new(name, ContactMethod::Jsonld);
    person.evidence.set(PersonFeature::FromJsonLd);
    person.evidence.set_if(PersonFeature::StatedEmployer, own || works);
    if let Some(title) = title {
        person.set_stated_title(&title);
    }
    person.department = text("department");
    person.emails =
        texts(thing.get("email")).iter().filter_map(|mail| email::normalize(mail, host)).collect();
    person.phones = texts(thing.get("telephone"))
        .into_iter()
        .filter(|raw| raw.bytes().filter(u8::is_ascii_digit).count() > 4)
        .map(|raw| FoundPhone { raw, dialled: None })
        .collect();
    for url in texts(thing.get("sameAs")).into_iter().chain(texts(thing.get("url"))) {
        person.add_profile(&url);
    }
    Some(person)
}

/// The people in microdata and hCard.
pub(super) fn marked(page: &PageView<'_, '_>, context: &PeopleContext<'_>) -> Vec<FoundPerson> {
    let dom = page.dom;
    let mut people = Vec::new();
    let mut scopes = 0;
    for scope in dom.descendants(dom.body()) {
        if dom.element(scope).is_none() || scopes >= 4 * MAX_PEOPLE {
            continue;
        }
        let kind = dom.raw_attribute(scope, "itemtype").unwrap_or_default();
        let is_item = kind.trim_end_matches('/').ends_with("schema.org/Person");
        let is_card = dom.has_word(scope, "class", &["vcard", "h-card"]);
        if !is_item && !is_card {
            continue;
        }
        scopes += 1;
        let lines = page.lines_in(scope);
        let Some(line) = lines.clone().next() else { continue };
        let foreign = ["itemprop", "class"].iter().any(|name| {
            let value = dom.raw_attribute(scope, name).unwrap_or_default();
            value.split_ascii_whitespace().any(|word| THIRD_PARTY_PROPERTIES.contains(word))
        });
        if foreign || matches!(page.lines[line].zone, Zone::Quote | Zone::Notice) {
            continue;
        }
        people.extend(in_scope(page, scope, is_item).map(|mut person| {
            context.describe(page, line, 1, &mut person.evidence);
            person
        }));
    }
    people
}

fn in_scope(page: &PageView<'_, '_>, scope: NodeId, is_item: bool) -> Option<FoundPerson> {
    let dom = page.dom;
    let find = |property: &str, classes: &[&str]| {
        let attribute = if is_item { "itemprop" } else { "class" };
        let words: &[&str] = if is_item { std::slice::from_ref(&property) } else { classes };
        // Larger subtrees are no cards.
        let found =
            dom.descendants(scope).take(400).find(|node| dom.has_word(*node, attribute, words))?;
        let text = dom
            .attribute(found, "content")
            .map_or_else(|| prose::short_line(dom, found, 200), |content| content.into_owned());
        let text = Collapsed::of(&text, 200);
        (!text.is_empty()).then_some((found, text))
    };
    let (node, text) = find("name", &["fn", "p-name"])?;
    // The card of a company has one element for name and organization.
    if dom.has_word(node, "class", &["org", "p-org"]) {
        return None;
    }
    let name: PersonName = parse(&text)?;
    let method = if is_item { ContactMethod::Microdata } else { ContactMethod::Vcard };
    let mut person = FoundPerson::new(name, method);
    if let Some((_, title)) = find("jobTitle", &["title", "p-job-title", "role", "p-role"]) {
        person.set_stated_title(&title);
        person.evidence.set(PersonFeature::TitleNear);
    }
    person.department =
        find("department", &["organization-unit", "p-organization-unit"]).map(|(_, text)| text);
    let inside = |node: NodeId| dom.contains(scope, node);
    person.emails =
        page.mails.iter().filter(|mail| inside(mail.node)).map(|mail| mail.value.clone()).collect();
    person.emails.dedup();
    let phones =
        page.phones.iter().filter(|phone| inside(phone.node) && phone.kind != PhoneType::Fax);
    add_new(&mut person.phones, phones.map(FoundPhone::of));
    for link in page.links.iter().filter(|link| inside(link.node)) {
        person.add_profile(&link.href);
    }
    // A card with a bare name is that of an author.
    let bare = person.title.is_none() && person.emails.is_empty() && person.phones.is_empty();
    (!bare).then_some(person)
}
