//! The log of requests of a run: the newest ones, for people. No run depends on it.

use contract::{EventId, JobId, Millis, RequestLogLine};

use crate::columns::{ExecuteIn, scalar, sql};
use crate::{Result, Store, random};

/// Maximum rows of a run; older ones are deleted.
const MAX_ROWS: i64 = 40;

/// Maximum bytes of a row; further lines are dropped.
const ROW_BYTES: usize = 64 * 1024;

/// Not for a job that has ended: it may be deleted meanwhile.
const INSERT: &str = "INSERT INTO request_log (job_id, id, lines) SELECT $1, $2, $3 \
    WHERE EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND active = 1)";
const TRIM: &str = "DELETE FROM request_log WHERE job_id = $1 AND id < (SELECT MIN(id) FROM \
    (SELECT id FROM request_log WHERE job_id = $1 ORDER BY id DESC LIMIT $2) AS newest)";
const READ: &str = "SELECT lines FROM request_log WHERE job_id = $1 ORDER BY id DESC LIMIT $2";

impl Store {
    /// Appends requests to the log of an unfinished job, without what opt-outs cover.
    pub async fn append_request_log(
        &self,
        job: &JobId,
        requests: &[RequestLogLine],
        now: Millis,
    ) -> Result<()> {
        let mut lines = String::new();
        for request in requests {
            let Ok(line) = serde_json::to_string(request) else { continue };
            if lines.len() + line.len() >= ROW_BYTES {
                break;
            }
            lines.push_str(&line);
            lines.push('\n');
        }
        if lines.is_empty() {
            return Ok(());
        }
        let mut tx = self.begin().await?;
        let list = self.current_opt_outs(&mut tx).await?;
        let lines = list.redact(&lines).unwrap_or(lines);
        let id = EventId::new(now, random());
        sql!(INSERT; job, id, lines).run(&mut tx).await?;
        sql!(TRIM; job, MAX_ROWS).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// The newest requests of a job, newest first.
    pub async fn request_log(&self, job: &JobId) -> Result<Vec<RequestLogLine>> {
        let rows: Vec<String> = scalar!(READ; job, MAX_ROWS).fetch_all(self.reader()?).await?;
        let lines = rows.iter().flat_map(|row| row.lines().rev());
        Ok(lines.filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}
