//! robots.txt state of the origins of a visit: requested before anything else; if the file cannot
//! be read, nothing of the origin is fetched.

use std::collections::HashMap;
use std::time::Duration;

use contract::Millis;
use journal::Cause;
use urls::{CanonicalUrl, Robots};

use super::VisitPlan;
use crate::robots_response::{RobotsResponse, ask, follow};
use crate::{FetchTask, ParsedResponse};

/// Attempts to fetch a robots.txt that answers 429 or 5xx, and the delay between them.
const TRIES: u8 = 2;
const AGAIN_AFTER: Duration = Duration::from_secs(2);

/// The longest `Crawl-delay` that is honoured.
const CRAWL_DELAY_AT_MOST: Duration = Duration::from_secs(10);

/// The robots.txt state of each origin.
#[derive(Debug, Default)]
pub(super) struct RobotsGate {
    origins: HashMap<String, RobotsState>,
}

#[derive(Debug)]
enum RobotsState {
    /// Requested this many times; `again` is the time of the retry, `None` while in flight.
    Requested {
        tries: u8,
        again: Option<Millis>,
    },
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
            Some(RobotsState::Known(rules)) if rules.allows(url) => RobotsDecision::Allowed(
                rules.crawl_delay().map(|delay| delay.min(CRAWL_DELAY_AT_MOST)),
            ),
            Some(RobotsState::Known(_)) => RobotsDecision::Denied(Cause::Robots),
            Some(RobotsState::Dead(cause)) => RobotsDecision::Denied(*cause),
            Some(RobotsState::Requested { .. }) => RobotsDecision::Pending(None),
            None => {
                let requested = RobotsState::Requested { tries: 1, again: None };
                self.origins.insert(origin.to_owned(), requested);
                RobotsDecision::Pending(ask(origin, Some(visit)))
            }
        }
    }

    /// The rules of an origin, if known.
    pub fn known(&self, origin: &str) -> Option<&Robots> {
        match self.origins.get(origin) {
            Some(RobotsState::Known(rules)) => Some(rules),
            Some(RobotsState::Requested { .. } | RobotsState::Dead(_)) | None => None,
        }
    }

    /// The next robots.txt whose retry is due.
    pub fn pop_due(&mut self, visit: u32, now: Millis) -> Option<FetchTask> {
        let due = self.origins.iter_mut().find_map(|(origin, rules)| match rules {
            RobotsState::Requested { again: again @ Some(_), .. }
                if again.is_some_and(|at| at <= now) =>
            {
                *again = None;
                Some(origin)
            }
            _ => None,
        });
        due.and_then(|origin| ask(origin, Some(visit)))
    }

    pub fn next_due(&self) -> Option<Millis> {
        let due = self.origins.values().filter_map(|rules| match rules {
            RobotsState::Requested { again, .. } => *again,
            RobotsState::Known(_) | RobotsState::Dead(_) => None,
        });
        due.min()
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
        let rules = match RobotsResponse::of(task, result) {
            RobotsResponse::Rules(rules) => RobotsState::Known(rules),
            RobotsResponse::Moved(url) if plan.denylist.covers(&url) => {
                RobotsState::Dead(Cause::Blacklisted)
            }
            RobotsResponse::Moved(url) => match follow(task, url) {
                Some(elsewhere) => return Some(elsewhere),
                None => RobotsState::Known(Robots::allow_all()),
            },
            RobotsResponse::RetryLater(cause, wait) => self.not_now(origin, cause, wait, now),
            // There are other entry URLs, so this one is not retried.
            RobotsResponse::NoResponse(cause) => RobotsState::Dead(cause),
        };
        self.origins.insert(origin.to_owned(), rules);
        None
    }

    fn not_now(
        &self,
        origin: &str,
        cause: Cause,
        wait: Option<Duration>,
        now: Millis,
    ) -> RobotsState {
        match self.origins.get(origin) {
            Some(RobotsState::Requested { tries, .. }) if *tries < TRIES => {
                RobotsState::Requested {
                    tries: tries + 1,
                    again: Some(now.plus(wait.unwrap_or(AGAIN_AFTER).max(AGAIN_AFTER))),
                }
            }
            _ => RobotsState::Dead(cause),
        }
    }
}
