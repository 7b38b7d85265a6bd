//! Sites that do not want to be crawled, or cannot say whether they do.

use crate::{ExpectedSkip, Reply, Site, SiteTruth};

/// A site with pages that its robots.txt keeps from us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusing {
    /// robots.txt disallows everything.
    Everything,
    /// robots.txt answers 503: not now, and so nothing in the end.
    Unavailable,
}

impl Site for Refusing {
    fn answer(&self, path_and_query: &str) -> Reply {
        match (path_and_query, self) {
            ("/robots.txt", Self::Everything) => Reply::text("User-agent: *\nDisallow: /\n"),
            ("/robots.txt", Self::Unavailable) => Reply::status(503),
            ("/", _) => Reply::html(
                "<!doctype html><title>Private</title><h1>Private</h1><a href=\"/more\">More</a>",
            ),
            ("/more", _) => Reply::html("<!doctype html><title>More</title><h1>More</h1>"),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        // Nothing but robots.txt may be asked for, so the start page is all that
        // becomes known.
        SiteTruth {
            skipped: [("/".to_owned(), ExpectedSkip::Robots)].into(),
            never: vec!["/more".to_owned()],
            ..SiteTruth::default()
        }
    }
}
