//! Events: payload and envelope. Specification:
//! `docs/spec/webhooks.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{AccountId, EventId, EventKind, Millis, PublicJob, WebhookId};

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
