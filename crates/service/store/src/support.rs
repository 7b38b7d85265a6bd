//! Numbers for a support bundle: sizes of tables, states, and recent errors. No text of a customer is
//! among them: no e-mail address, URL, host or message.

use contract::Millis;
use serde::Serialize;

use crate::columns::{ReadColumn, read_row, scalar, sql};
use crate::{Result, Store};

/// Tables whose rows are counted.
macro_rules! counted {
    ($($table:literal),+ $(,)?) => {
        &[$(($table, concat!("SELECT COUNT(*) FROM ", $table))),+]
    };
}
const TABLES: &[(&str, &str)] = counted!(
    "accounts",
    "keys",
    "sessions",
    "jobs",
    "shards",
    "commits",
    "snapshots",
    "segments",
    "skip_segments",
    "overlays",
    "run_pages",
    "blobs",
    "packs",
    "blob_parts",
    "pack_changes",
    "ledger",
    "outbox",
    "deliveries",
    "webhooks",
    "schedules",
    "templates",
    "exports",
    "idempotency",
    "audit",
    "applications",
    "url_lists",
    "page_files",
    "nodes",
    "objections",
);

/// Groups of rows, as `status` of `jobs`.
const GROUPS: &[(&str, &str)] = &[
    (
        "jobs by mode and status",
        "SELECT mode || ' ' || status AS value, COUNT(*) AS number \
        FROM jobs GROUP BY 1 ORDER BY 1",
    ),
    (
        "shards by state",
        "SELECT state AS value, COUNT(*) AS number FROM shards GROUP BY 1 ORDER BY 1",
    ),
    (
        "deliveries by state",
        "SELECT state AS value, COUNT(*) AS number FROM deliveries \
        GROUP BY 1 ORDER BY 1",
    ),
    (
        "purchases by state",
        "SELECT state AS value, COUNT(*) AS number FROM recharges \
        GROUP BY 1 ORDER BY 1",
    ),
    (
        "webhooks by activity",
        "SELECT CASE WHEN active = 0 THEN 'disabled' \
        WHEN failing_since IS NOT NULL THEN 'failing' ELSE 'working' END AS value, \
        COUNT(*) AS number FROM webhooks GROUP BY 1 ORDER BY 1",
    ),
];

const ERRORS: &str = "SELECT mode, COALESCE(error_code, '') AS code, COALESCE(error_cause, '') AS cause, \
    COUNT(*) AS jobs, MAX(finished_at) AS last_at FROM jobs \
    WHERE error_code IS NOT NULL AND finished_at >= $1 \
    GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT 100";

/// A value with the number of its rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowCount {
    pub value: String,
    pub rows: u64,
}

/// Failed jobs of one mode with the same error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorCount {
    pub mode: String,
    pub code: String,
    /// Empty if the error has none.
    pub cause: String,
    pub jobs: u64,
    pub last_at: Millis,
}

/// The numbers of a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DatabaseNumbers {
    pub tables: Vec<RowCount>,
    pub groups: Vec<(&'static str, Vec<RowCount>)>,
    /// Of the last days, the most frequent first.
    pub recent_errors: Vec<ErrorCount>,
}

impl Store {
    /// The numbers of the database, with the errors of jobs that ended since this time.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the database fails.
    pub async fn numbers(&self, errors_since: Millis) -> Result<DatabaseNumbers> {
        let mut tables = Vec::with_capacity(TABLES.len());
        for (table, count) in TABLES {
            let rows: i64 = scalar!(*count).fetch_one(self.reader()?).await?;
            tables.push(RowCount { value: (*table).to_owned(), rows: rows.unsigned_abs() });
        }
        let mut groups = Vec::with_capacity(GROUPS.len());
        for (name, statement) in GROUPS {
            let rows = self.fetch_all(sql!(*statement), |row| {
                Ok(read_row!(row => RowCount { value, rows = "number" }))
            });
            groups.push((*name, rows.await?));
        }
        let recent_errors = self
            .fetch_all(sql!(ERRORS; errors_since), |row| {
                Ok(read_row!(row => ErrorCount { mode, code, cause, jobs, last_at }))
            })
            .await?;
        Ok(DatabaseNumbers { tables, groups, recent_errors })
    }
}
