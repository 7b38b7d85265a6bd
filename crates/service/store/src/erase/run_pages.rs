//! Deletion of the files of pages that contain data of a person or domain.

use contract::JobId;

use super::Erasure;
use crate::columns::{ExecuteIn, sql};
use crate::{Result, job_row, run_page};

impl Erasure<'_> {
    /// Searches the files of a run. A picture is deleted with the text of its page. The pages of
    /// redacted results have no files any more.
    pub(super) async fn erase_run_pages(&mut self, job: &JobId) -> Result<()> {
        let mut next = 0;
        loop {
            let pages = self.store.next_run_pages(job, next).await?;
            let Some(last) = pages.last() else { return Ok(()) };
            next = last.item + 1;
            for page in pages.iter().filter(|page| !page.files.is_empty()) {
                if !self.store.covers_run_page(&self.list, job, page).await? {
                    continue;
                }
                self.report.pages += 1;
                if self.applies() {
                    let mut tx = self.store.begin().await?;
                    sql!(job_row::HOLD; job).run(&mut tx).await?;
                    run_page::redact(&mut tx, job, page.item).await?;
                    tx.commit().await?;
                }
            }
        }
    }
}
