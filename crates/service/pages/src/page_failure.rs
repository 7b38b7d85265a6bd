//! Why a page was not delivered, for the error response.

use std::time::Duration;

use contract::{ErrorCode, FailureCause, JobError, SkipReason, SkippedUrl};
use job::RunEnding;
use journal::Cause;

use crate::observed_run::PageObservation;

/// The class of a failure, which decides the status of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The URL, or an address or redirect of its host, must not be crawled, or the name does not
    /// exist.
    Address,
    /// A rule of the site or of the mode: robots.txt, bot protection, a page without content.
    Skipped,
    /// The site answered with an error, or could not be reached.
    Site,
    /// The site did not answer in time, or the time of the call has passed.
    TimedOut,
    /// A bug, or a fault of this service.
    Internal,
}

/// A page that was not delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFailure {
    pub kind: FailureKind,
    /// The error that a run of this page would end with.
    pub code: ErrorCode,
    /// What failed, if the page could not be read.
    pub cause: Option<FailureCause>,
    /// Why a run would skip the page.
    pub reason: Option<SkipReason>,
    /// The status of the site's response.
    pub status_code: Option<u16>,
    pub message: String,
}

impl PageFailure {
    pub(crate) fn timed_out(within: Duration) -> Self {
        Self {
            kind: FailureKind::TimedOut,
            code: ErrorCode::ServerError,
            cause: Some(FailureCause::TimedOut),
            reason: None,
            status_code: None,
            message: format!(
                "the page was not read within {} ms, the waiting for its host included",
                within.as_millis()
            ),
        }
    }

    /// The failure of a run that delivered nothing.
    pub(crate) fn of(
        ending: Option<RunEnding>,
        skipped: Option<SkippedUrl>,
        observed: &PageObservation,
    ) -> Self {
        let JobError { code, message, cause } = match ending {
            Some(RunEnding::Nothing(error)) => error,
            // A visit ends with a record, which is not delivered without a page.
            Some(_) | None => {
                let (code, message) = of_visit(observed);
                JobError {
                    cause: observed.cause.map(Cause::failure),
                    ..JobError::new(code, message)
                }
            }
        };
        let status_code = skipped.as_ref().and_then(|row| row.status_code).or(observed.status);
        let reason = skipped.map(|row| row.reason);
        let kind = kind(code, status_code, observed);
        Self { kind, code, cause, reason, status_code, message }
    }
}

fn kind(code: ErrorCode, status: Option<u16>, observed: &PageObservation) -> FailureKind {
    let is_refused = status.is_some_and(|status| status >= 300) && !observed.challenged;
    match code {
        ErrorCode::InvalidUrl | ErrorCode::UrlNotResolved | ErrorCode::BlacklistedDomain => {
            FailureKind::Address
        }
        ErrorCode::PipelineBug | ErrorCode::Unknown => FailureKind::Internal,
        _ if observed.cause == Some(Cause::Timeout) => FailureKind::TimedOut,
        ErrorCode::ServerError | ErrorCode::ProviderDown | ErrorCode::RateLimited => {
            FailureKind::Site
        }
        _ if is_refused => FailureKind::Site,
        ErrorCode::NoData if observed.cause.is_some_and(is_of_site) => FailureKind::Site,
        _ => FailureKind::Skipped,
    }
}

/// Whether the site is at fault, rather than a limit of the reader.
fn is_of_site(cause: Cause) -> bool {
    matches!(cause, Cause::RedirectLoop | Cause::BadEncoding | Cause::Protocol)
}

/// Code and message for a visit without a page.
fn of_visit(observed: &PageObservation) -> (ErrorCode, String) {
    if observed.challenged {
        let message = "the site is behind bot protection, and the page could not be read";
        return (ErrorCode::TargetBlocked, message.to_owned());
    }
    let (code, message) = match (observed.cause, observed.status) {
        (Some(Cause::NameNotFound), _) => {
            (ErrorCode::UrlNotResolved, "the site's host name does not exist (DNS)".to_owned())
        }
        (Some(Cause::AddressRefused), _) => (
            ErrorCode::InvalidUrl,
            "the site's host name resolves to an address that may not be crawled".to_owned(),
        ),
        (Some(Cause::Blacklisted), _) => (
            ErrorCode::BlacklistedDomain,
            "the site redirects to a domain that this service does not crawl".to_owned(),
        ),
        (Some(Cause::ProviderDown), _) => (
            ErrorCode::ProviderDown,
            "a provider that pages are fetched through, or the browser of this service, is \
             unavailable"
                .to_owned(),
        ),
        (Some(Cause::Bug), _) => {
            (ErrorCode::PipelineBug, "the page could not be read: an internal error".to_owned())
        }
        (Some(Cause::RateLimited), _) | (None, Some(429)) => {
            (ErrorCode::RateLimited, "the site answers with 429 (too many requests)".to_owned())
        }
        (Some(cause), _) => (
            ErrorCode::ServerError,
            format!("the site cannot be reached: {}", cause.failure().describe()),
        ),
        (None, Some(status @ (401 | 403 | 451))) => {
            (ErrorCode::TargetBlocked, format!("the site refuses access ({status})"))
        }
        (None, Some(status @ 500..)) => {
            (ErrorCode::ServerError, format!("the site answers with {status}"))
        }
        (None, Some(status)) => {
            (ErrorCode::NoData, format!("there is nothing to deliver: the page answered {status}"))
        }
        (None, None) => {
            (ErrorCode::TargetBlocked, "robots.txt of the site forbids the page".to_owned())
        }
    };
    (code, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: ErrorCode, observed: &PageObservation) -> FailureKind {
        let ending = Some(RunEnding::nothing(code, "message"));
        PageFailure::of(ending, None, observed).kind
    }

    #[test]
    fn refusal_is_of_the_site_and_protection_is_a_rule() {
        let observed = PageObservation { status: Some(403), ..PageObservation::default() };
        assert_eq!(failure(ErrorCode::TargetBlocked, &observed), FailureKind::Site);
        let wall = PageObservation { challenged: true, ..observed };
        assert_eq!(failure(ErrorCode::TargetBlocked, &wall), FailureKind::Skipped);
        let robots = PageObservation::default();
        assert_eq!(failure(ErrorCode::TargetBlocked, &robots), FailureKind::Skipped);
    }

    #[test]
    fn time_outs_differ_from_other_failures_of_the_site() {
        let of = |cause| PageObservation { cause: Some(cause), ..PageObservation::default() };
        assert_eq!(failure(ErrorCode::ServerError, &of(Cause::Timeout)), FailureKind::TimedOut);
        assert_eq!(failure(ErrorCode::ServerError, &of(Cause::Connect)), FailureKind::Site);
        let name = failure(ErrorCode::UrlNotResolved, &of(Cause::NameNotFound));
        assert_eq!(name, FailureKind::Address);
        assert_eq!(failure(ErrorCode::NoData, &of(Cause::RedirectLoop)), FailureKind::Site);
    }

    #[test]
    fn visit_without_a_page_names_its_cause() {
        let cases = [
            (None, Some(404), ErrorCode::NoData, FailureKind::Site),
            (None, Some(503), ErrorCode::ServerError, FailureKind::Site),
            (None, None, ErrorCode::TargetBlocked, FailureKind::Skipped),
            (Some(Cause::Connect), None, ErrorCode::ServerError, FailureKind::Site),
        ];
        for (cause, status, code, kind) in cases {
            let observed = PageObservation { cause, status, ..PageObservation::default() };
            let failure = PageFailure::of(Some(RunEnding::Complete), None, &observed);
            assert_eq!((failure.code, failure.kind), (code, kind), "{cause:?} {status:?}");
        }
    }
}
