//! The operator's list of objections: one for all accounts and all nodes.
//!
//! A node keeps the list in memory and tells by its version whether it still holds. Whoever
//! writes results asks for the version under the lock of their job, so that nothing is
//! written that was objected to before.

use std::sync::{Arc, PoisonError};

use contract::{AuditAction, Millis};
use privacy::LiveOptOuts;
use privacy::OptOut;
use privacy::OptOutKind;
use privacy::OptOuts;
use sqlx::any::AnyExecutor;
use sqlx::{Any, Row, Transaction};

use crate::job_row::word;
use crate::{AuditRecord, Store, StoreError};

/// An objection that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOutRecord {
    pub kind: OptOutKind,
    /// What it is found by.
    pub mark: String,
    /// What the operator is shown.
    pub hint: String,
    pub added_at: Millis,
}

/// The list as a node knows it.
#[derive(Debug, Clone)]
pub(crate) struct KnownOptOuts {
    /// Versions count from zero: below that nothing is known yet.
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

/// An entry about an objection, which does not say whose it is.
fn audit_record(action: AuditAction, objection: &OptOut) -> AuditRecord {
    AuditRecord::of_service(action).detail("kind", objection.kind().as_str())
}

impl Store {
    /// Adds an objection; false when it was there. It holds from now on for every run.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn add_objection(&self, objection: &OptOut, now: Millis) -> Result<bool, StoreError> {
        let record = audit_record(AuditAction::ObjectionAdded, objection).at(now);
        self.insert_objection(objection, Some(record), now).await
    }

    /// The same with another entry in the audit log, or with none.
    pub(crate) async fn insert_objection(
        &self,
        objection: &OptOut,
        record: Option<AuditRecord>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        // First: whoever changes the list does so alone, and a reader who sees the new
        // version sees the new list.
        sqlx::query(MOVE).execute(&mut *tx).await?;
        let added = sqlx::query(ADD)
            .bind(objection.kind().as_str())
            .bind(objection.mark())
            .bind(objection.hint())
            .bind(now.0)
            .execute(&mut *tx)
            .await?;
        let is_new = added.rows_affected() > 0;
        if let Some(record) = record.filter(|_| is_new) {
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(is_new)
    }

    /// Removes an objection; false when there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn remove_objection(&self, objection: &OptOut) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(MOVE).execute(&mut *tx).await?;
        let removed = sqlx::query(REMOVE)
            .bind(objection.kind().as_str())
            .bind(objection.mark())
            .execute(&mut *tx)
            .await?;
        let was_there = removed.rows_affected() > 0;
        if was_there {
            let record = audit_record(AuditAction::ObjectionRemoved, objection);
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(was_there)
    }

    /// All objections, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn objection_records(&self) -> Result<Vec<OptOutRecord>, StoreError> {
        let rows = sqlx::query(LIST).fetch_all(self.reader()?).await?;
        rows.iter()
            .map(|row| {
                Ok(OptOutRecord {
                    kind: word(row, "kind", OptOutKind::from_word)?,
                    mark: row.try_get("mark")?,
                    hint: row.try_get("hint")?,
                    added_at: Millis(row.try_get("added_at")?),
                })
            })
            .collect()
    }

    /// The list as this node knows it from time to time: for runs, so that they do not visit
    /// whoever objects. What they write is judged once more, by the list in force then.
    #[must_use]
    pub fn objections(&self) -> LiveOptOuts {
        self.inner.live_objections.clone()
    }

    /// Looks whether the list has changed. Cheap when it has not.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn refresh_objections(&self) -> Result<Arc<OptOuts>, StoreError> {
        let reader = self.reader()?;
        let version: i64 = sqlx::query_scalar(VERSION).fetch_one(reader).await?;
        let known = self.known_objections();
        if known.version == version {
            return Ok(known.list);
        }
        // The version first: what is added in between is looked at once more, never missed.
        let list = Arc::new(self.read_objections(reader).await?);
        self.know(KnownOptOuts { version, list: Arc::clone(&list) });
        Ok(list)
    }

    pub(crate) fn known_objections(&self) -> KnownOptOuts {
        self.inner.objections.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The list of this version or a later one, within a transaction that has read it.
    pub(crate) async fn objections_in(
        &self,
        tx: &mut Transaction<'static, Any>,
        version: i64,
    ) -> Result<Arc<OptOuts>, StoreError> {
        let list = Arc::new(self.read_objections(&mut **tx).await?);
        self.know(KnownOptOuts { version, list: Arc::clone(&list) });
        Ok(list)
    }

    /// The list as it stands, and what the settings add to it.
    async fn read_objections(&self, executor: impl AnyExecutor<'_>) -> Result<OptOuts, StoreError> {
        let rows = sqlx::query(MARKS).fetch_all(executor).await?;
        let kept = rows
            .iter()
            .map(|row| Ok((word(row, "kind", OptOutKind::from_word)?, row.try_get("mark")?)))
            .collect::<Result<Vec<_>, StoreError>>()?;
        let set = self.inner.settings.objections.iter();
        let set = set.map(|one| (one.kind(), one.mark().to_owned()));
        Ok(OptOuts::new(kept.into_iter().chain(set)))
    }

    fn know(&self, news: KnownOptOuts) {
        let mut known = self.inner.objections.write().unwrap_or_else(PoisonError::into_inner);
        if known.version < news.version {
            self.inner.live_objections.replace(Arc::clone(&news.list));
            *known = news;
        }
    }
}
