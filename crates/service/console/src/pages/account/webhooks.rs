//! `/account/webhooks`: webhook endpoints; the secret of a new one is shown once.

use axum::Router;
use axum::routing::get;
use contract::{CreateWebhook, CreatedWebhook, EventKind, Webhook};
use maud::{Markup, html};

use super::tab;
use crate::assets::COPY_JS;
use crate::form::{TextField, checkbox};
use crate::number_format::time;
use crate::{ConsoleState, ConsoleUser, FormErrors, FormFields, PageResult, PostedForm};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route("/account/webhooks", get(list).post(create))
}

async fn list(user: ConsoleUser) -> PageResult {
    let mut fresh = FormFields::default();
    fresh.set("all", "on");
    show(&user, None, &fresh, &FormErrors::default()).await
}

/// The response shows the secret: it cannot be read again from another URL.
async fn create(PostedForm { user, mut fields }: PostedForm) -> PageResult {
    let events = (!fields.is_on("all")).then(|| selected_events(&fields));
    let body = CreateWebhook { url: fields.raw("url").trim().to_owned(), events };
    match user.api().post::<CreatedWebhook>("/v1/webhooks", &body).await {
        Ok(made) => {
            fields = FormFields::default();
            fields.set("all", "on");
            show(&user, Some(&made), &fields, &FormErrors::default()).await
        }
        Err(refused) => show(&user, None, &fields, &FormErrors::of(refused)?).await,
    }
}

async fn show(
    user: &ConsoleUser,
    made: Option<&CreatedWebhook>,
    typed: &FormFields,
    form_errors: &FormErrors,
) -> PageResult {
    let webhooks: Vec<Webhook> = user.api().get("/v1/webhooks").await?;
    let page = tab::page(user, "/account/webhooks").script(COPY_JS).status(form_errors.status());
    Ok(page.show(html! {
        @if let Some(made) = made { (super::secret(&made.secret, &html! {
            b { "Copy the signing secret now." }
            " It is shown only once. Every delivery is signed with it in "
            code { "X-Service-Signature" } "."
        })) }
        (table(&webhooks))
        (form(user, typed, form_errors))
    }))
}

/// The events that are checked in the form.
pub(super) fn selected_events(fields: &FormFields) -> Vec<EventKind> {
    EventKind::ALL.iter().copied().filter(|kind| fields.is_on(kind.as_str())).collect()
}

/// A checkbox for each event.
pub(super) fn events(is_on: impl Fn(EventKind) -> bool) -> Markup {
    html! {
        div.ticks {
            @for kind in EventKind::ALL {
                (checkbox(kind.as_str(), kind.as_str(), "", is_on(*kind)))
            }
        }
    }
}

/// The delivery state as a label.
pub(super) fn health(webhook: &Webhook) -> Markup {
    html! {
        @match (webhook.active, webhook.failing_since) {
            (true, None) => span.chip.good { "active" },
            (true, Some(_)) => span.chip.warn { "failing" },
            (false, Some(_)) => span.chip.bad { "disabled after failures" },
            (false, None) => span.chip { "off" },
        }
    }
}

fn table(webhooks: &[Webhook]) -> Markup {
    crate::table(
        "Webhooks",
        "Endpoint, State, Events:wide, Last success:wide, Last error",
        webhooks,
        |webhook| {
            html! { tr {
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
            } }
        },
        &html! { "No webhooks yet." },
    )
}

fn form(user: &ConsoleUser, typed: &FormFields, form_errors: &FormErrors) -> Markup {
    let url = TextField {
        kind: "url",
        hint: "A public https:// URL. It receives a POST for each event.",
        required: true,
        ..TextField::of("url", "Address", typed)
    };
    html! {
        section.panel {
            h2 { "New webhook" }
            (form_errors.shown(&["url", "events"]))
            form.stack method="post" action="/account/webhooks" {
                (user.form_token())
                (url.show(form_errors))
                fieldset {
                    legend { "Events" }
                    @if let Some(wrong) = form_errors.at("events") { p.wrong { (wrong) } }
                    (checkbox("all", "All events", "Including events that are added later. Or only these:",
                        typed.is_on("all")))
                    (events(|kind| typed.is_on(kind.as_str())))
                }
                div { button.primary type="submit" { "Create webhook" } }
            }
        }
    }
}
