//! Events: payload and envelope. Specification:
//! `docs/spec/webhooks.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{AccountId, EventId, Millis, PublicJob, WebhookId};

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

/// An event as it is sent to webhooks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    pub id: EventId,
    #[serde(rename = "type")]
    pub kind: EventKind,
    pub emitted_at: Millis,
    pub data: EventData,
}

/// The payload of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum EventData {
    /// A job, as `GET /v1/jobs/{id}` shows it.
    Job {
        /// The job at the moment of the event.
        job: Box<PublicJob>,
    },
    /// An account, in events without a job.
    Account {
        account: AccountId,
        /// The cause as a sentence.
        reason: String,
    },
    /// A webhook endpoint, in `webhook.test`, which is sent on request and is no event of
    /// `GET /v1/events`.
    Test {
        /// The endpoint that is tested.
        webhook: WebhookId,
    },
}

/// Events, oldest first (`GET /v1/events`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EventList {
    pub items: Vec<Event>,
    /// True when more events follow: request them with `after` set to the last of these.
    pub has_more: bool,
}
