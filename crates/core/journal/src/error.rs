//! Errors of stored payloads.

use thiserror::Error;

use crate::payload_type::PayloadType;

/// A stored payload that cannot be read.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error(
        "{payload} has format version {found}, this release knows versions up to {}: \
         it was written by a newer release, upgrade this node",
        .payload.newest()
    )]
    UnknownVersion { payload: PayloadType, found: u8 },
    /// Truncated, changed or not a stored payload.
    #[error("damaged: {0}")]
    Damaged(String),
}

pub(crate) fn damaged(cause: impl std::fmt::Display) -> JournalError {
    JournalError::Damaged(cause.to_string())
}
