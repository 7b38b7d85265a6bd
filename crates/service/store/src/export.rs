//! Files that may be taken away, each once and for a while.

use contract::{AuditAction, ExportFormat, ExportId, JobId, Millis};
use sqlx::Row;

use crate::account::account_id;
use crate::{AuditRecord, Store, StoreError, job_row, random};

const INSERT: &str = "INSERT INTO exports (id, job_id, format, expires_at, part) \
    VALUES ($1, $2, $3, $4, $5)";
/// Holds the job's row: its deletion takes this ticket with it, or comes first.
const HOLD_JOB: &str = "UPDATE jobs SET revision = revision WHERE id = $1 RETURNING account_id";
const READ: &str = "SELECT job_id, format, expires_at, used_at, part FROM exports WHERE id = $1";
/// Of several that come at once, one finds it unused.
const TAKE: &str = "UPDATE exports SET used_at = $2 \
    WHERE id = $1 AND used_at IS NULL AND expires_at > $2 RETURNING job_id";
const OWNER: &str = "SELECT account_id FROM jobs WHERE id = $1";
const GIVE_BACK: &str = "UPDATE exports SET used_at = NULL WHERE id = $1";

/// The name of a file and the proof that we gave it out.
#[derive(Clone, PartialEq, Eq)]
pub struct ExportTicket(String);

impl ExportTicket {
    /// The ticket as text, for an address.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ExportTicket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ExportTicket(…)")
    }
}

/// A file as a ticket names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exported {
    /// It may be taken.
    Ready {
        /// To take it by.
        id: ExportId,
        /// Whose results it holds.
        job: JobId,
        /// What it is.
        format: ExportFormat,
        /// Which of the job's tables it holds, where that was said.
        table: Option<String>,
    },
    /// It was taken before.
    Used,
    /// Its time is over.
    Expired,
    /// Nobody gave out such a ticket.
    Altered,
}

impl Store {
    /// Gives out a ticket for the results of a job; `None` when the job was deleted.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails, or when there is no key to sign with.
    pub async fn create_export(
        &self,
        job: &JobId,
        format: ExportFormat,
        table: Option<&str>,
        now: Millis,
        expires_at: Millis,
    ) -> Result<Option<ExportTicket>, StoreError> {
        let id = ExportId::new(now, random());
        let ticket = ExportTicket(format!("{id}.{}", self.secret_key()?.sign_export(&id)));
        let mut tx = self.begin().await?;
        let owner = sqlx::query(HOLD_JOB).bind(job.as_str()).fetch_optional(&mut *tx).await?;
        let Some(owner) = owner else { return Ok(None) };
        sqlx::query(INSERT)
            .bind(id.as_str())
            .bind(job.as_str())
            .bind(format.as_str())
            .bind(expires_at.0)
            .bind(table)
            .execute(&mut *tx)
            .await?;
        let owner = account_id(&owner, "account_id")?;
        let record = AuditRecord::of(&owner, AuditAction::ExportCreated)
            .object("job", job.as_str())
            .detail("format", format.as_str())
            .at(now);
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        Ok(Some(ticket))
    }

    /// What a ticket is good for. Looking at it uses nothing up.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn export(&self, ticket: &str, now: Millis) -> Result<Exported, StoreError> {
        let Some((id, signature)) = ticket.split_once('.') else { return Ok(Exported::Altered) };
        let Ok(id) = id.parse::<ExportId>() else { return Ok(Exported::Altered) };
        if !self.secret_key()?.signed_export(&id, signature) {
            return Ok(Exported::Altered);
        }
        let row = sqlx::query(READ).bind(id.as_str()).fetch_optional(self.reader()?).await?;
        // It bears our signature: it was there once.
        let Some(row) = row else { return Ok(Exported::Expired) };
        if row.try_get::<Option<i64>, _>("used_at")?.is_some() {
            return Ok(Exported::Used);
        }
        if row.try_get::<i64, _>("expires_at")? <= now.0 {
            return Ok(Exported::Expired);
        }
        let format = job_row::word(&row, "format", |name| name.parse::<ExportFormat>().ok())?;
        let (job, table) = (job_row::job_id(&row, "job_id")?, row.try_get("part")?);
        Ok(Exported::Ready { id, job, format, table })
    }

    /// Takes a file; false when somebody else was quicker, or when its time is over.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn take_export(&self, id: &ExportId, now: Millis) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let taken = sqlx::query(TAKE).bind(id.as_str()).bind(now.0);
        let Some(row) = taken.fetch_optional(&mut *tx).await? else { return Ok(false) };
        let job = job_row::job_id(&row, "job_id")?;
        let owner = sqlx::query(OWNER).bind(job.as_str()).fetch_optional(&mut *tx).await?;
        if let Some(owner) = owner {
            let owner = account_id(&owner, "account_id")?;
            let record = AuditRecord::of(&owner, AuditAction::ExportDownloaded)
                .object("job", job.as_str())
                .at(now);
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Makes good a taking of which nothing came.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn give_back_export(&self, id: &ExportId) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(GIVE_BACK).bind(id.as_str()).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }
}
