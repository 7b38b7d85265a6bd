//! Rows for skipped URLs.

use contract::{FailureCause, SkippedUrl};
use journal::Outcome;
use urls::CanonicalUrl;

use crate::finished_page::FinishedPage;

/// Approximate memory of a row, in bytes.
pub(crate) fn bytes(row: &SkippedUrl) -> usize {
    let texts = [&row.found_on, &row.redirects_to].into_iter().flatten();
    let failed = row.failed_action.as_ref().map_or(0, |failed| failed.message.len());
    size_of::<SkippedUrl>() + row.url.len() + failed + texts.map(String::len).sum::<usize>()
}

/// Adds status, cause and redirect target of the response to a row. `requested` is the URL in the
/// frontier; `challenged` is the status of a challenge whose response was dropped.
pub(crate) fn answered(
    row: SkippedUrl,
    requested: &str,
    finished: &FinishedPage<'_>,
    challenged: Option<u16>,
) -> SkippedUrl {
    let head = finished.head();
    let (status_code, cause) = match finished.outcome {
        Outcome::Answered(status) => {
            (Some(*status), (*status >= 400).then_some(FailureCause::HttpStatus))
        }
        Outcome::Redirected { status, .. } => (Some(*status), None),
        Outcome::Failed(cause) => {
            (head.map(|head| head.status).or(challenged), Some(cause.failure()))
        }
        Outcome::NotRequested | Outcome::Skipped(_) => (None, None),
    };
    let redirects_to = head.and_then(|head| head.location.as_deref()).and_then(|location| {
        let from = CanonicalUrl::parse(finished.requested_url.unwrap_or(requested)).ok()?;
        Some(from.join(location).ok()?.to_string())
    });
    let is_redirect = status_code.is_some_and(|status| (300..400).contains(&status));
    SkippedUrl { status_code, cause, redirects_to: redirects_to.filter(|_| is_redirect), ..row }
}
