//! A site where there is nothing: even its start page is missing.

use crate::{ExpectedSkip, Reply, Site, SiteTruth};

/// Answers 404 to everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Empty;

impl Site for Empty {
    fn answer(&self, _path_and_query: &str) -> Reply {
        Reply::status(404)
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth {
            skipped: [("/".to_owned(), ExpectedSkip::Status(404))].into(),
            ..SiteTruth::default()
        }
    }
}
