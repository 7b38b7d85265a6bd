//! The status of a job. Specification: `docs/spec/jobs.md`, "States".

use crate::string_enum::string_enum;

string_enum! {
    /// The status of a job in its life cycle.
    pub enum Status {
        /// Accepted, waiting for a worker.
        Queued = "queued",
        /// A worker executes the job.
        Running = "running",
        /// The site is protected; waits for a confirmation.
        AwaitingConfirmation = "awaiting_confirmation",
        /// Stopped on a batch boundary or for lack of credits.
        Paused = "paused",
        /// Ended successfully, with results.
        Completed = "completed",
        /// Ended with an error, see `error`.
        Failed = "failed",
        /// Aborted by the owner of the job.
        Aborted = "aborted",
    }
}

impl Status {
    /// Whether the job has ended.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Aborted => true,
            Self::Queued | Self::Running | Self::AwaitingConfirmation | Self::Paused => false,
        }
    }
}
