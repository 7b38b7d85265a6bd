//! The webhook of one job: `webhook` of a job request.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::site_access::HIDDEN;
use crate::site_credentials::read_headers;
use crate::{BodyFields, EventKind, RequestPolicy, SecretText, WebhookFormat, comma_list};

/// Maximum entries of `events`.
const MAX_EVENTS: usize = 100;

/// Characters of `secret`: shorter ones could be guessed.
const SECRET_CHARS: std::ops::RangeInclusive<usize> = 32..=200;

/// Headers that the sender of a delivery sets.
const OWN_HEADERS: [&str; 3] = ["content-type", "x-service-signature", "x-firecrawl-signature"];

/// What a delivery of a webhook of a job reports.
#[derive(Debug, Clone, PartialEq)]
pub enum JobReport {
    /// The job was accepted; sent before anything else.
    Start,
    /// A result of the job, as the results endpoint returns it.
    Result(Value),
    Event(EventKind),
}

/// Where the events of one job are sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobWebhook {
    /// HTTPS URL of the receiver; private and loopback addresses are rejected. Format `firecrawl` also
    /// takes `http` to a network that the operator allows for webhooks.
    #[schema(
        example = "https://hooks.example.com/trawl",
        max_length = 2048,
        format = "uri",
        pattern = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s@\\/?#]{1,253}([/?#]|$)"
    )]
    pub url: String,
    /// All events of the job when omitted, including those added later; `billing.recharge_failed`
    /// is no event of a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1)]
    pub events: Option<Vec<EventKind>>,
    /// The form of the deliveries; `event` when omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<WebhookFormat>,
    /// A delivery for each result, too. Only in format `firecrawl`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub results: bool,
    /// Headers of every delivery. Stored encrypted; answers have `(hidden)` instead of the values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = Option<HashMap<String, String>>)]
    pub headers: BTreeMap<String, SecretText>,
    /// The key of the signatures: 32 to 200 printable ASCII characters. Stored encrypted and never
    /// shown. One is generated when omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "password", min_length = 32, max_length = 200)]
    pub secret: Option<SecretText>,
}

impl JobWebhook {
    /// The form of the deliveries.
    #[must_use]
    pub fn format(&self) -> WebhookFormat {
        self.format.unwrap_or(WebhookFormat::Event)
    }

    /// The same without `secret`, and with `(hidden)` in the place of every header's value.
    #[must_use]
    pub fn hidden(&self) -> Self {
        let names = self.headers.keys();
        let headers = names.map(|name| (name.clone(), SecretText::new(HIDDEN))).collect();
        Self { headers, secret: None, ..self.clone() }
    }
}

/// Reads `events`, a list of events without duplicates.
pub fn read_events(fields: &mut BodyFields<'_>) -> Option<Vec<EventKind>> {
    let mut events = Vec::new();
    for (index, name) in fields.texts("events", MAX_EVENTS)? {
        match name.parse::<EventKind>() {
            Ok(event) if events.contains(&event) => {
                fields.wrong(&format!("events[{index}]"), format!("{event} is named twice"));
            }
            Ok(event) => events.push(event),
            Err(_) => {
                let known = comma_list(EventKind::ALL);
                fields.wrong(&format!("events[{index}]"), format!("must be one of {known}"));
            }
        }
    }
    Some(events)
}

/// Reads and checks the member `webhook`.
pub(crate) fn read_webhook<P: RequestPolicy>(
    fields: &mut BodyFields<'_>,
    policy: &P,
) -> Option<JobWebhook> {
    fields.object("webhook", |inside| {
        let format = inside.one_of("format", WebhookFormat::ALL);
        let url = inside.text("url");
        inside.require("url");
        let form = format.unwrap_or(WebhookFormat::Event);
        if let Some(Err(message)) = url.map(|url| policy.check_webhook(url, form)) {
            inside.wrong("url", message);
        }
        let events = read_events(inside);
        let is_of_account = |event: &EventKind| *event == EventKind::BillingRechargeFailed;
        if let Some(at) = events.as_ref().and_then(|all| all.iter().position(is_of_account)) {
            let message = "is an event of the account, not of a job; create an endpoint for it \
                           with POST /v1/webhooks";
            inside.wrong(&format!("events[{at}]"), message);
        }
        let results = inside.flag("results").unwrap_or_default();
        if results && form != WebhookFormat::Firecrawl {
            inside.wrong("results", "needs the format firecrawl");
        }
        let headers = read_headers(inside);
        for name in headers.keys() {
            if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                inside.wrong(&format!("headers.{name}"), "is set by the service");
            }
        }
        let secret = inside.text("secret").map(SecretText::new);
        if secret.as_ref().is_some_and(|secret| !is_secret(secret.reveal())) {
            inside.wrong("secret", "must have from 32 to 200 printable ASCII characters");
        }
        let url = url.unwrap_or_default().trim().to_owned();
        JobWebhook { url, events, format, results, headers, secret }
    })
}

fn is_secret(text: &str) -> bool {
    SECRET_CHARS.contains(&text.len()) && text.bytes().all(|byte| (b'!'..=b'~').contains(&byte))
}
