//! The form of a new run. Its options are those of a job request ([`JobOption`]).

use contract::{JobOption, Mode, OnProtected, OptionKind, Options, RequestId, Scope};
use maud::{Markup, html};

use super::request::{self, ROUTE_SWITCH, SEEN, WHOLE_SITE};
use super::single_run;
use crate::form::{TextField, checkbox, field};
use crate::pages::access::{self, AccessOf};
use crate::{ConsoleUser, FormErrors, FormFields};

/// Names of the form fields that show their own errors: all but the switches.
pub(crate) fn names() -> Vec<&'static str> {
    let own = [
        "mode",
        "url",
        "urls",
        "domains",
        "on_protected",
        "max_credit_per_unit",
        "legal_basis_accepted",
    ];
    let own = own.into_iter().chain(access::NAMES).chain(single_run::NAMES);
    own.chain(inputs().iter().map(|option| option.path)).collect()
}

/// CSS classes of modes; the style sheet hides controls of other modes.
pub(crate) fn classes(modes: &[Mode]) -> String {
    let words: Vec<_> = modes.iter().map(|mode| mode.as_str()).collect();
    format!("of-mode {}", words.join(" "))
}

pub(super) fn show(
    user: &ConsoleUser,
    fields: &FormFields,
    form_errors: &FormErrors,
    id: Option<&RequestId>,
    price: &Markup,
) -> Markup {
    html! {
        (form_errors.shown(&names()))
        form.beside.priced #new-run method="post" action="/runs/new" {
            (user.form_token())
            @if let Some(id) = id { input type="hidden" name="form_id" value=(id); }
            div.stack {
                (of_request(fields, form_errors))
                (single_run::show(fields, form_errors))
            }
            aside { (price) }
            div.row {
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
        hint: "https://example.com or https://example.com/docs/",
        autofocus: fields.raw("url").is_empty(),
        ..TextField::of("url", "Start URL", fields)
    };
    html! {
        input type="hidden" name=(SEEN) value="1";
        fieldset {
            legend { "What to collect" }
            div.modes {
                @for each in Mode::DISPLAY_ORDER {
                    label.mode {
                        input type="radio" name="mode" value=(each) checked[*each == mode];
                        b { (each.title()) } span { (each.summary()) }
                    }
                }
            }
            @if let Some(wrong) = form_errors.at("mode") { p.wrong { (wrong) } }
        }
        div class=(classes(Mode::SITES)) { (address.show(form_errors)) }
        fieldset class=(classes(Mode::SITES)) {
            legend { "If the URL has a path" }
            @let under_path = request::stays_under_path(fields);
            @for (value, is_chosen, label, hint) in [
                ("path", under_path, "Stay under this path",
                    "With /docs: /docs and all paths below it."),
                (WHOLE_SITE, !under_path, "Whole site", "The price of both is in the estimate."),
            ] {
                div.tick {
                    input type="radio" id={ "route-" (value) } name="route" value=(value)
                        checked[is_chosen] aria-describedby={ "route-" (value) "-hint" };
                    label for={ "route-" (value) } { (label) }
                    span.hint id={ "route-" (value) "-hint" } { (hint) }
                }
            }
        }
        div class=(classes(Mode::LISTS)) {
            (field("urls", "List of URLs",
                "Instead of a start URL: one per line. Each is requested once, and nothing else. More \
                 than 10,000 are uploaded when the run starts.",
                form_errors, |described, invalid| html! {
                    textarea id="urls" name="urls" rows="3" spellcheck="false"
                        aria-describedby=[described] aria-invalid=[invalid] {
                        // Browsers drop a leading line break.
                        "\n" (fields.raw("urls"))
                    }
                }))
        }
        div class=(classes(Mode::DOMAINS)) {
            (field("domains", "Domains", "One per line.", form_errors, |described, invalid| html! {
                textarea id="domains" name="domains" rows="6" spellcheck="false"
                    aria-describedby=[described] aria-invalid=[invalid] {
                    // Browsers drop a leading line break.
                    "\n" (fields.raw("domains"))
                }
            }))
        }
        fieldset class=(classes(Mode::SITES)) {
            legend { "Scope" }
            div.ticks { @for option in switches(Scope::FIELDS) { (switch(option, fields)) } }
        }
        div class=(classes(Mode::SITES)) {
            (checkbox("if_busy", "Wait for other runs of this site",
                "The run starts when the site is free. Otherwise it is refused.",
                request::waits_for_site(fields)))
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
                    hint: "Above this rate the run stops and asks.",
                    ..TextField::of("max_credit_per_unit", "Maximum credits per unit", fields)
                }.show(form_errors))
            }
        }
        fieldset class=(classes(Mode::LEGAL_BASIS)) {
            legend { "Lawful basis" }
            (checkbox("legal_basis_accepted",
                "I have a lawful basis for processing the contact data that is collected",
                "Section 5.7 of the terms of the operator. Your confirmation is stored with the run.",
                fields.is_on("legal_basis_accepted")))
            @if let Some(wrong) = form_errors.at("legal_basis_accepted") { p.wrong { (wrong) } }
        }
        (access::show(AccessOf::Run, fields, form_errors))
        details.more open[is_opened(fields, form_errors)] {
            summary { "More options" }
            div.stack {
                div.columns {
                    @for option in inputs() { (input(option, fields, form_errors)) }
                }
                div class={ "ticks " (classes(Mode::SITES)) } {
                    @for option in switches(Options::FIELDS) { (switch(option, fields)) }
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

/// The switches of a group: first those of most modes, then those of a few.
fn switches(options: &'static [JobOption]) -> Vec<&'static JobOption> {
    // The path of the start URL has its own control.
    let shown = |option: &&JobOption| option.is_switch() && option.path != ROUTE_SWITCH;
    let mut switches: Vec<_> = options.iter().filter(shown).collect();
    switches.sort_by_key(|option| option.modes.len() <= 2);
    switches
}

/// The checkbox of an option that is on or off.
pub(crate) fn switch(option: &JobOption, fields: &FormFields) -> Markup {
    html! {
        div class=(classes(option.modes)) {
            (checkbox(option.path, option.label, option.hint, request::is_on(fields, option)))
        }
    }
}

/// The options that are typed or chosen: first numbers, then texts, then choices, then lists.
fn inputs() -> Vec<&'static JobOption> {
    let mut inputs: Vec<_> = JobOption::all().filter(|option| !option.is_switch()).collect();
    inputs.sort_by_key(|option| match option.kind {
        OptionKind::Switch { .. } | OptionKind::Count { .. } => 0,
        OptionKind::Text { .. } => 1,
        OptionKind::Choice { .. } => 2,
        OptionKind::List { .. } => 3,
    });
    inputs
}

/// The control of an option that is typed or chosen.
pub(crate) fn input(option: &JobOption, fields: &FormFields, form_errors: &FormErrors) -> Markup {
    let control = match option.kind {
        OptionKind::Choice { values, default } => {
            choice(option, values, default, fields, form_errors)
        }
        OptionKind::List { .. } => list(option, fields, form_errors),
        OptionKind::Switch { .. } | OptionKind::Count { .. } | OptionKind::Text { .. } => {
            let field = TextField::of(option.path, option.label, fields);
            TextField { hint: option.hint, ..field }.show(form_errors)
        }
    };
    html! { div class=(classes(option.modes)) { (control) } }
}

/// A list of values; the default one is selected first.
fn choice(
    option: &JobOption,
    values: &[&str],
    default: &str,
    fields: &FormFields,
    form_errors: &FormErrors,
) -> Markup {
    let chosen = fields.text(option.path).unwrap_or(default);
    field(option.path, option.label, option.hint, form_errors, |described, invalid| {
        html! {
            select id=(option.path) name=(option.path) aria-describedby=[described]
                aria-invalid=[invalid] {
                @for value in values { option value=(value) selected[*value == chosen] { (value) } }
            }
        }
    })
}

/// A list, one entry per line.
fn list(option: &JobOption, fields: &FormFields, form_errors: &FormErrors) -> Markup {
    let path = option.path;
    field(path, option.label, option.hint, form_errors, |described, invalid| {
        html! {
            textarea id=(path) name=(path) rows="3" spellcheck="false"
                aria-describedby=[described] aria-invalid=[invalid] {
                // Browsers drop a leading line break.
                "\n" (fields.raw(path))
            }
        }
    })
}

/// Whether "More options" has values or errors.
fn is_opened(fields: &FormFields, form_errors: &FormErrors) -> bool {
    let is_filled = |option: &JobOption| {
        let default = match option.kind {
            OptionKind::Choice { default, .. } => Some(default),
            OptionKind::Switch { .. }
            | OptionKind::Count { .. }
            | OptionKind::Text { .. }
            | OptionKind::List { .. } => None,
        };
        let value = fields.text(option.path);
        value.is_some() && value != default || form_errors.at(option.path).is_some()
    };
    inputs().into_iter().any(is_filled)
        || Options::FIELDS.iter().any(|option| match option.kind {
            OptionKind::Switch { default } => request::is_on(fields, option) != default,
            OptionKind::Choice { .. }
            | OptionKind::Count { .. }
            | OptionKind::Text { .. }
            | OptionKind::List { .. } => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_has_every_option_of_a_job_with_its_default() {
        let page = of_request(&FormFields::default(), &FormErrors::default()).into_string();
        assert!(page.contains("name=\"route\" value=\"path\" checked"));
        for option in JobOption::all().filter(|option| option.path != ROUTE_SWITCH) {
            let path = option.path;
            let control = match option.kind {
                OptionKind::Switch { default } => {
                    let checked = if default { " checked" } else { "" };
                    format!(
                        "id=\"{path}\" name=\"{path}\" type=\"checkbox\" value=\"on\"{checked} aria-"
                    )
                }
                OptionKind::Choice { default, .. } => {
                    let selected =
                        format!("<option value=\"{default}\" selected>{default}</option>");
                    assert!(page.contains(&selected), "{path}: {default} is not selected");
                    format!("<select id=\"{path}\" name=\"{path}\"")
                }
                OptionKind::Count { .. } | OptionKind::Text { .. } => {
                    format!("id=\"{path}\" name=\"{path}\" type=\"text\" value=\"\"")
                }
                OptionKind::List { .. } => {
                    format!("<textarea id=\"{path}\" name=\"{path}\"")
                }
            };
            assert!(page.contains(&control), "{path} is not in the form");
            assert!(page.contains(&format!("<label for=\"{path}\">{}</label>", option.label)));
        }
    }
}
