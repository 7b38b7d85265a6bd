//! The durable state of a run. It changes only by [`Step`]s, with the same code live and in replay.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use contract::{Millis, SkipReason};
use journal::{
    Commit, DiscoveredUrl, Fact, Finished, OptionalTail, Outcome, Overlay, Rediscovery, Revision,
    SitemapMetadata, Step, UrlId, UrlRole, Via,
};
use serde::{Deserialize, Serialize};
use urls::{
    CanonicalUrl, Fingerprint, LanguageTag, Robots, ScopeRule, TrapRule, TrapWatch, folder_of_index,
};

use crate::ceilings::{BatchStart, fetch_points};
use crate::fetch_policy::MAX_HOPS;
use crate::frontier::{Offered, OutgoingLink};
use crate::outcome_counts::OutcomeCounts;
use crate::page_failure_counts::PageFailureCounts;
use crate::{CrawlPlan, Frontier};

mod stored;

pub use stored::NO_MODE_STATE;

/// The durable state of a run, without that of its mode.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunState {
    pub(crate) frontier: Frontier,
    /// The robots.txt rules of each origin, and when they were read.
    pub(crate) robots: BTreeMap<String, (Robots, Millis)>,
    /// The URL that the start URL redirected to, if that is another site.
    pub(crate) moved_to: Option<String>,
    /// Origins whose sitemaps were searched.
    pub(crate) sitemaps_searched: BTreeSet<String>,
    /// Known sitemap files, and those of them that are not read yet.
    pub(crate) sitemap_files: u32,
    pub(crate) sitemaps_open: u32,
    /// Number of sitemap entries read so far.
    pub(crate) listed: u64,
    /// Sitemap metadata of URLs that are not finished yet, with the sitemap that has it.
    pub(crate) sitemap_metadata: HashMap<UrlId, (UrlId, Arc<SitemapMetadata>)>,
    /// The language of pages whose URL names none.
    pub(crate) default_language: Option<LanguageTag>,
    /// Languages that are named in URLs, confirmed by a page.
    pub(crate) language_marks: BTreeSet<LanguageTag>,
    /// The language that the run keeps if the client prefers none: the language of the start
    /// page.
    pub(crate) main_language: Option<LanguageTag>,
    /// Pages that other pages declare as translations, with their languages.
    pub(crate) translations: HashMap<UrlId, LanguageTag>,
    /// Pages in other languages that were skipped before they were fetched.
    pub(crate) unread: HashSet<UrlId>,
    /// The first protection that blocked pages.
    pub(crate) protected_by: Option<String>,
    pub(crate) traps: TrapWatch,
    /// Rejected URLs that were reported, by fingerprint.
    pub(crate) refused: HashSet<u64>,
    /// Redirects: status and target of each redirecting URL.
    pub(crate) redirects: HashMap<UrlId, (u16, Option<UrlId>)>,
    /// The first URL with a content, by content hash.
    pub(crate) contents: HashMap<u64, UrlId>,
    /// The delivered page that replaces a duplicate.
    pub(crate) duplicates: HashMap<UrlId, UrlId>,
    /// Delivered folders, as themselves or as their index file, with URL and content hash. By the
    /// fingerprint of the folder.
    pub(crate) delivered_folders: HashMap<u64, (UrlId, u64)>,
    /// The URLs of the items, in order of delivery.
    pub(crate) delivered: Vec<UrlId>,
    pub(crate) units: u64,
    pub(crate) outcome_counts: OutcomeCounts,
    /// URLs that were finished twice. Always 0 unless there is a bug; the simulator checks it.
    pub(crate) finished_twice: u32,
    pub(crate) tail: OptionalTail<RunStateTail>,
}

/// Fields that snapshots of the first release do not have.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct RunStateTail {
    /// Points spent by fetches that delivered no unit; see [`crate::FetchAllowance`].
    pub fetch_points: u64,
    pub batch: BatchStart,
    /// Bytes of the sitemap metadata in `sitemap_metadata`.
    pub sitemap_metadata_bytes: usize,
    /// Bytes of the rules in `robots`.
    pub robots_bytes: usize,
    /// How pages failed, in the detail that the message of an empty run needs.
    pub failures: PageFailureCounts,
}

impl RunState {
    #[must_use]
    pub fn new(traps: TrapRule) -> Self {
        Self { traps: TrapWatch::new(traps), ..Self::default() }
    }

    /// Applies a step. Nothing else changes the state.
    pub(crate) fn apply(&mut self, step: &Step) {
        match step {
            Step::Learned(fact) => self.learn(fact),
            Step::Seeded(found) => self.enter(found, None),
            Step::Finished(finished) => self.finish(finished),
            // Steps of domain crawls only.
            Step::Visited(_) | Step::SetAside { .. } => {}
        }
    }

    /// An id in a step that no URL of the run has.
    pub(crate) fn unknown_id(&self, step: &Step) -> Option<UrlId> {
        let Step::Finished(finished) = step else { return None };
        let end = self.frontier.next_id().plus(finished.found.len());
        let rediscovered = finished.rediscovered.iter().map(|found_again| found_again.id);
        let listed = finished.listed.iter().map(|listed| listed.id);
        let linked = finished.linked.iter().copied();
        let others = finished.duplicate_of.into_iter().chain([finished.id]);
        let mut ids = others.chain(linked).chain(rediscovered).chain(listed);
        ids.find(|id| *id >= end)
    }

    /// Applies all steps of a commit.
    pub fn replay(&mut self, commit: &Commit) {
        for step in &commit.steps {
            self.apply(step);
        }
    }

    fn learn(&mut self, fact: &Fact) {
        match fact {
            Fact::Robots { authority, rules, read_at } => {
                let bytes = &mut self.tail.0.robots_bytes;
                *bytes += rules.bytes();
                let before = self.robots.insert(authority.clone(), (rules.clone(), *read_at));
                let before = before.map_or(0, |(rules, _)| rules.bytes());
                *bytes = bytes.saturating_sub(before);
            }
            Fact::SiteMoved { to } => self.moved_to = Some(to.clone()),
            Fact::SitemapsSearched { origin } => {
                self.sitemaps_searched.insert(origin.clone());
            }
            Fact::DefaultLanguage { tag } => self.default_language = Some(tag.clone()),
            Fact::Protected { marker } => self.protected_by = Some(marker.clone()),
            Fact::LanguageMark { tag } => {
                self.language_marks.insert(tag.clone());
            }
            Fact::MainLanguage { tag } => self.main_language = Some(tag.clone()),
            // The mode applies these.
            Fact::RepeatedBlocks { .. } | Fact::Template { .. } => {}
            Fact::BatchStarted { number } => {
                let tail = &mut self.tail.0;
                let (units, fetch_points) = (self.units, tail.fetch_points);
                tail.batch = BatchStart { number: *number, units, fetch_points };
            }
            Fact::SkippedFor { reason } => {
                self.tail.0.failures.skip_reasons.insert(*reason);
            }
        }
    }

    fn enter(&mut self, found: &[DiscoveredUrl], parent: Option<UrlId>) {
        for found in found {
            let Some(url) = CanonicalUrl::kept(&found.url) else { continue };
            if let Offered::Known(_) = self.frontier.offer(&url, found, parent) {
                continue;
            }
            if found.role == UrlRole::Page {
                self.traps.admit(&url);
            }
            if found.role.is_sitemap() {
                self.sitemap_files += 1;
                self.sitemaps_open += 1;
            }
        }
    }

    fn finish(&mut self, finished: &Finished) {
        let id = finished.id;
        let first_new = self.frontier.next_id();
        self.enter(&finished.found, Some(id));
        for found_again in &finished.rediscovered {
            self.frontier.rediscover(found_again, id);
        }
        for target in &finished.linked {
            self.frontier.link(*target, id);
        }
        self.frontier.keep_links(id, outgoing_links(finished, first_new));
        for listed in &finished.listed {
            self.listed += 1;
            let found_again = Rediscovery { id: listed.id, via: Via::Sitemap, anchor: None };
            self.frontier.rediscover(&found_again, id);
            if let (Some(metadata), false) =
                (&listed.metadata, self.frontier.is_finished(listed.id))
            {
                self.sitemap_metadata.entry(listed.id).or_insert_with(|| {
                    self.tail.0.sitemap_metadata_bytes += metadata.bytes();
                    (id, Arc::clone(metadata))
                });
            }
        }
        self.refused.extend(&finished.refused);
        if let Outcome::Redirected { status, to } = finished.outcome {
            self.redirects.insert(id, (status, to));
        }
        if let Some(content) = finished.content {
            let first = *self.contents.entry(content).or_insert(id);
            if let Some(url) = self.frontier.url(id) {
                self.traps.learn(&url, first != id);
                if let (true, Some(folder_key)) = (finished.delivered, folder_key(&url)) {
                    self.delivered_folders.entry(folder_key).or_insert((id, content));
                }
            }
        }
        if let Some(kept) = finished.duplicate_of {
            self.duplicates.insert(id, kept);
        }
        for (translation, tag) in &finished.translations {
            self.translations.entry(*translation).or_insert_with(|| tag.clone());
        }
        if finished.outcome == Outcome::Skipped(SkipReason::Language) {
            self.unread.insert(id);
        }
        if finished.delivered {
            self.delivered.push(id);
        }
        self.units += u64::from(finished.units);
        if finished.units == 0 {
            self.tail.0.fetch_points += fetch_points(&finished.outcome, finished.delivered);
        }
        let role = self.frontier.role(id);
        if role == UrlRole::Page {
            self.outcome_counts.count(&finished.outcome);
            self.tail.0.failures.count(&finished.outcome);
        }
        if let Some((_, metadata)) = self.sitemap_metadata.remove(&id) {
            let bytes = &mut self.tail.0.sitemap_metadata_bytes;
            *bytes = bytes.saturating_sub(metadata.bytes());
        }
        if !self.frontier.finish(id, finished.delivered) {
            self.finished_twice += 1;
        } else if role.is_sitemap() {
            self.sitemaps_open = self.sitemaps_open.saturating_sub(1);
        }
    }

    /// The scope rule, based on the site that the start URL redirected to.
    pub(crate) fn scope_rule(&self, plan: &CrawlPlan) -> ScopeRule {
        let moved = self.moved_to.as_deref().and_then(|to| CanonicalUrl::parse(to).ok());
        ScopeRule::new(moved.unwrap_or_else(|| plan.start.clone()), plan.scope.clone())
    }

    /// Whether links of pages are followed. They are not if a sitemap is the seed and lists URLs.
    pub(crate) fn follows_links(&self, plan: &CrawlPlan) -> bool {
        !(plan.options.sitemap_first && self.listed > 0)
    }

    /// Whether a URL is the start URL or a target of its redirects.
    pub(crate) fn is_start(&self, id: UrlId) -> bool {
        self.start_chain().any(|at| at == id)
    }

    /// Whether the start URL and all its redirect targets are finished.
    pub(crate) fn start_is_done(&self) -> bool {
        self.start_chain().all(|at| self.frontier.is_finished(at))
    }

    /// The start URL and its redirect targets, as far as known. A target may be a URL that a
    /// sitemap listed.
    pub(crate) fn start_chain(&self) -> impl Iterator<Item = UrlId> {
        let next = |at: &UrlId| self.redirects.get(at).and_then(|(_, to)| *to);
        std::iter::successors(Some(UrlId::START), next).take(MAX_HOPS + 2)
    }

    /// The last known redirect target of a URL, or the URL itself.
    pub(crate) fn led_to(&self, id: UrlId) -> UrlId {
        let next = |at: &UrlId| self.redirects.get(at).and_then(|(_, to)| *to);
        let steps = std::iter::successors(Some(id), next).take(MAX_HOPS + 2);
        steps.last().unwrap_or(id)
    }

    /// The page that was delivered for a URL: the URL itself, the page that it duplicates, or its
    /// redirect target.
    pub(crate) fn delivered_for(&self, id: UrlId) -> Option<UrlId> {
        let next = |at: &UrlId| {
            let led_to = || self.redirects.get(at).and_then(|(_, to)| *to);
            self.duplicates.get(at).copied().or_else(led_to)
        };
        std::iter::successors(Some(id), next)
            .take(MAX_HOPS + 2)
            .find(|at| self.frontier.is_delivered(*at))
    }

    /// The current values of an item that may still change.
    #[must_use]
    pub fn revision(&self, id: UrlId) -> Revision {
        let frontier = &self.frontier;
        let (inlinks, ways) = (frontier.inlinks(id), frontier.ways(id));
        let in_sitemap = ways.has(Via::Sitemap) && frontier.role(id).is_internal();
        // A redirect target was reached from the source of the redirect.
        let reached = inlinks > 0 || ways.has(Via::Redirect) || ways.has(Via::Start);
        let orphan = in_sitemap && !reached;
        Revision { depth: frontier.depth(id), inlinks, ways, orphan, in_sitemap }
    }

    /// Whether a sitemap with at least one entry was read.
    #[must_use]
    pub fn has_read_sitemap(&self) -> bool {
        self.listed > 0
    }

    /// The current values of all items, in order of delivery, without those of the mode.
    #[must_use]
    pub fn overlay(&self) -> Overlay {
        Overlay {
            sitemap_unread: !self.has_read_sitemap(),
            translations: BTreeMap::new(),
            revisions: self.delivered.iter().map(|at| self.revision(*at)).collect(),
        }
    }

    /// The first URL with a content, by content hash.
    #[must_use]
    pub fn first_with(&self, content: u64) -> Option<UrlId> {
        self.contents.get(&content).copied()
    }

    /// The URL under which the same page was delivered: its folder, or the index file of its
    /// folder.
    #[must_use]
    pub fn delivered_folder(&self, id: UrlId, content: u64) -> Option<UrlId> {
        // Most contents are new, and the URL need not be parsed.
        self.contents.get(&content)?;
        let key = folder_key(&self.frontier.url(id)?)?;
        let (first, same) = self.delivered_folders.get(&key)?;
        (*same == content).then_some(*first)
    }

    /// The values that a sitemap has for a URL that is not finished, and that sitemap.
    #[must_use]
    pub fn sitemap_metadata(&self, id: UrlId) -> Option<(UrlId, &SitemapMetadata)> {
        self.sitemap_metadata.get(&id).map(|(file, metadata)| (*file, &**metadata))
    }

    /// Languages that are named in URLs, confirmed by a page.
    #[must_use]
    pub fn language_marks(&self) -> &BTreeSet<LanguageTag> {
        &self.language_marks
    }

    /// Whether a page was found and skipped without being read, because of its language.
    #[must_use]
    pub fn is_unread(&self, url: &CanonicalUrl) -> bool {
        match self.frontier.find(url) {
            Some(at) => self.unread.contains(&at),
            None => self.refused.contains(&Fingerprint::of(url).0),
        }
    }

    /// Bytes of the known URLs with their link texts and sitemap metadata.
    pub(crate) fn url_bytes(&self) -> usize {
        self.frontier.url_bytes() + self.tail.0.sitemap_metadata_bytes
    }

    /// Approximate memory of the state, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        /// Bytes of one hash table entry with its spare capacity.
        const MAP_ENTRY: usize = 40;
        let maps = self.translations.len()
            + self.unread.len()
            + self.refused.len()
            + self.redirects.len()
            + self.contents.len()
            + self.duplicates.len()
            + self.delivered_folders.len()
            + self.sitemap_metadata.len();
        self.frontier.memory_bytes()
            + self.tail.0.sitemap_metadata_bytes
            + self.tail.0.robots_bytes
            + MAP_ENTRY * maps
            + 4 * self.delivered.len()
    }

    #[must_use]
    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Number of delivered items.
    #[must_use]
    pub fn results(&self) -> u64 {
        self.delivered.len() as u64
    }

    /// How often a finished URL was finished again. Always 0 unless there is a bug.
    #[must_use]
    pub fn finished_twice(&self) -> u32 {
        self.finished_twice
    }
}

/// The fingerprint of a folder URL, or of the folder of an index file.
fn folder_key(url: &CanonicalUrl) -> Option<u64> {
    if url.path().ends_with('/') {
        return Some(Fingerprint::of(url).0);
    }
    folder_of_index(url).map(|folder| Fingerprint::of(&folder).0)
}

/// The links of a finished page, with whether each is a click. Sitemap entries are not links.
fn outgoing_links(finished: &Finished, first_new: UrlId) -> impl Iterator<Item = OutgoingLink> {
    let linked = finished.linked.iter().map(|target| (*target, true));
    let found = first_new.onwards().zip(finished.found.iter().map(|found| found.via));
    let ways = finished.rediscovered.iter().map(|found_again| (found_again.id, found_again.via));
    let others = found.chain(ways).filter(|(_, via)| *via != Via::Sitemap);
    linked.chain(others.map(|(target, via)| (target, via == Via::Link)))
}

#[cfg(test)]
mod tests;
