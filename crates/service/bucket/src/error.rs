//! Errors of object storage. Their texts are for operators, and never contain credentials.

use std::error::Error;

use object_store::client::{HttpError, HttpErrorKind};
use thiserror::Error as ThisError;

/// Maximum characters of a cause: some providers answer with a page of XML.
const CAUSE_CHARS: usize = 400;

/// Start of the cause of an operation that took too long.
pub(crate) const NO_ANSWER: &str = "no answer within";

/// A failed operation on object storage.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum BucketError {
    /// It does not answer, or with an error that may pass. A repetition may succeed.
    #[error("the object storage {place} does not {operation} objects: {cause}")]
    Unavailable { place: String, operation: &'static str, cause: String },
    /// It rejects an operation for lack of rights. A repetition may succeed when credentials change.
    #[error("the object storage {place} does not allow to {operation} objects: {cause}")]
    Denied { place: String, operation: &'static str, cause: String },
    /// There is no such object.
    #[error("the object {name} is missing in the object storage {place}")]
    Missing { place: String, name: String },
    /// Its settings are wrong, a right is missing, or another installation uses it.
    #[error("the object storage {place} cannot be used: {problem}")]
    Setup { place: String, problem: String },
}

impl BucketError {
    /// Whether a repetition may succeed without a change of the settings of this process.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unavailable { .. } | Self::Denied { .. } => true,
            Self::Missing { .. } | Self::Setup { .. } => false,
        }
    }

    pub(crate) fn of(
        place: &str,
        operation: &'static str,
        name: &str,
        error: &object_store::Error,
    ) -> Self {
        let (place, cause) = (place.to_owned(), cause_of(error));
        match error {
            object_store::Error::NotFound { .. } if operation != "write" => {
                Self::Missing { place, name: name.to_owned() }
            }
            object_store::Error::PermissionDenied { .. }
            | object_store::Error::Unauthenticated { .. } => {
                Self::Denied { place, operation, cause }
            }
            _ => Self::Unavailable { place, operation, cause },
        }
    }
}

/// Whether the provider could not be reached, or failed for a reason on its side.
pub(crate) fn may_pass(error: &object_store::Error) -> bool {
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(cause) = source {
        if let Some(http) = cause.downcast_ref::<HttpError>() {
            return !matches!(http.kind(), HttpErrorKind::Decode);
        }
        source = cause.source();
    }
    let text = cause_of(error);
    let passing = [NO_ANSWER, "status code: 5", "status code: 429", "status code: 408"];
    passing.iter().any(|one| text.contains(one))
}

/// The innermost cause as one line of bounded length, with the answer of the provider.
pub(crate) fn cause_of(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let inner = cause.to_string();
        // Most errors repeat their source.
        if !text.contains(&inner) {
            text = format!("{text}: {inner}");
        }
        source = cause.source();
    }
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(CAUSE_CHARS) {
        words.truncate(end);
        words.push('…');
    }
    words
}
