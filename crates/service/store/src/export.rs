//! Export links: signed tickets that allow one download before they expire.

use contract::{AccountId, AuditAction, ExportFormat, ExportId, JobId, Millis};

use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::{AuditRecord, Result, Store, random};

const INSERT: &str = "INSERT INTO exports (id, job_id, format, expires_at, part, filter) \
    VALUES ($1, $2, $3, $4, $5, $6)";
/// Locks the job's row: its deletion deletes this ticket too, or makes this update no row.
const LOCK_JOB: &str = "UPDATE jobs SET revision = revision WHERE id = $1 RETURNING account_id";
const READ: &str = "SELECT job_id, format, expires_at, used_at, part, filter FROM exports \
    WHERE id = $1";
/// Of concurrent downloads, only one updates the row.
const CLAIM: &str = "UPDATE exports SET used_at = $2 \
    WHERE id = $1 AND used_at IS NULL AND expires_at > $2 RETURNING job_id";
const OWNER: &str = "SELECT account_id FROM jobs WHERE id = $1";
const RELEASE: &str = "UPDATE exports SET used_at = NULL WHERE id = $1";

/// The part of the results of a job that is exported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportPart<'a> {
    /// The table of the job; `None` for all of them.
    pub table: Option<&'a str>,
    /// The conditions that items must meet, in a form that the API reads; `None` for all items.
    pub filter: Option<&'a str>,
}

/// The id of an export and its signature.
#[derive(Clone, PartialEq, Eq)]
pub struct ExportTicket(String);

impl ExportTicket {
    /// The text of the ticket, for the download URL.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

runtime::partial_debug!(ExportTicket);

/// The state of an export ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportTicketState {
    /// The export can be downloaded.
    Ready {
        id: ExportId,
        job: JobId,
        format: ExportFormat,
        /// The table of the job to export; `None` for all of them.
        table: Option<String>,
        /// [`ExportPart::filter`] of the request.
        filter: Option<String>,
    },
    /// The download was started before.
    Used,
    /// The ticket has expired.
    Expired,
    /// The signature does not match.
    Invalid,
}

impl Store {
    /// Creates a ticket for the results of a job; `None` when the job was deleted.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the database fails, or when no `secret_key` is configured.
    pub async fn create_export(
        &self,
        job: &JobId,
        format: ExportFormat,
        part: ExportPart<'_>,
        now: Millis,
        expires_at: Millis,
    ) -> Result<Option<ExportTicket>> {
        let id = ExportId::new(now, random());
        let ticket = ExportTicket(format!("{id}.{}", self.secret_key()?.sign_export(&id)));
        let mut tx = self.begin().await?;
        let owner = sql!(LOCK_JOB; job).fetch_optional(&mut *tx).await?;
        let Some(owner) = owner else { return Ok(None) };
        let ExportPart { table, filter } = part;
        sql!(INSERT; id, job, format, expires_at, table, filter).run(&mut tx).await?;
        let owner: AccountId = owner.read("account_id")?;
        let record = AuditRecord::of(&owner, AuditAction::ExportCreated)
            .object("job", job.as_str())
            .detail("format", format.as_str())
            .at(now);
        self.commit_audited(tx, record).await?;
        Ok(Some(ticket))
    }

    /// The state of a ticket, without using it up.
    pub async fn export(&self, ticket: &str, now: Millis) -> Result<ExportTicketState> {
        let Some((id, signature)) = ticket.split_once('.') else {
            return Ok(ExportTicketState::Invalid);
        };
        let Ok(id) = id.parse::<ExportId>() else { return Ok(ExportTicketState::Invalid) };
        if !self.secret_keys()?.any(|key| key.verify_export(&id, signature)) {
            return Ok(ExportTicketState::Invalid);
        }
        let row = sql!(READ; id).fetch_optional(self.reader()?).await?;
        // The signature is valid: the ticket existed and was purged.
        let Some(row) = row else { return Ok(ExportTicketState::Expired) };
        if row.read::<Option<i64>>("used_at")?.is_some() {
            return Ok(ExportTicketState::Used);
        }
        if row.read::<i64>("expires_at")? <= now.0 {
            return Ok(ExportTicketState::Expired);
        }
        let format = row.read::<ExportFormat>("format")?;
        let (job, table) = (row.read("job_id")?, row.read("part")?);
        let filter = row.read("filter")?;
        Ok(ExportTicketState::Ready { id, job, format, table, filter })
    }

    /// Claims a ticket for a download; false when it was claimed before or has expired.
    pub async fn claim_export(&self, id: &ExportId, now: Millis) -> Result<bool> {
        let mut tx = self.begin().await?;
        let claim = sql!(CLAIM; id, now);
        let Some(row) = claim.fetch_optional(&mut *tx).await? else { return Ok(false) };
        let job: JobId = row.read("job_id")?;
        let owner = sql!(OWNER; job).fetch_optional(&mut *tx).await?;
        if let Some(owner) = owner {
            let owner: AccountId = owner.read("account_id")?;
            let record = AuditRecord::of(&owner, AuditAction::ExportDownloaded)
                .object("job", job.as_str())
                .at(now);
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Releases a claimed ticket after a download that sent nothing.
    pub async fn release_export(&self, id: &ExportId) -> Result<()> {
        self.execute(sql!(RELEASE; id)).await.map(drop)
    }
}
