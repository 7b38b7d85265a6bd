//! `POST /v1/map`: the URLs of a site within seconds. Starts no job and spends nothing.

use std::time::Duration;

use axum::Json;
use contract::{CreateMap, ProblemCode, UrlMap};

use super::estimate::{denylist, probe_error, probe_permit};
use crate::api_error::{ApiError, ApiResult};
use crate::body::JsonBody;
use crate::caller::{Granted, JobsRead};

/// Timeout of the requests for a map: the answer comes within ten seconds.
const MAP_TIMEOUT: Duration = Duration::from_secs(9);

/// `Retry-After` when the account has too many maps in progress, in seconds.
const RETRY_AFTER: u64 = 5;

/// Map a site
///
/// The URLs of a site from its sitemaps, feeds, start page and the pages that it links to, in at
/// most ten seconds and at most 5,000 of them. Free. `complete` is false where URLs can be
/// missing, and `gaps` says why; a job with mode `links` finds all of them.
#[utoipa::path(
    post, path = "/v1/map", tag = "jobs",
    request_body(content = CreateMap, description = "The site, and which URLs to return."),
    responses((status = 200, description = "The URLs that were found.", body = UrlMap)),
    extensions(("x-problems" = json!([ProblemCode::UrlNotResolved]))),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn map_urls(
    Granted { state, caller, .. }: Granted<JobsRead>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<UrlMap>> {
    let (request, url) = CreateMap::from_json(&body, &state.settings).map_err(ApiError::invalid)?;
    let account = caller.account.as_str();
    let _own = state.account_maps.take(account).ok_or_else(|| {
        let limit = state.account_maps.limit();
        let message = format!("account limit: {limit} maps are in progress; wait for one");
        ApiError::rate_limited(message, RETRY_AFTER)
    })?;
    let _permit = probe_permit(&state)?;
    let denylist = denylist(&state).await?;
    let readers = state.readers.for_account(account);
    let fetch = state.fetch.as_ref();
    let found = probe::map_urls(fetch, &readers, &url, &request, MAP_TIMEOUT, &denylist).await;
    let found = found.map_err(|error| probe_error(&error))?;
    Ok(Json(UrlMap {
        url: String::from(url),
        urls: found.urls,
        complete: found.gaps.is_empty(),
        gaps: found.gaps,
        unreachable: found.unreachable,
    }))
}
