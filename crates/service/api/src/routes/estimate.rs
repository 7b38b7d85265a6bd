//! `POST /v1/estimate`: what a run would cost. Starts no job and spends nothing.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use contract::{
    AccountId, CreateEstimate, Credits, Estimate, FieldError, Mode, ProblemCode, Units, Unreachable,
};
use privacy::Denylist;
use probe::{Probe, ProbeError};
use serde_json::Value;
use urls::{CanonicalUrl, Target, is_sample_host};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::{BodyFields, JsonBody};
use crate::caller::{Granted, JobsRead};
use crate::openapi::{example, problems};

problems!(Refusals: InvalidJson, Unauthorized, Forbidden, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, UrlNotResolved, RateLimited, ServerError, Unavailable);

/// Timeout of a probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(9);

/// `Retry-After` when too many probes run, in seconds.
const RETRY_AFTER: u64 = 5;

/// Estimate a run
///
/// Probes the site for a few seconds: whether it is behind bot protection, which raises the rate,
/// whether the start page can be read (`reachable`, `reason`), and the number of pages if its
/// sitemap lists them. Starts no job and spends nothing.
#[utoipa::path(
    post,
    path = "/v1/estimate",
    operation_id = "estimate",
    tag = "jobs",
    request_body(content = CreateEstimate, description = "What to price.",
        example = json!(example::create_estimate())),
    responses(
        (status = 200, description = "The estimate.", body = Estimate,
            example = json!(example::estimate())),
        Refusals,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn estimate(
    State(state): State<ApiState>,
    caller: Granted<JobsRead>,
    JsonBody(body): JsonBody,
) -> Result<Json<Estimate>, ApiError> {
    let input = EstimateInput::read(&body, &state)?;
    let account = state.store().account(&caller.account).await?;
    let account =
        account.ok_or_else(|| ApiError::internal("the account of the caller does not exist"))?;
    let seen = match &input.url {
        Some(url) => probe_site(&state, &caller.account, url).await?,
        None => Probe::default(),
    };
    let pages = seen.estimated_pages;
    let is_protected = seen.protection.is_some();
    let has_tier = state.settings().protected_tier;
    let rates = state.store().rates();
    let is_free = input.url.as_ref().is_some_and(|url| is_sample_host(url.bare_host()));
    // The higher rate applies only where there is a tier to pay it for.
    let rate = match is_protected && has_tier {
        _ if is_free => Credits::ZERO,
        true => rates.protected(input.mode),
        false => rates.normal(input.mode),
    };
    let units = match input.mode {
        // One record a domain, whatever its size.
        Mode::Contacts => Some(input.domain_count.unwrap_or(1)),
        Mode::Links | Mode::Sitemap | Mode::Products | Mode::Markdown => pages,
    };
    let is_out_of_reach = is_protected && !has_tier;
    let reason = match is_out_of_reach {
        true => Some(Unreachable::NoProtectedTier),
        false => seen.unreachable,
    };
    Ok(Json(Estimate {
        reachable: input.url.as_ref().map(|_| reason.is_none()),
        reason,
        url: input.url.map(String::from).unwrap_or_default(),
        mode: input.mode,
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

struct EstimateInput {
    mode: Mode,
    url: Option<CanonicalUrl>,
    domain_count: Option<u64>,
}

impl EstimateInput {
    fn read(body: &Value, state: &ApiState) -> Result<Self, ApiError> {
        let settings = state.settings();
        let mut fields = BodyFields::of(body)?;
        let mode = fields.word("mode", Mode::ALL);
        fields.missing("mode");
        let text = fields.text("url");
        let count = fields.integer("domain_count", 1).and_then(|n| u64::try_from(n).ok());
        let known = |name: &str| settings.known_names.knows(name);
        let mut url = None;
        match text.map(|text| Target::parse(text, &settings.allowed_networks, known)) {
            Some(Ok(parsed)) => match settings.blocked_domains.entry_for(parsed.host()) {
                Some(domain) => {
                    fields.wrong("url", format!("{domain} is not crawled by this service"));
                }
                None => url = Some(parsed),
            },
            Some(Err(refusal)) => fields.wrong("url", refusal.to_string()),
            None => {}
        }
        match (mode, fields.given("url"), fields.given("domain_count")) {
            (Some(Mode::Contacts), false, false) => {
                fields.wrong("url", "is required unless domain_count is given");
            }
            (Some(Mode::Contacts) | None, ..) => {}
            // A number of domains has no effect in another mode, as options have none.
            (Some(_), given, _) => {
                if !given {
                    fields.missing("url");
                }
            }
        }
        let errors = fields.finish();
        match mode {
            Some(mode) if errors.is_empty() => Ok(Self { mode, url, domain_count: count }),
            Some(_) | None => Err(ApiError::invalid(errors)),
        }
    }
}

/// Probes the site, within the limit of concurrent probes.
async fn probe_site(
    state: &ApiState,
    account: &AccountId,
    url: &CanonicalUrl,
) -> Result<Probe, ApiError> {
    let Ok(_permit) = state.probes().try_acquire() else {
        return Err(ApiError::rate_limited(
            "service limit: too many estimates are running; try again later",
            RETRY_AFTER,
        ));
    };
    state.store().refresh_objections().await?;
    let denylist = Denylist {
        blocked_domains: state.settings().blocked_domains.clone(),
        objections: state.store().objections(),
    };
    let readers = state.readers().for_account(account.as_str());
    match probe::probe(state.fetch(), &readers, url, PROBE_TIMEOUT, &denylist).await {
        Ok(seen) => Ok(seen),
        Err(error @ ProbeError::NameNotFound) => {
            let errors = vec![FieldError::new("url", error.to_string())];
            Err(ApiError::new(ProblemCode::UrlNotResolved, error.to_string()).errors(errors))
        }
        Err(error @ (ProbeError::AddressRefused | ProbeError::NotCrawled)) => {
            Err(ApiError::invalid(vec![FieldError::new("url", error.to_string())]))
        }
    }
}
