//! Checks of the database for an operator, without a change of it: `trawl doctor`.

use crate::columns::scalar;
use crate::secret_key::PROOF;
use crate::{Result, Store, StoreError};

/// A table that is created and rolled back, to check the right to migrate the schema.
const CREATE_TABLE: &str = "CREATE TABLE doctor_check (id BIGINT PRIMARY KEY)";
const INSERT: &str = "INSERT INTO doctor_check (id) VALUES (1)";

/// The state of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Applied schema migrations; 0 before the first start.
    pub schema: usize,
    /// Schema migrations of this release.
    pub newest_schema: usize,
    /// Whether a newer release wrote the schema so that this release cannot use it.
    pub is_too_new: bool,
    /// The cause why the user of the database cannot create tables and write rows.
    pub write_error: Option<String>,
    /// Whether the configured secret key is that of the database.
    pub secret_key: KeyState,
}

/// How the configured secret key compares with that of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// The settings have no secret key.
    Missing,
    /// The database has had no start with a key.
    Unused,
    /// The database was last started with this key.
    Matches,
    /// The database was last started with another key.
    Differs,
}

impl Store {
    /// Checks schema, rights and secret key. Changes nothing, and needs no [`Store::prepare`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the database does not answer.
    pub async fn diagnose(&self) -> Result<Diagnosis> {
        let plan = self.migration_plan().await?;
        Ok(Diagnosis {
            schema: plan.applied,
            newest_schema: plan.newest,
            is_too_new: plan.obstacle.is_some(),
            write_error: self.try_writing().await.err().map(|error| error.to_string()),
            secret_key: self.compare_secret_key().await?,
        })
    }

    async fn try_writing(&self) -> Result<()> {
        let mut tx = self.inner.writer.begin_with(self.inner.begin).await?;
        sqlx::raw_sql(CREATE_TABLE).execute(&mut *tx).await?;
        sqlx::raw_sql(INSERT).execute(&mut *tx).await?;
        Ok(tx.rollback().await?)
    }

    async fn compare_secret_key(&self) -> Result<KeyState> {
        if self.inner.settings.secret_key.is_none() {
            return Ok(KeyState::Missing);
        }
        let stored = scalar!(PROOF).fetch_optional(&self.inner.reader).await;
        let stored: Option<String> = match stored.map_err(StoreError::from) {
            Ok(stored) => stored,
            Err(StoreError::Sql(_)) => None,
            Err(error) => return Err(error),
        };
        Ok(match stored {
            None => KeyState::Unused,
            Some(proof) if self.key_of_proof(&proof).is_ok() => KeyState::Matches,
            Some(_) => KeyState::Differs,
        })
    }
}
