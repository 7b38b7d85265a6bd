//! Runs in mode `markdown`.

use std::any::Any;

use contract::{ExtractionMethod, Item, JobError, Mode, Scope};
use crawl::{Action, BodyNeed, Capabilities, CrawlPlan, Purpose};
use job::RunEnding;
use journal::{Commit, Fact, Step};
use lab::Handbook;

use crate::harness::{Answer, Run, Site, crawl_in, lab_site, plan, resume_in};

const HOME: &str = "https://site.test/";

/// Crawls a site in mode `markdown`.
pub fn crawl(site: &Site, plan: CrawlPlan) -> Run {
    crawl_in(Mode::Markdown, site, plan)
}

/// Continues a run in mode `markdown`.
pub fn resume(site: &Site, plan: CrawlPlan, log: &[Commit]) -> Run {
    resume_in(Mode::Markdown, site, plan, log)
}

fn paths(run: &Run) -> Vec<&str> {
    let mut paths: Vec<_> =
        run.urls().into_iter().map(|url| &url["https://site.test".len()..]).collect();
    paths.sort_unstable();
    paths
}

#[test]
fn every_page_with_a_text_is_delivered_and_charged_once() {
    let handbook = Handbook::default();
    let run = crawl(&lab_site(&handbook), plan());
    let mut expected: Vec<_> = handbook.texts().into_keys().collect();
    expected.extend(Handbook::plain_texts().map(|(path, _)| path.to_owned()));
    expected.push("/".to_owned());
    expected.sort_unstable();
    assert_eq!(paths(&run), expected);
    assert_eq!(run.units, expected.len() as u64);
    assert!(run.whole.iter().all(|item| matches!(item, Item::Markdown(_))));
    let skipped_with_reasons = run.skipped_with_reasons();
    for skipped in [
        ("https://site.test/manual.pdf", "file"),
        ("https://site.test/moved-away", "broken"),
        ("https://site.test/blank", "no_text"),
    ] {
        assert!(skipped_with_reasons.contains(&skipped), "{skipped:?} in {skipped_with_reasons:?}");
    }
    for (path, truth) in handbook.texts() {
        let page = run.page(&format!("https://site.test{path}"));
        for piece in truth.text {
            assert!(page.markdown.contains(&piece), "{path} holds {piece}");
        }
        for piece in truth.around {
            assert!(!page.markdown.contains(&piece), "{path} holds {piece} of the template");
        }
        assert_eq!(page.title, Some(truth.title), "{path}");
        assert_eq!((page.status_code, page.language.as_deref()), (200, Some("en")), "{path}");
    }
}

#[test]
fn plain_text_is_delivered_unchanged() {
    let run = crawl(&lab_site(&Handbook::default()), plan());
    for (path, text) in Handbook::plain_texts() {
        let page = run.page(&format!("https://site.test{path}"));
        assert_eq!(page.markdown, text);
        assert_eq!(page.extraction.method, ExtractionMethod::PlainText);
    }
    let page = run.page("https://site.test/changes.md");
    assert_eq!((page.title.as_deref(), page.headings.len()), (Some("Changes"), 2));
}

#[test]
fn files_are_skipped_whatever_the_options() {
    let site = Site::of(&[(
        HOME,
        "<p>home text <a href=/gone>g</a><a href=/a.pdf>f</a><a href=/feed.xml>x</a>\
         <img src=/i.png><a href=https://other.test/>o</a><a href=/old>m</a></p>",
    )])
    .with("https://site.test/a.pdf", Answer::File)
    .with("https://site.test/new", Answer::Html("<p>the new text".to_owned()))
    .moved("https://site.test/old", "/new");
    let scope = Scope {
        include_broken: true,
        include_files: true,
        include_images: true,
        include_external: true,
        include_sitemap: true,
        ..Scope::default()
    };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!(paths(&run), ["/", "/new"]);
    assert_eq!(run.units, 2);
    for skipped in [
        ("https://site.test/gone", "broken"),
        ("https://site.test/a.pdf", "file"),
        ("https://site.test/old", "redirect"),
        ("https://other.test/", "external"),
    ] {
        assert!(
            run.skipped_with_reasons().contains(&skipped),
            "{skipped:?} in {:?}",
            run.skipped_with_reasons()
        );
    }
}

#[test]
fn noindex_page_is_delivered() {
    let site = Site::of(&[(HOME, "<meta name=robots content=noindex><p>a text to read</p>")]);
    assert_eq!(paths(&crawl(&site, plan())), ["/"]);
}

#[test]
fn links_that_are_not_followed_are_skipped() {
    let site = Site::of(&[(HOME, "<p>home <a href=/a>a</a></p>")]);
    let options = contract::Options { discovery: false, ..contract::Options::default() };
    let run = crawl(&site, CrawlPlan { options, ..plan() });
    assert_eq!(paths(&run), ["/"]);
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/a", "not_followed")]);
}

#[test]
fn whole_pages_are_delivered_if_main_content_is_off() {
    let html = "<nav><a href=/a>All the pages</a></nav><main><p>A text to read.</p>\
                <aside>A note beside it.</aside></main><footer>The imprint</footer>";
    let site = Site::of(&[(HOME, html), ("https://site.test/a", html)]);
    let options = contract::Options { main_content: false, ..contract::Options::default() };
    let run = crawl(&site, CrawlPlan { options, ..plan() });
    assert_eq!(run.page(HOME).markdown, "A text to read.\n\nA note beside it.\n");
}

#[test]
fn rendered_page_is_marked_and_empty_site_needs_a_browser() {
    let text = "<p>shown by scripts, and long enough to be read</p>".to_owned();
    let site = Site::default().with(HOME, Answer::Shell(text));
    let capabilities = Capabilities { browser: true, ..Capabilities::default() };
    let run = crawl(&site, CrawlPlan { capabilities, ..plan() });
    assert!(run.page(HOME).rendered);
    let run = crawl(&site, plan());
    assert!(run.whole.is_empty());
    let Action::Finish(RunEnding::Nothing(JobError { code, .. })) = run.end else {
        panic!("{:?}", run.end)
    };
    assert_eq!(code, contract::ErrorCode::JsRenderRequired);
}

#[test]
fn single_page_is_known_by_the_requested_url() {
    let site = Site::of(&[("https://site.test/new", "<link rel=canonical href=/other><p>text")])
        .moved(HOME, "/new");
    let scope = Scope { one_page: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    let page = run.page(HOME);
    assert_eq!(page.final_url.as_deref(), Some("https://site.test/new"));
    assert_eq!(run.whole.len(), 1);
}

#[test]
fn batch_is_never_exceeded() {
    let handbook = lab_site(&Handbook::default());
    let run = crawl(&handbook, CrawlPlan { batch_ends_at: Some(7), ..plan() });
    assert_eq!((run.units, &run.end), (7, &Action::ReachBoundary));
    let run = crawl(&handbook, CrawlPlan { max_pages: Some(3), ..plan() });
    assert!(run.whole.len() <= 3);
}

fn versions(commits: &[Commit]) -> Vec<(u32, Vec<(u64, u8)>)> {
    let steps = commits.iter().flat_map(|commit| &commit.steps);
    steps
        .filter_map(|step| match step {
            Step::Learned(Fact::RepeatedBlocks { pages, blocks }) => Some((*pages, blocks.clone())),
            _ => None,
        })
        .collect()
}

/// The repeated blocks that a page was read with.
fn knowledge(run: &Run, at: usize) -> Option<markdown::RepeatedBlocks> {
    let pages =
        run.requests.iter().map(|(task, _)| task).filter(|task| {
            matches!(task.purpose, Purpose::Url { need: BodyNeed::Page { .. }, .. })
        });
    let extractor: &dyn Any = pages.into_iter().nth(at)?.extract.extractor.as_deref()?;
    let extractor = extractor.downcast_ref::<markdown::MarkdownExtractor>()?;
    Some(extractor.repeated_blocks().clone())
}

/// Versions of the repeated blocks are made at five pages and at each doubling, and later pages are
/// read with them.
#[test]
fn repeated_blocks_are_learned_while_pages_are_read() {
    let site = lab_site(&Handbook::default());
    let run = crawl(&site, CrawlPlan { concurrency: 1, ..plan() });
    let versions = versions(&run.commits);
    let at: Vec<_> = versions.iter().map(|(pages, _)| *pages).collect();
    assert_eq!(at, [5, 10, 20]);
    let (_, last) = versions.last().expect("a version");
    let requests = run.requests.len();
    let known = (0..requests).rev().find_map(|at| knowledge(&run, at));
    assert_eq!(known, Some(markdown::RepeatedBlocks::new(last.iter().copied())));
    assert!(!last.is_empty(), "every page has a template");
}

#[test]
fn resumed_run_reads_with_the_current_repeated_blocks() {
    let blocks = vec![(7, 255), (11, 128)];
    let fact = Fact::RepeatedBlocks { pages: 5, blocks: blocks.clone() };
    let site = lab_site(&Handbook::default());
    let mut log = crawl(&site, CrawlPlan { max_pages: Some(1), ..plan() }).commits;
    assert_eq!(versions(&log).len(), 0);
    log.push(Commit { steps: vec![Step::Learned(fact)] });
    let run = resume(&site, plan(), &log);
    assert_eq!(knowledge(&run, 0), Some(markdown::RepeatedBlocks::new(blocks)));
    let fresh = crawl(&site, plan());
    assert_eq!(knowledge(&fresh, 0), Some(markdown::RepeatedBlocks::default()));
}
