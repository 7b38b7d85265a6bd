//! The depth of pages, however late shorter paths are found.

use contract::Scope;
use crawl::CrawlPlan;

use crate::harness::{Answer, Run, Site, crawl, plan};

const HOME: &str = "https://site.test/";

fn depth(run: &Run, path: &str) -> Option<u32> {
    run.revision(&format!("https://site.test{path}")).depth
}

/// A page that answers only the second request.
fn slow(site: Site, path: &str, html: &str) -> Site {
    let url = format!("https://site.test{path}");
    site.with(&url, Answer::Wait(503, 30)).with(&url, Answer::Html(html.to_owned()))
}

#[test]
fn shorter_path_lowers_the_depth_of_all_descendants() {
    let site = Site::of(&[
        (HOME, "<a href=/slow>s</a><a href=/1>1</a>"),
        ("https://site.test/1", "1 <a href=/2>2</a>"),
        ("https://site.test/2", "2 <a href=/3>3</a>"),
        ("https://site.test/3", "3 <a href=/4>4</a><link rel=canonical href=/three>"),
        ("https://site.test/three", "three <a href=/5>5</a>"),
        ("https://site.test/4", "4"),
        ("https://site.test/5", "5"),
    ]);
    let run = crawl(&slow(site, "/slow", "slow <a href=/3>3</a>"), plan());
    for (path, clicks) in [("/2", 2), ("/3", 2), ("/4", 3), ("/three", 2), ("/5", 3)] {
        assert_eq!(depth(&run, path), Some(clicks), "{path}");
    }
}

#[test]
fn depth_passes_through_redirects_and_canonical_urls() {
    let site = Site::of(&[
        (HOME, "<a href=/slow>s</a>"),
        ("https://site.test/x", "x <link rel=canonical href=/y>"),
        ("https://site.test/y", "y"),
    ])
    .moved("https://site.test/o", "/x")
    .with("https://site.test/sitemap.xml", Answer::Text("https://site.test/o\n".to_owned()));
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&slow(site, "/slow", "slow <a href=/o>o</a>"), CrawlPlan { scope, ..plan() });
    assert_eq!((depth(&run, "/x"), depth(&run, "/y")), (Some(2), Some(2)));
}

#[test]
fn page_may_lead_to_another_in_two_ways() {
    // Two spellings of one URL: a link, and the page's canonical URL.
    let html = "<a href=/a>a</a><link rel=canonical href=https://www.site.test/a>";
    let site = Site::of(&[(HOME, html), ("https://site.test/a", "a")]);
    let run = crawl(&site, plan());
    assert_eq!(depth(&run, "/a"), Some(0), "another address of the same page");
    let ways = run.revision("https://site.test/a").ways.discovered_by();
    let ways: Vec<_> = ways.into_iter().map(|way| way.as_str()).collect();
    assert_eq!(ways, ["link", "canonical"]);
}
