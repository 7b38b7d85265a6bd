//! Checks of the database for an operator, without a change of it: `trawl doctor`.

use crate::columns::scalar;
use crate::secret_key::PROOF;
use crate::{Result, Store, StoreError, schema};

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
        let schema = match schema::applied(self).await {
            Ok(steps) => steps,
            // The table does not exist before the first start.
            Err(StoreError::Sql(_)) => 0,
            Err(error) => return Err(error),
        };
        Ok(Diagnosis {
            schema,
            newest_schema: schema::newest(),
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
        let Some(key) = &self.inner.settings.secret_key else { return Ok(KeyState::Missing) };
        let stored = scalar!(PROOF).fetch_optional(&self.inner.reader).await;
        let stored: Option<String> = match stored.map_err(StoreError::from) {
            Ok(stored) => stored,
            Err(StoreError::Sql(_)) => None,
            Err(error) => return Err(error),
        };
        Ok(match stored {
            None => KeyState::Unused,
            Some(proof) if proof == key.proof() => KeyState::Matches,
            Some(_) => KeyState::Differs,
        })
    }
}
