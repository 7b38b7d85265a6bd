//! `/account`: credits, what they were spent on, auto top-up, and the ceilings.

use axum::Router;
use axum::extract::State;
use axum::http::Method;
use axum::response::Response;
use axum::routing::{get, post};
use client::ApiCall;
use contract::{Account, AssistantSettings, AutoTopUp, Credits, Limits, Millis, Usage};
use maud::{Markup, html};
use serde_json::json;

use super::tab::Tab;
use crate::charts::{Bar, bars};
use crate::form::{Line, tick};
use crate::words::{count, number, span, time};
use crate::{Complaints, ConsoleState, Failure, Fields, Person, Posted, see_other};

const DAYS: i64 = 30;
const DAY: i64 = 24 * 60 * 60 * 1_000;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account", get(overview))
        .route("/account/auto-top-up", post(set_auto_top_up))
        .route("/account/assistants", post(set_assistants))
}

async fn overview(State(state): State<ConsoleState>, person: Person) -> Result<Response, Failure> {
    show(&state, &person, None, &Complaints::default()).await
}

async fn set_auto_top_up(
    State(state): State<ConsoleState>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let read = |name| credits_in(&fields, name);
    let complaints = match (read("threshold"), read("amount"), read("monthly_credits")) {
        (Ok(threshold), Ok(amount), Ok(monthly)) => {
            let mut body = json!({"enabled": fields.is_on("enabled"), "monthly_credits": monthly});
            for (name, given) in [("threshold", threshold), ("amount", amount)] {
                if given.is_some() {
                    body[name] = json!(given);
                }
            }
            let call = ApiCall::new(Method::PUT, "/auto-top-up").json(&body);
            match state.api(&person).send(call).await?.json::<AutoTopUp>() {
                Ok(_) => return Ok(see_other("/account#auto-top-up")),
                Err(refused) => Complaints::of(refused)?,
            }
        }
        (Err(complaints), ..) | (_, Err(complaints), _) | (.., Err(complaints)) => complaints,
    };
    show(&state, &person, Some(&fields), &complaints).await
}

async fn set_assistants(
    State(state): State<ConsoleState>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let body = AssistantSettings { may_accept_legal_basis: fields.is_on("may_accept_legal_basis") };
    let call = ApiCall::new(Method::PUT, "/assistant-settings").json(&body);
    let _: AssistantSettings = state.api(&person).send(call).await?.json()?;
    Ok(see_other("/account#assistants"))
}

/// The credits in a field; people write thousands apart.
fn credits_in(fields: &Fields, name: &str) -> Result<Option<Credits>, Complaints> {
    let Some(text) = fields.text(name) else { return Ok(None) };
    let credits = text.replace([',', ' '], "").parse().ok().map(Credits);
    credits.map(Some).ok_or_else(|| Complaints::about(name, "must be a whole number"))
}

async fn show(
    state: &ConsoleState,
    person: &Person,
    typed: Option<&Fields>,
    complaints: &Complaints,
) -> Result<Response, Failure> {
    let api = state.api(person);
    let account: Account = api.get("/v1/account").await?;
    let usage = async |group: &str| -> Result<Usage, Failure> {
        Ok(api.get(&format!("/v1/usage?group_by={group}")).await?)
    };
    let (by_day, by_source, by_mode) =
        (usage("day").await?, usage("source").await?, usage("mode").await?);
    let mut response = Tab::Overview.show(
        Tab::Overview.page(person),
        &html! {
            @if account.webhook_failing {
                div.complaint role="status" {
                    p {
                        "A webhook has exhausted its attempts and is not being delivered to. "
                        a href="/account/webhooks" { "Look at it" } "."
                    }
                }
            }
            (credits(&account, &by_day))
            section.panel {
                h2 { "Credits by day" }
                (days(&by_day, state.now()))
            }
            div.columns {
                section.panel { h2 { "By source" } (shares(&by_source)) }
                section.panel { h2 { "By mode" } (shares(&by_mode)) }
            }
            (top_up(person, &account.auto_top_up, typed, complaints))
            (assistants(person, account.assistants_may_accept_legal_basis))
            (limits(&account.limits))
        },
    );
    *response.status_mut() = complaints.status();
    Ok(response)
}

fn credits(account: &Account, usage: &Usage) -> Markup {
    html! {
        section.panel {
            dl.facts {
                div { dt { "Credits to spend" } dd { (number(account.credits.0)) } }
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
            p { a.button href=(account.top_up_url) { "Buy credits" } }
        }
    }
}

/// A column for each of the last days, the empty ones too. Each says its own number.
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
        format!("Credits spent on each of the last {DAYS} days; at most {} a day.", number(most));
    html! {
        svg.plot.by-day role="img" aria-label=(described)
            viewBox={ "0 0 " (DAYS * 20) " 100" } preserveAspectRatio="none" {
            @for (place, (credits, day)) in (0_i64..).zip(&days) {
                // Something that was spent is seen, however little it is.
                @let height = if *credits == 0 { 0 } else { (credits * 96 / most.max(1)).max(2) };
                rect x=(place * 20 + 3) y=(100 - height) width="14" height=(height) {
                    title { (day) ": " (number(*credits)) }
                }
            }
            path.base d={ "M0,100 H" (DAYS * 20) } {}
        }
        @if let (Some((_, first)), Some((_, last))) = (first, last) {
            p.hint { (first) " to " (last) " (UTC). The most on a day: " (number(most)) "." }
        }
    }
}

fn shares(usage: &Usage) -> Markup {
    let rows: Vec<_> = usage
        .items
        .iter()
        .map(|row| Bar {
            label: html! { (row.group.as_deref().unwrap_or("–")) },
            value: u64::try_from(row.credits.0).unwrap_or(0),
            tone: "",
        })
        .collect();
    html! {
        @if rows.is_empty() {
            p.quiet { "Nothing was spent in the last " (DAYS) " days." }
        } @else {
            (bars(&rows))
        }
    }
}

fn assistants(person: &Person, may_accept: bool) -> Markup {
    html! {
        section.panel id="assistants" {
            h2 { "Assistants" }
            p.quiet {
                "Assistants connect over MCP and start runs for you. A contacts run collects \
                 personal data, and somebody has to confirm a lawful basis for processing it."
            }
            form.stack method="post" action="/account/assistants" {
                (person.form_token())
                (tick(
                    "may_accept_legal_basis",
                    "Assistants may accept the legal basis of contacts runs in my name",
                    "",
                    may_accept,
                ))
                button type="submit" { "Save" }
            }
        }
    }
}

fn top_up(
    person: &Person,
    as_set: &AutoTopUp,
    typed: Option<&Fields>,
    complaints: &Complaints,
) -> Markup {
    let value = |name: &str, set: Option<Credits>| match typed {
        Some(fields) => fields.raw(name).to_owned(),
        None => set.map(|credits| credits.0.to_string()).unwrap_or_default(),
    };
    let threshold = value("threshold", as_set.threshold);
    let amount = value("amount", as_set.amount);
    let monthly = value("monthly_credits", as_set.monthly_credits);
    let line = |name, label, value, hint| Line { name, label, value, hint, ..Line::default() };
    let on = typed.map_or(as_set.enabled, |fields| fields.is_on("enabled"));
    html! {
        section.panel id="auto-top-up" {
            h2 { "Auto top-up" }
            p.quiet { "Buys credits by itself, with the payment method on file." }
            (complaints.shown(&["threshold", "amount", "monthly_credits"]))
            @if let Some(error) = &as_set.last_error {
                div.complaint role="status" { p { "The last purchase did not succeed: " (error) } }
            }
            @if let Some(at) = as_set.last_recharge_at {
                p { "The last purchase was at " (time(at)) "." }
            }
            form.stack method="post" action="/account/auto-top-up" {
                (person.form_token())
                (tick("enabled", "Buy credits when they run low", "", on))
                div.columns {
                    (line("threshold", "When fewer credits are left than", &threshold, "")
                        .show(complaints))
                    (line("amount", "Credits to buy at a time", &amount,
                        "At least the number beside it.").show(complaints))
                    (line("monthly_credits", "At most in a month", &monthly,
                        "A calendar month (UTC); empty for no ceiling.").show(complaints))
                }
                div { button type="submit" { "Save" } }
            }
        }
    }
}

fn limits(limits: &Limits) -> Markup {
    let rows = [
        ("Requests a minute", number(limits.requests_per_minute)),
        ("Requests at once", number(limits.request_burst)),
        ("Requests a minute over all keys", number(limits.account_requests_per_minute)),
        ("Runs at a time", number(limits.running_jobs)),
        ("Runs that may wait besides", number(limits.queued_jobs)),
        ("Results before a run asks to go on", number(limits.batch_size)),
        ("Domains a run", number(limits.domains_per_job)),
        ("Items a page of the API", number(limits.page_size_max)),
        ("Webhooks", number(limits.webhooks)),
        ("Live API keys", number(limits.keys)),
        ("Live streams of progress", number(limits.listeners)),
        ("A download link lives", span(u64::from(limits.export_url_seconds))),
        ("Results are kept", count(u64::from(limits.results_days), "day", "days")),
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
