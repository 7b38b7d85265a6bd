//! `/runs/new`: the form of a new run with its estimate.

pub(crate) mod curl;
pub(crate) mod estimate;
pub(crate) mod form;
pub(crate) mod request;
mod single_run;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use client::{ApiCall, ApiCallError};
use contract::{JobAccepted, JobId, ProblemCode, RequestId, UploadedList};
use job::Job;
use maud::{Markup, html};
use serde_json::json;

use super::access;
use crate::assets::{COPY_JS, NEW_RUN_JS};
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, FormFields, ListQuery, PageError,
    PageResult, PostedForm, Section, see_other,
};
use estimate::EstimateView;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/runs/new", get(ask).post(start))
        .route("/runs/new/estimate", post(estimated))
        .route("/runs/new/request", post(requested))
}

/// The form: empty, filled from the query, or from the run `from`.
async fn ask(
    State(state): State<ConsoleState>,
    user: ConsoleUser,
    id: Option<Extension<RequestId>>,
    uri: axum::http::Uri,
    query: ListQuery,
) -> PageResult {
    let fields = match query.get("from").and_then(|id| id.parse::<JobId>().ok()) {
        Some(id) => {
            let job = state.store.job_of(&user.account, &id).await?;
            request::of_stored(&state.store, job.ok_or(PageError::NotFound)?).await?
        }
        None => FormFields::parse(uri.query().unwrap_or_default().as_bytes()),
    };
    let ready = NewRunForm {
        fields: &fields,
        form_errors: &FormErrors::default(),
        shown: &EstimateView::Nothing,
    };
    Ok(ready.page(&state, &user, id.as_deref()))
}

/// Starts the run, or shows the estimate for browsers without script.
async fn start(
    State(state): State<ConsoleState>,
    id: Option<Extension<RequestId>>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    if fields.text("do") == Some("estimate") {
        let shown = estimate::ask(&user, &fields).await?;
        let form =
            NewRunForm { fields: &fields, form_errors: &FormErrors::default(), shown: &shown };
        return Ok(form.page(&state, &user, id.as_deref()));
    }
    let mut body = request::body(&fields);
    let mut uploaded = None;
    if let Some(text) = request::long_list(&fields) {
        let call = ApiCall::post("/v1/lists").upload("text/plain", text);
        match user.api().send(call).await?.json::<UploadedList>() {
            Ok(list) => {
                body["list_id"] = json!(list.list_id);
                uploaded = Some(list.list_id);
            }
            Err(refused) => {
                let form_errors = FormErrors::of(refused)?.at_field("urls");
                return Ok(refused_form(&state, &user, id.as_deref(), &fields, &form_errors));
            }
        }
    }
    let mut call = ApiCall::post("/v1/jobs").json(&body);
    // The idempotency key makes a form that is sent twice start one run.
    if let Ok(key) = HeaderValue::from_str(fields.raw("form_id"))
        && !key.is_empty()
    {
        call = call.header(IDEMPOTENCY_KEY, key);
    }
    match user.api().send(call).await?.json::<JobAccepted>() {
        Ok(job) => Ok(see_other(&format!("/runs/{}", job.job_id))),
        Err(refused) => {
            if let Some(list) = &uploaded {
                // Without a run, it would count against the limit of unused lists.
                let call = ApiCall::delete(&format!("/v1/lists/{list}"));
                let _ = user.api().send(call).await?;
                // The form was sent twice: each upload has another id, so that the bodies differ.
                if is_sent_twice(&refused) {
                    return Ok(see_other("/runs"));
                }
            }
            let form_errors = FormErrors::of(refused)?;
            Ok(refused_form(&state, &user, id.as_deref(), &fields, &form_errors))
        }
    }
}

fn is_sent_twice(refused: &ApiCallError) -> bool {
    matches!(refused, ApiCallError::Problem { problem, .. }
        if problem.code == ProblemCode::IdempotencyKeyReused)
}

/// The form with the errors of the API.
fn refused_form(
    state: &ConsoleState,
    user: &ConsoleUser,
    id: Option<&RequestId>,
    fields: &FormFields,
    form_errors: &FormErrors,
) -> Response {
    let form = NewRunForm { fields, form_errors, shown: &EstimateView::Nothing };
    form.page(state, user, id)
}

/// The estimate as a fragment for the script.
async fn estimated(
    State(state): State<ConsoleState>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let shown = estimate::ask(&user, &fields).await?;
    let ordinary = state.store.rates().normal(request::mode(&fields));
    let mode = request::mode(&fields);
    Ok(fragment(estimate::show(&shown, mode, ordinary, user.balance)))
}

/// The request as a fragment for the script.
async fn requested(
    State(state): State<ConsoleState>,
    PostedForm { fields, .. }: PostedForm,
) -> Response {
    let body = single_run::hidden(access::hidden(request::body(&fields)));
    fragment(html! { (curl::line(&state.settings.public_url, &body)) })
}

fn fragment(markup: Markup) -> Response {
    Html(markup.into_string()).into_response()
}

/// The form with its values, errors and estimate.
struct NewRunForm<'a> {
    fields: &'a FormFields,
    form_errors: &'a FormErrors,
    shown: &'a EstimateView,
}

impl NewRunForm<'_> {
    fn page(&self, state: &ConsoleState, user: &ConsoleUser, id: Option<&RequestId>) -> Response {
        let mode = request::mode(self.fields);
        let ordinary = state.store.rates().normal(mode);
        let body = single_run::hidden(access::hidden(request::body(self.fields)));
        let line = curl::line(&state.settings.public_url, &body);
        let page = ConsolePage::of(user, "New run").at(Section::NewRun);
        page.status(self.form_errors.status()).script(NEW_RUN_JS).script(COPY_JS).show(html! {
            h1 { "New run" }
            (form::show(user, self.fields, self.form_errors, id, &html! {
                section.panel aria-labelledby="estimate-title" {
                    h2 #estimate-title { "Estimate" }
                    div.estimate #estimate aria-live="polite" {
                        (estimate::show(self.shown, mode, ordinary, user.balance))
                    }
                }
            }))
            (curl::panel(&line))
        })
    }
}

/// The request that starts this run again.
pub(crate) fn asked_for(job: &Job) -> String {
    let mut body = request::body(&request::of_job(job));
    if job.is_list() {
        body["urls"] = json!([format!("… {} URLs", job.listed_urls)]);
    }
    serde_json::to_string_pretty(&body).unwrap_or_default()
}
