//! Bot protection and JavaScript: what the engine asks its owner, and what it does without an
//! answer.

use contract::{ErrorCode, FetchFault, Options, Scope};
use crawl::{Action, Equipment, Means, Plan};
use job::RunEnding;
use journal::Cause;

use crate::script::{Answer, Run, Site, crawl, go_on, plan};

const HOME: &str = "https://site.test/";

/// A run whose owner is asked.
fn asking() -> Plan {
    Plan { escalates: true, equipment: Equipment { tier: true, browser: false }, ..plan() }
}

/// The same after a yes.
fn answered() -> Plan {
    Plan { protected: true, ..asking() }
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

/// A start page with links to so many pages, of which some are behind a wall.
fn site(pages: usize, walled: &[usize]) -> Site {
    let links: String = (0..pages).map(|n| format!("<a href=/p{n}>{n}</a>")).collect();
    (0..pages).fold(Site::of(&[(HOME, &format!("start {links}"))]), |site, n| {
        let html = format!("page {n}");
        let answer = if walled.contains(&n) { Answer::Walled(html) } else { Answer::Html(html) };
        site.with(&page(n), answer)
    })
}

#[test]
fn a_challenged_start_page_is_a_question() {
    let site = Site::default()
        .with(HOME, Answer::Walled("<a href=/a>a</a>".to_owned()))
        .with("https://site.test/a", Answer::Walled("a".to_owned()));
    let run = crawl(&site, asking());
    assert_eq!(marker(&run).as_deref(), Some("cloudflare_challenge"));
    assert_eq!((run.items.len(), run.units), (0, 0), "nothing is spent before the answer");
    let run = go_on(&site, answered(), &run.commits);
    assert_eq!(run.urls(), [HOME, "https://site.test/a"]);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    let tasks = run.asked.iter().filter(|(task, _)| !task.url.path().contains("robots"));
    assert!(tasks.into_iter().all(|(task, _)| task.means == Means::Tier));
}

#[test]
fn a_redirect_to_a_wall_counts_for_the_start() {
    let site = Site::default()
        .moved(HOME, "/en")
        .with("https://site.test/en", Answer::Walled("en".to_owned()));
    assert!(marker(&crawl(&site, asking())).is_some());
}

#[test]
fn three_challenges_among_fifty_are_a_question_and_what_came_before_stays() {
    let site = site(120, &[100, 101, 102, 103, 104, 105]);
    let before = crawl(&site, Plan { concurrency: 1, ..asking() });
    assert!(marker(&before).is_some());
    assert_eq!(before.items.len(), 101, "the start and a hundred pages");
    let after = go_on(&site, answered(), &before.commits);
    assert_eq!(before.items.len() + after.items.len(), 121, "nothing twice, nothing lost");
    let again: Vec<_> = after.pages_asked();
    assert!(again.contains(&page(100).as_str()), "what was challenged is asked for again");
    assert!(!again.contains(&page(5).as_str()), "what was delivered is not");
}

#[test]
fn fewer_are_pages_that_nobody_gets_to_see() {
    let scope = Scope { include_broken: true, ..Scope::default() };
    let plan = Plan { scope, ..asking() };
    // Never three within fifty, over and over again.
    let walled: Vec<_> = (0..300).filter(|n| n % 40 == 0).collect();
    let run = crawl(&site(300, &walled), plan.clone());
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    assert_eq!((run.items.len(), run.units), (301, 301 - walled.len() as u64));
    for n in &walled {
        let item = run.item(&page(*n));
        assert_eq!((item.error, item.broken), (Some(FetchFault::Blocked), true), "{n}");
    }
    let run = crawl(&site(3, &[1]), plan);
    assert_eq!(run.item(&page(1)).error, Some(FetchFault::Blocked), "also at the very end");
}

#[test]
fn pages_whose_fate_is_open_fit_into_every_limit() {
    let scope = Scope { include_broken: true, ..Scope::default() };
    let walled: Vec<_> = (0..300).filter(|n| n % 30 == 0).collect();
    for limit in 50..60 {
        let options = Options { sample_size: Some(limit), ..Options::default() };
        let run = crawl(&site(300, &walled), Plan { scope, options, ..asking() });
        assert_eq!(run.items.len() as u64, limit, "a sample");
        let plan = Plan { scope, max_pages: Some(limit), ..asking() };
        let run = crawl(&site(300, &walled), plan);
        assert_eq!(run.items.len() as u64, limit, "pages");
    }
}

#[test]
fn where_nobody_is_asked_protected_pages_are_blocked() {
    let run = crawl(&Site::default().with(HOME, Answer::Wall), plan());
    match run.end {
        Action::Finish(RunEnding::Nothing { code, message }) => {
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
    // A tier that does not get past the wall is another matter than having none.
    let run = crawl(&Site::default().with(HOME, Answer::Wall), answered());
    let Action::Finish(RunEnding::Nothing { message, .. }) = run.end else {
        panic!("{:?}", run.end)
    };
    assert!(message.contains("did not get past"), "{message}");
}

#[test]
fn a_wall_within_the_tier_is_tried_twice_more() {
    let wall = || Answer::Wall;
    let site = Site::default()
        .with(HOME, Answer::Html("<a href=/opens>o</a><a href=/stays>s</a>".to_owned()))
        .with("https://site.test/opens", wall())
        .with("https://site.test/opens", wall())
        .with("https://site.test/opens", Answer::Html("at last".to_owned()))
        .with("https://site.test/stays", wall());
    let scope = Scope { include_broken: true, ..Scope::default() };
    let run = crawl(&site, Plan { scope, ..answered() });
    assert_eq!(run.times("https://site.test/opens").len(), 3);
    assert_eq!(run.times("https://site.test/stays").len(), 3);
    assert_eq!(run.item("https://site.test/opens").status_code, Some(200));
    assert_eq!(run.item("https://site.test/stays").error, Some(FetchFault::Blocked));
    assert_eq!(run.units, 2, "what was blocked is free");
}

#[test]
fn a_provider_that_is_away_costs_nothing() {
    let site = Site::default().with(HOME, Answer::Fails(Cause::ProviderDown));
    let run = crawl(&site, answered());
    assert_eq!(run.times(HOME).len(), 3, "it may pass");
    assert!(matches!(
        run.end,
        Action::Finish(RunEnding::Nothing { code: ErrorCode::ProviderDown, .. })
    ));
    assert_eq!(run.units, 0);
}

#[test]
fn failed_egress_is_a_server_error_that_does_not_blame_the_site() {
    let site = Site::default().with(HOME, Answer::Fails(Cause::Egress));
    let run = crawl(&site, answered());
    assert_eq!(run.times(HOME).len(), 3, "it may pass");
    let Action::Finish(RunEnding::Nothing { code, message }) = &run.end else {
        panic!("{:?}", run.end)
    };
    assert_eq!(*code, ErrorCode::ServerError);
    assert!(message.contains("this service has no connection"), "{message}");
    assert!(!message.contains("proxy") && !message.contains("provider"), "{message}");
    assert_eq!(run.units, 0);
}

#[test]
fn what_belongs_to_others_and_the_rules_go_by_plain_requests() {
    let site = Site::of(&[(HOME, "<a href=https://other.test/>o</a>")]);
    let scope = Scope { include_external: true, ..Scope::default() };
    let run = crawl(&site, Plan { scope, ..answered() });
    for (task, _) in &run.asked {
        let means = if task.url.as_str() == HOME { Means::Tier } else { Means::Plain };
        assert_eq!(task.means, means, "{}", task.url);
    }
}

#[test]
fn a_shell_is_shown_to_the_browser_and_a_page_is_not() {
    let site = Site::of(&[("https://site.test/a", "Words enough to be a page of its own.")])
        .with(HOME, Answer::Shell("<a href=/a>a</a> rendered".to_owned()));
    let equipment = Equipment { browser: true, tier: false };
    let run = crawl(&site, Plan { equipment, ..plan() });
    assert_eq!(run.urls(), [HOME, "https://site.test/a"]);
    let means = |url: &str| -> Vec<Means> {
        let of = run.asked.iter().filter(|(task, _)| task.url.as_str() == url);
        of.map(|(task, _)| task.means).collect()
    };
    assert_eq!(means(HOME), [Means::Plain, Means::Browser]);
    assert_eq!(means("https://site.test/a"), [Means::Plain]);
}

#[test]
fn a_browser_that_is_away_is_waited_for_and_then_done_without() {
    let away = || Answer::Fails(Cause::ProviderDown);
    let shell = || Answer::Shell(String::new());
    let rendered = "Words enough to be a page of its own. <a href=/stays>s</a>";
    let site = Site::default()
        .with(HOME, shell())
        .with(HOME, away())
        .with(HOME, Answer::Html(rendered.to_owned()))
        .with("https://site.test/stays", shell())
        .with("https://site.test/stays", away());
    let equipment = Equipment { browser: true, tier: false };
    let run = crawl(&site, Plan { equipment, ..plan() });
    assert_eq!(run.times(HOME).len(), 3, "plainly, in vain, and in the browser");
    assert_eq!(run.times("https://site.test/stays").len(), 4, "plainly, and three times in vain");
    assert_eq!(run.urls(), [HOME, "https://site.test/stays"]);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn without_a_browser_a_shell_alone_is_a_reason_and_among_others_a_page() {
    let run = crawl(&Site::default().with(HOME, Answer::Shell(String::new())), plan());
    match run.end {
        Action::Finish(RunEnding::Nothing { code, message }) => {
            assert_eq!(code, ErrorCode::JsRenderRequired);
            assert!(message.contains("has no browser"), "{message}");
        }
        end => panic!("{end:?}"),
    }
    assert_eq!(run.units, 0);
    let site = Site::of(&[("https://site.test/a", "Words enough to be a page of its own.")])
        .with(HOME, Answer::Shell(String::new()))
        .with("https://site.test/sitemap.xml", Answer::Text("https://site.test/a".to_owned()));
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&site, Plan { scope, ..plan() });
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    assert_eq!(run.items.len(), 2, "the start is delivered after all");
}
