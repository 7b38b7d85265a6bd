//! Opt-outs: one list for all accounts and nodes.
//!
//! A node caches the list with its version. A commit compares the version while it holds the
//! job's row, so that it never stores results that an earlier opt-out covers.
//! The tables are `objections` and `objection_list`, their names from an earlier release.

use std::sync::Arc;

use contract::{AuditAction, Millis};
use privacy::{LiveOptOuts, OptOut, OptOutKind, OptOuts};
use sqlx::any::{AnyExecutor, AnyRow};

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::{AuditRecord, Result, Store};

/// An opt-out as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOutRecord {
    pub kind: OptOutKind,
    /// Identifies the person or domain; a hash for e-mail addresses and names.
    pub mark: String,
    /// A shortened form for the operator's list.
    pub hint: String,
    pub added_at: Millis,
}

/// The opt-outs that a node has cached.
#[derive(Debug, Clone)]
pub(crate) struct KnownOptOuts {
    /// Version of the stored list, from 0; -1 before the first read.
    pub version: i64,
    pub list: Arc<OptOuts>,
}

impl Default for KnownOptOuts {
    fn default() -> Self {
        Self { version: -1, list: Arc::default() }
    }
}

const ADD: &str = "INSERT INTO objections (kind, mark, hint, added_at) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (kind, mark) DO NOTHING";
const REMOVE: &str = "DELETE FROM objections WHERE kind = $1 AND mark = $2";
const MOVE: &str = "UPDATE objection_list SET version = version + 1 WHERE id = 1";
const VERSION: &str = "SELECT version FROM objection_list WHERE id = 1";
const LIST: &str =
    "SELECT kind, mark, hint, added_at FROM objections ORDER BY added_at, kind, mark";
const MARKS: &str = "SELECT kind, mark FROM objections";

/// An audit entry that does not name the person or domain.
fn audit_record(action: AuditAction, kind: OptOutKind) -> AuditRecord {
    AuditRecord::of_service(action).detail("kind", kind.as_str())
}

impl Store {
    /// Adds an opt-out; false when it exists already. It applies to every commit from now on.
    pub async fn add_opt_out(&self, opt_out: &OptOut, now: Millis) -> Result<bool> {
        let record = audit_record(AuditAction::ObjectionAdded, opt_out.kind()).at(now);
        self.insert_opt_out(opt_out, Some(record), now).await
    }

    /// As [`Store::add_opt_out`], with another audit entry or none.
    pub(crate) async fn insert_opt_out(
        &self,
        opt_out: &OptOut,
        record: Option<AuditRecord>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        // The version first: its row lock serialises changes of the list, and a reader of the new
        // version sees the new list.
        sql!(MOVE).run(&mut tx).await?;
        let added =
            sql!(ADD; opt_out.kind(), opt_out.mark(), opt_out.hint(), now).run(&mut tx).await?;
        let is_new = added > 0;
        if let Some(record) = record.filter(|_| is_new) {
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(is_new)
    }

    /// Removes an opt-out; false when it does not exist.
    pub async fn remove_opt_out(&self, opt_out: &OptOut) -> Result<bool> {
        self.remove_opt_out_by_mark(opt_out.kind(), opt_out.mark()).await
    }

    /// Removes an opt-out by its kind and mark, as [`OptOutRecord`] has them; false when it does not
    /// exist.
    pub async fn remove_opt_out_by_mark(&self, kind: OptOutKind, mark: &str) -> Result<bool> {
        let mut tx = self.begin().await?;
        sql!(MOVE).run(&mut tx).await?;
        let removed = sql!(REMOVE; kind, mark).run(&mut tx).await?;
        let existed = removed > 0;
        if existed {
            let record = audit_record(AuditAction::ObjectionRemoved, kind);
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(existed)
    }

    /// All stored opt-outs, oldest first.
    pub async fn opt_out_records(&self) -> Result<Vec<OptOutRecord>> {
        let read = |row: &AnyRow| Ok(read_row!(row => OptOutRecord { kind, mark, hint, added_at }));
        self.fetch_all(sql!(LIST), read).await
    }

    /// The cached opt-outs, updated by [`Store::refresh_opt_outs`]: runs skip the domains in it.
    /// Each commit is redacted with the list in force at that time.
    #[must_use]
    pub fn opt_outs(&self) -> LiveOptOuts {
        self.inner.live_opt_outs.clone()
    }

    /// Updates the cached opt-outs. Reads only the version when nothing has changed.
    pub async fn refresh_opt_outs(&self) -> Result<Arc<OptOuts>> {
        let reader = self.reader()?;
        let version: i64 = scalar!(VERSION).fetch_one(reader).await?;
        let known = self.known_opt_outs();
        if known.version == version {
            return Ok(known.list);
        }
        // The version was read first: an entry added in between is read twice, never missed.
        let list = Arc::new(self.read_opt_outs(reader).await?);
        self.cache_opt_outs(KnownOptOuts { version, list: Arc::clone(&list) });
        Ok(list)
    }

    /// The version of the cached opt-outs, which changes with the list.
    #[must_use]
    pub fn opt_outs_version(&self) -> i64 {
        self.known_opt_outs().version
    }

    pub(crate) fn known_opt_outs(&self) -> KnownOptOuts {
        self.inner.opt_outs.read().clone()
    }

    /// The list in force in a transaction.
    pub(crate) async fn current_opt_outs(&self, tx: &mut Tx) -> Result<Arc<OptOuts>> {
        let known = self.known_opt_outs();
        let version: i64 = scalar!(VERSION).fetch_one(&mut **tx).await?;
        match version == known.version {
            true => Ok(known.list),
            false => self.opt_outs_in(tx, version).await,
        }
    }

    /// Reads the list in a transaction that has read `version` before.
    pub(crate) async fn opt_outs_in(&self, tx: &mut Tx, version: i64) -> Result<Arc<OptOuts>> {
        let list = Arc::new(self.read_opt_outs(&mut **tx).await?);
        self.cache_opt_outs(KnownOptOuts { version, list: Arc::clone(&list) });
        Ok(list)
    }

    /// The stored list and the opt-outs of the settings.
    async fn read_opt_outs(&self, executor: impl AnyExecutor<'_>) -> Result<OptOuts> {
        let rows = sql!(MARKS).fetch_all(executor).await?;
        let stored = rows
            .iter()
            .map(|row| Ok((row.read("kind")?, row.read("mark")?)))
            .collect::<Result<Vec<_>>>()?;
        let configured = self.inner.settings.opt_outs.iter();
        let configured = configured.map(|one| (one.kind(), one.mark().to_owned()));
        Ok(OptOuts::new(stored.into_iter().chain(configured)))
    }

    fn cache_opt_outs(&self, new: KnownOptOuts) {
        let mut known = self.inner.opt_outs.write();
        if known.version < new.version {
            self.inner.live_opt_outs.replace(Arc::clone(&new.list));
            *known = new;
        }
    }
}
