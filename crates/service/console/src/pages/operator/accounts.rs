//! `/operator`: all accounts with their balances, and the form to grant credits.

use axum::Router;
use axum::routing::{get, post};
use contract::Credits;
use maud::{Markup, html};
use store::AccountRecord;

use super::{Operator, tab};
use crate::form::TextField;
use crate::number_format::{count, number, time};
use crate::{ConsoleState, FormErrors, FormFields, PageResult, PostedForm, see_other};

/// Maximum credits of one grant, as on the command line.
const MAX_GRANT: i64 = 1_000_000_000_000;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route("/operator", get(accounts)).route("/operator/grants", post(grant))
}

async fn accounts(operator: Operator) -> PageResult {
    show(&operator, &FormFields::default(), &FormErrors::default()).await
}

async fn grant(PostedForm { user, fields }: PostedForm) -> PageResult {
    let operator = Operator::of(user)?;
    let email = fields.raw("email").trim();
    let amount = fields.raw("credits").replace([',', ' '], "");
    let credits = amount.parse::<i64>().ok().filter(|credits| (1..=MAX_GRANT).contains(credits));
    let Some(credits) = credits else {
        let form_errors = FormErrors::field("credits", "must be a whole number of at least 1");
        return show(&operator, &fields, &form_errors).await;
    };
    let store = operator.0.operating();
    if store.grant(email, Credits(credits), operator.0.state.now()).await?.is_none() {
        let message = "no account has this e-mail, or its balance would exceed the maximum";
        let form_errors = FormErrors::field("email", message);
        return show(&operator, &fields, &form_errors).await;
    }
    tracing::info!(account.id = %operator.0.account, email, credits, "operator granted credits");
    Ok(see_other("/operator"))
}

async fn show(operator: &Operator, typed: &FormFields, form_errors: &FormErrors) -> PageResult {
    let accounts = operator.0.state.store.accounts().await?;
    let page = tab::page(operator, "/operator").status(form_errors.status());
    Ok(page.show(html! {
        (form(operator, typed, form_errors))
        p.quiet { (count(accounts.len() as u64, "account", "accounts")) }
        (table(&accounts))
    }))
}

fn form(operator: &Operator, typed: &FormFields, form_errors: &FormErrors) -> Markup {
    let line = |name, label| TextField { required: true, ..TextField::of(name, label, typed) };
    let email = line("email", "E-mail of the account");
    let credits = line("credits", "Credits to add");
    html! {
        section.panel {
            h2 { "Grant credits" }
            (form_errors.shown(&["email", "credits"]))
            form.stack method="post" action="/operator/grants" {
                (operator.0.form_token())
                div.columns { (email.show(form_errors)) (credits.show(form_errors)) }
                div { button.primary type="submit" { "Grant" } }
            }
        }
    }
}

fn table(accounts: &[AccountRecord]) -> Markup {
    crate::table(
        "Accounts",
        "E-mail, Account:wide, To spend:number, Reserved:number, Created:wide",
        accounts,
        |account| {
            html! { tr {
                td {
                    (account.email)
                    @if account.admin { " " span.chip.live { "operator" } }
                    @if account.suspended_at.is_some() {
                        " " span.chip { "suspended" }
                    }
                }
                td.wide { code { (account.id) } }
                td.number { (number(account.available().0)) }
                td.number { (number(account.reserved.0)) }
                td.wide { (time(account.created_at)) }
            } }
        },
        &html! {},
    )
}
