//! Comparison of two runs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{Item, JobId, Mode};

string_enum! {
    /// How an item differs from the earlier run.
    pub enum ChangeKind {
        /// Only the later run has the item.
        Added = "added",
        /// Both runs have the item, with different content.
        Changed = "changed",
        /// Only the earlier run has the item.
        Removed = "removed",
    }
}

/// An item that differs between two runs. `T` is [`Item`], or its stored JSON where items are not
/// parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Change<T = Item> {
    pub kind: ChangeKind,
    /// The key of the item: its URL; in `contacts` its domain.
    pub key: String,
    /// The members that differ; empty for added and removed items.
    pub fields: Vec<String>,
    /// The item of the earlier run; null if it was added.
    #[schema(required = true, value_type = Option<Item>)]
    pub before: Option<T>,
    /// The item of this run; null if it was removed.
    #[schema(required = true, value_type = Option<Item>)]
    pub after: Option<T>,
}

/// Numbers of items by kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ChangeCounts {
    pub added: u64,
    pub changed: u64,
    pub removed: u64,
    /// Items without changes.
    pub unchanged: u64,
}

impl ChangeCounts {
    #[must_use]
    pub fn of(&self, kind: ChangeKind) -> u64 {
        match kind {
            ChangeKind::Added => self.added,
            ChangeKind::Changed => self.changed,
            ChangeKind::Removed => self.removed,
        }
    }

    /// Number of all items that differ.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.added.saturating_add(self.changed).saturating_add(self.removed)
    }
}

/// A page of changes: added, then changed, then removed items, each in the order of its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChangesPage<T = Item> {
    pub job_id: JobId,
    /// The earlier run; null if the schedule has no completed earlier run that is still stored.
    #[schema(required = true)]
    pub since: Option<JobId>,
    pub mode: Mode,
    /// Numbers of all changes, independent of `kind`.
    pub counts: ChangeCounts,
    pub items: Vec<Change<T>>,
    /// Number of changes of the requested kind, or of all.
    pub total: u64,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
}
