//! A site where there is nothing: even its start page is missing.

use crate::{Reply, Site, SiteTruth, Withheld};

/// Answers 404 to everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Empty;

impl Site for Empty {
    fn answer(&self, _path_and_query: &str) -> Reply {
        Reply::status(404)
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth {
            withheld: [("/".to_owned(), Withheld::Status(404))].into(),
            ..SiteTruth::default()
        }
    }
}
