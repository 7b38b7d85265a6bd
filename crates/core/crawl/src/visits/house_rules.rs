//! robots.txt of the origins that a visit comes to. Asked for before anything else, and never
//! taken for permission when it cannot be read.

use std::collections::HashMap;
use std::time::Duration;

use contract::Millis;
use journal::Cause;
use urls::{CanonicalUrl, Robots};

use super::VisitPlan;
use crate::robots_answer::{RobotsAnswer, ask, follow};
use crate::{Reading, Task};

/// Tries of a robots.txt that says "not now", and the wait between them.
const TRIES: u8 = 2;
const AGAIN_AFTER: Duration = Duration::from_secs(2);

/// The longest pause between two requests that a robots.txt may ask for.
const CRAWL_DELAY_AT_MOST: Duration = Duration::from_secs(10);

/// The rules of each origin, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct HouseRules {
    origins: HashMap<String, Rules>,
}

#[derive(Debug)]
enum Rules {
    /// Asked for so often; again at this instant, or now under way.
    Asked {
        tries: u8,
        again: Option<Millis>,
    },
    Known(Robots),
    Dead(Cause),
}

/// What the rules say of an address.
#[derive(Debug)]
pub(super) enum Leave {
    /// It may be asked for, with this pause between two requests.
    Granted(Option<Duration>),
    Refused(Cause),
    /// The rules are not known yet; a task where nobody has asked for them.
    Unknown(Option<Task>),
}

impl HouseRules {
    pub fn leave(&mut self, url: &CanonicalUrl, visit: u32) -> Leave {
        let origin = url.origin();
        match self.origins.get(origin) {
            Some(Rules::Known(rules)) if rules.allows(url) => {
                Leave::Granted(rules.crawl_delay().map(|delay| delay.min(CRAWL_DELAY_AT_MOST)))
            }
            Some(Rules::Known(_)) => Leave::Refused(Cause::Robots),
            Some(Rules::Dead(cause)) => Leave::Refused(*cause),
            Some(Rules::Asked { .. }) => Leave::Unknown(None),
            None => {
                let asked = Rules::Asked { tries: 1, again: None };
                self.origins.insert(origin.to_owned(), asked);
                Leave::Unknown(ask(origin, Some(visit)))
            }
        }
    }

    /// The rules of an origin, once they are known.
    pub fn known(&self, origin: &str) -> Option<&Robots> {
        match self.origins.get(origin) {
            Some(Rules::Known(rules)) => Some(rules),
            Some(Rules::Asked { .. } | Rules::Dead(_)) | None => None,
        }
    }

    /// The next robots.txt that is to be asked for again.
    pub fn pop_due(&mut self, visit: u32, now: Millis) -> Option<Task> {
        let due = self.origins.iter_mut().find_map(|(origin, rules)| match rules {
            Rules::Asked { again: again @ Some(_), .. } if again.is_some_and(|at| at <= now) => {
                *again = None;
                Some(origin)
            }
            _ => None,
        });
        due.and_then(|origin| ask(origin, Some(visit)))
    }

    pub fn next_due(&self) -> Option<Millis> {
        let due = self.origins.values().filter_map(|rules| match rules {
            Rules::Asked { again, .. } => *again,
            Rules::Known(_) | Rules::Dead(_) => None,
        });
        due.min()
    }

    /// Reads what came of asking; a task where it is to be asked for elsewhere.
    pub fn receive(
        &mut self,
        origin: &str,
        task: &Task,
        result: Result<Reading, Cause>,
        plan: &VisitPlan,
        now: Millis,
    ) -> Option<Task> {
        let rules = match RobotsAnswer::of(task, result) {
            RobotsAnswer::Rules(rules) => Rules::Known(rules),
            RobotsAnswer::Moved(url) if plan.denylist.covers(&url) => {
                Rules::Dead(Cause::Blacklisted)
            }
            RobotsAnswer::Moved(url) => match follow(task, url) {
                Some(elsewhere) => return Some(elsewhere),
                None => Rules::Known(Robots::allow_all()),
            },
            RobotsAnswer::NotNow(cause, wait) => self.not_now(origin, cause, wait, now),
            // There are other doors: this one is not knocked at twice.
            RobotsAnswer::Silent(cause) => Rules::Dead(cause),
        };
        self.origins.insert(origin.to_owned(), rules);
        None
    }

    fn not_now(&self, origin: &str, cause: Cause, wait: Option<Duration>, now: Millis) -> Rules {
        match self.origins.get(origin) {
            Some(Rules::Asked { tries, .. }) if *tries < TRIES => Rules::Asked {
                tries: tries + 1,
                again: Some(now.plus(wait.unwrap_or(AGAIN_AFTER).max(AGAIN_AFTER))),
            },
            _ => Rules::Dead(cause),
        }
    }
}
