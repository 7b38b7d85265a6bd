//! How a run has ended.

use contract::{ErrorCode, JobError};

/// The end of a run, reported by the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnding {
    /// All URLs are finished.
    Complete,
    /// Results were delivered, but many pages failed on the site's side or were refused.
    Partial { message: String },
    /// The requested sample is delivered.
    Sampled,
    /// As many pages were fetched as `max_pages` allows, and URLs are left.
    PageLimit,
    /// `max_credits` does not cover the next result, and URLs are left.
    CreditLimit,
    /// Nothing could be delivered.
    Nothing(JobError),
}

impl RunEnding {
    pub fn nothing(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Nothing(JobError::new(code, message))
    }

    /// The `error` of a job with this end.
    #[must_use]
    pub fn error(&self) -> Option<JobError> {
        let (code, message) = match self {
            Self::Complete => return None,
            Self::Partial { message } => (ErrorCode::PartialTargetFailure, message.as_str()),
            Self::Sampled => {
                (ErrorCode::SampleStopped, "stopped after options.sample_size results")
            }
            Self::PageLimit => (
                ErrorCode::SampleStopped,
                "stopped after options.max_pages pages; pages of the site are missing",
            ),
            Self::CreditLimit => (
                ErrorCode::SampleStopped,
                "stopped at options.max_credits; results of the site are missing",
            ),
            Self::Nothing(error) => return Some(error.clone()),
        };
        Some(JobError::new(code, message))
    }
}
