//! What a run knows and must not forget. It changes by [`Step`]s alone, live and in
//! replay by the same code.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use contract::{Alternate, Millis, SkipReason};
use journal::{
    Commit, Fact, Finished, Found, JournalError, Later, Listing, Outcome, Overlay, Revision, Role,
    Snapshot, Step, Via, Way,
};
use serde::{Deserialize, Serialize};
use urls::{
    CanonicalUrl, Fingerprint, LanguageTag, Robots, ScopeRule, TrapRule, TrapWatch,
    folder_of_index, in_folder_of,
};

use crate::ceilings::{BatchStart, fetch_points};
use crate::frontier::{Lead, Offered};
use crate::page_ends::PageEnds;
use crate::tally::Tally;
use crate::twins::Twins;
use crate::{Frontier, Plan};

/// The lasting state of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunState {
    pub(crate) frontier: Frontier,
    /// The rules of each origin that was asked for them, and when they were read.
    pub(crate) robots: BTreeMap<String, (Robots, Millis)>,
    /// Where the site turned out to be.
    pub(crate) moved_to: Option<String>,
    /// Origins whose sitemaps were looked for.
    pub(crate) sought: BTreeSet<String>,
    /// Sitemap files that are known, and those of them that are not read yet.
    pub(crate) sitemap_files: u32,
    pub(crate) sitemaps_open: u32,
    /// URLs that sitemaps list.
    pub(crate) listed: u64,
    /// What a sitemap says of a URL that is not finished yet, and which sitemap it is.
    pub(crate) listings: HashMap<u32, (u32, Arc<Listing>)>,
    /// The language of pages whose address names none.
    pub(crate) default_language: Option<LanguageTag>,
    /// Languages that addresses name truly.
    pub(crate) language_marks: BTreeSet<LanguageTag>,
    /// The language that the run keeps where nobody asked for one.
    pub(crate) main_language: Option<LanguageTag>,
    /// Pages that others call their translations, and in what language they are.
    pub(crate) translations: HashMap<u32, LanguageTag>,
    /// What stands on many pages: the version in force, and the pages that were read by then.
    pub(crate) repeated: Vec<(u64, u8)>,
    pub(crate) repeated_after: u32,
    /// Where product pages show what: the version in force.
    pub(crate) template: Option<Vec<u8>>,
    /// Products that are one.
    pub(crate) twins: Twins,
    /// Pages in other languages that were not asked for.
    pub(crate) unread: HashSet<u32>,
    /// The protection that kept pages from us.
    pub(crate) protected_by: Option<String>,
    pub(crate) traps: TrapWatch,
    /// Addresses that were not let in, by fingerprint.
    pub(crate) refused: HashSet<u64>,
    /// Where redirects led: from which URL by which status to which.
    pub(crate) redirects: HashMap<u32, (u16, Option<u32>)>,
    /// The first URL that had a content.
    pub(crate) contents: HashMap<u64, u32>,
    /// The page that was delivered in place of one that says the same.
    pub(crate) duplicates: HashMap<u32, u32>,
    /// Folders that were delivered, as themselves or as their index file: which URL that was,
    /// and its content. By the fingerprint of the folder.
    pub(crate) doors: HashMap<u64, (u32, u64)>,
    /// The URLs of the items, in their order.
    pub(crate) delivered: Vec<u32>,
    pub(crate) units: u64,
    pub(crate) tally: Tally,
    /// URLs that were finished twice: a fault that the simulator looks for.
    pub(crate) finished_twice: u32,
    /// Last: snapshots of the release before end here. A new member belongs into a [`Later`]
    /// behind this one, because stored values have no member names.
    pub(crate) later: Later<LaterState>,
}

/// What a snapshot of the first release does not hold.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct LaterState {
    /// What fetches that delivered no unit cost so far; see [`crate::FetchAllowance`].
    pub fetch_points: u64,
    pub batch: BatchStart,
    /// Bytes of the sitemap entries in `listings`.
    pub listing_bytes: usize,
    /// Bytes of the rules in `robots`.
    pub robots_bytes: usize,
    /// How pages ended, as finely as the message of an empty run needs it.
    pub ends: PageEnds,
}

impl RunState {
    /// The state of a run that has not begun.
    #[must_use]
    pub fn new(traps: TrapRule) -> Self {
        Self { traps: TrapWatch::new(traps), ..Self::default() }
    }

    /// The state that a snapshot holds. Byte counts are made anew: an earlier release did not
    /// store them.
    ///
    /// # Errors
    /// [`JournalError`] when the bytes are damaged.
    pub(crate) fn restore(snapshot: &Snapshot) -> Result<Self, JournalError> {
        let mut state: Self = snapshot.state()?;
        let listings = state.listings.values();
        state.later.0.listing_bytes = listings.map(|(_, listing)| listing.bytes()).sum();
        let robots = state.robots.values();
        state.later.0.robots_bytes = robots.map(|(rules, _)| rules.bytes()).sum();
        Ok(state)
    }

    /// Takes a step: the only way in which anything here changes.
    pub(crate) fn take(&mut self, step: &Step) {
        match step {
            Step::Learned(fact) => self.learn(fact),
            Step::Seeded(found) => self.enter(found, None),
            Step::Finished(finished) => self.finish(finished),
            // Those stand in the logs of runs over domains.
            Step::Visited(_) | Step::SetAside { .. } => {}
        }
    }

    /// Takes every step of a commit.
    pub fn replay(&mut self, commit: &Commit) {
        for step in &commit.steps {
            self.take(step);
        }
    }

    fn learn(&mut self, fact: &Fact) {
        match fact {
            Fact::Robots { authority, rules, read_at } => {
                let bytes = &mut self.later.0.robots_bytes;
                *bytes += rules.bytes();
                let before = self.robots.insert(authority.clone(), (rules.clone(), *read_at));
                let before = before.map_or(0, |(rules, _)| rules.bytes());
                *bytes = bytes.saturating_sub(before);
            }
            Fact::SiteMoved { to } => self.moved_to = Some(to.clone()),
            Fact::SitemapsSought { origin } => {
                self.sought.insert(origin.clone());
            }
            Fact::DefaultLanguage { tag } => self.default_language = Some(tag.clone()),
            Fact::Protected { marker } => self.protected_by = Some(marker.clone()),
            Fact::LanguageMark { tag } => {
                self.language_marks.insert(tag.clone());
            }
            Fact::MainLanguage { tag } => self.main_language = Some(tag.clone()),
            Fact::RepeatedBlocks { pages, blocks } => {
                self.repeated.clone_from(blocks);
                self.repeated_after = *pages;
            }
            Fact::Template { template, .. } => self.template = Some(template.clone()),
            Fact::BatchBegan { number } => {
                let later = &mut self.later.0;
                let (units, fetch_points) = (self.units, later.fetch_points);
                later.batch = BatchStart { number: *number, units, fetch_points };
            }
            Fact::LeftOut { reason } => {
                self.later.0.ends.left_out.insert(*reason);
            }
        }
    }

    fn enter(&mut self, found: &[Found], parent: Option<u32>) {
        for found in found {
            let Some(url) = CanonicalUrl::kept(&found.url) else { continue };
            if let Offered::Known(_) = self.frontier.offer(&url, found, parent) {
                continue;
            }
            if found.role == Role::Page {
                self.traps.admit(&url);
            }
            if found.role.is_sitemap() {
                self.sitemap_files += 1;
                self.sitemaps_open += 1;
            }
        }
    }

    fn finish(&mut self, finished: &Finished) {
        let ordinal = finished.ordinal;
        let first_new = self.frontier.next_ordinal();
        self.enter(&finished.found, Some(ordinal));
        for way in &finished.ways {
            self.frontier.note(way, ordinal);
        }
        for target in &finished.linked {
            self.frontier.link(*target, ordinal);
        }
        self.frontier.keep_leads(ordinal, leads(finished, first_new));
        for listed in &finished.listed {
            self.listed += 1;
            let way = Way { ordinal: listed.ordinal, via: Via::Sitemap, anchor: None };
            self.frontier.note(&way, ordinal);
            if let (Some(listing), false) =
                (&listed.listing, self.frontier.is_finished(listed.ordinal))
            {
                self.listings.entry(listed.ordinal).or_insert_with(|| {
                    self.later.0.listing_bytes += listing.bytes();
                    (ordinal, Arc::clone(listing))
                });
            }
        }
        self.refused.extend(&finished.refused);
        if let Outcome::Redirected { status, to } = finished.outcome {
            self.redirects.insert(ordinal, (status, to));
        }
        if let Some(content) = finished.content {
            let first = *self.contents.entry(content).or_insert(ordinal);
            if let Some(url) = self.frontier.url(ordinal) {
                self.traps.learn(&url, first != ordinal);
                if let (true, Some(door)) = (finished.delivered, door(&url)) {
                    self.doors.entry(door).or_insert((ordinal, content));
                }
            }
        }
        if let Some(kept) = finished.duplicate_of {
            self.duplicates.insert(ordinal, kept);
        }
        for (translation, tag) in &finished.translations {
            self.translations.entry(*translation).or_insert_with(|| tag.clone());
        }
        if let Some(mark) = &finished.product {
            self.twins.learn(ordinal, mark, finished.delivered, finished.duplicate_of);
        }
        if finished.outcome == Outcome::Skipped(SkipReason::Language) {
            self.unread.insert(ordinal);
        }
        if finished.delivered {
            self.delivered.push(ordinal);
        }
        self.units += u64::from(finished.units);
        if finished.units == 0 {
            self.later.0.fetch_points += fetch_points(&finished.outcome, finished.delivered);
        }
        let role = self.frontier.role(ordinal);
        if role == Role::Page {
            self.tally.count(&finished.outcome);
            self.later.0.ends.count(&finished.outcome);
        }
        if let Some((_, listing)) = self.listings.remove(&ordinal) {
            let bytes = &mut self.later.0.listing_bytes;
            *bytes = bytes.saturating_sub(listing.bytes());
        }
        if !self.frontier.finish(ordinal, finished.delivered) {
            self.finished_twice += 1;
        } else if role.is_sitemap() {
            self.sitemaps_open = self.sitemaps_open.saturating_sub(1);
        }
    }

    /// The rule by which URLs are admitted, where the site turned out to be.
    pub(crate) fn scope_rule(&self, plan: &Plan) -> ScopeRule {
        let moved = self.moved_to.as_deref().and_then(|to| CanonicalUrl::parse(to).ok());
        let rule = ScopeRule::new(moved.unwrap_or_else(|| plan.start.clone()), plan.scope);
        if plan.seeks_products() { rule.for_products() } else { rule }
    }

    /// Whether the links of pages are followed: not when a sitemap is to be the seed, and
    /// there is one.
    pub(crate) fn follows_links(&self, plan: &Plan) -> bool {
        !(plan.options.sitemap_first && self.listed > 0)
    }

    /// Whether a URL is the start, or where its redirects led.
    pub(crate) fn is_start(&self, ordinal: u32) -> bool {
        self.start_chain().any(|at| at == ordinal)
    }

    /// Whether the start, or the page that its redirects led to, is done with.
    pub(crate) fn start_is_done(&self) -> bool {
        self.start_chain().all(|at| self.frontier.is_finished(at))
    }

    /// The start and where its redirects lead, as far as is known. They may lead to what a
    /// sitemap has named before.
    pub(crate) fn start_chain(&self) -> impl Iterator<Item = u32> {
        let next = |at: &u32| self.redirects.get(at).and_then(|(_, to)| *to);
        std::iter::successors(Some(0), next).take(crate::redirect::HOPS + 2)
    }

    /// Where the redirects of a URL lead, as far as is known.
    pub(crate) fn led_to(&self, ordinal: u32) -> u32 {
        let next = |at: &u32| self.redirects.get(at).and_then(|(_, to)| *to);
        let steps = std::iter::successors(Some(ordinal), next).take(crate::redirect::HOPS + 2);
        steps.last().unwrap_or(ordinal)
    }

    /// The page that was delivered for a URL: itself, the one that it is a duplicate of, or
    /// the one that its redirects led to.
    pub(crate) fn delivered_for(&self, ordinal: u32) -> Option<u32> {
        let next = |at: &u32| {
            let led_to = || self.redirects.get(at).and_then(|(_, to)| *to);
            self.duplicates.get(at).copied().or_else(led_to)
        };
        std::iter::successors(Some(ordinal), next)
            .take(crate::redirect::HOPS + 2)
            .find(|at| self.frontier.is_delivered(*at))
    }

    /// What is known by now of a URL, and may change later.
    pub(crate) fn revision(&self, ordinal: u32) -> Revision {
        let frontier = &self.frontier;
        let (inlinks, ways) = (frontier.inlinks(ordinal), frontier.ways(ordinal));
        let in_sitemap = ways.has(Via::Sitemap) && frontier.role(ordinal).is_of_site();
        // Whoever comes by a redirect came from somewhere.
        let reached = inlinks > 0 || ways.has(Via::Redirect) || ways.has(Via::Start);
        let orphan = in_sitemap && !reached;
        Revision { depth: frontier.depth(ordinal), inlinks, ways, orphan, in_sitemap }
    }

    /// Whether a sitemap that lists anything was read.
    pub(crate) fn has_read_sitemap(&self) -> bool {
        self.listed > 0
    }

    /// What is known by now of the items, in their order.
    #[must_use]
    pub fn overlay(&self) -> Overlay {
        let numbered = (0_u64..).zip(&self.delivered);
        let folded = numbered.filter_map(|(number, at)| {
            let translations = self.translations_of(*at);
            (!translations.is_empty()).then_some((number, translations))
        });
        Overlay {
            no_sitemap: Later(!self.has_read_sitemap()),
            folded: folded.collect(),
            revisions: self.delivered.iter().map(|at| self.revision(*at)).collect(),
        }
    }

    /// The translations of a delivered product that came to be known: pages that were read, and
    /// pages below the folder of another language that were not.
    fn translations_of(&self, ordinal: u32) -> Vec<Alternate> {
        let frontier = &self.frontier;
        let named = |(at, tag): &(u32, LanguageTag)| Alternate {
            lang: tag.to_string(),
            url: frontier.text(*at).to_owned(),
        };
        let mut translations: Vec<_> = self.twins.folded(ordinal).iter().map(named).collect();
        if self.language_marks.is_empty() || !self.twins.is_product(ordinal) {
            return translations;
        }
        let Some(own) = frontier.url(ordinal) else { return translations };
        for tag in &self.language_marks {
            let unread = in_folder_of(&own, tag).into_iter().find(|url| match frontier.find(url) {
                Some(at) => self.unread.contains(&at),
                None => self.refused.contains(&Fingerprint::of(url).0),
            });
            translations.extend(
                unread.map(|url| Alternate { lang: tag.to_string(), url: url.to_string() }),
            );
        }
        translations
    }

    /// Pages that sell a product, delivered or not.
    #[must_use]
    pub fn products(&self) -> u64 {
        self.twins.pages()
    }

    /// Bytes of the known URLs with their link texts and sitemap entries.
    pub(crate) fn url_bytes(&self) -> usize {
        self.frontier.url_bytes() + self.later.0.listing_bytes
    }

    /// About how many bytes of memory the state takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        /// An entry of a hash table by ordinal or fingerprint, with its spare places.
        const MAP_ENTRY: usize = 40;
        let maps = self.translations.len()
            + self.unread.len()
            + self.refused.len()
            + self.redirects.len()
            + self.contents.len()
            + self.duplicates.len()
            + self.doors.len()
            + self.listings.len();
        self.frontier.memory_bytes()
            + self.later.0.listing_bytes
            + self.later.0.robots_bytes
            + MAP_ENTRY * maps
            + 4 * self.delivered.len()
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

/// The folder that an address is, or is the index file of, by its fingerprint.
pub(crate) fn door(url: &CanonicalUrl) -> Option<u64> {
    if url.path().ends_with('/') {
        return Some(Fingerprint::of(url).0);
    }
    folder_of_index(url).map(|folder| Fingerprint::of(&folder).0)
}

/// Where a page leads, by whatever way; a list leads nowhere.
fn leads(finished: &Finished, first_new: u32) -> impl Iterator<Item = Lead> {
    let linked = finished.linked.iter().map(|target| (*target, true));
    let found = (first_new..).zip(finished.found.iter().map(|found| found.via));
    let ways = finished.ways.iter().map(|way| (way.ordinal, way.via));
    let others = found.chain(ways).filter(|(_, via)| *via != Via::Sitemap);
    linked.chain(others.map(|(target, via)| (target, via == Via::Link)))
}

#[cfg(test)]
mod tests;
