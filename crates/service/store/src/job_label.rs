//! Names and tags of jobs, for their owners.

use std::collections::BTreeMap;

use contract::{AccountId, JobId, JobLabels};

use crate::columns::{ReadColumn, sql};
use crate::{Result, Store};

/// Not for a job of another account.
const SET: &str = "INSERT INTO job_labels (job_id, name, tags) SELECT $1, CAST($2 AS TEXT), $3 \
    WHERE EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND account_id = $4) \
    ON CONFLICT (job_id) DO UPDATE SET name = excluded.name, tags = excluded.tags";
const READ: &str = "SELECT l.job_id, l.name, l.tags FROM job_labels l \
    JOIN jobs j ON j.id = l.job_id WHERE j.account_id = $1 AND l.job_id >= $2 AND l.job_id <= $3";

/// Tags are stored with a line break before and after each, so that a pattern finds whole ones.
fn stored(tags: &[String]) -> String {
    if tags.is_empty() { String::new() } else { format!("\n{}\n", tags.join("\n")) }
}

impl Store {
    /// Sets name and tags of a job; false when the account has no such job.
    pub async fn set_job_labels(
        &self,
        account: &AccountId,
        job: &JobId,
        labels: &JobLabels,
    ) -> Result<bool> {
        let JobLabels { name, tags } = labels;
        let tags = stored(tags);
        let changed = self.execute(sql!(SET; job, name, tags, account)).await?;
        Ok(changed > 0)
    }

    /// Names and tags of those jobs of an account that have any.
    pub async fn job_labels(
        &self,
        account: &AccountId,
        jobs: &[&JobId],
    ) -> Result<BTreeMap<JobId, JobLabels>> {
        let first = jobs.iter().map(|id| id.as_str()).min();
        let last = jobs.iter().map(|id| id.as_str()).max();
        let (Some(first), Some(last)) = (first, last) else { return Ok(BTreeMap::new()) };
        let rows = sql!(READ; account, first, last).fetch_all(self.reader()?).await?;
        let mut found = BTreeMap::new();
        for row in &rows {
            let tags: String = row.read("tags")?;
            let tags = tags.lines().filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
            found.insert(row.read("job_id")?, JobLabels { name: row.read("name")?, tags });
        }
        Ok(found)
    }
}
