//! The form of a new run.

use contract::{Mode, OnProtected, RequestId};
use maud::{Markup, html};

use super::request::{self, SEEN};
use super::switches::{OPTIONS, SCOPE, Switch};
use crate::form::{Line, field, tick};
use crate::{Complaints, Fields, Person};

/// What stands in a form of this page, apart from its switches.
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
        Mode::Sitemap => ("Sitemap", "What belongs into a sitemap.xml"),
        Mode::Markdown => ("Markdown", "The text of its pages"),
        Mode::Products => ("Products", "What a shop sells, as records"),
        Mode::Contacts => ("Contacts", "Companies and people, a record a domain"),
    }
}

/// The modes in the order in which people look for them.
const MODES: [Mode; 5] =
    [Mode::Links, Mode::Sitemap, Mode::Markdown, Mode::Products, Mode::Contacts];

/// The words of a mode as classes, for the style sheet to hide what belongs to another.
fn classes(modes: &[Mode]) -> String {
    let words: Vec<_> = modes.iter().map(|mode| mode.as_str()).collect();
    format!("of-mode {}", words.join(" "))
}

const SITES: &[Mode] = &[Mode::Links, Mode::Sitemap, Mode::Markdown, Mode::Products];

pub(super) fn show(
    person: &Person,
    fields: &Fields,
    complaints: &Complaints,
    id: Option<&RequestId>,
) -> Markup {
    html! {
        (complaints.shown(FIELDS))
        form.stack #new-run method="post" action="/runs/new" {
            (person.form_token())
            @if let Some(id) = id { input type="hidden" name="form_id" value=(id); }
            (of_request(fields, complaints))
            div.head {
                button.primary type="submit" { "Start the run" }
                button type="submit" name="do" value="estimate" { "Estimate" }
            }
        }
    }
}

/// What a run is asked for, field by field.
pub(crate) fn of_request(fields: &Fields, complaints: &Complaints) -> Markup {
    let mode = request::mode(fields);
    let address = Line {
        name: "url",
        label: "Start at",
        kind: "text",
        value: fields.raw("url"),
        hint: "The address of a site, or of the part of it that you want.",
        autofocus: fields.raw("url").is_empty(),
        ..Line::default()
    };
    let language = Line {
        name: "options.preferred_language",
        label: "Language",
        value: fields.raw("options.preferred_language"),
        hint: "Only pages in this language, as en or de-CH. Empty: as the site has it.",
        ..Line::default()
    };
    let sample = Line {
        name: "options.sample_size",
        label: "Stop after",
        value: fields.raw("options.sample_size"),
        hint: "That many results, to try a site. Empty: all of it.",
        ..Line::default()
    };
    html! {
        input type="hidden" name=(SEEN) value="1";
        fieldset {
            legend { "What do you want?" }
            div.modes {
                @for each in MODES {
                    @let (name, result) = about(each);
                    label.mode {
                        input type="radio" name="mode" value=(each) checked[each == mode];
                        b { (name) } span { (result) }
                    }
                }
            }
            @if let Some(wrong) = complaints.at("mode") { p.wrong { (wrong) } }
        }
        div class=(classes(SITES)) { (address.show(complaints)) }
        div class=(classes(&[Mode::Contacts])) {
            (field("domains", "Domains", "One a line.", complaints, |described, invalid| html! {
                textarea id="domains" name="domains" rows="6" spellcheck="false"
                    aria-describedby=[described] aria-invalid=[invalid] {
                    // A line break at the beginning is dropped by browsers.
                    "\n" (fields.raw("domains"))
                }
            }))
        }
        fieldset class=(classes(SITES)) {
            legend { "What belongs to it?" }
            div.ticks { @for switch in SCOPE { (box_of(switch, fields)) } }
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
            @if let Some(wrong) = complaints.at("on_protected") { p.wrong { (wrong) } }
            div.ceiling {
                (Line {
                    name: "max_credit_per_unit",
                    label: "Ceiling, in credits a unit",
                    value: fields.raw("max_credit_per_unit"),
                    hint: "Above it the run stops and asks.",
                    ..Line::default()
                }.show(complaints))
            }
        }
        fieldset class=(classes(&[Mode::Contacts])) {
            legend { "Lawful basis" }
            (tick("legal_basis_accepted",
                "I have a lawful basis for processing the contact data that is collected",
                "Terms, section 5.7. Your confirmation is kept with the run.",
                fields.is_on("legal_basis_accepted")))
            @if let Some(wrong) = complaints.at("legal_basis_accepted") { p.wrong { (wrong) } }
        }
        details.more open[is_opened(fields, complaints)] {
            summary { "More options" }
            div.stack {
                div.columns {
                    div { (sample.show(complaints)) }
                    div class=(classes(SITES)) { (language.show(complaints)) }
                }
                div class={ "ticks " (classes(SITES)) } {
                    @for switch in OPTIONS { (box_of(switch, fields)) }
                }
            }
        }
    }
}

const PROTECTED: &[(OnProtected, &str, &str)] = &[
    (OnProtected::Pause, "Stop and ask me", "Nothing is paid at the higher rate until you agree."),
    (OnProtected::Auto, "Go on, up to a ceiling", "For runs that nobody watches."),
    (OnProtected::Fail, "End the run", "Rather than pay more."),
];

fn box_of(switch: &Switch, fields: &Fields) -> Markup {
    html! {
        div class=(classes(switch.modes)) {
            (tick(switch.name, switch.label, switch.hint, request::is_on(fields, switch)))
        }
    }
}

/// Whether something under "More options" was said, or is wrong.
fn is_opened(fields: &Fields, complaints: &Complaints) -> bool {
    let lines = ["options.preferred_language", "options.sample_size"];
    lines.iter().any(|name| fields.text(name).is_some() || complaints.at(name).is_some())
        || OPTIONS.iter().any(|switch| request::is_on(fields, switch) != switch.default)
}
