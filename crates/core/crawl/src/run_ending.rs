//! The end of a run, determined from the outcomes of its URLs.

use contract::{ErrorCode, FailedAction, FailureCause, JobError, SkipReason};
use job::RunEnding;
use journal::UrlId;
use urls::ScopeRule;

use crate::outcome_counts::OutcomeCounts;
use crate::page_failure_counts::PageFailureCounts;
use crate::{CrawlPlan, RunState};

/// The end of a run. `failed_action` is the first failure of an action that is known, `limit` the end of
/// a run that delivered something and reached a limit of its options.
pub(crate) fn ending(
    plan: &CrawlPlan,
    state: &RunState,
    rule: &ScopeRule,
    failed_action: Option<&FailedAction>,
    limit: Option<RunEnding>,
) -> RunEnding {
    let outcome_counts = &state.outcome_counts;
    let egress = state.tail.0.failures.egress;
    let marker = state.protected_by.as_deref().unwrap_or("unknown");
    if limit == Some(RunEnding::CreditLimit) {
        return RunEnding::CreditLimit;
    }
    if state.results() > 0 {
        return match limit {
            Some(ending) => ending,
            None if outcome_counts.is_partial() => {
                RunEnding::Partial { message: partial(outcome_counts, egress, marker) }
            }
            None => RunEnding::Complete,
        };
    }
    let has_tier = plan.capabilities.tier;
    let failures = &state.tail.0.failures;
    let mut error =
        main_cause(outcome_counts, failures, marker, has_tier).unwrap_or_else(|| JobError {
            cause: failures.only_cause(),
            ..JobError::new(ErrorCode::NoData, no_data(plan, state, rule))
        });
    if let (Some(FailureCause::ActionFailed), Some(first)) = (error.cause, failed_action) {
        error.message = format!("{first} ({})", error.message);
    }
    RunEnding::Nothing(error)
}

/// The cause of an empty result that explains it best, if pages failed for it.
pub(crate) fn main_cause(
    outcome_counts: &OutcomeCounts,
    failures: &PageFailureCounts,
    marker: &str,
    has_tier: bool,
) -> Option<JobError> {
    let egress = failures.egress;
    if outcome_counts.protected > 0 {
        let why = if has_tier {
            "the protected tier did not get past it"
        } else {
            "this service has no protected tier"
        };
        let message = format!("the site is behind bot protection ({marker}), and {why}");
        let cause = Some(FailureCause::Blocked);
        return Some(JobError { cause, ..JobError::new(ErrorCode::TargetBlocked, message) });
    }
    let unreachable = failures.main_unreachable();
    let unreachable_message = match unreachable {
        Some(cause) => format!("the site cannot be reached: {}", cause.describe()),
        // A run of version 0.1 did not count its causes.
        None => "the site cannot be reached or times out".to_owned(),
    };
    // In the order in which the causes explain an empty result.
    let causes = [
        (
            outcome_counts.address_refused,
            ErrorCode::InvalidUrl,
            Some(FailureCause::AddressRefused),
            "the site's host name resolves to an address that may not be crawled",
        ),
        (
            outcome_counts.blacklisted,
            ErrorCode::BlacklistedDomain,
            Some(FailureCause::Blocked),
            "the site redirects to a domain that this service does not crawl",
        ),
        (
            egress,
            ErrorCode::ServerError,
            Some(FailureCause::ServiceUnavailable),
            "this service has no connection to the internet at the moment, so the site was not \
             requested; start the job again later",
        ),
        (
            outcome_counts.provider_down.saturating_sub(egress),
            ErrorCode::ProviderDown,
            Some(FailureCause::ServiceUnavailable),
            "a provider that pages are fetched through, or the browser of this service, is \
             unavailable",
        ),
        (
            outcome_counts.needs_rendering,
            ErrorCode::JsRenderRequired,
            None,
            "the site is empty without JavaScript, and this service has no browser to run it",
        ),
        (
            outcome_counts.name_not_found,
            ErrorCode::UrlNotResolved,
            Some(FailureCause::DnsFailed),
            "the site's host name does not exist (DNS)",
        ),
        (
            outcome_counts.robots,
            ErrorCode::TargetBlocked,
            Some(FailureCause::Robots),
            "robots.txt of the site forbids the crawl",
        ),
        (
            outcome_counts.refused,
            ErrorCode::TargetBlocked,
            Some(FailureCause::HttpStatus),
            "the site refuses access (401, 403 or 451)",
        ),
        (
            outcome_counts.rate_limited,
            ErrorCode::RateLimited,
            Some(FailureCause::HttpStatus),
            "the site answers every request with 429 (too many requests)",
        ),
        (
            outcome_counts.robots_unavailable,
            ErrorCode::ServerError,
            Some(FailureCause::Robots),
            "robots.txt of the site cannot be read, so nothing may be fetched",
        ),
        (
            outcome_counts.server_error,
            ErrorCode::ServerError,
            Some(FailureCause::HttpStatus),
            "the site answers with server errors",
        ),
        (
            outcome_counts.transport,
            ErrorCode::ServerError,
            unreachable,
            unreachable_message.as_str(),
        ),
        (
            failures.too_complex,
            ErrorCode::NoData,
            Some(FailureCause::TooComplex),
            "every page was too complex: reading it exceeded the CPU or memory budget of a page",
        ),
        (
            failures.failed_actions(),
            ErrorCode::NoData,
            Some(FailureCause::ActionFailed),
            "no page was delivered, because an action failed in it; the skipped URLs have the \
             action, the cause and a picture",
        ),
        (
            outcome_counts.bug,
            ErrorCode::PipelineBug,
            Some(FailureCause::InternalError),
            "the pages could not be read because of an internal error",
        ),
    ];
    let found = causes.into_iter().find(|(count, ..)| *count > 0);
    found.map(|(_, code, cause, message)| JobError { cause, ..JobError::new(code, message) })
}

/// The message of a partial result: how many pages failed, and why.
pub(crate) fn partial(outcome_counts: &OutcomeCounts, egress: u64, marker: &str) -> String {
    let kinds = [
        (outcome_counts.protected, format!("challenged by bot protection ({marker})")),
        (outcome_counts.refused, "refused (401, 403 or 451)".to_owned()),
        (outcome_counts.rate_limited, "answered 429".to_owned()),
        (outcome_counts.server_error, "answered with a server error".to_owned()),
        (outcome_counts.transport, "timed out, were reset or could not be reached".to_owned()),
        (
            outcome_counts.provider_down.saturating_sub(egress),
            "needed the browser or a provider of this service, which was unavailable".to_owned(),
        ),
        (egress, "were not requested because this service had no internet connection".to_owned()),
    ];
    let kinds = kinds.into_iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<_> = kinds.map(|(count, kind)| format!("{count} {kind}")).collect();
    format!(
        "{} of {} fetched pages failed or were refused: {}; the others are delivered, and the \
         skipped URLs list these",
        outcome_counts.failed(),
        outcome_counts.requested,
        kinds.join(", ")
    )
}

/// The message of a run that delivered nothing although no request failed.
fn no_data(plan: &CrawlPlan, state: &RunState, rule: &ScopeRule) -> String {
    if let Some(message) = filtered_out(plan, state, rule) {
        return message;
    }
    let (outcome_counts, failures) = (&state.outcome_counts, &state.tail.0.failures);
    let mut parts = Vec::new();
    if outcome_counts.success > 0 {
        let pages = pages(outcome_counts.success);
        parts.extend(
            failures.skip_reasons.iter().map(|reason| describe_skip_reason(plan, state, *reason)),
        );
        match parts.as_slice() {
            [] => parts.push(format!("{pages} answered, and none had what this mode delivers")),
            [only] => parts = vec![format!("{pages} answered, and {only}")],
            many => parts = vec![format!("{pages} answered; {}", many.join("; "))],
        }
    }
    let counted = [
        (failures.redirect_loops, "ended in a redirect loop or in more than 10 redirects"),
        (failures.too_large, "exceeded the size limit for one page"),
        (failures.bad_encoding, "had a body that cannot be decoded"),
    ];
    for (count, what) in counted.into_iter().filter(|(count, _)| *count > 0) {
        parts.push(format!("{} {what}", pages(count)));
    }
    for (status, count) in &failures.statuses {
        parts.push(format!("{} answered {status}", pages(*count)));
    }
    match parts.is_empty() {
        true => "there is nothing to deliver: no page of the site answered with content".to_owned(),
        false => format!("there is nothing to deliver: {}", parts.join("; ")),
    }
}

/// The message of a run in which no page passed the filter by path.
fn filtered_out(plan: &CrawlPlan, state: &RunState, rule: &ScopeRule) -> Option<String> {
    /// Patterns that the message names.
    const NAMED: usize = 3;
    let frontier = &state.frontier;
    let passes = |id: UrlId| {
        frontier.role(id).is_internal()
            && frontier.url(id).is_some_and(|url| rule.passes_filter(&url))
    };
    if rule.filter().is_empty() || UrlId::START.until(frontier.next_id()).any(passes) {
        return None;
    }
    let (name, patterns) = match plan.scope.include_paths.as_slice() {
        [] => ("exclude_paths", plan.scope.exclude_paths.as_slice()),
        include => ("include_paths", include),
    };
    let mut named: Vec<_> = patterns.iter().take(NAMED).map(String::as_str).collect();
    if patterns.len() > NAMED {
        named.push("…");
    }
    Some(format!(
        "there is nothing to deliver: none of the URLs that the run found passes the filter \
         scope.{name} ({}); patterns match the path of a URL, as /blog/**, and the skipped URLs \
         list what was found",
        named.join(", ")
    ))
}

fn pages(count: u64) -> String {
    if count == 1 { "1 page".to_owned() } else { format!("{count} pages") }
}

/// Why pages with a good response were skipped.
fn describe_skip_reason(plan: &CrawlPlan, state: &RunState, reason: SkipReason) -> String {
    match reason {
        SkipReason::Language => {
            let preferred = plan.options.preferred_language.clone();
            let language =
                preferred.or_else(|| state.main_language.as_ref().map(ToString::to_string));
            let language = language.unwrap_or_default();
            format!("the language filter ({language}) dropped pages in other languages")
        }
        SkipReason::NoText => "pages had no text to read".to_owned(),
        SkipReason::NoProduct => "no page with a product was found".to_owned(),
        SkipReason::Broken => "pages say that they do not exist (soft 404)".to_owned(),
        SkipReason::NotIndexable => "pages ask search engines not to index them".to_owned(),
        SkipReason::File | SkipReason::Image => {
            format!("the response is a file, not a page ({reason})")
        }
        other => format!("pages were skipped with reason {other}"),
    }
}
