//! `/account/applications`: what may act for the account, and its end.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::Method;
use axum::response::Response;
use axum::routing::{get, post};
use contract::{ApplicationId, ConnectedApplication};
use maud::{Markup, html};

use super::tab::Tab;
use crate::link::link;
use crate::words::time;
use crate::{ConsoleState, Failure, Person, Posted, see_other};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account/applications", get(list))
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
            }
            form method="post" action={ "/account/applications/" (one.id) "/disconnect" } {
                (person.form_token())
                button.danger type="submit" aria-label={ "Disconnect " (one.name) } { "Disconnect" }
            }
        }
    }
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
