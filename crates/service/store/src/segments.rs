//! Tables of segments: compressed lines of JSON. The lines of a job are numbered from 0 without
//! gaps, and a row is found by the number of its first line, so that paging reads only the rows
//! it needs.

use std::ops::Range;

use contract::JobId;
use journal::Segment;

use runtime::off_runtime;
use sqlx::AssertSqlSafe;
use sqlx::any::{AnyExecutor, AnyRow};

use crate::columns::{ExecuteIn, ReadColumn, Tx, sql};
use crate::measured_pool::MeasuredPool;
use crate::{Result, Store, job_row};

/// Segments are merged until they hold at least this many lines or [`MERGED_BYTES`].
pub(crate) const MERGED_LINES: usize = 4_096;
const MERGED_BYTES: usize = 1 << 20;

const INSERT: &str = "INSERT INTO {table} (job_id, first_item, count, body) \
    VALUES ($1, $2, $3, $4)";
/// The rows with lines $2 to $3 (exclusive), including the row that contains $2.
const HOLDING: &str = "SELECT first_item, body FROM {table} WHERE job_id = $1 AND first_item < $3 \
    AND first_item >= (SELECT COALESCE(MAX(first_item), 0) FROM {table} \
    WHERE job_id = $1 AND first_item <= $2) ORDER BY first_item";
const AT: &str = "SELECT first_item, body FROM {table} WHERE job_id = $1 AND first_item <= $2 \
    ORDER BY first_item DESC LIMIT 1";
const FROM: &str = "SELECT first_item, body FROM {table} WHERE job_id = $1 AND first_item >= $2 \
    ORDER BY first_item LIMIT 64";
const REWRITE: &str = "UPDATE {table} SET body = $3 WHERE job_id = $1 AND first_item = $2";
const DROP: &str = "DELETE FROM {table} WHERE job_id = $1 AND first_item = $2";

/// A table of segments, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SegmentTable(&'static str);

/// The table of delivered items.
pub(crate) const RESULTS: SegmentTable = SegmentTable("segments");
/// The table of skipped URLs.
pub(crate) const SKIPPED: SegmentTable = SegmentTable("skip_segments");

impl SegmentTable {
    /// A statement with the name of the table.
    fn statement(self, text: &str) -> AssertSqlSafe<String> {
        // Both are constants: no input reaches the text.
        AssertSqlSafe(text.replace("{table}", self.0))
    }

    /// Inserts a segment; `first_item` is the number of its first line.
    pub async fn add(
        &self,
        tx: &mut Tx,
        job: &JobId,
        first_item: u64,
        segment: Segment,
    ) -> Result<()> {
        sql!(self.statement(INSERT); job, first_item, segment.count, segment.bytes)
            .run(tx)
            .await
            .map(drop)
    }

    /// The lines with these numbers, as far as they exist.
    pub async fn lines(
        &self,
        reader: &MeasuredPool,
        job: &JobId,
        numbers: Range<u64>,
    ) -> Result<Vec<String>> {
        let rows = sql!(self.statement(HOLDING); job, numbers.start, numbers.end)
            .fetch_all(reader)
            .await?;
        let mut lines = Vec::new();
        for row in &rows {
            lines.extend(unpack(row, &numbers)?);
        }
        Ok(lines)
    }

    /// As [`SegmentTable::lines`], but only the lines of the row that holds the first of them, so
    /// that reading all lines decompresses each row once.
    pub async fn lines_of_row(
        &self,
        reader: &MeasuredPool,
        job: &JobId,
        numbers: &Range<u64>,
    ) -> Result<Vec<String>> {
        let row = sql!(self.statement(AT); job, numbers.start).fetch_optional(reader).await?;
        row.map_or_else(|| Ok(Vec::new()), |row| Ok(unpack(&row, numbers)?.collect()))
    }

    /// The row that holds the line with this number: the number of its first line, and all its
    /// lines.
    pub async fn row_of(
        &self,
        executor: impl AnyExecutor<'_>,
        job: &JobId,
        number: u64,
    ) -> Result<Option<(u64, Vec<String>)>> {
        let query = sql!(self.statement(AT); job, number);
        let Some(row) = query.fetch_optional(executor).await? else { return Ok(None) };
        let body: Vec<u8> = row.read("body")?;
        let lines = off_runtime(|| Segment::lines(&body))?;
        let first_item: u64 = row.read("first_item")?;
        Ok((first_item + lines.len() as u64 > number).then_some((first_item, lines)))
    }

    /// Replaces the lines of a row; their number must stay the same.
    pub async fn rewrite(
        &self,
        tx: &mut Tx,
        job: &JobId,
        first_item: u64,
        lines: &[String],
    ) -> Result<()> {
        let segment = Segment::pack_lines(lines)?;
        sql!(self.statement(REWRITE); job, first_item, segment.bytes).run(tx).await.map(drop)
    }
}

/// The lines of a row that have these numbers.
fn unpack(row: &AnyRow, numbers: &Range<u64>) -> Result<impl Iterator<Item = String>> {
    let packed = Segment::lines(&row.read::<Vec<u8>>("body")?)?;
    let numbered = (row.read::<u64>("first_item")?..).zip(packed);
    Ok(numbered.filter(|(n, _)| numbers.contains(n)).map(|(_, line)| line))
}

/// The lines of the rows that make up the next merged segment, and the `first_item` of each row.
fn first_lines(rows: &[AnyRow]) -> Result<(Vec<String>, Vec<u64>)> {
    let (mut lines, mut bytes, mut joined) = (Vec::new(), 0, Vec::new());
    for row in rows {
        let body: Vec<u8> = row.read("body")?;
        bytes += body.len();
        lines.extend(Segment::lines(&body)?);
        joined.push(row.read("first_item")?);
        if lines.len() >= MERGED_LINES || bytes >= MERGED_BYTES {
            break;
        }
    }
    Ok((lines, joined))
}

impl Store {
    /// Merges the small segments of a finished run, so that reading it costs less. Each merge is
    /// one transaction; the method can be interrupted and repeated.
    pub async fn merge_segments(&self, job: &JobId) -> Result<()> {
        for table in [RESULTS, SKIPPED] {
            self.merge(&table, job).await?;
        }
        Ok(())
    }

    async fn merge(&self, table: &SegmentTable, job: &JobId) -> Result<()> {
        let mut from = 0_u64;
        loop {
            let mut tx = self.begin().await?;
            // An erasure rewrites these rows under the same lock.
            sql!(job_row::HOLD; job).run(&mut tx).await?;
            let rows = sql!(table.statement(FROM); job, from).fetch_all(&mut *tx).await?;
            let (lines, joined) = off_runtime(|| first_lines(&rows))?;
            let Some(&first_item) = joined.first() else { return Ok(()) };
            from = first_item + lines.len() as u64;
            if joined.len() == 1 {
                continue;
            }
            for old in &joined {
                sql!(table.statement(DROP); job, old).run(&mut tx).await?;
            }
            let merged = off_runtime(|| Segment::pack_lines(&lines))?;
            table.add(&mut tx, job, first_item, merged).await?;
            tx.commit().await?;
        }
    }
}
