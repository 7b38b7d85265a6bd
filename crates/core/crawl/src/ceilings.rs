//! Ceilings of a run: how many URLs it may know, how many bytes they may take, and how many
//! fetches may deliver nothing. A site decides none of them.

use journal::{Cause, Outcome};
use serde::{Deserialize, Serialize};

/// What a run may take at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ceilings {
    /// Known URLs, fetched or not. URLs beyond it are skipped as `frontier_limit`.
    pub urls: usize,
    /// Bytes of the known URLs with their link texts and sitemap entries. URLs beyond it are
    /// skipped as `frontier_limit`.
    pub url_bytes: usize,
    /// Bytes of the robots.txt rules of all origins. Origins beyond it are not asked.
    pub robots_bytes: usize,
    /// Fetches of one batch that may deliver nothing; without one they are not counted.
    pub fetches: Option<FetchAllowance>,
}

impl Default for Ceilings {
    fn default() -> Self {
        Self { urls: 2_000_000, url_bytes: 256 << 20, robots_bytes: 64 << 20, fetches: None }
    }
}

/// How many fetches of a batch may deliver nothing. When it is used up, the run stops on a
/// batch boundary, and confirming it grants the next allowance. A fetch costs one point, one
/// that was answered by an error costs ten.
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

/// What an answer of 400 or above costs: it brings nothing, not even new URLs.
const ERROR_ANSWER_POINTS: u64 = 10;

/// The points of a URL that delivered no unit, although perhaps a free item.
pub(crate) fn fetch_points(outcome: &Outcome, delivered: bool) -> u64 {
    match outcome {
        // Those were not fetched.
        Outcome::Unasked
        | Outcome::Skipped(_)
        | Outcome::Failed(Cause::Robots | Cause::RobotsUnavailable | Cause::Blacklisted) => 0,
        Outcome::Answered(400..) if !delivered => ERROR_ANSWER_POINTS,
        // A host that cannot be reached fails many URLs by one request.
        Outcome::Answered(_) | Outcome::Redirected { .. } | Outcome::Failed(_) => 1,
    }
}

/// Where the current batch began: its size and its allowance count from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct BatchStart {
    /// The number of the batch; 0 stands for the first as well.
    pub number: u32,
    /// The units delivered before it.
    pub units: u64,
    /// The fetch points spent before it.
    pub fetch_points: u64,
}
