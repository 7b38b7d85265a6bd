//! The part of the form that schedules do not have: an uploaded list, and the webhook of the run.

use contract::{EventKind, HIDDEN, Mode, WebhookFormat};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::form::{TextField, checkbox, field};
use crate::pages::access::{lines, pairs};
use crate::{FormErrors, FormFields};

/// Names of the fields, which are those of the members of a request.
pub(super) const NAMES: [&str; 7] = [
    "list_id",
    "webhook.url",
    "webhook.secret",
    "webhook.events",
    "webhook.format",
    "webhook.results",
    "webhook.headers",
];

/// The events of a job, by which a webhook can be limited.
fn events() -> impl Iterator<Item = EventKind> {
    let all = EventKind::ALL.iter().copied();
    all.filter(|event| *event != EventKind::BillingRechargeFailed)
}

fn event_field(event: EventKind) -> String {
    format!("webhook.events.{event}")
}

pub(super) fn show(fields: &FormFields, form_errors: &FormErrors) -> Markup {
    let is_filled = |name: &&str| match *name {
        "webhook.events" => events().any(|event| fields.is_on(&event_field(event))),
        "webhook.format" => {
            fields.text(name).is_some_and(|format| format != WebhookFormat::Event.as_str())
        }
        name => fields.text(name).is_some(),
    };
    let is_open = NAMES.iter().any(|name| is_filled(name) || form_errors.at(name).is_some());
    let text = |name: &'static str, label: &'static str, kind: &'static str, hint: &'static str| {
        let autocomplete = if kind == "password" { "new-password" } else { "off" };
        let field = TextField::of(name, label, fields);
        TextField { kind, hint, autocomplete, ..field }.show(form_errors)
    };
    html! {
        details.more open[is_open] {
            summary { "Uploaded list and webhook" }
            div.columns {
                div {
                    (text("list_id", "Uploaded list", "text",
                        "The id that trawl list upload or POST /v1/lists returned, instead of a start URL."))
                }
                div {
                    (text("webhook.url", "Webhook URL", "text",
                        "Gets the events of this run only. HTTPS."))
                }
                div {
                    (text("webhook.secret", "Webhook secret", "password",
                        "Signs the events: from 32 to 200 characters that the receiver knows."))
                }
                div {
                    (field("webhook.format", "Webhook format",
                        "firecrawl: the events of Firecrawl, for receivers made for it.",
                        form_errors, |described, invalid| html! {
                            select id="webhook.format" name="webhook.format"
                                aria-describedby=[described] aria-invalid=[invalid] {
                                @let chosen = fields.text("webhook.format").unwrap_or_default();
                                @for format in WebhookFormat::NAMES {
                                    option value=(format) selected[*format == chosen] { (format) }
                                }
                            }
                        }))
                    (checkbox("webhook.results", "Each result too", "Format firecrawl only.",
                        fields.is_on("webhook.results")))
                    @if let Some(wrong) = form_errors.at("webhook.results") { p.wrong { (wrong) } }
                }
                div {
                    (lines("webhook.headers", "Webhook headers", "One per line, as Name: value.",
                        fields, form_errors))
                }
            }
            fieldset {
                legend { "Events of the webhook" }
                div.ticks {
                    @for event in events() {
                        @let name = event_field(event);
                        (checkbox(&name, event.as_str(), "", fields.is_on(&name)))
                    }
                }
                p.hint { "None is chosen: all of them." }
                @if let Some(wrong) = form_errors.at("webhook.events") { p.wrong { (wrong) } }
            }
        }
    }
}

/// Adds the members that are filled in. Invalid values are sent too, so that the API reports them. A
/// webhook always has a secret of the form: a generated one could not be shown.
pub(super) fn insert(body: &mut Map<String, Value>, mode: Mode, fields: &FormFields) {
    if let Some(list) = fields.text("list_id").filter(|_| Mode::LISTS.contains(&mode)) {
        body.insert("list_id".to_owned(), json!(list));
    }
    let (url, secret) = (fields.text("webhook.url"), fields.raw("webhook.secret"));
    let mut members = Map::new();
    let chosen: Vec<_> = events().filter(|event| fields.is_on(&event_field(*event))).collect();
    if !chosen.is_empty() {
        members.insert("events".to_owned(), json!(chosen));
    }
    let format = fields.text("webhook.format");
    if let Some(format) = format.filter(|format| *format != WebhookFormat::Event.as_str()) {
        members.insert("format".to_owned(), json!(format));
    }
    if fields.is_on("webhook.results") {
        members.insert("results".to_owned(), json!(true));
    }
    let headers = pairs(fields.raw("webhook.headers"), ':');
    if !headers.is_empty() {
        members.insert("headers".to_owned(), Value::Object(headers));
    }
    if url.is_some() || !secret.is_empty() || !members.is_empty() {
        members.insert("url".to_owned(), json!(url.unwrap_or_default()));
        members.insert("secret".to_owned(), json!(secret));
        body.insert("webhook".to_owned(), Value::Object(members));
    }
}

/// The body for a page that shows it: without the secret and the headers of the webhook.
pub(super) fn hidden(mut body: Value) -> Value {
    if let Some(secret) = body.pointer_mut("/webhook/secret") {
        *secret = HIDDEN.into();
    }
    let headers = body.pointer_mut("/webhook/headers").and_then(Value::as_object_mut);
    for value in headers.into_iter().flat_map(|headers| headers.values_mut()) {
        *value = HIDDEN.into();
    }
    body
}

#[cfg(test)]
mod tests {
    use contract::JobWebhook;
    use utoipa::PartialSchema;

    use super::*;

    fn body(mode: Mode, form: &[u8]) -> Value {
        let mut body = Map::new();
        insert(&mut body, mode, &FormFields::parse(form));
        Value::Object(body)
    }

    #[test]
    fn webhook_always_has_a_secret_which_is_not_shown() {
        let sent = body(Mode::Links, b"webhook.url=https://a.test/in&webhook.secret=s3cret");
        assert_eq!(sent, json!({"webhook": {"url": "https://a.test/in", "secret": "s3cret"}}));
        let shown = hidden(sent).to_string();
        assert!(!shown.contains("s3cret") && shown.contains("https://a.test/in"), "{shown}");
        let without = body(Mode::Links, b"webhook.url=https://a.test/in");
        assert_eq!(without["webhook"]["secret"], "", "the API refuses it by name");
        assert_eq!(body(Mode::Links, b"webhook.url=&webhook.secret=&list_id="), json!({}));
    }

    #[test]
    fn form_has_every_member_of_a_webhook() {
        let sent = body(
            Mode::Links,
            b"webhook.url=https://a.test/in&webhook.secret=s3cret&webhook.events.job.completed=on\
              &webhook.events.job.failed=on&webhook.format=firecrawl&webhook.results=on\
              &webhook.headers=X-Token:+s3cret",
        );
        let expected = json!({"webhook": {
            "url": "https://a.test/in",
            "secret": "s3cret",
            "events": ["job.completed", "job.failed"],
            "format": "firecrawl",
            "results": true,
            "headers": {"X-Token": "s3cret"},
        }});
        assert_eq!(sent, expected);
        assert!(!hidden(sent.clone()).to_string().contains("s3cret"));
        let schema = serde_json::to_value(JobWebhook::schema()).expect("JSON");
        let page = show(&FormFields::default(), &FormErrors::default()).into_string();
        for member in schema["properties"].as_object().expect("members").keys() {
            assert!(sent["webhook"].get(member).is_some(), "{member} is not sent");
            let name = format!("name=\"webhook.{member}");
            assert!(page.contains(&name), "{member} has no field: {page}");
        }
        assert!(!page.contains("billing"), "no event of a job");
        assert_eq!(body(Mode::Links, b"webhook.format=event"), json!({}));
    }

    #[test]
    fn list_belongs_to_modes_of_lists() {
        assert_eq!(body(Mode::Markdown, b"list_id=lst_1"), json!({"list_id": "lst_1"}));
        assert_eq!(body(Mode::Contacts, b"list_id=lst_1"), json!({}));
    }
}
