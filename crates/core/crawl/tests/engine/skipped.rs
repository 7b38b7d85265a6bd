//! Every skipped URL is reported with its reason.

use contract::{Options, Scope, SkippedUrl};
use crawl::{Action, CrawlPlan};
use job::RunEnding;

use crate::harness::{Answer, Site, crawl, plan, plan_from};

const HOME: &str = "https://site.test/";

#[test]
fn every_missing_url_is_reported_with_a_reason() {
    let site = Site::of(&[
        (
            HOME,
            "<a href=/gone>1</a><a href=/private>2</a><a href=/old>3</a><a href=/a.pdf>4</a>\
             <a href=/b.png>5</a><a href=https://other.test/>6</a><a href=https://sub.site.test/>7</a>\
             <a href=/x/x/x/x/x>8</a><a href=/stays>9</a>",
        ),
        ("https://site.test/new", "new"),
        ("https://site.test/stays", "<a href=/gone>1</a><a href=/a.pdf>4</a>"),
    ])
    .robots("User-agent: *\nDisallow: /private")
    .moved("https://site.test/old", "/new");
    let run = crawl(&site, plan());
    let mut left = run.skipped_with_reasons();
    left.sort_unstable();
    assert_eq!(
        left,
        [
            ("https://other.test/", "external"),
            ("https://site.test/a.pdf", "file"),
            ("https://site.test/b.png", "image"),
            ("https://site.test/gone", "broken"),
            ("https://site.test/old", "redirect"),
            ("https://site.test/private", "robots"),
            ("https://site.test/x/x/x/x/x", "repeating_segments"),
            ("https://sub.site.test/", "subdomain"),
        ],
        "each once"
    );
    assert!(run.skipped.iter().all(|skipped| skipped.found_on.as_deref() == Some(HOME)));
    let reported: u64 = run.commits.iter().map(|commit| commit.totals().skipped).sum();
    assert_eq!(reported, 8);
    let start = "https://site.test/docs/";
    let site = Site::of(&[(start, "<a href=/docs2/>out</a>")]);
    let scope = Scope { specific_route: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan_from(start) });
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/docs2/", "outside_route")]);
}

#[test]
fn delivered_urls_are_not_reported_as_skipped() {
    let site = Site::of(&[(HOME, "<a href=/gone>1</a><a href=/a.pdf>4</a>")])
        .with("https://site.test/a.pdf", Answer::File);
    let scope = Scope { include_broken: true, include_files: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!((run.items.len(), run.skipped), (3, Vec::<SkippedUrl>::new()));
}

#[test]
fn url_pattern_without_new_content_is_exhausted() {
    let mut site = Site::of(&[
        (HOME, "<a href=/find-1>f</a><a href=/real>r</a>"),
        ("https://site.test/real", "real"),
    ]);
    for n in 1..500 {
        let html = format!("Nothing was found. <a href=/find-{}>more</a>", n + 1);
        site = site.with(&format!("https://site.test/find-{n}"), Answer::Html(html));
    }
    let run = crawl(&site, plan());
    assert!(run.items.len() < 60, "{}", run.items.len());
    assert!(run.urls().contains(&"https://site.test/real"));
    assert_eq!(
        run.skipped.last().map(|skipped| skipped.reason.as_str()),
        Some("pattern_exhausted")
    );
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    let duplicate = run.item("https://site.test/find-2");
    assert_eq!(duplicate.duplicate_of.as_deref(), Some("https://site.test/find-1"));
}

#[test]
fn urls_of_sitemaps_are_no_trap() {
    let list: String = (0..200).map(|n| format!("https://site.test/shell-{n}\n")).collect();
    let mut site =
        Site::of(&[(HOME, "h")]).with("https://site.test/sitemap.xml", Answer::Text(list));
    for n in 0..200 {
        site = site.with(
            &format!("https://site.test/shell-{n}"),
            Answer::Html("One and the same".to_owned()),
        );
    }
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!(run.items.len(), 201);
}

#[test]
fn skipped_url_is_reported_once() {
    let site = Site::of(&[
        (HOME, "<html lang=en><link rel=alternate hreflang=de href=/x><a href=/y>y</a>"),
        ("https://site.test/y", "<html lang=en>y <a href=/x>x</a>"),
        ("https://site.test/x", "<html lang=de>x"),
    ]);
    let options = Options { preferred_language: Some("en".to_owned()), ..Options::default() };
    let run = crawl(&site, CrawlPlan { options, ..plan() });
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/x", "language")]);
    let reported: u64 = run.commits.iter().map(|commit| commit.totals().skipped).sum();
    assert_eq!(reported, 1);
    let start = "https://site.test/docs/";
    let site = Site::of(&[(start, "<a href=/a?b=1>1</a><a href=/a>2</a>")]);
    let scope = Scope { specific_route: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan_from(start) });
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/a", "outside_route")], "one URL");
}

#[test]
fn redirect_to_a_file_is_skipped_as_file() {
    let site = Site::of(&[(HOME, "<a href=/get>g</a><a href=/a.pdf>a</a>")])
        .moved("https://site.test/get", "/b.pdf")
        .with("https://site.test/a.pdf", Answer::File)
        .with("https://site.test/b.pdf", Answer::HeadRejected);
    let run = crawl(&site, CrawlPlan { scope: Scope::default(), ..plan() });
    assert_eq!(run.pages_requested(), [HOME, "https://site.test/get"], "a file is not read twice");
    assert_eq!(
        run.skipped_with_reasons(),
        [
            ("https://site.test/a.pdf", "file"),
            ("https://site.test/b.pdf", "file"),
            ("https://site.test/get", "redirect"),
        ]
    );
    let scope = Scope { include_files: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!(run.urls(), [HOME, "https://site.test/a.pdf", "https://site.test/b.pdf"]);
    assert_eq!(run.times("https://site.test/b.pdf").len(), 2, "its head, then its first bytes");
}

#[test]
fn single_page_is_reported_once_by_the_requested_url() {
    let scope = Scope { one_page: true, ..Scope::default() };
    let site = Site::of(&[("https://site.test/b", "b")])
        .moved(HOME, "/a")
        .moved("https://site.test/a", "/b");
    let run = crawl(&site, CrawlPlan { scope: scope.clone(), ..plan() });
    assert_eq!((run.urls(), run.skipped_with_reasons()), (vec![HOME], vec![]));
    let gone = Site::default().moved(HOME, "/a");
    let run = crawl(&gone, CrawlPlan { scope, ..plan() });
    assert_eq!((run.urls(), run.skipped_with_reasons()), (vec![], vec![(HOME, "broken")]));
}
