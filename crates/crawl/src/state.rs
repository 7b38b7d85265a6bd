//! What a run knows and must not forget. It changes by [`Step`]s alone, live and in
//! replay by the same code.

use std::collections::{BTreeMap, HashMap};

use contract::Scope;
use journal::{Commit, Fact, Finished, Found, Outcome, Overlay, Revision, Step, Via};
use serde::{Deserialize, Serialize};
use site::{CanonicalUrl, Robots, ScopeRule};

use crate::Frontier;
use crate::tally::Tally;

/// The lasting state of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunState {
    pub(crate) frontier: Frontier,
    /// The rules of each origin that was asked for them.
    pub(crate) robots: BTreeMap<String, Robots>,
    /// Where the site turned out to be.
    pub(crate) moved_to: Option<String>,
    /// Where redirects led: from which URL by which status to which.
    pub(crate) redirects: HashMap<u32, (u16, Option<u32>)>,
    /// The first URL that had a content.
    pub(crate) contents: HashMap<u64, u32>,
    /// The URLs of the items, in their order.
    pub(crate) delivered: Vec<u32>,
    pub(crate) units: u64,
    pub(crate) tally: Tally,
    /// URLs that were finished twice: a fault that the simulator looks for.
    pub(crate) finished_twice: u32,
}

impl RunState {
    /// Takes a step: the only way in which anything here changes.
    pub(crate) fn take(&mut self, step: &Step) {
        match step {
            Step::Learned(Fact::Robots { authority, rules }) => {
                self.robots.insert(authority.clone(), rules.clone());
            }
            Step::Learned(Fact::SiteMoved { to }) => self.moved_to = Some(to.clone()),
            Step::Seeded(found) => self.enter(found, None),
            Step::Finished(finished) => self.finish(finished),
        }
    }

    /// Takes every step of a commit.
    pub fn replay(&mut self, commit: &Commit) {
        for step in &commit.steps {
            self.take(step);
        }
    }

    fn enter(&mut self, found: &[Found], parent: Option<u32>) {
        for found in found {
            // It was canonical when it was written, so it is now.
            if let Ok(url) = CanonicalUrl::parse(&found.url) {
                self.frontier.offer(&url, found, parent);
            }
        }
    }

    fn finish(&mut self, finished: &Finished) {
        self.enter(&finished.found, Some(finished.ordinal));
        for target in &finished.linked {
            self.frontier.link(*target);
        }
        if let Outcome::Redirected { status, to } = finished.outcome {
            self.redirects.insert(finished.ordinal, (status, to));
        }
        if let Some(content) = finished.content {
            self.contents.entry(content).or_insert(finished.ordinal);
        }
        if finished.delivered {
            self.delivered.push(finished.ordinal);
        }
        self.units += u64::from(finished.units);
        self.tally.count(&finished.outcome);
        if !self.frontier.finish(finished.ordinal) {
            self.finished_twice += 1;
        }
    }

    /// The rule by which URLs are admitted, where the site turned out to be.
    pub(crate) fn scope_rule(&self, start: &CanonicalUrl, scope: Scope) -> ScopeRule {
        let moved = self.moved_to.as_deref().and_then(|to| CanonicalUrl::parse(to).ok());
        ScopeRule::new(moved.unwrap_or_else(|| start.clone()), scope)
    }

    /// Whether a URL is the start, or where its redirects led.
    pub(crate) fn is_start(&self, ordinal: u32) -> bool {
        let mut at = ordinal;
        // Bounded by the number of hops that a redirect may take.
        for _ in 0..=crate::redirect::HOPS {
            if at == 0 {
                return true;
            }
            match (self.frontier.via(at), self.frontier.parent(at)) {
                (Via::Redirect, Some(parent)) => at = parent,
                _ => return false,
            }
        }
        false
    }

    /// What is known by now of the items, in their order.
    #[must_use]
    pub fn overlay(&self) -> Overlay {
        let revisions = self.delivered.iter().map(|ordinal| {
            let inlinks = self.frontier.inlinks(*ordinal);
            let listed = self.frontier.via(*ordinal) == Via::Sitemap;
            Revision { inlinks, orphan: listed && inlinks == 0, in_sitemap: listed }
        });
        Overlay { revisions: revisions.collect() }
    }

    /// The URLs of the run.
    #[must_use]
    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// The units delivered.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }

    /// How many items were made.
    #[must_use]
    pub fn results(&self) -> u64 {
        self.delivered.len() as u64
    }

    /// How often a URL was finished that had been finished before. Always zero.
    #[must_use]
    pub fn finished_twice(&self) -> u32 {
        self.finished_twice
    }
}
