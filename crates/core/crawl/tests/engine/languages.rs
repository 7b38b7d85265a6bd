//! Which pages are delivered with a preferred language.

use contract::{Mode, Options, Scope};
use crawl::CrawlPlan;

use crate::harness::{Answer, Run, Site, crawl, crawl_in, plan, plan_from};

const HOME: &str = "https://site.test/";

fn html(language: &str, body: &str) -> Answer {
    let lang = if language.is_empty() { String::new() } else { format!(" lang={language}") };
    Answer::Html(format!("<html{lang}><body>{body}"))
}

/// An English start page with German and French pages, a page without a declared language, and one
/// in Austrian German.
fn site() -> Site {
    Site::default()
        .with(
            HOME,
            html(
                "en",
                "home <a href=/about>a</a><a href=/de/>d</a><a href=/fr/>f</a>\
            <a href=/silent>s</a><a href=/at>at</a>",
            ),
        )
        .with("https://site.test/about", html("en-GB", "about"))
        .with("https://site.test/de/", html("de", "start <a href=/de/ueber>u</a>"))
        .with("https://site.test/de/ueber", html("", "ueber"))
        .with("https://site.test/fr/", html("fr", "debut <a href=/fr/a>a</a><a href=/fr/b>b</a>"))
        .with("https://site.test/fr/a", html("fr", "a <a href=/fr/b>b</a>"))
        .with("https://site.test/fr/b", html("fr", "b"))
        .with("https://site.test/silent", html("", "silent"))
        .with("https://site.test/at", html("de-AT", "servus"))
}

fn wanting(language: &str) -> Options {
    Options { preferred_language: Some(language.to_owned()), ..Options::default() }
}

fn with(options: Options) -> CrawlPlan {
    CrawlPlan { options, ..plan() }
}

fn paths(run: &Run) -> Vec<&str> {
    let mut paths: Vec<_> =
        run.urls().into_iter().map(|url| &url["https://site.test".len()..]).collect();
    paths.sort_unstable();
    paths
}

#[test]
fn every_language_is_delivered_without_a_preference() {
    assert_eq!(crawl(&site(), plan()).items.len(), 9);
}

#[test]
fn only_pages_in_the_preferred_language_are_delivered() {
    let run = crawl(&site(), with(wanting("de")));
    assert_eq!(
        paths(&run),
        ["/at", "/de/", "/de/ueber", "/silent"],
        "silence is no other language"
    );
    assert_eq!(run.units, 4);
    let reasons: Vec<_> =
        run.skipped_with_reasons().into_iter().filter(|(_, why)| *why == "language").collect();
    assert!(
        reasons.contains(&(HOME, "language"))
            && reasons.contains(&("https://site.test/about", "language"))
    );
    let run = crawl(&site(), with(wanting("EN_us")));
    assert_eq!(paths(&run), ["/", "/about", "/silent"], "regions do not count by themselves");
}

#[test]
fn language_in_url_counts_after_a_page_confirmed_it() {
    let plan = CrawlPlan { concurrency: 1, ..with(wanting("en")) };
    let run = crawl(&site(), plan);
    let requested = run.pages_requested();
    assert!(requested.contains(&"https://site.test/fr/"), "the first has to be seen");
    assert!(!requested.contains(&"https://site.test/fr/b"), "its neighbours need not");
    assert!(run.skipped_with_reasons().contains(&("https://site.test/fr/b", "language")));
    let liar = Site::default()
        .with(HOME, html("en", "<a href=/fr/>f</a>"))
        .with("https://site.test/fr/", html("en", "free <a href=/fr/x>x</a>"))
        .with("https://site.test/fr/x", html("en", "x"));
    assert_eq!(paths(&crawl(&liar, with(wanting("en")))), ["/", "/fr/", "/fr/x"]);
}

#[test]
fn regions_differ_if_region_aware() {
    let options = Options { region_aware: true, ..wanting("de-AT") };
    assert_eq!(paths(&crawl(&site(), with(options))), ["/at", "/silent"]);
    let options = Options { region_aware: true, ..wanting("de") };
    assert_eq!(
        paths(&crawl(&site(), with(options))),
        ["/at", "/de/", "/de/ueber", "/silent"],
        "who names no region takes all"
    );
}

#[test]
fn strict_mode_takes_unmarked_pages_as_default_language() {
    let strict = |language: &str| Options { strict_default_language: true, ..wanting(language) };
    let run = crawl(&site(), with(strict("de")));
    assert_eq!(paths(&run), ["/de/", "/de/ueber"], "unmarked pages are English ones that leak");
    let run = crawl(&site(), with(strict("en")));
    assert_eq!(paths(&run), ["/", "/about", "/silent"]);
    let both = Options { region_aware: true, ..strict("en-GB") };
    assert_eq!(paths(&crawl(&site(), with(both))), [""; 0], "the default has no region");
    let marked = CrawlPlan { options: strict("de"), ..plan_from("https://site.test/de/") };
    let linked = site().with("https://site.test/de/ueber", html("", "<a href=/leak>l</a>"));
    assert_eq!(paths(&crawl(&linked, marked)), ["/de/", "/de/ueber"]);
}

#[test]
fn declared_translations_are_not_fetched() {
    let site = Site::default()
        .with(HOME, Answer::Html("<html lang=en><link rel=alternate hreflang=de href=/x>\
            <link rel=alternate hreflang=en-GB href=/y><link rel=alternate hreflang=x-default href=/z>".to_owned()))
        .with("https://site.test/y", html("en", "y"))
        .with("https://site.test/z", html("en", "z"));
    let run = crawl(&site, with(wanting("en")));
    assert_eq!(run.pages_requested(), [HOME, "https://site.test/y", "https://site.test/z"]);
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/x", "language")]);
}

#[test]
fn language_filter_applies_to_sitemap_urls() {
    let list = "https://site.test/fr/a\nhttps://site.test/at\nhttps://site.test/silent\n";
    let site = site().with("https://site.test/sitemap.xml", Answer::Text(list.to_owned()));
    let options = Options { sitemap_first: true, ..wanting("de") };
    let run = crawl(&site, with(options.clone()));
    assert_eq!(paths(&run), ["/at", "/silent"]);
    let run = crawl_in(Mode::Sitemap, &site, with(wanting("de")));
    assert_eq!(paths(&run), ["/at", "/de/", "/de/ueber", "/silent"]);
    let scope = Scope { include_broken: true, include_orphan: true, ..Scope::default() };
    let options = Options { discovery: false, ..options };
    let run = crawl(&site, CrawlPlan { scope, ..with(options) });
    assert_eq!(paths(&run), ["/at", "/silent"], "all of it at once");
}

#[test]
fn url_without_region_may_lead_to_any_region() {
    let site = Site::default()
        .with(HOME, html("en", "home <a href=/de/>d</a>"))
        .with("https://site.test/de/", html("de-AT", "servus <a href=/de/a>a</a>"))
        .with("https://site.test/de/a", html("de-AT", "a <a href=/de/b>b</a>"))
        .with("https://site.test/de/b", html("de-DE", "b"));
    let options = Options { region_aware: true, ..wanting("de-AT") };
    assert_eq!(paths(&crawl(&site, with(options))), ["/de/", "/de/a"]);
}

#[test]
fn start_page_is_read_before_the_default_language_is_needed() {
    let site = Site::default()
        .with(HOME, Answer::Wait(503, 5))
        .with(HOME, html("en", "home"))
        .with("https://site.test/o", html("en", "orphan"))
        .with("https://site.test/sitemap.xml", Answer::Text("https://site.test/o\n".to_owned()));
    let options = Options { strict_default_language: true, ..wanting("en") };
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..with(options) });
    assert_eq!(paths(&run), ["/", "/o"]);
}
