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
    Nothing { code: ErrorCode, message: String },
}

impl RunEnding {
    pub fn nothing(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Nothing { code, message: message.into() }
    }

    /// The `error` of a job with this end.
    #[must_use]
    pub fn error(&self) -> Option<JobError> {
        match self {
            Self::Complete => None,
            Self::Partial { message } => {
                Some(JobError { code: ErrorCode::PartialTargetFailure, message: message.clone() })
            }
            Self::Sampled => Some(JobError {
                code: ErrorCode::SampleStopped,
                message: "stopped after options.sample_size results".to_owned(),
            }),
            Self::PageLimit => Some(JobError {
                code: ErrorCode::SampleStopped,
                message: "stopped after options.max_pages pages; pages of the site are missing"
                    .to_owned(),
            }),
            Self::CreditLimit => Some(JobError {
                code: ErrorCode::SampleStopped,
                message: "stopped at options.max_credits; results of the site are missing"
                    .to_owned(),
            }),
            Self::Nothing { code, message } => {
                Some(JobError { code: *code, message: message.clone() })
            }
        }
    }
}
