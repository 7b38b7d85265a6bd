//! Checks of what runs have stored: results, skipped URLs, overlays, logs and files.

use contract::JobId;
use journal::{Commit, JournalError, Overlay, Segment, Snapshot};
use runtime::off_runtime;
use sqlx::any::AnyRow;

use super::DataCheck;
use crate::columns::{ReadColumn, Tx, scalar, sql};
use crate::{Result, Store, StoreError};

const JOBS: &str = "SELECT id FROM jobs WHERE id > $1 ORDER BY id LIMIT 500";
const JOB: &str = "SELECT results, finished_at, \
    CAST((SELECT COALESCE(SUM(count), 0) FROM skip_counts c WHERE c.job_id = jobs.id) AS BIGINT) \
    AS skipped FROM jobs WHERE id = $1";

/// The next rows of a table of packed lines, few at a time: each may have a megabyte.
macro_rules! segment_rows {
    ($table:literal) => {
        concat!(
            "SELECT first_item, count, body FROM ",
            $table,
            " WHERE job_id = $1 AND first_item >= $2 ORDER BY first_item LIMIT 16"
        )
    };
}
const RESULTS: &str = segment_rows!("segments");
const SKIPPED: &str = segment_rows!("skip_segments");
const OVERLAYS: &str = segment_rows!("overlays");

const SHARDS: &str = "SELECT id, head, snapshot_seq FROM shards WHERE job_id = $1 ORDER BY number";
const COMMITS: &str =
    "SELECT seq, body FROM commits WHERE shard_id = $1 AND seq > $2 ORDER BY seq LIMIT 64";
const SNAPSHOT: &str = "SELECT part, body FROM snapshots WHERE shard_id = $1 ORDER BY part";

/// Numbers and problems of the checks of runs.
struct RunChecks {
    results: DataCheck,
    logs: DataCheck,
    files: DataCheck,
    jobs: u64,
    items: u64,
    skipped: u64,
    segments: u64,
    commits: u64,
    files_read: u64,
}

/// A packed row whose body is decoded.
enum Decoded {
    Lines(u64),
    /// Lines have no number: an overlay.
    Whole,
    Damaged(JournalError),
}

impl Store {
    /// Checks what each run has stored.
    pub(super) async fn verify_runs(&self) -> Result<[DataCheck; 3]> {
        let mut checks = RunChecks {
            results: DataCheck::new("results"),
            logs: DataCheck::new("run logs"),
            files: DataCheck::new("page files"),
            jobs: 0,
            items: 0,
            skipped: 0,
            segments: 0,
            commits: 0,
            files_read: 0,
        };
        let mut after = String::new();
        loop {
            let jobs: Vec<String> = scalar!(JOBS; after).fetch_all(self.reader()?).await?;
            let Some(last) = jobs.last() else { break };
            after.clone_from(last);
            for id in jobs {
                let Ok(job) = id.parse::<JobId>() else {
                    checks.results.report(format!("the identifier of job {id} is invalid"));
                    continue;
                };
                self.verify_run(&mut checks, &job).await?;
                self.verify_files(&mut checks, &job).await?;
            }
        }
        let RunChecks { jobs, items, skipped, segments, commits, files_read, .. } = checks;
        checks.results.checked = format!(
            "{items} items and {skipped} skipped URLs of {jobs} jobs, in {segments} segments"
        );
        checks.logs.checked = format!("{commits} commits, and the snapshots");
        checks.files.checked = format!("{files_read} files");
        Ok([checks.results, checks.logs, checks.files])
    }

    async fn verify_run(&self, checks: &mut RunChecks, job: &JobId) -> Result<()> {
        self.reader()?;
        let mut tx = self.inner.reader.begin_with(self.dialect().begin_snapshot()).await?;
        // Deleted meanwhile.
        let Some(row) = sql!(JOB; job).fetch_optional(&mut *tx).await? else { return Ok(()) };
        checks.jobs += 1;
        checks.items +=
            checks.verify_lines(&mut tx, job, RESULTS, ("results", row.read("results")?)).await?;
        checks.skipped += checks
            .verify_lines(&mut tx, job, SKIPPED, ("skipped URLs", row.read("skipped")?))
            .await?;
        checks.verify_overlays(&mut tx, job).await?;
        let is_unfinished = row.read::<Option<i64>>("finished_at")?.is_none();
        for shard in sql!(SHARDS; job).fetch_all(&mut *tx).await? {
            checks.verify_log(&mut tx, job, &shard, is_unfinished).await?;
        }
        Ok(tx.rollback().await?)
    }

    /// Checks that each file of the pages of a run can be read.
    async fn verify_files(&self, checks: &mut RunChecks, job: &JobId) -> Result<()> {
        let mut from = 0;
        loop {
            let pages = self.next_run_pages(job, from).await?;
            let Some(last) = pages.last() else { return Ok(()) };
            from = last.item + 1;
            for page in &pages {
                for file in &page.files {
                    checks.files_read += 1;
                    let problem = match self.stored_run_file(job, page.item, file).await {
                        Ok(Some(bytes)) if bytes == file.bytes => continue,
                        Ok(Some(bytes)) => format!("has {bytes} bytes instead of {}", file.bytes),
                        Ok(None) => "is missing".to_owned(),
                        Err(StoreError::Damaged(cause)) => cause,
                        Err(error) => return Err(error),
                    };
                    // Deleted or withheld meanwhile.
                    let now = self.run_pages(job, page.item..page.item + 1).await?;
                    if now.first() == Some(page) {
                        let format = file.format;
                        checks.files.report(format!(
                            "job {job}, item {}: its file {format} {problem}",
                            page.item
                        ));
                    }
                }
            }
        }
    }
}

impl RunChecks {
    /// Decodes the packed lines of a run, and compares their number with the count of the job. Returns
    /// the number of lines.
    async fn verify_lines(
        &mut self,
        tx: &mut Tx,
        job: &JobId,
        rows_from: &'static str,
        (what, counted): (&str, u64),
    ) -> Result<u64> {
        let mut expected = 0_u64;
        loop {
            let rows = sql!(rows_from; job, expected).fetch_all(&mut **tx).await?;
            if rows.is_empty() {
                break;
            }
            for (row, decoded) in rows.iter().zip(decode(&rows, segment)?) {
                let (first, count): (u64, u64) = (row.read("first_item")?, row.read("count")?);
                self.segments += 1;
                if first != expected {
                    self.results.report(format!("job {job}: {what} from {expected} are missing"));
                }
                match decoded {
                    Decoded::Lines(lines) if lines != count => self.results.report(format!(
                        "job {job}: {what} from {first} are {lines} instead of {count}"
                    )),
                    Decoded::Lines(_) | Decoded::Whole => {}
                    Decoded::Damaged(error) => {
                        self.results.report(format!("job {job}: {what} from {first}: {error}"));
                    }
                }
                // At least one, so that a damaged count does not repeat the row.
                expected = first + count.max(1);
            }
        }
        if expected != counted {
            self.results.report(format!("job {job}: {expected} {what} instead of {counted}"));
        }
        Ok(expected)
    }

    async fn verify_overlays(&mut self, tx: &mut Tx, job: &JobId) -> Result<()> {
        let mut from = 0_u64;
        loop {
            let rows = sql!(OVERLAYS; job, from).fetch_all(&mut **tx).await?;
            if rows.is_empty() {
                return Ok(());
            }
            for (row, decoded) in rows.iter().zip(decode(&rows, overlay)?) {
                let first: u64 = row.read("first_item")?;
                if let Decoded::Damaged(error) = decoded {
                    self.results.report(format!("job {job}: overlay from {first}: {error}"));
                }
                from = first + 1;
            }
        }
    }

    /// Decodes the log of a shard. That of a finished run may have been deleted; that of any other is
    /// complete, because the run continues from it.
    async fn verify_log(
        &mut self,
        tx: &mut Tx,
        job: &JobId,
        shard: &AnyRow,
        is_unfinished: bool,
    ) -> Result<()> {
        let id: String = shard.read("id")?;
        let (head, snapshot_seq): (i64, i64) = (shard.read("head")?, shard.read("snapshot_seq")?);
        let parts = sql!(SNAPSHOT; id).fetch_all(&mut **tx).await?;
        let is_gapless = (0_i64..)
            .zip(&parts)
            .all(|(number, row)| row.read::<i64>("part").is_ok_and(|part| part == number));
        if !is_gapless || (is_unfinished && snapshot_seq > 0 && parts.is_empty()) {
            self.logs.report(format!("job {job}: parts of the snapshot of shard {id} are missing"));
        } else if !parts.is_empty() {
            let parts = parts.iter().map(|row| row.read("body")).collect::<Result<Vec<_>>>()?;
            if let Err(error) = off_runtime(|| Snapshot::join(parts).patched(|_| false)) {
                self.logs.report(format!("job {job}: snapshot of shard {id}: {error}"));
            }
        }
        let mut after = snapshot_seq;
        loop {
            let rows = sql!(COMMITS; id, after).fetch_all(&mut **tx).await?;
            if rows.is_empty() {
                break;
            }
            for (row, decoded) in rows.iter().zip(decode(&rows, commit)?) {
                let seq: i64 = row.read("seq")?;
                self.commits += 1;
                if is_unfinished && seq != after + 1 {
                    self.logs.report(format!(
                        "job {job}: commit {} of shard {id} is missing",
                        after + 1
                    ));
                }
                if let Decoded::Damaged(error) = decoded {
                    self.logs.report(format!("job {job}: commit {seq} of shard {id}: {error}"));
                }
                after = seq;
            }
        }
        if is_unfinished && after != head {
            self.logs.report(format!(
                "job {job}: the log of shard {id} ends at commit {after} instead of {head}"
            ));
        }
        Ok(())
    }
}

/// Decodes the bodies of rows off the runtime.
fn decode(
    rows: &[AnyRow],
    body: fn(&[u8]) -> Result<Decoded, JournalError>,
) -> Result<Vec<Decoded>> {
    off_runtime(|| {
        let decoded = rows.iter().map(|row| -> Result<Decoded> {
            let bytes: Vec<u8> = row.read("body")?;
            Ok(body(&bytes).unwrap_or_else(Decoded::Damaged))
        });
        decoded.collect()
    })
}

fn segment(bytes: &[u8]) -> Result<Decoded, JournalError> {
    Ok(Decoded::Lines(Segment::lines(bytes)?.len() as u64))
}

fn overlay(bytes: &[u8]) -> Result<Decoded, JournalError> {
    Overlay::decode(bytes).map(|_| Decoded::Whole)
}

fn commit(bytes: &[u8]) -> Result<Decoded, JournalError> {
    Commit::decode(bytes).map(|_| Decoded::Whole)
}
