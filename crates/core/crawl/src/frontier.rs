//! The frontier: every URL that a run knows, once, and which of them are not finished.
//!
//! It is built for millions of URLs: the texts are stored in one string, an entry takes a few
//! bytes, and the lookup table holds ids only.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hashbrown::HashTable;
use journal::{DiscoveredUrl, Rediscovery, UrlId, UrlRole, Via, ViaSet};
use serde::{Deserialize, Serialize, Serializer};
use urls::{CanonicalUrl, Fingerprint};

/// The result of offering a URL to the frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// The URL was unknown and got this id.
    New(UrlId),
    /// The URL has this id already.
    Known(UrlId),
}

impl Offered {
    /// The id of the URL, new or known.
    #[must_use]
    pub fn id(self) -> UrlId {
        match self {
            Self::New(id) | Self::Known(id) => id,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FrontierEntry {
    /// End of its text; it begins where the text of the previous entry ends.
    text_end: u64,
    /// The page that it was found on; its own id if no page links to it.
    parent: UrlId,
    inlinks: u32,
    /// Clicks from the start, or [`UNREACHED`].
    depth: u16,
    /// Offset of the page key in its text: after the scheme and `www.`.
    key_at: u8,
    /// How it was found first.
    via: Via,
    ways: ViaSet,
    role: UrlRole,
    nofollow: bool,
    state: EntryState,
}

/// Whether a URL is finished, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum EntryState {
    Open,
    Skipped,
    Delivered,
}

/// The depth of URLs without a known path from the start.
const UNREACHED: u16 = u16::MAX;

/// Maximum number of links kept because the depth of their page may shrink. Beyond it depths are
/// not updated any more, so that memory is bounded.
const KEPT_LINKS: usize = 4_000_000;

/// The target of a link, and whether following it is a click.
pub(crate) type OutgoingLink = (UrlId, bool);

/// All URLs of a run, in the order of discovery.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "StoredFrontier")]
pub struct Frontier {
    texts: String,
    entries: Vec<FrontierEntry>,
    /// The text of the first link to a URL, until the URL is finished.
    anchors: HashMap<UrlId, Box<str>>,
    anchor_bytes: usize,
    /// Links of finished pages to which a shorter path may still be found, because pages closer to
    /// the start are not finished.
    kept: HashMap<UrlId, Box<[OutgoingLink]>>,
    kept_links: usize,
    /// Number of unfinished URLs that may lead further, by depth.
    open: BTreeMap<u16, u32>,
    pending: BTreeSet<UrlId>,
    table: HashTable<UrlId>,
}

/// The stored form of a frontier. The other fields are computed from it.
#[derive(Deserialize)]
struct StoredFrontier {
    texts: String,
    entries: Vec<FrontierEntry>,
    anchors: Vec<(UrlId, Box<str>)>,
    kept: Vec<(UrlId, Box<[OutgoingLink]>)>,
}

impl Frontier {
    /// Adds a URL under the next id, or returns the id that it has.
    pub fn offer(
        &mut self,
        url: &CanonicalUrl,
        found: &DiscoveredUrl,
        parent: Option<UrlId>,
    ) -> Offered {
        if let Some(known) = self.find(url) {
            return Offered::Known(known);
        }
        let Ok(id) = u32::try_from(self.entries.len()).map(UrlId) else {
            // Unreachable in practice: the ceilings stop a run long before 2^32 URLs.
            return Offered::Known(UrlId::START);
        };
        self.texts.push_str(url.as_str());
        let depth = self.depth_by(found.via, parent);
        let mut ways = ViaSet::default();
        ways.add(found.via);
        self.entries.push(FrontierEntry {
            text_end: self.texts.len() as u64,
            parent: parent.unwrap_or(id),
            inlinks: 0,
            depth,
            key_at: u8::try_from(url.as_str().len() - url.page_key().len()).unwrap_or(0),
            via: found.via,
            ways,
            role: found.role,
            nofollow: found.nofollow,
            state: EntryState::Open,
        });
        if let Some(anchor) = &found.anchor {
            self.keep_anchor(id, anchor);
        }
        self.pending.insert(id);
        self.open_at(id);
        self.index(id);
        Offered::New(id)
    }

    /// The id of a URL, if it is known.
    #[must_use]
    pub fn find(&self, url: &CanonicalUrl) -> Option<UrlId> {
        self.find_page(url, Fingerprint::of(url))
    }

    /// The same with a fingerprint that the caller has computed.
    #[must_use]
    pub fn find_page(&self, url: &CanonicalUrl, fingerprint: Fingerprint) -> Option<UrlId> {
        let key = url.page_key();
        self.table.find(fingerprint.0, |&known| self.page_key(known) == key).copied()
    }

    #[must_use]
    pub fn text(&self, id: UrlId) -> &str {
        let at = id.index();
        let start = match at.checked_sub(1).and_then(|before| self.entries.get(before)) {
            Some(before) => before.text_end,
            None => 0,
        };
        let end = self.entries.get(at).map_or(start, |entry| entry.text_end);
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    #[must_use]
    pub fn url(&self, id: UrlId) -> Option<CanonicalUrl> {
        CanonicalUrl::kept(self.text(id))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The id of the next new URL.
    #[must_use]
    pub fn next_id(&self) -> UrlId {
        UrlId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX))
    }

    /// Bytes of the URLs and of the kept link texts.
    #[must_use]
    pub fn url_bytes(&self) -> usize {
        self.texts.len() + self.anchor_bytes
    }

    /// Approximate memory of the frontier, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        /// Bytes of an entry of `pending`.
        const PENDING: usize = 12;
        /// Bytes of an entry of `anchors` without its text.
        const ANCHOR: usize = 32;
        self.texts.capacity()
            + self.entries.capacity() * (size_of::<FrontierEntry>() + size_of::<UrlId>() + 1)
            + self.pending.len() * PENDING
            + self.anchors.len() * ANCHOR
            + self.anchor_bytes
            + self.kept_links * size_of::<OutgoingLink>()
    }

    fn keep_anchor(&mut self, id: UrlId, anchor: &str) {
        self.anchor_bytes += anchor.len();
        let before = self.anchors.insert(id, anchor.into());
        self.anchor_bytes -= before.map_or(0, |anchor| anchor.len());
    }

    /// Whether no URL is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The URLs that are not finished, in the order of discovery.
    pub fn pending(&self) -> impl Iterator<Item = UrlId> + '_ {
        self.pending.iter().copied()
    }

    /// Number of URLs that are not finished.
    #[must_use]
    pub fn pending_count(&self) -> usize {
        self.pending.len()
    }

    /// Clicks from the start; none without a known path.
    #[must_use]
    pub fn depth(&self, id: UrlId) -> Option<u32> {
        let depth = self.entry(id).map_or(UNREACHED, |entry| entry.depth);
        (depth != UNREACHED).then(|| depth.into())
    }

    /// Number of pages that link to it so far.
    #[must_use]
    pub fn inlinks(&self, id: UrlId) -> u32 {
        self.entry(id).map_or(0, |entry| entry.inlinks)
    }

    /// How it was found first.
    #[must_use]
    pub fn via(&self, id: UrlId) -> Via {
        self.entry(id).map_or(Via::Start, |entry| entry.via)
    }

    /// All the ways in which it was found.
    #[must_use]
    pub fn ways(&self, id: UrlId) -> ViaSet {
        self.entry(id).map_or_else(ViaSet::default, |entry| entry.ways)
    }

    /// What the URL is requested for.
    #[must_use]
    pub fn role(&self, id: UrlId) -> UrlRole {
        self.entry(id).map_or(UrlRole::Page, |entry| entry.role)
    }

    /// Whether the first link to it has `rel=nofollow`.
    #[must_use]
    pub fn nofollow(&self, id: UrlId) -> bool {
        self.entry(id).is_some_and(|entry| entry.nofollow)
    }

    /// The page that it was found on.
    #[must_use]
    pub fn parent(&self, id: UrlId) -> Option<UrlId> {
        self.entry(id).map(|entry| entry.parent).filter(|parent| *parent != id)
    }

    /// The text of the first link to it, until it is finished.
    #[must_use]
    pub fn anchor(&self, id: UrlId) -> Option<&str> {
        self.anchors.get(&id).map(AsRef::as_ref)
    }

    #[must_use]
    pub fn is_finished(&self, id: UrlId) -> bool {
        self.entry(id).is_none_or(|entry| entry.state != EntryState::Open)
    }

    /// Whether an item was delivered for it.
    #[must_use]
    pub fn is_delivered(&self, id: UrlId) -> bool {
        self.entry(id).is_some_and(|entry| entry.state == EntryState::Delivered)
    }

    /// Marks a URL as finished. Returns false if it was finished before.
    pub(crate) fn finish(&mut self, id: UrlId, delivered: bool) -> bool {
        let was_pending = !self.is_finished(id);
        self.close(id);
        let Some(entry) = self.entries.get_mut(id.index()) else { return false };
        entry.state = if delivered { EntryState::Delivered } else { EntryState::Skipped };
        self.anchor_bytes -= self.anchors.remove(&id).map_or(0, |anchor| anchor.len());
        self.pending.remove(&id);
        was_pending
    }

    /// The smallest depth of an unfinished URL: no shorter path can be found to pages at this
    /// depth.
    fn floor(&self) -> u16 {
        self.open.keys().next().copied().unwrap_or(UNREACHED)
    }

    /// The depth of an unfinished URL that may lead further.
    fn open_depth(&self, id: UrlId) -> Option<u16> {
        let is_open =
            |entry: &&FrontierEntry| entry.state == EntryState::Open && !entry.role.is_head_only();
        let entry = self.entry(id).filter(is_open)?;
        (entry.depth != UNREACHED).then_some(entry.depth)
    }

    fn open_at(&mut self, id: UrlId) {
        if let Some(depth) = self.open_depth(id) {
            *self.open.entry(depth).or_default() += 1;
        }
    }

    /// Removes a URL from the counts by depth. If it was the last one at the smallest depth, links
    /// are dropped whose pages cannot get a shorter path any more.
    fn close(&mut self, id: UrlId) {
        let Some(depth) = self.open_depth(id) else { return };
        let Some(count) = self.open.get_mut(&depth) else { return };
        *count -= 1;
        if *count > 0 {
            return;
        }
        let was_floor = self.floor() == depth;
        self.open.remove(&depth);
        if was_floor && !self.kept.is_empty() {
            let (floor, entries) = (self.floor(), &self.entries);
            let depth = |id: UrlId| entries.get(id.index()).map_or(0, |entry| entry.depth);
            self.kept.retain(|id, _| depth(*id) > floor);
            self.kept_links = self.kept.values().map(|links| links.len()).sum();
        }
    }

    /// Counts one more page that links to it.
    pub(crate) fn link(&mut self, id: UrlId, from: UrlId) {
        if let Some(entry) = self.entries.get_mut(id.index()) {
            entry.inlinks = entry.inlinks.saturating_add(1);
        }
        self.lower_depth(id, self.depth_by(Via::Link, Some(from)));
    }

    /// Lowers the depth of a URL, and of the URLs that it links to.
    fn lower_depth(&mut self, id: UrlId, depth: u16) {
        if self.entry(id).is_none_or(|entry| depth >= entry.depth) {
            return;
        }
        let mut reached = vec![(id, depth)];
        while let Some((id, depth)) = reached.pop() {
            if self.entry(id).is_none_or(|entry| depth >= entry.depth) {
                continue;
            }
            self.close(id);
            if let Some(entry) = self.entries.get_mut(id.index()) {
                entry.depth = depth;
            }
            self.open_at(id);
            let further = self.kept.get(&id).map(AsRef::as_ref).unwrap_or_default();
            let nearer = |(target, is_click): &OutgoingLink| {
                (*target, depth.saturating_add(u16::from(*is_click)))
            };
            reached.extend(further.iter().map(nearer));
        }
    }

    /// Keeps the links of a page if a shorter path to it may be found, because the depths of their
    /// targets change with it.
    pub(crate) fn keep_links(&mut self, id: UrlId, links: impl Iterator<Item = OutgoingLink>) {
        if !self.may_get_closer(id) {
            return;
        }
        let links: Box<[OutgoingLink]> = links.collect();
        if self.kept_links + links.len() <= KEPT_LINKS {
            self.kept_links += links.len();
            self.kept.insert(id, links);
        }
    }

    /// Whether a shorter path to a URL may still be found.
    pub(crate) fn may_get_closer(&self, id: UrlId) -> bool {
        self.entry(id).is_some_and(|entry| entry.depth > self.floor())
    }

    /// Whether a link on `from` gives a URL a smaller depth.
    pub(crate) fn is_closer(&self, id: UrlId, via: Via, from: UrlId) -> bool {
        let depth = self.depth_by(via, Some(from));
        self.entry(id).is_some_and(|entry| depth < entry.depth)
    }

    /// Records that a known URL was found again, on `from`.
    pub(crate) fn rediscover(&mut self, found_again: &Rediscovery, from: UrlId) {
        if found_again.via != Via::Sitemap {
            self.lower_depth(found_again.id, self.depth_by(found_again.via, Some(from)));
        }
        let Some(entry) = self.entries.get_mut(found_again.id.index()) else { return };
        entry.ways.add(found_again.via);
        // The URL was known from a sitemap only; now a page links to it.
        if found_again.via == Via::Link && entry.via == Via::Sitemap {
            entry.parent = from;
            entry.via = Via::Link;
            if let (EntryState::Open, Some(anchor)) = (entry.state, &found_again.anchor) {
                self.keep_anchor(found_again.id, anchor);
            }
        }
    }

    /// The depth of a URL that `parent` leads to.
    fn depth_by(&self, via: Via, parent: Option<UrlId>) -> u16 {
        let parent = parent.and_then(|parent| self.entry(parent)).map(|parent| parent.depth);
        match (via, parent) {
            (Via::Start, _) => 0,
            // A sitemap entry is not a path.
            (Via::Sitemap, _) | (_, None) => UNREACHED,
            // Another address of the same page is not a further click.
            (Via::Redirect | Via::Canonical | Via::Hreflang, Some(depth)) => depth,
            (Via::Link, Some(depth)) => depth.saturating_add(1),
        }
    }

    fn entry(&self, id: UrlId) -> Option<&FrontierEntry> {
        self.entries.get(id.index())
    }

    fn page_key(&self, id: UrlId) -> &str {
        let key_at = self.entry(id).map_or(0, |entry| entry.key_at.into());
        self.text(id).get(key_at..).unwrap_or_default()
    }

    fn index(&mut self, id: UrlId) {
        // The table hashes entries while it grows, so it is taken out of `self` meanwhile.
        let mut table = std::mem::take(&mut self.table);
        let hash = |id: &UrlId| Fingerprint::of_page_key(self.page_key(*id)).0;
        table.insert_unique(hash(&id), id, hash);
        self.table = table;
    }
}

impl PartialEq for Frontier {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
            && self.entries == other.entries
            && self.anchors == other.anchors
            && self.kept == other.kept
    }
}

impl From<StoredFrontier> for Frontier {
    fn from(stored: StoredFrontier) -> Self {
        // Both collections are built with their final size: inserting a million URLs one by one
        // would hash them twice.
        let is_pending = |(_, entry): &(UrlId, &FrontierEntry)| entry.state == EntryState::Open;
        let pending =
            UrlId::START.onwards().zip(&stored.entries).filter(is_pending).map(|(id, _)| id);
        let mut frontier = Self {
            pending: pending.collect(),
            table: HashTable::with_capacity(stored.entries.len()),
            texts: stored.texts,
            entries: stored.entries,
            anchor_bytes: stored.anchors.iter().map(|(_, anchor)| anchor.len()).sum(),
            anchors: stored.anchors.into_iter().collect(),
            kept_links: stored.kept.iter().map(|(_, links)| links.len()).sum(),
            kept: stored.kept.into_iter().collect(),
            open: BTreeMap::new(),
        };
        for id in UrlId::START.until(frontier.next_id()) {
            if !frontier.is_finished(id) {
                frontier.open_at(id);
            }
            frontier.index(id);
        }
        frontier
    }
}

/// The stored form, borrowed: a copy of millions of URLs would take too much memory.
#[derive(Serialize)]
#[serde(rename = "StoredFrontier")]
struct StoredFrontierRef<'a> {
    texts: &'a str,
    entries: &'a [FrontierEntry],
    anchors: Vec<(UrlId, &'a str)>,
    kept: Vec<(UrlId, &'a [OutgoingLink])>,
}

impl Serialize for Frontier {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let anchors = in_order(self.anchors.iter().map(|(at, anchor)| (*at, anchor.as_ref())));
        let kept = in_order(self.kept.iter().map(|(at, links)| (*at, links.as_ref())));
        let (texts, entries) = (self.texts.as_str(), self.entries.as_slice());
        StoredFrontierRef { texts, entries, anchors, kept }.serialize(serializer)
    }
}

fn in_order<T>(by_id: impl Iterator<Item = (UrlId, T)>) -> Vec<(UrlId, T)> {
    let mut list: Vec<_> = by_id.collect();
    list.sort_unstable_by_key(|(id, _)| *id);
    list
}
