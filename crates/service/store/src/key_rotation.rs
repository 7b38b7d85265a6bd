//! Changes the secret key: `trawl secret rotate`.
//!
//! Every node has both keys meanwhile. First the row of the current key changes, so that all nodes
//! encrypt new values with the next key; then the stored values are encrypted again, some per
//! transaction. A value names its key, so that all values can be read at any time, and an interrupted
//! rotation is repeated.

use contract::{AuditAction, Millis};

use crate::columns::{ExecuteIn, ReadColumn, scalar, sql};
use crate::secret_key::{PROOF, SealedFor, WRITE_PROOF};
use crate::{AuditRecord, Result, SecretKey, Store, StoreError};

/// The outcome of a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyRotation {
    /// Values that were encrypted again.
    pub reencrypted: u64,
    /// Values that neither key decrypts. They are unchanged.
    pub unreadable: u64,
}

/// A column of sealed values.
struct SealedColumn {
    owner: fn(&str) -> SealedFor<'_>,
    /// The next rows after row $1. Few, because SQLite has a single writer.
    rows: &'static str,
    /// Replaces the value of row $1, unless it was changed from $3 meanwhile.
    replace: &'static str,
}

macro_rules! sealed_column {
    ($owner:path, $table:literal, $id:literal, $column:literal) => {
        SealedColumn {
            owner: |id| $owner(id),
            rows: concat!(
                "SELECT ",
                $id,
                " AS id, ",
                $column,
                " AS sealed FROM ",
                $table,
                " WHERE ",
                $id,
                " > $1 AND ",
                $column,
                " IS NOT NULL ORDER BY ",
                $id,
                " LIMIT 20"
            ),
            replace: concat!(
                "UPDATE ",
                $table,
                " SET ",
                $column,
                " = CAST($2 AS blob) WHERE ",
                $id,
                " = $1 AND ",
                $column,
                " = CAST($3 AS blob)"
            ),
        }
    };
}

/// All columns of sealed values. A new one is added here and to `secret_key::ENCRYPTED`.
const COLUMNS: &[SealedColumn] = &[
    sealed_column!(SealedFor::Webhook, "webhooks", "id", "secret"),
    sealed_column!(SealedFor::WebhookHeaders, "webhooks", "id", "headers"),
    sealed_column!(SealedFor::Credentials, "job_secrets", "job_id", "credentials"),
    sealed_column!(SealedFor::Session, "job_secrets", "job_id", "session"),
    sealed_column!(SealedFor::Schedule, "schedules", "id", "secrets"),
];

impl Store {
    /// Makes [`crate::StoreSettings::next_secret_key`] the key of the database, and encrypts all values
    /// with it. Can be interrupted and repeated.
    ///
    /// # Errors
    /// [`StoreError::Setup`] when there is no next key, or when the database has a third one.
    pub async fn rotate_secret_key(&self, now: Millis) -> Result<KeyRotation> {
        let next = self
            .inner
            .settings
            .next_secret_key
            .as_ref()
            .ok_or_else(|| StoreError::Setup("no next_secret_key is configured".to_owned()))?;
        self.make_current(next, now).await?;
        let mut rotation = KeyRotation::default();
        for column in COLUMNS {
            self.reencrypt(column, next, &mut rotation).await?;
        }
        Ok(rotation)
    }

    async fn make_current(&self, next: &SecretKey, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        let current: Option<String> = scalar!(PROOF).fetch_optional(&mut *tx).await?;
        let current = current.as_deref().map(|proof| self.key_of_proof(proof)).transpose()?;
        if current == Some(next) {
            return Ok(tx.rollback().await?);
        }
        sql!(WRITE_PROOF; next.proof()).run(&mut tx).await?;
        let record = AuditRecord::of_service(AuditAction::SecretKeyRotated)
            .object("secret_key", next.shown_id())
            .at(now);
        self.commit_audited(tx, record).await
    }

    /// Encrypts the values of a column with the next key.
    async fn reencrypt(
        &self,
        column: &SealedColumn,
        next: &SecretKey,
        rotation: &mut KeyRotation,
    ) -> Result<()> {
        let mut after = String::new();
        loop {
            let rows = sql!(column.rows; after).fetch_all(self.reader()?).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.read("id")?;
            let mut tx = self.begin().await?;
            for row in &rows {
                let (id, sealed): (String, Vec<u8>) = (row.read("id")?, row.read("sealed")?);
                if next.has_sealed(&sealed) {
                    continue;
                }
                let owner = (column.owner)(&id);
                match self.open(owner, &sealed) {
                    Ok(opened) => {
                        let replaced = next.seal(owner, &opened)?;
                        rotation.reencrypted +=
                            sql!(column.replace; id, replaced, sealed).run(&mut tx).await?;
                    }
                    Err(StoreError::Damaged(_) | StoreError::SecretKeyMissing { .. }) => {
                        rotation.unreadable += 1;
                    }
                    Err(error) => return Err(error),
                }
            }
            tx.commit().await?;
        }
    }

    /// The number of sealed values, and what is wrong with those that cannot be decrypted; `None`
    /// without a secret key.
    pub(crate) async fn sealed_values(&self) -> Result<Option<(u64, Vec<String>)>> {
        if self.inner.settings.secret_key.is_none() {
            return Ok(None);
        }
        let (mut values, mut problems) = (0, Vec::new());
        for column in COLUMNS {
            let mut after = String::new();
            loop {
                let rows = sql!(column.rows; after).fetch_all(self.reader()?).await?;
                let Some(last) = rows.last() else { break };
                after = last.read("id")?;
                for row in &rows {
                    let (id, sealed): (String, Vec<u8>) = (row.read("id")?, row.read("sealed")?);
                    values += 1;
                    if let Err(error) = self.open((column.owner)(&id), &sealed) {
                        problems.push(error.to_string());
                    }
                }
            }
        }
        Ok(Some((values, problems)))
    }
}
