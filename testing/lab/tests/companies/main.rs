//! The companies are as they say: every page is linked and served, every value of a truth
//! stands on its page, and nothing of others is in it.

mod reading;
mod values;
mod vat;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use lab::{Company, ContactStatus, Lab, Method, Reply, Site};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::reading::{between, companies, firms, unescaped, without};

#[test]
fn there_are_companies_of_eight_languages_and_fifteen_countries() {
    let hosts: BTreeSet<&str> = companies().map(|(company, _)| company.host()).collect();
    assert_eq!(hosts.len(), companies().count());
    assert!(firms().count() >= 24);
    let tags: BTreeSet<_> = firms().filter_map(|(_, truth)| truth.language.as_deref()).collect();
    assert_eq!(tags, BTreeSet::from(["de", "en", "es", "fr", "it", "nl", "pl", "pt"]));
    let homes: BTreeSet<_> = firms().filter_map(|(_, truth)| truth.home.as_deref()).collect();
    assert_eq!(homes.len(), 15, "{homes:?}");
    let mut statuses: BTreeMap<ContactStatus, usize> = BTreeMap::new();
    for (_, truth) in companies() {
        *statuses.entry(truth.status).or_default() += 1;
    }
    assert_eq!(statuses.len(), 6, "{statuses:?}");
    assert_eq!(statuses[&ContactStatus::Parked], 3);
}

#[test]
fn a_company_is_the_same_each_time() {
    for (company, truth) in companies() {
        let again = Company::named(company.host()).expect("a company of that name");
        assert_eq!(*truth, again.company_truth());
        assert!(company.pages().eq(again.pages()), "{}", company.host());
    }
}

#[test]
fn every_page_can_be_reached_and_every_link_leads_somewhere() {
    for (company, _) in firms() {
        let pages: BTreeSet<String> = company.pages().map(|page| page.0).collect();
        let others = pages.len();
        assert!((8..=60).contains(&others), "{} has {others} pages", company.host());
        let mut seen = BTreeSet::from(["/".to_owned()]);
        let mut queue = VecDeque::from(["/".to_owned()]);
        while let Some(path) = queue.pop_front() {
            let text = company.text_at(&path);
            let html = text.unwrap_or_else(|| panic!("{}{path} leads nowhere", company.host()));
            let html = without(&html, "<script", "</script>").replace("HREF=", "href=");
            for href in between(&html, "href=\"", "\"") {
                let href = unescaped(href);
                let path = href.split('#').next().unwrap_or_default();
                if let Some((_, anchor)) = href.split_once("/#").filter(|one| !one.1.is_empty()) {
                    let home = company.text_at("/").expect("a home page");
                    assert!(home.contains(&format!("id=\"{anchor}\"")), "{}{href}", company.host());
                }
                let inner = path.starts_with('/') && !path.starts_with("/cdn-cgi/");
                if inner && !path.starts_with("/trap/") && seen.insert(path.to_owned()) {
                    queue.push_back(path.to_owned());
                }
            }
        }
        let missed: Vec<&String> = pages.difference(&seen).collect();
        assert!(missed.is_empty(), "{}: {missed:?}", company.host());
    }
}

#[test]
fn every_trouble_occurs() {
    let people = || firms().flat_map(|(_, truth)| &truth.people);
    assert!(people().count() > 120);
    assert!(people().filter(|one| one.legal_representative).count() > 30);
    assert!(people().filter(|one| one.honorific.is_some()).count() > 30);
    assert!(people().filter(|one| one.emails.is_empty()).count() > 10);
    assert!(people().filter(|one| one.phones.len() > 1).count() > 3);
    assert!(people().filter(|one| !one.profiles.is_empty()).count() > 15);
    assert!(people().filter(|one| one.department.is_some()).count() > 15);
    let methods: BTreeSet<Method> = firms()
        .flat_map(|(_, truth)| &truth.emails)
        .flat_map(|email| &email.sources)
        .chain(firms().flat_map(|(_, truth)| &truth.phones).flat_map(|phone| &phone.sources))
        .map(|source| source.method)
        .collect();
    assert_eq!(methods.len(), 7, "{methods:?}");
    let namesakes = firms().filter(|(_, truth)| {
        truth.people.iter().any(|one| {
            let same =
                |other: &&lab::PersonTruth| other.name == one.name && other.emails != one.emails;
            truth.people.iter().any(|other| same(&other))
        })
    });
    assert!(namesakes.count() >= 2);
    assert!(firms().all(|(_, truth)| truth.foreign.len() >= 5));
    let several = firms().filter(|(_, truth)| truth.addresses.len() > 1).count();
    assert!(several >= 5, "{several}");
}

async fn ask(lab: &Lab, host: &str, path: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(lab.address()).await.expect("the lab listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("the lab reads");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn the_lab_serves_them_by_name() {
    let lab = Lab::start().await.expect("a port is free");
    let table = Company::serve_all(&Company::all(), &lab);
    assert!(table.contains("refused-kestrelmoor.test=127.0.0.1:1,"), "{table}");
    assert!(!table.contains("vergangen-lab.de="), "{table}");
    assert!(table.contains("www.wwwonly-harrow.test=") && !table.contains(",wwwonly-harrow"));
    assert!(ask(&lab, "hohenrode-lab.de", "/de/impressum").await.contains("404"));
    let imprint = ask(&lab, "www.hohenrode-lab.de", "/de/rechtliches").await;
    assert!(imprint.contains("Hohenrode Werke GmbH &amp; Co. KG"), "{imprint}");
    let moved = ask(&lab, "altename-hohenrode.test", "/").await;
    assert!(moved.contains("location: http://hohenrode-lab.de/"), "{moved}");
    assert!(ask(&lab, "qx7r.anyname-everywhere.test", "/x/y").await.starts_with("HTTP/1.1 200 "));
    assert!(ask(&lab, "failing-quarzhof.test", "/").await.starts_with("HTTP/1.1 503 "));
    assert!(ask(&lab, "walled-castellan.test", "/").await.starts_with("HTTP/1.1 403 "));
    assert!(ask(&lab, "forbidden-minster.test", "/robots.txt").await.contains("Disallow: /\n"));
    let silent =
        tokio::time::timeout(Duration::from_millis(200), ask(&lab, "silent-harrowgate.test", "/"));
    assert!(silent.await.is_err(), "it says nothing");
    let trap = ask(&lab, "hohenrode-lab.de", "/trap/7").await;
    assert!(trap.contains("/trap/8"), "{trap}");
}

#[test]
fn a_domain_that_moved_has_the_record_of_the_other() {
    let moved = Company::named("altename-hohenrode.test").expect("a company").company_truth();
    let other = Company::named("hohenrode-lab.de").expect("a company").company_truth();
    assert_eq!(moved.redirected_to.as_deref(), Some("hohenrode-lab.de"));
    assert_eq!((moved.status, &moved.emails), (ContactStatus::Found, &other.emails));
}

#[test]
fn one_in_ten_of_a_crowd_is_dead_or_slow() {
    let crowd = Company::crowd(1_000);
    let hosts: BTreeSet<&str> = crowd.iter().map(Company::host).collect();
    assert_eq!(hosts.len(), 1_000);
    let dead = crowd.iter().filter(|one| one.company_truth().status == ContactStatus::Unreachable);
    assert_eq!(dead.count(), 80);
    let slow = crowd.iter().filter(|one| matches!(one.answer("/"), Reply::Raw(_)));
    assert_eq!(slow.filter(|one| one.pages().count() > 1).count(), 20);
    for one in crowd.iter().step_by(37).filter(|one| one.pages().count() > 1) {
        let truth = one.company_truth();
        assert_eq!(truth.status, ContactStatus::Found, "{}", one.host());
        assert!(truth.company.vat_id.is_some() && truth.people.len() == 1);
    }
}
