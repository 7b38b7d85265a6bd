//! The fields of the form, and the request that they make. Its options are those of the API
//! ([`PageOptions`]).

use contract::{Mode, OnProtected, PageOptions};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::form::{TextField, checkbox, field};
use crate::pages::access::{self, AccessOf};
use crate::pages::new_run::form::{classes, input, switch};
use crate::pages::new_run::request::{SEEN, address, option_value, put, whole};
use crate::{FormErrors, FormFields};

/// The checkbox of the links among the parts of the answer.
const LINKS: &str = "formats.links";

/// Names of the fields that show their own errors: all but the switches.
pub(super) fn names() -> Vec<&'static str> {
    let own = [
        "url",
        "mode",
        "max_credit_per_unit",
        "on_protected",
        "timeout_ms",
        "legal_basis_accepted",
    ];
    let options = PageOptions::FIELDS.iter().filter(|option| !option.is_switch());
    own.into_iter().chain(access::NAMES).chain(options.map(|option| option.path)).collect()
}

/// The mode, unless its name is wrong.
fn mode(fields: &FormFields) -> Option<Mode> {
    fields.text("mode").map_or(Some(Mode::PAGE_DEFAULT), |name| name.parse().ok())
}

/// The request of the form. Invalid values are sent too, so that the API reports them.
pub(super) fn body(fields: &FormFields, with_picture: bool) -> Value {
    let mut body = Map::new();
    body.insert("url".to_owned(), json!(address(fields).unwrap_or_default()));
    if let Some(mode) = fields.text("mode").filter(|mode| *mode != Mode::PAGE_DEFAULT.as_str()) {
        body.insert("mode".to_owned(), json!(mode));
    }
    access::insert(AccessOf::Page, &mut body, fields);
    let mut formats = vec!["item", "metadata"];
    if fields.is_on(LINKS) {
        formats.push("links");
    }
    formats.extend(access::files(fields).iter().map(|file| file.as_str()));
    if with_picture {
        formats.push("screenshot");
    } else {
        // It is the area of the picture.
        body.remove("screenshot_area");
    }
    body.insert("formats".to_owned(), json!(formats));
    for name in ["max_credit_per_unit", "timeout_ms"] {
        if let Some(number) = fields.text(name) {
            body.insert(name.to_owned(), whole(number));
        }
    }
    if let Some(choice) = fields.text("on_protected") {
        body.insert("on_protected".to_owned(), json!(choice));
    }
    if fields.is_on("legal_basis_accepted") {
        body.insert("legal_basis_accepted".to_owned(), json!(true));
    }
    let mode = mode(fields);
    for option in PageOptions::FIELDS {
        let applies = mode.is_some_and(|mode| option.modes.contains(&mode));
        if let Some(value) = option_value(option, fields).filter(|_| applies) {
            put(&mut body, option.path, value);
        }
    }
    Value::Object(body)
}

/// The fields, without those of every form.
pub(super) fn fields_of_page(fields: &FormFields, form_errors: &FormErrors) -> Markup {
    let chosen = fields.text("mode").unwrap_or(Mode::PAGE_DEFAULT.as_str());
    let (switches, inputs): (Vec<_>, Vec<_>) =
        PageOptions::FIELDS.iter().partition(|option| option.is_switch());
    html! {
        input type="hidden" name=(SEEN) value="1";
        (TextField { required: true, ..TextField::of("url", "URL", fields) }.show(form_errors))
        (field("mode", "Mode", "", form_errors, |described, invalid| html! {
            select #mode name="mode" aria-describedby=[described] aria-invalid=[invalid] {
                @for one in Mode::PAGES {
                    option value=(one) selected[one.as_str() == chosen] { (one) }
                }
            }
        }))
        div {
            (checkbox("picture", "Picture of the page", "", fields.is_on("picture")))
            (checkbox(LINKS, "Links of the page", "", fields.is_on(LINKS)))
        }
        div class=(classes(Mode::LEGAL_BASIS)) {
            (checkbox(
                "legal_basis_accepted",
                "I have a lawful basis for processing personal data",
                "Mode contacts only.",
                fields.is_on("legal_basis_accepted"),
            ))
        }
        (access::show(AccessOf::Page, fields, form_errors))
        details.more open[is_opened(fields, form_errors)] {
            summary { "More options" }
            div.stack {
                div.columns {
                    div { (protection(fields, form_errors)) }
                    div {
                        (TextField {
                            hint: "Accepted for a page behind bot protection. Empty: none.",
                            ..TextField::of("max_credit_per_unit", "Maximum credits", fields)
                        }.show(form_errors))
                    }
                    div {
                        (TextField {
                            hint: "From 1,000 to 60,000; 30,000 when empty.",
                            ..TextField::of("timeout_ms", "Timeout (milliseconds)", fields)
                        }.show(form_errors))
                    }
                    @for option in &inputs { (input(option, fields, form_errors)) }
                }
                div.ticks { @for option in &switches { (switch(option, fields)) } }
            }
        }
    }
}

fn protection(fields: &FormFields, form_errors: &FormErrors) -> Markup {
    let chosen = fields.text("on_protected").unwrap_or_default();
    let (label, hint) = (
        "If the page is behind bot protection",
        "auto pays up to the maximum credits; pause and fail end with an error that names the rate.",
    );
    field("on_protected", label, hint, form_errors, |described, invalid| {
        html! {
            select #on_protected name="on_protected" aria-describedby=[described]
                aria-invalid=[invalid] {
                option value="" { "auto if there is a maximum" }
                @for choice in OnProtected::ALL {
                    option value=(choice) selected[choice.as_str() == chosen] { (choice) }
                }
            }
        }
    })
}

/// Whether "More options" has values or errors.
fn is_opened(fields: &FormFields, form_errors: &FormErrors) -> bool {
    let own = ["max_credit_per_unit", "on_protected", "timeout_ms"];
    own.iter().any(|name| fields.text(name).is_some() || form_errors.at(name).is_some())
        || PageOptions::FIELDS.iter().any(|option| option_value(option, fields).is_some())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contract::ReadPage;
    use utoipa::PartialSchema;

    use super::*;

    fn members(schema: &Value) -> BTreeSet<String> {
        schema["properties"].as_object().expect("members").keys().cloned().collect()
    }

    fn request() -> BTreeSet<String> {
        members(&serde_json::to_value(ReadPage::schema()).expect("JSON"))
    }

    /// A form in which every field has a value.
    const FILLED: &[u8] = b"seen=1&url=https://a.test/&mode=markdown&formats.html=on&picture=on\
        &screenshot_area=viewport&render=always&device=mobile&wait_for=500&actions=[]&headers=A:+b&cookies=a=b\
        &basic_auth.username=a&basic_auth.password=b&bearer=c&max_age=60&timeout_ms=5000\
        &on_protected=auto&max_credit_per_unit=5&legal_basis_accepted=on&options.links=none\
        &login={}";

    #[test]
    fn form_has_every_member_of_the_request() {
        let page = fields_of_page(&FormFields::default(), &FormErrors::default()).into_string();
        let names = page.split("name=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let members: BTreeSet<String> = names
            .filter(|name| *name != SEEN)
            .map(|name| match name {
                "picture" => "formats".to_owned(),
                name => name.split('.').next().unwrap_or(name).to_owned(),
            })
            .collect();
        assert_eq!(members, request());
        for option in PageOptions::FIELDS {
            assert!(page.contains(&format!("name=\"{}\"", option.path)), "{}", option.path);
        }
        let sent = body(&FormFields::parse(FILLED), true);
        let sent: BTreeSet<String> = sent.as_object().expect("members").keys().cloned().collect();
        // `mode` is the default.
        let expected: BTreeSet<String> =
            request().into_iter().filter(|name| name != "mode").collect();
        assert_eq!(sent, expected);
    }

    #[test]
    fn form_becomes_the_request() {
        let fields = FormFields::parse(
            b"url=+https%3A%2F%2Fa.test%2F&mode=links&wait_for=500&max_credit_per_unit=x",
        );
        assert_eq!(
            body(&fields, true),
            json!({"url": "https://a.test/", "formats": ["item", "metadata", "screenshot"],
                "mode": "links", "wait_for": 500, "max_credit_per_unit": "x"})
        );
        let fields = FormFields::parse(
            b"url=a.test&mode=markdown&wait_for=%23late&on_protected=&seen=1\
            &options.main_content=on&formats.links=on&formats.raw_html=on&screenshot_area=viewport",
        );
        let plain = json!({"url": "https://a.test", "formats": ["item", "metadata", "links", "raw_html"],
            "wait_for": "#late"});
        assert_eq!(body(&fields, false), plain, "without a browser there is no picture");
        let fields =
            FormFields::parse(b"url=http://a.test&seen=1&options.links=none&timeout_ms=1000");
        let expected = json!({"url": "http://a.test", "formats": ["item", "metadata"], "timeout_ms": 1_000,
            "options": {"links": "none", "main_content": false}});
        assert_eq!(body(&fields, false), expected);
        let fields = FormFields::parse(b"url=a&mode=links&seen=1&options.links=none");
        assert_eq!(body(&fields, false).get("options"), None, "options of other modes are hidden");
    }
}
