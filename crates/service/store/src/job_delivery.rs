//! Deliveries of a webhook of a job that report no event: the start of the job and its results. Their
//! bodies are made when they are sent, so that a result is stored once and its redaction applies.
//!
//! A webhook in another format than that of the API gets the start first, then the results, and the
//! end of the job after all of them: see `is_next` in `endpoint_lease.rs`.

use std::ops::Range;

use contract::{DeliveryId, EventId, JobId, Millis, WebhookFormat};
use job::Job;
use serde_json::Value;

use crate::columns::{ExecuteIn, Tx, sql};
use crate::{Result, Store, Wake, random};

/// The part of a job that a delivery reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobPart {
    Start,
    /// A result, by its number from 0.
    Result(u64),
}

/// `item` of the start of a job.
const START: i64 = -1;

const INSERT: &str = "INSERT INTO deliveries (webhook_id, id, event_id, job_id, kind, state, \
    manual, attempts, history, due_at, created_at, item) \
    SELECT w.id, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($1 AS TEXT), CAST($4 AS TEXT), \
    'pending', 0, 0, '[]', CAST($5 AS BIGINT), CAST($5 AS BIGINT), CAST($6 AS BIGINT) \
    FROM webhooks w WHERE w.job_id = CAST($1 AS TEXT) AND w.active = 1";

impl JobPart {
    /// The part that `item` of a delivery names.
    pub(crate) fn of_item(item: i64) -> Self {
        u64::try_from(item).map_or(Self::Start, Self::Result)
    }
}

impl Store {
    /// A result of a job by its number; `None` if there is none.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the database fails or a segment is damaged.
    pub async fn result(&self, job: &JobId, number: u64) -> Result<Option<Value>> {
        Ok(self.results(job, number, 1).await?.items.pop())
    }

    /// Queues the start of a job for its webhook, if its format reports that.
    pub(crate) async fn report_start(&self, tx: &mut Tx, job: &Job, now: Millis) -> Result<()> {
        let format = job.webhook.as_ref().map(contract::JobWebhook::format);
        if format == Some(WebhookFormat::Firecrawl) {
            insert(tx, &job.id, "job.started", START, now).await?;
        }
        Ok(())
    }

    /// Queues a delivery for each of the results, if the job's webhook takes them. Returns whether
    /// there are any: then the caller sends [`Wake::Delivery`] after its commit.
    pub(crate) async fn report_results(
        &self,
        tx: &mut Tx,
        job: &Job,
        results: Range<u64>,
        now: Millis,
    ) -> Result<bool> {
        if !job.webhook.as_ref().is_some_and(|webhook| webhook.results) {
            return Ok(false);
        }
        let mut any = false;
        for number in results {
            let item = i64::try_from(number).unwrap_or(i64::MAX);
            // Nothing is queued for a webhook that was disabled.
            if !insert(tx, &job.id, "job.result", item, now).await? {
                return Ok(any);
            }
            any = true;
        }
        if any {
            self.notify_nodes(tx, Wake::Delivery).await?;
        }
        Ok(any)
    }
}

async fn insert(tx: &mut Tx, job: &JobId, kind: &str, item: i64, now: Millis) -> Result<bool> {
    let (id, event) = (DeliveryId::new(now, random()), EventId::new(now, random()));
    Ok(sql!(INSERT; job, id, event, kind, now, item).run(tx).await? > 0)
}
