//! `/account/applications`: what may act for the account, and its end.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::Method;
use axum::response::Response;
use axum::routing::{get, post};
use client::ApiCall;
use contract::{ApplicationId, ConnectedApplication};
use maud::{Markup, html};

use super::limits;
use super::tab::Tab;
use crate::link::link;
use crate::words::time;
use crate::{Complaints, ConsoleState, Failure, Fields, Person, Posted, see_other};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account/applications", get(list))
        .route("/account/applications/{id}", get(limits_of).post(change))
        .route("/account/applications/{id}/disconnect", post(disconnect))
}

async fn list(State(state): State<ConsoleState>, person: Person) -> Result<Response, Failure> {
    let connected: Vec<ConnectedApplication> =
        state.api(&person).get("/oauth/applications").await?;
    Ok(Tab::Applications.show(
        Tab::Applications.page(&person),
        &html! {
            p.quiet {
                "Applications that you have approved. They act with what you granted, spend your \
                 credits, and never see your password."
            }
            @if connected.is_empty() {
                div.panel { p.empty { "No application is connected to your account." } }
            }
            div.cards { @for one in &connected { (card(&person, one)) } }
        },
    ))
}

fn card(person: &Person, one: &ConnectedApplication) -> Markup {
    html! {
        article.card {
            h2 { (one.name) }
            @if let Some(uri) = &one.uri { p { (link(uri)) } }
            ul { @for scope in &one.scopes { li { (scope.meaning()) } } }
            dl.pairs {
                dt { "Approved" } dd { (time(one.connected_at)) }
                dt { "Last used" }
                dd { @match one.last_used_at { Some(at) => (time(at)), None => { "never" } } }
                dt { "Limits" }
                dd {
                    (limits::shown(&one.limits, &[])) " "
                    a href={ "/account/applications/" (one.id) }
                        aria-label={ "Change the limits of " (one.name) } { "Change" }
                }
            }
            p.hint {
                "Disconnecting pauses the schedules and switches off the webhooks that it made."
            }
            form method="post" action={ "/account/applications/" (one.id) "/disconnect" } {
                (person.form_token())
                button.danger type="submit" aria-label={ "Disconnect " (one.name) } { "Disconnect" }
            }
        }
    }
}

async fn limits_of(
    State(state): State<ConsoleState>,
    person: Person,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let one = found(&state, &person, &id).await?;
    Ok(edit(&person, &one, &limits::typed(&one.limits, &[]), &Complaints::default()))
}

async fn change(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let one = found(&state, &person, &id).await?;
    let complaints = match limits::change(&fields, false, &one.limits) {
        Ok(body) => {
            let path = format!("/oauth/applications/{}", one.id);
            let call = ApiCall::new(Method::PATCH, &path).json(&body);
            match state.api(&person).send(call).await?.json::<ConnectedApplication>() {
                Ok(_) => return Ok(see_other("/account/applications")),
                Err(refused) => Complaints::of(refused)?,
            }
        }
        Err(complaints) => complaints,
    };
    Ok(edit(&person, &one, &fields, &complaints))
}

async fn found(
    state: &ConsoleState,
    person: &Person,
    id: &str,
) -> Result<ConnectedApplication, Failure> {
    let connected: Vec<ConnectedApplication> = state.api(person).get("/oauth/applications").await?;
    connected.into_iter().find(|one| one.id.as_str() == id).ok_or(Failure::NotFound)
}

fn edit(
    person: &Person,
    one: &ConnectedApplication,
    typed: &Fields,
    complaints: &Complaints,
) -> Response {
    let mut response = Tab::Applications.show(
        Tab::Applications.page(person),
        &html! {
            section.panel {
                h2 { "Limits of " (one.name) }
                p.quiet { (limits::shown(&one.limits, &[])) }
                (complaints.shown(&limits::FIELDS))
                form.stack method="post" action={ "/account/applications/" (one.id) } {
                    (person.form_token())
                    (limits::fieldset(typed, complaints, false))
                    div { button.primary type="submit" { "Save" } }
                }
            }
        },
    );
    *response.status_mut() = complaints.status();
    response
}

async fn disconnect(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, .. }: Posted,
) -> Result<Response, Failure> {
    let id: ApplicationId = id.parse().map_err(|_| Failure::NotFound)?;
    state.api(&person).perform(Method::DELETE, &format!("/oauth/applications/{id}")).await?;
    Ok(see_other("/account/applications"))
}
