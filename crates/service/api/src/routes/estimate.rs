//! `POST /v1/estimate`: what a run would cost. Starts no job and spends nothing.

use std::time::Duration;

use axum::Json;
use contract::{
    AccountId, CreateEstimate, Credits, Estimate, FieldError, ProblemCode, Units, Unreachable,
};
use privacy::Denylist;
use probe::{Probe, ProbeError};
use tokio::sync::SemaphorePermit;
use urls::{CanonicalUrl, is_sample_host};

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::body::JsonBody;
use crate::caller::{Granted, JobsRead};

/// Timeout of the probe of a site.
const PROBE_TIMEOUT: Duration = Duration::from_secs(9);

/// `Retry-After` when too many probes run, in seconds.
const RETRY_AFTER: u64 = 5;

/// Estimate a run
///
/// Probes the site for a few seconds: whether it is behind bot protection, which raises the rate,
/// whether the start page can be read (`reachable`, `reason`), and the number of pages if its
/// sitemap lists them. Starts no job and spends nothing.
#[utoipa::path(
    post, path = "/v1/estimate", tag = "jobs",
    request_body(content = CreateEstimate, description = "What to price."),
    responses((status = 200, description = "The estimate.", body = Estimate)),
    extensions(("x-problems" = json!([ProblemCode::UrlNotResolved]))),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn estimate(
    Granted { state, caller, .. }: Granted<JobsRead>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<Estimate>> {
    let settings = &state.settings;
    let (request, url) = CreateEstimate::from_json(&body, settings).map_err(ApiError::invalid)?;
    let account = state.store.account(&caller.account).await?;
    let account =
        account.ok_or_else(|| ApiError::internal("the account of the caller does not exist"))?;
    let seen = match &url {
        Some(url) => probe_site(&state, &caller.account, url).await?,
        None => Probe::default(),
    };
    let pages = seen.estimated_pages;
    let is_protected = seen.protection.is_some();
    let has_tier = settings.protected_tier;
    let rates = state.store.rates();
    let is_free = url.as_ref().is_some_and(|url| is_sample_host(url.bare_host()));
    // The higher rate applies only where there is a tier to pay it for.
    let rate = match is_protected && has_tier {
        _ if is_free => Credits::ZERO,
        true => rates.protected(request.mode),
        false => rates.normal(request.mode),
    };
    let units = if request.mode.visits_domains() {
        // One record per domain, regardless of its size.
        Some(request.domain_count.unwrap_or(1))
    } else {
        request.url_count.filter(|_| url.is_none()).or(pages)
    };
    let is_out_of_reach = is_protected && !has_tier;
    let reason = match is_out_of_reach {
        true => Some(Unreachable::NoProtectedTier),
        false => seen.unreachable,
    };
    Ok(Json(Estimate {
        reachable: url.as_ref().map(|_| reason.is_none()),
        reason,
        url: url.map(String::from).unwrap_or_default(),
        mode: request.mode,
        credit_per_unit: rate,
        credit_per_1000: Credits(rate.0.saturating_mul(1_000)),
        protected: is_protected,
        requires_protected_tier: is_protected,
        protected_marker: seen.protection.map(|marker| marker.to_string()),
        estimated_pages: pages,
        estimated_credits: units
            .filter(|_| !is_out_of_reach)
            .and_then(|units| rate.times(Units(units))),
        credits_available: account.available(),
    }))
}

/// Probes the site, within the limit of concurrent probes.
async fn probe_site(state: &ApiState, account: &AccountId, url: &CanonicalUrl) -> ApiResult<Probe> {
    let _permit = probe_permit(state)?;
    let denylist = denylist(state).await?;
    let readers = state.readers.for_account(account.as_str());
    let seen = probe::probe(state.fetch.as_ref(), &readers, url, PROBE_TIMEOUT, &denylist).await;
    seen.map_err(|error| probe_error(&error))
}

/// A permit to probe a site, unless all are taken.
pub(crate) fn probe_permit(state: &ApiState) -> ApiResult<SemaphorePermit<'_>> {
    state.probes.try_acquire().map_err(|_| {
        let message = "service limit: too many estimates and maps are running; try again later";
        ApiError::rate_limited(message, RETRY_AFTER)
    })
}

/// The domains that are not crawled now.
pub(crate) async fn denylist(state: &ApiState) -> ApiResult<Denylist> {
    state.store.refresh_opt_outs().await?;
    Ok(Denylist {
        blocked_domains: state.settings.blocked_domains.clone(),
        opt_outs: state.store.opt_outs(),
    })
}

/// The error of a site that cannot be probed.
pub(crate) fn probe_error(error: &ProbeError) -> ApiError {
    match error {
        ProbeError::NameNotFound => {
            ApiError::of_field(ProblemCode::UrlNotResolved, "url", error.to_string())
        }
        ProbeError::AddressRefused | ProbeError::NotCrawled => {
            FieldError::new("url", error.to_string()).into()
        }
    }
}
