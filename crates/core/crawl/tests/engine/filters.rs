//! Filters by path, depth, folder, pace, and the budget of a job.

use contract::{ErrorCode, JobError, Mode, Options, Scope};
use crawl::{Action, CrawlPlan};
use job::RunEnding;

use crate::harness::{Answer, Run, Site, crawl, crawl_in, plan, plan_from, resume};

fn filtered(include: &[&str], exclude: &[&str]) -> Scope {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Scope { include_paths: texts(include), exclude_paths: texts(exclude), ..Scope::default() }
}

fn limited(options: Options) -> CrawlPlan {
    CrawlPlan { options, ..plan() }
}

fn blog() -> Site {
    Site::of(&[
        ("https://site.test/", "home <a href=/blog/>b</a><a href=/about>a</a><a href=/old>o</a>"),
        ("https://site.test/blog/", "<a href=/blog/one>1</a><a href=/blog/tag/x>t</a>"),
        ("https://site.test/blog/one", "one <a href=/about>a</a><a href=/blog/two?p=2>2</a>"),
        ("https://site.test/blog/two", "two"),
        ("https://site.test/blog/tag/x", "tag <a href=/blog/hidden>h</a>"),
        ("https://site.test/about", "about <a href=/blog/behind>b</a>"),
    ])
    .moved("https://site.test/old", "https://site.test/about")
}

fn no_data(run: &Run) -> &str {
    match &run.end {
        Action::Finish(RunEnding::Nothing(JobError {
            code: ErrorCode::NoData, message, ..
        })) => message,
        other => panic!("the run ended as {other:?}"),
    }
}

#[test]
fn excluded_pages_are_neither_fetched_nor_delivered_and_are_listed() {
    for mode in [Mode::Links, Mode::Markdown] {
        let scope = filtered(&["/blog/**", "/old"], &["/blog/tag/**"]);
        let run = crawl_in(mode, &blog(), CrawlPlan { scope, ..plan() });
        let requested = run.pages_requested();
        for page in ["/about", "/blog/tag/x", "/blog/behind", "/blog/hidden"] {
            let url = format!("https://site.test{page}");
            assert!(!requested.contains(&url.as_str()), "{page} is requested in {mode}");
        }
        let mut urls = run.urls();
        urls.sort_unstable();
        let expected =
            ["https://site.test/blog/", "https://site.test/blog/one", "https://site.test/blog/two"];
        assert_eq!(urls, expected, "{mode}");
        let mut skipped = run.skipped_with_reasons();
        skipped.sort_unstable();
        assert_eq!(
            skipped,
            [
                ("https://site.test/", "excluded"),
                ("https://site.test/about", "excluded"),
                ("https://site.test/blog/tag/x", "excluded"),
                ("https://site.test/old", "redirect"),
            ],
            "{mode}: the start page is fetched for its links, and each URL is listed once"
        );
        assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    }
}

#[test]
fn redirect_target_of_the_start_page_is_fetched_for_its_links() {
    let site = Site::of(&[
        ("https://site.test/en/", "<a href=/en/docs/a>a</a><a href=/en/b>b</a>"),
        ("https://site.test/en/docs/a", "a"),
    ])
    .moved("https://site.test/", "https://site.test/en/");
    let run = crawl(&site, CrawlPlan { scope: filtered(&["/en/docs/**"], &[]), ..plan() });
    assert_eq!(run.urls(), ["https://site.test/en/docs/a"]);
    let skipped = run.skipped_with_reasons();
    assert!(skipped.contains(&("https://site.test/en/", "excluded")), "{skipped:?}");
}

#[test]
fn start_page_left_out_replaces_no_page_with_the_same_content() {
    let text = "<h1>News</h1><p>This text is long enough to be the content of a page.</p>";
    let site = Site::of(&[
        ("https://site.test/", &format!("{text}<a href=/news/></a>")),
        ("https://site.test/news/", &format!("{text}<a href=/news/></a>")),
    ]);
    for mode in [Mode::Links, Mode::Markdown] {
        let plan = CrawlPlan { scope: filtered(&["/news/**"], &[]), ..plan() };
        let run = crawl_in(mode, &site, plan);
        assert_eq!(run.urls(), ["https://site.test/news/"], "{mode}");
    }
}

#[test]
fn page_is_not_held_for_a_canonical_page_that_is_left_out() {
    let head = "<link rel=canonical href=/full/a>";
    let site = Site::of(&[
        ("https://site.test/", "<a href=/print/a>a</a>"),
        ("https://site.test/print/a", &format!("{head}<p>The text of the page to read.</p>")),
        ("https://site.test/full/a", "<p>The text of the page to read.</p>"),
    ]);
    let scope = filtered(&[], &["/full/**", "/"]);
    let run = crawl_in(Mode::Markdown, &site, CrawlPlan { scope, ..plan() });
    assert_eq!(run.urls(), ["https://site.test/print/a"]);
    assert_eq!(run.pages_requested().len(), 2, "{:?}", run.pages_requested());
}

#[test]
fn filter_without_a_match_ends_as_no_data_that_names_it() {
    let scope = filtered(&["/shop/**", "re:^/x", "/y", "/z"], &[]);
    let run = crawl(&blog(), CrawlPlan { scope, ..plan() });
    let message = no_data(&run);
    assert!(message.contains("scope.include_paths (/shop/**, re:^/x, /y, …)"), "{message}");
    assert_eq!((run.units, run.pages_requested().len()), (0, 1));
    let run = crawl(&blog(), CrawlPlan { scope: filtered(&[], &["**"]), ..plan() });
    assert!(no_data(&run).contains("scope.exclude_paths (**)"), "{}", no_data(&run));
    // A page that passes and fails is another reason.
    let scope = filtered(&["/missing"], &[]);
    let site = Site::of(&[("https://site.test/", "<a href=/missing>m</a>")]);
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert!(no_data(&run).contains("1 page answered 404"), "{}", no_data(&run));
}

#[test]
fn sitemap_entries_are_filtered_and_the_sitemap_is_read() {
    let map = "<urlset><url><loc>https://site.test/a/1</loc></url>\
        <url><loc>https://site.test/b/2</loc></url></urlset>";
    let site = Site::of(&[
        ("https://site.test/", "home"),
        ("https://site.test/a/1", "one"),
        ("https://site.test/b/2", "two"),
    ])
    .with("https://site.test/sitemap.xml", Answer::Xml(map.to_owned()));
    let scope = Scope { include_sitemap: true, ..filtered(&["/a/**"], &[]) };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert!(run.urls().contains(&"https://site.test/a/1"), "{:?}", run.urls());
    assert!(!run.pages_requested().contains(&"https://site.test/b/2"));
    let skipped = run.skipped_with_reasons();
    assert!(skipped.contains(&("https://site.test/b/2", "excluded")), "{skipped:?}");
}

/// A chain of pages, each linked from the one before, and a late short cut to its end.
fn chain() -> Site {
    Site::of(&[
        ("https://site.test/", "0 <a href=/1>1</a><a href=/late>l</a>"),
        ("https://site.test/1", "1 <a href=/2>2</a>"),
        ("https://site.test/2", "2 <a href=/3>3</a><a href=/4.pdf>f</a>"),
        ("https://site.test/3", "3 <a href=/4>4</a>"),
        ("https://site.test/4", "4"),
    ])
    .with("https://site.test/late", Answer::Status(503))
    .with("https://site.test/late", Answer::Html("late <a href=/3>3</a>".to_owned()))
}

#[test]
fn pages_beyond_the_depth_are_listed_and_not_fetched() {
    let options = Options { max_depth: Some(1), ..Options::default() };
    let site = Site::of(&[
        ("https://site.test/", "0 <a href=/1>1</a>"),
        ("https://site.test/1", "1 <a href=/2>2</a>"),
        ("https://site.test/2", "2"),
    ]);
    let run = crawl(&site, limited(options));
    assert_eq!(run.urls(), ["https://site.test/", "https://site.test/1"]);
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/2", "depth_limit")]);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn shorter_path_that_is_found_later_brings_a_page_within_the_depth() {
    let options = Options { max_depth: Some(2), ..Options::default() };
    let run = crawl(&chain(), limited(options.clone()));
    let mut urls = run.urls();
    urls.sort_unstable();
    let paths: Vec<_> =
        urls.iter().map(|url| url.trim_start_matches("https://site.test")).collect();
    assert_eq!(paths, ["/", "/1", "/2", "/3", "/late"], "/3 is two clicks away, over /late");
    assert!(run.skipped_with_reasons().contains(&("https://site.test/4", "depth_limit")));
    for restart in 0..run.commits.len() {
        let rest = resume(&chain(), limited(options.clone()), &run.commits[..restart]);
        assert_eq!(rest.end, Action::Finish(RunEnding::Complete), "after {restart} commits");
        assert!(!rest.pages_requested().contains(&"https://site.test/4"));
    }
}

#[test]
fn folder_has_at_most_its_number_of_pages() {
    let pages: String =
        (0..9).map(|n| format!("<a href=/a/{n}>x</a><a href=/b/{n}/>y</a>")).collect();
    let mut site = Site::of(&[("https://site.test/", &pages)]);
    for n in 0..9 {
        for path in [format!("/a/{n}"), format!("/b/{n}/")] {
            let html = format!("{path} <a href=/a/{}>next</a>", n + 100);
            site = site.with(&format!("https://site.test{path}"), Answer::Html(html));
        }
    }
    let options = Options { max_pages_per_folder: Some(3), ..Options::default() };
    let run = crawl(&site, limited(options.clone()));
    let count = |run: &Run, part: &str| {
        run.pages_requested().iter().filter(|url| url.contains(part)).count()
    };
    assert_eq!((count(&run, "/a/"), count(&run, "/b/")), (3, 3), "{:?}", run.pages_requested());
    let skipped = run.skipped_with_reasons();
    assert!(skipped.contains(&("https://site.test/a/8", "folder_limit")), "{skipped:?}");
    for restart in 1..run.commits.len() {
        let rest = resume(&site, limited(options.clone()), &run.commits[..restart]);
        assert!(count(&rest, "/a/") <= 3, "after {restart} commits");
    }
}

#[test]
fn requests_start_at_least_the_delay_apart() {
    let options = Options { delay_ms: Some(700), ..Options::default() };
    let run = crawl(&blog(), limited(options));
    let times: Vec<_> = run.requests.iter().map(|(_, at)| at.0).collect();
    assert!(times.len() > 5, "{times:?}");
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 700), "{times:?}");
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn concurrency_of_a_run_is_lowered_and_never_raised() {
    for (requested, expected) in [(1, 1), (3, 3), (100, 4)] {
        let options = Options { concurrency: Some(requested), ..Options::default() };
        let links: String = (0..20).map(|n| format!("<a href=/{n}>x</a>")).collect();
        let site = Site::of(&[("https://site.test/", &links)]);
        let plan = CrawlPlan { concurrency: 16, host_concurrency: 4, ..limited(options) };
        assert_eq!(crate::harness::most_in_flight(&site, plan), expected, "{requested}");
    }
}

#[test]
fn budget_ends_the_run_before_a_page_that_it_does_not_cover() {
    let site = blog();
    let run = crawl(&site, CrawlPlan { max_units: Some(2), ..plan() });
    assert_eq!((run.units, &run.end), (2, &Action::Finish(RunEnding::CreditLimit)));
    let run = crawl(&site, CrawlPlan { max_units: Some(0), ..plan() });
    assert_eq!((run.units, &run.end), (0, &Action::Finish(RunEnding::CreditLimit)));
    let whole = crawl(&site, plan());
    let exact = CrawlPlan { max_units: Some(whole.units), ..plan() };
    assert_eq!(crawl(&site, exact).units, whole.units);
    let one = CrawlPlan {
        scope: Scope { one_page: true, ..filtered(&["/other"], &[]) },
        ..plan_from("https://site.test/about")
    };
    assert!(no_data(&crawl(&site, one)).contains("scope.include_paths (/other)"));
}
