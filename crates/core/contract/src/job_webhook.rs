//! The webhook of one job: `webhook` of a job request.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{BodyFields, EventKind, RequestPolicy, comma_list};

/// Maximum entries of `events`.
const MAX_EVENTS: usize = 100;

/// Where the events of one job are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobWebhook {
    /// HTTPS URL of the receiver; private and loopback addresses are rejected.
    #[schema(
        example = "https://hooks.example.com/trawl",
        max_length = 2048,
        format = "uri",
        pattern = r"^[Hh][Tt][Tt][Pp][Ss]://[^\s@\\/?#]{1,253}([/?#]|$)"
    )]
    pub url: String,
    /// All events of the job when omitted, including those added later; `billing.recharge_failed`
    /// is no event of a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1)]
    pub events: Option<Vec<EventKind>>,
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
        let url = inside.text("url");
        inside.require("url");
        if let Some(Err(message)) = url.map(|url| policy.check_webhook(url)) {
            inside.wrong("url", message);
        }
        let events = read_events(inside);
        let is_of_account = |event: &EventKind| *event == EventKind::BillingRechargeFailed;
        if let Some(at) = events.as_ref().and_then(|all| all.iter().position(is_of_account)) {
            let message = "is an event of the account, not of a job; create an endpoint for it \
                           with POST /v1/webhooks";
            inside.wrong(&format!("events[{at}]"), message);
        }
        JobWebhook { url: url.unwrap_or_default().trim().to_owned(), events }
    })
}
