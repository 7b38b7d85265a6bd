//! Samples, page limits and batches.

use contract::{Options, Scope, SkipReason};
use crawl::{Action, BodyNeed, Ceilings, CrawlPlan, FetchAllowance, Purpose};
use job::RunEnding;
use journal::{Cause, Commit, Step};

use crate::harness::{Answer, Site, crawl, plan, resume};

/// A home page with nine more pages, one of them missing.
fn ten_pages() -> Site {
    let mut html = String::new();
    let mut site = Site::default();
    for page in 1..10 {
        html += &format!("<a href=/{page}></a>");
        let answer = match page {
            4 => Answer::Status(404),
            _ => Answer::Html(format!("page {page} <a href=/></a>")),
        };
        site = site.with(&format!("https://site.test/{page}"), answer);
    }
    site.with("https://site.test/", Answer::Html(html))
}

#[test]
fn sample_ends_at_its_size() {
    for size in [1, 5] {
        let options = Options { sample_size: Some(size), ..Options::default() };
        let run = crawl(&ten_pages(), CrawlPlan { options, ..plan() });
        assert_eq!(run.items.len() as u64, size);
        assert_eq!(run.end, Action::Finish(RunEnding::Sampled));
    }
    let options = Options { sample_size: Some(50), ..Options::default() };
    let run = crawl(&ten_pages(), CrawlPlan { options, ..plan() });
    assert_eq!((run.items.len(), &run.end), (9, &Action::Finish(RunEnding::Complete)));
}

#[test]
fn max_pages_ends_the_run() {
    let run = crawl(&ten_pages(), CrawlPlan { max_pages: Some(6), ..plan() });
    assert_eq!(run.pages_requested().len(), 6, "{:?}", run.pages_requested());
    assert_eq!((run.items.len(), &run.end), (5, &Action::Finish(RunEnding::PageLimit)));
    let run = crawl(&ten_pages(), CrawlPlan { max_pages: Some(10), ..plan() });
    assert_eq!(
        (run.items.len(), &run.end),
        (9, &Action::Finish(RunEnding::Complete)),
        "the limit is the number of pages of the site"
    );
}

#[test]
fn max_pages_does_not_count_images_files_and_external_links() {
    let others: String = (0..19)
        .map(|n| {
            format!("<img src=/{n}.png><a href=/{n}.pdf>f</a><a href=https://other.test/{n}>o</a>")
        })
        .collect();
    // Each page links to the next one only, so that the other URLs are requested before the limit.
    let site = (1..10).fold(
        Site::default()
            .with("https://site.test/", Answer::Html(format!("{others}<a href=/1>next</a>"))),
        |site, page| {
            let html = format!("page {page} <a href=/{}>next</a>", page + 1);
            site.with(&format!("https://site.test/{page}"), Answer::Html(html))
        },
    );
    let scope = Scope {
        include_images: true,
        include_files: true,
        include_external: true,
        ..Scope::default()
    };
    let run = crawl(&site, CrawlPlan { scope, max_pages: Some(6), ..plan() });
    let count = |is_needed: fn(&BodyNeed) -> bool| {
        let purposes = run.requests.iter().map(|(task, _)| &task.purpose);
        let needs = purposes.filter_map(|purpose| match purpose {
            Purpose::Url { need, .. } => Some(need),
            Purpose::Robots { .. } => None,
        });
        needs.filter(|need| is_needed(need)).count()
    };
    assert_eq!(count(|need| matches!(need, BodyNeed::Page { .. })), 6);
    assert!(count(|need| *need == BodyNeed::Head) > 0, "{:?}", run.pages_requested());
    assert_eq!(run.end, Action::Finish(RunEnding::PageLimit));
}

#[test]
fn max_pages_counts_the_pages_of_all_batches() {
    for concurrency in [1, 4] {
        let batched = |ends| CrawlPlan {
            batch_ends_at: Some(ends),
            max_pages: Some(7),
            concurrency,
            ..plan()
        };
        let first = crawl(&ten_pages(), batched(4));
        assert_eq!((first.units, &first.end), (4, &Action::ReachBoundary));
        let second = resume(&ten_pages(), batched(8), &first.commits);
        assert_eq!(second.end, Action::Finish(RunEnding::PageLimit));
        assert_eq!(first.pages_requested().len() + second.pages_requested().len(), 7);
    }
}

#[test]
fn max_pages_counts_the_pages_before_a_restart() {
    let limited = || CrawlPlan { max_pages: Some(6), ..plan() };
    let finished = |commits: &[Commit]| {
        let steps = commits.iter().flat_map(|commit| &commit.steps);
        steps.filter(|step| matches!(step, Step::Finished(_))).count()
    };
    let whole = crawl(&ten_pages(), limited());
    assert_eq!(finished(&whole.commits), 6);
    for restart in 0..=whole.commits.len() {
        let log = &whole.commits[..restart];
        let rest = resume(&ten_pages(), limited(), log);
        assert_eq!(rest.end, Action::Finish(RunEnding::PageLimit), "after {restart} commits");
        assert_eq!(finished(log) + finished(&rest.commits), 6, "after {restart} commits");
    }
}

#[test]
fn batch_boundary_is_exact_and_nothing_is_fetched_twice() {
    let site = ten_pages();
    for concurrency in [1, 4] {
        let batched = |ends| CrawlPlan { batch_ends_at: Some(ends), concurrency, ..plan() };
        let mut log: Vec<Commit> = Vec::new();
        let mut requested: Vec<String> = Vec::new();
        let mut urls: Vec<String> = Vec::new();
        for (batch, delivered) in [(4, 4), (8, 4), (12, 1)] {
            let run = resume(&site, batched(batch), &log);
            assert_eq!(run.items.len(), delivered, "in the batch that ends at {batch}");
            let end = if batch < 12 {
                Action::ReachBoundary
            } else {
                Action::Finish(RunEnding::Complete)
            };
            assert_eq!(run.end, end);
            requested.extend(run.pages_requested().into_iter().map(str::to_owned));
            urls.extend(run.urls().into_iter().map(str::to_owned));
            log.extend(run.commits);
        }
        assert_eq!(requested.len(), 10, "{requested:?}");
        for list in [&mut requested, &mut urls] {
            list.sort_unstable();
            let before = list.len();
            list.dedup();
            assert_eq!(list.len(), before, "nothing twice");
        }
    }
}

#[test]
fn exactly_full_last_batch_needs_no_confirmation() {
    let run = crawl(&ten_pages(), CrawlPlan { batch_ends_at: Some(9), ..plan() });
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn free_items_do_not_fill_a_batch() {
    let scope = Scope { include_broken: true, ..Scope::default() };
    let run = crawl(&ten_pages(), CrawlPlan { scope, batch_ends_at: Some(6), ..plan() });
    assert_eq!((run.units, run.items.len()), (6, 7));
    assert_eq!(run.end, Action::ReachBoundary);
}

#[test]
fn unreachable_host_does_not_exceed_the_sample() {
    let links: String = (0..9).map(|n| format!("<a href=https://dead.test/{n}>d</a>")).collect();
    let site = Site::of(&[("https://site.test/", &links)])
        .with("https://dead.test/robots.txt", Answer::Failure(Cause::NameNotFound));
    let scope = Scope { include_external: true, ..Scope::default() };
    let options = Options { sample_size: Some(4), ..Options::default() };
    let run = crawl(&site, CrawlPlan { scope: scope.clone(), options, ..plan() });
    assert_eq!((run.items.len(), run.end), (4, Action::Finish(RunEnding::Sampled)));
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!((run.items.len(), run.requests.len()), (10, 3), "one question is enough");
}

/// A home page with this many links.
fn linking(count: usize, answer: impl Fn(usize) -> Answer) -> Site {
    let html: String = (0..count).map(|n| format!("<a href=/page-{n:04}></a>")).collect();
    let site = Site::default().with("https://site.test/", Answer::Html(html));
    (0..count).fold(site, |site, n| site.with(&format!("https://site.test/page-{n:04}"), answer(n)))
}

#[test]
fn urls_beyond_the_ceiling_are_skipped_as_frontier_limit() {
    let site = linking(20, |n| Answer::Html(format!("page {n}")));
    let ceilings = Ceilings { urls: 8, ..Ceilings::default() };
    let run = crawl(&site, CrawlPlan { ceilings, ..plan() });
    assert_eq!(run.items.len(), 8);
    let limited = run.skipped.iter().filter(|one| one.reason == SkipReason::FrontierLimit);
    assert_eq!(limited.count(), 13);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn url_bytes_beyond_the_ceiling_are_skipped_as_frontier_limit() {
    let site = linking(20, |n| Answer::Html(format!("page {n}")));
    let home = "https://site.test/".len();
    let page = "https://site.test/page-0000".len();
    let ceilings = Ceilings { url_bytes: home + 5 * page, ..Ceilings::default() };
    let run = crawl(&site, CrawlPlan { ceilings, ..plan() });
    assert_eq!(run.items.len(), 6);
    assert!(run.skipped.iter().all(|one| one.reason == SkipReason::FrontierLimit));
}

#[test]
fn sitemap_entries_and_alternates_are_judged_by_the_trap_rules_and_the_ceiling() {
    let deep = "/a".repeat(40);
    let sitemap = format!(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' \
         xmlns:xhtml='http://www.w3.org/1999/xhtml'>\
         <url><loc>https://site.test{deep}</loc></url>\
         <url><loc>https://site.test/one</loc>\
         <xhtml:link rel='alternate' hreflang='en' href='https://site.test/x/x/x/x/x/x'/></url>\
         <url><loc>https://site.test/two</loc></url>\
         <url><loc>https://site.test/three</loc></url></urlset>"
    );
    let site = Site::of(&[
        ("https://site.test/", "home"),
        ("https://site.test/one", "one"),
        ("https://site.test/two", "two"),
        ("https://site.test/three", "three"),
    ])
    .with("https://site.test/sitemap.xml", Answer::Xml(sitemap));
    let scope = Scope { include_sitemap: true, ..Scope::default() };
    // The start, the sitemap, one and two.
    let ceilings = Ceilings { urls: 4, ..Ceilings::default() };
    let run = crawl(&site, CrawlPlan { scope, ceilings, ..plan() });
    let mut reasons: Vec<_> = run.skipped.iter().map(|one| one.reason).collect();
    reasons.sort_by_key(|reason| reason.as_str());
    assert_eq!(
        reasons,
        [SkipReason::FrontierLimit, SkipReason::PathTooDeep, SkipReason::RepeatingSegments]
    );
}

#[test]
fn fetches_that_deliver_nothing_stop_the_run_on_a_batch_boundary() {
    let site = linking(100, |_| Answer::Status(404));
    let ceilings = Ceilings {
        fetches: Some(FetchAllowance { base: 100, per_unit: 50 }),
        ..Ceilings::default()
    };
    let batch = |batch| CrawlPlan {
        ceilings,
        batch,
        batch_ends_at: Some(u64::from(batch) * 50),
        concurrency: 1,
        ..plan()
    };
    let run = crawl(&site, batch(1));
    // The home page is a unit: 150 points are 15 pages that are missing.
    assert_eq!((run.pages_requested().len(), &run.end), (16, &Action::ReachBoundary));
    let next = resume(&site, batch(2), &run.commits);
    assert_eq!((next.pages_requested().len(), &next.end), (10, &Action::ReachBoundary));
}

#[test]
fn unreachable_host_does_not_use_up_the_allowance() {
    let links: String = (0..90).map(|n| format!("<a href=https://dead.test/{n}>d</a>")).collect();
    let site = Site::of(&[("https://site.test/", &links)])
        .with("https://dead.test/robots.txt", Answer::Failure(Cause::NameNotFound));
    let scope = Scope { include_external: true, ..Scope::default() };
    let fetches = Some(FetchAllowance { base: 100, per_unit: 0 });
    let ceilings = Ceilings { fetches, ..Ceilings::default() };
    let run = crawl(&site, CrawlPlan { scope, ceilings, batch_ends_at: Some(50), ..plan() });
    assert_eq!(run.items.len(), 91);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn origins_beyond_the_ceiling_for_robots_rules_are_skipped_as_frontier_limit() {
    let rules: String = (0..50).map(|n| format!("Disallow: /private-{n}\n")).collect();
    let rules = format!("User-agent: *\n{rules}");
    let links: String = (0..5).map(|n| format!("<a href=https://h{n}.test/>h</a>")).collect();
    let mut site = Site::of(&[("https://site.test/", &links)]);
    for n in 0..5 {
        site = site
            .with(&format!("https://h{n}.test/robots.txt"), Answer::Text(rules.clone()))
            .with(&format!("https://h{n}.test/"), Answer::Html("here".to_owned()));
    }
    let scope = Scope { include_external: true, ..Scope::default() };
    let ceilings = Ceilings { robots_bytes: 4_000, ..Ceilings::default() };
    let run = crawl(&site, CrawlPlan { scope, ceilings, concurrency: 1, ..plan() });
    let limited = run.skipped.iter().filter(|one| one.reason == SkipReason::FrontierLimit);
    assert!((1..5).contains(&limited.count()), "{:?}", run.skipped);
}

#[test]
fn run_with_many_forbidden_urls_ends_after_several_rounds() {
    let site = linking(4_000, |_| Answer::Html("page".to_owned())).with(
        "https://site.test/robots.txt",
        Answer::Text("User-agent: *\nDisallow: /page-".to_owned()),
    );
    let run = crawl(&site, plan());
    assert_eq!((run.items.len(), &run.end), (1, &Action::Finish(RunEnding::Complete)));
    assert_eq!(run.skipped.len(), 4_000);
}

#[test]
fn unused_units_of_a_batch_are_not_added_to_the_next() {
    let site = linking(100, |n| match n {
        0..20 => Answer::Status(404),
        _ => Answer::Html(format!("page {n}")),
    });
    let ceilings = Ceilings {
        fetches: Some(FetchAllowance { base: 10, per_unit: 10 }),
        ..Ceilings::default()
    };
    let batch = |batch| CrawlPlan {
        ceilings,
        batch,
        batch_ends_at: Some(u64::from(batch) * 10),
        concurrency: 1,
        ..plan()
    };
    let first = crawl(&site, batch(1));
    let (mut log, mut units) = (first.commits, first.units);
    let mut last = None;
    for number in 2..40 {
        let run = resume(&site, batch(number), &log);
        assert!(run.units <= units + 10, "batch {number} delivered {}", run.units - units);
        units = run.units;
        log.extend(run.commits);
        last = Some(run.end);
        if last != Some(Action::ReachBoundary) {
            break;
        }
    }
    assert_eq!(last, Some(Action::Finish(RunEnding::Complete)));
}
