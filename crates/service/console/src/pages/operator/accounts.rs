//! `/operator`: all accounts with their balances, and the forms to create one and to grant credits.

use axum::Router;
use axum::routing::{get, post};
use contract::Credits;
use maud::{Markup, html};
use store::{AccountRecord, NewAccount};

use super::password::generated;
use super::{Operator, tab};
use crate::assets::COPY_JS;
use crate::form::{TextField, checkbox};
use crate::number_format::{count, number, time};
use crate::pages::account::secret;
use crate::{ConsoleState, FormErrors, FormFields, ListQuery, PageResult, PostedForm, see_other};

/// Maximum credits of one grant, as on the command line.
const MAX_GRANT: i64 = 1_000_000_000_000;

/// Maximum accounts that are listed at once.
const MAX_LISTED: usize = 200;

/// Maximum characters of an e-mail address.
const MAX_EMAIL: usize = 254;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/operator", get(accounts))
        .route("/operator/accounts", post(create))
        .route("/operator/grants", post(grant))
}

async fn accounts(operator: Operator, query: ListQuery) -> PageResult {
    let page = AccountsPage { query: &query, ..AccountsPage::of(&operator) };
    page.show(&FormErrors::default()).await
}

async fn grant(PostedForm { user, fields }: PostedForm) -> PageResult {
    let operator = Operator::of(user)?;
    let email = fields.raw("email").trim();
    let Some(credits) = credits_of(fields.raw("credits"), 1) else {
        let form_errors = FormErrors::field("credits", "must be a whole number of at least 1");
        return AccountsPage { granted: &fields, ..AccountsPage::of(&operator) }
            .show(&form_errors)
            .await;
    };
    let store = operator.0.operating();
    if store.grant(email, credits, operator.0.state.now()).await?.is_none() {
        let message = "no account has this e-mail, or its balance would exceed the maximum";
        let form_errors = FormErrors::field("email", message);
        return AccountsPage { granted: &fields, ..AccountsPage::of(&operator) }
            .show(&form_errors)
            .await;
    }
    tracing::info!(account.id = %operator.0.account, email, %credits, "operator granted credits");
    Ok(see_other("/operator"))
}

/// Creates an account with a generated password, which is shown once.
async fn create(PostedForm { user, fields }: PostedForm) -> PageResult {
    let operator = Operator::of(user)?;
    let page = AccountsPage { typed: &fields, ..AccountsPage::of(&operator) };
    let email = fields.raw("new_email").trim();
    if !is_mailbox(email) {
        let form_errors = FormErrors::field("new_email", "is not an e-mail address");
        return page.show(&form_errors).await;
    }
    let Some(credits) = credits_of(fields.text("new_credits").unwrap_or("0"), 0) else {
        let form_errors = FormErrors::field("new_credits", "must be a whole number");
        return page.show(&form_errors).await;
    };
    let password = generated()?;
    let new = NewAccount {
        email: email.to_owned(),
        password: password.clone(),
        credits,
        admin: fields.is_on("new_admin"),
    };
    let created = operator.0.operating().create_account(new, operator.0.state.now()).await?;
    let made = match created {
        Ok(Some(account)) => account,
        Ok(None) => {
            let form_errors = FormErrors::field("new_email", "an account has this e-mail already");
            return page.show(&form_errors).await;
        }
        Err(refused) => {
            let form_errors = FormErrors::field("new_email", &refused.to_string());
            return page.show(&form_errors).await;
        }
    };
    let shown = secret(
        &password,
        &html! {
            "The account " b { (made.email) } " is created. "
            b { "Copy its password now." } " It is shown only once."
        },
    );
    AccountsPage { shown, ..AccountsPage::of(&operator) }.show(&FormErrors::default()).await
}

/// Credits as typed, with or without thousands separators.
fn credits_of(text: &str, least: i64) -> Option<Credits> {
    let credits = text.trim().replace([',', ' '], "").parse::<i64>().ok()?;
    (least..=MAX_GRANT).contains(&credits).then_some(Credits(credits))
}

/// Rejects obvious mistakes. Only a delivered message proves that a mailbox exists.
fn is_mailbox(text: &str) -> bool {
    let is_split = text
        .split_once('@')
        .is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !host.contains('@'));
    text.len() <= MAX_EMAIL
        && is_split
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// The page with what was typed into its forms.
struct AccountsPage<'a> {
    operator: &'a Operator,
    query: &'a ListQuery,
    typed: &'a FormFields,
    granted: &'a FormFields,
    /// The result of an action.
    shown: Markup,
}

impl<'a> AccountsPage<'a> {
    fn of(operator: &'a Operator) -> Self {
        Self {
            operator,
            query: &EMPTY_QUERY,
            typed: &EMPTY_FORM,
            granted: &EMPTY_FORM,
            shown: html! {},
        }
    }

    async fn show(self, form_errors: &FormErrors) -> PageResult {
        let all = self.operator.0.state.store.accounts().await?;
        let text = self.query.get("q").unwrap_or_default().trim().to_lowercase();
        let matches = |account: &&AccountRecord| {
            account.email.to_lowercase().contains(&text) || account.id.as_str() == text
        };
        let found: Vec<_> = all.iter().filter(matches).collect();
        let page =
            tab::page(self.operator, "/operator").script(COPY_JS).status(form_errors.status());
        Ok(page.show(html! {
            (self.shown)
            form.filters method="get" action="/operator" {
                div.field {
                    label for="q" { "E-mail contains, or account id" }
                    input id="q" name="q" type="search" value=(self.query.get("q").unwrap_or_default());
                }
                button type="submit" { "Search" }
                @if !text.is_empty() { a href="/operator" { "Show all" } }
            }
            p.quiet {
                (count(found.len() as u64, "account", "accounts"))
                @if found.len() > MAX_LISTED { "; the first " (MAX_LISTED) " are shown" }
            }
            (table(&found[..found.len().min(MAX_LISTED)]))
            div.columns.forms {
                (self.grant_form(form_errors))
                (self.create_form(form_errors))
            }
        }))
    }

    fn grant_form(&self, form_errors: &FormErrors) -> Markup {
        let line =
            |name, label| TextField { required: true, ..TextField::of(name, label, self.granted) };
        let email = line("email", "E-mail of the account");
        let credits = line("credits", "Credits to add");
        html! {
            section.panel {
                h2 { "Grant credits" }
                form.stack method="post" action="/operator/grants" {
                    (self.operator.0.form_token())
                    (email.show(form_errors)) (credits.show(form_errors))
                    div { button.primary type="submit" { "Grant" } }
                }
            }
        }
    }

    fn create_form(&self, form_errors: &FormErrors) -> Markup {
        let typed = self.typed;
        let email = TextField { required: true, ..TextField::of("new_email", "E-mail", typed) };
        let credits = TextField::of("new_credits", "Credits at the start", typed);
        html! {
            section.panel {
                h2 { "New account" }
                form.stack method="post" action="/operator/accounts" {
                    (self.operator.0.form_token())
                    (email.show(form_errors)) (credits.show(form_errors))
                    (checkbox("new_admin", "Operator", "May see these pages.", typed.is_on("new_admin")))
                    div { button type="submit" { "Create account" } }
                }
            }
        }
    }
}

static EMPTY_QUERY: std::sync::LazyLock<ListQuery> = std::sync::LazyLock::new(ListQuery::default);
static EMPTY_FORM: std::sync::LazyLock<FormFields> = std::sync::LazyLock::new(FormFields::default);

fn table(accounts: &[&AccountRecord]) -> Markup {
    crate::table(
        "Accounts",
        "E-mail, Account:wide, Available:number, Reserved:number, Created:wide",
        accounts,
        |account| {
            html! { tr {
                td {
                    a href={ "/operator/accounts/" (account.id) } { (account.email) }
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
        &html! { "No account matches." },
    )
}
