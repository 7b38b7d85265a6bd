//! What a run came to.

use std::collections::{BTreeMap, BTreeSet};

use contract::{ErrorCode, FetchFault, SkipReason, Status};

use crate::books::Books;
use crate::truth::{Fate, Known, Truth};

/// The account of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
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
    /// Pages that stayed behind a wall: whatever is only to be found there is missing.
    pub blocked: u64,
    /// Whether the run went on at the higher rate.
    pub escalated: bool,
    /// Results that belong to others, and those that only a sitemap named.
    pub external: u64,
    pub orphans: u64,
    /// Whether every URL that was found is done with.
    pub whole: bool,
    pub sampled: bool,
    /// Whether a budget of pages may have ended it: which pages it went for, is left to
    /// chance.
    pub limited: bool,
    pub status: Option<Status>,
    pub error: Option<ErrorCode>,
    pub(crate) delivered: BTreeMap<String, Sight>,
    /// What was left out, by its key.
    pub skipped: BTreeMap<String, SkipReason>,
}

/// What of a result depends on the site alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sight {
    content_hash: Option<String>,
    status: Option<u16>,
    external: bool,
    in_sitemap: bool,
    orphan: bool,
    inlinks: u32,
    depth: Option<u32>,
}

impl Report {
    pub(crate) fn read(&mut self, books: &Books) -> Result<(), String> {
        self.status = Some(books.job.status);
        self.error = books.job.error.as_ref().map(|error| error.code);
        self.results = books.job.counts.results;
        self.units = books.job.units.0;
        self.blocked = books.blocked;
        self.escalated = books.went_protected && books.job.status != Status::Failed;
        self.sampled = books.job.options.sample_size.is_some();
        let is_done = books.state.frontier().pending_count() == 0;
        self.whole = is_done && self.status != Some(Status::Aborted);
        let may_break_off = self.sampled
            || self.limited
            || self.status == Some(Status::Aborted)
            || self.error == Some(ErrorCode::ProtectedRateRefused);
        if !is_done && !may_break_off {
            return Err("the run is over, and known URLs wait".to_owned());
        }
        let overlay = books.state.overlay();
        if overlay.revisions.len() != books.items.len() {
            return Err("the overlay does not fit the items".to_owned());
        }
        for (item, revision) in books.items.iter().zip(&overlay.revisions) {
            let Some(link) = item.link() else {
                return Err(format!("{} is no item of its mode", item.url()));
            };
            self.external += u64::from(link.external);
            self.orphans += u64::from(revision.orphan);
            // Which URL of a loop closes it depends on which was asked first.
            if link.error == Some(FetchFault::RedirectLoop) {
                continue;
            }
            let sight = Sight {
                content_hash: link.content_hash.clone(),
                status: link.status_code,
                external: link.external,
                in_sitemap: revision.in_sitemap,
                orphan: revision.orphan,
                inlinks: revision.inlinks,
                depth: revision.depth,
            };
            // So does the spelling by which a page became known.
            let key = urls::page_key(&link.url).to_owned();
            if self.delivered.insert(key, sight).is_some() {
                return Err(format!("{} was delivered twice", link.url));
            }
        }
        let skipped = books.skipped.iter();
        self.skipped =
            skipped.map(|line| (urls::page_key(&line.url).to_owned(), line.reason)).collect();
        Ok(())
    }

    /// Whether the run came to what there is to find; as far as it went, if it was stopped.
    pub(crate) fn compare_with_truth(&self, truth: &Truth) -> Result<(), String> {
        if self.blocked > 0 {
            return Ok(());
        }
        let keys: BTreeSet<&String> =
            self.delivered.keys().chain(self.skipped.keys()).chain(truth.fates.keys()).collect();
        for key in keys {
            let (seen, left) = (self.delivered.get(key), self.skipped.get(key).copied());
            let fate = truth.fates.get(key);
            let fits = match (fate, seen, left) {
                (Some(Fate::Ring), ..) => true,
                (Some(Fate::Twin(_)), None, Some(SkipReason::SamePage)) => true,
                (Some(Fate::Delivered(known) | Fate::Twin(known)), Some(seen), None) => {
                    seen.fits(known, self.whole)
                }
                (Some(Fate::Skipped(why)), None, Some(left)) => why.contains(&left),
                (Some(Fate::Unread), seen, left) => {
                    seen.is_none_or(|seen| seen.status.is_none())
                        && matches!(
                            left,
                            None | Some(SkipReason::Language | SkipReason::NotFollowed)
                        )
                }
                // A link that is only recorded, after it was declared to be in another language.
                (Some(Fate::Delivered(known)), None, Some(SkipReason::Language)) => {
                    known.vague && known.status.is_none()
                }
                // Nobody has come to the redirect that leads there, or its twin is delivered.
                (Some(Fate::Delivered(known)), None, Some(SkipReason::NotFollowed)) => {
                    known.vague && (!self.whole || known.status.is_none())
                }
                (Some(Fate::Twin(known)), None, Some(SkipReason::NotFollowed)) => known.vague,
                // See `Books::tell`.
                (Some(Fate::Delivered(known)), Some(_), Some(SkipReason::NotFollowed)) => {
                    known.vague
                }
                (Some(_), None, None) => !self.whole,
                _ => false,
            };
            if !fits {
                return Err(format!("{key} is {seen:?}, left out {left:?}; the truth is {fate:?}"));
            }
        }
        let units = truth.units();
        if self.units > units || (self.whole && self.units != units) {
            return Err(format!("{} units were delivered, not {units}", self.units));
        }
        Ok(())
    }

    /// Whether the run came to what the calm run came to.
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
                "it ended as {:?} {:?}, and the calm run as {:?} {:?}",
                self.status, self.error, calm.status, calm.error
            ));
        }
        if self.sampled {
            // Which pages a sample holds is left to chance; how many, is not.
            return match self.results == calm.results {
                true => Ok(()),
                false => Err(format!("a sample of {}, not {}", self.results, calm.results)),
            };
        }
        if !self.whole || !calm.whole {
            return Ok(());
        }
        for (key, sight) in &self.delivered {
            // Who is not there is a twin, whose other name was delivered.
            if let Some(other) = calm.delivered.get(key)
                && other.content_hash != sight.content_hash
            {
                return Err(format!("{key} is {sight:?}, in the calm run {other:?}"));
            }
        }
        Ok(())
    }
}

impl Sight {
    fn fits(&self, known: &Known, whole: bool) -> bool {
        let kept = (self.status, self.external) == (known.status, known.external);
        let ways = (self.in_sitemap, self.orphan, self.inlinks, self.depth)
            == (known.in_sitemap, known.orphan, known.inlinks, known.depth);
        kept && (ways || known.vague || !whole)
    }
}
