//! Runs over a list of URLs: each URL ends as one result or one skipped URL.

use contract::Millis;
use contract::{ErrorCode, FailureCause, JobError, Mode, Options, SkipReason};
use crawl::{Action, Capabilities, CrawlPlan, Engine, Input};
use job::RunEnding;
use journal::Cause;
use urls::CanonicalUrl;

use crate::harness::{Answer, Run, Site, crawl_in, replay, resume_in, start};

fn list(urls: &[&str]) -> CrawlPlan {
    let urls = urls.iter().map(|url| CanonicalUrl::parse(url).expect("a URL")).collect();
    CrawlPlan::listed(urls).expect("a list with URLs")
}

/// Results and skipped URLs together.
fn reported(run: &Run) -> Vec<&str> {
    let skipped = run.skipped.iter().map(|line| line.url.as_str());
    let mut all: Vec<_> = run.urls().into_iter().chain(skipped).collect();
    all.sort_unstable();
    all
}

const TEXT: &str = "<html lang=en><title>A</title><main><h1>Head</h1><p>The quick brown fox jumps \
    over the lazy dog and runs away from it.</p></main>";

#[test]
fn nothing_beside_the_list_is_requested() {
    let linked = "<a href=/b>b</a><a href=/c?x=1>c</a><link rel=canonical href=/d>";
    let site = Site::of(&[
        ("https://site.test/a?id=1", linked),
        ("https://other.test/b", linked),
        ("https://site.test/b", ""),
    ])
    .with("https://site.test/sitemap.xml", Answer::Xml("<urlset/>".to_owned()));
    let urls = ["https://site.test/a?id=1", "https://other.test/b", "https://site.test/b"];
    let run = crawl_in(Mode::Links, &site, list(&urls));
    let sorted = ["https://other.test/b", "https://site.test/a?id=1", "https://site.test/b"];
    assert_eq!((reported(&run), run.skipped.len()), (sorted.to_vec(), 0));
    let mut requested = run.pages_requested();
    requested.sort_unstable();
    assert_eq!(requested, sorted);
    assert_eq!((run.units, &run.end), (3, &Action::Finish(RunEnding::Complete)));
    let item = run.item("https://site.test/b");
    assert_eq!((item.depth, item.found_on.as_deref()), (Some(0), None));
}

#[test]
fn every_failure_is_one_line() {
    let site = Site::of(&[("https://site.test/ok", TEXT), ("https://site.test/copy", TEXT)])
        .robots("User-agent: *\nDisallow: /private")
        .moved("https://site.test/old", "https://other.test/new")
        .with("https://other.test/new", Answer::Html(TEXT.to_owned()))
        .moved("https://site.test/loop", "/loop2")
        .moved("https://site.test/loop2", "/loop")
        .with("https://none.test/", Answer::Failure(Cause::NameNotFound))
        .with("https://none.test/robots.txt", Answer::Failure(Cause::NameNotFound))
        .with("https://wall.test/", Answer::Challenge)
        .with("https://site.test/file.pdf", Answer::File);
    let urls = [
        "https://site.test/ok",
        "https://site.test/copy",
        "https://site.test/old",
        "https://site.test/loop",
        "https://site.test/private/a",
        "https://site.test/missing",
        "https://site.test/file.pdf",
        "https://none.test/",
        "https://wall.test/",
    ];
    let mut sorted = urls;
    sorted.sort_unstable();
    let run = crawl_in(Mode::Markdown, &site, list(&urls));
    assert_eq!(reported(&run), sorted);
    assert_eq!(run.urls(), &urls[..3], "copies and redirects have their own results");
    let moved = run.page("https://site.test/old");
    assert_eq!(moved.final_url.as_deref(), Some("https://other.test/new"));
    let reasons = |url: &str| {
        let line = run.skipped.iter().find(|line| line.url == url).expect("it is skipped");
        (line.reason, line.cause)
    };
    assert_eq!(reasons(urls[3]), (SkipReason::Broken, Some(FailureCause::RedirectLoop)));
    assert_eq!(reasons(urls[4]).0, SkipReason::Robots);
    assert_eq!(reasons(urls[5]), (SkipReason::Broken, Some(FailureCause::HttpStatus)));
    assert_eq!(reasons(urls[6]).0, SkipReason::File);
    assert_eq!(reasons(urls[7]).0, SkipReason::Broken);
    assert_eq!(reasons(urls[8]).0, SkipReason::Blocked);
    // In an inventory a failure is a result that costs nothing.
    let run = crawl_in(Mode::Links, &site, list(&urls));
    assert_eq!((reported(&run), run.skipped.len(), run.units), (sorted.to_vec(), 0, 4));
}

#[test]
fn repeated_urls_are_one() {
    let site = Site::of(&[("https://site.test/a", ""), ("http://www.site.test/a", "")]);
    let run =
        crawl_in(Mode::Links, &site, list(&["https://site.test/a", "http://www.site.test/a"]));
    assert_eq!(run.urls(), ["https://site.test/a"]);
}

#[test]
fn list_without_a_result_names_its_causes() {
    let run = crawl_in(Mode::Markdown, &Site::default(), list(&["https://site.test/a"]));
    let Action::Finish(RunEnding::Nothing(JobError { code, message, .. })) = &run.end else {
        panic!("{:?}", run.end)
    };
    assert_eq!(*code, ErrorCode::NoData);
    assert!(message.contains("1 answered 404"), "{message}");
}

#[test]
fn protected_pages_wait_until_all_others_are_done() {
    let site = Site::of(&[("https://a.test/", TEXT), ("https://b.test/", TEXT)])
        .with("https://wall.test/1", Answer::ProtectedPage(TEXT.to_owned()))
        .with("https://wall.test/2", Answer::ProtectedPage(TEXT.to_owned()));
    let urls = ["https://wall.test/1", "https://a.test/", "https://wall.test/2", "https://b.test/"];
    let capabilities = Capabilities { tier: true, ..Capabilities::default() };
    let plan = CrawlPlan { escalates: true, capabilities, ..list(&urls) };
    let run = crawl_in(Mode::Markdown, &site, plan.clone());
    assert!(matches!(run.end, Action::Escalate(_)), "{:?}", run.end);
    assert_eq!((run.urls(), run.skipped.len()), (vec!["https://a.test/", "https://b.test/"], 0));
    let protected = CrawlPlan { protected: true, ..plan };
    let rest = resume_in(Mode::Markdown, &site, protected, &run.commits);
    assert_eq!(rest.urls(), ["https://wall.test/1", "https://wall.test/2"]);
    assert_eq!(rest.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn list_that_was_partly_committed_is_completed() {
    let urls: Vec<_> = (0..600).map(|at| format!("https://site.test/{at}")).collect();
    let urls: Vec<_> = urls.iter().map(String::as_str).collect();
    let mut crawl = start(Mode::Links, list(&urls));
    crawl.handle(Input::Begin, Millis(0));
    let mut commit = crawl.take_pending().commit;
    assert_eq!(commit.steps.len(), 3, "256 URLs a step");
    commit.steps.truncate(1);
    let again = replay(Mode::Links, list(&urls), &[commit]);
    assert_eq!(again.state(), crawl.state());
}

#[test]
fn preferred_language_skips_other_languages() {
    let german = TEXT.replace("lang=en", "lang=de");
    let site = Site::of(&[("https://site.test/en", TEXT), ("https://site.test/de", &german)]);
    let urls = ["https://site.test/en", "https://site.test/de"];
    let run = crawl_in(Mode::Markdown, &site, list(&urls));
    assert_eq!(run.urls(), urls, "without the option all languages are delivered");
    let options = Options { preferred_language: Some("de".to_owned()), ..Options::default() };
    let run = crawl_in(Mode::Markdown, &site, CrawlPlan { options, ..list(&urls) });
    assert_eq!(run.urls(), ["https://site.test/de"]);
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/en", "language")]);
}
