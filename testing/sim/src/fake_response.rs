//! Responses of the fake web.

use std::time::Duration;

use crawl::ResponseHead;
use journal::Cause;

/// A response or failure, and the time until it arrives.
#[derive(Debug)]
pub(crate) struct FakeResponse {
    pub after: Duration,
    pub answer: Result<(ResponseHead, Vec<u8>), Cause>,
}

pub(crate) fn head(status: u16, retry_after: Option<Duration>, elapsed: Duration) -> ResponseHead {
    ResponseHead { status, retry_after, elapsed, ..ResponseHead::default() }
}

pub(crate) fn redirect(status: u16, to: &str) -> (ResponseHead, Vec<u8>) {
    let location = Some(to.to_owned());
    (ResponseHead { status, location, ..ResponseHead::default() }, Vec::new())
}
