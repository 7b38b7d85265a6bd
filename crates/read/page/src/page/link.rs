//! The links of a page, each address once.

use hashbrown::HashTable;
use urls::{CanonicalUrl, Fingerprint};

/// In what way a page leads somewhere, the strongest first: an address that is
/// linked in several ways has the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// A reader can follow it.
    Anchor,
    /// A region of an image map.
    Area,
    /// A page within the page.
    Frame,
    /// The next or the previous page of a series.
    Pagination,
    /// The page sends its reader there.
    Refresh,
    /// What the page calls its own address.
    Canonical,
    /// The page in another language or form.
    Alternate,
    /// RSS or Atom.
    Feed,
    /// Where a form is sent by GET.
    Form,
    /// An image.
    Image,
    /// Sound, film or another embedded file.
    Media,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads.
    pub url: CanonicalUrl,
    /// That of the address: whoever reads the page has time to reckon it.
    pub fingerprint: Fingerprint,
    /// Where its text stands among the texts of all links.
    pub(super) anchor: Span,
    /// Every link to this address says not to follow it.
    pub nofollow: bool,
    /// In what way it leads there.
    pub kind: LinkKind,
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    from: u32,
    to: u32,
}

impl Span {
    fn is_empty(self) -> bool {
        self.from == self.to
    }

    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}

/// Room for links that is made at once: a page has about so many.
const LINKS_AT_FIRST: usize = 64;

/// Gathers links.
#[derive(Debug)]
pub(super) struct Links {
    list: Vec<Link>,
    /// The texts of all links, one after the other: most are of links that the run knows
    /// already, and none is worth an allocation of its own.
    anchors: String,
    /// Places in the list by the hash of the address.
    places: HashTable<(u64, usize)>,
    limit: usize,
    truncated: bool,
}

impl Links {
    pub(super) fn new(limit: usize) -> Self {
        let first = limit.min(LINKS_AT_FIRST);
        Self {
            list: Vec::with_capacity(first),
            anchors: String::new(),
            places: HashTable::with_capacity(first),
            limit,
            truncated: false,
        }
    }

    /// Adds a link, or joins it with the one to the same address. Gives its place.
    pub(super) fn add(
        &mut self,
        url: CanonicalUrl,
        kind: LinkKind,
        nofollow: bool,
    ) -> Option<usize> {
        let fingerprint = Fingerprint::of(&url);
        let hash = fingerprint.0;
        let list = &mut self.list;
        let found = self.places.find(hash, |(known, place)| {
            *known == hash && list.get(*place).is_some_and(|link| link.url == url)
        });
        if let Some(&(_, place)) = found
            && let Some(known) = list.get_mut(place)
        {
            known.kind = known.kind.min(kind);
            known.nofollow &= nofollow;
            return Some(place);
        }
        if self.list.len() >= self.limit {
            self.truncated = true;
            return None;
        }
        let place = self.list.len();
        self.places.insert_unique(hash, (hash, place), |(hash, _)| *hash);
        self.list.push(Link { url, fingerprint, anchor: Span::default(), nofollow, kind });
        Some(place)
    }

    /// Gives a link its text, unless it has one.
    pub(super) fn name(&mut self, place: usize, anchor: &str) {
        let Some(link) = self.list.get_mut(place).filter(|link| link.anchor.is_empty()) else {
            return;
        };
        let from = u32::try_from(self.anchors.len());
        self.anchors.push_str(anchor);
        if let (Ok(from), Ok(to)) = (from, u32::try_from(self.anchors.len())) {
            link.anchor = Span { from, to };
        }
    }

    /// There are more, which nobody looks at.
    pub(super) fn truncate(&mut self) {
        self.truncated = true;
    }

    /// The links, their texts, and whether there were more.
    pub(super) fn into_parts(self) -> (Vec<Link>, String, bool) {
        (self.list, self.anchors, self.truncated)
    }
}
