//! The types of events. Specification: `docs/spec/webhooks.md`.

use crate::string_enum::string_enum;

string_enum! {
    /// The type of an event, as subscriptions name it.
    pub enum EventKind {
        /// A job ended with results.
        JobCompleted = "job.completed",
        /// A job ended with an error.
        JobFailed = "job.failed",
        /// A job waits for the confirm operation.
        JobAwaitingConfirmation = "job.awaiting_confirmation",
        /// A job stopped on a batch boundary.
        JobBatchReady = "job.batch_ready",
        /// Progress of a running job.
        JobProgress = "job.progress",
        /// A job was aborted by its owner.
        JobAborted = "job.aborted",
        /// An automatic credit top-up failed.
        BillingRechargeFailed = "billing.recharge_failed",
    }
}
