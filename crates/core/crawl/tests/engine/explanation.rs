//! What the state and the rules of a run say about one URL.

use contract::{Mode, Options, RuleCheck, Scope, UrlRule};
use crawl::{CrawlPlan, FoundUrl, RunState, UrlExplainer};
use urls::{CanonicalUrl, TrapRule};

use crate::harness::{Run, Site, crawl, plan};

const START: &str = "https://site.test/";

fn url(text: &str) -> CanonicalUrl {
    let start = CanonicalUrl::parse(START).expect("a URL");
    start.join(text).expect("a URL")
}

/// What is known of a URL, and the rules for it, after the run or without its log.
fn explained(
    plan: &CrawlPlan,
    run: Option<&Run>,
    path: &str,
) -> (Option<FoundUrl>, Vec<RuleCheck>) {
    let mode = registry::crawl_mode(Mode::Links).expect("a mode of one site");
    let state = run.map(|run| {
        let mut state = RunState::new(plan.traps.clone());
        for commit in &run.commits {
            state.replay(commit);
        }
        state
    });
    let explainer = UrlExplainer::new(plan, &*mode, state.as_ref());
    let url = explainer.identified(url(path));
    (explainer.find(&url), explainer.checks(&url))
}

/// Whether the rule permits the URL, and what decided.
fn check(checks: &[RuleCheck], rule: UrlRule) -> (Option<bool>, Option<&str>) {
    let check = checks.iter().find(|check| check.rule == rule).expect("the rule is applied");
    (check.passes, check.matched.as_deref())
}

#[test]
fn robots_check_names_the_deciding_line() {
    let site =
        Site::of(&[(START, "<a href=/private/a></a><a href=/b>"), ("https://site.test/b", "")])
            .robots("User-agent: *\nAllow: /private/open\nDisallow: /private");
    let plan = plan();
    let run = crawl(&site, plan.clone());
    for (path, passes, line) in [
        ("/private/a", false, Some("Disallow: /private")),
        ("/private/open", true, Some("Allow: /private/open")),
        ("/b", true, None),
    ] {
        let (_, checks) = explained(&plan, Some(&run), path);
        assert_eq!(check(&checks, UrlRule::Robots), (Some(passes), line), "{path}");
    }
    let (_, checks) = explained(&plan, Some(&run), "https://other.test/private/a");
    assert_eq!(
        check(&checks, UrlRule::Robots),
        (None, None),
        "the run has not read that robots.txt"
    );
    let (found, checks) = explained(&plan, None, "/private/a");
    assert_eq!((found, check(&checks, UrlRule::Robots)), (None, (None, None)), "without the log");
}

#[test]
fn found_url_has_its_referrer_depth_and_disposition() {
    let site = Site::of(&[
        (START, "home <a href=/a>a</a><a href=/missing>m</a>"),
        ("https://site.test/a", "a <a href=/b>b</a>"),
        ("https://site.test/b", "b"),
    ]);
    let plan = plan();
    let run = crawl(&site, plan.clone());
    let found = |path: &str| {
        let (found, _) = explained(&plan, Some(&run), path);
        found.map(|found| (found.found_on, found.depth, found.is_finished, found.is_delivered))
    };
    let on = |page: &str| Some(page.to_owned());
    assert_eq!(found("/"), Some((None, Some(0), true, true)));
    assert_eq!(found("/a"), Some((on(START), Some(1), true, true)));
    assert_eq!(found("/b"), Some((on("https://site.test/a"), Some(2), true, true)));
    assert_eq!(found("/missing"), Some((on(START), Some(1), true, false)));
    assert_eq!(found("/elsewhere"), None);
}

#[test]
fn depth_check_needs_a_known_path() {
    let site = Site::of(&[
        (START, "home <a href=/a>a</a>"),
        ("https://site.test/a", "a <a href=/b>b</a>"),
        ("https://site.test/b", "b <a href=/c>c</a>"),
    ]);
    let plan =
        CrawlPlan { options: Options { max_depth: Some(1), ..Options::default() }, ..plan() };
    let run = crawl(&site, plan.clone());
    for (path, passes) in [("/a", Some(true)), ("/b", Some(false)), ("/c", None)] {
        let (_, checks) = explained(&plan, Some(&run), path);
        assert_eq!(check(&checks, UrlRule::Depth), (passes, Some("max_depth 1")), "{path}");
    }
}

#[test]
fn folder_check_fails_for_a_full_folder() {
    let site = Site::of(&[
        (START, "<a href=/news/1>1</a><a href=/news/2>2</a><a href=/news/3>3</a>"),
        ("https://site.test/news/1", "one"),
        ("https://site.test/news/2", "two"),
        ("https://site.test/news/3", "three"),
    ]);
    let options = Options { max_pages_per_folder: Some(2), ..Options::default() };
    let plan = CrawlPlan { options, ..plan() };
    let run = crawl(&site, plan.clone());
    for (path, passes) in [("/news/1", true), ("/news/9", false), ("/other/1", true)] {
        let (_, checks) = explained(&plan, Some(&run), path);
        let expected = (Some(passes), Some("max_pages_per_folder 2"));
        assert_eq!(check(&checks, UrlRule::Folder), expected, "{path}");
    }
}

#[test]
fn trap_and_scope_checks_name_what_decided() {
    let scope = Scope { specific_route: true, ..Scope::default() };
    let start = CanonicalUrl::parse("https://site.test/docs/").expect("a URL");
    let plan = CrawlPlan { scope, traps: TrapRule::in_year(2026), ..CrawlPlan::new(start) };
    let (_, checks) = explained(&plan, None, "/blog/a");
    assert_eq!(check(&checks, UrlRule::Scope), (Some(false), Some("specific_route")));
    assert_eq!(check(&checks, UrlRule::Trap), (Some(true), None));
    let endless = format!("/docs{}", "/next".repeat(40));
    let (_, checks) = explained(&plan, None, &endless);
    assert_eq!(check(&checks, UrlRule::Scope), (Some(true), None));
    let (passes, matched) = check(&checks, UrlRule::Trap);
    assert!(passes == Some(false) && matched.is_some(), "{matched:?}");
}
