//! What changed between two runs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::words;
use crate::{Item, JobId, Mode};

words! {
    /// How an item differs from the earlier run.
    pub enum ChangeKind {
        /// The earlier run had no such item.
        Added = "added",
        /// Both have it, and what the site says of it is not the same.
        Changed = "changed",
        /// Only the earlier run had it.
        Removed = "removed",
    }
}

/// An item that is not as it was. `T` is [`Item`], or its stored JSON where items pass
/// through unread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Change<T = Item> {
    pub kind: ChangeKind,
    /// What the item is known by: its URL; in `contacts` its domain.
    pub key: String,
    /// The members that differ; empty for what was added or removed.
    pub fields: Vec<String>,
    /// The item of the earlier run; null for what was added.
    #[schema(required = true, value_type = Option<Item>)]
    pub before: Option<T>,
    /// The item of this run; null for what was removed.
    #[schema(required = true, value_type = Option<Item>)]
    pub after: Option<T>,
}

/// How many items differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ChangeCounts {
    pub added: u64,
    pub changed: u64,
    pub removed: u64,
    /// Items that are as they were.
    pub unchanged: u64,
}

impl ChangeCounts {
    /// How many of this kind.
    #[must_use]
    pub fn of(&self, kind: ChangeKind) -> u64 {
        match kind {
            ChangeKind::Added => self.added,
            ChangeKind::Changed => self.changed,
            ChangeKind::Removed => self.removed,
        }
    }

    /// How many differ in all.
    #[must_use]
    pub fn in_all(&self) -> u64 {
        self.added.saturating_add(self.changed).saturating_add(self.removed)
    }
}

/// A page of what changed: what was added, then what changed, then what was removed, each in
/// the order of its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChangesPage<T = Item> {
    pub job_id: JobId,
    /// The earlier run; null when the schedule has none that completed and is still kept.
    #[schema(required = true)]
    pub since: Option<JobId>,
    pub mode: Mode,
    /// All there are, whatever `kind` asks for.
    pub counts: ChangeCounts,
    pub items: Vec<Change<T>>,
    /// How many there are of the kind that was asked for, or of all.
    pub total: u64,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
}
