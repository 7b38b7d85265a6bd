//! `/account/keys`: API keys, whose secrets are shown once.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::Method;
use axum::response::Response;
use axum::routing::{get, post};
use client::ApiCall;
use contract::{AccountKey, CreatedKey, KeyId};
use maud::{Markup, html};
use serde_json::json;

use super::limits;
use super::tab::Tab;
use crate::assets::COPY_JS;
use crate::form::{Line, field, tick};
use crate::words::time;
use crate::{Complaints, ConsoleState, Failure, Fields, Person, Posted, see_other};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account/keys", get(list).post(create))
        .route("/account/keys/{id}", get(limits_of).post(change))
        .route("/account/keys/{id}/revoke", post(revoke))
}

async fn list(State(state): State<ConsoleState>, person: Person) -> Result<Response, Failure> {
    show(&state, &person, None, &Fields::default(), &Complaints::default()).await
}

/// The answer shows the secret: there is no second address where it could be read again.
async fn create(
    State(state): State<ConsoleState>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let mut body = match limits::body(&fields, true) {
        Ok(body) => body,
        Err(complaints) => return show(&state, &person, None, &fields, &complaints).await,
    };
    for name in ["name", "source"] {
        body.insert(name.to_owned(), json!(fields.text(name)));
    }
    body.insert("test".to_owned(), json!(fields.is_on("test")));
    match state.api(&person).post::<CreatedKey>("/api-keys", &body).await {
        Ok(made) => {
            show(&state, &person, Some(&made), &Fields::default(), &Complaints::default()).await
        }
        Err(refused) => show(&state, &person, None, &fields, &Complaints::of(refused)?).await,
    }
}

async fn revoke(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let id: KeyId = id.parse().map_err(|_| Failure::NotFound)?;
    let pause = fields.is_on("pause");
    state.api(&person).perform(Method::DELETE, &format!("/api-keys/{id}?pause={pause}")).await?;
    Ok(see_other("/account/keys"))
}

async fn limits_of(
    State(state): State<ConsoleState>,
    person: Person,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let key = found(&state, &person, &id).await?;
    let typed = limits::typed(&key.limits, &key.scopes);
    Ok(edit(&person, &key, &typed, &Complaints::default()))
}

async fn change(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let key = found(&state, &person, &id).await?;
    let complaints = match limits::change(&fields, true, &key.limits) {
        Ok(body) => {
            let call = ApiCall::new(Method::PATCH, &format!("/api-keys/{}", key.id)).json(&body);
            match state.api(&person).send(call).await?.json::<AccountKey>() {
                Ok(_) => return Ok(see_other("/account/keys")),
                Err(refused) => Complaints::of(refused)?,
            }
        }
        Err(complaints) => complaints,
    };
    Ok(edit(&person, &key, &fields, &complaints))
}

async fn found(state: &ConsoleState, person: &Person, id: &str) -> Result<AccountKey, Failure> {
    let keys: Vec<AccountKey> = state.api(person).get("/api-keys").await?;
    keys.into_iter().find(|key| key.id.as_str() == id).ok_or(Failure::NotFound)
}

fn edit(person: &Person, key: &AccountKey, typed: &Fields, complaints: &Complaints) -> Response {
    let mut response = Tab::Keys.show(
        Tab::Keys.page(person),
        &html! {
            section.panel {
                h2 { "Limits of " (key.name) " " code { (key.prefix) "_…" (key.last4) } }
                p.quiet { (limits::shown(&key.limits, &key.scopes)) }
                (complaints.shown(&limits::FIELDS))
                form.stack method="post" action={ "/account/keys/" (key.id) } {
                    (person.form_token())
                    (limits::fieldset(typed, complaints, true))
                    div { button.primary type="submit" { "Save" } }
                }
            }
        },
    );
    *response.status_mut() = complaints.status();
    response
}

async fn show(
    state: &ConsoleState,
    person: &Person,
    made: Option<&CreatedKey>,
    typed: &Fields,
    complaints: &Complaints,
) -> Result<Response, Failure> {
    let keys: Vec<AccountKey> = state.api(person).get("/api-keys").await?;
    let page = Tab::Keys.page(person).script(COPY_JS);
    let mut response = Tab::Keys.show(
        page,
        &html! {
            @if let Some(made) = made { (secret(made)) }
            (form(person, &state.settings().sources, typed, complaints))
            (table(person, &keys))
        },
    );
    *response.status_mut() = complaints.status();
    Ok(response)
}

fn secret(made: &CreatedKey) -> Markup {
    html! {
        div.told role="status" {
            p { b { "Copy the key now." } " It is shown this once and cannot be recovered." }
            p {
                code #secret { (made.key) } " "
                button type="button" data-copies="secret" hidden { "Copy" }
            }
        }
    }
}

fn form(person: &Person, sources: &[String], typed: &Fields, complaints: &Complaints) -> Markup {
    let name = Line {
        name: "name",
        label: "Name",
        value: typed.raw("name"),
        hint: "What you will know it by.",
        ..Line::default()
    };
    let hint = "What will call with it; usage is added up by this.";
    html! {
        section.panel {
            h2 { "New key" }
            (complaints.shown(&[&["name", "source"][..], &limits::FIELDS].concat()))
            form.stack method="post" action="/account/keys" {
                (person.form_token())
                div.columns {
                    (name.show(complaints))
                    (field("source", "Channel", hint, complaints, |described, invalid| html! {
                        select id="source" name="source"
                            aria-describedby=[described] aria-invalid=[invalid] {
                            @for source in sources {
                                option value=(source) selected[typed.raw("source") == source] {
                                    (source)
                                }
                            }
                        }
                    }))
                }
                (tick("test", "For trying things out", "Its secret begins with key_test_; the \
                    balance is the same.", typed.is_on("test")))
                (limits::fieldset(typed, complaints, true))
                div { button.primary type="submit" { "Create key" } }
            }
        }
    }
}

fn table(person: &Person, keys: &[AccountKey]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="API keys" {
            @if keys.is_empty() {
                p.empty { "No keys yet." }
            } @else {
                table {
                    thead { tr {
                        th scope="col" { "Name" }
                        th scope="col" { "Key" }
                        th.wide scope="col" { "Channel" }
                        th.wide scope="col" { "Created (UTC)" }
                        th scope="col" { "Last used" }
                        th.wide scope="col" { "Spent and limits" }
                        th scope="col" { span.hidden-label { "What can be done" } }
                    } }
                    tbody { @for key in keys { (row(person, key)) } }
                }
            }
        }
    }
}

fn row(person: &Person, key: &AccountKey) -> Markup {
    html! {
        tr {
            td { (key.name) }
            td { code { (key.prefix) "_…" (key.last4) } }
            td.wide { (key.source) }
            td.wide { (time(key.created_at)) }
            td { @match key.last_used_at { Some(at) => (time(at)), None => { "never" } } }
            td.wide {
                (limits::shown(&key.limits, &key.scopes)) " "
                @if key.revoked_at.is_none() {
                    a href={ "/account/keys/" (key.id) } aria-label={ "Change the limits of " (key.name) } {
                        "Change"
                    }
                }
            }
            td {
                @match key.revoked_at {
                    Some(at) => { span.chip { "revoked" } " " (time(at)) }
                    None => {
                        form.inline method="post" action={ "/account/keys/" (key.id) "/revoke" } {
                            (person.form_token())
                            button.danger type="submit" aria-label={ "Revoke " (key.name) } {
                                "Revoke"
                            }
                            " "
                            label {
                                input type="checkbox" name="pause" value="on";
                                " Also pause the schedules and webhooks it made"
                            }
                        }
                    }
                }
            }
        }
    }
}
