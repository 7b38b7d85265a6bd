//! Bugs that end a run: nothing that a site does causes them.

use journal::UrlId;
use thiserror::Error;

use crate::url_table::UrlStateError;

/// A bug of the engine or of a mode. The run cannot continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EngineError {
    #[error(transparent)]
    UrlState(#[from] UrlStateError),
    /// The mode decided to deliver a URL and built no item.
    #[error("the mode built no item for URL {0}")]
    MissingItem(UrlId),
}
