//! `/account/webhooks`: who is told what happens, and the secret of a new one, shown once.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use contract::{CreateWebhook, CreatedWebhook, EventKind, Webhook};
use maud::{Markup, html};

use super::tab::Tab;
use crate::assets::COPY_JS;
use crate::form::{Line, tick};
use crate::words::time;
use crate::{Complaints, ConsoleState, Failure, Fields, Person, Posted};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route("/account/webhooks", get(list).post(create))
}

async fn list(State(state): State<ConsoleState>, person: Person) -> Result<Response, Failure> {
    let mut fresh = Fields::default();
    fresh.set("all", "on");
    show(&state, &person, None, &fresh, &Complaints::default()).await
}

/// The answer shows the secret: there is no second address where it could be read again.
async fn create(
    State(state): State<ConsoleState>,
    Posted { person, mut fields }: Posted,
) -> Result<Response, Failure> {
    let events = (!fields.is_on("all")).then(|| ticked(&fields));
    let body = CreateWebhook { url: fields.raw("url").trim().to_owned(), events };
    match state.api(&person).post::<CreatedWebhook>("/v1/webhooks", &body).await {
        Ok(made) => {
            fields = Fields::default();
            fields.set("all", "on");
            show(&state, &person, Some(&made), &fields, &Complaints::default()).await
        }
        Err(refused) => show(&state, &person, None, &fields, &Complaints::of(refused)?).await,
    }
}

async fn show(
    state: &ConsoleState,
    person: &Person,
    made: Option<&CreatedWebhook>,
    typed: &Fields,
    complaints: &Complaints,
) -> Result<Response, Failure> {
    let webhooks: Vec<Webhook> = state.api(person).get("/v1/webhooks").await?;
    let page = Tab::Webhooks.page(person).script(COPY_JS);
    let mut response = Tab::Webhooks.show(
        page,
        &html! {
            @if let Some(made) = made { (secret(made)) }
            (table(&webhooks))
            (form(person, typed, complaints))
        },
    );
    *response.status_mut() = complaints.status();
    Ok(response)
}

/// The events that are ticked.
pub(super) fn ticked(fields: &Fields) -> Vec<EventKind> {
    EventKind::ALL.iter().copied().filter(|kind| fields.is_on(kind.as_str())).collect()
}

/// A box for each event.
pub(super) fn events(is_on: impl Fn(EventKind) -> bool) -> Markup {
    html! {
        div.ticks {
            @for kind in EventKind::ALL {
                (tick(kind.as_str(), kind.as_str(), "", is_on(*kind)))
            }
        }
    }
}

/// Whether it is delivered to, in a word.
pub(super) fn health(webhook: &Webhook) -> Markup {
    html! {
        @match (webhook.active, webhook.failing_since) {
            (true, None) => span.chip.good { "active" },
            (true, Some(_)) => span.chip.warn { "failing" },
            (false, Some(_)) => span.chip.bad { "gave up" },
            (false, None) => span.chip { "off" },
        }
    }
}

fn secret(made: &CreatedWebhook) -> Markup {
    html! {
        div.told role="status" {
            p {
                b { "Copy the signing secret now." }
                " It is shown this once. Every delivery is signed with it in "
                code { "X-Service-Signature" } "."
            }
            p {
                code #secret { (made.secret) } " "
                button type="button" data-copies="secret" hidden { "Copy" }
            }
        }
    }
}

fn table(webhooks: &[Webhook]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Webhooks" {
            @if webhooks.is_empty() {
                p.empty { "Nobody is told what happens to your runs yet." }
            } @else {
                table {
                    thead { tr {
                        th scope="col" { "Endpoint" }
                        th scope="col" { "State" }
                        th.wide scope="col" { "Events" }
                        th.wide scope="col" { "Last success (UTC)" }
                        th scope="col" { "Last error" }
                    } }
                    tbody {
                        @for webhook in webhooks {
                            tr {
                                td.url {
                                    a href={ "/account/webhooks/" (webhook.id) } { (webhook.url) }
                                }
                                td { (health(webhook)) }
                                td.wide {
                                    @if webhook.events.len() == EventKind::ALL.len() { "all" }
                                    @else { (webhook.events.len()) " of " (EventKind::ALL.len()) }
                                }
                                td.wide {
                                    @match webhook.last_success_at {
                                        Some(at) => (time(at)),
                                        None => { "never" }
                                    }
                                }
                                td { (webhook.last_error.as_deref().unwrap_or("–")) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn form(person: &Person, typed: &Fields, complaints: &Complaints) -> Markup {
    let url = Line {
        name: "url",
        label: "Address",
        kind: "url",
        value: typed.raw("url"),
        hint: "https:// on the public internet. It is sent a POST for each event.",
        required: true,
        ..Line::default()
    };
    html! {
        section.panel {
            h2 { "New webhook" }
            (complaints.shown(&["url", "events"]))
            form.stack method="post" action="/account/webhooks" {
                (person.form_token())
                (url.show(complaints))
                fieldset {
                    legend { "Events" }
                    @if let Some(wrong) = complaints.at("events") { p.wrong { (wrong) } }
                    (tick("all", "All of them", "Also those that are added later. Or only these:",
                        typed.is_on("all")))
                    (events(|kind| typed.is_on(kind.as_str())))
                }
                div { button.primary type="submit" { "Create webhook" } }
            }
        }
    }
}
