//! `/account/webhooks/{id}`: an endpoint, what it was sent, and what can be done about it.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::Method;
use axum::response::Response;
use axum::routing::{get, post};
use client::{ApiCall, ApiCallError};
use contract::{
    ChangeWebhook, Delivery, DeliveryAttempt, DeliveryId, DeliveryPage, DeliveryState, EventKind,
    Webhook, WebhookId,
};
use maud::{Markup, html};

use super::tab::Tab;
use super::webhooks::{events, health, ticked};
use crate::form::tick;
use crate::pager::{Pager, page_of};
use crate::words::time;
use crate::{Complaints, ConsoleState, Failure, Person, Posted, Query, see_other};

const PAGE_SIZE: u64 = 25;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account/webhooks/{id}", get(look).post(change))
        .route("/account/webhooks/{id}/test", post(test))
        .route("/account/webhooks/{id}/remove", post(remove))
        .route("/account/webhooks/{id}/deliveries/{delivery}", post(redeliver))
}

async fn look(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    person: Person,
    query: Query,
) -> Result<Response, Failure> {
    show(&state, &person, &named(&id)?, &query, &Complaints::default()).await
}

async fn change(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let id = named(&id)?;
    let (as_it_is, wanted) = (find(&state, &person, &id).await?, ticked(&fields));
    // What stays is not sent: a list would miss the events that are added later.
    let stays = EventKind::ALL.iter().all(|k| wanted.contains(k) == as_it_is.events.contains(k));
    let events = (!stays).then_some(wanted);
    let body = ChangeWebhook { active: Some(fields.is_on("active")), events };
    let call = ApiCall::new(Method::PATCH, &format!("/v1/webhooks/{id}")).json(&body);
    let changed = state.api(&person).send(call).await?.json::<Webhook>();
    done(&state, &person, &id, changed.map(drop)).await
}

async fn test(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, .. }: Posted,
) -> Result<Response, Failure> {
    let id = named(&id)?;
    let sent = state.api(&person).perform(Method::POST, &format!("/v1/webhooks/{id}/test")).await;
    done(&state, &person, &id, sent).await
}

async fn redeliver(
    State(state): State<ConsoleState>,
    Path((id, delivery)): Path<(String, String)>,
    Posted { person, .. }: Posted,
) -> Result<Response, Failure> {
    let id = named(&id)?;
    let delivery: DeliveryId = delivery.parse().map_err(|_| Failure::NotFound)?;
    let path = format!("/v1/webhooks/{id}/deliveries/{delivery}/redeliver");
    let sent = state.api(&person).perform(Method::POST, &path).await;
    done(&state, &person, &id, sent).await
}

async fn remove(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, .. }: Posted,
) -> Result<Response, Failure> {
    let id = named(&id)?;
    state.api(&person).perform(Method::DELETE, &format!("/v1/webhooks/{id}")).await?;
    Ok(see_other("/account/webhooks"))
}

fn named(id: &str) -> Result<WebhookId, Failure> {
    id.parse().map_err(|_| Failure::NotFound)
}

async fn find(state: &ConsoleState, person: &Person, id: &WebhookId) -> Result<Webhook, Failure> {
    let all: Vec<Webhook> = state.api(person).get("/v1/webhooks").await?;
    all.into_iter().find(|webhook| webhook.id == *id).ok_or(Failure::NotFound)
}

/// Back to the endpoint, or there at once with what was said against it.
async fn done(
    state: &ConsoleState,
    person: &Person,
    id: &WebhookId,
    outcome: Result<(), ApiCallError>,
) -> Result<Response, Failure> {
    match outcome {
        Ok(()) => Ok(see_other(&format!("/account/webhooks/{id}"))),
        Err(refused) => show(state, person, id, &Query::default(), &Complaints::of(refused)?).await,
    }
}

async fn show(
    state: &ConsoleState,
    person: &Person,
    id: &WebhookId,
    query: &Query,
    complaints: &Complaints,
) -> Result<Response, Failure> {
    let webhook = &find(state, person, id).await?;
    let path = format!("/account/webhooks/{id}");
    let asked = Query::default().with("page", page_of(query)).with("page_size", PAGE_SIZE);
    let sent: DeliveryPage =
        state.api(person).get(&asked.on(&format!("/v1/webhooks/{id}/deliveries"))).await?;
    let mut response = Tab::Webhooks.show(
        Tab::Webhooks.page(person),
        &html! {
            div.head {
                h2 { (webhook.url) }
                (health(webhook))
                div.actions {
                    (button(person, &format!("{path}/test"), "Send a test", ""))
                    (button(person, &format!("{path}/remove"), "Remove", "danger"))
                }
            }
            (complaints.shown(&[]))
            @if let Some(creator) = &webhook.created_by {
                p.quiet { "Made by " code { (creator) } "." }
            }
            @if let Some(error) = &webhook.last_error {
                div.complaint role="status" {
                    p {
                        "The last attempt failed: " (error)
                        @if let Some(since) = webhook.failing_since {
                            ". Failing since " (time(since))
                        }
                        "."
                    }
                }
            }
            section.panel {
                form.stack method="post" action=(path) {
                    (person.form_token())
                    (tick("active", "Deliver to it", "", webhook.active))
                    fieldset {
                        legend { "Events" }
                        (events(|kind| webhook.events.contains(&kind)))
                    }
                    div { button type="submit" { "Save" } }
                }
            }
            h2 { "Deliveries" }
            (table(person, &path, &sent))
            (Pager {
                path: &path,
                query,
                page: sent.page,
                page_size: sent.page_size,
                total: sent.total,
                things: ("delivery", "deliveries"),
            }.show())
        },
    );
    *response.status_mut() = complaints.status();
    Ok(response)
}

fn button(person: &Person, action: &str, name: &str, tone: &str) -> Markup {
    html! {
        form.inline method="post" action=(action) {
            (person.form_token())
            button class=(tone) type="submit" { (name) }
        }
    }
}

fn table(person: &Person, path: &str, sent: &DeliveryPage) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Deliveries" {
            @if sent.items.is_empty() {
                p.empty { "Nothing was sent here yet. A test shows whether it arrives." }
            } @else {
                table {
                    thead { tr {
                        th scope="col" { "Event" }
                        th scope="col" { "State" }
                        th scope="col" { "Attempts" }
                        th.wide scope="col" { "Created (UTC)" }
                        th scope="col" { span.hidden-label { "What can be done" } }
                    } }
                    tbody { @for delivery in &sent.items { (row(person, path, delivery)) } }
                }
            }
        }
    }
}

fn row(person: &Person, path: &str, delivery: &Delivery) -> Markup {
    let tone = match delivery.state {
        DeliveryState::Delivered => "chip good",
        DeliveryState::Failed => "chip bad",
        DeliveryState::Pending => "chip live",
        DeliveryState::Superseded | DeliveryState::Held => "chip",
    };
    let payload = serde_json::to_string_pretty(&delivery.payload).unwrap_or_default();
    html! {
        tr {
            td {
                details {
                    summary { (delivery.kind) }
                    pre.request { (payload) }
                }
            }
            td {
                span class=(tone) { (delivery.state) }
                @if let Some(next) = delivery.next_attempt_at {
                    div.hint { "next " (time(next)) }
                }
            }
            td { (attempts(&delivery.attempts)) }
            td.wide { (time(delivery.created_at)) }
            td { (button(person, &format!("{path}/deliveries/{}", delivery.id), "Redeliver", "")) }
        }
    }
}

/// The last attempt, and behind it all of them.
fn attempts(all: &[DeliveryAttempt]) -> Markup {
    html! {
        @match all {
            [] => { "none yet" }
            [only] => (attempt(only)),
            [.., last] => {
                (attempt(last))
                details {
                    summary { "All " (all.len()) " attempts" }
                    @for one in all { div { (attempt(one)) } }
                }
            }
        }
    }
}

fn attempt(one: &DeliveryAttempt) -> Markup {
    html! {
        (time(one.at)) ": "
        @match one.status_code {
            Some(status) => { "answered " (status) }
            None => { (one.error.as_deref().unwrap_or("no answer")) }
        }
        " after " (one.duration_ms) " ms"
    }
}
