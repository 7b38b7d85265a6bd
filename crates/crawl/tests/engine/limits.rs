//! Samples, budgets and batches.

use contract::{Options, Scope};
use crawl::{Action, Plan};
use job::Ending;
use journal::{Cause, Commit};

use crate::script::{Answer, Site, crawl, go_on, plan};

/// A home with nine more pages, one of them missing.
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
fn a_sample_ends_after_its_size() {
    for size in [1, 5] {
        let options = Options { sample_size: Some(size), ..Options::default() };
        let run = crawl(&ten_pages(), Plan { options, ..plan() });
        assert_eq!(run.items.len() as u64, size);
        assert_eq!(run.end, Action::Finish(Ending::Sampled));
    }
    let options = Options { sample_size: Some(50), ..Options::default() };
    let run = crawl(&ten_pages(), Plan { options, ..plan() });
    assert_eq!((run.items.len(), &run.end), (9, &Action::Finish(Ending::Complete)));
}

#[test]
fn a_budget_of_pages_ends_the_run() {
    let run = crawl(&ten_pages(), Plan { max_pages: Some(6), ..plan() });
    assert_eq!(run.pages_asked().len(), 6, "{:?}", run.pages_asked());
    assert_eq!((run.items.len(), &run.end), (5, &Action::Finish(Ending::Complete)));
}

#[test]
fn a_boundary_is_exact_and_nothing_is_fetched_twice_behind_it() {
    let site = ten_pages();
    for concurrency in [1, 4] {
        let batched = |ends| Plan { batch_ends_at: Some(ends), concurrency, ..plan() };
        let mut log: Vec<Commit> = Vec::new();
        let mut asked: Vec<String> = Vec::new();
        let mut urls: Vec<String> = Vec::new();
        for (batch, delivered) in [(4, 4), (8, 4), (12, 1)] {
            let run = go_on(&site, batched(batch), &log);
            assert_eq!(run.items.len(), delivered, "in the batch that ends at {batch}");
            let end =
                if batch < 12 { Action::ReachBoundary } else { Action::Finish(Ending::Complete) };
            assert_eq!(run.end, end);
            asked.extend(run.pages_asked().into_iter().map(str::to_owned));
            urls.extend(run.urls().into_iter().map(str::to_owned));
            log.extend(run.commits);
        }
        assert_eq!(asked.len(), 10, "{asked:?}");
        for list in [&mut asked, &mut urls] {
            list.sort_unstable();
            let before = list.len();
            list.dedup();
            assert_eq!(list.len(), before, "nothing twice");
        }
    }
}

#[test]
fn a_batch_that_is_just_full_needs_no_answer() {
    let run = crawl(&ten_pages(), Plan { batch_ends_at: Some(9), ..plan() });
    assert_eq!(run.end, Action::Finish(Ending::Complete));
}

#[test]
fn what_is_free_fills_no_batch() {
    let scope = Scope { include_broken: true, ..Scope::default() };
    let run = crawl(&ten_pages(), Plan { scope, batch_ends_at: Some(6), ..plan() });
    assert_eq!((run.units, run.items.len()), (6, 7));
    assert_eq!(run.end, Action::ReachBoundary);
}

#[test]
fn a_host_that_cannot_be_reached_fills_no_sample_beyond_its_size() {
    let links: String = (0..9).map(|n| format!("<a href=https://dead.test/{n}>d</a>")).collect();
    let site = Site::of(&[("https://site.test/", &links)])
        .with("https://dead.test/robots.txt", Answer::Fails(Cause::NameNotFound));
    let scope = Scope { include_external: true, ..Scope::default() };
    let options = Options { sample_size: Some(4), ..Options::default() };
    let run = crawl(&site, Plan { scope, options, ..plan() });
    assert_eq!((run.items.len(), run.end), (4, Action::Finish(Ending::Sampled)));
    let run = crawl(&site, Plan { scope, ..plan() });
    assert_eq!((run.items.len(), run.asked.len()), (10, 3), "one question is enough");
}
