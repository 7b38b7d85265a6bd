//! `POST /v1/pages`: reads one page at once.
//!
//! The order of checks is that of `POST /v1/jobs`: credential, rate limit, form of the body, replay
//! of an `Idempotency-Key`, fields, limits, credits. The page is charged with its answer, so that a
//! call that ends before is free.

use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use contract::{PageAnswer, PageId, ProblemCode, ReadPage, RequestId};
use store::{PageCallRequest, PageReplay};
use tokio::time::{Instant, timeout};

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::body::JsonBody;
use crate::caller::{Granted, JobsWrite};
use crate::routes::create_job::{
    REPLAYED, acceptance, check_assistant, idempotency, invalid_request, key_reused,
};

mod answer_files;
mod forwarded_call;
mod host_turn;
mod page_reading;
mod taken_calls;

use forwarded_call::account_limit;
use host_turn::HostAccess;
pub(crate) use host_turn::HostTurn;
pub(crate) use page_reading::not_delivered;
use page_reading::{AnswerTo, PageReading, PageReply};
pub use taken_calls::answer_forwarded_pages;

/// Read a page
///
/// Reads one page now and returns its item, as a run of the mode delivers it: same checks, robots.txt
/// and politeness. No job is created. A page that cannot be delivered is an error that names the
/// cause, and free. A retry with the same `Idempotency-Key` and the same body returns the same answer
/// for 24 hours and is charged once.
#[utoipa::path(
    post, path = "/v1/pages", tag = "pages",
    params(
        ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255,
            pattern = r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$",
            description = "Unique per intended page; printable ASCII."),
    ),
    request_body(content = ReadPage, description = "The page to read."),
    responses(
        (status = 200, description = "The page.",
            headers(("Idempotent-Replayed" = String,
                description = "`true` when this is the answer to an earlier request.")),
            body = PageAnswer),
    ),
    extensions(("x-problems" = json!([
        ProblemCode::InsufficientCredits, ProblemCode::LegalBasisRequired,
        ProblemCode::UrlNotResolved, ProblemCode::IdempotencyKeyReused, ProblemCode::Gone,
        ProblemCode::PageSkipped, ProblemCode::PageProtected, ProblemCode::PageFailed,
        ProblemCode::PageTimeout, ProblemCode::ActionFailed,
    ]))),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn read_page(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    JsonBody(body): JsonBody,
) -> ApiResult<Response> {
    let key = idempotency::key(&headers);
    let known = key.as_ref().ok().copied().flatten();
    let idempotency = idempotency::of_body(known, &body, &state.store)?;
    if let Some(key) = &idempotency {
        let replay = state.store.replay_page(&caller.account, key, state.now()).await?;
        if let Some(response) = replayed(replay)? {
            return Ok(response);
        }
    }
    let (request, url) = match (ReadPage::from_json(&body, &state.settings), key.err()) {
        (Ok(valid), None) => valid,
        (Ok(_), Some(error)) => return Err(error.into()),
        (Err(mut invalid), key_error) => {
            invalid.errors.extend(key_error);
            return Err(invalid_request(invalid));
        }
    };
    caller.check_mode(request.mode)?;
    let acceptance = acceptance(request.mode, &caller, request_id.clone());
    check_assistant(&caller, acceptance.is_some(), &state).await?;
    let call = PageCallRequest {
        page_id: PageId::new(state.now(), rand::random()),
        account: caller.account.clone(),
        creator: caller.creator(),
        source: caller.source(),
        idempotency,
        acceptance,
        request_id,
        public_url: state.settings.public_url.clone(),
        body,
    };
    let reading = PageReading::new(&state, &call, &request, &url)?;
    let account = call.account.as_str();
    let pages = &state.account_pages;
    let _account_permit = pages.take(account).ok_or_else(|| account_limit(pages.limit()))?;
    let started = Instant::now();
    let within = Duration::from_millis(request.timeout_ms);
    // Only the limit of the account refuses a call: one over that of the service waits for its turn.
    let permit = timeout(within, state.page_calls.acquire()).await.map_err(|_| {
        let message = format!(
            "the service is reading too many pages and had no room for this one within {} ms; send \
             the request again, or start a job",
            within.as_millis()
        );
        ApiError::new(ProblemCode::PageTimeout, message)
    })?;
    let _permit = permit.map_err(|_| ApiError::internal("the page semaphore is closed"))?;
    let within = within.saturating_sub(started.elapsed());
    // Held until the answer is stored, so that a retry gets it and the site gets one request.
    let _turn = match &call.idempotency {
        Some(key) => {
            let turn = state.page_retries.lock(format!("{account} {}", key.key)).await;
            let replay = state.store.replay_page(&call.account, key, state.now()).await?;
            if let Some(response) = replayed(replay)? {
                return Ok(response);
            }
            Some(turn)
        }
        None => None,
    };
    match answer(&state, &call, &reading, within).await? {
        PageReply::Answer(answer) => Ok(json_response(answer, false)),
        PageReply::Replayed(replay) => match replayed(replay)? {
            Some(response) => Ok(response),
            None => Err(ApiError::internal("a new key was found as used")),
        },
        PageReply::NotForwarded => Err(ApiError::internal("the call was not forwarded")),
    }
}

/// Reads and charges the page within this time, here or on the node that has its host.
async fn answer(
    state: &ApiState,
    call: &PageCallRequest,
    reading: &PageReading<'_>,
    within: Duration,
) -> ApiResult<PageReply> {
    let cover = reading.cover().await?;
    let started = Instant::now();
    match HostTurn::wait(state, reading.url, call, within).await? {
        HostAccess::Leased(_turn) => {
            let left = within.saturating_sub(started.elapsed());
            reading.read_and_charge(cover, left, AnswerTo::Client).await
        }
        HostAccess::Answered(answer) => forwarded_call::reply(state, call, answer).await,
        HostAccess::TimedOut => {
            let message = format!(
                "another node of the service crawls the host and has not read the page within {} \
                 ms; send the request again, or start a job",
                within.as_millis()
            );
            Err(ApiError::new(ProblemCode::PageTimeout, message))
        }
    }
}

/// The response to a request that was answered before; `None` if it is new.
fn replayed(replay: PageReplay) -> ApiResult<Option<Response>> {
    match replay {
        PageReplay::New => Ok(None),
        PageReplay::Answered(answer) => Ok(Some(json_response(answer, true))),
        PageReplay::BodyMismatch => Err(key_reused()),
        PageReplay::Dropped => Err(ApiError::new(
            ProblemCode::Gone,
            "the page was read and charged with this Idempotency-Key, and its answer is not kept \
             any more; use a new key to read the page again",
        )),
    }
}

fn json_response(answer: String, is_replayed: bool) -> Response {
    let mut response = Body::from(answer).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if is_replayed {
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}
