//! The part of a form about the access to the site: headers, credentials, a login, rendering. A run and
//! a page that is read at once have the same fields; a run has also a login.

use contract::{HIDDEN, PageDevice, PageFileFormat, RenderChoice, ScreenshotArea, SiteAccess};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::form::{TextField, checkbox, field};
use crate::{FormErrors, FormFields};

/// Names of the fields, which are those of the members of a request.
pub(crate) const NAMES: [&str; 13] = [
    "headers",
    "cookies",
    "basic_auth.username",
    "basic_auth.password",
    "bearer",
    "login",
    "render",
    "device",
    "wait_for",
    "formats",
    "screenshot_area",
    "max_age",
    "actions",
];

const FORMATS: [(PageFileFormat, &str); 3] = [
    (PageFileFormat::Html, "HTML without scripts"),
    (PageFileFormat::RawHtml, "HTML as received"),
    (PageFileFormat::Screenshot, "Picture"),
];

/// The form that has the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessOf {
    Page,
    Run,
}

/// Members whose values are secrets.
const SECRETS: [&str; 5] = ["headers", "cookies", "basic_auth", "bearer", "login"];

pub(crate) fn show(of: AccessOf, fields: &FormFields, form_errors: &FormErrors) -> Markup {
    let is_run = of == AccessOf::Run;
    // The form of a page has another field for the picture.
    let formats =
        FORMATS.iter().filter(|(format, _)| is_run || *format != PageFileFormat::Screenshot);
    let is_filled = |name: &&str| match *name {
        "formats" => FORMATS.iter().any(|(format, _)| fields.is_on(&format_field(*format))),
        "render" => fields.text(name).is_some_and(|chosen| chosen != RenderChoice::Auto.as_str()),
        "screenshot_area" => {
            fields.text(name).is_some_and(|area| area != ScreenshotArea::default().as_str())
        }
        "device" => fields.text(name).is_some_and(|it| it != PageDevice::Desktop.as_str()),
        name => fields.text(name).is_some(),
    };
    let is_open = NAMES.iter().any(|name| is_filled(name) || form_errors.at(name).is_some());
    let lines = |name: &'static str, label: &'static str, hint: &'static str| {
        lines(name, label, hint, fields, form_errors)
    };
    let text = |name: &'static str, label: &'static str, kind: &'static str| {
        let complete = if kind == "password" { "new-password" } else { "off" };
        let hint = match name {
            "wait_for" => "A CSS selector, or milliseconds.",
            _ => "",
        };
        let field = TextField::of(name, label, fields);
        TextField { kind, hint, autocomplete: complete, ..field }.show(form_errors)
    };
    let choice = |name: &'static str, label: &'static str, values: &[&str], default: &str| {
        let chosen = fields.text(name).unwrap_or(default);
        field(name, label, "", form_errors, |described, invalid| {
            html! {
                select id=(name) name=(name) aria-describedby=[described] aria-invalid=[invalid] {
                    @for value in values {
                        option value=(value) selected[*value == chosen] { (value) }
                    }
                }
            }
        })
    };
    let render = choice("render", "Rendering", RenderChoice::NAMES, RenderChoice::Auto.as_str());
    let device = choice("device", "Screen", PageDevice::NAMES, PageDevice::Desktop.as_str());
    let area = choice(
        "screenshot_area",
        "Part of the page in the picture",
        ScreenshotArea::NAMES,
        ScreenshotArea::default().as_str(),
    );
    html! {
        details.more open[is_open] {
            summary { "Access to the site" }
            div.stack {
                p.hint {
                    @if is_run {
                        "Sent to the site of the start URL only, stored encrypted, and erased when \
                         the run has ended."
                    } @else {
                        "Sent to the site of the URL only."
                    }
                }
                div.columns {
                    div { (lines("headers", "Headers", "One per line, as Name: value.")) }
                    div { (lines("cookies", "Cookies", "One per line, as name=value.")) }
                    div { (text("basic_auth.username", "User name (basic authentication)", "text")) }
                    div { (text("basic_auth.password", "Password", "password")) }
                    div { (text("bearer", "Bearer token", "password")) }
                    @if is_run {
                        div {
                            (lines("login", "Login", "JSON with url, actions and wait_for, as in the API."))
                        }
                    }
                    div { (render) }
                    div { (device) }
                    div { (text("wait_for", "Wait for", "text")) }
                    div {
                        (lines(
                            "actions",
                            if is_run { "Actions in every page" } else { "Actions in the page" },
                            "JSON list, as in the API.",
                        ))
                    }
                    div { (text("max_age", "Accept cached pages of (seconds)", "text")) }
                    fieldset {
                        legend { @if is_run { "Keep files of pages" } @else { "Files of the page" } }
                        @for (format, label) in formats {
                            @let name = format_field(*format);
                            (checkbox(&name, label, "", fields.is_on(&name)))
                        }
                        @if let Some(wrong) = form_errors.at("formats") { p.wrong { (wrong) } }
                    }
                    div { (area) }
                }
            }
        }
    }
}

/// A text of several lines.
pub(crate) fn lines(
    name: &str,
    label: &str,
    hint: &str,
    fields: &FormFields,
    form_errors: &FormErrors,
) -> Markup {
    field(name, label, hint, form_errors, |described, invalid| {
        html! {
            textarea id=(name) name=(name) rows="3" spellcheck="false" autocomplete="off"
                aria-describedby=[described] aria-invalid=[invalid] {
                // Browsers drop a leading line break.
                "\n" (fields.raw(name))
            }
        }
    })
}

/// The names and values of a text with one pair per line.
pub(crate) fn pairs(text: &str, separator: char) -> Map<String, Value> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (name, value) = line.split_once(separator).unwrap_or((line, ""));
            (name.trim().to_owned(), Value::from(value.trim()))
        })
        .collect()
}

/// Adds the members that are filled in, all but `login` and `formats` for a page. Invalid values are sent
/// too, so that the API reports them.
pub(crate) fn insert(of: AccessOf, body: &mut Map<String, Value>, fields: &FormFields) {
    for (name, separator) in [("headers", ':'), ("cookies", '=')] {
        let pairs = pairs(fields.raw(name), separator);
        if !pairs.is_empty() {
            body.insert(name.to_owned(), Value::Object(pairs));
        }
    }
    let (username, password) =
        (fields.text("basic_auth.username"), fields.raw("basic_auth.password"));
    if username.is_some() || !password.is_empty() {
        let basic = json!({"username": username.unwrap_or_default(), "password": password});
        body.insert("basic_auth".to_owned(), basic);
    }
    for name in ["bearer", "wait_for", "login", "actions", "max_age"] {
        let Some(text) = fields.text(name) else { continue };
        if name == "login" && of == AccessOf::Page {
            continue;
        }
        let value = match name {
            "login" | "actions" => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
            "wait_for" | "max_age" => {
                text.parse::<u64>().map_or_else(|_| json!(text), |ms| json!(ms))
            }
            _ => json!(text),
        };
        body.insert(name.to_owned(), value);
    }
    for (name, default) in [
        ("render", RenderChoice::Auto.as_str()),
        ("device", PageDevice::Desktop.as_str()),
        ("screenshot_area", ScreenshotArea::default().as_str()),
    ] {
        if let Some(chosen) = fields.text(name).filter(|chosen| *chosen != default) {
            body.insert(name.to_owned(), json!(chosen));
        }
    }
    let files = files(fields);
    if of == AccessOf::Run && !files.is_empty() {
        body.insert("formats".to_owned(), json!(files));
    }
}

/// The files that are chosen.
pub(crate) fn files(fields: &FormFields) -> Vec<PageFileFormat> {
    let files = FORMATS.iter().map(|(format, _)| *format);
    files.filter(|format| fields.is_on(&format_field(*format))).collect()
}

/// The name of the checkbox of a file.
pub(crate) fn format_field(format: PageFileFormat) -> String {
    format!("formats.{format}")
}

/// Fills the form with the access of a stored run, whose secrets are hidden.
pub(crate) fn fill(fields: &mut FormFields, access: &SiteAccess) {
    let lines = |names: Vec<&String>, separator: &str| {
        let lines = names.into_iter().map(|name| format!("{name}{separator}{HIDDEN}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    fields.set("headers", lines(access.headers.keys().collect(), ": "));
    fields.set("cookies", lines(access.cookies.keys().collect(), "="));
    if access.basic_auth.is_some() {
        fields.set("basic_auth.username", HIDDEN);
        fields.set("basic_auth.password", HIDDEN);
    }
    if access.bearer.is_some() {
        fields.set("bearer", HIDDEN);
    }
    if let Some(login) = &access.login {
        fields.set("login", serde_json::to_string_pretty(login).unwrap_or_default());
    }
    fields.set("render", access.render.as_str());
    fields.set("device", access.device.as_str());
    if let Some(Value::String(text)) = access.wait_for.as_ref().map(|wait| json!(wait)) {
        fields.set("wait_for", text);
    } else if let Some(Value::Number(ms)) = access.wait_for.as_ref().map(|wait| json!(wait)) {
        fields.set("wait_for", ms.to_string());
    }
    if !access.actions.is_empty() {
        fields.set("actions", serde_json::to_string_pretty(&access.actions).unwrap_or_default());
    }
    for format in &access.formats {
        fields.set(&format_field(*format), "on");
    }
    if access.screenshot().is_some_and(|area| area != ScreenshotArea::default()) {
        fields.set("screenshot_area", access.screenshot_area.as_str());
    }
    if access.max_age > 0 {
        fields.set("max_age", access.max_age.to_string());
    }
}

/// The body for a page that shows it: without secrets.
pub(crate) fn hidden(mut body: Value) -> Value {
    for name in SECRETS {
        if let Some(secret) = body.get_mut(name) {
            hide(secret, name == "login");
        }
    }
    body
}

/// Replaces the texts; of a login those that are typed.
fn hide(value: &mut Value, is_login: bool) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if !is_login || name == "text" || !member.is_string() {
                    hide(member, is_login);
                }
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| hide(entry, is_login)),
        Value::String(_) => *value = HIDDEN.into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(form: &[u8]) -> Value {
        let mut body = Map::new();
        insert(AccessOf::Run, &mut body, &FormFields::parse(form));
        Value::Object(body)
    }

    #[test]
    fn fields_become_members_and_shown_requests_hide_secrets() {
        let sent = body(
            b"headers=X-Token:+s3cret%0D%0A%0D%0AA:+b&cookies=id=s3cret&basic_auth.username=s3cret\
              &basic_auth.password=s3cret&render=always&wait_for=250\
              &login={\"url\":\"http://a.test/login\",\"actions\":[{\"type\":\"type\",\"text\":\"s3cret\"}]}",
        );
        let expected = json!({
            "headers": {"X-Token": "s3cret", "A": "b"},
            "cookies": {"id": "s3cret"},
            "basic_auth": {"username": "s3cret", "password": "s3cret"},
            "login": {"url": "http://a.test/login", "actions": [{"type": "type", "text": "s3cret"}]},
            "render": "always",
            "wait_for": 250,
        });
        assert_eq!(sent, expected);
        let shown = hidden(sent).to_string();
        assert!(!shown.contains("s3cret") && shown.contains("http://a.test/login"), "{shown}");
        assert_eq!(body(b"render=auto&device=desktop&headers=&bearer="), json!({}));
        let files =
            body(b"formats.html=on&formats.screenshot=on&max_age=60&actions=[{}]&device=mobile");
        let expected = json!({"formats": ["html", "screenshot"], "max_age": 60, "actions": [{}],
            "device": "mobile"});
        assert_eq!(files, expected);
        assert_eq!(
            body(b"login=no+JSON&wait_for=%23a"),
            json!({"login": "no JSON", "wait_for": "#a"})
        );
    }

    #[test]
    fn form_of_a_stored_run_has_the_names_and_no_values() {
        let access = serde_json::json!({"headers": {"X-Token": "(hidden)"}, "bearer": "(hidden)",
            "render": "always", "wait_for": "#a", "formats": ["raw_html"], "max_age": 60, "device": "mobile"});
        let access: SiteAccess = serde_json::from_value(access).expect("an access");
        let mut fields = FormFields::default();
        fill(&mut fields, &access);
        assert_eq!(fields.raw("headers"), "X-Token: (hidden)");
        assert_eq!((fields.raw("render"), fields.raw("wait_for")), ("always", "#a"));
        assert!(fields.is_on("formats.raw_html") && !fields.is_on("formats.html"));
        assert_eq!((fields.raw("max_age"), fields.raw("device")), ("60", "mobile"));
        let page = show(AccessOf::Run, &fields, &FormErrors::default()).into_string();
        assert!(page.contains("<details class=\"more\" open>"), "{page}");
    }
}
