//! A site without pages: the start page is missing too.

use crate::{ExpectedSkip, Reply, Site, SiteTruth};

/// Returns 404 for every path.
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
