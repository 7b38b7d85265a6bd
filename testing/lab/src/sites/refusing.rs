//! Sites whose robots.txt forbids crawling or is unavailable.

use crate::{ExpectedSkip, Reply, Site, SiteTruth};

/// A site whose pages must not be crawled because of its robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusing {
    /// robots.txt disallows everything.
    Everything,
    /// robots.txt always has status 503, so that nothing may be fetched.
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
        // Only robots.txt may be requested, so that the start page is the only known URL.
        SiteTruth {
            skipped: [("/".to_owned(), ExpectedSkip::Robots)].into(),
            never: vec!["/more".to_owned()],
            ..SiteTruth::default()
        }
    }
}
