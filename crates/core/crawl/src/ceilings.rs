//! Limits of a run that a site cannot influence: known URLs, their bytes, and fetches that deliver
//! nothing.

use journal::{Cause, Outcome};
use serde::{Deserialize, Serialize};

/// Limits that apply to one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ceilings {
    /// Known URLs, fetched or not. URLs beyond it are skipped as `frontier_limit`.
    pub urls: usize,
    /// Bytes of the known URLs with their link texts and sitemap metadata. URLs beyond it are
    /// skipped as `frontier_limit`.
    pub url_bytes: usize,
    /// Bytes of the robots.txt rules of all origins. Further origins are not requested.
    pub robots_bytes: usize,
    /// Fetches of one batch that may deliver nothing; `None` is unlimited.
    pub fetches: Option<FetchAllowance>,
}

impl Default for Ceilings {
    fn default() -> Self {
        Self { urls: 2_000_000, url_bytes: 256 << 20, robots_bytes: 64 << 20, fetches: None }
    }
}

/// Fetches of a batch that may deliver nothing. When the allowance is used up, the run stops on a
/// batch boundary, and confirming it grants the next allowance. A fetch costs one point; a response
/// with an error status costs ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchAllowance {
    /// Points of every batch.
    pub base: u64,
    /// Further points for every unit that the batch delivers.
    pub per_unit: u64,
}

impl Default for FetchAllowance {
    fn default() -> Self {
        Self { base: 20_000, per_unit: 200 }
    }
}

/// Points of a response with status 400 or above: it delivers nothing, not even new URLs.
const ERROR_ANSWER_POINTS: u64 = 10;

/// The points of a URL that delivered no unit; it may have delivered a free item.
pub(crate) fn fetch_points(outcome: &Outcome, delivered: bool) -> u64 {
    match outcome {
        // These were not fetched.
        Outcome::NotRequested
        | Outcome::Skipped(_)
        | Outcome::Failed(Cause::Robots | Cause::RobotsUnavailable | Cause::Blacklisted) => 0,
        Outcome::Answered(400..) if !delivered => ERROR_ANSWER_POINTS,
        // One failed request to an unreachable host fails many URLs, so each costs little.
        Outcome::Answered(_) | Outcome::Redirected { .. } | Outcome::Failed(_) => 1,
    }
}

/// The start of the current batch, from which its size and allowance are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct BatchStart {
    /// The number of the batch; 0 is the first, like 1.
    pub number: u32,
    /// The units delivered before it.
    pub units: u64,
    /// The fetch points spent before it.
    pub fetch_points: u64,
}
