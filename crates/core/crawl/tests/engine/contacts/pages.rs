//! Which pages of a domain are requested, and in which order.

use crawl::VisitPlan;
use journal::Cause;

use super::visit_harness::{Web, plan, run_visits};
use crate::harness::Answer;

/// A home page with these links, each with its text.
fn home(links: &[(&str, &str)]) -> String {
    let links = links.iter().map(|(href, text)| format!("<li><a href=\"{href}\">{text}</a></li>"));
    let links: String = links.collect();
    format!(
        "<!doctype html><html lang=de><title>Holzwerk</title><h1>Holzwerk</h1><p>Wir bauen Tische \
         und Stühle aus Holz.</p><ul>{links}</ul>"
    )
}

const FOOTER: [(&str, &str); 6] = [
    ("/produkte", "Produkte"),
    ("/datenschutz", "Datenschutz"),
    ("/ueber-uns", "Über uns"),
    ("/team", "Team"),
    ("/kontakt", "Kontakt"),
    ("/impressum", "Impressum"),
];

fn site(links: &[(&str, &str)]) -> Web {
    let mut web = Web::of(&[("https://firm.test/", &home(links))]);
    for (href, text) in links.iter().filter(|(href, _)| href.starts_with('/')) {
        let page = format!("<!doctype html><html lang=de><title>{text}</title><p>{text}, {href}.");
        web.site = web.site.with(&format!("https://firm.test{href}"), Answer::Html(page));
    }
    web
}

#[test]
fn imprint_and_contact_pages_are_requested_first() {
    let run = run_visits(&site(&FOOTER), plan(&["firm.test"]));
    assert_eq!(
        run.pages()[..5],
        [
            "https://firm.test/",
            "https://firm.test/impressum",
            "https://firm.test/kontakt",
            "https://firm.test/team",
            "https://firm.test/ueber-uns",
        ]
    );
    assert!(!run.pages().contains(&"https://firm.test/produkte"), "{:?}", run.pages());
    let found: u64 = run.commits.iter().map(|commit| commit.totals().found).sum();
    assert_eq!(found, 7, "every page that is known counts, read or not");
}

#[test]
fn visit_respects_the_page_limit() {
    let texts: Vec<_> = (0..60).map(|n| format!("/team/{n}")).collect();
    let links: Vec<_> = texts.iter().map(|href| (href.as_str(), "Unser Team")).collect();
    let run = run_visits(&site(&links), VisitPlan { pages: 8, ..plan(&["firm.test"]) });
    assert!(run.pages().len() <= 9, "a sitemap besides: {:?}", run.pages());
    assert!(run.record("firm.test").pages_checked <= 8);
}

#[test]
fn external_pages_are_not_requested() {
    let links = [
        ("https://agency.test/impressum", "Impressum"),
        ("https://jobs.firm.test/kontakt", "Kontakt"),
    ];
    let run = run_visits(&site(&links), plan(&["firm.test"]));
    assert!(!run.urls().iter().any(|url| url.contains("agency")), "{:?}", run.urls());
    assert!(run.urls().contains(&"https://jobs.firm.test/robots.txt"), "{:?}", run.urls());
}

#[test]
fn lead_forbidden_by_robots_txt_is_not_requested() {
    let mut web = site(&FOOTER);
    let rules = Answer::Text("User-agent: *\nDisallow: /team".to_owned());
    web.site = web.site.with("https://firm.test/robots.txt", rules);
    let run = run_visits(&web, plan(&["firm.test"]));
    assert!(!run.pages().contains(&"https://firm.test/team"), "{:?}", run.pages());
    assert!(run.pages().contains(&"https://firm.test/impressum"));
}

#[test]
fn failed_page_is_retried_once() {
    let mut web = Web::of(&[("https://firm.test/", &home(&FOOTER))]);
    web.site = web.site.with("https://firm.test/impressum", Answer::Failure(Cause::Timeout));
    let run = run_visits(&web, plan(&["firm.test"]));
    let tries = run.pages().iter().filter(|url| url.ends_with("/impressum")).count();
    assert_eq!(tries, 2);
    assert_eq!(run.status("firm.test"), "none");
}

#[test]
fn sitemap_is_read_if_no_link_leads_to_a_contact_page() {
    let mut web = site(&[("/produkte", "Produkte")]);
    let list = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
        <url><loc>https://firm.test/produkte</loc></url>\
        <url><loc>https://firm.test/impressum</loc></url></urlset>";
    web.site = web.site.with("https://firm.test/sitemap.xml", Answer::Xml(list.to_owned()));
    let imprint = "<!doctype html><html lang=de><title>Impressum</title><p>Angaben.".to_owned();
    web.site = web.site.with("https://firm.test/impressum", Answer::Html(imprint));
    let with_hints = run_visits(&web, plan(&["firm.test"]));
    assert!(
        with_hints.pages().contains(&"https://firm.test/impressum"),
        "{:?}",
        with_hints.pages()
    );
    let without = run_visits(&site(&FOOTER), plan(&["firm.test"]));
    assert!(!without.pages().contains(&"https://firm.test/sitemap.xml"), "{:?}", without.pages());
}

#[test]
fn identical_pages_are_read_once() {
    let page = home(&FOOTER);
    let mut web = Web::of(&[("https://firm.test/", &page)]);
    for (href, _) in FOOTER {
        web.site = web.site.with(&format!("https://firm.test{href}"), Answer::Html(page.clone()));
    }
    let run = run_visits(&web, plan(&["firm.test"]));
    assert!(run.requests.len() < 12, "{:?}", run.urls());
    assert_eq!(run.status("firm.test"), "none");
}

#[test]
fn three_challenged_pages_make_a_protected_domain() {
    let mut web = Web::of(&[("https://firm.test/", &home(&FOOTER))]);
    for (href, _) in FOOTER {
        web.site = web.site.with(&format!("https://firm.test{href}"), Answer::Challenge);
    }
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!(run.status("firm.test"), "blocked");
}
