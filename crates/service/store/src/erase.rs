//! Erasing a person or a company from all that is stored.
//!
//! The objection comes first: from then on nobody writes what is being erased. Then all jobs
//! are gone through, row by row, each change in a transaction of its own, so that the
//! service goes on and memory stays small. Whatever stops it half-way, the next try goes
//! through all of it again and comes to the same end.

mod blank;
mod run_log;
mod texts;

use contract::{AuditAction, JobId, Millis, Mode, Status};
use privacy::{OptOut, OptOuts, redact_json, redact_line};

use crate::job_row::{job_id, word};
use crate::redacted_commit::damaged;
use crate::segments::{RESULTS, SKIPPED, Shelf};
use crate::{AuditRecord, Store, StoreError, job_row};

/// Whether anything is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erasing {
    /// Everything is looked at and stays.
    Rehearsal,
    /// It is done.
    ForGood,
}

/// What was changed, or would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Erased {
    /// Whether the objection is new.
    pub objection: bool,
    /// Jobs that were gone through.
    pub jobs: u64,
    /// Results that were changed.
    pub results: u64,
    /// URLs that runs left out, with something to be erased in them.
    pub skipped: u64,
    /// Rows of what is newer than results, and of the logs of runs that go on.
    pub logs: u64,
    /// Runs that are over, whose logs were dropped: they serve nobody any more.
    pub logs_dropped: u64,
    /// Events and deliveries.
    pub events: u64,
    /// Requests for jobs, and answers that are given again.
    pub requests: u64,
}

impl Erased {
    /// Whether anything that is stored held it.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.results + self.skipped + self.logs + self.events + self.requests == 0
    }
}

/// One erasure on its way.
struct Erasure<'a> {
    store: &'a Store,
    objection: &'a OptOut,
    list: OptOuts,
    erasing: Erasing,
    erased: Erased,
}

const JOBS: &str = "SELECT id, mode, status FROM jobs WHERE id > $1 ORDER BY id LIMIT 256";

impl Store {
    /// Adds the objection, and erases what it concerns from all that is stored. Tells what
    /// that was.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails: what was done until then stays done.
    pub async fn erase(
        &self,
        objection: &OptOut,
        erasing: Erasing,
        now: Millis,
    ) -> Result<Erased, StoreError> {
        let list = OptOuts::of(objection);
        let mut erasure =
            Erasure { store: self, objection, list, erasing, erased: Erased::default() };
        if erasing == Erasing::ForGood {
            // Who is erased is not written down: the entry would outlive the erasure.
            let record = AuditRecord::of_service(AuditAction::ErasureRequested)
                .detail("kind", objection.kind().as_str())
                .at(now);
            let mut tx = self.begin().await?;
            self.append_audit(&mut tx, record).await?;
            tx.commit().await?;
            erasure.erased.objection = self.insert_objection(objection, None, now).await?;
        }
        let mut after = String::new();
        loop {
            let rows = sqlx::query(JOBS).bind(&after).fetch_all(self.reader()?).await?;
            for row in &rows {
                let job = job_id(row, "id")?;
                let mode = word(row, "mode", |name| name.parse::<Mode>().ok())?;
                let status = word(row, "status", |name| name.parse::<Status>().ok())?;
                erasure.erase_job(&job, mode, status).await?;
                after = job.to_string();
            }
            if rows.is_empty() {
                break;
            }
        }
        erasure.erase_texts().await?;
        if erasing == Erasing::ForGood {
            self.blank_free_pages().await?;
        }
        Ok(erasure.erased)
    }
}

impl Erasure<'_> {
    async fn erase_job(
        &mut self,
        job: &JobId,
        mode: Mode,
        status: Status,
    ) -> Result<(), StoreError> {
        self.erased.jobs += 1;
        if self.is_for_good() {
            // Whoever is writing results by an older list is waited for: they are found below.
            let mut tx = self.store.begin().await?;
            sqlx::query(job_row::HOLD).bind(job.as_str()).execute(&mut *tx).await?;
            tx.commit().await?;
        }
        let redact = |list: &OptOuts, line: &str| redact_line(list, mode, line).map_err(damaged);
        let redact_text = |list: &OptOuts, line: &str| redact_json(list, line).map_err(damaged);
        self.erased.results += self.erase_lines(&RESULTS, job, redact).await?;
        self.erased.skipped += self.erase_lines(&SKIPPED, job, redact_text).await?;
        self.erase_overlays(job).await?;
        if status.is_final() { self.drop_logs(job).await } else { self.erase_logs(job).await }
    }

    /// Clears the lines of a job, and tells how many were changed. Numbers stay as they are.
    async fn erase_lines(
        &self,
        shelf: &Shelf,
        job: &JobId,
        clear: impl Fn(&OptOuts, &str) -> Result<Option<String>, StoreError>,
    ) -> Result<u64, StoreError> {
        let clear_all = |lines: &mut Vec<String>| {
            let mut changed = 0;
            for line in lines {
                if let Some(kept) = clear(&self.list, line)? {
                    *line = kept;
                    changed += 1;
                }
            }
            Ok::<_, StoreError>(changed)
        };
        let (mut number, mut changed) = (0, 0);
        // By the number of a line, not by rows: those may be merged meanwhile.
        while let Some((first_item, mut lines)) =
            shelf.row_of(self.store.reader()?, job, number).await?
        {
            let mut here = clear_all(&mut lines)?;
            let mut end = first_item + lines.len() as u64;
            if here > 0 && self.is_for_good() {
                let mut tx = self.store.begin().await?;
                sqlx::query(job_row::HOLD).bind(job.as_str()).execute(&mut *tx).await?;
                let row = shelf.row_of(&mut *tx, job, number).await?;
                let Some((first_item, mut lines)) = row else { break };
                here = clear_all(&mut lines)?;
                shelf.rewrite(&mut tx, job, first_item, &lines).await?;
                tx.commit().await?;
                end = first_item + lines.len() as u64;
            }
            changed += here;
            number = end;
        }
        Ok(changed)
    }

    fn is_for_good(&self) -> bool {
        self.erasing == Erasing::ForGood
    }
}
