//! The stored form of a run: the state of the engine, with that of the mode between its fields.
//!
//! The layout is that of the first release. There the state of all modes was part of the run: the
//! repeated blocks (a list and a number), the template (an option), and the known products (a
//! number and five maps). Each mode stores its own fields at that place and zeros for the others,
//! because an empty list or map, a zero and `None` are one zero byte each: nine bytes in all. The
//! state of a further mode needs a new version of the snapshot.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use contract::Millis;
use journal::{JournalError, OptionalTail, PayloadType, SitemapMetadata, Snapshot, UrlId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use urls::{LanguageTag, Robots, TrapWatch};

use super::{RunState, RunStateTail};
use crate::Frontier;
use crate::outcome_counts::OutcomeCounts;

/// Fields are stored in this order and without names.
#[derive(Serialize)]
struct StoredRunRef<'a, M> {
    frontier: &'a Frontier,
    robots: &'a BTreeMap<String, (Robots, Millis)>,
    moved_to: &'a Option<String>,
    sitemaps_searched: &'a BTreeSet<String>,
    sitemap_files: u32,
    sitemaps_open: u32,
    listed: u64,
    sitemap_metadata: &'a HashMap<UrlId, (UrlId, Arc<SitemapMetadata>)>,
    default_language: &'a Option<LanguageTag>,
    language_marks: &'a BTreeSet<LanguageTag>,
    main_language: &'a Option<LanguageTag>,
    translations: &'a HashMap<UrlId, LanguageTag>,
    mode: &'a M,
    unread: &'a HashSet<UrlId>,
    protected_by: &'a Option<String>,
    traps: &'a TrapWatch,
    refused: &'a HashSet<u64>,
    redirects: &'a HashMap<UrlId, (u16, Option<UrlId>)>,
    contents: &'a HashMap<u64, UrlId>,
    duplicates: &'a HashMap<UrlId, UrlId>,
    delivered_folders: &'a HashMap<u64, (UrlId, u64)>,
    delivered: &'a Vec<UrlId>,
    units: u64,
    outcome_counts: &'a OutcomeCounts,
    finished_twice: u32,
    tail: &'a OptionalTail<RunStateTail>,
}

/// The same fields, decoded.
#[derive(Deserialize)]
struct StoredRun<M> {
    frontier: Frontier,
    robots: BTreeMap<String, (Robots, Millis)>,
    moved_to: Option<String>,
    sitemaps_searched: BTreeSet<String>,
    sitemap_files: u32,
    sitemaps_open: u32,
    listed: u64,
    sitemap_metadata: HashMap<UrlId, (UrlId, Arc<SitemapMetadata>)>,
    default_language: Option<LanguageTag>,
    language_marks: BTreeSet<LanguageTag>,
    main_language: Option<LanguageTag>,
    translations: HashMap<UrlId, LanguageTag>,
    mode: M,
    unread: HashSet<UrlId>,
    protected_by: Option<String>,
    traps: TrapWatch,
    refused: HashSet<u64>,
    redirects: HashMap<UrlId, (u16, Option<UrlId>)>,
    contents: HashMap<u64, UrlId>,
    duplicates: HashMap<UrlId, UrlId>,
    delivered_folders: HashMap<u64, (UrlId, u64)>,
    delivered: Vec<UrlId>,
    units: u64,
    outcome_counts: OutcomeCounts,
    finished_twice: u32,
    /// Last field: snapshots of the first release end before it.
    tail: OptionalTail<RunStateTail>,
}

/// The place of the modes in the snapshot of a mode without durable state.
pub const NO_MODE_STATE: [u8; 9] = [0; 9];

impl RunState {
    /// Encodes the state with that of the mode.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when it cannot be encoded.
    pub fn snapshot<M: Serialize>(&self, mode: &M) -> Result<Snapshot, JournalError> {
        let stored = StoredRunRef {
            frontier: &self.frontier,
            robots: &self.robots,
            moved_to: &self.moved_to,
            sitemaps_searched: &self.sitemaps_searched,
            sitemap_files: self.sitemap_files,
            sitemaps_open: self.sitemaps_open,
            listed: self.listed,
            sitemap_metadata: &self.sitemap_metadata,
            default_language: &self.default_language,
            language_marks: &self.language_marks,
            main_language: &self.main_language,
            translations: &self.translations,
            mode,
            unread: &self.unread,
            protected_by: &self.protected_by,
            traps: &self.traps,
            refused: &self.refused,
            redirects: &self.redirects,
            contents: &self.contents,
            duplicates: &self.duplicates,
            delivered_folders: &self.delivered_folders,
            delivered: &self.delivered,
            units: self.units,
            outcome_counts: &self.outcome_counts,
            finished_twice: self.finished_twice,
            tail: &self.tail,
        };
        Snapshot::of(PayloadType::SiteSnapshot, &stored)
    }

    /// Decodes the state and that of the mode. Byte counts are computed again, because the first
    /// release did not store them.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged or of an unknown version.
    pub fn restore<M: DeserializeOwned>(snapshot: &Snapshot) -> Result<(Self, M), JournalError> {
        let stored = snapshot.open(PayloadType::SiteSnapshot)?;
        let stored: StoredRun<M> = match stored.version() {
            1 | 2 => stored.decode()?,
            _ => return Err(stored.unknown_version()),
        };
        let mut state = Self {
            frontier: stored.frontier,
            robots: stored.robots,
            moved_to: stored.moved_to,
            sitemaps_searched: stored.sitemaps_searched,
            sitemap_files: stored.sitemap_files,
            sitemaps_open: stored.sitemaps_open,
            listed: stored.listed,
            sitemap_metadata: stored.sitemap_metadata,
            default_language: stored.default_language,
            language_marks: stored.language_marks,
            main_language: stored.main_language,
            translations: stored.translations,
            unread: stored.unread,
            protected_by: stored.protected_by,
            traps: stored.traps,
            refused: stored.refused,
            redirects: stored.redirects,
            contents: stored.contents,
            duplicates: stored.duplicates,
            delivered_folders: stored.delivered_folders,
            delivered: stored.delivered,
            units: stored.units,
            outcome_counts: stored.outcome_counts,
            finished_twice: stored.finished_twice,
            tail: stored.tail,
        };
        let sitemap_metadata = state.sitemap_metadata.values();
        state.tail.0.sitemap_metadata_bytes =
            sitemap_metadata.map(|(_, metadata)| metadata.bytes()).sum();
        let robots = state.robots.values();
        state.tail.0.robots_bytes = robots.map(|(rules, _)| rules.bytes()).sum();
        Ok((state, stored.mode))
    }
}
