//! `/runs/new`: a run is asked for, with what it would cost beside it.

mod curl;
pub(crate) mod estimate;
pub(crate) mod form;
pub(crate) mod request;
mod switches;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use client::ApiCall;
use contract::{JobAccepted, JobId, RequestId};
use job::Job;
use maud::{Markup, html};

use crate::assets::{COPY_JS, NEW_RUN_JS};
use crate::{
    Complaints, ConsoleState, Failure, Fields, Page, Person, Posted, Query, Section, see_other,
};
use estimate::Shown;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/runs/new", get(ask).post(start))
        .route("/runs/new/estimate", post(estimated))
        .route("/runs/new/request", post(requested))
}

/// The form: empty, as the query has it, or as the run that `from` names was started.
async fn ask(
    State(state): State<ConsoleState>,
    person: Person,
    id: Option<Extension<RequestId>>,
    uri: axum::http::Uri,
    query: Query,
) -> Result<Response, Failure> {
    let fields = match query.get("from").and_then(|id| id.parse::<JobId>().ok()) {
        Some(id) => {
            let job = state.store().job_of(&person.account, &id).await?;
            let job = state.store().with_domains(job.ok_or(Failure::NotFound)?).await?;
            request::of_job(&job)
        }
        None => Fields::parse(uri.query().unwrap_or_default().as_bytes()),
    };
    let ready =
        Form { fields: &fields, complaints: &Complaints::default(), shown: &Shown::Nothing };
    Ok(ready.page(&state, &person, id.as_deref()))
}

/// Starts the run; or shows what it would cost, where there is no script to do so.
async fn start(
    State(state): State<ConsoleState>,
    id: Option<Extension<RequestId>>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    if fields.text("do") == Some("estimate") {
        let shown = estimate::ask(&state, &person, &fields).await?;
        let form = Form { fields: &fields, complaints: &Complaints::default(), shown: &shown };
        return Ok(form.page(&state, &person, id.as_deref()));
    }
    let mut call = ApiCall::post("/v1/jobs").json(&request::body(&fields));
    // A form that is sent twice starts one run.
    if let Ok(key) = HeaderValue::from_str(fields.raw("form_id"))
        && !key.is_empty()
    {
        call = call.header(IDEMPOTENCY_KEY, key);
    }
    match state.api(&person).send(call).await?.json::<JobAccepted>() {
        Ok(job) => Ok(see_other(&format!("/runs/{}", job.job_id))),
        Err(refused) => {
            let complaints = Complaints::of(refused)?;
            let form = Form { fields: &fields, complaints: &complaints, shown: &Shown::Nothing };
            let mut response = form.page(&state, &person, id.as_deref());
            *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(response)
        }
    }
}

/// The estimate alone, for the script.
async fn estimated(
    State(state): State<ConsoleState>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let shown = estimate::ask(&state, &person, &fields).await?;
    let ordinary = state.store().rates().normal(request::mode(&fields));
    Ok(fragment(estimate::show(&shown, ordinary)))
}

/// The request alone, for the script.
async fn requested(State(state): State<ConsoleState>, Posted { fields, .. }: Posted) -> Response {
    fragment(html! { (curl::line(&state.settings().public_url, &request::body(&fields))) })
}

fn fragment(markup: Markup) -> Response {
    Html(markup.into_string()).into_response()
}

/// The page with what was typed, what was said against it, and what it would cost.
struct Form<'a> {
    fields: &'a Fields,
    complaints: &'a Complaints,
    shown: &'a Shown,
}

impl Form<'_> {
    fn page(&self, state: &ConsoleState, person: &Person, id: Option<&RequestId>) -> Response {
        let mode = request::mode(self.fields);
        let ordinary = state.store().rates().normal(mode);
        let line = curl::line(&state.settings().public_url, &request::body(self.fields));
        let page = Page::of(person, "New run").at(Section::NewRun);
        page.script(NEW_RUN_JS).script(COPY_JS).show(html! {
            h1 { "New run" }
            div.beside {
                div { (form::show(person, self.fields, self.complaints, id)) }
                aside {
                    section.panel aria-labelledby="estimate-title" {
                        h2 #estimate-title { "Estimate" }
                        div.estimate #estimate aria-live="polite" {
                            (estimate::show(self.shown, ordinary))
                        }
                    }
                    section.panel aria-labelledby="request-title" {
                        div.head {
                            h2 #request-title { "The same over the API" }
                            div.actions {
                                button type="button" data-copies="request" hidden { "Copy" }
                            }
                        }
                        pre.request #request tabindex="0" { (line) }
                    }
                }
            }
        })
    }
}

/// The request that would start this run again.
pub(crate) fn asked_for(job: &Job) -> String {
    serde_json::to_string_pretty(&request::body(&request::of_job(job))).unwrap_or_default()
}
