//! What the result of a robots.txt request means for a site crawl.

use contract::Millis;
use journal::{Cause, Fact, Step, UrlId};
use urls::Robots;

use crate::Action;
use crate::pending_robots::RobotsOutcome;
use crate::site_crawl::SiteCrawl;

impl SiteCrawl {
    /// Applies the result of a robots.txt request.
    pub(crate) fn apply_robots(
        &mut self,
        origin: &str,
        outcome: RobotsOutcome,
        now: Millis,
        actions: &mut Vec<Action>,
    ) {
        match outcome {
            RobotsOutcome::Known(rules, urls) => self.learn_robots(origin, rules, &urls, now),
            RobotsOutcome::Unreachable(cause, urls) => {
                if cause != Cause::Blacklisted
                    && let Some((rules, _)) = self.state.robots.get(origin)
                {
                    // Expired rules are better than none.
                    let rules = rules.clone();
                    return self.learn_robots(origin, rules, &urls, now);
                }
                // The URLs go through the queue, because not all of them may fit into the budget.
                self.unfetchable.extend(urls.iter().map(|id| (*id, cause)));
                self.release(&urls);
                if matches!(cause, Cause::RobotsUnavailable | Cause::RateLimited) {
                    // The run keeps this result and does not request the file again for URLs found
                    // later.
                    self.learn_robots(origin, Robots::disallow_all(), &[], now);
                }
            }
            RobotsOutcome::FetchElsewhere(next) => {
                self.robots_in_flight += 1;
                actions.push(Action::Fetch(next));
            }
            RobotsOutcome::RetryLater => {}
        }
    }

    fn learn_robots(&mut self, origin: &str, rules: Robots, urls: &[UrlId], now: Millis) {
        let authority = origin.to_owned();
        self.apply(Step::Learned(Fact::Robots { authority, rules, read_at: now }));
        self.release(urls);
    }
}
