//! The form of a new run.

use contract::{Mode, OnProtected, RequestId};
use maud::{Markup, html};

use super::request::{self, SEEN};
use super::switches::{OPTIONS, RunSwitch, SCOPE};
use crate::form::{TextField, checkbox, field};
use crate::{ConsoleUser, FormErrors, FormFields};

/// Names of the form fields besides the switches.
pub(crate) const FIELDS: &[&str] = &[
    "mode",
    "url",
    "domains",
    "options.preferred_language",
    "options.sample_size",
    "on_protected",
    "max_credit_per_unit",
    "legal_basis_accepted",
];

fn about(mode: Mode) -> (&'static str, &'static str) {
    match mode {
        Mode::Links => ("Links", "Every URL of a site, with its status"),
        Mode::Sitemap => ("Sitemap", "The pages of a sitemap.xml"),
        Mode::Markdown => ("Markdown", "The text of its pages"),
        Mode::Products => ("Products", "The products of a shop"),
        Mode::Contacts => ("Contacts", "Companies and people, one record per domain"),
    }
}

/// The modes in the order of the form.
const MODES: [Mode; 5] =
    [Mode::Links, Mode::Sitemap, Mode::Markdown, Mode::Products, Mode::Contacts];

/// CSS classes of modes; the style sheet hides controls of other modes.
fn classes(modes: &[Mode]) -> String {
    let words: Vec<_> = modes.iter().map(|mode| mode.as_str()).collect();
    format!("of-mode {}", words.join(" "))
}

const SITES: &[Mode] = &[Mode::Links, Mode::Sitemap, Mode::Markdown, Mode::Products];

pub(super) fn show(
    user: &ConsoleUser,
    fields: &FormFields,
    form_errors: &FormErrors,
    id: Option<&RequestId>,
) -> Markup {
    html! {
        (form_errors.shown(FIELDS))
        form.stack #new-run method="post" action="/runs/new" {
            (user.form_token())
            @if let Some(id) = id { input type="hidden" name="form_id" value=(id); }
            (of_request(fields, form_errors))
            div.head {
                button.primary type="submit" { "Start the run" }
                button type="submit" name="do" value="estimate" { "Estimate" }
            }
        }
    }
}

/// The fields of a job request.
pub(crate) fn of_request(fields: &FormFields, form_errors: &FormErrors) -> Markup {
    let mode = request::mode(fields);
    let address = TextField {
        name: "url",
        label: "Start URL",
        kind: "text",
        value: fields.raw("url"),
        hint: "URL of a site or of a part of it.",
        autofocus: fields.raw("url").is_empty(),
        ..TextField::default()
    };
    let language = TextField {
        name: "options.preferred_language",
        label: "Language",
        value: fields.raw("options.preferred_language"),
        hint: "Only pages in this language, for example en or de-CH. Empty: detected.",
        ..TextField::default()
    };
    let sample = TextField {
        name: "options.sample_size",
        label: "Stop after",
        value: fields.raw("options.sample_size"),
        hint: "Number of results, to try a site. Empty: no limit.",
        ..TextField::default()
    };
    html! {
        input type="hidden" name=(SEEN) value="1";
        fieldset {
            legend { "Mode" }
            div.modes {
                @for each in MODES {
                    @let (name, result) = about(each);
                    label.mode {
                        input type="radio" name="mode" value=(each) checked[each == mode];
                        b { (name) } span { (result) }
                    }
                }
            }
            @if let Some(wrong) = form_errors.at("mode") { p.wrong { (wrong) } }
        }
        div class=(classes(SITES)) { (address.show(form_errors)) }
        div class=(classes(&[Mode::Contacts])) {
            (field("domains", "Domains", "One per line.", form_errors, |described, invalid| html! {
                textarea id="domains" name="domains" rows="6" spellcheck="false"
                    aria-describedby=[described] aria-invalid=[invalid] {
                    // Browsers drop a leading line break.
                    "\n" (fields.raw("domains"))
                }
            }))
        }
        fieldset class=(classes(SITES)) {
            legend { "Scope" }
            div.ticks { @for switch in SCOPE { (switch_checkbox(switch, fields)) } }
        }
        fieldset {
            legend { "If the site is behind bot protection" }
            @let chosen = request::on_protected(fields);
            @for (value, label, hint) in PROTECTED {
                div.tick {
                    input type="radio" id={ "on-" (value) } name="on_protected" value=(value)
                        checked[*value == chosen] aria-describedby={ "on-" (value) "-hint" };
                    label for={ "on-" (value) } { (label) }
                    span.hint id={ "on-" (value) "-hint" } { (hint) }
                }
            }
            @if let Some(wrong) = form_errors.at("on_protected") { p.wrong { (wrong) } }
            div.ceiling {
                (TextField {
                    name: "max_credit_per_unit",
                    label: "Maximum credits per unit",
                    value: fields.raw("max_credit_per_unit"),
                    hint: "Above this rate the run stops and asks.",
                    ..TextField::default()
                }.show(form_errors))
            }
        }
        fieldset class=(classes(&[Mode::Contacts])) {
            legend { "Lawful basis" }
            (checkbox("legal_basis_accepted",
                "I have a lawful basis for processing the contact data that is collected",
                "Terms, section 5.7. Your confirmation is stored with the run.",
                fields.is_on("legal_basis_accepted")))
            @if let Some(wrong) = form_errors.at("legal_basis_accepted") { p.wrong { (wrong) } }
        }
        details.more open[is_opened(fields, form_errors)] {
            summary { "More options" }
            div.stack {
                div.columns {
                    div { (sample.show(form_errors)) }
                    div class=(classes(SITES)) { (language.show(form_errors)) }
                }
                div class={ "ticks " (classes(SITES)) } {
                    @for switch in OPTIONS { (switch_checkbox(switch, fields)) }
                }
            }
        }
    }
}

const PROTECTED: &[(OnProtected, &str, &str)] = &[
    (
        OnProtected::Pause,
        "Stop and ask",
        "Nothing is charged at the higher rate until you confirm.",
    ),
    (OnProtected::Auto, "Continue up to a maximum", "For unattended runs."),
    (OnProtected::Fail, "End the run", "Without paying the higher rate."),
];

fn switch_checkbox(switch: &RunSwitch, fields: &FormFields) -> Markup {
    html! {
        div class=(classes(switch.modes)) {
            (checkbox(switch.name, switch.label, switch.hint, request::is_on(fields, switch)))
        }
    }
}

/// Whether "More options" has values or errors.
fn is_opened(fields: &FormFields, form_errors: &FormErrors) -> bool {
    let lines = ["options.preferred_language", "options.sample_size"];
    lines.iter().any(|name| fields.text(name).is_some() || form_errors.at(name).is_some())
        || OPTIONS.iter().any(|switch| request::is_on(fields, switch) != switch.default)
}
