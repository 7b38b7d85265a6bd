//! Events: their payloads, and the envelope in which a receiver gets them. Specification:
//! `docs/spec/webhooks.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::words;
use crate::{AccountId, EventId, Millis, PublicJob};

words! {
    /// The kinds of event.
    pub enum EventKind {
        /// A job completed.
        JobCompleted = "job.completed",
        /// A job failed.
        JobFailed = "job.failed",
        /// A job waits for the confirm operation.
        JobAwaitingConfirmation = "job.awaiting_confirmation",
        /// A job stopped on a batch boundary.
        JobBatchReady = "job.batch_ready",
        /// Progress of a running job.
        JobProgress = "job.progress",
        /// A job was aborted.
        JobAborted = "job.aborted",
        /// An automatic credit top-up failed.
        BillingRechargeFailed = "billing.recharge_failed",
    }
}

/// An event as it is delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    pub id: EventId,
    #[serde(rename = "type")]
    pub kind: EventKind,
    pub emitted_at: Millis,
    pub data: EventData,
}

/// What an event tells of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum EventData {
    /// A job, as `GET /v1/jobs/{id}` shows it.
    Job {
        /// The job at the moment of the event.
        job: Box<PublicJob>,
    },
    /// An account, in events that no job is behind.
    Account {
        /// Whose it is.
        account: AccountId,
        /// What happened, in a sentence.
        reason: String,
    },
}

/// Events in the order in which they happened (`GET /v1/events`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EventList {
    pub items: Vec<Event>,
    /// True when more follow: ask again with `after` set to the last of these.
    pub has_more: bool,
}
