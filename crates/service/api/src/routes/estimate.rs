//! `POST /v1/estimate`: what a run would cost. Starts no job and spends nothing.

use std::time::Duration;

use axum::Json;
use contract::{
    AccountId, CreateEstimate, Credits, Estimate, EstimatedPrice, ExpectedUnits, FieldError,
    PageId, ProblemCode, Unreachable,
};
use pages::{ListedPages, SurveyCall, SurveyedUnits};
use privacy::Denylist;
use probe::{Probe, ProbeError};
use tokio::sync::SemaphorePermit;
use tokio::time::Instant;
use urls::{CanonicalUrl, SiteKey, is_sample_host};

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::body::JsonBody;
use crate::caller::{Granted, JobsRead};
use crate::routes::pages::HostTurn;

/// Maximum time of the requests for an estimate.
const TIMEOUT: Duration = Duration::from_secs(9);

/// Maximum time for the first pages of a run.
const SURVEY_TIMEOUT: Duration = Duration::from_secs(6);

/// `Retry-After` when too many probes run, in seconds.
const RETRY_AFTER: u64 = 5;

/// Estimate a run
///
/// Looks at the site for a few seconds: whether it is behind bot protection, which raises the rate,
/// whether the start page can be read (`reachable`, `reason`, `cause`), the number of pages in its
/// sitemap, and the first pages of the run with its `scope` and `options`. A small site is read to
/// its end, which gives the price exactly; otherwise `estimated_pages_min` and
/// `estimated_pages_max` bound it. Starts no job and spends nothing.
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
    let site = match &url {
        Some(url) => SiteEstimate::of(&state, &caller.account, &request, url).await?,
        None => {
            SiteEstimate { rate: state.store.rates().normal(request.mode), ..Default::default() }
        }
    };
    let SiteEstimate { seen, units, rate } = site;
    let is_protected = seen.protection.is_some();
    let is_out_of_reach = is_protected && !settings.protected_tier;
    let price = |units: &ExpectedUnits| {
        let price = EstimatedPrice::of(units, rate);
        if is_out_of_reach { price.unpriced() } else { price }
    };
    let most = request.max_units(rate);
    let price_of_run = if request.mode.visits_domains() {
        // One record per domain, regardless of its size; one without contact data is free.
        let domains = request.domain_count.unwrap_or(1);
        let units = ExpectedUnits { likely: Some(domains), min: 0, max: Some(domains) };
        let price = price(&units.limited_to(most)).without_pages();
        EstimatedPrice { estimated_pages: seen.estimated_pages, ..price }
    } else if let Some(listed) = request.url_count.filter(|_| url.is_none()) {
        let units = ExpectedUnits { likely: Some(listed), min: 0, max: Some(listed) };
        price(&units.limited_to(most)).without_pages()
    } else {
        price(&units.requested)
    };
    let reason = match is_out_of_reach {
        true => Some(Unreachable::NoProtectedTier),
        false => seen.unreachable,
    };
    Ok(Json(Estimate {
        reachable: url.as_ref().map(|_| reason.is_none()),
        reason,
        cause: seen.cause,
        url: url.map(String::from).unwrap_or_default(),
        mode: request.mode,
        credit_per_unit: rate,
        credit_per_1000: Credits(rate.0.saturating_mul(1_000)),
        protected: is_protected,
        requires_protected_tier: is_protected,
        protected_marker: seen.protection.map(|marker| marker.to_string()),
        estimated_pages: price_of_run.estimated_pages,
        estimated_credits: price_of_run.estimated_credits,
        estimated_pages_min: price_of_run.estimated_pages_min,
        estimated_pages_max: price_of_run.estimated_pages_max,
        estimated_credits_min: price_of_run.estimated_credits_min,
        estimated_credits_max: price_of_run.estimated_credits_max,
        under_path: units.under_path.as_ref().map(price),
        whole_site: units.whole_site.as_ref().map(price),
        credits_available: account.available(),
    }))
}

/// What a look at a site gives for its estimate.
#[derive(Default)]
struct SiteEstimate {
    seen: Probe,
    units: SurveyedUnits,
    rate: Credits,
}

impl SiteEstimate {
    /// Probes the site and reads the first pages of the run, within the limit of concurrent probes.
    async fn of(
        state: &ApiState,
        account: &AccountId,
        request: &CreateEstimate,
        url: &CanonicalUrl,
    ) -> ApiResult<Self> {
        let _permit = probe_permit(state)?;
        let until = Instant::now() + TIMEOUT;
        let denylist = denylist(state).await?;
        let readers = state.readers.for_account(account.as_str());
        let fetch = state.fetch.as_ref();
        let seen = probe::probe(fetch, &readers, url, &request.scope, TIMEOUT, &denylist).await;
        let seen = seen.map_err(|error| probe_error(&error))?;
        let is_protected = seen.protection.is_some();
        let rates = state.store.rates();
        // The higher rate applies only where there is a tier to pay it for.
        let rate = match is_protected && state.settings.protected_tier {
            _ if is_sample_host(url.bare_host()) => Credits::ZERO,
            true => rates.protected(request.mode),
            false => rates.normal(request.mode),
        };
        if request.mode.visits_domains() {
            return Ok(Self { seen, rate, units: SurveyedUnits::default() });
        }
        let listed =
            ListedPages { whole_site: seen.estimated_pages, under_path: seen.pages_under_path };
        let is_readable = !is_protected && seen.unreachable.is_none();
        let within = until.saturating_duration_since(Instant::now());
        // Another node may crawl the host now.
        let turn = match is_readable {
            true => HostTurn::lease(state, url, within / 2).await?,
            false => None,
        };
        let call = SurveyCall {
            id: PageId::new(state.now(), rand::random()),
            account: account.to_string(),
            mode: request.mode,
            url: url.clone(),
            scope: request.scope.clone(),
            options: request.options.clone(),
            max_units: request.max_units(rate),
            learned: state.store.template(SiteKey::of(url).as_str()).await?,
            denylist,
            within: until.saturating_duration_since(Instant::now()).min(SURVEY_TIMEOUT),
        };
        let has_path_choice = request.has_path_choice(url.path());
        let pages = state.pages();
        let units = pages.expected_units(&call, listed, turn.is_some(), has_path_choice).await;
        Ok(Self { seen, units, rate })
    }
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
