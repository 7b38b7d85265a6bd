//! `POST /previews`: what a mode makes of one page. For people only; stores and charges nothing.

use std::borrow::Cow;
use std::time::Duration;

use axum::Json;
use contract::{CreatePreview, Options, PageId, PagePreview, ProblemCode, SiteAccess};
use pages::{PageCall, PageOutcome};
use tokio::time::Instant;
use urls::SiteKey;

use crate::api_error::{ApiError, ApiResult};
use crate::body::JsonBody;
use crate::caller::{AccountSession, Granted};
use crate::routes::estimate::denylist;
use crate::routes::pages::{HostTurn, not_delivered};

/// Maximum time of a preview.
const TIMEOUT: Duration = Duration::from_secs(12);

/// `Retry-After` while the service reads too many pages, in seconds.
const RETRY_AFTER: u64 = 2;

/// Preview a page
///
/// Reads one page now and returns what a run of the mode would deliver of it, with long texts and
/// lists cut. Free, and not stored. For people who try the service: at most six a minute, and only
/// with an account session. `POST /v1/pages` is the operation for programs.
#[utoipa::path(
    post, path = "/previews", tag = "pages",
    request_body(content = CreatePreview, description = "The page and the mode."),
    responses((status = 200, description = "The preview.", body = PagePreview)),
    extensions(("x-problems" = json!([
        ProblemCode::UrlNotResolved, ProblemCode::PageSkipped, ProblemCode::PageProtected,
        ProblemCode::PageFailed, ProblemCode::PageTimeout,
    ]))),
    security(("session" = [])),
)]
pub(crate) async fn preview_page(
    Granted { state, caller, .. }: Granted<AccountSession>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<PagePreview>> {
    let (request, url) =
        CreatePreview::from_json(&body, &state.settings).map_err(ApiError::invalid)?;
    let account = caller.account.as_str();
    if let Some(wait) = state.previews.take(account, state.now()).wait {
        let message = "account limit: six previews a minute; try again later";
        return Err(ApiError::rate_limited(message, wait));
    }
    let _permit = state.preview_calls.try_acquire().map_err(|_| {
        let message = "service limit: too many pages are being read; try again in a moment";
        ApiError::rate_limited(message, RETRY_AFTER)
    })?;
    let until = Instant::now() + TIMEOUT;
    let timed_out = || ApiError::new(ProblemCode::PageTimeout, "the host is busy; try again");
    let _turn = HostTurn::lease(&state, &url, TIMEOUT).await?.ok_or_else(timed_out)?;
    let opt_outs = state.store.refresh_opt_outs().await?;
    let call = PageCall {
        id: PageId::new(state.now(), rand::random()),
        account: account.to_owned(),
        mode: request.mode,
        url: url.clone(),
        input: request.url.clone(),
        options: Options::default(),
        access: SiteAccess::default(),
        with_links: false,
        accepts_protected: false,
        learned: state.store.template(SiteKey::of(&url).as_str()).await?,
        denylist: denylist(&state).await?,
        opt_outs_version: state.store.opt_outs_version(),
        within: until.saturating_duration_since(Instant::now()),
    };
    let page = match state.pages().read(call).await {
        PageOutcome::Delivered(page) => page,
        PageOutcome::NotDelivered(failure) => return Err(not_delivered(failure)),
        PageOutcome::Protected { marker } => {
            let message = format!("the site is behind bot protection ({marker})");
            return Err(ApiError::new(ProblemCode::PageProtected, message));
        }
        PageOutcome::ActionFailed { message, .. } | PageOutcome::Internal(message) => {
            return Err(ApiError::internal(message));
        }
    };
    let mut item = Cow::Owned(page.item);
    privacy::redact_item(&opt_outs, &mut item);
    let text = serde_json::to_string(&*item).map_err(unreadable)?;
    let redacted = privacy::redact_json(&opt_outs, &text).map_err(unreadable)?;
    let mut item = serde_json::from_str(&redacted.unwrap_or(text)).map_err(unreadable)?;
    let shortened = PagePreview::shorten(&mut item);
    let url = url.to_string();
    Ok(Json(PagePreview { url, mode: request.mode, item, shortened, metadata: page.metadata }))
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unreadable(error: serde_json::Error) -> ApiError {
    ApiError::internal(format!("an item is no JSON: {error}"))
}
