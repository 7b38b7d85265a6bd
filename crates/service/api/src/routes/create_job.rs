//! `POST /v1/jobs`: creates a job.
//!
//! The order of checks is part of the contract: credential, rate limit, form of the body, replay of
//! an `Idempotency-Key`, fields, conflicts with other jobs, credits.

pub(crate) mod idempotency;
mod target;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::{
    FieldError, IfBusy, InvalidJobRequest, JobAccepted, JobId, JobRequest, JobWebhook, Mode,
    ProblemCode, RequestId, Status,
};
use job::JobDraft;
use runtime::off_runtime;
use serde_json::Value;
use store::{Creation, NewAcceptance, NewJob, Replay, StoreError, StoredList, WebhookSecret};
use target::JobTarget;

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::body::JsonBody;
use crate::caller::{ApiCaller, Credential, Granted, JobsWrite};
use crate::receiver_url::job_receiver_url;
use crate::routes::webhooks::check_addresses;

pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The section of the terms that `legal_basis_accepted` refers to.
const TERMS_SECTION: &str = "5.7";

/// `Retry-After` while a request with the same key is in progress, in seconds.
const IN_PROGRESS_RETRY_AFTER: u64 = 1;

/// `Retry-After` when the queue of the account is full, in seconds.
const QUEUE_FULL_RETRY_AFTER: u64 = 30;

/// Start a job
///
/// Returns at once; the crawl runs in the background. A retry with the same `Idempotency-Key` and
/// the same body returns the same response for 24 hours and starts no second job. An account has one
/// run per site at a time: another request for the site is refused with 409, or waits for its turn
/// with `if_busy` `queue`.
#[utoipa::path(
    post, path = "/v1/jobs", tag = "jobs",
    params(
        ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255,
            pattern = r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$",
            description = "Unique per intended job; printable ASCII."),
    ),
    request_body(content = JobRequest, description = "What to crawl."),
    responses(
        (status = 202, description = "Accepted: the job is queued.",
            headers(("Idempotent-Replayed" = String,
                description = "`true` when this is the response to an earlier request.")),
            body = JobAccepted),
    ),
    extensions(("x-problems" = json!([
        ProblemCode::InsufficientCredits, ProblemCode::Conflict, ProblemCode::AwaitingConfirmation,
        ProblemCode::IdempotencyInProgress, ProblemCode::LegalBasisRequired,
        ProblemCode::IdempotencyKeyReused, ProblemCode::UrlNotResolved,
    ]))),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn create_job(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    Extension(request): Extension<RequestId>,
    headers: HeaderMap,
    JsonBody(body): JsonBody,
) -> ApiResult<Response> {
    let now = state.now();
    let key = idempotency::key(&headers);
    let known = key.as_ref().ok().copied().flatten();
    let idempotency = idempotency::of_body(known, &body, &state.store)?;
    if let Some(key) = &idempotency {
        match state.store.replay(&caller.account, key, now).await? {
            Replay::New => {}
            Replay::Answered(accepted) => return Ok(accepted_response(accepted, true)),
            Replay::BodyMismatch => return Err(key_reused()),
        }
    }
    let new = NewJob {
        idempotency: idempotency.clone(),
        ..validate(&body, key.err(), &caller, request, &state)?
    };
    let new = with_list(new, &caller, &state).await?;
    let (new, minted) = with_webhook(new, &state).await?;
    check_assistant(&caller, new.acceptance.is_some(), &state).await?;
    match state.store.create_job(&new, now).await {
        Ok(Creation::Created(mut created)) => {
            if !created.replayed {
                created.accepted.webhook_secret = minted.map(|secret| secret.reveal().to_owned());
            }
            creation_response(Creation::Created(created), &state)
        }
        Ok(refused) => creation_response(refused, &state),
        Err(StoreError::Locked(_)) if idempotency.is_some() => Err(ApiError::new(
            ProblemCode::IdempotencyInProgress,
            "a request with the same Idempotency-Key is still in progress",
        )
        .retry_after(IN_PROGRESS_RETRY_AFTER)),
        Err(error) => Err(error.into()),
    }
}

/// Adds the number of URLs of the uploaded list.
async fn with_list(mut new: NewJob, caller: &ApiCaller, state: &ApiState) -> ApiResult<NewJob> {
    let Some(id) = &new.draft.list else { return Ok(new) };
    let list = state.store.list_of(&caller.account, id, state.now()).await?;
    let StoredList { list, free } = list.ok_or_else(list_gone)?;
    (new.draft.listed_urls, new.draft.free) = (list.url_count, free);
    Ok(new)
}

/// Checks the addresses of the receiver, and adds a secret if the client gave none. Returns that
/// secret, too.
async fn with_webhook(
    mut new: NewJob,
    state: &ApiState,
) -> ApiResult<(NewJob, Option<WebhookSecret>)> {
    let Some(webhook) = &new.draft.webhook else { return Ok((new, None)) };
    let wrong = |message: String| FieldError::new("webhook.url", message);
    let receiver =
        job_receiver_url(&webhook.url, webhook.format(), &state.settings).map_err(wrong)?;
    check_addresses(state, "webhook.url", &receiver).await?;
    if new.webhook_secret.is_some() {
        return Ok((new, None));
    }
    let minted = WebhookSecret::mint();
    new.webhook_secret = Some(minted.clone());
    Ok((new, Some(minted)))
}

fn list_gone() -> ApiError {
    let message = "there is no such list, or it has expired; upload it again with POST /v1/lists";
    FieldError::new("list_id", message).into()
}

/// Fails if an assistant accepts the legal basis without permission of the account's owner.
pub(crate) async fn check_assistant(
    caller: &ApiCaller,
    accepts: bool,
    state: &ApiState,
) -> ApiResult<()> {
    if !accepts || !caller.is_assistant() {
        return Ok(());
    }
    if state.store.assistants_may_accept_legal_basis(&caller.account).await? {
        return Ok(());
    }
    let message = "an assistant cannot accept the legal basis of a contacts run: the \
        owner of the account starts the run in the console, or allows it there under Account";
    let code = ProblemCode::LegalBasisRequired;
    Err(ApiError::of_field(code, "legal_basis_accepted", message.to_owned()))
}

/// Validates a body, without the state of the account. `key_error` is the error of the
/// `Idempotency-Key`.
pub(crate) fn validate(
    body: &Value,
    key_error: Option<FieldError>,
    caller: &ApiCaller,
    request_id: RequestId,
    state: &ApiState,
) -> ApiResult<NewJob> {
    let (request, parsed) =
        match (off_runtime(|| JobRequest::from_json(body, &state.settings)), key_error) {
            (Ok(valid), None) => valid,
            (Ok(_), Some(error)) => return Err(error.into()),
            (Err(mut invalid), key_error) => {
                invalid.errors.extend(key_error);
                return Err(invalid_request(invalid));
            }
        };
    caller.check_mode(request.mode)?;
    let target = JobTarget::of(&request, parsed);
    let webhook = request.webhook.as_ref();
    let webhook_secret = webhook.and_then(|webhook| webhook.secret.as_ref());
    Ok(NewJob {
        host: target.host(),
        urls: target.urls.clone(),
        acceptance: acceptance(request.mode, caller, request_id),
        access: request.access(),
        webhook_secret: webhook_secret.map(|secret| WebhookSecret::chosen(secret.reveal())),
        webhook_headers: webhook.map(|webhook| webhook.headers.clone()).unwrap_or_default(),
        if_busy: request.if_busy.unwrap_or(IfBusy::Reject),
        draft: draft(request, target, caller, state),
        idempotency: None,
    })
}

pub(crate) fn invalid_request(invalid: InvalidJobRequest) -> ApiError {
    let InvalidJobRequest { errors, lacks_legal_basis } = invalid;
    if !lacks_legal_basis {
        return ApiError::invalid(errors);
    }
    let message = "mode contacts needs legal_basis_accepted: true";
    ApiError::new(ProblemCode::LegalBasisRequired, message).errors(errors)
}

/// The response to a creation.
pub(crate) fn creation_response(creation: Creation, state: &ApiState) -> ApiResult<Response> {
    match creation {
        Creation::Created(created) => Ok(accepted_response(created.accepted, created.replayed)),
        Creation::BodyMismatch => Err(key_reused()),
        Creation::SiteBusy { job, status } => Err(site_busy(job, status)),
        Creation::QueueFull => Err(ApiError::rate_limited(
            format!(
                "account limit: {} jobs are queued; wait for some of them to end",
                state.settings.limits.queued_jobs
            ),
            QUEUE_FULL_RETRY_AFTER,
        )),
        Creation::ListGone => Err(list_gone()),
        Creation::Suspended => Err(ApiError::suspended()),
        Creation::Refused(refusal) => Err(ApiError::refused(refusal, &state.settings)),
    }
}

fn draft(request: JobRequest, target: JobTarget, caller: &ApiCaller, state: &ApiState) -> JobDraft {
    let access = request.access().hidden();
    JobDraft {
        id: JobId::new(state.now(), rand::random()),
        account: caller.account.clone(),
        source: caller.source(),
        creator: caller.creator(),
        free: target.is_free(),
        mode: request.mode,
        site_key: target.site_key(request.scope.one_page),
        url: target.url.map(String::from),
        domains: target.domains,
        inputs: target.inputs,
        listed_urls: target.urls.len() as u64,
        list: request.list_id,
        scope: request.scope,
        options: request.options,
        on_protected: request.on_protected,
        ceiling: request.max_credit_per_unit,
        external: request.external,
        webhook: request.webhook.as_ref().map(JobWebhook::hidden),
        access,
        batch_size: state.settings.limits.batch_size,
    }
}

/// The acceptance of the legal basis, in modes that require one.
pub(crate) fn acceptance(
    mode: Mode,
    caller: &ApiCaller,
    request: RequestId,
) -> Option<NewAcceptance> {
    let (key, application) = match &caller.credential {
        Credential::Key(key) => (Some(key.id.clone()), None),
        Credential::Application(caller) => (None, Some(caller.application.clone())),
        Credential::Session(..) => (None, None),
    };
    let (request, terms) = (Some(request), TERMS_SECTION.to_owned());
    mode.requires_legal_basis().then_some(NewAcceptance { key, application, request, terms })
}

fn accepted_response(accepted: JobAccepted, replayed: bool) -> Response {
    let mut response = (StatusCode::ACCEPTED, Json(accepted)).into_response();
    if replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

pub(crate) fn key_reused() -> ApiError {
    ApiError::new(
        ProblemCode::IdempotencyKeyReused,
        "this Idempotency-Key was used for another body; use a new key for a new job",
    )
}

fn site_busy(job: JobId, status: Status) -> ApiError {
    let error = match status {
        Status::AwaitingConfirmation | Status::Paused => ApiError::new(
            ProblemCode::AwaitingConfirmation,
            format!(
                "run {job} on this site waits for your confirmation; answer it, abort it, or send \
                 if_busy \"queue\" to start after it"
            ),
        ),
        Status::Queued | Status::Running | Status::Completed | Status::Failed | Status::Aborted => {
            let message = format!(
                "run {job} on this site is {status}; wait for its end, abort it, or send if_busy \
                 \"queue\" to start after it"
            );
            ApiError::new(ProblemCode::Conflict, message)
        }
    };
    error.job(job)
}
