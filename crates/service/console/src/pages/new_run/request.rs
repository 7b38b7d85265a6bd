//! The request that a form stands for, and the form that a run came from.

use contract::{Mode, OnProtected};
use job::Job;
use serde_json::{Map, Value, json};

use super::switches;
use crate::Fields;

/// Says that the boxes of a form were seen: one that is not ticked is off, not untouched.
pub(super) const SEEN: &str = "seen";

/// The mode that is chosen; links where none is.
pub(super) fn mode(fields: &Fields) -> Mode {
    fields.text("mode").and_then(|name| name.parse::<Mode>().ok()).unwrap_or(Mode::Links)
}

/// Whether a switch is on in this form.
pub(super) fn is_on(fields: &Fields, switch: &switches::Switch) -> bool {
    if fields.is_on(SEEN) { fields.is_on(switch.name) } else { switch.default }
}

/// The address, with the scheme that nobody types.
pub(super) fn address(fields: &Fields) -> Option<String> {
    fields.text("url").map(|url| match url.contains(':') {
        true => url.to_owned(),
        false => format!("https://{url}"),
    })
}

/// The domains, however they are set apart.
pub(super) fn domains(fields: &Fields) -> Vec<&str> {
    let apart = |c: char| c.is_whitespace() || matches!(c, ',' | ';');
    fields.raw("domains").split(apart).filter(|domain| !domain.is_empty()).collect()
}

/// What to do at a protected site; asking is the default of the interface.
pub(super) fn on_protected(fields: &Fields) -> OnProtected {
    fields
        .text("on_protected")
        .and_then(|name| name.parse::<OnProtected>().ok())
        .unwrap_or(OnProtected::Pause)
}

/// The body of `POST /v1/jobs`: what the form says, as far as it differs from what is meant
/// without a word. Nothing is judged here: what makes no sense goes along, and is answered.
pub(crate) fn body(fields: &Fields) -> Value {
    let mode = mode(fields);
    let mut body = Map::new();
    body.insert("mode".to_owned(), json!(mode));
    if mode == Mode::Contacts {
        body.insert("domains".to_owned(), json!(domains(fields)));
        if fields.is_on("legal_basis_accepted") {
            body.insert("legal_basis_accepted".to_owned(), json!(true));
        }
    } else if let Some(url) = address(fields) {
        body.insert("url".to_owned(), json!(url));
    }
    for switch in switches::all().filter(|switch| switch.modes.contains(&mode)) {
        let on = is_on(fields, switch);
        if on != switch.default {
            put(&mut body, switch.name, json!(on));
        }
    }
    if mode != Mode::Contacts
        && let Some(language) = fields.text("options.preferred_language")
    {
        put(&mut body, "options.preferred_language", json!(language));
    }
    if let Some(size) = fields.text("options.sample_size") {
        put(&mut body, "options.sample_size", whole(size));
    }
    let on_protected = on_protected(fields);
    body.insert("on_protected".to_owned(), json!(on_protected));
    if on_protected == OnProtected::Auto
        && let Some(ceiling) = fields.text("max_credit_per_unit")
    {
        body.insert("max_credit_per_unit".to_owned(), whole(ceiling));
    }
    Value::Object(body)
}

/// A whole number; what is none stays as it was typed, for the API to say so.
fn whole(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number))
}

/// Puts a value at `scope.one_page`.
fn put(body: &mut Map<String, Value>, path: &str, value: Value) {
    if let Some((part, name)) = path.split_once('.') {
        let part = body.entry(part).or_insert_with(|| json!({}));
        if let Some(members) = part.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    }
}

/// The form that would start this run again.
pub(crate) fn of_job(job: &Job) -> Fields {
    let mut fields = Fields::default();
    fields.set(SEEN, "1");
    fields.set("mode", job.mode.as_str());
    fields.set("url", job.url.clone().unwrap_or_default());
    let domains = match (&job.url, job.mode) {
        (Some(url), Mode::Contacts) => url.clone(),
        _ => job.domains.join("\n"),
    };
    fields.set("domains", domains);
    let whole = json!({"scope": job.scope, "options": job.options});
    for switch in switches::all() {
        let found = switch.name.split('.').try_fold(&whole, |value, name| value.get(name));
        if found == Some(&Value::Bool(true)) {
            fields.set(switch.name, "on");
        }
    }
    if let Some(language) = &job.options.preferred_language {
        fields.set("options.preferred_language", language.clone());
    }
    if let Some(size) = job.options.sample_size {
        fields.set("options.sample_size", size.to_string());
    }
    fields.set("on_protected", job.on_protected.as_str());
    if let Some(ceiling) = job.ceiling {
        fields.set("max_credit_per_unit", ceiling.to_string());
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_what_differs() {
        let fields = Fields::parse(
            b"seen=1&mode=links&url=example.com&scope.one_page=on&options.discovery=on\
              &options.collect_hidden_prices=on&options.sample_size=ten&max_credit_per_unit=5",
        );
        // Another mode's switch is left out, what is no number goes along to be refused, and a
        // ceiling says nothing unless somebody is to go up to it.
        assert_eq!(
            body(&fields),
            json!({
                "mode": "links",
                "url": "https://example.com",
                "scope": {"one_page": true},
                "options": {"sample_size": "ten"},
                "on_protected": "pause",
            })
        );
        let untouched = Fields::parse(b"mode=products&url=http://a.test/");
        let expected =
            json!({"mode": "products", "url": "http://a.test/", "on_protected": "pause"});
        assert_eq!(body(&untouched), expected);
    }

    #[test]
    fn a_box_that_was_unticked_is_off() {
        let fields = Fields::parse(b"seen=1&mode=markdown&url=http://a.test/");
        assert_eq!(body(&fields)["options"], json!({"discovery": false}));
    }

    #[test]
    fn domains_come_in_any_list() {
        let fields = Fields::parse(
            b"mode=contacts&domains=a.test%0D%0Ab.test,+c.test%3B&legal_basis_accepted=on\
              &on_protected=auto&max_credit_per_unit=50",
        );
        assert_eq!(
            body(&fields),
            json!({
                "mode": "contacts",
                "domains": ["a.test", "b.test", "c.test"],
                "legal_basis_accepted": true,
                "on_protected": "auto",
                "max_credit_per_unit": 50,
            })
        );
    }
}
