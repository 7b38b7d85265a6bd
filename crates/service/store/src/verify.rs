//! Checks all stored data for an operator, without a change of it: `trawl verify`.
//!
//! `verify/rows.rs` checks the database as a whole: its pages, references between tables, and the ledger.
//! `verify/runs.rs` decodes the results, skipped URLs, logs and files of each run, which checks their
//! checksums, and compares them with the counts of the job. Each run is read in one transaction, so that
//! a server may work meanwhile.

mod rows;
mod runs;

use crate::{Result, Store, schema};

/// Problems of a check that are listed; further ones are counted.
const LISTED: usize = 20;

/// The outcome of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataCheck {
    pub name: &'static str,
    /// What was checked, with its numbers.
    pub checked: String,
    /// The first problems, one sentence each.
    pub problems: Vec<String>,
    /// Number of problems that are not listed.
    pub unlisted: u64,
}

impl DataCheck {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, checked: String::new(), problems: Vec::new(), unlisted: 0 }
    }

    pub(crate) fn report(&mut self, problem: String) {
        if self.problems.len() < LISTED {
            self.problems.push(problem);
        } else {
            self.unlisted += 1;
        }
    }

    /// Whether nothing was found to be wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }
}

impl Store {
    /// Opens the database without migrating it, for commands that change nothing.
    ///
    /// # Errors
    /// [`crate::StoreError::Setup`] when its schema is not that of this release.
    pub async fn open_unchanged(&self) -> Result<()> {
        schema::require_usable(self).await?;
        self.mark_prepared();
        Ok(())
    }

    /// Checks all stored data.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the database fails. Damaged data is no error but a problem of a
    /// check.
    pub async fn verify_data(&self) -> Result<Vec<DataCheck>> {
        let database = self.verify_database().await?;
        if !database.is_clean() {
            // Statements on damaged pages fail.
            return Ok(vec![database]);
        }
        let mut checks =
            vec![database, self.verify_references().await?, self.verify_ledger().await?];
        checks.push(self.verify_storage().await?);
        checks.extend(self.verify_runs().await?);
        checks.push(self.verify_secrets().await?);
        Ok(checks)
    }

    /// Checks that the secrets of webhooks, jobs and schedules can be decrypted.
    async fn verify_secrets(&self) -> Result<DataCheck> {
        let mut check = DataCheck::new("secrets");
        match self.sealed_values().await? {
            Some((values, problems)) => {
                check.checked = format!("{values} values can be decrypted");
                problems.into_iter().for_each(|problem| check.report(problem));
            }
            None => "not checked: no secret key is configured".clone_into(&mut check.checked),
        }
        Ok(check)
    }
}
