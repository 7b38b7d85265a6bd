//! What a site says about its company in JSON-LD and microdata.

use serde_json::{Map, Value, json};

use super::firm::MAIN;
use super::outsider::stranger;
use super::phone::Spelling;
use super::plan::{Data, Make};
use super::scribe::{Key, Scribe, escape};
use super::truth::Method;

/// The script of a page, where the site has one.
pub(super) fn script(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let mut html = String::new();
    if plan.has(Data::JsonLd) || plan.has(Data::Graph) {
        let mut company = company(scribe);
        let value = if plan.has(Data::Graph) {
            let author = stranger(scribe.firm, 3);
            scribe.foreign(&author);
            let url = format!("https://{}/", scribe.firm.host);
            json!({"@context": "https://schema.org", "@graph": [
                {"@type": "WebSite", "@id": format!("{url}#website"), "url": url, "name": scribe.firm.name},
                {"@type": "WebPage", "@id": url, "isPartOf": {"@id": format!("{url}#website")},
                 "datePublished": "2021-03-12T08:00:00+00:00"},
                Value::Object(company),
                {"@type": "Person", "@id": format!("{url}#author"), "name": author,
                 "image": {"@type": "ImageObject", "caption": author}},
            ]})
        } else {
            company.insert("@context".to_owned(), json!("https://schema.org"));
            Value::Object(company)
        };
        html.push_str(&format!("<script type=\"application/ld+json\">{value}</script>\n"));
    }
    html
}

/// The people of a page.
pub(super) fn people(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    if !plan.has(Data::People) {
        return String::new();
    }
    let mut people = Vec::new();
    for number in 0..scribe.firm.people.len() {
        let person = &scribe.firm.people[number];
        let mut value = json!({
            "@type": "Person",
            "name": person.name(),
            "jobTitle": person.title,
            "worksFor": {"@type": "Organization", "name": scribe.firm.name},
        });
        scribe.note(Key::Person(number), Method::JsonLd, &person.name(), None);
        scribe.note(Key::Title(number), Method::JsonLd, person.title, None);
        if let Some(at) = person.mailbox
            && plan.veils.1.is_none()
        {
            let mail = &scribe.firm.mailboxes[at].value;
            value["email"] = json!(mail);
            scribe.note(Key::Mailbox(at), Method::JsonLd, mail, None);
            scribe.note(Key::PersonMailbox(number), Method::JsonLd, mail, None);
        }
        people.push(value);
    }
    let value = json!({"@context": "https://schema.org", "@graph": people});
    format!("<script type=\"application/ld+json\">{value}</script>\n")
}

fn company(scribe: &mut Scribe<'_>) -> Map<String, Value> {
    let firm = scribe.firm;
    let plan = firm.plan;
    let mut value = Map::new();
    let mut put = |key: &str, what: Value| value.insert(key.to_owned(), what);
    let url = format!("https://{}/", firm.host);
    // Sites write the type alone or in a list.
    put(
        "@type",
        if plan.seed.is_multiple_of(2) {
            json!(plan.trade.schema())
        } else {
            json!([plan.trade.schema()])
        },
    );
    put("@id", json!(format!("{url}#organization")));
    put("name", json!(firm.name));
    put("legalName", json!(firm.legal));
    put("url", json!(url));
    put(
        "logo",
        json!({"@type": "ImageObject", "url": format!("https://{}/img/logo.svg", firm.host)}),
    );
    scribe.note(Key::Name, Method::JsonLd, &firm.name, None);
    scribe.note(Key::LegalName, Method::JsonLd, &firm.legal, None);
    scribe.note(Key::Logo, Method::JsonLd, "/img/logo.svg", None);
    let phone = firm.lines[MAIN].number.spelled(Spelling::International, "");
    put("telephone", json!(phone));
    scribe.note(Key::Line(MAIN), Method::JsonLd, &phone, None);
    if plan.veils.0.is_none() {
        let mail = &firm.mailboxes[0].value;
        put("email", json!(mail));
        scribe.note(Key::Mailbox(0), Method::JsonLd, mail, None);
    }
    let place = &firm.places[0];
    put(
        "address",
        json!({
            "@type": "PostalAddress",
            "streetAddress": place.street,
            "postalCode": place.postal,
            "addressLocality": place.city,
            "addressRegion": place.region,
            "addressCountry": plan.land.code,
        }),
    );
    let parts = [&*place.street, &place.postal, &place.city].join("\n");
    scribe.note(Key::Place(0), Method::JsonLd, &parts, None);
    let country = format!("\"addressCountry\":\"{}\"", plan.land.code);
    scribe.note(Key::Country(0), Method::JsonLd, &country, None);
    if let Some((label, mailbox, line)) = firm.departments.first() {
        let number = firm.lines[*line].number.spelled(Spelling::International, "");
        let mut point = json!({"@type": "ContactPoint", "contactType": label, "telephone": number});
        scribe.note(Key::Line(*line), Method::JsonLd, &number, None);
        if plan.veils.0.is_none() {
            let mail = &firm.mailboxes[*mailbox].value;
            point["email"] = json!(mail);
            scribe.note(Key::Mailbox(*mailbox), Method::JsonLd, mail, None);
        }
        put("contactPoint", json!([point]));
    }
    let profiles: Vec<&String> = firm.socials.iter().map(|(_, url)| url).collect();
    put("sameAs", json!(profiles));
    for (at, url) in profiles.into_iter().enumerate() {
        scribe.note(Key::Social(at), Method::JsonLd, url, None);
    }
    put("geo", json!({"@type": "GeoCoordinates", "latitude": 50.938_413, "longitude": 6.959_282}));
    value
}

/// The seat in microdata.
pub(super) fn microdata(scribe: &mut Scribe<'_>) -> String {
    let schema = scribe.firm.plan.trade.schema();
    let name = scribe.legal_name();
    let place = scribe.firm.places[0].clone();
    let [street, postal, city] =
        [&place.street, &place.postal, &place.city].map(|part| escape(part));
    scribe.note(Key::Place(0), Method::Microdata, &[&*street, &postal, &city].join("\n"), None);
    let raw = escape(&scribe.firm.lines[MAIN].number.spelled(scribe.spelling(0), ""));
    scribe.note(Key::Line(MAIN), Method::Microdata, &raw, None);
    format!(
        "<div itemscope itemtype=\"http://schema.org/{schema}\"><span itemprop=\"legalName\">{name}</span>\
         <div itemprop=\"address\" itemscope itemtype=\"http://schema.org/PostalAddress\"><span \
         itemprop=\"streetAddress\">{street}</span><br><span itemprop=\"postalCode\">{postal}</span> <span \
         itemprop=\"addressLocality\">{city}</span></div><span itemprop=\"telephone\">{raw}</span></div>\n"
    )
}

/// The data of the page once more, as component sites leave it behind.
pub(super) fn state(scribe: &mut Scribe<'_>) -> String {
    if scribe.firm.plan.make != Make::Component {
        return String::new();
    }
    let build = format!("49{}", scribe.draw.line_digits(10));
    scribe.foreign(&build);
    let value =
        json!({"props": {"path": scribe.path, "build": build, "ts": 1_699_781_234_567_u64}});
    format!("<script id=\"__STATE__\" type=\"application/json\">{value}</script>\n")
}
