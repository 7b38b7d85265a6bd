//! Sites that declare their languages in every way, and some that declare them wrongly.

use std::collections::BTreeSet;

use contract::{Mode, Options, Scope};
use crawl::CrawlPlan;
use lab::{Marking, Polyglot};

use crate::harness::{Answer, Run, Site, crawl_in, lab_site, plan};

const HOME: &str = "https://site.test/";

fn preferring(language: Option<&str>) -> CrawlPlan {
    let options = Options { preferred_language: language.map(str::to_owned), ..Options::default() };
    let scope = Scope { include_query_strings: true, ..Scope::default() };
    CrawlPlan { options, scope, ..plan() }
}

fn paths(run: &Run) -> BTreeSet<String> {
    run.urls().into_iter().map(|url| url["https://site.test".len()..].to_owned()).collect()
}

fn pages_in(site: &Polyglot, language: &str) -> BTreeSet<String> {
    let pages = site.languages().into_iter().filter(|(_, tag)| *tag == language);
    pages.map(|(path, _)| path).collect()
}

#[test]
fn preferred_language_is_delivered_however_it_is_declared() {
    for marking in Marking::ALL {
        // If every URL names its language, pages in other languages are skipped after the first was
        // confirmed.
        let languages =
            if marking == Marking::LyingPath { &["en"][..] } else { &Polyglot::LANGUAGES };
        let site = Polyglot::new(marking);
        for language in languages {
            for mode in [Mode::Links, Mode::Sitemap, Mode::Markdown] {
                let run = crawl_in(mode, &lab_site(&site), preferring(Some(language)));
                assert_eq!(paths(&run), pages_in(&site, language), "{marking:?} {mode} {language}");
            }
        }
    }
}

#[test]
fn markdown_without_preference_keeps_the_language_of_the_start_page() {
    for marking in Marking::ALL {
        for home in 0..Polyglot::LANGUAGES.len() {
            if home > 0 && matches!(marking, Marking::LyingDocumentPath | Marking::LyingPath) {
                // The document counts before its text, and the URL before the page is fetched.
                continue;
            }
            let site = Polyglot { marking, home };
            let run = crawl_in(Mode::Markdown, &lab_site(&site), preferring(None));
            let language = Polyglot::LANGUAGES[home];
            assert_eq!(paths(&run), pages_in(&site, language), "{marking:?} {language}");
            for path in pages_in(&site, language) {
                let page = run.page(&format!("https://site.test{path}"));
                assert_eq!(page.language.as_deref(), Some(language), "{marking:?} {path}");
            }
        }
    }
}

#[test]
fn links_without_preference_keep_all_languages() {
    for marking in Marking::ALL {
        let site = Polyglot::new(marking);
        let run = crawl_in(Mode::Links, &lab_site(&site), preferring(None));
        let all: BTreeSet<_> = site.languages().into_keys().collect();
        assert_eq!(paths(&run), all, "{marking:?}");
    }
}

#[test]
fn host_may_name_a_language() {
    let english = "The old lighthouse stands above the harbour, and every evening somebody climbs \
        its stairs to light the lamp.";
    let german = "Der alte Leuchtturm steht über dem Hafen, und jeden Abend steigt jemand die \
        Treppe hinauf, um die Lampe anzuzünden.";
    let links = "<a href=https://de.site.test/>d</a><a href=https://fr.site.test/>f</a>";
    let site = Site::default()
        .with(HOME, Answer::Html(format!("<p>{english} {links}")))
        .with("https://de.site.test/", Answer::Html(format!("<p>{german} <a href=/b>b</a>")))
        .with("https://de.site.test/b", Answer::Html("<p>kurz".to_owned()))
        .with("https://fr.site.test/", Answer::Html("<p>bref".to_owned()));
    let scope = Scope { include_subdomains: true, ..Scope::default() };
    for (wish, kept) in [
        (Some("de"), &["https://de.site.test/", "https://de.site.test/b"][..]),
        (Some("fr"), &["https://fr.site.test/"]),
        (None, &[HOME]),
    ] {
        for mode in [Mode::Links, Mode::Markdown] {
            if mode == Mode::Links && wish.is_none() {
                continue;
            }
            let run = crawl_in(mode, &site, CrawlPlan { scope: scope.clone(), ..preferring(wish) });
            let mut urls = run.urls();
            urls.sort_unstable();
            assert_eq!(urls, kept, "{wish:?} {mode}");
        }
    }
}

#[test]
fn region_and_strict_options_apply_to_markdown() {
    let page =
        |language: &str, text: &str| Answer::Html(format!("<html lang={language}><p>{text}"));
    let site = Site::default()
        .with(HOME, page("de", "home <a href=/at/>a</a><a href=/de-at/x>x</a><a href=/en/>e</a>"))
        .with("https://site.test/at/", page("de-AT", "servus"))
        .with("https://site.test/de-at/x", page("de-AT", "noch eins"))
        .with("https://site.test/en/", page("en", "english"));
    let kept = |options: Options| {
        let run = crawl_in(Mode::Markdown, &site, CrawlPlan { options, ..preferring(None) });
        paths(&run).into_iter().collect::<Vec<_>>()
    };
    let wanting =
        |tag: &str| Options { preferred_language: Some(tag.to_owned()), ..Options::default() };
    assert_eq!(kept(Options::default()), ["/", "/at/", "/de-at/x"]);
    let region_aware = Options { region_aware: true, ..wanting("de-AT") };
    assert_eq!(kept(region_aware), ["/at/", "/de-at/x"]);
    let strict = Options { strict_default_language: true, ..wanting("en") };
    assert_eq!(kept(strict), ["/en/"]);
}

#[test]
fn region_of_the_start_page_is_kept() {
    let page = |own: &str| {
        format!(
            "<html lang={own}><link rel=alternate hreflang=en-GB href=/uk>\
             <link rel=alternate hreflang=en-US href=/us><p>text of {own}</p><a href=/uk>u</a>"
        )
    };
    let site = |start: &str| {
        Site::default()
            .with(
                HOME,
                Answer::Html(format!(
                    "<html lang={start}><p>home <a href=/uk>u</a><a href=/us>s</a>"
                )),
            )
            .with("https://site.test/uk", Answer::Html(page("en-GB")))
            .with("https://site.test/us", Answer::Html(page("en-US")))
    };
    for (start, kept) in [("en-US", "/us"), ("en-GB", "/uk"), ("en", "/uk")] {
        let run = crawl_in(Mode::Markdown, &site(start), preferring(None));
        assert_eq!(paths(&run), BTreeSet::from(["/".to_owned(), kept.to_owned()]), "{start}");
        assert!(run.skipped_with_reasons().iter().any(|(_, reason)| *reason == "language"));
    }
    let run = crawl_in(Mode::Markdown, &site("en"), preferring(Some("en")));
    assert_eq!(run.whole.len(), 3, "a preferred language includes all of its pages");
}

#[test]
fn hreflang_to_home_pages_on_every_page_is_ignored() {
    let head = "<html lang=en><link rel=alternate hreflang=en href=/>\
        <link rel=alternate hreflang=de href=/de/>";
    let site = Site::default()
        .with(HOME, Answer::Html(format!("{head}<p>home <a href=/a>a</a><a href=/b>b</a>")))
        .with("https://site.test/a", Answer::Html(format!("{head}<p>the first text")))
        .with("https://site.test/b", Answer::Html(format!("{head}<p>another text")));
    let run = crawl_in(Mode::Markdown, &site, preferring(None));
    let expected = ["/", "/a", "/b"].map(str::to_owned);
    assert_eq!(paths(&run), BTreeSet::from(expected));
}

#[test]
fn translation_is_known_by_declarations_of_other_pages() {
    let site = Site::default()
        .with(
            HOME,
            Answer::Html(
                "<html lang=en><link rel=alternate hreflang=en href=/>\
                 <link rel=alternate hreflang=de href=/b>\
                 <p>home <a href=/a>a</a> <a href=/b>b</a>"
                    .to_owned(),
            ),
        )
        .with("https://site.test/a", Answer::Html("<html lang=en><p>a text".to_owned()))
        // It declares no language and is too short to detect one.
        .with("https://site.test/b", Answer::Html("<p>kurz".to_owned()));
    let run = crawl_in(Mode::Markdown, &site, preferring(None));
    assert_eq!(paths(&run), BTreeSet::from(["/".to_owned(), "/a".to_owned()]));
    assert!(run.skipped_with_reasons().contains(&("https://site.test/b", "language")));
    assert!(!run.pages_requested().contains(&"https://site.test/b"), "nor is it asked for");
}

#[test]
fn text_language_is_detected_only_if_undeclared() {
    let german = "Der alte Leuchtturm steht über dem Hafen, und jeden Abend steigt jemand die \
        Treppe hinauf, um die Lampe anzuzünden.";
    let site = Site::default()
        .with(HOME, Answer::Html(format!("<html lang=en><p>{german} <a href=/a>a</a>")))
        .with("https://site.test/a", Answer::Html(format!("<p>{german}")));
    let run = crawl_in(Mode::Links, &site, preferring(Some("de")));
    assert_eq!(paths(&run), BTreeSet::from(["/a".to_owned()]), "a document is believed");
}

#[test]
fn sitemap_declares_languages_of_its_pages() {
    let entry = |path: &str| {
        format!(
            "<url><loc>https://site.test{path}</loc>\
             <xhtml:link rel=\"alternate\" hreflang=\"en\" href=\"https://site.test/one\"/>\
             <xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"https://site.test/two\"/></url>"
        )
    };
    let list = format!(
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">{}{}</urlset>",
        entry("/one"),
        entry("/two")
    );
    let site = Site::of(&[
        (HOME, "<html lang=en><p>home"),
        ("https://site.test/one", "<p>one"),
        ("https://site.test/two", "<p>zwei"),
    ])
    .with("https://site.test/sitemap.xml", Answer::Xml(list));
    let scope = Scope { include_sitemap: true, ..Scope::default() };
    let run = crawl_in(Mode::Markdown, &site, CrawlPlan { scope, ..preferring(None) });
    assert_eq!(paths(&run), BTreeSet::from(["/".to_owned(), "/one".to_owned()]));
}
