//! Webhook endpoints and their deliveries. Specification: `docs/spec/webhooks.md`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{Creator, DeliveryId, EventId, EventKind, Millis, WebhookId};

/// The event type of `POST /v1/webhooks/{id}/test`. It is not part of subscriptions.
pub const TEST_EVENT: &str = "webhook.test";

/// A webhook endpoint, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Webhook {
    pub id: WebhookId,
    #[schema(example = "https://hooks.example.com/trawl")]
    pub url: String,
    /// The events that the endpoint is subscribed to.
    pub events: Vec<EventKind>,
    /// False when its owner has disabled it, or when its attempts are exhausted.
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
    /// The key or application that created it; null for a session, or if unknown.
    #[serde(default)]
    #[schema(required = true)]
    pub created_by: Option<Creator>,
}

/// A webhook endpoint at its creation: the only time its secret is shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedWebhook {
    #[serde(flatten)]
    pub details: Webhook,
    /// The key of the signatures of deliveries. Stored encrypted.
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
    /// HTTPS URL of the endpoint; private and loopback addresses are rejected.
    #[schema(
        example = "https://hooks.example.com/trawl",
        max_length = 2048,
        format = "uri",
        pattern = r"^[Hh][Tt][Tt][Pp][Ss]://[^\s@\\/?#]{1,253}([/?#]|$)"
    )]
    pub url: String,
    /// All events when omitted, including those added later; an explicit list is not extended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1)]
    pub events: Option<Vec<EventKind>>,
}

/// The body that changes a webhook endpoint. Omitted members stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeWebhook {
    /// Whether events are sent to the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// The events that the endpoint is subscribed to from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1)]
    pub events: Option<Vec<EventKind>>,
}

string_enum! {
    /// The state of a delivery.
    pub enum DeliveryState {
        /// It waits for its first or its next attempt.
        Pending = "pending",
        /// The receiver responded with 2xx.
        Delivered = "delivered",
        /// Its attempts are exhausted.
        Failed = "failed",
        /// A newer `job.progress` of the job replaced it before it was delivered.
        Superseded = "superseded",
        /// It waits until the endpoint is active again.
        Held = "held",
    }
}

/// The delivery of an event to an endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    pub id: DeliveryId,
    /// The same in every attempt, so that a receiver can recognise duplicates.
    pub event_id: EventId,
    /// The event's type, or `webhook.test`.
    #[serde(rename = "type")]
    #[schema(example = "job.completed")]
    pub kind: String,
    pub state: DeliveryState,
    pub created_at: Millis,
    /// The attempts so far, oldest first; at most the last 20.
    pub attempts: Vec<DeliveryAttempt>,
    /// Time of the next attempt; null if there is none.
    #[schema(required = true)]
    pub next_attempt_at: Option<Millis>,
    /// The JSON body that is sent.
    #[schema(value_type = Object)]
    pub payload: Value,
}

/// One attempt at a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryAttempt {
    /// Start time of the attempt.
    pub at: Millis,
    /// The response status of the receiver; null without a complete response.
    #[schema(required = true)]
    pub status_code: Option<u16>,
    pub duration_ms: u64,
    /// Why the attempt failed; null after a success.
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
