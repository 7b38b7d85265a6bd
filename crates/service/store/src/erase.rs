//! Erasure of a person or a domain from everything that is stored.
//!
//! The opt-out is stored first, so that new commits are redacted. Then every job is scanned row by
//! row, and each change is a separate transaction: the service goes on and memory stays small.
//! An interrupted erasure is repeated from the start and has the same result.

mod answers;
mod free_pages;
mod lists;
mod page_calls;
mod run_log;
mod run_pages;
mod texts;

use contract::{AuditAction, JobId, Millis, Mode, Status};
use privacy::{OptOut, OptOuts, redact_json, redact_line};

use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::redacted_commit::damaged;
use crate::segments::{RESULTS, SKIPPED, SegmentTable};
use crate::{AuditRecord, Result, Store, StoreError, job_row, page_file, run_page};

/// Whether an erasure changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraseMode {
    /// Counts what would be changed.
    DryRun,
    Apply,
}

/// What an erasure changed, or would change in a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EraseReport {
    /// Whether the opt-out was added by this erasure.
    pub opt_out_added: bool,
    /// Jobs that were scanned.
    pub jobs: u64,
    /// Results that were redacted.
    pub results: u64,
    /// Skipped URLs that were redacted.
    pub skipped: u64,
    /// Redacted overlays, and redacted log rows of unfinished runs.
    pub logs: u64,
    /// Finished runs whose logs were deleted: they are not replayed any more.
    pub logs_dropped: u64,
    /// Redacted events and deliveries.
    pub events: u64,
    /// Redacted job requests and stored idempotent responses.
    pub requests: u64,
    /// Pages of runs whose files were deleted, besides those of redacted results.
    pub pages: u64,
}

impl EraseReport {
    /// Whether nothing stored matched the opt-out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.results + self.skipped + self.logs + self.events + self.requests + self.pages == 0
    }
}

/// An erasure in progress.
struct Erasure<'a> {
    store: &'a Store,
    opt_out: &'a OptOut,
    list: OptOuts,
    mode: EraseMode,
    report: EraseReport,
}

const JOBS: &str = "SELECT id, mode, status FROM jobs WHERE id > $1 ORDER BY id LIMIT 256";

impl Store {
    /// Stores the opt-out, and redacts everything stored that it covers.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails: what was redacted until then stays redacted.
    pub async fn erase(
        &self,
        opt_out: &OptOut,
        mode: EraseMode,
        now: Millis,
    ) -> Result<EraseReport> {
        let list = OptOuts::of(opt_out);
        let report = EraseReport::default();
        let mut erasure = Erasure { store: self, opt_out, list, mode, report };
        if mode == EraseMode::Apply {
            // The audit entry does not name the person: it outlives the erasure.
            let record = AuditRecord::of_service(AuditAction::ErasureRequested)
                .detail("kind", opt_out.kind().as_str())
                .at(now);
            self.commit_audited(self.begin().await?, record).await?;
            erasure.report.opt_out_added = self.insert_opt_out(opt_out, None, now).await?;
        }
        let mut after = String::new();
        loop {
            let rows = sql!(JOBS; after).fetch_all(self.reader()?).await?;
            for row in &rows {
                let job: JobId = row.read("id")?;
                let mode = row.read::<Mode>("mode")?;
                let status = row.read::<Status>("status")?;
                erasure.erase_job(&job, mode, status).await?;
                after = job.to_string();
            }
            if rows.is_empty() {
                break;
            }
        }
        erasure.erase_uploaded_lists().await?;
        erasure.erase_texts().await?;
        erasure.erase_answers().await?;
        erasure.erase_page_calls().await?;
        if mode == EraseMode::Apply {
            let mut tx = self.begin().await?;
            for statement in page_file::DELETE_ALL {
                sql!(statement).run(&mut tx).await?;
            }
            tx.commit().await?;
            self.overwrite_free_pages().await?;
            // After an error the servers continue; until then the bytes are in object storage.
            self.process_pack_changes(now).await?;
        }
        Ok(erasure.report)
    }
}

impl Erasure<'_> {
    async fn erase_job(&mut self, job: &JobId, mode: Mode, status: Status) -> Result<()> {
        self.report.jobs += 1;
        if self.applies() {
            // Wait for commits that were redacted with the older list: they are found below.
            let mut tx = self.store.begin().await?;
            sql!(job_row::HOLD; job).run(&mut tx).await?;
            tx.commit().await?;
        }
        let redact = |list: &OptOuts, line: &str| redact_line(list, mode, line).map_err(damaged);
        let redact_text = |list: &OptOuts, line: &str| redact_json(list, line).map_err(damaged);
        self.report.results += self.erase_lines(&RESULTS, job, redact).await?;
        if self.store.job_files(job).await?.stored_bytes > 0 {
            self.erase_run_pages(job).await?;
        }
        self.report.skipped += self.erase_lines(&SKIPPED, job, redact_text).await?;
        self.erase_list(job).await?;
        self.erase_overlays(job).await?;
        if status.is_final() { self.drop_logs(job).await } else { self.erase_logs(job).await }
    }

    /// Redacts the lines of a job, and returns how many were changed. Line numbers stay. The files of
    /// the pages of changed results are deleted with the change.
    async fn erase_lines(
        &self,
        table: &SegmentTable,
        job: &JobId,
        redact: impl Fn(&OptOuts, &str) -> Result<Option<String>>,
    ) -> Result<u64> {
        let redact_all = |lines: &mut Vec<String>| {
            let mut changed = Vec::new();
            for (position, line) in (0_u64..).zip(lines) {
                if let Some(redacted) = redact(&self.list, line)? {
                    *line = redacted;
                    changed.push(position);
                }
            }
            Ok::<_, StoreError>(changed)
        };
        let (mut number, mut changed) = (0, 0);
        // Iterate by line numbers, not by rows: segments may be merged meanwhile.
        while let Some((first_item, mut lines)) =
            table.row_of(self.store.reader()?, job, number).await?
        {
            let mut here = redact_all(&mut lines)?;
            let mut end = first_item + lines.len() as u64;
            if !here.is_empty() && self.applies() {
                let mut tx = self.store.begin().await?;
                sql!(job_row::HOLD; job).run(&mut tx).await?;
                let row = table.row_of(&mut *tx, job, number).await?;
                let Some((first_item, mut lines)) = row else { break };
                here = redact_all(&mut lines)?;
                table.rewrite(&mut tx, job, first_item, &lines).await?;
                for position in here.iter().filter(|_| *table == RESULTS) {
                    run_page::redact(&mut tx, job, first_item + position).await?;
                }
                tx.commit().await?;
                end = first_item + lines.len() as u64;
            }
            changed += here.len() as u64;
            number = end;
        }
        Ok(changed)
    }

    fn applies(&self) -> bool {
        self.mode == EraseMode::Apply
    }
}
