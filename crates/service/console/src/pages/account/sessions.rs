//! `/account/sessions`: password and active sessions.

use axum::Router;
use axum::extract::Path;
use axum::http::{Method, header};
use axum::routing::{get, post};
use contract::{ChangePassword, SessionDetails, SessionId, SessionsEnded};
use maud::{Markup, html};

use super::tab;
use crate::form::TextField;
use crate::number_format::{count, time};
use crate::{
    ConsoleState, ConsoleUser, FormErrors, PageError, PageResult, PostedForm, see_other, session,
};

const PATH: &str = "/account/sessions";

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route(PATH, get(list))
        .route("/account/sessions/password", post(change))
        .route("/account/sessions/end", post(end_all))
        .route("/account/sessions/{id}/revoke", post(revoke))
}

async fn list(user: ConsoleUser) -> PageResult {
    show(&user, None, &FormErrors::default()).await
}

async fn change(PostedForm { user, fields }: PostedForm) -> PageResult {
    if fields.raw("new_password") != fields.raw("repeated_password") {
        let form_errors = FormErrors::field("repeated_password", "does not match the new password");
        return show(&user, None, &form_errors).await;
    }
    let body = ChangePassword {
        current_password: fields.raw("current_password").to_owned(),
        new_password: fields.raw("new_password").to_owned(),
    };
    match user.api().post::<SessionsEnded>("/session/password", &body).await {
        Ok(done) => show(&user, Some(done), &FormErrors::default()).await,
        Err(refused) => show(&user, None, &FormErrors::of(refused)?).await,
    }
}

/// Ends all sessions, including this one.
async fn end_all(PostedForm { user, .. }: PostedForm) -> PageResult {
    user.api().perform(Method::DELETE, "/sessions").await?;
    let mut response = see_other("/sign-in");
    response.headers_mut().insert(header::SET_COOKIE, session::end(&user.state));
    Ok(response)
}

async fn revoke(Path(id): Path<String>, PostedForm { user, .. }: PostedForm) -> PageResult {
    let id: SessionId = id.parse().map_err(|_| PageError::NotFound)?;
    user.api().perform(Method::DELETE, &format!("/sessions/{id}")).await?;
    Ok(see_other(PATH))
}

async fn show(
    user: &ConsoleUser,
    changed: Option<SessionsEnded>,
    form_errors: &FormErrors,
) -> PageResult {
    let sessions: Vec<SessionDetails> = user.api().get("/sessions").await?;
    let page = tab::page(user, "/account/sessions").status(form_errors.status());
    Ok(page.show(html! {
        @if let Some(SessionsEnded { ended }) = changed {
            div.success role="status" {
                p {
                    b { "The password was changed." } " "
                    (count(ended, "other session was", "other sessions were")) " ended."
                }
            }
        }
        (form(user, form_errors))
        h2 { "Sessions" }
        (table(user, &sessions))
        form method="post" action="/account/sessions/end" {
            (user.form_token())
            button.danger type="submit" { "Sign out everywhere" }
        }
    }))
}

fn form(user: &ConsoleUser, form_errors: &FormErrors) -> Markup {
    let line = |name, label, autocomplete| TextField {
        name,
        label,
        kind: "password",
        autocomplete,
        required: true,
        ..TextField::default()
    };
    let current = line("current_password", "Current password", "current-password");
    let new = line("new_password", "New password", "new-password");
    let repeated = line("repeated_password", "New password, again", "new-password");
    html! {
        section.panel {
            h2 { "Change the password" }
            p.quiet {
                "Ends every other session. API keys and applications stay: revoke those that may \
                 be compromised."
            }
            (form_errors.shown(&["current_password", "new_password", "repeated_password"]))
            form.stack method="post" action="/account/sessions/password" {
                (user.form_token())
                (current.show(form_errors))
                div.columns { (new.show(form_errors)) (repeated.show(form_errors)) }
                div { button.primary type="submit" { "Change password" } }
            }
        }
    }
}

fn table(user: &ConsoleUser, sessions: &[SessionDetails]) -> Markup {
    crate::table(
        "Sessions",
        "Signed in, Last used, Address, Browser:wide, Actions",
        sessions,
        |one| row(user, one),
        &html! {},
    )
}

fn row(user: &ConsoleUser, one: &SessionDetails) -> Markup {
    html! {
        tr {
            td { (time(one.created_at)) }
            td { @match one.last_used_at { Some(at) => (time(at)), None => { "–" } } }
            td { (one.address.as_deref().unwrap_or("–")) }
            td.wide { (one.user_agent.as_deref().unwrap_or("–")) }
            td {
                @if one.current {
                    span.chip.live { "this session" }
                } @else {
                    form.inline method="post" action={ "/account/sessions/" (one.id) "/revoke" } {
                        (user.form_token())
                        button.danger type="submit" { "Sign out" }
                    }
                }
            }
        }
    }
}
