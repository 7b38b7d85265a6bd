//! The fields of an item.

use contract::{IndexReason, LinkType, Scope};
use crawl::CrawlPlan;

use crate::harness::{Answer, Site, crawl, plan, plan_from, resume};

const HOME: &str = "https://site.test/";

#[test]
fn item_has_all_fields_of_the_page() {
    let html = "<html lang=de><title>A  title</title><meta name=description content=About>\
                <h1>Head</h1><p>four words of text";
    let run = crawl(&Site::of(&[(HOME, html)]), plan());
    let item = run.item(HOME);
    assert_eq!(item.kind, LinkType::Page);
    assert_eq!((item.status_code, item.error, item.broken), (Some(200), None, false));
    assert_eq!(item.title.as_deref(), Some("A title"));
    assert_eq!(item.description.as_deref(), Some("About"));
    assert_eq!(item.h1.as_deref(), Some("Head"));
    assert_eq!(item.language.as_deref(), Some("de"));
    assert_eq!(item.word_count, Some(5));
    assert_eq!(item.size_bytes, Some(html.len() as u64));
    assert_eq!(item.response_ms, Some(10));
    assert_eq!((item.indexable, item.index_reason), (Some(true), None));
    assert!(item.final_url.is_none() && item.redirects.is_empty());
    assert!(item.fetched_at.is_some() && item.content_hash.is_some());
}

#[test]
fn duplicate_of_names_the_first_url_of_a_content() {
    let site = Site::of(&[
        (HOME, "<a href=/a></a><a href=/b></a><a href=/c>"),
        ("https://site.test/a", "<p>the same words"),
        ("https://site.test/b", "<title>other</title><p>the same <b>words</b>"),
        ("https://site.test/c", "<p>other words"),
    ]);
    let run = crawl(&site, plan());
    assert_eq!(run.item("https://site.test/a").duplicate_of, None);
    assert_eq!(
        run.item("https://site.test/b").duplicate_of.as_deref(),
        Some("https://site.test/a")
    );
    assert_eq!(run.item("https://site.test/c").duplicate_of, None);
}

#[test]
fn page_with_another_canonical_url_is_not_indexable() {
    let site = Site::of(&[
        (HOME, "<link rel=canonical href=/><a href=/a></a><a href=/hidden>"),
        ("https://site.test/a", "<link rel=canonical href=/b>words of a"),
        ("https://site.test/b", "words of b"),
        ("https://site.test/hidden", "<meta name=robots content='noindex'>hidden"),
    ]);
    let run = crawl(&site, plan());
    let index = |url: &str| (run.item(url).indexable, run.item(url).index_reason);
    assert_eq!(index(HOME), (Some(true), None));
    assert_eq!(index("https://site.test/a"), (Some(false), Some(IndexReason::Canonical)));
    assert_eq!(
        run.item("https://site.test/a").canonical_url.as_deref(),
        Some("https://site.test/b")
    );
    assert_eq!(index("https://site.test/hidden"), (Some(false), Some(IndexReason::Noindex)));
    assert_eq!(index("https://site.test/b"), (Some(true), None), "it was found by that word");
    assert_eq!(run.inlinks["https://site.test/b"], 0, "which is no link");
}

#[test]
fn canonical_in_another_spelling_is_the_same_url() {
    let html = "<link rel=canonical href=https://www.site.test/>";
    let site = Site::default()
        .moved("http://site.test/", "https://www.site.test/")
        .with("https://www.site.test/", Answer::Html(html.to_owned()));
    let run = crawl(&site, plan_from("http://site.test/"));
    let item = run.item("http://site.test/");
    assert_eq!((item.indexable, item.index_reason), (Some(true), None));
}

#[test]
fn links_of_error_pages_are_not_followed() {
    let error = "<title>Oops</title><a href=/from-error>try this</a>".to_owned();
    let site = Site::of(&[(HOME, "<a href=/gone>"), ("https://site.test/from-error", "")])
        .with("https://site.test/gone", Answer::Page(404, error));
    let scope = Scope { include_broken: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!(run.pages_requested(), [HOME, "https://site.test/gone"]);
    let item = run.item("https://site.test/gone");
    assert_eq!((item.title.as_deref(), item.status_code), (Some("Oops"), Some(404)));
    assert_eq!((item.indexable, item.index_reason), (Some(false), Some(IndexReason::Status)));
    assert_eq!((item.broken, item.duplicate_of.as_deref()), (true, None));
}

#[test]
fn items_are_the_same_after_a_crash() {
    let site = Site::of(&[
        (HOME, "<a href=/a></a><a href=/b>"),
        ("https://site.test/a", "<p>words <a href=/c></a><a href=/b>"),
        ("https://site.test/b", "<p>more words <a href=/a>"),
        ("https://site.test/c", "<p>words"),
    ]);
    let whole = crawl(&site, plan());
    for cut in 0..whole.commits.len() {
        let rest = resume(&site, plan(), &whole.commits[..cut]);
        for item in &rest.items {
            let before = whole.item(&item.url);
            assert_eq!(item.content_hash, before.content_hash, "cut at {cut}");
            assert_eq!(item.duplicate_of, before.duplicate_of, "cut at {cut}");
            assert_eq!((item.depth, &item.found_on), (before.depth, &before.found_on));
        }
        let done: u64 = whole.commits[..cut].iter().map(|commit| commit.totals().delivered).sum();
        assert_eq!(done + rest.items.len() as u64, 4, "cut at {cut}");
        assert_eq!(rest.units, 4);
    }
    assert_eq!(whole.inlinks["https://site.test/b"], 2);
    assert_eq!(whole.inlinks["https://site.test/c"], 1);
    let slow = crawl(&site, CrawlPlan { concurrency: 1, ..plan() });
    assert_eq!(slow.inlinks, whole.inlinks);
}
