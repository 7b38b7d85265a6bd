//! URLs of a site crawl that wait for the robots.txt of their origin. It is fetched before anything
//! else of the origin; if it cannot be read, nothing of the origin is fetched.

use std::collections::HashMap;

use contract::Millis;
use journal::{Cause, UrlId};
use privacy::Denylist;
use urls::{CanonicalUrl, Robots};

use crate::FetchTask;
use crate::fetch_policy::RobotsRetries;
use crate::parsed_response::ParsedResponse;
use crate::robots_fetches::{RobotsFetches, RobotsResult};

/// Origins whose rules are not known yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingRobots {
    fetches: RobotsFetches,
    /// The URLs that wait for the rules of each origin.
    waiting: HashMap<String, Vec<UrlId>>,
}

/// The result of a robots.txt request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RobotsOutcome {
    /// The rules, and the URLs that waited for them.
    Known(Robots, Vec<UrlId>),
    /// The origin cannot be reached: the URLs that waited fail.
    Unreachable(Cause, Vec<UrlId>),
    /// Fetch the redirect target.
    FetchElsewhere(FetchTask),
    RetryLater,
}

impl PendingRobots {
    /// Makes a URL wait for the rules of its origin. Returns a task if the file was not requested
    /// yet.
    pub fn wait(&mut self, url: &CanonicalUrl, id: UrlId) -> Option<FetchTask> {
        let origin = url.origin();
        if let Some(waiting) = self.waiting.get_mut(origin) {
            waiting.push(id);
            return None;
        }
        self.waiting.insert(origin.to_owned(), vec![id]);
        self.fetches.begin(origin, None)
    }

    /// The next origin whose retry is due.
    pub fn pop_due(&mut self, now: Millis) -> Option<FetchTask> {
        self.fetches.pop_due(None, now)
    }

    /// When the next retry is due.
    pub fn next_due(&self) -> Option<Millis> {
        self.fetches.next_due()
    }

    pub fn receive(
        &mut self,
        origin: &str,
        task: &FetchTask,
        result: Result<ParsedResponse, Cause>,
        retries: &RobotsRetries,
        denylist: &Denylist,
        now: Millis,
    ) -> RobotsOutcome {
        match self.fetches.receive(origin, task, result, retries, denylist, now) {
            RobotsResult::Rules(rules) => RobotsOutcome::Known(rules, self.release(origin)),
            RobotsResult::Unavailable(cause) => {
                RobotsOutcome::Unreachable(cause, self.release(origin))
            }
            RobotsResult::FetchElsewhere(task) => RobotsOutcome::FetchElsewhere(task),
            RobotsResult::RetryLater => RobotsOutcome::RetryLater,
        }
    }

    /// Removes and returns the URLs that wait for the rules of an origin.
    fn release(&mut self, origin: &str) -> Vec<UrlId> {
        self.waiting.remove(origin).unwrap_or_default()
    }
}
