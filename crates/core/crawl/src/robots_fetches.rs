//! Requests of robots.txt files, with their retries and redirects. Site crawls and domain visits
//! keep the results in their own ways.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use contract::Millis;
use journal::Cause;
use privacy::Denylist;
use urls::Robots;

use crate::FetchTask;
use crate::fetch_policy::RobotsRetries;
use crate::parsed_response::ParsedResponse;
use crate::robots_response::{RobotsResponse, follow, robots_request};

/// When a host that refuses connections is tried once more.
const REFUSED_RETRY: Duration = Duration::from_millis(500);

/// Origins whose robots.txt is requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct RobotsFetches {
    /// Failed attempts by origin.
    failed: HashMap<String, u32>,
    due: BTreeSet<(Millis, String)>,
}

/// The result of a robots.txt request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RobotsResult {
    Rules(Robots),
    /// The file cannot be fetched, so nothing of the origin may be.
    Unavailable(Cause),
    /// Fetch the redirect target.
    FetchElsewhere(FetchTask),
    RetryLater,
}

impl RobotsFetches {
    /// The first request for the file of an origin.
    pub fn begin(&mut self, origin: &str, visit: Option<u32>) -> Option<FetchTask> {
        self.failed.insert(origin.to_owned(), 0);
        robots_request(origin, visit)
    }

    /// The next request whose retry is due.
    pub fn pop_due(&mut self, visit: Option<u32>, now: Millis) -> Option<FetchTask> {
        let first = self.due.first().filter(|(at, _)| *at <= now)?.clone();
        self.due.remove(&first);
        robots_request(&first.1, visit)
    }

    /// When the next retry is due.
    pub fn next_due(&self) -> Option<Millis> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Handles the result of a request for the file of an origin.
    pub fn receive(
        &mut self,
        origin: &str,
        task: &FetchTask,
        result: Result<ParsedResponse, Cause>,
        retries: &RobotsRetries,
        denylist: &Denylist,
        now: Millis,
    ) -> RobotsResult {
        let result = match RobotsResponse::of(task, result) {
            RobotsResponse::Rules(rules) => RobotsResult::Rules(rules),
            // Also after too many redirects: the rules of such a domain are never assumed.
            RobotsResponse::Moved(url) if denylist.covers(&url) => {
                RobotsResult::Unavailable(Cause::Blacklisted)
            }
            RobotsResponse::Moved(url) => match follow(task, url) {
                Some(task) => return RobotsResult::FetchElsewhere(task),
                None => RobotsResult::Rules(Robots::allow_all()),
            },
            RobotsResponse::RetryLater(cause, retry_after) => {
                let wait = retry_after.filter(|_| retries.honours_retry_after);
                let at = now.plus(wait.unwrap_or_default().max(retries.every));
                self.retry(origin, cause, at, retries)
            }
            RobotsResponse::NoResponse(cause) if !retries.without_response => {
                RobotsResult::Unavailable(cause)
            }
            RobotsResponse::NoResponse(cause) => match cause {
                // A retry would fail as well.
                Cause::NameNotFound | Cause::AddressRefused | Cause::Blacklisted | Cause::Tls => {
                    RobotsResult::Unavailable(cause)
                }
                // A server that restarts listens again within a second; without one, a client should
                // not wait for the answer.
                Cause::ConnectionRefused => {
                    let retries = RobotsRetries { attempts: retries.attempts.min(2), ..*retries };
                    self.retry(origin, cause, now.plus(REFUSED_RETRY), &retries)
                }
                Cause::NameServer | Cause::Connect => {
                    self.retry(origin, cause, now.plus(retries.every), retries)
                }
                _ => {
                    let at = now.plus(retries.every);
                    self.retry(origin, Cause::RobotsUnavailable, at, retries)
                }
            },
        };
        if result != RobotsResult::RetryLater {
            self.failed.remove(origin);
        }
        result
    }

    fn retry(
        &mut self,
        origin: &str,
        cause: Cause,
        at: Millis,
        retries: &RobotsRetries,
    ) -> RobotsResult {
        // A result of a request that is not awaited any more changes nothing.
        let Some(failed) = self.failed.get_mut(origin) else { return RobotsResult::RetryLater };
        *failed += 1;
        if *failed >= retries.attempts {
            return RobotsResult::Unavailable(cause);
        }
        self.due.insert((at, origin.to_owned()));
        RobotsResult::RetryLater
    }
}
