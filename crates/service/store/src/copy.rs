//! A consistent copy of the database beside a running server: `trawl backup`.

use std::path::Path;

use crate::{Dialect, Result, Store, StoreError, schema};

/// One read transaction on the last commit, which blocks no writer. The online backup API of SQLite
/// copies page by page instead, and starts again whenever another process writes: beside a busy server
/// it would not end. The copy has neither free pages, which may hold deleted data, nor a write-ahead
/// log.
const COPY: &str = "VACUUM INTO $1";

/// What a copy of a database contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiedDatabase {
    /// The number of schema migrations that were applied to it.
    pub schema: usize,
}

/// The number of schema migrations of this release.
#[must_use]
pub fn newest_schema() -> usize {
    schema::newest()
}

impl Store {
    /// Copies the database to a new file. Changes nothing, and needs no [`Store::prepare`].
    ///
    /// # Errors
    /// [`StoreError::Setup`] for PostgreSQL, for a database without tables, and if the file cannot be
    /// written.
    pub async fn copy_to(&self, file: &Path) -> Result<CopiedDatabase> {
        if self.dialect() == Dialect::Postgres {
            return Err(StoreError::Setup("PostgreSQL is copied with pg_dump".to_owned()));
        }
        let schema = match schema::applied(self).await {
            Err(StoreError::Sql(_)) | Ok(0) => {
                return Err(StoreError::Setup("it has no tables yet".to_owned()));
            }
            applied => applied?,
        };
        let path = file.to_str().ok_or_else(|| {
            StoreError::Setup(format!("the file name {} is not UTF-8", file.display()))
        })?;
        sqlx::query(COPY).bind(path).execute(&self.inner.reader).await?;
        if schema::applied(self).await? != schema {
            return Err(StoreError::Setup(
                "it was migrated by a newer release meanwhile; repeat the backup".to_owned(),
            ));
        }
        Ok(CopiedDatabase { schema })
    }
}
