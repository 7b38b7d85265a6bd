//! Checks of the database as a whole: pages and keys, references between tables, sums of the ledger.

use contract::AccountId;

use super::DataCheck;
use crate::columns::{ReadColumn, scalar, sql};
use crate::{Dialect, Result, Store};

/// Damaged pages and indexes of SQLite. PostgreSQL checks a page when it reads it, if its cluster has
/// checksums.
const PAGES: &str = "SELECT integrity_check AS problem FROM pragma_integrity_check";
const FOREIGN_KEYS: &str = "SELECT COUNT(*) FROM pragma_foreign_key_check";

/// Rows of a table whose column names no row of another table.
macro_rules! dangling {
    ($table:literal, $column:literal, $owner:literal) => {
        (
            concat!($table, ".", $column),
            $owner,
            concat!(
                "SELECT COUNT(*) FROM ",
                $table,
                " x WHERE NOT EXISTS (SELECT 1 FROM ",
                $owner,
                " o WHERE o.id = x.",
                $column,
                ")"
            ),
        )
    };
}

/// References that must hold at any time, with the table that they refer to. Not among them are those
/// whose target is deleted first: ledger lines outlive their jobs.
const REFERENCES: &[(&str, &str, &str)] = &[
    dangling!("jobs", "account_id", "accounts"),
    dangling!("shards", "job_id", "jobs"),
    dangling!("segments", "job_id", "jobs"),
    dangling!("result_sizes", "job_id", "jobs"),
    dangling!("skip_segments", "job_id", "jobs"),
    dangling!("skip_counts", "job_id", "jobs"),
    dangling!("skip_spans", "job_id", "jobs"),
    dangling!("overlays", "job_id", "jobs"),
    dangling!("run_pages", "job_id", "jobs"),
    dangling!("job_domains", "job_id", "jobs"),
    dangling!("job_urls", "job_id", "jobs"),
    dangling!("job_secrets", "job_id", "jobs"),
    dangling!("exports", "job_id", "jobs"),
    dangling!("commits", "shard_id", "shards"),
    dangling!("snapshots", "shard_id", "shards"),
    dangling!("list_urls", "list_id", "url_lists"),
    dangling!("ledger", "account_id", "accounts"),
    (
        "blobs.owner",
        "jobs or page_files",
        "SELECT COUNT(*) FROM blobs x WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = x.owner) \
         AND NOT EXISTS (SELECT 1 FROM page_files f WHERE f.id = x.owner)",
    ),
    (
        "blob_parts.owner",
        "jobs or page_files",
        "SELECT COUNT(*) FROM blob_parts x WHERE NOT EXISTS (SELECT 1 FROM jobs j \
         WHERE j.id = x.owner) AND NOT EXISTS (SELECT 1 FROM page_files f WHERE f.id = x.owner)",
    ),
];

/// Also deleted accounts: their ledger is kept.
const ACCOUNTS: &str = "SELECT id FROM accounts ORDER BY id";

impl Store {
    /// Checks the pages of the database, as far as it can check them.
    pub(super) async fn verify_database(&self) -> Result<DataCheck> {
        let mut check = DataCheck::new("database");
        let applied = crate::schema::newest();
        if self.dialect() == Dialect::Postgres {
            check.checked =
                format!("schema {applied}; PostgreSQL checks its pages when it reads them");
            return Ok(check);
        }
        for row in sql!(PAGES).fetch_all(self.reader()?).await? {
            let problem: String = row.read("problem")?;
            if problem != "ok" {
                check.report(problem);
            }
        }
        let keys: i64 = scalar!(FOREIGN_KEYS).fetch_one(self.reader()?).await?;
        if keys > 0 {
            check.report(format!("{keys} rows break a foreign key"));
        }
        check.checked = format!("schema {applied}; all pages, indexes and foreign keys");
        Ok(check)
    }

    /// Checks the references between tables.
    pub(super) async fn verify_references(&self) -> Result<DataCheck> {
        let mut check = DataCheck::new("references");
        for (column, owner, count) in REFERENCES {
            let rows: i64 = scalar!(*count).fetch_one(self.reader()?).await?;
            if rows > 0 {
                check.report(format!("{rows} rows of {column} refer to no row of {owner}"));
            }
        }
        check.checked = format!("{} references between tables", REFERENCES.len());
        Ok(check)
    }

    /// Compares balances, charges and reservations of each account with its ledger and jobs.
    pub(super) async fn verify_ledger(&self) -> Result<DataCheck> {
        let mut check = DataCheck::new("ledger");
        let accounts: Vec<String> = scalar!(ACCOUNTS).fetch_all(self.reader()?).await?;
        let mut audited = 0;
        for id in &accounts {
            let Ok(account) = id.parse::<AccountId>() else {
                check.report(format!("the identifier of account {id} is invalid"));
                continue;
            };
            let Some(audit) = self.audit_ledger(&account).await? else { continue };
            audited += 1;
            if !audit.is_consistent() {
                check.report(format!(
                    "account {id}: balance {} and ledger {}, used {} and debits {}, reserved {} and \
                     held {}",
                    audit.balance, audit.ledger, audit.used, audit.debits, audit.reserved, audit.held
                ));
            }
        }
        check.checked = format!("balances, charges and reservations of {audited} accounts");
        Ok(check)
    }
}
