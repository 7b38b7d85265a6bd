//! The request for the robots.txt of an origin, and what its response means.

use std::time::Duration;

use journal::Cause;
use urls::{CanonicalUrl, Robots, RobotsStatus};

use crate::parsed_response::{ParsedResponse, ResponseContent, ResponseHead};
use crate::{ExtractRequest, FetchTask, FetchVia, Purpose};

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
        let ResponseHead { status, location, retry_after, .. } = head;
        if let ResponseContent::Robots(rules) = content {
            return Self::Rules(rules);
        }
        match RobotsStatus::of(status) {
            RobotsStatus::Redirect => {
                let next = location.and_then(|location| task.url.join(&location).ok());
                next.map_or_else(|| Self::Rules(Robots::allow_all()), Self::Moved)
            }
            RobotsStatus::RateLimited => Self::RetryLater(Cause::RateLimited, retry_after),
            RobotsStatus::ServerError => Self::RetryLater(Cause::RobotsUnavailable, retry_after),
            RobotsStatus::Rules | RobotsStatus::NoRules => Self::Rules(Robots::allow_all()),
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
        Purpose::Robots { origin, hops } if *hops < Robots::MAX_REDIRECTS => {
            let purpose = Purpose::Robots { origin: origin.clone(), hops: hops + 1 };
            Some(FetchTask { url, purpose, ..task.clone() })
        }
        _ => None,
    }
}
