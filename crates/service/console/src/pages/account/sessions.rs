//! `/account/sessions`: the password, and where the account is signed in.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{Method, header};
use axum::response::Response;
use axum::routing::{get, post};
use contract::{ChangePassword, SessionDetails, SessionId, SessionsEnded};
use maud::{Markup, html};

use super::tab::Tab;
use crate::form::Line;
use crate::words::{count, time};
use crate::{Complaints, ConsoleState, Failure, Person, Posted, see_other, session};

const PATH: &str = "/account/sessions";

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route(PATH, get(list))
        .route("/account/sessions/password", post(change))
        .route("/account/sessions/end", post(end_all))
        .route("/account/sessions/{id}/revoke", post(revoke))
}

async fn list(State(state): State<ConsoleState>, person: Person) -> Result<Response, Failure> {
    show(&state, &person, None, &Complaints::default()).await
}

async fn change(
    State(state): State<ConsoleState>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    if fields.raw("new_password") != fields.raw("repeated_password") {
        let complaints = Complaints::about("repeated_password", "is not the same as the new one");
        return show(&state, &person, None, &complaints).await;
    }
    let body = ChangePassword {
        current_password: fields.raw("current_password").to_owned(),
        new_password: fields.raw("new_password").to_owned(),
    };
    match state.api(&person).post::<SessionsEnded>("/session/password", &body).await {
        Ok(done) => show(&state, &person, Some(done), &Complaints::default()).await,
        Err(refused) => show(&state, &person, None, &Complaints::of(refused)?).await,
    }
}

/// Signs out everywhere, here too.
async fn end_all(
    State(state): State<ConsoleState>,
    Posted { person, .. }: Posted,
) -> Result<Response, Failure> {
    state.api(&person).perform(Method::DELETE, "/sessions").await?;
    let mut response = see_other("/sign-in");
    response.headers_mut().insert(header::SET_COOKIE, session::end(&state));
    Ok(response)
}

async fn revoke(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, .. }: Posted,
) -> Result<Response, Failure> {
    let id: SessionId = id.parse().map_err(|_| Failure::NotFound)?;
    state.api(&person).perform(Method::DELETE, &format!("/sessions/{id}")).await?;
    Ok(see_other(PATH))
}

async fn show(
    state: &ConsoleState,
    person: &Person,
    changed: Option<SessionsEnded>,
    complaints: &Complaints,
) -> Result<Response, Failure> {
    let sessions: Vec<SessionDetails> = state.api(person).get("/sessions").await?;
    let mut response = Tab::Sessions.show(
        Tab::Sessions.page(person),
        &html! {
            @if let Some(SessionsEnded { ended }) = changed {
                div.told role="status" {
                    p {
                        b { "The password is changed." } " "
                        (count(ended, "other session was", "other sessions were")) " ended."
                    }
                }
            }
            (form(person, complaints))
            h2 { "Sessions" }
            (table(person, &sessions))
            form method="post" action="/account/sessions/end" {
                (person.form_token())
                button.danger type="submit" { "Sign out everywhere" }
            }
        },
    );
    *response.status_mut() = complaints.status();
    Ok(response)
}

fn form(person: &Person, complaints: &Complaints) -> Markup {
    let line = |name, label, autocomplete| Line {
        name,
        label,
        kind: "password",
        autocomplete,
        required: true,
        ..Line::default()
    };
    let current = line("current_password", "Current password", "current-password");
    let new = line("new_password", "New password", "new-password");
    let repeated = line("repeated_password", "New password, again", "new-password");
    html! {
        section.panel {
            h2 { "Change the password" }
            p.quiet {
                "Ends every other session. API keys and applications stay: revoke those that may \
                 be in the wrong hands."
            }
            (complaints.shown(&["current_password", "new_password", "repeated_password"]))
            form.stack method="post" action="/account/sessions/password" {
                (person.form_token())
                (current.show(complaints))
                div.columns { (new.show(complaints)) (repeated.show(complaints)) }
                div { button.primary type="submit" { "Change password" } }
            }
        }
    }
}

fn table(person: &Person, sessions: &[SessionDetails]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Sessions" {
            table {
                thead { tr {
                    th scope="col" { "Signed in (UTC)" }
                    th scope="col" { "Last used" }
                    th scope="col" { "Address" }
                    th.wide scope="col" { "Browser" }
                    th scope="col" { span.hidden-label { "What can be done" } }
                } }
                tbody { @for one in sessions { (row(person, one)) } }
            }
        }
    }
}

fn row(person: &Person, one: &SessionDetails) -> Markup {
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
                        (person.form_token())
                        button.danger type="submit" { "Sign out" }
                    }
                }
            }
        }
    }
}
