//! The end of a run, told from how its URLs ended.

use contract::{ErrorCode, SkipReason};
use job::RunEnding;

use crate::tally::Tally;
use crate::{Plan, RunState};

/// The end of a run; `sampled` when it delivered the sample that was asked for.
pub(crate) fn ending(plan: &Plan, state: &RunState, sampled: bool) -> RunEnding {
    let tally = &state.tally;
    let egress = state.later.0.ends.egress;
    let marker = state.protected_by.as_deref().unwrap_or("unknown");
    if state.results() > 0 {
        return match (sampled, tally.is_partial()) {
            (true, _) => RunEnding::Sampled,
            (false, true) => RunEnding::Partial { message: partial(tally, egress, marker) },
            (false, false) => RunEnding::Complete,
        };
    }
    if tally.protected > 0 {
        let why = if plan.equipment.tier {
            "the protected tier did not get past it"
        } else {
            "this service has no protected tier"
        };
        return RunEnding::nothing(
            ErrorCode::TargetBlocked,
            format!("the site is behind bot protection ({marker}), and {why}"),
        );
    }
    // The causes in the order in which they explain an empty result.
    let causes = [
        (
            tally.address_refused,
            ErrorCode::InvalidUrl,
            "the site's name leads to an address that may not be crawled",
        ),
        (
            tally.blacklisted,
            ErrorCode::BlacklistedDomain,
            "the site leads to a domain that is not crawled here",
        ),
        (
            egress,
            ErrorCode::ServerError,
            "this service has no connection to the internet at the moment, so that the site was \
             not asked; start the job again later",
        ),
        (
            tally.provider_down.saturating_sub(egress),
            ErrorCode::ProviderDown,
            "a provider that pages are fetched through cannot be reached, or does not serve",
        ),
        (
            tally.needs_rendering,
            ErrorCode::JsRenderRequired,
            "the site is empty without JavaScript, and this service has no browser to run it",
        ),
        (tally.name_not_found, ErrorCode::UrlNotResolved, "the site's name does not exist"),
        (tally.robots, ErrorCode::TargetBlocked, "robots.txt of the site forbids the crawl"),
        (tally.refused, ErrorCode::TargetBlocked, "the site refuses access (401, 403 or 451)"),
        (tally.rate_limited, ErrorCode::RateLimited, "the site answers nothing but 429"),
        (
            tally.robots_unavailable,
            ErrorCode::ServerError,
            "robots.txt of the site cannot be read, so that nothing may be fetched",
        ),
        (tally.server_error, ErrorCode::ServerError, "the site answers with server errors"),
        (
            tally.transport,
            ErrorCode::ServerError,
            "the site cannot be reached, or does not answer in time",
        ),
        (
            state.later.0.ends.too_complex,
            ErrorCode::NoData,
            "every page was too complex: reading it exceeded the CPU or memory budget of a page",
        ),
        (tally.bug, ErrorCode::PipelineBug, "the pages could not be read, by a fault of ours"),
    ];
    let found = causes.into_iter().find(|(count, ..)| *count > 0);
    match found {
        Some((_, code, message)) => RunEnding::nothing(code, message),
        None => RunEnding::nothing(ErrorCode::NoData, no_data(plan, state)),
    }
}

/// How many pages failed, and why.
fn partial(tally: &Tally, egress: u64, marker: &str) -> String {
    let kinds = [
        (tally.protected, format!("challenged by bot protection ({marker})")),
        (tally.refused, "refused (401, 403 or 451)".to_owned()),
        (tally.rate_limited, "answered 429".to_owned()),
        (tally.server_error, "answered with a server error".to_owned()),
        (tally.transport, "timed out, were reset or could not be reached".to_owned()),
        (tally.provider_down.saturating_sub(egress), "needed a provider that was away".to_owned()),
        (egress, "were not asked because this service had no connection".to_owned()),
    ];
    let kinds = kinds.into_iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<_> = kinds.map(|(count, kind)| format!("{count} {kind}")).collect();
    format!(
        "{} of {} fetched pages failed or were refused: {}; the others are delivered, and the \
         skipped URLs list these",
        tally.failed(),
        tally.asked,
        kinds.join(", ")
    )
}

/// What happened in a run that no failure explains and that found nothing.
fn no_data(plan: &Plan, state: &RunState) -> String {
    let (tally, ends) = (&state.tally, &state.later.0.ends);
    let mut said = Vec::new();
    if tally.success > 0 {
        let pages = pages(tally.success);
        said.extend(ends.left_out.iter().map(|reason| left_out(plan, state, *reason)));
        match said.as_slice() {
            [] => said.push(format!("{pages} answered, and none had what this mode delivers")),
            [only] => said = vec![format!("{pages} answered, and {only}")],
            many => said = vec![format!("{pages} answered; {}", many.join("; "))],
        }
    }
    let counted = [
        (ends.redirect_loops, "ended in a redirect loop or in more than 10 redirects"),
        (ends.too_large, "exceeded the size limit for one page"),
        (ends.bad_encoding, "had a body that cannot be decoded"),
    ];
    for (count, what) in counted.into_iter().filter(|(count, _)| *count > 0) {
        said.push(format!("{} {what}", pages(count)));
    }
    for (status, count) in &ends.statuses {
        said.push(format!("{} answered {status}", pages(*count)));
    }
    match said.is_empty() {
        true => "there is nothing to deliver: no page of the site answered with content".to_owned(),
        false => format!("there is nothing to deliver: {}", said.join("; ")),
    }
}

fn pages(count: u64) -> String {
    if count == 1 { "1 page".to_owned() } else { format!("{count} pages") }
}

/// Why pages that answered were left out.
fn left_out(plan: &Plan, state: &RunState, reason: SkipReason) -> String {
    match reason {
        SkipReason::Language => {
            let asked = plan.options.preferred_language.clone();
            let language = asked.or_else(|| state.main_language.as_ref().map(ToString::to_string));
            let language = language.unwrap_or_default();
            format!("the language filter ({language}) dropped pages in other languages")
        }
        SkipReason::NoText => "pages had no text to read".to_owned(),
        SkipReason::NoProduct => "no page was found to sell a product".to_owned(),
        SkipReason::Broken => "pages said that they do not exist".to_owned(),
        SkipReason::NotIndexable => "pages ask search engines not to index them".to_owned(),
        SkipReason::File | SkipReason::Image => {
            format!("what answered is no page but a file ({reason})")
        }
        other => format!("pages were left out by the reason {other}"),
    }
}
