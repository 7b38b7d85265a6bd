//! `https://slow.lab.test/`: a site with failures. Slow pages, pages that respond with 429 or 503
//! once, pages that always respond with 503, one that never responds, and a redirect loop.

use std::fmt::Write as _;
use std::time::Duration;

use crate::page::{SamplePage, document};

const SLOW: Duration = Duration::from_millis(1_500);
const HANG: Duration = Duration::from_secs(2);

/// Paths with their titles. The first segment of a path selects the behaviour of the page.
const PATHS: [(&str, &str); 16] = [
    ("/fine/1", "A page that answers at once"),
    ("/fine/2", "A second one"),
    ("/fine/3", "A third one"),
    ("/fine/4", "A fourth one"),
    ("/slow/1", "Takes a second and a half"),
    ("/slow/2", "Takes as long"),
    ("/slow/3", "Takes as long, too"),
    ("/limited/1", "429 with Retry-After: 1, then 200"),
    ("/limited/2", "The same"),
    ("/flaky/1", "503 with Retry-After: 1, then 200"),
    ("/flaky/2", "The same"),
    ("/unavailable/1", "503 whenever it is asked for"),
    ("/unavailable/2", "The same"),
    ("/unavailable/3", "The same"),
    ("/hangs", "Never answers"),
    ("/loop/a", "Redirects to a page that redirects back"),
];

/// The page at a path. `is_first` returns true for the run's first request of it.
pub(crate) fn page(path: &str, is_first: impl FnOnce() -> bool) -> SamplePage {
    let kind = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let known = PATHS.iter().find(|(known, _)| *known == path);
    match (path, kind, known) {
        ("/", ..) => home(),
        ("/robots.txt", ..) => SamplePage::text("User-agent: *\nAllow: /\n"),
        ("/loop/b", ..) => SamplePage::redirect("/loop/a"),
        (_, "loop", Some(_)) => SamplePage::redirect("/loop/b"),
        (_, "hangs", Some(_)) => SamplePage::not_found().after(HANG).hanging(),
        (_, "slow", Some((_, name))) => plain(path, name).after(SLOW),
        (_, "unavailable", Some(_)) => refusal(503),
        (_, "limited" | "flaky", Some((_, name))) => {
            let status = if kind == "limited" { 429 } else { 503 };
            if is_first() { refusal(status) } else { plain(path, name) }
        }
        (_, _, Some((_, name))) => plain(path, name),
        (_, _, None) => SamplePage::not_found(),
    }
}

fn home() -> SamplePage {
    let mut body =
        "<h1>A site in trouble</h1>\n<p>Each page behaves as its name says, so that you \
        can see what your integration makes of it.</p>\n<ul>\n"
            .to_owned();
    for (path, name) in PATHS {
        // Writing to a string cannot fail.
        let _ = writeln!(body, "<li><a href=\"{path}\">{name}</a></li>");
    }
    body.push_str("</ul>");
    SamplePage::html(document("en", "A site in trouble", &body, ""))
}

fn plain(path: &str, name: &str) -> SamplePage {
    let body = format!(
        "<h1>{name}</h1>\n<p>This is {path}. It has answered, which not every page here does; \
         go back to the <a href=\"/\">list</a> and try another one.</p>"
    );
    SamplePage::html(document("en", name, &body, ""))
}

fn refusal(status: u16) -> SamplePage {
    let body = document("en", "Not now", "<h1>Not now</h1><p>Try again in a second.</p>", "");
    SamplePage::html(body).status(status).header("retry-after", "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_respond_with_the_status_of_their_path() {
        let status = |path, is_first| page(path, || is_first).status;
        assert_eq!((status("/limited/1", true), status("/limited/1", false)), (429, 200));
        assert_eq!((status("/flaky/1", true), status("/flaky/1", false)), (503, 200));
        assert_eq!((status("/unavailable/1", true), status("/unavailable/1", false)), (503, 503));
        assert_eq!((status("/loop/a", true), status("/loop/b", true)), (301, 301));
        assert!(page("/hangs", || true).hangs);
        assert_eq!(status("/limited/9", true), 404);
        for (path, _) in PATHS.iter().filter(|(path, _)| *path != "/hangs") {
            assert_ne!(status(path, false), 404, "{path}");
        }
    }
}
