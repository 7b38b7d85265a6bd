//! What can be done about a run: answer what it waits for, end it.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use contract::PublicJob;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{RunPage, overview};
use crate::{ConsoleState, FormErrors, PageError, PostedForm, see_other};

pub(super) async fn confirm(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    PostedForm { user, fields }: PostedForm,
) -> Result<Response, PageError> {
    let run = RunPage::find(user, &id, &state).await?;
    let mut body = Map::new();
    if fields.is_on("continue_batch") {
        body.insert("continue_batch".to_owned(), json!(true));
    }
    if let Some(ceiling) = fields.text("max_credit_per_unit") {
        let whole = ceiling.parse::<i64>().map_or_else(|_| json!(ceiling), |it| json!(it));
        body.insert("max_credit_per_unit".to_owned(), whole);
    }
    perform(&state, run, "/confirm", Value::Object(body)).await
}

pub(super) async fn abort(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    PostedForm { user, .. }: PostedForm,
) -> Result<Response, PageError> {
    let run = RunPage::find(user, &id, &state).await?;
    perform(&state, run, "/abort", json!({})).await
}

/// Does it and leads back to the run; or says beside the run why not.
async fn perform(
    state: &ConsoleState,
    run: RunPage,
    deed: &str,
    body: Value,
) -> Result<Response, PageError> {
    match state.api(&run.user).post::<PublicJob>(&run.api_path(deed), &body).await {
        Ok(_) => Ok(see_other(&run.path(""))),
        Err(refused) => {
            let form_errors = FormErrors::of(refused)?;
            let mut response = overview::page(&run, state, &form_errors).await?;
            *response.status_mut() = StatusCode::CONFLICT;
            Ok(response)
        }
    }
}

/// The button that ends a run; it asks once more, also without script.
pub(super) fn abort_form(run: &RunPage) -> Markup {
    html! {
        details.abort {
            summary.button.danger { "Abort…" }
            form method="post" action=(run.path("/abort")) {
                (run.user.form_token())
                p { "What was paid for stays readable. The run cannot go on afterwards." }
                button.danger type="submit" { "Abort the run" }
            }
        }
    }
}
