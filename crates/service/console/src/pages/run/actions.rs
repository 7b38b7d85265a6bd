//! Actions on a run: confirm and abort.

use axum::extract::Path;
use axum::http::StatusCode;
use contract::PublicJob;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{RunPage, overview};
use crate::{FormErrors, PageResult, PostedForm, see_other};

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
        let whole = ceiling.parse::<i64>().map_or_else(|_| json!(ceiling), |it| json!(it));
        body.insert("max_credit_per_unit".to_owned(), whole);
    }
    perform(run, "/confirm", Value::Object(body)).await
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
        Err(refused) => {
            let form_errors = FormErrors::of(refused)?;
            let mut response = overview::page(&run, &form_errors).await?;
            *response.status_mut() = StatusCode::CONFLICT;
            Ok(response)
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
                p { "Delivered results stay readable. An aborted run cannot be continued." }
                button.danger type="submit" { "Abort the run" }
            }
        }
    }
}
