//! `/account/keys`: API keys, whose secrets are shown once.

use axum::Router;
use axum::extract::Path;
use axum::http::Method;
use axum::routing::{get, post};
use contract::{AccountKey, CreatedKey, KeyId};
use maud::{Markup, html};
use serde_json::json;

use super::limit_form::LimitForm;
use super::{limits, tab};
use crate::assets::COPY_JS;
use crate::form::{TextField, checkbox, field};
use crate::number_format::time;
use crate::{
    ConfirmedAction, ConsoleState, ConsoleUser, FormErrors, FormFields, PageError, PageResult,
    PostedForm, see_other,
};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/account/keys", get(list).post(create))
        .route("/account/keys/{id}", get(limits_of).post(change))
        .route("/account/keys/{id}/revoke", post(revoke))
}

async fn list(user: ConsoleUser) -> PageResult {
    show(&user, None, &FormFields::default(), &FormErrors::default()).await
}

/// The response shows the secret: it cannot be read again from another URL.
async fn create(PostedForm { user, fields }: PostedForm) -> PageResult {
    let mut body = match limits::body(&fields, true) {
        Ok(body) => body,
        Err(form_errors) => return show(&user, None, &fields, &form_errors).await,
    };
    for name in ["name", "source"] {
        body.insert(name.to_owned(), json!(fields.text(name)));
    }
    body.insert("test".to_owned(), json!(fields.is_on("test")));
    match user.api().post::<CreatedKey>("/api-keys", &body).await {
        Ok(made) => show(&user, Some(&made), &FormFields::default(), &FormErrors::default()).await,
        Err(refused) => show(&user, None, &fields, &FormErrors::of(refused)?).await,
    }
}

async fn revoke(Path(id): Path<String>, PostedForm { user, fields }: PostedForm) -> PageResult {
    let id: KeyId = id.parse().map_err(|_| PageError::NotFound)?;
    let pause = fields.is_on("pause") || fields.is_on(&format!("pause-{id}"));
    user.api().perform(Method::DELETE, &format!("/api-keys/{id}?pause={pause}")).await?;
    Ok(see_other("/account/keys"))
}

async fn limits_of(user: ConsoleUser, Path(id): Path<String>) -> PageResult {
    let key = found(&user, &id).await?;
    Ok(limit_form(&user, &key).show(None, &FormErrors::default()))
}

async fn change(Path(id): Path<String>, PostedForm { user, fields }: PostedForm) -> PageResult {
    let key = found(&user, &id).await?;
    limit_form(&user, &key).save(&fields).await
}

async fn found(user: &ConsoleUser, id: &str) -> PageResult<AccountKey> {
    let keys: Vec<AccountKey> = user.api().get("/api-keys").await?;
    keys.into_iter().find(|key| key.id.as_str() == id).ok_or(PageError::NotFound)
}

fn limit_form<'a>(user: &'a ConsoleUser, key: &'a AccountKey) -> LimitForm<'a> {
    LimitForm {
        user,
        list: "/account/keys",
        id: key.id.as_str(),
        api_path: format!("/api-keys/{}", key.id),
        name: html! { (key.name) " " code { (key.prefix) "_…" (key.last4) } },
        limits: &key.limits,
        scopes: Some(&key.scopes),
    }
}

async fn show(
    user: &ConsoleUser,
    made: Option<&CreatedKey>,
    typed: &FormFields,
    form_errors: &FormErrors,
) -> PageResult {
    let keys: Vec<AccountKey> = user.api().get("/api-keys").await?;
    let page = tab::page(user, "/account/keys").script(COPY_JS).status(form_errors.status());
    Ok(page.show(html! {
        @if let Some(made) = made { (super::secret(&made.key, &html! {
            b { "Copy the key now." } " It is shown only once and cannot be recovered."
        })) }
        (form(user, &user.state.settings.sources, typed, form_errors))
        (table(user, &keys))
    }))
}

fn form(
    user: &ConsoleUser,
    sources: &[String],
    typed: &FormFields,
    form_errors: &FormErrors,
) -> Markup {
    let hint = "For example: CI";
    let name = TextField { hint, ..TextField::of("name", "Name", typed) };
    let hint = "The client that uses the key; usage is shown by source.";
    html! {
        section.panel {
            h2 { "New key" }
            (form_errors.shown(&[&["name", "source"][..], &limits::FIELDS].concat()))
            form.stack method="post" action="/account/keys" {
                (user.form_token())
                div.columns {
                    (name.show(form_errors))
                    (field("source", "Source", hint, form_errors, |described, invalid| html! {
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
                (checkbox("test", "Test key", "Prefix key_test_, same balance.", typed.is_on("test")))
                (limits::fieldset(typed, form_errors, true))
                div { button.primary type="submit" { "Create key" } }
            }
        }
    }
}

fn table(user: &ConsoleUser, keys: &[AccountKey]) -> Markup {
    crate::table(
        "API keys",
        "Name, Key, Source:wide, Created:wide, Last used:wide, Spent and limits:wide, Actions",
        keys,
        |key| row(user, key),
        &html! { "No keys yet." },
    )
}

fn row(user: &ConsoleUser, key: &AccountKey) -> Markup {
    html! {
        tr {
            td { (key.name) }
            td { code { (key.prefix) "_…" (key.last4) } }
            td.wide { (key.source) }
            td.wide { (time(key.created_at)) }
            td.wide { @match key.last_used_at { Some(at) => (time(at)), None => { "never" } } }
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
                        (ConfirmedAction {
                            path: &format!("/account/keys/{}/revoke", key.id),
                            opener: "Revoke",
                            about: &key.name,
                            question: "Requests with this key are rejected at once. A revoked key \
                                cannot be restored.",
                            button: "Revoke the key",
                        }.show(user, &html! {
                            (checkbox(&format!("pause-{}", key.id), "Also pause its schedules and webhooks", "", false))
                        }))
                    }
                }
            }
        }
    }
}
