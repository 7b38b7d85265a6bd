//! What an account has done so far, for the welcome page.

use contract::{AccountId, JobId};

use crate::columns::{ReadColumn, read_row, sql};
use crate::{Result, Store};

/// The first steps of an account.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FirstSteps {
    /// The newest run on a built-in sample site.
    pub sample_run: Option<JobId>,
    /// Whether there is a run on another site.
    pub has_own_run: bool,
    /// Whether an API key was used, other than that of an assistant.
    pub has_called: bool,
    /// Whether an application is connected, or the key of an assistant was used.
    pub has_assistant: bool,
    pub has_schedule: bool,
}

const STEPS: &str = "SELECT \
    (SELECT id FROM jobs WHERE account_id = $1 AND url LIKE 'http%://%.lab.test/%' \
     ORDER BY id DESC LIMIT 1) AS sample_run, \
    CAST(CASE WHEN EXISTS (SELECT 1 FROM jobs WHERE account_id = $1 \
     AND COALESCE(url, '') NOT LIKE 'http%://%.lab.test/%') THEN 1 ELSE 0 END AS BIGINT) \
     AS has_own_run, \
    CAST(CASE WHEN EXISTS (SELECT 1 FROM keys WHERE account_id = $1 AND source <> 'mcp' \
     AND last_used_at IS NOT NULL) THEN 1 ELSE 0 END AS BIGINT) AS has_called, \
    CAST(CASE WHEN EXISTS (SELECT 1 FROM keys WHERE account_id = $1 AND source = 'mcp' \
     AND last_used_at IS NOT NULL) OR EXISTS (SELECT 1 FROM authorizations \
     WHERE account_id = $1) THEN 1 ELSE 0 END AS BIGINT) AS has_assistant, \
    CAST(CASE WHEN EXISTS (SELECT 1 FROM schedules WHERE account_id = $1) THEN 1 ELSE 0 END \
     AS BIGINT) AS has_schedule";

impl Store {
    /// The first steps of the account, as far as it has taken them.
    pub async fn first_steps(&self, account: &AccountId) -> Result<FirstSteps> {
        let row = sql!(STEPS; account).fetch_one(self.reader()?).await?;
        Ok(read_row!(row => FirstSteps {
            sample_run, has_own_run, has_called, has_assistant, has_schedule
        }))
    }
}
