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
use contract::{
    Credits, FieldError, PageAnswer, PageFormat, PageId, PageProblem, ProblemCode, ReadPage,
    RequestId,
};
use pages::{DeliveredPage, FailureKind, FileContent, PageCall, PageFailure, PageOutcome};
use privacy::Denylist;
use store::{NewPageRead, PageDelivery, PageReplay};
use tokio::time::Instant;
use urls::{CanonicalUrl, SiteKey, is_sample_host};

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::body::JsonBody;
use crate::caller::{ApiCaller, Granted, JobsWrite};
use crate::routes::create_job::{
    REPLAYED, acceptance, check_assistant, idempotency, invalid_request, key_reused,
};

mod answer_files;
mod host_turn;

use answer_files::AnswerFiles;
pub(crate) use host_turn::HostTurn;

/// `Retry-After` of a call over the limit, in seconds.
const RETRY_AFTER: u64 = 2;

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
    let acceptance = acceptance(request.mode, &caller, request_id);
    check_assistant(&caller, acceptance.is_some(), &state).await?;
    let prices = Prices::of(&request, &url, &state)?;
    let account = caller.account.as_str();
    let _account_permit = state.account_pages.take(account).ok_or_else(|| {
        let limit = state.account_pages.limit();
        let message = format!(
            "account limit: {limit} pages of the account are being read; wait for some of them"
        );
        ApiError::rate_limited(message, RETRY_AFTER)
    })?;
    let _permit = state.page_calls.try_acquire().map_err(|_| {
        let message = "service limit: too many pages are being read; try again in a moment";
        ApiError::rate_limited(message, RETRY_AFTER)
    })?;
    // Held until the answer is stored, so that a retry gets it and the site gets one request.
    let _turn = match &idempotency {
        Some(key) => {
            let turn = state.page_retries.lock(format!("{account} {}", key.key)).await;
            let replay = state.store.replay_page(&caller.account, key, state.now()).await?;
            if let Some(response) = replayed(replay)? {
                return Ok(response);
            }
            Some(turn)
        }
        None => None,
    };
    let page_id = PageId::new(state.now(), rand::random());
    let delivered = read(&state, &caller, &request, &url, &page_id, &prices).await?;
    let DeliveredPage {
        item,
        overlay,
        units,
        protected,
        metadata,
        links,
        fetched_at,
        cached,
        html,
        raw_html,
        screenshot,
        warnings,
    } = delivered;
    let mut files = AnswerFiles::new(&state);
    let answer = PageAnswer {
        page_id,
        url: url.to_string(),
        mode: request.mode,
        item: None,
        metadata: metadata.filter(|_| request.has(PageFormat::Metadata)),
        links: request.has(PageFormat::Links).then_some(links),
        html: files.add(html)?,
        raw_html: files.add(raw_html)?,
        screenshot: files.add(screenshot)?,
        warnings,
        cached,
        fetched_at,
        credits_used: Credits::ZERO,
        protected,
    };
    let new = NewPageRead {
        account: caller.account.clone(),
        creator: caller.creator(),
        source: caller.source(),
        rate: if protected { prices.protected } else { prices.normal },
        units,
        item,
        overlay,
        with_item: request.has(PageFormat::Item),
        answer,
        files: files.files,
        idempotency,
        acceptance,
    };
    match state.store.deliver_page(&new, state.now()).await? {
        PageDelivery::Delivered { answer, .. } => Ok(json_response(answer, false)),
        PageDelivery::Replayed(replay) => match replayed(replay)? {
            Some(response) => Ok(response),
            None => Err(ApiError::internal("a new key was found as used")),
        },
        PageDelivery::Suspended => Err(ApiError::suspended()),
        PageDelivery::Short(cover) => Err(ApiError::page_not_covered(cover, &state.settings)),
    }
}

/// The rates of a page, and which of them the request accepts.
struct Prices {
    normal: Credits,
    protected: Credits,
    accepts_protected: bool,
}

impl Prices {
    /// # Errors
    /// The maximum rate of the request is below the normal one.
    fn of(request: &ReadPage, url: &CanonicalUrl, state: &ApiState) -> ApiResult<Self> {
        let rates = state.store.rates();
        let (normal, protected) = (rates.normal(request.mode), rates.protected(request.mode));
        if let Some(ceiling) = request.max_credit_per_unit
            && ceiling < normal
        {
            let message = format!("must be at least {normal}, the rate of mode {}", request.mode);
            return Err(FieldError::new("max_credit_per_unit", message).into());
        }
        let accepts_protected = request.accepted_rate().is_some_and(|most| protected <= most);
        if is_sample_host(url.bare_host()) {
            let free = Credits::ZERO;
            return Ok(Self { normal: free, protected: free, accepts_protected });
        }
        Ok(Self { normal, protected, accepts_protected })
    }
}

/// Reads the page, without charging it.
async fn read(
    state: &ApiState,
    caller: &ApiCaller,
    request: &ReadPage,
    url: &CanonicalUrl,
    page_id: &PageId,
    prices: &Prices,
) -> ApiResult<DeliveredPage> {
    // Checked before the site is asked, and again with the charge.
    let (account, creator) = (&caller.account, caller.creator());
    let most = if prices.accepts_protected { prices.protected } else { prices.normal };
    let cover = state.store.page_cover(account, creator.as_ref(), most, state.now()).await?;
    if cover.available < prices.normal {
        let cover =
            state.store.page_cover(account, creator.as_ref(), prices.normal, state.now()).await?;
        return Err(ApiError::page_not_covered(cover, &state.settings));
    }
    let started = Instant::now();
    let within = Duration::from_millis(request.timeout_ms);
    let Some(_turn) = HostTurn::wait(state, url, within).await? else {
        let message = format!(
            "another node of the service crawled the host for {} ms; send the request again, or \
             start a job",
            within.as_millis()
        );
        return Err(ApiError::new(ProblemCode::PageTimeout, message));
    };
    let within = within.saturating_sub(started.elapsed());
    state.store.refresh_opt_outs().await?;
    let denylist = Denylist {
        blocked_domains: state.settings.blocked_domains.clone(),
        opt_outs: state.store.opt_outs(),
    };
    let call = PageCall {
        id: page_id.clone(),
        account: account.to_string(),
        mode: request.mode,
        url: url.clone(),
        input: request.url.clone(),
        options: request.options.clone().into(),
        access: request.access(),
        with_links: request.has(PageFormat::Links),
        accepts_protected: prices.accepts_protected && cover.is_enough(),
        learned: state.store.template(SiteKey::of(url).as_str()).await?,
        denylist,
        opt_outs_version: state.store.opt_outs_version(),
        within,
    };
    match state.pages().read(call).await {
        PageOutcome::Delivered(page) => Ok(*page),
        PageOutcome::NotDelivered(failure) => Err(not_delivered(failure)),
        PageOutcome::Protected { .. } if prices.accepts_protected && !cover.is_enough() => {
            Err(ApiError::page_not_covered(cover, &state.settings))
        }
        PageOutcome::Protected { marker } => Err(protected(&marker, prices)),
        PageOutcome::ActionFailed { action, message, screenshot } => {
            Err(action_failed(state, caller, action, &message, screenshot).await?)
        }
        PageOutcome::Internal(cause) => Err(ApiError::internal(cause)),
    }
}

/// The error of a failed action, with the picture of the page.
async fn action_failed(
    state: &ApiState,
    caller: &ApiCaller,
    action: usize,
    cause: &str,
    screenshot: Option<FileContent>,
) -> ApiResult<ApiError> {
    let mut files = AnswerFiles::new(state);
    let screenshot = files.add(screenshot)?;
    if screenshot.is_some() {
        state.store.keep_page_files(&caller.account, &files.files, state.now()).await?;
    }
    let page =
        PageProblem { action: u32::try_from(action).ok(), screenshot, ..PageProblem::default() };
    let message = format!("actions[{action}]: {cause}");
    Ok(ApiError::new(ProblemCode::ActionFailed, message).page(page))
}

fn protected(marker: &str, prices: &Prices) -> ApiError {
    let rate = prices.protected;
    let message = format!(
        "the site is behind bot protection ({marker}); reading the page costs {rate} credits: \
         accept them by max_credit_per_unit"
    );
    let page = PageProblem { credit_per_unit: Some(rate), ..PageProblem::default() };
    ApiError::new(ProblemCode::PageProtected, message).page(page)
}

pub(crate) fn not_delivered(failure: PageFailure) -> ApiError {
    let PageFailure { kind, code, cause, reason, status_code, message } = failure;
    let page = PageProblem {
        cause: Some(code),
        failure_cause: cause,
        reason,
        status_code,
        ..PageProblem::default()
    };
    let error = match kind {
        FailureKind::Address if code == contract::ErrorCode::UrlNotResolved => {
            ApiError::of_field(ProblemCode::UrlNotResolved, "url", message)
        }
        FailureKind::Address => FieldError::new("url", message).into(),
        FailureKind::Skipped => ApiError::new(ProblemCode::PageSkipped, message),
        FailureKind::Site => ApiError::new(ProblemCode::PageFailed, message),
        FailureKind::TimedOut => ApiError::new(ProblemCode::PageTimeout, message),
        FailureKind::Internal => ApiError::internal(message),
    };
    error.page(page)
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
