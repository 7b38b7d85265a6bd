//! robots.txt of each origin: asked for before anything else, waited for when it does
//! not answer, and never taken for permission when it cannot be read.

use std::collections::{BTreeSet, HashMap};

use contract::Millis;
use journal::Cause;
use urls::{CanonicalUrl, Robots};

use crate::reading::Reading;
use crate::robots_answer::{RobotsAnswer, ask, follow};
use crate::{Retries, Task};

/// Origins whose rules are not known yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct RobotsWatch {
    waiting: HashMap<String, Waiting>,
    due: BTreeSet<(Millis, String)>,
}

#[derive(Debug, Clone, Default)]
struct Waiting {
    tries: u32,
    urls: Vec<u32>,
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// The rules, and the URLs that waited for them.
    Known(Robots, Vec<u32>),
    /// The origin cannot be asked at all: this ends the URLs that waited.
    Unreachable(Cause, Vec<u32>),
    /// Ask at once at another place.
    Ask(Task),
    /// Ask again later.
    Later,
}

impl RobotsWatch {
    /// Lets a URL wait for the rules of its origin; a task when nobody has asked yet.
    pub fn wait(&mut self, url: &CanonicalUrl, ordinal: u32) -> Option<Task> {
        let origin = url.origin();
        if let Some(waiting) = self.waiting.get_mut(origin) {
            waiting.urls.push(ordinal);
            return None;
        }
        let waiting = Waiting { tries: 0, urls: vec![ordinal] };
        self.waiting.insert(origin.to_owned(), waiting);
        ask(origin, None)
    }

    /// The next origin that is to be asked again.
    pub fn pop_due(&mut self, now: Millis) -> Option<Task> {
        let first = self.due.first().filter(|(at, _)| *at <= now)?.clone();
        self.due.remove(&first);
        ask(&first.1, None)
    }

    /// When the next origin is to be asked again.
    pub fn next_due(&self) -> Option<Millis> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Reads what came of asking.
    pub fn receive(
        &mut self,
        origin: &str,
        task: &Task,
        result: Result<Reading, Cause>,
        retries: &Retries,
        now: Millis,
    ) -> Verdict {
        let failure = match RobotsAnswer::of(task, result) {
            RobotsAnswer::Rules(rules) => return Verdict::Known(rules, self.release(origin)),
            RobotsAnswer::Moved(url) => {
                return match follow(task, url) {
                    Some(task) => Verdict::Ask(task),
                    None => Verdict::Known(Robots::allow_all(), self.release(origin)),
                };
            }
            RobotsAnswer::NotNow(cause, _) => cause,
            // The origin itself is out of reach: no other try will say otherwise.
            RobotsAnswer::Silent(
                cause @ (Cause::NameNotFound
                | Cause::AddressRefused
                | Cause::Blacklisted
                | Cause::Tls),
            ) => return Verdict::Unreachable(cause, self.release(origin)),
            RobotsAnswer::Silent(cause @ (Cause::NameServer | Cause::Connect)) => cause,
            RobotsAnswer::Silent(_) => Cause::RobotsUnavailable,
        };
        let Some(waiting) = self.waiting.get_mut(origin) else { return Verdict::Later };
        waiting.tries += 1;
        if waiting.tries < retries.robots {
            self.due.insert((now.plus(retries.robots_every), origin.to_owned()));
            return Verdict::Later;
        }
        Verdict::Unreachable(failure, self.release(origin))
    }

    /// The URLs that waited for the rules of an origin; nobody waits any more.
    pub fn release(&mut self, origin: &str) -> Vec<u32> {
        self.waiting.remove(origin).map(|waiting| waiting.urls).unwrap_or_default()
    }
}
