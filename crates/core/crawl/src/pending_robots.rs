//! robots.txt requests of a site crawl: fetched before anything else of an origin and retried; if
//! the file cannot be read, nothing of the origin is fetched.

use std::collections::{BTreeSet, HashMap};

use contract::Millis;
use journal::{Cause, UrlId};
use urls::{CanonicalUrl, Robots};

use crate::parsed_response::ParsedResponse;
use crate::robots_response::{RobotsResponse, ask, follow};
use crate::{FetchTask, Retries};

/// Origins whose rules are not known yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingRobots {
    waiting: HashMap<String, PendingOrigin>,
    due: BTreeSet<(Millis, String)>,
}

#[derive(Debug, Clone, Default)]
struct PendingOrigin {
    tries: u32,
    urls: Vec<UrlId>,
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
            waiting.urls.push(id);
            return None;
        }
        let waiting = PendingOrigin { tries: 0, urls: vec![id] };
        self.waiting.insert(origin.to_owned(), waiting);
        ask(origin, None)
    }

    /// The next origin whose retry is due.
    pub fn pop_due(&mut self, now: Millis) -> Option<FetchTask> {
        let first = self.due.first().filter(|(at, _)| *at <= now)?.clone();
        self.due.remove(&first);
        ask(&first.1, None)
    }

    /// When the next retry is due.
    pub fn next_due(&self) -> Option<Millis> {
        self.due.first().map(|(at, _)| *at)
    }

    pub fn receive(
        &mut self,
        origin: &str,
        task: &FetchTask,
        result: Result<ParsedResponse, Cause>,
        retries: &Retries,
        now: Millis,
    ) -> RobotsOutcome {
        let failure = match RobotsResponse::of(task, result) {
            RobotsResponse::Rules(rules) => {
                return RobotsOutcome::Known(rules, self.release(origin));
            }
            RobotsResponse::Moved(url) => {
                return match follow(task, url) {
                    Some(task) => RobotsOutcome::FetchElsewhere(task),
                    None => RobotsOutcome::Known(Robots::allow_all(), self.release(origin)),
                };
            }
            RobotsResponse::RetryLater(cause, _) => cause,
            // The origin is unreachable, and a retry would fail as well.
            RobotsResponse::NoResponse(
                cause @ (Cause::NameNotFound
                | Cause::AddressRefused
                | Cause::Blacklisted
                | Cause::Tls),
            ) => return RobotsOutcome::Unreachable(cause, self.release(origin)),
            RobotsResponse::NoResponse(cause @ (Cause::NameServer | Cause::Connect)) => cause,
            RobotsResponse::NoResponse(_) => Cause::RobotsUnavailable,
        };
        let Some(waiting) = self.waiting.get_mut(origin) else {
            return RobotsOutcome::RetryLater;
        };
        waiting.tries += 1;
        if waiting.tries < retries.robots {
            self.due.insert((now.plus(retries.robots_every), origin.to_owned()));
            return RobotsOutcome::RetryLater;
        }
        RobotsOutcome::Unreachable(failure, self.release(origin))
    }

    /// Removes and returns the URLs that wait for the rules of an origin.
    pub fn release(&mut self, origin: &str) -> Vec<UrlId> {
        self.waiting.remove(origin).map(|waiting| waiting.urls).unwrap_or_default()
    }
}
