//! The pages of a domain: which are worth a visit, and in which order.

use crawl::VisitPlan;
use journal::Cause;

use super::tour::{Web, plan, tour};
use crate::script::Answer;

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
fn the_pages_most_likely_to_tell_come_first() {
    let tour = tour(&site(&FOOTER), plan(&["firm.test"]));
    assert_eq!(
        tour.pages()[..5],
        [
            "https://firm.test/",
            "https://firm.test/impressum",
            "https://firm.test/kontakt",
            "https://firm.test/team",
            "https://firm.test/ueber-uns",
        ]
    );
    assert!(!tour.pages().contains(&"https://firm.test/produkte"), "{:?}", tour.pages());
    let found: u64 = tour.commits.iter().map(|commit| commit.totals().found).sum();
    assert_eq!(found, 7, "every page that is known counts, read or not");
}

#[test]
fn a_domain_is_asked_for_so_many_pages_and_no_more() {
    let texts: Vec<_> = (0..60).map(|n| format!("/team/{n}")).collect();
    let links: Vec<_> = texts.iter().map(|href| (href.as_str(), "Unser Team")).collect();
    let tour = tour(&site(&links), VisitPlan { pages: 8, ..plan(&["firm.test"]) });
    assert!(tour.pages().len() <= 9, "a sitemap besides: {:?}", tour.pages());
    assert!(tour.record("firm.test").pages_checked <= 8);
}

#[test]
fn pages_of_others_are_not_visited() {
    let links = [
        ("https://agency.test/impressum", "Impressum"),
        ("https://jobs.firm.test/kontakt", "Kontakt"),
    ];
    let tour = tour(&site(&links), plan(&["firm.test"]));
    assert!(!tour.urls().iter().any(|url| url.contains("agency")), "{:?}", tour.urls());
    assert!(tour.urls().contains(&"https://jobs.firm.test/robots.txt"), "{:?}", tour.urls());
}

#[test]
fn a_lead_that_robots_txt_forbids_is_left_alone() {
    let mut web = site(&FOOTER);
    let rules = Answer::Text("User-agent: *\nDisallow: /team".to_owned());
    web.site = web.site.with("https://firm.test/robots.txt", rules);
    let tour = tour(&web, plan(&["firm.test"]));
    assert!(!tour.pages().contains(&"https://firm.test/team"), "{:?}", tour.pages());
    assert!(tour.pages().contains(&"https://firm.test/impressum"));
}

#[test]
fn a_page_that_fails_is_tried_once_more_and_costs_only_itself() {
    let mut web = Web::of(&[("https://firm.test/", &home(&FOOTER))]);
    web.site = web.site.with("https://firm.test/impressum", Answer::Fails(Cause::Timeout));
    let tour = tour(&web, plan(&["firm.test"]));
    let tries = tour.pages().iter().filter(|url| url.ends_with("/impressum")).count();
    assert_eq!(tries, 2);
    assert_eq!(tour.status("firm.test"), "none");
}

#[test]
fn the_sitemap_is_asked_where_no_link_says_how_to_reach_anybody() {
    let mut web = site(&[("/produkte", "Produkte")]);
    let list = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
        <url><loc>https://firm.test/produkte</loc></url>\
        <url><loc>https://firm.test/impressum</loc></url></urlset>";
    web.site = web.site.with("https://firm.test/sitemap.xml", Answer::Xml(list.to_owned()));
    let imprint = "<!doctype html><html lang=de><title>Impressum</title><p>Angaben.".to_owned();
    web.site = web.site.with("https://firm.test/impressum", Answer::Html(imprint));
    let with_hints = tour(&web, plan(&["firm.test"]));
    assert!(
        with_hints.pages().contains(&"https://firm.test/impressum"),
        "{:?}",
        with_hints.pages()
    );
    let without = tour(&site(&FOOTER), plan(&["firm.test"]));
    assert!(!without.pages().contains(&"https://firm.test/sitemap.xml"), "{:?}", without.pages());
}

#[test]
fn whoever_answers_the_same_to_everything_is_read_once() {
    let page = home(&FOOTER);
    let mut web = Web::of(&[("https://firm.test/", &page)]);
    for (href, _) in FOOTER {
        web.site = web.site.with(&format!("https://firm.test{href}"), Answer::Html(page.clone()));
    }
    let tour = tour(&web, plan(&["firm.test"]));
    assert!(tour.asked.len() < 12, "{:?}", tour.urls());
    assert_eq!(tour.status("firm.test"), "none");
}

#[test]
fn three_challenged_pages_are_a_protected_domain() {
    let mut web = Web::of(&[("https://firm.test/", &home(&FOOTER))]);
    for (href, _) in FOOTER {
        web.site = web.site.with(&format!("https://firm.test{href}"), Answer::Wall);
    }
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!(tour.status("firm.test"), "blocked");
}
