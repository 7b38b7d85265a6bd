//! What a row among the URLs left out says of the answer.

use contract::{FetchFault, SkippedUrl};
use journal::Outcome;
use urls::CanonicalUrl;

use crate::item::Sight;

/// Bytes of its texts, and of what holds them.
pub(crate) fn bytes(row: &SkippedUrl) -> usize {
    let texts = [&row.found_on, &row.redirects_to].into_iter().flatten();
    size_of::<SkippedUrl>() + row.url.len() + texts.map(String::len).sum::<usize>()
}

/// The row with what is known of its answer: status, cause, and where a redirect leads.
/// `asked` is the address in the frontier; `challenged` is the status of a wall whose answer was
/// dropped before the fate of its page was known.
pub(crate) fn answered(
    row: SkippedUrl,
    asked: &str,
    sight: &Sight<'_>,
    challenged: Option<u16>,
) -> SkippedUrl {
    let head = sight.answer.map(|(head, _)| head);
    let (status_code, cause) = match sight.outcome {
        Outcome::Answered(status) => (Some(*status), (*status >= 400).then_some(FetchFault::Http)),
        Outcome::Redirected { status, .. } => (Some(*status), None),
        Outcome::Failed(cause) => {
            (head.map(|head| head.status).or(challenged), Some(cause.fault()))
        }
        Outcome::Unasked | Outcome::Skipped(_) => (None, None),
    };
    let redirects_to = head.and_then(|head| head.location.as_deref()).and_then(|location| {
        let from = CanonicalUrl::parse(sight.asked_at.unwrap_or(asked)).ok()?;
        Some(from.join(location).ok()?.to_string())
    });
    let is_redirect = status_code.is_some_and(|status| (300..400).contains(&status));
    SkippedUrl { status_code, cause, redirects_to: redirects_to.filter(|_| is_redirect), ..row }
}
