//! `/account/applications`: connected OAuth applications, their limits and disconnection.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::Method;
use axum::response::Response;
use axum::routing::{get, post};
use client::ApiCall;
use contract::{ApplicationId, ConnectedApplication};
use maud::{Markup, html};

use super::limits;
use super::tab;
use crate::link::link;
use crate::number_format::time;
use crate::{ConsoleState, ConsoleUser, FormErrors, FormFields, PageError, PostedForm, see_other};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account/applications", get(list))
        .route("/account/applications/{id}", get(limits_of).post(change))
        .route("/account/applications/{id}/disconnect", post(disconnect))
}

async fn list(State(state): State<ConsoleState>, user: ConsoleUser) -> Result<Response, PageError> {
    let connected: Vec<ConnectedApplication> = state.api(&user).get("/oauth/applications").await?;
    Ok(tab::page(&user, "/account/applications").show(html! {
        p.quiet {
            "Applications that you have approved. They act with what you granted, spend your \
             credits, and never see your password."
        }
        @if connected.is_empty() {
            div.panel { p.empty { "No application is connected to your account." } }
        }
        div.cards { @for one in &connected { (card(&user, one)) } }
    }))
}

fn card(user: &ConsoleUser, one: &ConnectedApplication) -> Markup {
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
                "Disconnecting pauses its schedules and disables its webhooks."
            }
            form method="post" action={ "/account/applications/" (one.id) "/disconnect" } {
                (user.form_token())
                button.danger type="submit" aria-label={ "Disconnect " (one.name) } { "Disconnect" }
            }
        }
    }
}

async fn limits_of(
    State(state): State<ConsoleState>,
    user: ConsoleUser,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let one = found(&state, &user, &id).await?;
    Ok(edit(&user, &one, &limits::typed(&one.limits, &[]), &FormErrors::default()))
}

async fn change(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    PostedForm { user, fields }: PostedForm,
) -> Result<Response, PageError> {
    let one = found(&state, &user, &id).await?;
    let form_errors = match limits::change(&fields, false, &one.limits) {
        Ok(body) => {
            let path = format!("/oauth/applications/{}", one.id);
            let call = ApiCall::new(Method::PATCH, &path).json(&body);
            match state.api(&user).send(call).await?.json::<ConnectedApplication>() {
                Ok(_) => return Ok(see_other("/account/applications")),
                Err(refused) => FormErrors::of(refused)?,
            }
        }
        Err(form_errors) => form_errors,
    };
    Ok(edit(&user, &one, &fields, &form_errors))
}

async fn found(
    state: &ConsoleState,
    user: &ConsoleUser,
    id: &str,
) -> Result<ConnectedApplication, PageError> {
    let connected: Vec<ConnectedApplication> = state.api(user).get("/oauth/applications").await?;
    connected.into_iter().find(|one| one.id.as_str() == id).ok_or(PageError::NotFound)
}

fn edit(
    user: &ConsoleUser,
    one: &ConnectedApplication,
    typed: &FormFields,
    form_errors: &FormErrors,
) -> Response {
    let page = tab::page(user, "/account/applications").status(form_errors.status());
    page.show(html! {
        section.panel {
            h2 { "Limits of " (one.name) }
            p.quiet { (limits::shown(&one.limits, &[])) }
            (form_errors.shown(&limits::FIELDS))
            form.stack method="post" action={ "/account/applications/" (one.id) } {
                (user.form_token())
                (limits::fieldset(typed, form_errors, false))
                div { button.primary type="submit" { "Save" } }
            }
        }
    })
}

async fn disconnect(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    PostedForm { user, .. }: PostedForm,
) -> Result<Response, PageError> {
    let id: ApplicationId = id.parse().map_err(|_| PageError::NotFound)?;
    state.api(&user).perform(Method::DELETE, &format!("/oauth/applications/{id}")).await?;
    Ok(see_other("/account/applications"))
}
