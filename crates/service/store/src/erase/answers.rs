//! Redaction of the stored answers to pages that were read at once.

use super::Erasure;
use crate::Result;
use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::idempotency::{pack, unpack};
use crate::redacted_commit::damaged;
use runtime::off_runtime;

/// One row at a time: an answer may have megabytes.
const NEXT: &str = "SELECT account_id, key, answer FROM idempotency \
    WHERE (account_id, key) > ($1, $2) AND answer IS NOT NULL \
    ORDER BY account_id, key LIMIT 1";
/// Answers are written once, and dropped at most.
const REWRITE: &str = "UPDATE idempotency SET answer = $3, answer_bytes = $4 \
    WHERE account_id = $1 AND key = $2 AND answer IS NOT NULL";

impl Erasure<'_> {
    /// Redacts the answers, and counts those that have changed as requests.
    pub(super) async fn erase_answers(&mut self) -> Result<()> {
        let mut after = (String::new(), String::new());
        loop {
            let next = sql!(NEXT; after.0, after.1).fetch_optional(self.store.reader()?).await?;
            let Some(row) = next else { return Ok(()) };
            after = (row.read("account_id")?, row.read("key")?);
            let packed: Vec<u8> = row.read("answer")?;
            let redacted = off_runtime(|| {
                let answer = unpack(&packed)?;
                let redacted = privacy::redact_json(&self.list, &answer).map_err(damaged)?;
                redacted.map(|text| pack(&text)).transpose()
            })?;
            let Some(redacted) = redacted else { continue };
            self.report.requests += 1;
            if self.applies() {
                let mut tx = self.store.begin().await?;
                sql!(REWRITE; after.0, after.1, redacted, redacted.len()).run(&mut tx).await?;
                tx.commit().await?;
            }
        }
    }
}
