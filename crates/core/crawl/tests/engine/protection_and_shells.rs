//! Bot protection and JavaScript shells: escalation, the protected tier and the browser.

use contract::{ErrorCode, FailureCause, FetchFault, JobError, Options, Scope};
use crawl::{Action, Capabilities, CrawlPlan, FetchVia};
use job::RunEnding;
use journal::Cause;

use crate::harness::{Answer, Run, Site, crawl, plan, resume};

const HOME: &str = "https://site.test/";

/// A run that escalates to its owner.
fn escalating() -> CrawlPlan {
    CrawlPlan {
        escalates: true,
        capabilities: Capabilities { tier: true, browser: false },
        ..plan()
    }
}

/// The same run after the owner accepted.
fn protected() -> CrawlPlan {
    CrawlPlan { protected: true, ..escalating() }
}

fn marker(run: &Run) -> Option<String> {
    match &run.end {
        Action::Escalate(marker) => Some(marker.to_string()),
        _ => None,
    }
}

fn page(n: usize) -> String {
    format!("https://site.test/p{n}")
}

/// A start page with links to `pages` pages, of which some are challenged.
fn site(pages: usize, challenged: &[usize]) -> Site {
    let links: String = (0..pages).map(|n| format!("<a href=/p{n}>{n}</a>")).collect();
    (0..pages).fold(Site::of(&[(HOME, &format!("start {links}"))]), |site, n| {
        let html = format!("page {n}");
        let answer =
            if challenged.contains(&n) { Answer::ProtectedPage(html) } else { Answer::Html(html) };
        site.with(&page(n), answer)
    })
}

#[test]
fn challenged_start_page_escalates() {
    let site = Site::default()
        .with(HOME, Answer::ProtectedPage("<a href=/a>a</a>".to_owned()))
        .with("https://site.test/a", Answer::ProtectedPage("a".to_owned()));
    let run = crawl(&site, escalating());
    assert_eq!(marker(&run).as_deref(), Some("cloudflare_challenge"));
    assert_eq!((run.items.len(), run.units), (0, 0), "nothing is spent before the answer");
    let run = resume(&site, protected(), &run.commits);
    assert_eq!(run.urls(), [HOME, "https://site.test/a"]);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    let tasks = run.requests.iter().filter(|(task, _)| !task.url.path().contains("robots"));
    assert!(tasks.into_iter().all(|(task, _)| task.fetch_via == FetchVia::Tier));
}

#[test]
fn redirect_of_the_start_to_a_challenge_escalates() {
    let site = Site::default()
        .moved(HOME, "/en")
        .with("https://site.test/en", Answer::ProtectedPage("en".to_owned()));
    assert!(marker(&crawl(&site, escalating())).is_some());
}

#[test]
fn three_challenges_in_fifty_pages_escalate_and_keep_results() {
    let site = site(120, &[100, 101, 102, 103, 104, 105]);
    let before = crawl(&site, CrawlPlan { concurrency: 1, ..escalating() });
    assert!(marker(&before).is_some());
    assert_eq!(before.items.len(), 101, "the start and a hundred pages");
    let after = resume(&site, protected(), &before.commits);
    assert_eq!(before.items.len() + after.items.len(), 121, "nothing twice, nothing lost");
    let again: Vec<_> = after.pages_requested();
    assert!(again.contains(&page(100).as_str()), "what was challenged is requested again");
    assert!(!again.contains(&page(5).as_str()), "what was delivered is not");
}

#[test]
fn fewer_challenges_block_single_pages() {
    let scope = Scope { include_broken: true, ..Scope::default() };
    let plan = CrawlPlan { scope, ..escalating() };
    // Never three challenges within fifty pages.
    let challenged: Vec<_> = (0..300).filter(|n| n % 40 == 0).collect();
    let run = crawl(&site(300, &challenged), plan.clone());
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    assert_eq!((run.items.len(), run.units), (301, 301 - challenged.len() as u64));
    for n in &challenged {
        let item = run.item(&page(*n));
        assert_eq!((item.error, item.broken), (Some(FetchFault::Blocked), true), "{n}");
    }
    let run = crawl(&site(3, &[1]), plan);
    assert_eq!(run.item(&page(1)).error, Some(FetchFault::Blocked), "also at the very end");
}

#[test]
fn undecided_challenged_pages_respect_the_limits() {
    let scope = Scope { include_broken: true, ..Scope::default() };
    let challenged: Vec<_> = (0..300).filter(|n| n % 30 == 0).collect();
    for limit in 50..60 {
        let options = Options { sample_size: Some(limit), ..Options::default() };
        let run = crawl(
            &site(300, &challenged),
            CrawlPlan { scope: scope.clone(), options, ..escalating() },
        );
        assert_eq!(run.items.len() as u64, limit, "a sample");
        let plan = CrawlPlan { scope: scope.clone(), max_pages: Some(limit), ..escalating() };
        let run = crawl(&site(300, &challenged), plan);
        assert_eq!(run.items.len() as u64, limit, "pages");
    }
}

#[test]
fn protected_pages_are_blocked_without_escalation() {
    let run = crawl(&Site::default().with(HOME, Answer::Challenge), plan());
    match run.end {
        Action::Finish(RunEnding::Nothing(JobError { code, message, .. })) => {
            assert_eq!(code, ErrorCode::TargetBlocked);
            assert!(message.contains("cloudflare_challenge"), "{message}");
            assert!(message.contains("this service has no protected tier"), "{message}");
        }
        end => panic!("{end:?}"),
    }
    let run = crawl(&site(20, &[3, 4, 5, 6]), plan());
    assert_eq!(run.items.len(), 17);
    assert!(matches!(run.end, Action::Finish(RunEnding::Partial { .. })), "{:?}", run.end);
    let marker = run.commits.iter().flat_map(|commit| &commit.steps).find_map(|step| match step {
        journal::Step::Learned(journal::Fact::Protected { marker }) => Some(marker.as_str()),
        _ => None,
    });
    assert_eq!(marker, Some("cloudflare_challenge"), "the job carries it");
    // A tier that does not pass has another message than a missing tier.
    let run = crawl(&Site::default().with(HOME, Answer::Challenge), protected());
    let Action::Finish(RunEnding::Nothing(JobError { message, .. })) = run.end else {
        panic!("{:?}", run.end)
    };
    assert!(message.contains("did not get past"), "{message}");
}

#[test]
fn challenge_within_the_tier_is_retried_twice() {
    let challenge = || Answer::Challenge;
    let site = Site::default()
        .with(HOME, Answer::Html("<a href=/opens>o</a><a href=/stays>s</a>".to_owned()))
        .with("https://site.test/opens", challenge())
        .with("https://site.test/opens", challenge())
        .with("https://site.test/opens", Answer::Html("at last".to_owned()))
        .with("https://site.test/stays", challenge());
    let scope = Scope { include_broken: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..protected() });
    assert_eq!(run.times("https://site.test/opens").len(), 3);
    assert_eq!(run.times("https://site.test/stays").len(), 3);
    assert_eq!(run.item("https://site.test/opens").status_code, Some(200));
    assert_eq!(run.item("https://site.test/stays").error, Some(FetchFault::Blocked));
    assert_eq!(run.units, 2, "what was blocked is free");
}

#[test]
fn unavailable_provider_costs_nothing() {
    let site = Site::default().with(HOME, Answer::Failure(Cause::ProviderDown));
    let run = crawl(&site, protected());
    assert_eq!(run.times(HOME).len(), 3, "it may pass");
    assert!(matches!(
        run.end,
        Action::Finish(RunEnding::Nothing(JobError { code: ErrorCode::ProviderDown, .. }))
    ));
    assert_eq!(run.units, 0);
}

#[test]
fn failed_egress_is_a_server_error_that_does_not_blame_the_site() {
    let site = Site::default().with(HOME, Answer::Failure(Cause::Egress));
    let run = crawl(&site, protected());
    assert_eq!(run.times(HOME).len(), 3, "it may pass");
    let Action::Finish(RunEnding::Nothing(JobError { code, message, .. })) = &run.end else {
        panic!("{:?}", run.end)
    };
    assert_eq!(*code, ErrorCode::ServerError);
    assert!(message.contains("this service has no connection"), "{message}");
    assert!(!message.contains("proxy") && !message.contains("provider"), "{message}");
    assert_eq!(run.units, 0);
}

#[test]
fn external_urls_and_robots_txt_use_plain_requests() {
    let site = Site::of(&[(HOME, "<a href=https://other.test/>o</a>")]);
    let scope = Scope { include_external: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..protected() });
    for (task, _) in &run.requests {
        let fetch_via = if task.url.as_str() == HOME { FetchVia::Tier } else { FetchVia::Plain };
        assert_eq!(task.fetch_via, fetch_via, "{}", task.url);
    }
}

#[test]
fn only_shells_are_rendered() {
    let site = Site::of(&[("https://site.test/a", "Words enough to be a separate page.")])
        .with(HOME, Answer::Shell("<a href=/a>a</a> rendered".to_owned()));
    let capabilities = Capabilities { browser: true, tier: false };
    let run = crawl(&site, CrawlPlan { capabilities, ..plan() });
    assert_eq!(run.urls(), [HOME, "https://site.test/a"]);
    let fetch_via = |url: &str| -> Vec<FetchVia> {
        let of = run.requests.iter().filter(|(task, _)| task.url.as_str() == url);
        of.map(|(task, _)| task.fetch_via).collect()
    };
    assert_eq!(fetch_via(HOME), [FetchVia::Plain, FetchVia::Browser]);
    assert_eq!(fetch_via("https://site.test/a"), [FetchVia::Plain]);
}

#[test]
fn unavailable_browser_is_retried_then_skipped() {
    let away = || Answer::Failure(Cause::ProviderDown);
    let shell = || Answer::Shell(String::new());
    let rendered = "Words enough to be a separate page. <a href=/stays>s</a>";
    let site = Site::default()
        .with(HOME, shell())
        .with(HOME, away())
        .with(HOME, Answer::Html(rendered.to_owned()))
        .with("https://site.test/stays", shell())
        .with("https://site.test/stays", away());
    let capabilities = Capabilities { browser: true, tier: false };
    let run = crawl(&site, CrawlPlan { capabilities, ..plan() });
    assert_eq!(run.times(HOME).len(), 3, "plainly, in vain, and in the browser");
    assert_eq!(run.times("https://site.test/stays").len(), 4, "plainly, and three times in vain");
    assert_eq!((run.urls(), run.units), (vec![HOME], 1), "a page without a browser is free");
    let skipped = run.skipped.iter().find(|row| row.url == "https://site.test/stays");
    let skipped = skipped.expect("the page is skipped");
    assert_eq!(skipped.cause, Some(FailureCause::ServiceUnavailable), "{skipped:?}");
    assert_eq!(run.end, Action::Finish(RunEnding::Complete), "most pages are delivered");
}

#[test]
fn start_page_without_a_browser_is_free_beside_other_results() {
    let site = Site::of(&[("https://site.test/a", "Words enough to be a separate page.")])
        .with(HOME, Answer::Shell(String::new()))
        .with(HOME, Answer::Failure(Cause::ProviderDown))
        .with("https://site.test/sitemap.xml", Answer::Text("https://site.test/a".to_owned()));
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let capabilities = Capabilities { browser: true, tier: false };
    let run = crawl(&site, CrawlPlan { scope, capabilities, ..plan() });
    assert_eq!((run.urls(), run.units), (vec!["https://site.test/a"], 1));
}

#[test]
fn start_page_without_a_working_browser_costs_nothing() {
    let site = Site::default()
        .with(HOME, Answer::Shell(String::new()))
        .with(HOME, Answer::Failure(Cause::ProviderDown));
    let capabilities = Capabilities { browser: true, tier: false };
    let run = crawl(&site, CrawlPlan { capabilities, ..plan() });
    let Action::Finish(RunEnding::Nothing(error)) = &run.end else { panic!("{:?}", run.end) };
    assert_eq!(error.code, ErrorCode::ProviderDown, "{}", error.message);
    assert!(error.message.contains("browser"), "{}", error.message);
    assert_eq!((run.units, run.items.len()), (0, 0));
    assert_eq!(run.times(HOME).len(), 4, "plainly, and three times in vain");
}

#[test]
fn without_a_browser_a_shell_is_delivered_only_beside_other_results() {
    let run = crawl(&Site::default().with(HOME, Answer::Shell(String::new())), plan());
    match run.end {
        Action::Finish(RunEnding::Nothing(JobError { code, message, .. })) => {
            assert_eq!(code, ErrorCode::JsRenderRequired);
            assert!(message.contains("has no browser"), "{message}");
        }
        end => panic!("{end:?}"),
    }
    assert_eq!(run.units, 0);
    let site = Site::of(&[("https://site.test/a", "Words enough to be a separate page.")])
        .with(HOME, Answer::Shell(String::new()))
        .with("https://site.test/sitemap.xml", Answer::Text("https://site.test/a".to_owned()));
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    assert_eq!(run.items.len(), 2, "the start is delivered after all");
}
