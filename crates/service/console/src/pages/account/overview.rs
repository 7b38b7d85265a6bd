//! `/account`: balance, usage, automatic top-up and limits.

use axum::Router;
use axum::http::Method;
use axum::routing::{get, post};
use client::ApiCall;
use contract::{Account, AssistantSettings, AutoTopUp, Credits, Limits, Millis, Usage};
use maud::{Markup, html};
use serde_json::json;
use store::EffectiveRetention;

use super::tab;
use crate::charts::{ChartBar, bars};
use crate::form::{TextField, checkbox};
use crate::number_format::{count, number, span, time};
use crate::{ConsoleState, ConsoleUser, FormErrors, FormFields, PageResult, PostedForm, see_other};

const DAYS: i64 = 30;
const DAY: i64 = 24 * 60 * 60 * 1_000;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account", get(overview))
        .route("/account/auto-top-up", post(set_auto_top_up))
        .route("/account/assistants", post(set_assistants))
}

async fn overview(user: ConsoleUser) -> PageResult {
    show(&user, None, &FormErrors::default()).await
}

async fn set_auto_top_up(PostedForm { user, fields }: PostedForm) -> PageResult {
    let read = |name| credits_in(&fields, name);
    let form_errors = match (read("threshold"), read("amount"), read("monthly_credits")) {
        (Ok(threshold), Ok(amount), Ok(monthly)) => {
            let mut body = json!({"enabled": fields.is_on("enabled"), "monthly_credits": monthly});
            for (name, given) in [("threshold", threshold), ("amount", amount)] {
                if given.is_some() {
                    body[name] = json!(given);
                }
            }
            let call = ApiCall::new(Method::PUT, "/auto-top-up").json(&body);
            match user.api().send(call).await?.json::<AutoTopUp>() {
                Ok(_) => return Ok(see_other("/account#auto-top-up")),
                Err(refused) => FormErrors::of(refused)?,
            }
        }
        (Err(form_errors), ..) | (_, Err(form_errors), _) | (.., Err(form_errors)) => form_errors,
    };
    show(&user, Some(&fields), &form_errors).await
}

async fn set_assistants(PostedForm { user, fields }: PostedForm) -> PageResult {
    let body = AssistantSettings { may_accept_legal_basis: fields.is_on("may_accept_legal_basis") };
    let call = ApiCall::new(Method::PUT, "/assistant-settings").json(&body);
    let _: AssistantSettings = user.api().send(call).await?.json()?;
    Ok(see_other("/account#assistants"))
}

/// The credits in a field; thousands separators are accepted.
fn credits_in(fields: &FormFields, name: &str) -> Result<Option<Credits>, FormErrors> {
    let Some(text) = fields.text(name) else { return Ok(None) };
    let credits = text.replace([',', ' '], "").parse().ok().map(Credits);
    credits.map(Some).ok_or_else(|| FormErrors::field(name, "must be a whole number"))
}

async fn show(
    user: &ConsoleUser,
    typed: Option<&FormFields>,
    form_errors: &FormErrors,
) -> PageResult {
    let api = user.api();
    let account: Account = api.get("/v1/account").await?;
    let usage = async |group: &str| -> PageResult<Usage> {
        Ok(api.get(&format!("/v1/usage?group_by={group}")).await?)
    };
    let (by_day, by_source, by_mode) =
        (usage("day").await?, usage("source").await?, usage("mode").await?);
    let store = &user.state.store;
    let exceptions = store.account_retention(&user.account).await?;
    let kept = store.effective_retention(&exceptions, account.limits.results_days);
    let page = tab::page(user, "/account").status(form_errors.status());
    Ok(page.show(html! {
        @if account.webhook_failing {
            div.complaint role="status" {
                p {
                    "A webhook was disabled after too many failed deliveries. "
                    a href="/account/webhooks" { "Show webhooks" } "."
                }
            }
        }
        (credits(user, &account, &by_day))
        section.panel {
            h2 { "Credits by day" }
            (days(&by_day, user.state.now()))
        }
        div.columns {
            section.panel { h2 { "By source" } (shares(&by_source)) }
            section.panel { h2 { "By mode" } (shares(&by_mode)) }
        }
        @if user.state.settings.sells_credits {
            (top_up(user, &account.auto_top_up, typed, form_errors))
        }
        (assistants(user, account.assistants_may_accept_legal_basis))
        (limits(&account.limits))
        (retention(&kept))
    }))
}

fn credits(user: &ConsoleUser, account: &Account, usage: &Usage) -> Markup {
    html! {
        section.panel {
            dl.facts {
                div { dt { "Available credits" } dd { (number(account.credits.0)) } }
                div {
                    dt { "Spent in " (DAYS) " days" }
                    dd {
                        (number(usage.total.credits.0)) " "
                        small { (count(usage.total.jobs, "run", "runs")) }
                    }
                }
                div { dt { "Live API keys" } dd { (number(account.keys_active)) } }
                div {
                    dt { "Account" }
                    dd { small { code { (account.account_id) } } }
                }
            }
            @if user.state.settings.sells_credits {
                p { a.button href=(account.top_up_url) { "Buy credits" } }
            }
        }
    }
}

/// A column for each of the last days, including days without usage, each with its number.
fn days(usage: &Usage, now: Millis) -> Markup {
    let spent = |day: &str| {
        let row = usage.items.iter().find(|row| row.group.as_deref() == Some(day));
        row.map_or(0, |row| row.credits.0)
    };
    let days: Vec<_> = (0..DAYS)
        .rev()
        .map(|back| Millis(now.0 - back * DAY).day())
        .map(|day| (spent(&day), day))
        .collect();
    let most = days.iter().map(|(credits, _)| *credits).max().unwrap_or(0);
    let (first, last) = (days.first(), days.last());
    let described =
        format!("Credits spent on each of the last {DAYS} days; at most {} per day.", number(most));
    html! {
        svg.plot.by-day role="img" aria-label=(described)
            viewBox={ "0 0 " (DAYS * 20) " 100" } preserveAspectRatio="none" {
            @for (place, (credits, day)) in (0_i64..).zip(&days) {
                // Any usage is visible, however small.
                @let height = if *credits == 0 { 0 } else { (credits * 96 / most.max(1)).max(2) };
                rect x=(place * 20 + 3) y=(100 - height) width="14" height=(height) {
                    title { (day) ": " (number(*credits)) }
                }
            }
            path.base d={ "M0,100 H" (DAYS * 20) } {}
        }
        @if let (Some((_, first)), Some((_, last))) = (first, last) {
            p.hint { (first) " to " (last) " (UTC). Maximum per day: " (number(most)) "." }
        }
    }
}

fn shares(usage: &Usage) -> Markup {
    let rows: Vec<_> = usage
        .items
        .iter()
        .map(|row| ChartBar {
            label: html! { (row.group.as_deref().unwrap_or("–")) },
            value: u64::try_from(row.credits.0).unwrap_or(0),
            tone: "",
        })
        .collect();
    html! {
        @if rows.is_empty() {
            p.quiet { "No credits were spent in the last " (DAYS) " days." }
        } @else {
            (bars(&rows))
        }
    }
}

fn assistants(user: &ConsoleUser, may_accept: bool) -> Markup {
    html! {
        section.panel id="assistants" {
            h2 { "Assistants" }
            p.quiet {
                "Assistants connect over MCP and start runs for you. A contacts run collects \
                 personal data, and a person must confirm a lawful basis for processing it."
            }
            form.stack method="post" action="/account/assistants" {
                (user.form_token())
                (checkbox(
                    "may_accept_legal_basis",
                    "Assistants may accept the legal basis of contacts runs in my name",
                    "",
                    may_accept,
                ))
                div { button type="submit" { "Save" } }
            }
        }
    }
}

fn top_up(
    user: &ConsoleUser,
    as_set: &AutoTopUp,
    typed: Option<&FormFields>,
    form_errors: &FormErrors,
) -> Markup {
    let value = |name: &str, set: Option<Credits>| match typed {
        Some(fields) => fields.raw(name).to_owned(),
        None => set.map(|credits| credits.0.to_string()).unwrap_or_default(),
    };
    let threshold = value("threshold", as_set.threshold);
    let amount = value("amount", as_set.amount);
    let monthly = value("monthly_credits", as_set.monthly_credits);
    let line =
        |name, label, value, hint| TextField { name, label, value, hint, ..TextField::default() };
    let on = typed.map_or(as_set.enabled, |fields| fields.is_on("enabled"));
    html! {
        section.panel id="auto-top-up" {
            h2 { "Auto top-up" }
            p.quiet { "Buys credits automatically with the stored payment method." }
            (form_errors.shown(&["threshold", "amount", "monthly_credits"]))
            @if let Some(error) = &as_set.last_error {
                div.complaint role="status" { p { "The last purchase failed: " (error) } }
            }
            @if let Some(at) = as_set.last_recharge_at {
                p { "The last purchase was at " (time(at)) "." }
            }
            form.stack method="post" action="/account/auto-top-up" {
                (user.form_token())
                (checkbox("enabled", "Buy credits when the balance is low", "", on))
                div.columns {
                    (line("threshold", "Threshold in credits", &threshold, "")
                        .show(form_errors))
                    (line("amount", "Credits per purchase", &amount,
                        "At least the threshold.").show(form_errors))
                    (line("monthly_credits", "Maximum credits per month", &monthly,
                        "Per calendar month (UTC); empty for no limit.").show(form_errors))
                }
                div { button type="submit" { "Save" } }
            }
        }
    }
}

fn limits(limits: &Limits) -> Markup {
    let rows = [
        ("Requests per minute", number(limits.requests_per_minute)),
        ("Burst of requests", number(limits.request_burst)),
        ("Requests per minute over all keys", number(limits.account_requests_per_minute)),
        ("Concurrent runs", number(limits.running_jobs)),
        ("Queued runs", number(limits.queued_jobs)),
        ("Results per batch", number(limits.batch_size)),
        ("Domains per run", number(limits.domains_per_job)),
        ("Maximum page_size", number(limits.page_size_max)),
        ("Webhooks", number(limits.webhooks)),
        ("Live API keys", number(limits.keys)),
        ("Live progress streams", number(limits.listeners)),
        ("Download links expire after", span(u64::from(limits.export_url_seconds))),
        ("Files kept of the pages of a run", format!("{} MiB", limits.job_file_bytes >> 20)),
    ];
    html! {
        section.panel {
            h2 { "Limits" }
            dl.facts.small {
                @for (name, value) in &rows {
                    div { dt { (name) } dd { (value) } }
                }
            }
        }
    }
}

fn retention(kept: &EffectiveRetention) -> Markup {
    let rows = [
        ("Results, and all other data of a run", kept.results),
        ("HTML and pictures of pages", kept.page_files),
        ("Logs of runs", kept.run_log),
        ("Events", kept.events),
        ("Audit log", kept.audit),
    ];
    html! {
        section.panel id="retention" {
            h2 { "Retention" }
            dl.facts.small {
                @for (name, days) in &rows {
                    div { dt { (name) } dd { (count(u64::from(*days), "day", "days")) } }
                }
            }
            p.quiet { "Data are deleted after this time. The operator of the service can change it." }
        }
    }
}
