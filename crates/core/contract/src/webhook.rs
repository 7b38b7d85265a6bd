//! Webhook endpoints, and what was delivered to them. Specification: `docs/spec/webhooks.md`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::job::words;
use crate::{Creator, DeliveryId, EventId, EventKind, Millis, WebhookId};

/// The type of what `POST /v1/webhooks/{id}/test` sends. Nobody subscribes to it.
pub const TEST_EVENT: &str = "webhook.test";

/// A webhook endpoint: never its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Webhook {
    pub id: WebhookId,
    #[schema(example = "https://hooks.example.com/trawl")]
    pub url: String,
    /// The events that it is told of.
    pub events: Vec<EventKind>,
    /// False when its owner has switched it off, or when its attempts are exhausted.
    pub active: bool,
    pub created_at: Millis,
    #[schema(required = true)]
    pub last_success_at: Option<Millis>,
    /// The first failed attempt since the last success.
    #[schema(required = true)]
    pub failing_since: Option<Millis>,
    /// Why the last attempt failed; null after a success.
    #[schema(required = true)]
    pub last_error: Option<String>,
    /// The key or application that made it; null when a person did, or it is not known.
    #[serde(default)]
    #[schema(required = true)]
    pub created_by: Option<Creator>,
}

/// A webhook endpoint at its creation: the only time its secret is shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedWebhook {
    #[serde(flatten)]
    pub details: Webhook,
    /// What deliveries are signed with. Kept encrypted.
    #[schema(example = "whsec_0000000000000000000000000000000000000000000")]
    pub secret: String,
}

impl std::fmt::Debug for CreatedWebhook {
    // A secret never reaches a log, not even by way of `{:?}`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedWebhook").field("details", &self.details).finish_non_exhaustive()
    }
}

/// The body that creates a webhook endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateWebhook {
    /// HTTPS endpoint to deliver to; private and loopback addresses are refused.
    #[schema(example = "https://hooks.example.com/trawl", max_length = 2048)]
    pub url: String,
    /// Every event when omitted, those added later too; an explicit list stays as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<EventKind>>,
}

/// The body that changes a webhook endpoint. What is left out stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeWebhook {
    /// Whether it is delivered to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// The events that it is told of from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<EventKind>>,
}

words! {
    /// Where a delivery stands.
    pub enum DeliveryState {
        /// It waits for its first or its next attempt.
        Pending = "pending",
        /// The receiver answered 2xx.
        Delivered = "delivered",
        /// Its attempts are exhausted.
        Failed = "failed",
        /// A newer `job.progress` of the job took its place before it was delivered.
        Superseded = "superseded",
        /// It waits until the endpoint is active again.
        Held = "held",
    }
}

/// An event on its way to an endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    pub id: DeliveryId,
    /// The same in every attempt, so that a receiver can fold repeats.
    pub event_id: EventId,
    /// The event's type, or `webhook.test`.
    #[serde(rename = "type")]
    #[schema(example = "job.completed")]
    pub kind: String,
    pub state: DeliveryState,
    pub created_at: Millis,
    /// The attempts so far, oldest first; of many the last 20.
    pub attempts: Vec<DeliveryAttempt>,
    /// When it is tried next; null when it is not.
    #[schema(required = true)]
    pub next_attempt_at: Option<Millis>,
    /// What is sent.
    #[schema(value_type = Object)]
    pub payload: Value,
}

/// One attempt at a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryAttempt {
    /// When it began.
    pub at: Millis,
    /// What the receiver answered; null when there was no whole answer.
    #[schema(required = true)]
    pub status_code: Option<u16>,
    /// How long it took.
    pub duration_ms: u64,
    /// Why it does not count as delivered; null when it does.
    #[schema(required = true)]
    pub error: Option<String>,
}

/// A page of deliveries, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryPage {
    pub items: Vec<Delivery>,
    pub total: u64,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
}
