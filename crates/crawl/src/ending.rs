//! The end of a run, told from how its URLs ended.

use contract::ErrorCode;
use job::Ending;

use crate::tally::Tally;

/// What a run says that found nothing although pages answered.
pub(crate) const NO_PAGE: &str =
    "there is nothing to deliver: no page of the site answered with content";
pub(crate) const NO_PRODUCT: &str =
    "there is nothing to deliver: no page of the site was found to sell a product";

/// The end of a run that delivered `results` items; `nothing` is what is said when no cause
/// explains an empty result.
pub(crate) fn ending(
    tally: &Tally,
    results: u64,
    sampled: bool,
    protected_by: Option<&str>,
    nothing: &str,
) -> Ending {
    if results > 0 {
        return match (sampled, tally.is_partial()) {
            (true, _) => Ending::Sampled,
            (false, true) => Ending::Partial,
            (false, false) => Ending::Complete,
        };
    }
    if tally.protected > 0 {
        let marker = protected_by.unwrap_or("unknown");
        return Ending::nothing(
            ErrorCode::TargetBlocked,
            format!(
                "the site is behind bot protection ({marker}), and no way past it is set up or \
                 leads through; see TRAWL_PROTECTED_TIER"
            ),
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
            tally.provider_down,
            ErrorCode::ProviderDown,
            "a provider that pages are fetched through cannot be reached, or does not serve",
        ),
        (
            tally.needs_rendering,
            ErrorCode::JsRenderRequired,
            "the site is empty without JavaScript, and there is no browser to run it: install \
             Chromium, or name it in TRAWL_CHROMIUM",
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
            tally.too_complex,
            ErrorCode::NoData,
            "every page was too complex: reading it exceeded the CPU or memory budget of a page",
        ),
        (tally.bug, ErrorCode::PipelineBug, "the pages could not be read, by a fault of ours"),
    ];
    let found = causes.into_iter().find(|(count, ..)| *count > 0);
    let (_, code, message) = found.unwrap_or((0, ErrorCode::NoData, nothing));
    Ending::nothing(code, message)
}
