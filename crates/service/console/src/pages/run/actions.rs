//! Actions on a run: confirm, abort and delete.

use axum::extract::Path;
use axum::http::{Method, StatusCode};
use client::ApiCallError;
use contract::PublicJob;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{RunPage, results};
use crate::{FormErrors, ListQuery, PageResult, PostedForm, see_other};

pub(super) async fn confirm(
    Path(id): Path<String>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let run = RunPage::find(user, &id).await?;
    let mut body = Map::new();
    if fields.is_on("continue_batch") {
        body.insert("continue_batch".to_owned(), json!(true));
    }
    if let Some(ceiling) = fields.text("max_credit_per_unit") {
        body.insert("max_credit_per_unit".to_owned(), whole(ceiling));
    }
    if let Some(budget) = fields.text("max_credits") {
        body.insert("max_credits".to_owned(), whole(budget));
    }
    perform(run, "/confirm", Value::Object(body)).await
}

/// A whole number, or the text as typed so that the API rejects it.
fn whole(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number))
}

pub(super) async fn delete(
    Path(id): Path<String>,
    PostedForm { user, .. }: PostedForm,
) -> PageResult {
    let run = RunPage::find(user, &id).await?;
    match run.api().perform(Method::DELETE, &run.api_path("")).await {
        Ok(()) => Ok(see_other("/runs")),
        Err(refused) => show_refusal(&run, refused).await,
    }
}

pub(super) async fn abort(
    Path(id): Path<String>,
    PostedForm { user, .. }: PostedForm,
) -> PageResult {
    let run = RunPage::find(user, &id).await?;
    perform(run, "/abort", json!({})).await
}

/// Performs the action and redirects to the run, or shows the run with the error.
async fn perform(run: RunPage, action: &str, body: Value) -> PageResult {
    match run.api().post::<PublicJob>(&run.api_path(action), &body).await {
        Ok(_) => Ok(see_other(&run.path(""))),
        Err(refused) => show_refusal(&run, refused).await,
    }
}

async fn show_refusal(run: &RunPage, refused: ApiCallError) -> PageResult {
    let form_errors = FormErrors::of(refused)?;
    let mut response = results::page(run, &ListQuery::default(), &form_errors).await?;
    *response.status_mut() = StatusCode::CONFLICT;
    Ok(response)
}

/// The delete button; asks for confirmation, also without script.
pub(super) fn delete_form(run: &RunPage) -> Markup {
    html! {
        details.abort {
            summary.button.danger { "Delete…" }
            form method="post" action=(run.path("/delete")) {
                (run.user.form_token())
                p {
                    "The run and its results are deleted at once and cannot be restored. Its \
                     credits stay charged."
                }
                button.danger type="submit" { "Delete the run" }
            }
        }
    }
}

/// The abort button; asks for confirmation, also without script.
pub(super) fn abort_form(run: &RunPage) -> Markup {
    html! {
        details.abort {
            summary.button.danger { "Abort…" }
            form method="post" action=(run.path("/abort")) {
                (run.user.form_token())
                p { "Results so far are kept. An aborted run cannot be resumed." }
                button.danger type="submit" { "Abort the run" }
            }
        }
    }
}
