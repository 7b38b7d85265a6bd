//! How a run ends, and with which message.

use contract::{ErrorCode, FailureCause, JobError, Options};
use crawl::{Action, CrawlPlan};
use job::RunEnding;
use journal::Cause;

use crate::harness::{Answer, Site, crawl, crawl_in, plan};

const HOME: &str = "https://site.test/";

#[test]
fn empty_run_ends_with_the_cause() {
    for (answer, code) in [
        (Answer::Status(404), ErrorCode::NoData),
        (Answer::Status(410), ErrorCode::NoData),
        (Answer::Status(401), ErrorCode::TargetBlocked),
        (Answer::Status(403), ErrorCode::TargetBlocked),
        (Answer::Status(451), ErrorCode::TargetBlocked),
        (Answer::Status(429), ErrorCode::RateLimited),
        (Answer::Status(500), ErrorCode::ServerError),
        (Answer::Status(503), ErrorCode::ServerError),
        (Answer::Failure(Cause::Timeout), ErrorCode::ServerError),
        (Answer::Failure(Cause::Connect), ErrorCode::ServerError),
        (Answer::Failure(Cause::Tls), ErrorCode::ServerError),
        (Answer::Failure(Cause::NameNotFound), ErrorCode::UrlNotResolved),
        (Answer::Failure(Cause::AddressRefused), ErrorCode::InvalidUrl),
        (Answer::Failure(Cause::Bug), ErrorCode::PipelineBug),
        (Answer::File, ErrorCode::NoData),
    ] {
        let run = crawl(&Site::default().with(HOME, answer.clone()), plan());
        let Action::Finish(RunEnding::Nothing(JobError { code: actual, message, .. })) = &run.end
        else {
            panic!("{answer:?} ended as {:?}", run.end);
        };
        assert_eq!(*actual, code, "{answer:?}");
        assert!(!message.is_empty() && run.items.is_empty());
    }
}

#[test]
fn empty_run_names_what_failed() {
    for (answer, cause) in [
        (Answer::Status(404), FailureCause::HttpStatus),
        (Answer::Status(403), FailureCause::HttpStatus),
        (Answer::Status(503), FailureCause::HttpStatus),
        (Answer::Failure(Cause::ConnectionRefused), FailureCause::ConnectionRefused),
        (Answer::Failure(Cause::Connect), FailureCause::ConnectionFailed),
        (Answer::Failure(Cause::Tls), FailureCause::TlsFailed),
        (Answer::Failure(Cause::Timeout), FailureCause::TimedOut),
        (Answer::Failure(Cause::NameNotFound), FailureCause::DnsFailed),
        (Answer::Failure(Cause::NameServer), FailureCause::DnsFailed),
        (Answer::Failure(Cause::AddressRefused), FailureCause::AddressRefused),
        (Answer::Failure(Cause::TooLarge), FailureCause::TooLarge),
        (Answer::Failure(Cause::BadEncoding), FailureCause::BadEncoding),
        (Answer::Failure(Cause::RedirectLoop), FailureCause::RedirectLoop),
        (Answer::Failure(Cause::ProviderDown), FailureCause::ServiceUnavailable),
        (Answer::Failure(Cause::ActionFailed), FailureCause::ActionFailed),
        (Answer::Failure(Cause::Bug), FailureCause::InternalError),
    ] {
        let run = crawl(&Site::default().with(HOME, answer.clone()), plan());
        let Action::Finish(RunEnding::Nothing(error)) = &run.end else {
            panic!("{answer:?} ended as {:?}", run.end);
        };
        assert_eq!(error.cause, Some(cause), "{answer:?}: {}", error.message);
    }
}

#[test]
fn dns_failure_is_reported_before_robots_txt() {
    for (cause, code) in [
        (Cause::NameNotFound, ErrorCode::UrlNotResolved),
        (Cause::AddressRefused, ErrorCode::InvalidUrl),
        (Cause::Tls, ErrorCode::ServerError),
    ] {
        let site = Site::default().with("https://site.test/robots.txt", Answer::Failure(cause));
        let run = crawl(&site, plan());
        assert!(
            matches!(&run.end, Action::Finish(RunEnding::Nothing(JobError { code: actual, .. })) if *actual == code),
            "{cause:?}: {:?}",
            run.end
        );
        assert_eq!(run.requests.len(), 1, "no other try will say otherwise");
    }
}

/// A start page with links to `pages` pages, of which the first answer like this.
fn site(pages: usize, failing: &[Answer]) -> Site {
    let links: String = (0..pages).map(|n| format!("<a href=/{n}></a>")).collect();
    let start = Site::default().with(HOME, Answer::Html(links));
    (0..pages).fold(start, |site, n| {
        let answer = failing.get(n).cloned().unwrap_or(Answer::Html(format!("page {n}")));
        site.with(&format!("https://site.test/{n}"), answer)
    })
}

#[test]
fn five_percent_and_three_failed_pages_make_a_partial_result() {
    let mixed = [
        Answer::Status(403),
        Answer::Status(503),
        Answer::Failure(Cause::Timeout),
        Answer::Challenge,
    ];
    for (pages, failing, is_partial) in [
        (10, &mixed[..2], false),
        (10, &mixed[..3], true),
        (59, &mixed[..3], true),
        // Under 5 %.
        (60, &mixed[..3], false),
        (79, &mixed[..4], true),
    ] {
        let run = crawl(&site(pages, failing), plan());
        let count = failing.len();
        match &run.end {
            Action::Finish(RunEnding::Partial { message }) if is_partial => {
                let all = pages + 1;
                assert!(message.starts_with(&format!("{count} of {all} fetched")), "{message}");
            }
            Action::Finish(RunEnding::Complete) if !is_partial => {}
            end => panic!("{count} of {pages}: {end:?}"),
        }
    }
    let refused = [Answer::Status(403), Answer::Status(403), Answer::Status(429)];
    let run = crawl(&site(20, &refused), plan());
    let Action::Finish(RunEnding::Partial { message }) = &run.end else { panic!("{:?}", run.end) };
    assert!(message.contains("2 refused") && message.contains("1 answered 429"), "{message}");
}

#[test]
fn blocked_pages_are_listed_with_status_and_cause() {
    let failing =
        [Answer::Status(403), Answer::Status(429), Answer::Challenge, Answer::Status(500)];
    let run = crawl(&site(20, &failing), plan());
    let rows: Vec<_> = run
        .skipped
        .iter()
        .map(|row| (row.reason.as_str(), row.status_code, row.cause.map(|cause| cause.as_str())))
        .collect();
    for row in [
        ("blocked", Some(403), Some("http_status")),
        ("blocked", Some(429), Some("http_status")),
        ("blocked", Some(403), Some("blocked")),
        ("broken", Some(500), Some("http_status")),
    ] {
        assert!(rows.contains(&row), "{row:?} among {rows:?}");
    }
    // A run that may escalate keeps the status until the page is decided.
    let asking = CrawlPlan {
        escalates: true,
        capabilities: crawl::Capabilities { tier: true, browser: false },
        ..plan()
    };
    let run = crawl(&site(60, &[Answer::Challenge]), asking);
    let [row] = run.skipped.as_slice() else { panic!("{:?}", run.skipped) };
    assert_eq!((row.reason.as_str(), row.status_code), ("blocked", Some(403)));
}

#[test]
fn skipped_redirects_name_their_target() {
    let site = Site::of(&[(HOME, "<a href=/old>o</a>"), ("https://site.test/new", "new")])
        .moved("https://site.test/old", "/new#top");
    let run = crawl(&site, plan());
    let [row] = run.skipped.as_slice() else { panic!("{:?}", run.skipped) };
    assert_eq!((row.reason.as_str(), row.status_code, row.cause), ("redirect", Some(301), None));
    assert_eq!(row.redirects_to.as_deref(), Some("https://site.test/new"));
}

#[test]
fn no_data_message_names_the_reasons() {
    let language = Options { preferred_language: Some("de".to_owned()), ..Options::default() };
    let english = "<html lang=en><title>t</title>some English words to read</html>";
    let loops = Site::default().moved(HOME, "/a").moved("https://site.test/a", "/");
    for (site, plan, needle) in [
        (
            Site::of(&[(HOME, english)]),
            CrawlPlan { options: language, ..plan() },
            "language filter (de)",
        ),
        (loops, plan(), "redirect loop"),
        (Site::default().with(HOME, Answer::Status(406)), plan(), "answered 406"),
        (Site::default().with(HOME, Answer::Failure(Cause::TooLarge)), plan(), "size limit"),
        (Site::default().with(HOME, Answer::Failure(Cause::BadEncoding)), plan(), "decoded"),
        (Site::default().with(HOME, Answer::Status(404)), plan(), "1 page answered 404"),
        (Site::default().with(HOME, Answer::File), plan(), "a file, not a page"),
    ] {
        let run = crawl(&site, plan);
        let Action::Finish(RunEnding::Nothing(JobError { code, message, .. })) = &run.end else {
            panic!("{needle}: {:?}", run.end)
        };
        assert_eq!(*code, ErrorCode::NoData, "{message}");
        assert!(message.contains(needle), "{needle:?} is missing from {message:?}");
    }
}

#[test]
fn all_languages_keeps_translations_in_markdown() {
    let page = |lang: &str, text: &str| {
        format!(
            "<html lang={lang}><head><title>{lang}</title>\
             <link rel=alternate hreflang=en href=https://site.test/>\
             <link rel=alternate hreflang=de href=https://site.test/de/></head>\
             <body><main><h1>{lang}</h1><p>{text}</p><a href=/de/>de</a></main></body></html>"
        )
    };
    let english = page("en", "This is a sentence that says something in plain English.");
    let german = page("de", "Dies ist ein Satz, der etwas in schlichtem Deutsch sagt.");
    let site = Site::of(&[(HOME, &english), ("https://site.test/de/", &german)]);
    let markdown = |all_languages| {
        let start = urls::CanonicalUrl::parse(HOME).expect("a URL");
        let options = Options { all_languages, ..Options::default() };
        crawl_in(contract::Mode::Markdown, &site, CrawlPlan { options, ..CrawlPlan::new(start) })
    };
    assert_eq!(markdown(false).urls(), [HOME]);
    let every = markdown(true);
    assert_eq!(every.urls(), [HOME, "https://site.test/de/"]);
    assert_eq!(every.page("https://site.test/de/").language.as_deref(), Some("de"));
}

#[test]
fn missing_pages_are_no_failure_of_the_site() {
    let html = "<a href=/1></a><a href=/2></a><a href=/3></a>";
    let run = crawl(&Site::of(&[(HOME, html)]), CrawlPlan { concurrency: 1, ..plan() });
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}
