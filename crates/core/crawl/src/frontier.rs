//! Every URL that a run knows, each once, and which of them are still to be fetched.
//!
//! Built for millions: the texts stand one behind the other, an entry takes a few
//! bytes, and the table that finds them holds ordinals only.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hashbrown::HashTable;
use journal::{Found, Role, Via, Way, Ways};
use serde::{Deserialize, Serialize, Serializer};
use urls::{CanonicalUrl, Fingerprint};

/// What became of an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// Nobody had seen it: this is its ordinal.
    New(u32),
    /// It is known under this ordinal.
    Known(u32),
}

impl Offered {
    /// The ordinal, new or known.
    #[must_use]
    pub fn ordinal(self) -> u32 {
        match self {
            Self::New(ordinal) | Self::Known(ordinal) => ordinal,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// Where its text ends; it begins where the one before it ends.
    text_end: u64,
    /// The page that it was found on; itself for what no page brought.
    parent: u32,
    inlinks: u32,
    /// Clicks from the start, or [`UNREACHED`].
    depth: u16,
    /// Where in its text the page key begins: behind the scheme and `www.`.
    key_at: u8,
    /// How it was found first.
    via: Via,
    ways: Ways,
    role: Role,
    nofollow: bool,
    end: End,
}

/// Whether a URL is done with, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum End {
    Open,
    LeftOut,
    Delivered,
}

/// The depth of what no way from the start leads to.
const UNREACHED: u16 = u16::MAX;

/// Links that are remembered because their page may come nearer. Beyond them depths stay as
/// they are: an orphan with a million children is no reason to run out of memory.
const KEPT_LINKS: usize = 4_000_000;

/// Where a page leads, and whether that is a click.
pub(crate) type Lead = (u32, bool);

/// The URLs of a run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "Stored")]
pub struct Frontier {
    texts: String,
    entries: Vec<Entry>,
    /// The text of the first link to a URL that is not finished yet.
    anchors: HashMap<u32, Box<str>>,
    anchor_bytes: usize,
    /// Where finished pages lead to which a shorter way may yet be found: there are pages
    /// nearer to the start that are still to be read.
    kept: HashMap<u32, Box<[Lead]>>,
    kept_links: usize,
    /// How many URLs that may lead further are not finished, by their depth.
    open: BTreeMap<u16, u32>,
    pending: BTreeSet<u32>,
    table: HashTable<u32>,
}

/// What of it is read from a snapshot: the rest follows from it.
#[derive(Deserialize)]
struct Stored {
    texts: String,
    entries: Vec<Entry>,
    anchors: Vec<(u32, Box<str>)>,
    kept: Vec<(u32, Box<[Lead]>)>,
}

impl Frontier {
    /// Enters a URL under the next ordinal, or finds it under its own.
    pub fn offer(&mut self, url: &CanonicalUrl, found: &Found, parent: Option<u32>) -> Offered {
        if let Some(known) = self.find(url) {
            return Offered::Known(known);
        }
        let Ok(ordinal) = u32::try_from(self.entries.len()) else {
            // Four thousand million URLs: the run has long been stopped by its batches.
            return Offered::Known(0);
        };
        self.texts.push_str(url.as_str());
        let depth = self.depth_by(found.via, parent);
        let mut ways = Ways::default();
        ways.add(found.via);
        self.entries.push(Entry {
            text_end: self.texts.len() as u64,
            parent: parent.unwrap_or(ordinal),
            inlinks: 0,
            depth,
            key_at: u8::try_from(url.as_str().len() - url.page_key().len()).unwrap_or(0),
            via: found.via,
            ways,
            role: found.role,
            nofollow: found.nofollow,
            end: End::Open,
        });
        if let Some(anchor) = &found.anchor {
            self.keep_anchor(ordinal, anchor);
        }
        self.pending.insert(ordinal);
        self.open_at(ordinal);
        self.index(ordinal);
        Offered::New(ordinal)
    }

    /// The ordinal of a URL, if it is known.
    #[must_use]
    pub fn find(&self, url: &CanonicalUrl) -> Option<u32> {
        self.find_page(url, Fingerprint::of(url))
    }

    /// The same where the fingerprint is known already.
    #[must_use]
    pub fn find_page(&self, url: &CanonicalUrl, fingerprint: Fingerprint) -> Option<u32> {
        let key = url.page_key();
        self.table.find(fingerprint.0, |&known| self.page_key(known) == key).copied()
    }

    /// The text of a URL.
    #[must_use]
    pub fn text(&self, ordinal: u32) -> &str {
        let at = ordinal as usize;
        let start = match at.checked_sub(1).and_then(|before| self.entries.get(before)) {
            Some(before) => before.text_end,
            None => 0,
        };
        let end = self.entries.get(at).map_or(start, |entry| entry.text_end);
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    /// A URL, with its parts.
    #[must_use]
    pub fn url(&self, ordinal: u32) -> Option<CanonicalUrl> {
        CanonicalUrl::kept(self.text(ordinal))
    }

    /// How many URLs are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The ordinal that the next URL will have.
    #[must_use]
    pub fn next_ordinal(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    /// Bytes of the URLs and of the link texts that are kept with them.
    #[must_use]
    pub fn url_bytes(&self) -> usize {
        self.texts.len() + self.anchor_bytes
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        /// What an open URL takes in `pending`.
        const PENDING: usize = 12;
        /// What a link text takes in `anchors` besides its bytes.
        const ANCHOR: usize = 32;
        self.texts.capacity()
            + self.entries.capacity() * (size_of::<Entry>() + size_of::<u32>() + 1)
            + self.pending.len() * PENDING
            + self.anchors.len() * ANCHOR
            + self.anchor_bytes
            + self.kept_links * size_of::<Lead>()
    }

    fn keep_anchor(&mut self, ordinal: u32, anchor: &str) {
        self.anchor_bytes += anchor.len();
        let before = self.anchors.insert(ordinal, anchor.into());
        self.anchor_bytes -= before.map_or(0, |anchor| anchor.len());
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The URLs that are not finished, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = u32> + '_ {
        self.pending.iter().copied()
    }

    /// How many are not finished.
    #[must_use]
    pub fn pending_count(&self) -> usize {
        self.pending.len()
    }

    /// Clicks from the start, as far as a way from there is known.
    #[must_use]
    pub fn depth(&self, ordinal: u32) -> Option<u32> {
        let depth = self.entry(ordinal).map_or(UNREACHED, |entry| entry.depth);
        (depth != UNREACHED).then(|| depth.into())
    }

    /// Pages that link to it so far.
    #[must_use]
    pub fn inlinks(&self, ordinal: u32) -> u32 {
        self.entry(ordinal).map_or(0, |entry| entry.inlinks)
    }

    /// How it was found first.
    #[must_use]
    pub fn via(&self, ordinal: u32) -> Via {
        self.entry(ordinal).map_or(Via::Start, |entry| entry.via)
    }

    /// All the ways in which it was found.
    #[must_use]
    pub fn ways(&self, ordinal: u32) -> Ways {
        self.entry(ordinal).map_or_else(Ways::default, |entry| entry.ways)
    }

    /// What it is asked for.
    #[must_use]
    pub fn role(&self, ordinal: u32) -> Role {
        self.entry(ordinal).map_or(Role::Page, |entry| entry.role)
    }

    /// Whether the link by which it was found says not to follow it.
    #[must_use]
    pub fn nofollow(&self, ordinal: u32) -> bool {
        self.entry(ordinal).is_some_and(|entry| entry.nofollow)
    }

    /// The page that it was found on.
    #[must_use]
    pub fn parent(&self, ordinal: u32) -> Option<u32> {
        self.entry(ordinal).map(|entry| entry.parent).filter(|parent| *parent != ordinal)
    }

    /// The text of the link by which it was found, until it is finished.
    #[must_use]
    pub fn anchor(&self, ordinal: u32) -> Option<&str> {
        self.anchors.get(&ordinal).map(AsRef::as_ref)
    }

    /// Whether it is done with.
    #[must_use]
    pub fn is_finished(&self, ordinal: u32) -> bool {
        self.entry(ordinal).is_none_or(|entry| entry.end != End::Open)
    }

    /// Whether an item was made of it.
    #[must_use]
    pub fn is_delivered(&self, ordinal: u32) -> bool {
        self.entry(ordinal).is_some_and(|entry| entry.end == End::Delivered)
    }

    /// Takes it off the list; false when it was not on it.
    pub(crate) fn finish(&mut self, ordinal: u32, delivered: bool) -> bool {
        let was_pending = !self.is_finished(ordinal);
        self.close(ordinal);
        let Some(entry) = self.entries.get_mut(ordinal as usize) else { return false };
        entry.end = if delivered { End::Delivered } else { End::LeftOut };
        self.anchor_bytes -= self.anchors.remove(&ordinal).map_or(0, |anchor| anchor.len());
        self.pending.remove(&ordinal);
        was_pending
    }

    /// The depth below which nothing is going to be found any more.
    fn floor(&self) -> u16 {
        self.open.keys().next().copied().unwrap_or(UNREACHED)
    }

    /// The depth at which a URL is open: not finished, and may lead further.
    fn open_depth(&self, ordinal: u32) -> Option<u16> {
        let leads_on = |entry: &&Entry| entry.end == End::Open && !entry.role.is_check();
        let entry = self.entry(ordinal).filter(leads_on)?;
        (entry.depth != UNREACHED).then_some(entry.depth)
    }

    fn open_at(&mut self, ordinal: u32) {
        if let Some(depth) = self.open_depth(ordinal) {
            *self.open.entry(depth).or_default() += 1;
        }
    }

    /// Not open any more, at least not at its depth. When it was the last at the floor, many
    /// a page can come no nearer now.
    fn close(&mut self, ordinal: u32) {
        let Some(depth) = self.open_depth(ordinal) else { return };
        let Some(count) = self.open.get_mut(&depth) else { return };
        *count -= 1;
        if *count > 0 {
            return;
        }
        let was_floor = self.floor() == depth;
        self.open.remove(&depth);
        if was_floor && !self.kept.is_empty() {
            let (floor, entries) = (self.floor(), &self.entries);
            let depth = |ordinal: u32| entries.get(ordinal as usize).map_or(0, |entry| entry.depth);
            self.kept.retain(|ordinal, _| depth(*ordinal) > floor);
            self.kept_links = self.kept.values().map(|leads| leads.len()).sum();
        }
    }

    /// Counts one more page that links to it.
    pub(crate) fn link(&mut self, ordinal: u32, from: u32) {
        if let Some(entry) = self.entries.get_mut(ordinal as usize) {
            entry.inlinks = entry.inlinks.saturating_add(1);
        }
        self.reach(ordinal, self.depth_by(Via::Link, Some(from)));
    }

    /// A way of this length leads to a URL, and through it perhaps to others.
    fn reach(&mut self, ordinal: u32, depth: u16) {
        if self.entry(ordinal).is_none_or(|entry| depth >= entry.depth) {
            return;
        }
        let mut reached = vec![(ordinal, depth)];
        while let Some((ordinal, depth)) = reached.pop() {
            if self.entry(ordinal).is_none_or(|entry| depth >= entry.depth) {
                continue;
            }
            self.close(ordinal);
            if let Some(entry) = self.entries.get_mut(ordinal as usize) {
                entry.depth = depth;
            }
            self.open_at(ordinal);
            let further = self.kept.get(&ordinal).map(AsRef::as_ref).unwrap_or_default();
            let nearer =
                |(target, is_click): &Lead| (*target, depth.saturating_add(u16::from(*is_click)));
            reached.extend(further.iter().map(nearer));
        }
    }

    /// Remembers where a page leads, if a shorter way to it may be found: then those are
    /// nearer, too.
    pub(crate) fn keep_leads(&mut self, ordinal: u32, leads: impl Iterator<Item = Lead>) {
        if !self.may_come_nearer(ordinal) {
            return;
        }
        let leads: Box<[Lead]> = leads.collect();
        if self.kept_links + leads.len() <= KEPT_LINKS {
            self.kept_links += leads.len();
            self.kept.insert(ordinal, leads);
        }
    }

    /// Whether a shorter way to it may yet be found.
    pub(crate) fn may_come_nearer(&self, ordinal: u32) -> bool {
        self.entry(ordinal).is_some_and(|entry| entry.depth > self.floor())
    }

    /// Whether a way by `from` is shorter than those that are known.
    pub(crate) fn is_nearer(&self, ordinal: u32, via: Via, from: u32) -> bool {
        let depth = self.depth_by(via, Some(from));
        self.entry(ordinal).is_some_and(|entry| depth < entry.depth)
    }

    /// Notes a further way in which it was found, on `from`.
    pub(crate) fn note(&mut self, way: &Way, from: u32) {
        if way.via != Via::Sitemap {
            self.reach(way.ordinal, self.depth_by(way.via, Some(from)));
        }
        let Some(entry) = self.entries.get_mut(way.ordinal as usize) else { return };
        entry.ways.add(way.via);
        // What only a sitemap had named has a page now that leads to it.
        if way.via == Via::Link && entry.via == Via::Sitemap {
            entry.parent = from;
            entry.via = Via::Link;
            if let (End::Open, Some(anchor)) = (entry.end, &way.anchor) {
                self.keep_anchor(way.ordinal, anchor);
            }
        }
    }

    /// The depth of what `parent` leads to in this way.
    fn depth_by(&self, via: Via, parent: Option<u32>) -> u16 {
        let parent = parent.and_then(|parent| self.entry(parent)).map(|parent| parent.depth);
        match (via, parent) {
            (Via::Start, _) => 0,
            // A list is not a way.
            (Via::Sitemap, _) | (_, None) => UNREACHED,
            // Another address of the same page is no click further away.
            (Via::Redirect | Via::Canonical | Via::Hreflang, Some(depth)) => depth,
            (Via::Link, Some(depth)) => depth.saturating_add(1),
        }
    }

    fn entry(&self, ordinal: u32) -> Option<&Entry> {
        self.entries.get(ordinal as usize)
    }

    fn page_key(&self, ordinal: u32) -> &str {
        let key_at = self.entry(ordinal).map_or(0, |entry| entry.key_at.into());
        self.text(ordinal).get(key_at..).unwrap_or_default()
    }

    fn index(&mut self, ordinal: u32) {
        // The table hashes its own entries while it grows, so it stands apart meanwhile.
        let mut table = std::mem::take(&mut self.table);
        let hash = |ordinal: &u32| Fingerprint::of_page_key(self.page_key(*ordinal)).0;
        table.insert_unique(hash(&ordinal), ordinal, hash);
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

impl From<Stored> for Frontier {
    fn from(stored: Stored) -> Self {
        // Built in one go and of their final size: a million URLs that come one by one are
        // hashed twice and sorted as they come.
        let is_pending = |(_, entry): &(u32, &Entry)| entry.end == End::Open;
        let pending = (0..).zip(&stored.entries).filter(is_pending).map(|(ordinal, _)| ordinal);
        let mut frontier = Self {
            pending: pending.collect(),
            table: HashTable::with_capacity(stored.entries.len()),
            texts: stored.texts,
            entries: stored.entries,
            anchor_bytes: stored.anchors.iter().map(|(_, anchor)| anchor.len()).sum(),
            anchors: stored.anchors.into_iter().collect(),
            kept_links: stored.kept.iter().map(|(_, leads)| leads.len()).sum(),
            kept: stored.kept.into_iter().collect(),
            open: BTreeMap::new(),
        };
        for ordinal in 0..u32::try_from(frontier.entries.len()).unwrap_or(u32::MAX) {
            if !frontier.is_finished(ordinal) {
                frontier.open_at(ordinal);
            }
            frontier.index(ordinal);
        }
        frontier
    }
}

/// The same as it is written: without a copy, for there may be millions.
#[derive(Serialize)]
#[serde(rename = "Stored")]
struct Shown<'a> {
    texts: &'a str,
    entries: &'a [Entry],
    anchors: Vec<(u32, &'a str)>,
    kept: Vec<(u32, &'a [Lead])>,
}

impl Serialize for Frontier {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let anchors = in_order(self.anchors.iter().map(|(at, anchor)| (*at, anchor.as_ref())));
        let kept = in_order(self.kept.iter().map(|(at, links)| (*at, links.as_ref())));
        let (texts, entries) = (self.texts.as_str(), self.entries.as_slice());
        Shown { texts, entries, anchors, kept }.serialize(serializer)
    }
}

fn in_order<T>(by_ordinal: impl Iterator<Item = (u32, T)>) -> Vec<(u32, T)> {
    let mut list: Vec<_> = by_ordinal.collect();
    list.sort_unstable_by_key(|(ordinal, _)| *ordinal);
    list
}
