//! Redirects of pages and of the start URL.

use contract::{ErrorCode, FetchFault, JobError, Scope};
use crawl::{Action, CrawlPlan};
use job::RunEnding;

use crate::harness::{Answer, Run, Site, crawl, plan, plan_from};

fn broken() -> Scope {
    Scope { include_broken: true, ..Scope::default() }
}

fn chain(length: usize) -> Site {
    let mut site = Site::of(&[("https://site.test/", "<a href=/0>chain</a>")]);
    for hop in 0..length {
        let (from, to) = (format!("https://site.test/{hop}"), format!("/{}", hop + 1));
        site = site.moved(&from, &to);
    }
    site.with(&format!("https://site.test/{length}"), Answer::Html("the end".to_owned()))
}

fn code(run: &Run) -> ErrorCode {
    match &run.end {
        Action::Finish(RunEnding::Nothing(JobError { code, .. })) => *code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn redirect_target_is_delivered_and_its_source_is_not() {
    let site = Site::of(&[
        ("https://site.test/", "<a href=/old>words</a><a href=/new>"),
        ("https://site.test/new", ""),
    ])
    .moved("https://site.test/old", "/new");
    let run = crawl(&site, CrawlPlan { scope: broken(), ..plan() });
    assert_eq!(run.urls(), ["https://site.test/", "https://site.test/new"]);
    assert_eq!(run.times("https://site.test/new").len(), 1);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn unlinked_redirect_target_lists_its_redirects() {
    let site = Site::of(&[
        ("https://site.test/", "<a href=/old>words</a>"),
        ("https://site.test/new", ""),
    ])
    .moved("https://site.test/old", "/new");
    let run = crawl(&site, plan());
    let item = run.item("https://site.test/new");
    assert_eq!((item.depth, item.anchor.as_deref()), (Some(1), Some("words")));
    assert_eq!(item.redirects.len(), 1);
    assert_eq!(item.redirects[0].url, "https://site.test/old");
}

#[test]
fn ten_redirects_are_followed_and_eleven_are_not() {
    let run = crawl(&chain(10), plan());
    assert_eq!(run.item("https://site.test/10").redirects.len(), 10);
    let run = crawl(&chain(11), CrawlPlan { scope: broken(), ..plan() });
    // The item is known by the linked URL, not by the last hop.
    assert_eq!(run.urls(), ["https://site.test/", "https://site.test/0"]);
    let dead = run.item("https://site.test/0");
    assert_eq!(dead.final_url.as_deref(), Some("https://site.test/10"));
    assert_eq!(dead.found_on.as_deref(), Some("https://site.test/"));
    assert_eq!((dead.error, dead.status_code), (Some(FetchFault::RedirectLoop), Some(301)));
    assert!(dead.broken && run.times("https://site.test/11").is_empty());
}

#[test]
fn redirect_loops_are_detected() {
    let site = Site::of(&[("https://site.test/", "<a href=/a></a><a href=/self>")])
        .moved("https://site.test/a", "/b")
        .moved("https://site.test/b", "/a")
        .moved("https://site.test/self", "/self");
    let run = crawl(&site, CrawlPlan { scope: broken(), ..plan() });
    let dead: Vec<_> = run.items[1..].iter().map(|item| item.error).collect();
    assert_eq!(dead, [Some(FetchFault::RedirectLoop); 2]);
    assert!(run.requests.len() < 8, "{:?}", run.requests);
    let run = crawl(&Site::default().moved("https://site.test/", "/"), plan());
    assert_eq!(code(&run), ErrorCode::NoData);
}

#[test]
fn redirect_to_another_spelling_is_the_same_page() {
    let site = Site::default()
        .moved("http://site.test/", "https://site.test/")
        .moved("https://site.test/", "https://www.site.test/")
        .with("https://www.site.test/", Answer::Html("<a href=/a>".to_owned()))
        .with("https://www.site.test/a", Answer::Html(String::new()));
    let run = crawl(&site, plan_from("http://site.test/"));
    assert_eq!(run.urls(), ["http://site.test/", "https://www.site.test/a"]);
    let home = run.item("http://site.test/");
    assert_eq!(home.final_url.as_deref(), Some("https://www.site.test/"));
    assert_eq!(home.redirects.len(), 2);
    let spinning = Site::default()
        .moved("http://site.test/", "https://site.test/")
        .moved("https://site.test/", "http://site.test/");
    let run = crawl(&spinning, plan_from("http://site.test/"));
    assert_eq!(code(&run), ErrorCode::NoData);
    assert!(run.pages_requested().len() <= 12);
}

#[test]
fn redirect_that_adds_a_query_is_the_same_page() {
    let site = Site::default()
        .moved("https://site.test/", "/?lang=en")
        .with("https://site.test/?lang=en", Answer::Html("<a href=/a?lang=en>".to_owned()))
        .moved("https://site.test/a", "/a?lang=en")
        .with("https://site.test/a?lang=en", Answer::Html("two".to_owned()));
    let run = crawl(&site, plan());
    assert_eq!(run.urls(), ["https://site.test/", "https://site.test/a"]);
    assert_eq!(
        run.item("https://site.test/").final_url.as_deref(),
        Some("https://site.test/?lang=en")
    );
}

#[test]
fn redirected_start_moves_the_scope() {
    let site = Site::default()
        .moved("https://site.test/", "https://new.test/")
        .with("https://new.test/", Answer::Html("<a href=/a><a href=https://site.test/b>".into()))
        .with("https://new.test/a", Answer::Html(String::new()));
    let run = crawl(&site, plan());
    assert_eq!(run.urls(), ["https://new.test/", "https://new.test/a"]);
}

#[test]
fn old_host_of_a_moved_site_is_reported_once() {
    let site = Site::default().moved("https://site.test/", "https://new.test/").with(
        "https://new.test/",
        Answer::Html(
            "<a href=https://site.test/>before</a><a href=https://site.test/b>b</a>".into(),
        ),
    );
    let run = crawl(&site, plan());
    assert_eq!(
        run.skipped_with_reasons(),
        [("https://site.test/", "redirect"), ("https://site.test/b", "external")]
    );
}

#[test]
fn redirect_out_of_scope_is_skipped() {
    let site = Site::of(&[("https://site.test/", "<a href=/out>")])
        .moved("https://site.test/out", "https://other.test/");
    let run = crawl(&site, CrawlPlan { scope: broken(), ..plan() });
    assert_eq!(run.urls(), ["https://site.test/"]);
    assert!(run.times("https://other.test/").is_empty());
}

#[test]
fn denylisted_domain_is_never_requested() {
    let site = Site::default().moved("https://site.test/", "https://www.bad.test/");
    let blocked_domains = privacy::BlockedDomains::new(["bad.test"]);
    let denylist = privacy::Denylist { blocked_domains, ..Default::default() };
    let run = crawl(&site, CrawlPlan { denylist, ..plan() });
    assert_eq!(code(&run), ErrorCode::BlacklistedDomain);
    assert!(run.requests.iter().all(|(task, _)| task.url.host() == "site.test"));
}

#[test]
fn opted_out_domain_is_never_requested() {
    let site = Site::default().moved("https://site.test/", "https://www.bad.test/");
    let objection = privacy::OptOut::domain("bad.test").expect("a domain");
    let opt_outs = privacy::LiveOptOuts::new(privacy::OptOuts::of(&objection));
    let denylist = privacy::Denylist { opt_outs, ..Default::default() };
    let run = crawl(&site, CrawlPlan { denylist, ..plan() });
    assert_eq!(code(&run), ErrorCode::BlacklistedDomain);
    assert!(run.requests.iter().all(|(task, _)| task.url.host() == "site.test"));
}

#[test]
fn redirect_without_location_is_skipped() {
    let site = Site::of(&[("https://site.test/", "<a href=/odd>")])
        .with("https://site.test/odd", Answer::Status(304));
    let run = crawl(&site, CrawlPlan { scope: broken(), ..plan() });
    assert_eq!(run.urls(), ["https://site.test/"], "broken is what answers 400 or more");
}
