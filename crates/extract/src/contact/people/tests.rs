use contract::ContactPerson;

use super::*;
use crate::dom::Dom;

/// The people of one page of a company.
fn people_at(path: &str, html: &str) -> Vec<ContactPerson> {
    let dom = Dom::parse(html);
    let sheet = Sheet::read(&dom, "muster.test");
    let found = read(&sheet, "muster.test", path);
    fold(found.into_iter().map(|one| (path.to_owned(), one)).collect(), |phone| phone.raw.clone())
}

#[test]
fn a_card_is_read() {
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
fn debug_page() {
    let Ok(file) = std::env::var("PEOPLE_PAGE") else { return };
    let html = std::fs::read_to_string(&file).unwrap();
    let dom = Dom::parse(&html);
    let sheet = Sheet::read(&dom, "muster.test");
    for (at, line) in sheet.lines.iter().enumerate() {
        eprintln!(
            "{at} {:?} L{:?} H{:?} {} => {:?}",
            line.zone,
            line.level,
            line.heading,
            line.text.chars().take(120).collect::<String>(),
            segment::segments(line)
                .iter()
                .map(|s| format!(
                    "{}:{}",
                    match s.kind {
                        segment::Kind::Name(_) => "N",
                        segment::Kind::Role(_) => "R",
                        segment::Kind::Department => "D",
                        segment::Kind::Plain => "p",
                    },
                    &line.text[s.from..s.to]
                ))
                .collect::<Vec<_>>()
        );
    }
    for one in people_at(&std::env::var("PEOPLE_PATH").unwrap_or_default(), &html) {
        eprintln!("{one:?}");
    }
}
