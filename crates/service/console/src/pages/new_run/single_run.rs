//! The part of the form that schedules do not have: an uploaded list, and the webhook of the run.

use contract::{HIDDEN, Mode};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::form::TextField;
use crate::{FormErrors, FormFields};

/// Names of the fields, which are those of the members of a request.
pub(super) const NAMES: [&str; 3] = ["list_id", "webhook.url", "webhook.secret"];

pub(super) fn show(fields: &FormFields, form_errors: &FormErrors) -> Markup {
    let is_open =
        NAMES.iter().any(|name| fields.text(name).is_some() || form_errors.at(name).is_some());
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
                        "The id of a list of URLs from POST /v1/lists, instead of a start URL."))
                }
                div {
                    (text("webhook.url", "Webhook URL", "text",
                        "Gets the events of this run only. HTTPS."))
                }
                div {
                    (text("webhook.secret", "Webhook secret", "password",
                        "Signs the events: from 32 to 200 characters that the receiver knows."))
                }
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
    if url.is_some() || !secret.is_empty() {
        let webhook = json!({"url": url.unwrap_or_default(), "secret": secret});
        body.insert("webhook".to_owned(), webhook);
    }
}

/// The body for a page that shows it: without the secret of the webhook.
pub(super) fn hidden(mut body: Value) -> Value {
    if let Some(secret) = body.pointer_mut("/webhook/secret") {
        *secret = HIDDEN.into();
    }
    body
}

#[cfg(test)]
mod tests {
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
    fn list_belongs_to_modes_of_lists() {
        assert_eq!(body(Mode::Markdown, b"list_id=lst_1"), json!({"list_id": "lst_1"}));
        assert_eq!(body(Mode::Contacts, b"list_id=lst_1"), json!({}));
    }
}
