//! Deletion of a finished job by its owner, with everything that is stored of its run.

use contract::{AccountId, AuditAction, JobId, Millis};
use job::Refusal;

use crate::columns::{ExecuteIn, sql};
use crate::transition::{CommandError, lock};
use crate::{AuditRecord, Store, purge};

impl Store {
    /// Deletes a job that has ended. Its lines of the ledger stay. Running downloads of its results
    /// fail, and undelivered events of the job are deleted.
    ///
    /// # Errors
    /// [`CommandError::NotFound`] if the account has no such job; [`CommandError::Refused`] if it
    /// has not ended.
    pub async fn delete_job(
        &self,
        account: &AccountId,
        id: &JobId,
        now: Millis,
    ) -> Result<(), CommandError> {
        if let Some(job) = self.job_of(account, id).await?
            && job.status.is_final()
        {
            self.delete_run_pages(&job.id).await?;
        }
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, id, Some(account)).await?;
        if !job.status.is_final() {
            let message = format!(
                "only a job that has ended can be deleted: its status is {}; abort it first",
                job.status
            );
            return Err(Refusal::Conflict(message).into());
        }
        for statement in purge::RUN {
            sql!(*statement; job.id).run(&mut tx).await?;
        }
        let record = AuditRecord::of(account, AuditAction::JobDeleted)
            .object("job", id.as_str())
            .detail("mode", job.mode.as_str())
            .detail("results", job.counts.results)
            .at(now);
        self.commit_audited(tx, record).await?;
        Ok(())
    }
}
