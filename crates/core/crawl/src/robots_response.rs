//! The request for the robots.txt of an origin, and what its response means.

use std::time::Duration;

use journal::Cause;
use urls::{CanonicalUrl, Robots};

use crate::parsed_response::{ParsedResponse, ResponseContent, ResponseHead};
use crate::{ExtractRequest, FetchTask, FetchVia, Purpose};

/// Maximum number of redirects of a robots.txt.
const MAX_HOPS: u8 = 5;

/// The result of a robots.txt request.
#[derive(Debug, PartialEq)]
pub(crate) enum RobotsResponse {
    Rules(Robots),
    Moved(CanonicalUrl),
    /// 429 or a server error, with `Retry-After`.
    RetryLater(Cause, Option<Duration>),
    NoResponse(Cause),
}

impl RobotsResponse {
    pub fn of(task: &FetchTask, result: Result<ParsedResponse, Cause>) -> Self {
        let ParsedResponse { head, content, .. } = match result {
            Ok(response) => response,
            Err(cause) => return Self::NoResponse(cause),
        };
        match (content, head) {
            (ResponseContent::Robots(rules), _) => Self::Rules(rules),
            (_, ResponseHead { status: 300..400, location, .. }) => {
                let next = location.and_then(|location| task.url.join(&location).ok());
                next.map_or_else(|| Self::Rules(Robots::allow_all()), Self::Moved)
            }
            (_, ResponseHead { status: 429, retry_after, .. }) => {
                Self::RetryLater(Cause::RateLimited, retry_after)
            }
            (_, ResponseHead { status: 500.., retry_after, .. }) => {
                Self::RetryLater(Cause::RobotsUnavailable, retry_after)
            }
            // Any other status means that there are no rules.
            _ => Self::Rules(Robots::allow_all()),
        }
    }
}

/// The first request for the robots.txt of an origin.
pub(crate) fn robots_request(origin: &str, visit: Option<u32>) -> Option<FetchTask> {
    let url = CanonicalUrl::parse(&format!("{origin}/robots.txt")).ok()?;
    let purpose = Purpose::Robots { origin: origin.to_owned(), hops: 0 };
    let extract = ExtractRequest::default();
    Some(FetchTask { url, purpose, visit, gap: None, fetch_via: FetchVia::Plain, extract })
}

/// The request to a redirect target; none after too many redirects.
pub(crate) fn follow(task: &FetchTask, url: CanonicalUrl) -> Option<FetchTask> {
    match &task.purpose {
        Purpose::Robots { origin, hops } if *hops < MAX_HOPS => {
            let purpose = Purpose::Robots { origin: origin.clone(), hops: hops + 1 };
            Some(FetchTask { url, purpose, ..task.clone() })
        }
        _ => None,
    }
}
