//! Redaction of the lists of URLs of jobs.
//!
//! E-mail addresses are overwritten as in the log of the run, so that both name the same URLs. A URL
//! with a name or on a domain that is opted out leaves the list: a run that has it in its log skips
//! it.

use contract::JobId;
use privacy::OptOutKind;
use runtime::off_runtime;

use super::Erasure;
use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::{Result, list_shard};

const ROWS: &str = "SELECT shard, urls FROM job_urls WHERE job_id = $1 AND shard > $2 \
    ORDER BY shard LIMIT 1";
const ROWS_OF_LISTS: &str = "SELECT list_id, shard, urls FROM list_urls \
    WHERE list_id > $1 OR (list_id = $1 AND shard > $2) ORDER BY list_id, shard LIMIT 1";
const REWRITE_LIST: &str = "UPDATE list_urls SET urls = $3 WHERE list_id = $1 AND shard = $2";
const REWRITE: &str = "UPDATE job_urls SET urls = $3 WHERE job_id = $1 AND shard = $2";

impl Erasure<'_> {
    pub(super) async fn erase_list(&mut self, job: &JobId) -> Result<()> {
        let mut after = -1_i64;
        while let Some(row) = sql!(ROWS; job, after).fetch_optional(self.store.reader()?).await? {
            after = row.read("shard")?;
            let packed: Vec<u8> = row.read("urls")?;
            let redacted = off_runtime(|| self.redacted_list(&packed))?;
            let Some(redacted) = redacted else { continue };
            self.report.requests += 1;
            if self.applies() {
                // The row of a list never changes otherwise.
                let mut tx = self.store.begin().await?;
                sql!(REWRITE; job, after, redacted).run(&mut tx).await?;
                tx.commit().await?;
            }
        }
        Ok(())
    }

    /// Redacts the uploaded lists of all accounts.
    pub(super) async fn erase_uploaded_lists(&mut self) -> Result<()> {
        let (mut list, mut after) = (String::new(), -1_i64);
        loop {
            let row = sql!(ROWS_OF_LISTS; list, after).fetch_optional(self.store.reader()?).await?;
            let Some(row) = row else { return Ok(()) };
            (list, after) = (row.read("list_id")?, row.read("shard")?);
            let packed: Vec<u8> = row.read("urls")?;
            let Some(redacted) = off_runtime(|| self.redacted_list(&packed))? else { continue };
            self.report.requests += 1;
            if self.applies() {
                let mut tx = self.store.begin().await?;
                sql!(REWRITE_LIST; list, after, redacted).run(&mut tx).await?;
                tx.commit().await?;
            }
        }
    }

    fn redacted_list(&self, packed: &[u8]) -> Result<Option<Vec<u8>>> {
        let text = list_shard::unpack(packed)?;
        if self.opt_out.kind() == OptOutKind::Email {
            let mut bytes = text.into_bytes();
            if !self.opt_out.redact_bytes(&mut bytes) {
                return Ok(None);
            }
            let text = String::from_utf8_lossy(&bytes);
            return list_shard::pack(text.lines()).map(Some);
        }
        // The lines of an uploaded list begin with the number of the URL.
        let is_covered = |line: &&str| {
            let url = line.split_once(' ').map_or(*line, |(_, url)| url);
            self.list.cover_url(url) || self.list.redact(url).is_some()
        };
        let (covered, kept): (Vec<_>, Vec<_>) = text.lines().partition(is_covered);
        if covered.is_empty() {
            return Ok(None);
        }
        list_shard::pack(kept.into_iter()).map(Some)
    }
}
