//! robots.txt state of the origins of a visit: requested before anything else; if the file cannot
//! be read, nothing of the origin is fetched.

use std::collections::HashMap;
use std::time::Duration;

use contract::Millis;
use journal::Cause;
use urls::{CanonicalUrl, Robots};

use super::VisitPlan;
use crate::fetch_policy::{FetchPolicy, check_robots};
use crate::robots_fetches::{RobotsFetches, RobotsResult};
use crate::{FetchTask, ParsedResponse};

#[derive(Debug, Default)]
pub(super) struct RobotsGate {
    fetches: RobotsFetches,
    origins: HashMap<String, RobotsState>,
}

#[derive(Debug)]
enum RobotsState {
    Requested,
    Known(Robots),
    Dead(Cause),
}

/// Whether a URL may be requested.
#[derive(Debug)]
pub(super) enum RobotsDecision {
    /// Allowed, with this `Crawl-delay`.
    Allowed(Option<Duration>),
    Denied(Cause),
    /// The rules are not known yet; a task if the file was not requested.
    Pending(Option<FetchTask>),
}

impl RobotsGate {
    pub fn decide(&mut self, url: &CanonicalUrl, visit: u32) -> RobotsDecision {
        let origin = url.origin();
        match self.origins.get(origin) {
            Some(RobotsState::Known(rules)) => match check_robots(rules, url) {
                Ok(gap) => RobotsDecision::Allowed(gap),
                Err(cause) => RobotsDecision::Denied(cause),
            },
            Some(RobotsState::Dead(cause)) => RobotsDecision::Denied(*cause),
            Some(RobotsState::Requested) => RobotsDecision::Pending(None),
            None => {
                self.origins.insert(origin.to_owned(), RobotsState::Requested);
                RobotsDecision::Pending(self.fetches.begin(origin, Some(visit)))
            }
        }
    }

    /// The rules of an origin, if known.
    pub fn known(&self, origin: &str) -> Option<&Robots> {
        match self.origins.get(origin) {
            Some(RobotsState::Known(rules)) => Some(rules),
            Some(RobotsState::Requested | RobotsState::Dead(_)) | None => None,
        }
    }

    /// The next robots.txt whose retry is due.
    pub fn pop_due(&mut self, visit: u32, now: Millis) -> Option<FetchTask> {
        self.fetches.pop_due(Some(visit), now)
    }

    pub fn next_due(&self) -> Option<Millis> {
        self.fetches.next_due()
    }

    /// Handles a result. Returns a task if the file has to be fetched elsewhere.
    pub fn receive(
        &mut self,
        origin: &str,
        task: &FetchTask,
        result: Result<ParsedResponse, Cause>,
        plan: &VisitPlan,
        now: Millis,
    ) -> Option<FetchTask> {
        let (retries, denylist) = (&FetchPolicy::VISIT.robots, &plan.denylist);
        let state = match self.fetches.receive(origin, task, result, retries, denylist, now) {
            RobotsResult::Rules(rules) => RobotsState::Known(rules),
            RobotsResult::Unavailable(cause) => RobotsState::Dead(cause),
            RobotsResult::FetchElsewhere(next) => return Some(next),
            RobotsResult::RetryLater => RobotsState::Requested,
        };
        self.origins.insert(origin.to_owned(), state);
        None
    }
}
