//! Redaction of the answers to forwarded page calls that their nodes have not read yet.

use contract::PageId;

use super::Erasure;
use crate::Result;
use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::redacted_commit::damaged;

/// One row at a time: an answer may have megabytes.
const NEXT: &str = "SELECT id, answer FROM page_calls \
    WHERE id > $1 AND answer IS NOT NULL ORDER BY id LIMIT 1";
/// An answer is written once.
const REWRITE: &str = "UPDATE page_calls SET answer = $2 WHERE id = $1 AND answer IS NOT NULL";
/// The row stays: without it the page would be read and charged again.
const DROP_ANSWER: &str = "UPDATE page_calls SET answer = NULL WHERE id = $1";

impl Erasure<'_> {
    /// Redacts the answers, and counts those that have changed as requests. An answer that cannot be
    /// decrypted is dropped, and its call ends with an error.
    pub(super) async fn erase_page_calls(&mut self) -> Result<()> {
        let mut after = String::new();
        loop {
            let next = sql!(NEXT; after).fetch_optional(self.store.reader()?).await?;
            let Some(row) = next else { return Ok(()) };
            let id: PageId = row.read("id")?;
            after = id.to_string();
            let sealed: Vec<u8> = row.read("answer")?;
            let redacted = match self.store.open_answer(&id, &sealed) {
                Ok(answer) => {
                    let text = privacy::redact_json(&self.list, &answer).map_err(damaged)?;
                    let Some(text) = text else { continue };
                    self.store.seal_answer(&id, &text)?
                }
                Err(_) => None,
            };
            self.report.requests += 1;
            if self.applies() {
                let mut tx = self.store.begin().await?;
                match redacted {
                    Some(redacted) => sql!(REWRITE; id, redacted).run(&mut tx).await?,
                    None => sql!(DROP_ANSWER; id).run(&mut tx).await?,
                };
                tx.commit().await?;
            }
        }
    }
}
