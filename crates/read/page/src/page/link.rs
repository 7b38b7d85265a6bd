//! The links of a page, de-duplicated by URL.

use document::{AnchorSpan, LinkKind, Outlink};
use hashbrown::HashTable;
use urls::{CanonicalUrl, Fingerprint};

/// Initial capacity: the number of links of a typical page.
const INITIAL_LINKS: usize = 64;

/// Collects links and merges duplicates.
#[derive(Debug)]
pub(super) struct LinkCollector {
    list: Vec<Outlink>,
    /// The anchor texts of all links in one buffer: most belong to links that the run already
    /// knows, so that none gets its own allocation.
    anchors: String,
    /// Indices of `list` by the hash of the URL.
    index_by_hash: HashTable<(u64, usize)>,
    limit: usize,
    truncated: bool,
}

impl LinkCollector {
    pub(super) fn new(limit: usize) -> Self {
        let first = limit.min(INITIAL_LINKS);
        Self {
            list: Vec::with_capacity(first),
            anchors: String::new(),
            index_by_hash: HashTable::with_capacity(first),
            limit,
            truncated: false,
        }
    }

    /// Adds a link, or merges it with the one to the same URL. Returns its index.
    pub(super) fn add(
        &mut self,
        url: CanonicalUrl,
        kind: LinkKind,
        nofollow: bool,
    ) -> Option<usize> {
        let fingerprint = Fingerprint::of(&url);
        let hash = fingerprint.0;
        let list = &mut self.list;
        let found = self.index_by_hash.find(hash, |(known, index)| {
            *known == hash && list.get(*index).is_some_and(|link| link.url == url)
        });
        if let Some(&(_, index)) = found
            && let Some(known) = list.get_mut(index)
        {
            known.kind = known.kind.min(kind);
            known.nofollow &= nofollow;
            return Some(index);
        }
        if self.list.len() >= self.limit {
            self.truncated = true;
            return None;
        }
        let index = self.list.len();
        self.index_by_hash.insert_unique(hash, (hash, index), |(hash, _)| *hash);
        self.list.push(Outlink { url, fingerprint, anchor: AnchorSpan::default(), nofollow, kind });
        Some(index)
    }

    /// Sets the anchor text of a link, unless it has one.
    pub(super) fn name(&mut self, index: usize, anchor: &str) {
        let Some(link) = self.list.get_mut(index).filter(|link| link.anchor.is_empty()) else {
            return;
        };
        let from = u32::try_from(self.anchors.len());
        self.anchors.push_str(anchor);
        if let (Ok(from), Ok(to)) = (from, u32::try_from(self.anchors.len())) {
            link.anchor = AnchorSpan::new(from, to);
        }
    }

    /// Marks the list as truncated.
    pub(super) fn truncate(&mut self) {
        self.truncated = true;
    }

    /// The links, their anchor texts, and whether the list was truncated.
    pub(super) fn into_parts(self) -> (Vec<Outlink>, String, bool) {
        (self.list, self.anchors, self.truncated)
    }
}
