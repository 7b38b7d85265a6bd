//! `/operator/refusals`: blocked domains and opt-outs, which are added and removed here.

use axum::Router;
use axum::routing::{get, post};
use maud::{Markup, html};
use privacy::{OptOut, OptOutKind};
use store::OptOutRecord;

use super::{Operator, tab};
use crate::form::TextField;
use crate::number_format::{count, time};
use crate::{
    ConfirmedAction, ConsoleState, FormErrors, FormFields, PageError, PageResult, PostedForm,
    see_other,
};

/// Maximum listed opt-outs, newest first; the command line lists all.
const MAX_LISTED: usize = 500;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/operator/refusals", get(refusals).post(add))
        .route("/operator/refusals/remove", post(remove))
}

async fn refusals(operator: Operator) -> PageResult {
    show(&operator, &FormFields::default(), &FormErrors::default()).await
}

async fn add(PostedForm { user, fields }: PostedForm) -> PageResult {
    let operator = Operator::of(user)?;
    let added = OptOut::list(fields.raw("subject"));
    let form_errors = match added {
        Ok(entries) if !entries.is_empty() => {
            let (store, now) = (operator.0.operating(), operator.0.state.now());
            for entry in &entries {
                store.add_opt_out(entry, now).await?;
            }
            return Ok(see_other("/operator/refusals"));
        }
        Ok(_) => FormErrors::field("subject", "enter a domain, an e-mail address or a full name"),
        Err(error) => FormErrors::field("subject", &error.to_string()),
    };
    show(&operator, &fields, &form_errors).await
}

async fn remove(PostedForm { user, fields }: PostedForm) -> PageResult {
    let operator = Operator::of(user)?;
    let kind: OptOutKind = fields.raw("kind").parse().map_err(|_| PageError::NotFound)?;
    let removed = operator.0.operating().remove_opt_out_by_mark(kind, fields.raw("mark")).await?;
    removed.then(|| see_other("/operator/refusals")).ok_or(PageError::NotFound)
}

async fn show(operator: &Operator, typed: &FormFields, form_errors: &FormErrors) -> PageResult {
    let mut opt_outs = operator.0.state.store.opt_out_records().await?;
    let total = opt_outs.len();
    opt_outs.reverse();
    opt_outs.truncate(MAX_LISTED);
    let page = tab::page(operator, "/operator/refusals").status(form_errors.status());
    Ok(page.show(html! {
        (form(operator, typed, form_errors))
        (blocked(&operator.0.state.settings.blocked_domains))
        h2 { "Opt-outs" }
        p.quiet {
            (count(total as u64, "opt-out", "opt-outs"))
            @if total > MAX_LISTED { "; the newest " (MAX_LISTED) " are shown" }
            ". Stored results stay: " code { "trawl erase" } " removes data that is already stored."
        }
        (table(operator, &opt_outs))
    }))
}

fn form(operator: &Operator, typed: &FormFields, form_errors: &FormErrors) -> Markup {
    let subject = TextField {
        required: true,
        hint: "blocked.example, ada@example.com or Ada Lovelace; several separated by commas. A \
            domain with its subdomains is not requested by any run from now on.",
        ..TextField::of("subject", "Domain, e-mail address or full name", typed)
    };
    html! {
        section.panel {
            h2 { "Block a domain or add an opt-out" }
            form.stack method="post" action="/operator/refusals" {
                (operator.0.form_token())
                (subject.show(form_errors))
                div { button.primary type="submit" { "Add" } }
            }
        }
    }
}

fn blocked(domains: &[String]) -> Markup {
    html! {
        section.panel {
            h2 { "Blocked by the settings" }
            @if domains.is_empty() {
                p.quiet { "None. " code { "TRAWL_BLOCKED_DOMAINS" } " lists them." }
            } @else {
                p.quiet {
                    "Including subdomains, from " code { "TRAWL_BLOCKED_DOMAINS" }
                    ". A change needs a restart."
                }
                ul { @for domain in domains { li { (domain) } } }
            }
        }
    }
}

fn table(operator: &Operator, opt_outs: &[OptOutRecord]) -> Markup {
    crate::table(
        "Opt-outs",
        "Who, Kind, Added, Actions",
        opt_outs,
        |one| {
            html! { tr {
                td { (one.hint) }
                td { (one.kind.as_str()) }
                td { (time(one.added_at)) }
                td {
                    (ConfirmedAction {
                        path: "/operator/refusals/remove",
                        opener: "Remove",
                        about: &one.hint,
                        question: "Runs may request and deliver this again from now on.",
                        button: "Remove the opt-out",
                    }.show(&operator.0, &html! {
                        input type="hidden" name="kind" value=(one.kind.as_str());
                        input type="hidden" name="mark" value=(one.mark);
                    }))
                }
            } }
        },
        &html! { "No opt-outs." },
    )
}
