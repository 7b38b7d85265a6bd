//! The status of a job. Specification: `docs/spec/jobs.md`, "States".

use crate::job::words;

words! {
    /// The status of a job.
    pub enum Status {
        /// Accepted, waiting for a worker.
        Queued = "queued",
        /// A worker is at it.
        Running = "running",
        /// Stopped by a protected site until its owner answers.
        AwaitingConfirmation = "awaiting_confirmation",
        /// Stopped on a batch boundary or for want of credits.
        Paused = "paused",
        /// Over, with results.
        Completed = "completed",
        /// Over, with a reason.
        Failed = "failed",
        /// Stopped by its owner.
        Aborted = "aborted",
    }
}

impl Status {
    /// Whether nothing more will happen to the job.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Aborted => true,
            Self::Queued | Self::Running | Self::AwaitingConfirmation | Self::Paused => false,
        }
    }
}
