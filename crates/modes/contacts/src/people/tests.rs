//! People of single pages.

use contract::ContactPerson;
use proptest::prelude::*;

use super::*;
use html::dom::Dom;

/// The people of one page of a company.
fn people_at(path: &str, html: &str) -> Vec<ContactPerson> {
    let dom = Dom::parse(html);
    let page = PageView::read(&dom, "muster.test");
    let found = read(&page, "muster.test", path);
    merge_people(found.into_iter().map(|one| (path.to_owned(), one)).collect(), |phone| {
        phone.raw.clone()
    })
}

#[test]
fn people_in_cards_are_read_with_title_and_mailbox() {
    let people = people_at(
        "/team",
        "<h2>Unser Team</h2><div class=c><img src=a.jpg><h4>Dr. Anna Berg</h4><p>Leiterin Vertrieb</p><a href='mailto:anna.berg@muster.test'>Mail</a></div><div class=c><img src=b.jpg><h4>Karl Otto</h4><p>Monteur</p></div>",
    );
    let names: Vec<&str> = people.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Anna Berg", "Karl Otto"]);
    assert_eq!(people[0].emails, ["anna.berg@muster.test"]);
    assert_eq!(people[0].title.as_deref(), Some("Leiterin Vertrieb"));
}

#[test]
fn large_json_ld_value_does_not_hide_people_after_it() {
    let script = |json: &str| format!("<script type='application/ld+json'>{json}</script>");
    let large = script(&format!("[{}]", vec!["{}"; 20_001].join(",")));
    let person = r#"{"@type":"Person","name":"Anna Berg","jobTitle":"Leiterin Vertrieb"}"#;
    let people = people_at("/", &format!("{large}{}", script(person)));
    let names: Vec<&str> = people.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Anna Berg"]);
}

#[test]
fn person_in_the_hundredth_json_ld_script_is_read() {
    let script = |json: &str| format!("<script type='application/ld+json'>{json}</script>");
    let person = r#"{"@type":"Person","name":"Anna Berg","jobTitle":"Leiterin Vertrieb"}"#;
    let others = script(r#"{"@type":"BreadcrumbList"}"#).repeat(99);
    let people = people_at("/team", &(others + &script(person)));
    let names: Vec<&str> = people.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Anna Berg"]);
}

#[test]
fn people_per_page_and_domain_are_limited() {
    let card = |number: usize| {
        let letters: String =
            number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
        format!("<div><h3>Anna B{letters}</h3><p>Buchhalterin</p></div>")
    };
    let html: String = (0..3_000).map(card).collect();
    let dom = Dom::parse(&html);
    let page = PageView::read(&dom, "muster.test");
    let found = read(&page, "muster.test", "/team");
    assert_eq!(found.len(), MAX_PEOPLE);
    let twice = found.iter().chain(&found).map(|one| ("/team".to_owned(), one.clone())).collect();
    assert_eq!(merge_people(twice, |phone| phone.raw.clone()).len(), MAX_PEOPLE);
}

proptest! {
    #[test]
    fn arbitrary_page_yields_valid_people(
        html in "(<(div|p|td|tr|table|dl|dt|dd|h3|b|br|li|span class=vcard|span class=fn|blockquote)>|</(div|p|td|h3|b|span)>|Dr\\. |Anna |Berg|, |: |Gesch\u{e4}ftsf\u{fc}hrer|Vertrieb|a@b\\.de|0221 12345| \u{2013} |\\(|\\)|\\PC){0,80}"
    ) {
        let people = people_at("/team", &html);
        prop_assert!(people.iter().all(|one| one.confidence > 0.0 && one.confidence <= 1.0 && !one.sources.is_empty()));
    }
}
