//! The meaning of each error code and its remedy: one table for the documentation page, the OpenAPI
//! document, the MCP tools and `trawl explain`.

use crate::{ErrorCode, ProblemCode};

/// The path of the page about all codes. Each code is an anchor.
pub const ERRORS_PAGE: &str = "/docs/errors";

/// The documentation of an error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorGuide {
    pub meaning: &'static str,
    pub remedy: &'static str,
}

const fn guide(meaning: &'static str, remedy: &'static str) -> ErrorGuide {
    ErrorGuide { meaning, remedy }
}

impl ProblemCode {
    /// The meaning of the code of an error response, and its remedy.
    #[must_use]
    pub const fn guide(self) -> ErrorGuide {
        match self {
            Self::InvalidJson => guide(
                "The body is not JSON, or is nested too deeply.",
                "Send one JSON object in UTF-8, without comments and trailing commas, nested at \
                 most 64 levels deep.",
            ),
            Self::Unauthorized => guide(
                "The credential is missing, unknown, revoked or expired.",
                "Send `Authorization: Bearer` with an API key of the account or an access token. \
                 Operations on keys need an account session instead. Create a new key if the \
                 old one is lost: secrets are shown once.",
            ),
            Self::InsufficientCredits => guide(
                "The balance does not cover the job.",
                "`required` and `available` show how much is missing. Buy credits at \
                 `top_up_url`, or request less: fewer domains, or a smaller part of the site.",
            ),
            Self::Forbidden => guide(
                "The credential may not do this: it lacks the scope, or is limited to other modes or \
                 networks.",
                "The message names the missing right, `WWW-Authenticate` the scope. Authorize the \
                 application again with this scope, change the limits of the key, or use a key \
                 without limits.",
            ),
            Self::AccountSuspended => guide(
                "The account is suspended.",
                "Its jobs, schedules and webhooks are stopped, and its credentials are rejected. \
                 Ask the operator of the service. Results are kept, and everything continues when \
                 the account is resumed.",
            ),
            Self::NotFound => guide(
                "The object does not exist, or it belongs to another account.",
                "Check the path and the identifier, and that the credential belongs to the \
                 account that created the object. Results are kept for `limits.results_days` days.",
            ),
            Self::MethodNotAllowed => guide(
                "The path does not support this method.",
                "`Allow` lists the methods of this path.",
            ),
            Self::Gone => guide(
                "The download link has expired or was already used.",
                "A download link works for one download and for a short time. Create a new \
                 export.",
            ),
            Self::Conflict => guide(
                "The request conflicts with the current state of the job or account.",
                "The message names the conflict. If a job for the same site is in progress, \
                 `job_id` names it: wait for its end, or abort it. If a confirm was rejected, get \
                 the job: it may not be waiting, or for another confirmation.",
            ),
            Self::AwaitingConfirmation => guide(
                "A job for this site waits for confirm.",
                "`job_id` names it. Confirm or abort it; then a new job can start.",
            ),
            Self::IdempotencyInProgress => guide(
                "A request with the same Idempotency-Key is still in progress.",
                "Repeat the request after `Retry-After` seconds: it returns the same response.",
            ),
            Self::IdempotencyKeyReused => guide(
                "The Idempotency-Key was used for another body.",
                "Use a new key for a new job, and the identical body for a retry.",
            ),
            Self::PayloadTooLarge => guide(
                "The body is larger than 1 MiB.",
                "Split long lists of domains over several jobs.",
            ),
            Self::UnsupportedMediaType => guide(
                "The Content-Type of the body is not application/json.",
                "Add the header `Content-Type: application/json`.",
            ),
            Self::ValidationFailed => guide(
                "Fields or parameters are invalid; errors lists each.",
                "Correct each field that `errors` lists. Unknown members are errors as well: a \
                 mistyped limit would cost money.",
            ),
            Self::UrlNotResolved => guide(
                "The host name does not exist (NXDOMAIN).",
                "Check the spelling of the host. A new name may need some time until it resolves \
                 everywhere.",
            ),
            Self::LegalBasisRequired => guide(
                "Mode contacts without legal_basis_accepted.",
                "Contact data is personal data. Confirm with `legal_basis_accepted: true` that \
                 you have a lawful basis for processing it (terms, section 5.7), and only if you \
                 have one.",
            ),
            Self::RateLimited => guide(
                "Too many requests, attempts or jobs; retry with backoff.",
                "Wait for `Retry-After` seconds. `limits` of the account shows the limits; use \
                 webhooks or the event stream instead of frequent polling.",
            ),
            Self::RequestTimeout => guide(
                "The body took too long to arrive.",
                "Send the request again. If it happens repeatedly, check the connection and \
                 proxies.",
            ),
            Self::ServerError => guide(
                "Internal error of this service.",
                "Retry once. If it persists, give the operator the `request_id`: the log contains \
                 the cause.",
            ),
            Self::Unavailable => guide(
                "The database is unavailable; retry later.",
                "Repeat the request after `Retry-After` seconds. Running jobs continue.",
            ),
        }
    }
}

impl ErrorCode {
    /// The meaning of the code in the `error` of a job, and its remedy.
    #[must_use]
    pub const fn guide(self) -> ErrorGuide {
        match self {
            Self::ServerError => guide(
                "The site returned only server errors or was unreachable, or this service had no \
                 connection to the internet.",
                "Open the site in a browser. If it works there, start the job again later.",
            ),
            Self::ProviderDown => guide(
                "A provider for fetching pages, the protected tier or the browser, is unreachable.",
                "Start the job again later. If it persists, give the operator the id of the job.",
            ),
            Self::PipelineBug => guide(
                "An internal error ended the run.",
                "Give the operator the id of the job. Delivered results stay readable.",
            ),
            Self::RateLimited => guide(
                "The site returned only 429, too many requests.",
                "Start the job again later, or for a smaller part of the site. The site's owner \
                 can allow the crawler.",
            ),
            Self::InvalidUrl => guide(
                "The URL, or an address of its host, must not be crawled.",
                "Private and local addresses are rejected, also for public host names. The operator \
                 can allow such networks, and can deny public ones.",
            ),
            Self::UrlNotResolved => {
                guide("The host name does not exist (NXDOMAIN).", "Check the spelling of the host.")
            }
            Self::BlacklistedDomain => guide(
                "The operator does not crawl this domain.",
                "Ask the operator if this is a mistake.",
            ),
            Self::TargetBlocked => guide(
                "The site rejected all requests, by its responses or by robots.txt.",
                "Ask the site's owner to allow the crawler: its name in robots.txt is Trawl. A \
                 site behind bot protection needs a protected tier, which the operator configures.",
            ),
            Self::NoData => guide(
                "The run found nothing to deliver.",
                "Check the start URL and the scope. The list of skipped URLs shows the reasons. \
                 Nothing was charged.",
            ),
            Self::PartialTargetFailure => guide(
                "Completed, but at least 5 % of the fetched pages, and at least three, failed or \
                 were rejected by the site.",
                "The delivered results are valid. Run again when the site works; \
                 `include_broken` lists the failed URLs.",
            ),
            Self::UserStopped => guide(
                "Aborted by its owner.",
                "Delivered results stay readable. Start a new job for the rest.",
            ),
            Self::SampleStopped => guide(
                "Stopped after `sample_size` results or `max_pages` pages.",
                "Check the results; start a job without these options for the whole site.",
            ),
            Self::JsRenderRequired => guide(
                "The pages have no content without JavaScript.",
                "The pages need a browser: the operator can install Chromium.",
            ),
            Self::ProtectedRateRefused => guide(
                "The site is protected and `on_protected` of the job is `fail`.",
                "Start it again with `on_protected` set to `pause`, or to `auto` with a \
                 `max_credit_per_unit` that covers the protected rate, which an estimate shows.",
            ),
            Self::CreditsExhausted => guide(
                "The balance ran out.",
                "Top up, then confirm the job: it continues where it stopped. Delivered results \
                 stay readable.",
            ),
            Self::StalePurged => guide(
                "The job waited for a confirmation for 14 days.",
                "Start the job again, and confirm it in time.",
            ),
            Self::SchedulePreviousRunInProgress => guide(
                "The previous run of the schedule was still in progress.",
                "Start the schedule less often, or make its runs smaller.",
            ),
            Self::ScheduleMissedWindow => guide(
                "The service was down at the scheduled time.",
                "Nothing; the next start follows as scheduled. Run the schedule manually if you need \
                 the results now.",
            ),
            Self::ScheduleStartFailed => guide(
                "A scheduled start was rejected.",
                "The message names the cause: credits, or a request that is no longer valid. Correct \
                 it; the next start follows as scheduled.",
            ),
            Self::Unknown => guide(
                "None of the other codes applies.",
                "Give the operator the id of the job: the service should have a specific code.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_meaning_and_remedy_as_sentences() {
        let problems = ProblemCode::ALL.iter().map(|code| (code.as_str(), code.guide()));
        let errors = ErrorCode::ALL.iter().map(|code| (code.as_str(), code.guide()));
        for (code, ErrorGuide { meaning, remedy }) in problems.chain(errors) {
            for text in [meaning, remedy] {
                assert!(text.ends_with('.') && text.len() > 10, "{code}: {text:?}");
                assert!(text.starts_with(|c: char| c.is_uppercase() || c == '`'), "{code}: {text}");
            }
        }
    }
}
