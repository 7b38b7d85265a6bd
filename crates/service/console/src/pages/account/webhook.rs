//! `/account/webhooks/{id}`: a webhook endpoint, its deliveries and actions.

use axum::Router;
use axum::extract::Path;
use axum::http::Method;
use axum::routing::{get, post};
use client::{ApiCall, ApiCallError};
use contract::{
    ChangeWebhook, Delivery, DeliveryAttempt, DeliveryId, DeliveryPage, DeliveryState, EventKind,
    Webhook, WebhookId,
};
use maud::{Markup, html};

use super::tab;
use super::webhooks::{events, health, selected_events};
use crate::form::checkbox;
use crate::number_format::time;
use crate::pager::{Pager, page_of};
use crate::{
    ConfirmedAction, ConsoleState, ConsoleUser, FormErrors, ListQuery, PageError, PageResult,
    PostedForm, see_other,
};

const PAGE_SIZE: u64 = 25;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account/webhooks/{id}", get(look).post(change))
        .route("/account/webhooks/{id}/test", post(test))
        .route("/account/webhooks/{id}/remove", post(remove))
        .route("/account/webhooks/{id}/deliveries/{delivery}", post(redeliver))
}

async fn look(Path(id): Path<String>, user: ConsoleUser, query: ListQuery) -> PageResult {
    show(&user, &named(&id)?, &query, &FormErrors::default()).await
}

async fn change(Path(id): Path<String>, PostedForm { user, fields }: PostedForm) -> PageResult {
    let id = named(&id)?;
    let (current, wanted) = (find(&user, &id).await?, selected_events(&fields));
    // An unchanged selection is not sent: an explicit list would miss events that are added later.
    let stays = EventKind::ALL.iter().all(|k| wanted.contains(k) == current.events.contains(k));
    let events = (!stays).then_some(wanted);
    let body = ChangeWebhook { active: Some(fields.is_on("active")), events };
    let call = ApiCall::new(Method::PATCH, &format!("/v1/webhooks/{id}")).json(&body);
    let changed = user.api().send(call).await?.json::<Webhook>();
    done(&user, &id, changed.map(drop)).await
}

async fn test(Path(id): Path<String>, PostedForm { user, .. }: PostedForm) -> PageResult {
    let id = named(&id)?;
    let sent = user.api().perform(Method::POST, &format!("/v1/webhooks/{id}/test")).await;
    done(&user, &id, sent).await
}

async fn redeliver(
    Path((id, delivery)): Path<(String, String)>,
    PostedForm { user, .. }: PostedForm,
) -> PageResult {
    let id = named(&id)?;
    let delivery: DeliveryId = delivery.parse().map_err(|_| PageError::NotFound)?;
    let path = format!("/v1/webhooks/{id}/deliveries/{delivery}/redeliver");
    let sent = user.api().perform(Method::POST, &path).await;
    done(&user, &id, sent).await
}

async fn remove(Path(id): Path<String>, PostedForm { user, .. }: PostedForm) -> PageResult {
    let id = named(&id)?;
    user.api().perform(Method::DELETE, &format!("/v1/webhooks/{id}")).await?;
    Ok(see_other("/account/webhooks"))
}

fn named(id: &str) -> PageResult<WebhookId> {
    id.parse().map_err(|_| PageError::NotFound)
}

async fn find(user: &ConsoleUser, id: &WebhookId) -> PageResult<Webhook> {
    let all: Vec<Webhook> = user.api().get("/v1/webhooks").await?;
    all.into_iter().find(|webhook| webhook.id == *id).ok_or(PageError::NotFound)
}

/// Redirects to the endpoint, or shows it with the errors.
async fn done(user: &ConsoleUser, id: &WebhookId, outcome: Result<(), ApiCallError>) -> PageResult {
    match outcome {
        Ok(()) => Ok(see_other(&format!("/account/webhooks/{id}"))),
        Err(refused) => show(user, id, &ListQuery::default(), &FormErrors::of(refused)?).await,
    }
}

async fn show(
    user: &ConsoleUser,
    id: &WebhookId,
    query: &ListQuery,
    form_errors: &FormErrors,
) -> PageResult {
    let webhook = &find(user, id).await?;
    let path = format!("/account/webhooks/{id}");
    let asked = ListQuery::default().with("page", page_of(query)).with("page_size", PAGE_SIZE);
    let sent: DeliveryPage =
        user.api().get(&asked.on(&format!("/v1/webhooks/{id}/deliveries"))).await?;
    let page = tab::page(user, "/account/webhooks").status(form_errors.status());
    Ok(page.show(html! {
        div.head {
            h2 { (webhook.url) }
            (health(webhook))
            div.actions {
                (button(user, &format!("{path}/test"), "Send a test"))
                (ConfirmedAction {
                    path: &format!("{path}/remove"),
                    opener: "Remove",
                    about: "",
                    question: "The endpoint and its pending deliveries are deleted at once and cannot \
                        be restored.",
                    button: "Remove the webhook",
                }.show(user, &html! {}))
            }
        }
        (form_errors.shown(&[]))
        @if let Some(creator) = &webhook.created_by {
            p.quiet { "Created by " code { (creator) } "." }
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
                (user.form_token())
                (checkbox("active", "Active", "", webhook.active))
                fieldset {
                    legend { "Events" }
                    (events(|kind| webhook.events.contains(&kind)))
                }
                div { button type="submit" { "Save" } }
            }
        }
        h2 { "Deliveries" }
        (table(user, &path, &sent))
        (Pager::new(&path, query, (sent.page, sent.page_size, sent.total), ("delivery", "deliveries"))
            .show())
    }))
}

fn button(user: &ConsoleUser, action: &str, name: &str) -> Markup {
    html! {
        form.inline method="post" action=(action) {
            (user.form_token())
            button type="submit" { (name) }
        }
    }
}

fn table(user: &ConsoleUser, path: &str, sent: &DeliveryPage) -> Markup {
    crate::table(
        "Deliveries",
        "Event, State, Attempts, Created:wide, Actions",
        &sent.items,
        |delivery| row(user, path, delivery),
        &html! { "No deliveries yet. Send a test to check the endpoint." },
    )
}

fn row(user: &ConsoleUser, path: &str, delivery: &Delivery) -> Markup {
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
            td { (button(user, &format!("{path}/deliveries/{}", delivery.id), "Redeliver")) }
        }
    }
}

/// The last attempt, and all attempts behind a toggle.
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
            Some(status) => { "responded with " (status) }
            None => { (one.error.as_deref().unwrap_or("no response")) }
        }
        " after " (one.duration_ms) " ms"
    }
}
