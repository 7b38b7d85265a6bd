//! `POST /v1/jobs`: a run is asked for.
//!
//! The order of refusals is part of the contract: credential, share of requests, form
//! of the body, an answer that was given before, fields, the state of things, credits.

mod idempotency;
mod language;
mod order;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::{CreateJob, FieldError, JobAccepted, JobId, Mode, ProblemCode, RequestId, Status};
use job::Draft;
use serde_json::Value;
use store::{Creation, IdempotencyKey, NewAcceptance, NewJob, Replay, StoreError};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::{JsonBody, canonical_hash};
use crate::caller::{ApiCaller, Credential, Granted, JobsWrite};
use crate::openapi::{example, problems};
use order::Order;

problems!(Refusals: InvalidJson, Unauthorized, Forbidden, InsufficientCredits, RequestTimeout, Conflict,
    AwaitingConfirmation, IdempotencyInProgress, PayloadTooLarge, UnsupportedMediaType,
    ValidationFailed, LegalBasisRequired, IdempotencyKeyReused, RateLimited, ServerError, Unavailable);

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The section of the terms that `legal_basis_accepted` is about.
const TERMS: &str = "5.7";

/// Seconds after which a twin in flight has its answer, or never will.
const TWIN_WAIT: u64 = 1;

/// Seconds after which one of a thousand waiting jobs may have begun.
const QUEUE_WAIT: u64 = 30;

/// Start a job
///
/// Returns at once; the crawl goes on in the background. A retry with the same
/// `Idempotency-Key` and the same body gets the same answer for 24 hours and starts
/// nothing.
#[utoipa::path(
    post,
    path = "/v1/jobs",
    operation_id = "create_job",
    tag = "jobs",
    params(("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255,
        pattern = r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$",
        description = "Unique for each job that is meant; printable ASCII.")),
    request_body(content = CreateJob, description = "What to crawl, and how.",
        example = json!(example::create_job())),
    responses(
        (status = 202, description = "Accepted: the job is queued.",
            headers(("Idempotent-Replayed" = String,
                description = "`true` when this is the answer to an earlier request.")),
            body = JobAccepted, example = json!(example::accepted())),
        Refusals,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn create_job(
    State(state): State<ApiState>,
    caller: Granted<JobsWrite>,
    Extension(request): Extension<RequestId>,
    headers: HeaderMap,
    JsonBody(body): JsonBody,
) -> Result<Response, ApiError> {
    let now = state.now();
    let key = idempotency::key(&headers);
    let idempotency = key
        .as_ref()
        .ok()
        .and_then(Option::as_ref)
        .map(|key| IdempotencyKey { key: (*key).to_owned(), body_hash: canonical_hash(&body) });
    if let Some(key) = &idempotency {
        match state.store().replay(&caller.account, key, now).await? {
            Replay::New => {}
            Replay::Answered(accepted) => return Ok(answer(accepted, true)),
            Replay::OtherBody => return Err(key_reused()),
        }
    }
    let new = NewJob {
        idempotency: idempotency.clone(),
        ..checked(&body, key.err(), &caller, request, &state)?
    };
    hold_assistant(&caller, new.acceptance.is_some(), &state).await?;
    match state.store().create_job(&new, now).await {
        Ok(creation) => outcome(creation, &state),
        Err(StoreError::Locked(_)) if idempotency.is_some() => Err(ApiError::new(
            ProblemCode::IdempotencyInProgress,
            "a request with this Idempotency-Key is being answered right now",
        )
        .retry_after(TWIN_WAIT)),
        Err(error) => Err(error.into()),
    }
}

/// Refuses an assistant that accepts the legal basis of a run without its owner's leave.
pub(crate) async fn hold_assistant(
    caller: &ApiCaller,
    accepts: bool,
    state: &ApiState,
) -> Result<(), ApiError> {
    if !accepts || !caller.is_assistant() {
        return Ok(());
    }
    if state.store().assistants_may_accept_legal_basis(&caller.account).await? {
        return Ok(());
    }
    let message = "an assistant cannot accept the legal basis of a contacts run by itself: the \
        owner of the account starts the run in the console, or allows it there under Account";
    let errors = vec![FieldError::new("legal_basis_accepted", message)];
    Err(ApiError::new(ProblemCode::LegalBasisRequired, message).errors(errors))
}

/// A body that was judged by all that the account's state has no say in. `key` is what is
/// wrong with the request's `Idempotency-Key`.
pub(crate) fn checked(
    body: &Value,
    key: Option<FieldError>,
    caller: &ApiCaller,
    request: RequestId,
    state: &ApiState,
) -> Result<NewJob, ApiError> {
    let order = Order::read(body, key, state.settings())?;
    caller.check_mode(order.mode)?;
    Ok(NewJob {
        host: order.host(),
        acceptance: acceptance(&order, caller, request),
        draft: draft(order, caller, state),
        idempotency: None,
    })
}

/// What a client is told of a creation.
pub(crate) fn outcome(creation: Creation, state: &ApiState) -> Result<Response, ApiError> {
    match creation {
        Creation::Created(created) => Ok(answer(created.accepted, created.replayed)),
        Creation::OtherBody => Err(key_reused()),
        Creation::SiteBusy { job, status } => Err(site_busy(job, status)),
        Creation::QueueFull => Err(ApiError::rate_limited(
            format!(
                "{} jobs wait already; let some of them end",
                state.settings().limits.queued_jobs
            ),
            QUEUE_WAIT,
        )),
        Creation::Suspended => Err(ApiError::suspended()),
        Creation::Refused(refusal) => Err(ApiError::refused(refusal, state.settings())),
    }
}

fn draft(order: Order, caller: &ApiCaller, state: &ApiState) -> Draft {
    Draft {
        id: JobId::new(state.now(), rand::random()),
        account: caller.account.clone(),
        source: caller.source(),
        creator: caller.creator(),
        free: order.is_free(),
        mode: order.mode,
        site_key: order.site_key(),
        url: order.url.map(String::from),
        domains: order.domains,
        inputs: order.inputs,
        scope: order.scope,
        options: order.options,
        on_protected: order.on_protected,
        ceiling: order.ceiling,
        external: order.external,
        batch_size: state.settings().limits.batch_size,
    }
}

/// What is accepted with the order: it was judged to be there where it must be.
fn acceptance(order: &Order, caller: &ApiCaller, request: RequestId) -> Option<NewAcceptance> {
    let (key, application) = match &caller.credential {
        Credential::Key(key) => (Some(key.id.clone()), None),
        Credential::Application(caller) => (None, Some(caller.application.clone())),
        Credential::Session(..) => (None, None),
    };
    match order.mode {
        Mode::Contacts => {
            let (request, terms) = (Some(request), TERMS.to_owned());
            Some(NewAcceptance { key, application, request, terms })
        }
        Mode::Links | Mode::Sitemap | Mode::Products | Mode::Markdown => None,
    }
}

fn answer(accepted: JobAccepted, replayed: bool) -> Response {
    let mut response = (StatusCode::ACCEPTED, Json(accepted)).into_response();
    if replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

fn key_reused() -> ApiError {
    ApiError::new(
        ProblemCode::IdempotencyKeyReused,
        "this Idempotency-Key was used for another body; take a new one for a new job",
    )
}

fn site_busy(job: JobId, status: Status) -> ApiError {
    let fault = match status {
        Status::AwaitingConfirmation | Status::Paused => ApiError::new(
            ProblemCode::AwaitingConfirmation,
            "a job for this site waits for the confirm operation",
        ),
        Status::Queued | Status::Running | Status::Completed | Status::Failed | Status::Aborted => {
            ApiError::new(ProblemCode::Conflict, "a job for this site is in progress")
        }
    };
    fault.job(job)
}
