//! `/account/applications`: connected OAuth applications, their limits and disconnection.

use axum::Router;
use axum::extract::Path;
use axum::http::Method;
use axum::routing::{get, post};
use contract::{ApplicationId, ConnectedApplication};
use maud::{Markup, html};

use super::limit_form::LimitForm;
use super::{limits, tab};
use crate::link::link;
use crate::number_format::time;
use crate::{
    ConfirmedAction, ConsoleState, ConsoleUser, FormErrors, PageError, PageResult, PostedForm,
    see_other,
};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account/applications", get(list))
        .route("/account/applications/{id}", get(limits_of).post(change))
        .route("/account/applications/{id}/disconnect", post(disconnect))
}

async fn list(user: ConsoleUser) -> PageResult {
    let connected: Vec<ConnectedApplication> = user.api().get("/oauth/applications").await?;
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
            (ConfirmedAction {
                path: &format!("/account/applications/{}/disconnect", one.id),
                opener: "Disconnect",
                about: &one.name,
                question: "The application loses access at once. Its schedules are paused and its \
                    webhooks disabled.",
                button: "Disconnect the application",
            }.show(user, &html! {}))
        }
    }
}

async fn limits_of(user: ConsoleUser, Path(id): Path<String>) -> PageResult {
    let one = found(&user, &id).await?;
    Ok(limit_form(&user, &one).show(None, &FormErrors::default()))
}

async fn change(Path(id): Path<String>, PostedForm { user, fields }: PostedForm) -> PageResult {
    let one = found(&user, &id).await?;
    limit_form(&user, &one).save(&fields).await
}

async fn found(user: &ConsoleUser, id: &str) -> PageResult<ConnectedApplication> {
    let connected: Vec<ConnectedApplication> = user.api().get("/oauth/applications").await?;
    connected.into_iter().find(|one| one.id.as_str() == id).ok_or(PageError::NotFound)
}

fn limit_form<'a>(user: &'a ConsoleUser, one: &'a ConnectedApplication) -> LimitForm<'a> {
    LimitForm {
        user,
        list: "/account/applications",
        id: one.id.as_str(),
        api_path: format!("/oauth/applications/{}", one.id),
        name: html! { (one.name) },
        limits: &one.limits,
        scopes: None,
    }
}

async fn disconnect(Path(id): Path<String>, PostedForm { user, .. }: PostedForm) -> PageResult {
    let id: ApplicationId = id.parse().map_err(|_| PageError::NotFound)?;
    user.api().perform(Method::DELETE, &format!("/oauth/applications/{id}")).await?;
    Ok(see_other("/account/applications"))
}
