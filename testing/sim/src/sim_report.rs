//! The results of a simulated run.

use std::collections::{BTreeMap, BTreeSet};

use contract::{ErrorCode, FetchFault, SkipReason, Status};

use urls::CanonicalUrl;

use crate::sim_store::SimStore;
use crate::truth::{ExpectedItem, ExpectedOutcome, Truth};

/// What happened in a run, and its results.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimReport {
    pub steps: u64,
    pub requests: u64,
    pub commits: u64,
    pub snapshots: u64,
    pub claims: u64,
    pub crashes: u64,
    pub lost_appends: u64,
    pub parked: u64,
    pub results: u64,
    pub units: u64,
    /// Blocked pages: whatever only they link to is missing.
    pub blocked: u64,
    /// Whether the run continued at the higher rate.
    pub escalated: bool,
    /// External results, and results that only a sitemap lists.
    pub external: u64,
    pub orphans: u64,
    /// Whether every known URL is finished.
    pub whole: bool,
    pub sampled: bool,
    /// Whether the run has a page limit: which pages it fetched depends on chance.
    pub limited: bool,
    pub status: Option<Status>,
    pub error: Option<ErrorCode>,
    pub(crate) delivered: BTreeMap<String, DeliveredValues>,
    /// The skipped URLs, by key.
    pub skipped: BTreeMap<String, SkipReason>,
}

/// The values of a result that depend on the site only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeliveredValues {
    content_hash: Option<String>,
    status: Option<u16>,
    external: bool,
    in_sitemap: bool,
    orphan: bool,
    inlinks: u32,
    depth: Option<u32>,
}

impl SimReport {
    pub(crate) fn read(&mut self, store: &SimStore) -> Result<(), String> {
        self.status = Some(store.job.status);
        self.error = store.job.error.as_ref().map(|error| error.code);
        self.results = store.job.counts.results;
        self.units = store.job.units.0;
        self.blocked = store.blocked;
        self.escalated = store.went_protected && store.job.status != Status::Failed;
        self.sampled = store.job.options.sample_size.is_some();
        let is_done = store.state.frontier().pending_count() == 0;
        self.whole = is_done && self.status != Some(Status::Aborted);
        let may_break_off = self.sampled
            || self.limited
            || self.status == Some(Status::Aborted)
            || self.error == Some(ErrorCode::ProtectedRateRefused);
        if !is_done && !may_break_off {
            return Err("the run ended with unfinished URLs".to_owned());
        }
        let is_list = store.job.is_list();
        let overlay = store.state.overlay();
        if overlay.revisions.len() != store.items.len() {
            return Err("the overlay has another length than the items".to_owned());
        }
        for (item, revision) in store.items.iter().zip(&overlay.revisions) {
            let Some(link) = item.link() else {
                return Err(format!("{} has an item of another mode", item.url()));
            };
            self.external += u64::from(link.external);
            self.orphans += u64::from(revision.orphan);
            // Which URL of a loop fails depends on the order of requests, unless it is listed.
            if !is_list && link.error == Some(FetchFault::RedirectLoop) {
                continue;
            }
            let values = DeliveredValues {
                content_hash: link.content_hash.clone(),
                status: link.status_code,
                external: link.external,
                in_sitemap: revision.in_sitemap,
                orphan: revision.orphan,
                inlinks: revision.inlinks,
                depth: revision.depth,
            };
            // The spelling of a URL depends on the order of requests as well.
            let key = urls::page_key(&link.url).to_owned();
            if self.delivered.insert(key, values).is_some() {
                return Err(format!("{} was delivered twice", link.url));
            }
        }
        let skipped = store.skipped.iter();
        self.skipped =
            skipped.map(|line| (urls::page_key(&line.url).to_owned(), line.reason)).collect();
        Ok(())
    }

    /// Compares the results with the expected ones, as far as the run went.
    pub(crate) fn compare_with_truth(&self, truth: &Truth) -> Result<(), String> {
        if self.blocked > 0 {
            return Ok(());
        }
        let keys: BTreeSet<&String> =
            self.delivered.keys().chain(self.skipped.keys()).chain(truth.outcomes.keys()).collect();
        for key in keys {
            let (seen, left) = (self.delivered.get(key), self.skipped.get(key).copied());
            let expected = truth.outcomes.get(key);
            let fits = match (expected, seen, left) {
                (Some(ExpectedOutcome::RedirectLoop), ..) => true,
                (Some(ExpectedOutcome::SamePage(_)), None, Some(SkipReason::SamePage)) => true,
                (
                    Some(ExpectedOutcome::Delivered(known) | ExpectedOutcome::SamePage(known)),
                    Some(seen),
                    None,
                ) => seen.fits(known, self.whole),
                (Some(ExpectedOutcome::Skipped(why)), None, Some(left)) => why.contains(&left),
                (Some(ExpectedOutcome::Unread), seen, left) => {
                    seen.is_none_or(|seen| seen.status.is_none())
                        && matches!(
                            left,
                            None | Some(SkipReason::Language | SkipReason::NotFollowed)
                        )
                }
                // A recorded link that was declared to be in another language.
                (Some(ExpectedOutcome::Delivered(known)), None, Some(SkipReason::Language)) => {
                    known.order_dependent && known.status.is_none()
                }
                // The redirect to it was not reached, or its other URL is delivered.
                (Some(ExpectedOutcome::Delivered(known)), None, Some(SkipReason::NotFollowed)) => {
                    known.order_dependent && (!self.whole || known.status.is_none())
                }
                (Some(ExpectedOutcome::SamePage(known)), None, Some(SkipReason::NotFollowed)) => {
                    known.order_dependent
                }
                // See `SimStore::report_once`.
                (
                    Some(ExpectedOutcome::Delivered(known)),
                    Some(_),
                    Some(SkipReason::NotFollowed),
                ) => known.order_dependent,
                (Some(_), None, None) => !self.whole,
                _ => false,
            };
            if !fits {
                return Err(format!("{key} is {seen:?}, skipped {left:?}; expected {expected:?}"));
            }
        }
        let units = truth.units();
        if self.units > units || (self.whole && self.units != units) {
            return Err(format!("{} units were delivered, expected {units}", self.units));
        }
        Ok(())
    }

    /// Checks that each URL of the list is a result or a skipped URL, and nothing else is.
    pub(crate) fn compare_with_list(&self, listed: &[CanonicalUrl]) -> Result<(), String> {
        let listed: BTreeSet<&str> = listed.iter().map(CanonicalUrl::page_key).collect();
        let reported: Vec<&str> =
            self.delivered.keys().chain(self.skipped.keys()).map(String::as_str).collect();
        if let Some(other) = reported.iter().find(|key| !listed.contains(*key)) {
            return Err(format!("{other} is reported and not in the list"));
        }
        let distinct: BTreeSet<_> = reported.iter().copied().collect();
        if distinct.len() != reported.len() {
            return Err("a URL of the list is delivered and skipped".to_owned());
        }
        match listed.difference(&distinct).next() {
            Some(missing) if self.whole => Err(format!("{missing} of the list is not reported")),
            _ => Ok(()),
        }
    }

    /// Compares the results with those of the run without faults.
    pub(crate) fn compare(&self, calm: &Self) -> Result<(), String> {
        let is_stopped = self.status == Some(Status::Aborted)
            || self.error == Some(ErrorCode::ProtectedRateRefused);
        if is_stopped || self.blocked > 0 {
            return Ok(());
        }
        if self.limited && !(self.whole && calm.whole) {
            return Ok(());
        }
        if (self.status, self.error) != (calm.status, calm.error) {
            return Err(format!(
                "it ended as {:?} {:?}, the run without faults as {:?} {:?}",
                self.status, self.error, calm.status, calm.error
            ));
        }
        if self.sampled {
            // The pages of a sample depend on chance; their number does not.
            return match self.results == calm.results {
                true => Ok(()),
                false => Err(format!("a sample of {}, expected {}", self.results, calm.results)),
            };
        }
        if !self.whole || !calm.whole {
            return Ok(());
        }
        for (key, values) in &self.delivered {
            // A missing page was delivered under the other URL of its folder.
            if let Some(other) = calm.delivered.get(key)
                && other.content_hash != values.content_hash
            {
                return Err(format!("{key} is {values:?}, in the run without faults {other:?}"));
            }
        }
        Ok(())
    }
}

impl DeliveredValues {
    fn fits(&self, known: &ExpectedItem, whole: bool) -> bool {
        let kept = (self.status, self.external) == (known.status, known.external);
        let ways = (self.in_sitemap, self.orphan, self.inlinks, self.depth)
            == (known.in_sitemap, known.orphan, known.inlinks, known.depth);
        kept && (ways || known.order_dependent || !whole)
    }
}
