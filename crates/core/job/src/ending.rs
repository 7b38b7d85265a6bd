//! How a run came to its end.

use contract::{ErrorCode, JobError};

/// The end of a run, as the engine saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Everything there was is delivered.
    Complete,
    /// Delivered, but a good part of the fetched pages failed on the site's side or were
    /// refused.
    Partial {
        /// How many pages, and why.
        message: String,
    },
    /// The sample that was asked for is delivered.
    Sampled,
    /// There was nothing to deliver, by this cause.
    Nothing {
        /// The cause.
        code: ErrorCode,
        /// The cause in words.
        message: String,
    },
}

impl Ending {
    /// Nothing to deliver, by this cause.
    pub fn nothing(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Nothing { code, message: message.into() }
    }

    /// What the job's `error` says at this end.
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
            Self::Nothing { code, message } => {
                Some(JobError { code: *code, message: message.clone() })
            }
        }
    }
}
