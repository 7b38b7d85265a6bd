//! `/operator/accounts/{id}`: an account with its runs; suspend, resume and reset its password.

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::{get, post};
use contract::AccountId;
use job::Job;
use maud::{Markup, html};
use store::{AccountRecord, JobFilter, PageRequest};

use super::password::generated;
use super::{Operator, account_retention, tab};
use crate::assets::COPY_JS;
use crate::number_format::{count, number, time};
use crate::pages::account::secret;
use crate::pages::runs::{site, status};
use crate::{
    ConfirmedAction, ConsoleState, FormErrors, PageError, PageResult, PostedForm, see_other,
};

/// Number of listed runs, newest first.
const RUNS: u64 = 25;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/operator/accounts/{id}", get(look))
        .route("/operator/accounts/{id}/suspend", post(suspend))
        .route("/operator/accounts/{id}/resume", post(resume))
        .route("/operator/accounts/{id}/password", post(reset))
        .route("/operator/accounts/{id}/retention", post(set_retention))
}

async fn look(operator: Operator, Path(id): Path<String>) -> PageResult {
    let account = find(&operator, &id).await?;
    shown(&operator, &account, &html! {}).await
}

async fn find(operator: &Operator, id: &str) -> PageResult<AccountRecord> {
    let id: AccountId = id.parse().map_err(|_| PageError::NotFound)?;
    operator.0.state.store.account(&id).await?.ok_or(PageError::NotFound)
}

/// The account of a form, which must not be that of the operator.
async fn other(operator: &Operator, id: &str) -> PageResult<AccountRecord> {
    let account = find(operator, id).await?;
    if account.id == operator.0.account {
        let message = "This is your own account. Use its pages, or `trawl account`.";
        return Err(PageError::rejected(StatusCode::CONFLICT, message));
    }
    Ok(account)
}

async fn suspend(Path(id): Path<String>, PostedForm { user, .. }: PostedForm) -> PageResult {
    let operator = Operator::of(user)?;
    let account = other(&operator, &id).await?;
    let now = operator.0.state.now();
    operator.0.operating().suspend_account(&account.id, now).await?;
    Ok(see_other(&format!("/operator/accounts/{}", account.id)))
}

async fn resume(Path(id): Path<String>, PostedForm { user, .. }: PostedForm) -> PageResult {
    let operator = Operator::of(user)?;
    let account = find(&operator, &id).await?;
    let now = operator.0.state.now();
    operator.0.operating().resume_account(&account.id, now).await?;
    Ok(see_other(&format!("/operator/accounts/{}", account.id)))
}

/// Sets a generated password, which is shown once, and ends all sessions of the account.
async fn reset(Path(id): Path<String>, PostedForm { user, .. }: PostedForm) -> PageResult {
    let operator = Operator::of(user)?;
    let account = other(&operator, &id).await?;
    let (password, now) = (generated()?, operator.0.state.now());
    let set = operator.0.operating().set_password(&account.id, &password, None, now).await?;
    let ended = set.map_err(|refused| PageError::internal(refused.to_string()))?;
    let ended = ended.ok_or(PageError::NotFound)?;
    let shown = secret(
        &password,
        &html! {
            "The password of " b { (account.email) } " is reset. Ended: " (count(ended, "session", "sessions")) ". "
            b { "Copy it now." } " It is shown only once."
        },
    );
    self::shown(&operator, &account, &shown).await
}

async fn shown(operator: &Operator, account: &AccountRecord, shown: &Markup) -> PageResult {
    let form_errors = FormErrors::default();
    let retention = account_retention::form(operator, &account.id, None, &form_errors).await?;
    show(operator, account, shown, &retention, StatusCode::OK).await
}

/// Stores how long data of the account is kept.
async fn set_retention(
    Path(id): Path<String>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let operator = Operator::of(user)?;
    let account = find(&operator, &id).await?;
    let form_errors = match account_retention::read(&fields) {
        Ok(retention) => {
            let (store, now) = (operator.0.operating(), operator.0.state.now());
            store.set_account_retention(&account.id, &retention, now).await?;
            return Ok(see_other(&format!("/operator/accounts/{}#retention", account.id)));
        }
        Err(form_errors) => form_errors,
    };
    let typed = Some(&fields);
    let form = account_retention::form(&operator, &account.id, typed, &form_errors).await?;
    show(&operator, &account, &html! {}, &form, form_errors.status()).await
}

/// The page with the result of an action and the form of the retention.
async fn show(
    operator: &Operator,
    account: &AccountRecord,
    shown: &Markup,
    retention: &Markup,
    code: StatusCode,
) -> PageResult {
    let store = &operator.0.state.store;
    let filter = JobFilter { account: Some(account.id.clone()), ..JobFilter::default() };
    let (jobs, total) = store.jobs(&filter, PageRequest { number: 1, size: RUNS }).await?;
    let page = tab::page(operator, "/operator").script(COPY_JS).status(code);
    Ok(page.show(html! {
        (shown)
        div.head {
            h2 { (account.email) }
            @if account.admin { span.chip.live { "operator" } }
            @if account.suspended_at.is_some() { span.chip.warn { "suspended" } }
            div.actions { (actions(operator, account)) }
        }
        section.panel {
            dl.facts.small {
                div { dt { "Account" } dd { code { (account.id) } } }
                div { dt { "Available credits" } dd { (number(account.available().0)) } }
                div { dt { "Reserved" } dd { (number(account.reserved.0)) } }
                div { dt { "Created" } dd { (time(account.created_at)) } }
                @if let Some(at) = account.suspended_at {
                    div { dt { "Suspended" } dd { (time(at)) } }
                }
            }
            p {
                a href={ "/operator/audit?account=" (account.id) } { "Audit log of this account" }
                " · " a href="/operator" { "All accounts" }
            }
        }
        h2 { "Runs" }
        (runs(&jobs))
        @if total > RUNS { p.quiet { "The newest " (RUNS) " of " (number(total)) " runs." } }
        (retention)
    }))
}

fn actions(operator: &Operator, account: &AccountRecord) -> Markup {
    let path = |action: &str| format!("/operator/accounts/{}/{action}", account.id);
    let is_own = account.id == operator.0.account;
    html! {
        @if account.suspended_at.is_some() {
            form.inline method="post" action=(path("resume")) {
                (operator.0.form_token())
                button type="submit" { "Resume" }
            }
        } @else if !is_own {
            (ConfirmedAction {
                path: &path("suspend"),
                opener: "Suspend",
                about: "",
                question: "Its requests are rejected and its runs pause at once, until it is resumed.",
                button: "Suspend the account",
            }.show(&operator.0, &html! {}))
        }
        @if is_own {
            a.button href="/account/sessions" { "Reset password" }
        } @else {
            (ConfirmedAction {
                path: &path("password"),
                opener: "Reset password",
                about: "",
                question: "A new password is generated and shown once. All sessions of the account end.",
                button: "Reset the password",
            }.show(&operator.0, &html! {}))
        }
    }
}

fn runs(jobs: &[Job]) -> Markup {
    crate::table(
        "Runs",
        "Site, Mode, Status, Results:number, Credits:number wide, Started:wide, Run:wide",
        jobs,
        |job| {
            html! { tr {
                td.url { (site(job.url.as_deref(), job.mode)) }
                td { (job.mode) }
                td { (status(job.status)) }
                td.number { (number(job.counts.results)) }
                td.number.wide { (number(job.credits_used.0)) }
                td.wide { (time(job.created_at)) }
                td.wide { code { (job.id) } }
            } }
        },
        &html! { "No runs." },
    )
}
