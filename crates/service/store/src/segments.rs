//! Lines of JSON in packed rows. The lines of a job are numbered from 0 without a gap, and
//! a row is found by the number of its first line: paging reads only the rows it needs.

use std::ops::Range;

use contract::JobId;
use journal::Segment;
use sqlx::any::{AnyExecutor, AnyRow};
use sqlx::{Any, AnyPool, Row, Transaction};

use runtime::off_runtime;

use crate::job_row::{count, signed};
use crate::{Store, StoreError, job_row};

/// A merged segment holds at least this many lines, or this many bytes.
pub(crate) const MERGED_LINES: usize = 4_096;
const MERGED_BYTES: usize = 1 << 20;

/// A table of segments: one code serves what is delivered and what is left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shelf {
    insert: &'static str,
    holding: &'static str,
    at: &'static str,
    from: &'static str,
    rewrite: &'static str,
    drop: &'static str,
}

macro_rules! shelf {
    ($table:literal) => {
        Shelf {
            insert: concat!(
                "INSERT INTO ",
                $table,
                " (job_id, first_item, count, body) VALUES ($1, $2, $3, $4)"
            ),
            // The rows that hold lines from $2 on and before $3: the one that $2 falls
            // into begins at or before it.
            holding: concat!(
                "SELECT first_item, body FROM ",
                $table,
                " WHERE job_id = $1 AND first_item < $3 AND first_item >= ",
                "(SELECT COALESCE(MAX(first_item), 0) FROM ",
                $table,
                " WHERE job_id = $1 AND first_item <= $2) ORDER BY first_item"
            ),
            at: concat!(
                "SELECT first_item, body FROM ",
                $table,
                " WHERE job_id = $1 AND first_item <= $2 ORDER BY first_item DESC LIMIT 1"
            ),
            from: concat!(
                "SELECT first_item, body FROM ",
                $table,
                " WHERE job_id = $1 AND first_item >= $2 ORDER BY first_item LIMIT 64"
            ),
            rewrite: concat!(
                "UPDATE ",
                $table,
                " SET body = $3 WHERE job_id = $1 AND first_item = $2"
            ),
            drop: concat!("DELETE FROM ", $table, " WHERE job_id = $1 AND first_item = $2"),
        }
    };
}

/// What was delivered.
pub(crate) const RESULTS: Shelf = shelf!("segments");
/// What was left out.
pub(crate) const SKIPPED: Shelf = shelf!("skip_segments");

impl Shelf {
    /// Adds a segment whose first line has this number.
    pub async fn add(
        &self,
        tx: &mut Transaction<'static, Any>,
        job: &JobId,
        first_item: u64,
        segment: Segment,
    ) -> Result<(), StoreError> {
        sqlx::query(self.insert)
            .bind(job.as_str())
            .bind(signed(first_item))
            .bind(signed(segment.count as u64))
            .bind(segment.bytes)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }

    /// The lines with these numbers, as far as they are there.
    pub async fn lines(
        &self,
        reader: &AnyPool,
        job: &JobId,
        numbers: Range<u64>,
    ) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(self.holding)
            .bind(job.as_str())
            .bind(signed(numbers.start))
            .bind(signed(numbers.end))
            .fetch_all(reader)
            .await?;
        let mut lines = Vec::new();
        for row in &rows {
            lines.extend(unpack(row, &numbers)?);
        }
        Ok(lines)
    }

    /// Those of the lines with these numbers that stand in the row of the first of them: a
    /// row is unpacked once by whoever reads all of them.
    pub async fn lines_of_row(
        &self,
        reader: &AnyPool,
        job: &JobId,
        numbers: &Range<u64>,
    ) -> Result<Vec<String>, StoreError> {
        let row = sqlx::query(self.at)
            .bind(job.as_str())
            .bind(signed(numbers.start))
            .fetch_optional(reader)
            .await?;
        row.map_or_else(|| Ok(Vec::new()), |row| Ok(unpack(&row, numbers)?.collect()))
    }
}

impl Shelf {
    /// The row that holds the line with this number, as the number of its first line and all
    /// its lines.
    pub async fn row_of(
        &self,
        executor: impl AnyExecutor<'_>,
        job: &JobId,
        number: u64,
    ) -> Result<Option<(u64, Vec<String>)>, StoreError> {
        let query = sqlx::query(self.at).bind(job.as_str()).bind(signed(number));
        let Some(row) = query.fetch_optional(executor).await? else { return Ok(None) };
        let lines = Segment::lines(&row.try_get::<Vec<u8>, _>("body")?)?;
        let first_item = count(&row, "first_item")?;
        Ok((first_item + lines.len() as u64 > number).then_some((first_item, lines)))
    }

    /// Writes other lines in place of those of a row: as many as there were.
    pub async fn rewrite(
        &self,
        tx: &mut Transaction<'static, Any>,
        job: &JobId,
        first_item: u64,
        lines: &[String],
    ) -> Result<(), StoreError> {
        let segment = Segment::pack_lines(lines)?;
        sqlx::query(self.rewrite)
            .bind(job.as_str())
            .bind(signed(first_item))
            .bind(segment.bytes)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }
}

/// The lines of a row that have these numbers.
fn unpack(row: &AnyRow, numbers: &Range<u64>) -> Result<impl Iterator<Item = String>, StoreError> {
    let packed = Segment::lines(&row.try_get::<Vec<u8>, _>("body")?)?;
    let numbered = (count(row, "first_item")?..).zip(packed);
    Ok(numbered.filter(|(n, _)| numbers.contains(n)).map(|(_, line)| line))
}

/// The lines of the first rows that make a merged segment, and the numbers of their first lines.
fn first_lines(rows: &[AnyRow]) -> Result<(Vec<String>, Vec<u64>), StoreError> {
    let (mut lines, mut bytes, mut joined) = (Vec::new(), 0, Vec::new());
    for row in rows {
        let body: Vec<u8> = row.try_get("body")?;
        bytes += body.len();
        lines.extend(Segment::lines(&body)?);
        joined.push(count(row, "first_item")?);
        if lines.len() >= MERGED_LINES || bytes >= MERGED_BYTES {
            break;
        }
    }
    Ok((lines, joined))
}

impl Store {
    /// Joins the small segments of a finished run, a few at a time, so that reading it
    /// costs less. Stopping half-way does no harm.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn merge_segments(&self, job: &JobId) -> Result<(), StoreError> {
        for shelf in [RESULTS, SKIPPED] {
            self.merge(&shelf, job).await?;
        }
        Ok(())
    }

    async fn merge(&self, shelf: &Shelf, job: &JobId) -> Result<(), StoreError> {
        let mut from = 0_u64;
        loop {
            let mut tx = self.begin().await?;
            // Whoever erases somebody from these rows holds the job as well.
            sqlx::query(job_row::HOLD).bind(job.as_str()).execute(&mut *tx).await?;
            let rows = sqlx::query(shelf.from)
                .bind(job.as_str())
                .bind(signed(from))
                .fetch_all(&mut *tx)
                .await?;
            let (lines, joined) = off_runtime(|| first_lines(&rows))?;
            let Some(&first_item) = joined.first() else { return Ok(()) };
            from = first_item + lines.len() as u64;
            if joined.len() == 1 {
                continue;
            }
            for old in &joined {
                let drop_old = sqlx::query(shelf.drop).bind(job.as_str()).bind(signed(*old));
                drop_old.execute(&mut *tx).await?;
            }
            let merged = off_runtime(|| Segment::pack_lines(&lines))?;
            shelf.add(&mut tx, job, first_item, merged).await?;
            tx.commit().await?;
        }
    }
}
