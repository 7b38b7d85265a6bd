//! Duplicates and pages with a canonical page are delivered once.

use contract::{Options, Scope};
use crawl::{Action, CrawlPlan};
use journal::Cause;
use lab::Copies;

use crate::harness::{self, Answer, Run, Site, lab_site, plan, plan_from};
use crate::markdown::{crawl, resume};

const HOME: &str = "https://site.test/";

fn at(path: &str) -> String {
    format!("https://site.test{path}")
}

fn is_delivered(run: &Run, path: &str) -> bool {
    run.urls().contains(&at(path).as_str())
}

fn with_queries() -> CrawlPlan {
    let scope = Scope { include_query_strings: true, ..Scope::default() };
    CrawlPlan { scope, ..plan() }
}

#[test]
fn duplicates_of_every_kind_are_delivered_once_and_reported() {
    for concurrency in [1, 3, 16] {
        let plan = CrawlPlan { concurrency, host_concurrency: concurrency, ..with_queries() };
        let run = crawl(&lab_site(&Copies), plan);
        for group in Copies.groups() {
            let all = group.others.iter().chain(&group.kept);
            let delivered: Vec<_> = all.clone().filter(|path| is_delivered(&run, path)).collect();
            assert_eq!(delivered.len(), 1, "{group:?} at {concurrency}: {delivered:?}");
            if let Some(kept) = &group.kept {
                assert_eq!(delivered, [kept], "at {concurrency}");
            }
            for path in all.filter(|path| !delivered.contains(path)) {
                let url = at(path);
                let row = run.skipped.iter().find(|skipped| skipped.url == url);
                let row = row.unwrap_or_else(|| panic!("{path} is reported"));
                assert_eq!(row.reason.as_str(), "duplicate", "{path}");
                assert_eq!(row.found_on.as_deref(), Some(HOME), "{path}");
            }
        }
        for path in Copies.alone() {
            assert!(is_delivered(&run, path), "{path} is delivered itself");
        }
        assert_eq!(run.units, run.whole.len() as u64, "copies are free");
        assert!(is_delivered(&run, "/list?page=2"));
    }
}

#[test]
fn normal_page_is_preferred_to_its_print_view() {
    let site = Site::of(&[
        (
            HOME,
            "<p>home <a href=/print/a>p</a><a href=/b?print=1>q</a><a href=/a>a</a><a href=/b>b</a>",
        ),
        ("https://site.test/print/a", "<p>the same words"),
        ("https://site.test/a", "<p>the <b>same</b> words"),
        ("https://site.test/b?print=1", "<p>some others"),
        ("https://site.test/b", "<p>some others"),
    ]);
    let run = crawl(&site, CrawlPlan { concurrency: 1, ..with_queries() });
    for path in ["/a", "/b"] {
        assert!(is_delivered(&run, path), "{path}");
    }
    assert_eq!(run.whole.len(), 3);
    let alone = Site::of(&[
        (HOME, "<p>home <a href=/print/a>p</a>"),
        ("https://site.test/print/a", "<p>words <a href=/c>c</a>"),
        ("https://site.test/c", "<p>more words"),
    ]);
    assert_eq!(crawl(&alone, plan()).whole.len(), 3, "a print view without its page is a page");
}

#[test]
fn duplicates_are_recognised_after_a_resume() {
    let site = lab_site(&Copies);
    let whole = crawl(&site, with_queries());
    for cut in 1..whole.commits.len() {
        let first: usize = whole.commits[..cut]
            .iter()
            .map(|commit| usize::try_from(commit.totals().delivered).expect("a small number"))
            .sum();
        let rest = resume(&site, with_queries(), &whole.commits[..cut]);
        let mut all: Vec<_> = whole.urls()[..first].to_vec();
        all.extend(rest.urls());
        all.sort_unstable();
        let mut expected = whole.urls();
        expected.sort_unstable();
        assert_eq!(all.len(), expected.len(), "cut at {cut}: {all:?}");
    }
}

#[test]
fn start_page_with_another_canonical_url_is_crawled() {
    let site = Site::of(&[
        ("https://site.test/start", "<link rel=canonical href=/real><p>one <a href=/more>m</a>"),
        ("https://site.test/real", "<p>two words"),
        ("https://site.test/more", "<p>three more words"),
    ]);
    let plan = plan_from("https://site.test/start");
    let run = harness::crawl(&site, plan.clone());
    assert_eq!(run.items.len(), 3, "an inventory has them all");
    let run = crawl(&site, plan);
    let mut urls = run.urls();
    urls.sort_unstable();
    assert_eq!(urls, ["https://site.test/more", "https://site.test/real"]);
}

#[test]
fn folder_and_index_file_may_be_canonical_for_each_other() {
    for (folder, file) in [("/index.html", "/index.html"), ("/", "/"), ("/index.html", "/")] {
        let site = Site::of(&[
            (HOME, &format!("<link rel=canonical href={folder}><p>a <a href=/index.html>i</a>")),
            ("https://site.test/index.html", &format!("<link rel=canonical href={file}><p>b")),
        ]);
        let run = crawl(&site, plan());
        assert_eq!(run.whole.len(), 1, "{folder} {file}: {:?}", run.urls());
    }
}

#[test]
fn failed_canonical_page_releases_its_duplicate() {
    for answer in [
        Answer::Status(404),
        Answer::Status(500),
        Answer::Failure(Cause::Timeout),
        Answer::File,
        Answer::Moved(301, "https://elsewhere.test/".to_owned()),
        Answer::Html("<title>404 Not Found</title>".to_owned()),
    ] {
        let site = Site::of(&[
            (HOME, "<p>home <a href=/copy>c</a><a href=/original>o</a>"),
            ("https://site.test/copy", "<link rel=canonical href=/original><p>copy"),
        ])
        .with("https://site.test/original", answer.clone());
        let run = crawl(&site, plan());
        assert!(is_delivered(&run, "/copy"), "{answer:?}");
    }
}

#[test]
fn canonical_page_that_redirects_back_is_ignored() {
    let site = Site::of(&[
        (HOME, "<p>home <a href=/copy>c</a>"),
        ("https://site.test/copy", "<link rel=canonical href=/original><p>copy"),
    ])
    .moved("https://site.test/original", "/copy");
    assert!(is_delivered(&crawl(&site, plan()), "/copy"));
    let elsewhere = Site::of(&[
        (HOME, "<p>home <a href=/copy>c</a>"),
        ("https://site.test/copy", "<link rel=canonical href=/original><p>copy"),
        ("https://site.test/real", "<p>the real one"),
    ])
    .moved("https://site.test/original", "/real");
    let run = crawl(&elsewhere, plan());
    assert!(is_delivered(&run, "/real") && !is_delivered(&run, "/copy"), "{:?}", run.urls());
}

#[test]
fn long_canonical_chains_terminate() {
    let mut home = String::from("<p>home ");
    let mut site = Site::default();
    for number in 0..600 {
        home.push_str(&format!("<a href=/copy-{number}>c</a><a href=/chain-{number}>d</a>"));
        let copy = format!("<link rel=canonical href=/original><p>copy {number}");
        site = site.with(&at(&format!("/copy-{number}")), Answer::Html(copy));
        let chain = format!("<link rel=canonical href=/chain-{}><p>chain {number}", number + 1);
        site = site.with(&at(&format!("/chain-{number}")), Answer::Html(chain));
    }
    let site = site
        .with(HOME, Answer::Html(home))
        .with("https://site.test/original", Answer::Html("<p>the original".to_owned()));
    let run = crawl(&site, plan());
    assert!(matches!(run.end, Action::Finish(_)));
    assert!(is_delivered(&run, "/original"));
    assert!(!run.urls().iter().any(|url| url.contains("/copy-")));
}

#[test]
fn released_duplicates_respect_the_budgets() {
    let pages: Vec<_> = (0..5)
        .map(|number| {
            let html = format!("<link rel=canonical href=/original><p>copy {number}");
            (at(&format!("/copy-{number}")), html)
        })
        .collect();
    let links: String = (0..5).map(|number| format!("<a href=/copy-{number}>c</a>")).collect();
    let site = pages
        .iter()
        .fold(Site::default(), |site, (url, html)| site.with(url, Answer::Html(html.clone())));
    let site = site.with(HOME, Answer::Html(format!("<p>home {links}")));
    for batch in 1..=6 {
        let run = crawl(&site, CrawlPlan { batch_ends_at: Some(batch), ..plan() });
        assert_eq!(run.units, batch, "every copy is delivered itself");
        let options = Options { sample_size: Some(batch), ..Options::default() };
        let run = crawl(&site, CrawlPlan { options, ..plan() });
        assert_eq!(run.whole.len() as u64, batch);
    }
}

#[test]
fn links_mode_recognises_folder_and_index_file_beside_a_third_page() {
    let run = harness::crawl(&lab_site(&Copies), with_queries());
    let folder = ["/house/", "/house/index.html"];
    assert_eq!(folder.iter().filter(|path| is_delivered(&run, path)).count(), 1);
    assert!(is_delivered(&run, "/annex"));
}
