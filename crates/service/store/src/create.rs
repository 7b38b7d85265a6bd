//! The creation of a job: idempotency row, job, shards, reservation and what was accepted for
//! it, at once.

use contract::{AccountId, Credits, JobAccepted, JobId, Millis, ShardId, Status};
use job::{Command, Draft, Effect, Refusal, decide};
use sqlx::{Any, Row, Transaction};

use crate::idempotency::{self, IdempotencyKey, Replay};
use crate::{NewAcceptance, Store, StoreError, Wake, acceptance, job_row, limits, random};

/// A checked request.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub draft: Draft,
    /// The host that its shard speaks to: politeness among nodes goes by it.
    pub host: String,
    pub idempotency: Option<IdempotencyKey>,
    /// The lawful basis that was confirmed, where the mode asks for one.
    pub acceptance: Option<NewAcceptance>,
}

/// A job that was created, now or before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    pub accepted: JobAccepted,
    /// Whether it is the answer to an earlier request.
    pub replayed: bool,
}

/// What became of a creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Creation {
    /// There is a job.
    Created(Created),
    /// The `Idempotency-Key` was used for another body.
    OtherBody,
    /// The account has a run for this site.
    SiteBusy {
        /// That run.
        job: JobId,
        /// Where it stands.
        status: Status,
    },
    /// As many jobs wait as may wait.
    QueueFull,
    /// The account is suspended.
    Suspended,
    /// The state machine says no.
    Refused(Refusal),
}

/// Creations of one account come one after the other: balance, queue, site and twins
/// are judged as they are. A twin of a request in flight waits here for its answer.
const LOCK_ACCOUNT: &str = "UPDATE accounts SET balance = balance \
    WHERE id = $1 AND deleted_at IS NULL RETURNING balance - reserved AS available, suspended_at";
const SITE_BUSY: &str = "SELECT id, status FROM jobs \
    WHERE account_id = $1 AND site_key = $2 AND active = 1";
const WAITING: &str = "SELECT COUNT(*) FROM jobs \
    WHERE account_id = $1 AND active = 1 AND status IN ('queued', 'running')";
const RESERVE: &str = "UPDATE accounts SET reserved = reserved + $2 \
    WHERE id = $1 AND balance - reserved >= $2";
const INSERT_SHARD: &str = "INSERT INTO shards (id, job_id, number, host, state, epoch, head, \
    snapshot_seq, snapshot_bytes, log_bytes, lease_until, queued_at, deaths) \
    VALUES ($1, $2, $3, $4, 'open', 0, 0, 0, 0, 0, 0, $5, 0)";

impl Store {
    /// Creates a job, or tells why not.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when a twin of the request is still in flight after
    /// five seconds; another [`StoreError`] when the database fails.
    pub async fn create_job(&self, new: &NewJob, now: Millis) -> Result<Creation, StoreError> {
        let account = &new.draft.account;
        let mut tx = self.begin().await?;
        let held = lock_account(&mut tx, account).await?.ok_or(StoreError::AccountClosed)?;
        // An answer that was given once is given again, whatever has changed since.
        if let Some(key) = &new.idempotency {
            match idempotency::find(&mut *tx, account, key, now).await? {
                Replay::New => {}
                Replay::OtherBody => return Ok(Creation::OtherBody),
                Replay::Answered(accepted) => {
                    return Ok(Creation::Created(Created { accepted, replayed: true }));
                }
            }
        }
        let accepted = match self.create_in(&mut tx, new, held, now).await? {
            Ok(accepted) => accepted,
            Err(refused) => return Ok(refused),
        };
        if let Some(key) = &new.idempotency {
            idempotency::insert(&mut tx, account, key, &accepted, now).await?;
        }
        self.announce(&mut tx, Wake::Work).await?;
        tx.commit().await?;
        self.wake_here(Wake::Work);
        Ok(Creation::Created(Created { accepted, replayed: false }))
    }

    /// Writes a job down with all that belongs to it, or tells what stands in its way: then
    /// nothing was written. Whoever calls holds the account's row, and wakes the workers.
    pub(crate) async fn create_in(
        &self,
        tx: &mut Transaction<'static, Any>,
        new: &NewJob,
        HeldAccount { available, suspended }: HeldAccount,
        now: Millis,
    ) -> Result<Result<JobAccepted, Creation>, StoreError> {
        if suspended {
            return Ok(Err(Creation::Suspended));
        }
        let Draft { account, creator, .. } = &new.draft;
        let budget = limits::left(tx, account, creator.as_ref(), now).await?;
        let covered = budget.map_or(available, |budget| budget.min(available).max(Credits::ZERO));
        let command = Command::Create { draft: Box::new(new.draft.clone()), available: covered };
        let decision = match decide(None, &command, self.rates(), now) {
            Ok(decision) => decision,
            Err(refusal @ Refusal::InsufficientCredits { .. }) => {
                let refusal = of_budget(refusal, available);
                let busy = self.busy(tx, new).await?;
                return Ok(Err(busy.unwrap_or(Creation::Refused(refusal))));
            }
            Err(refusal) => return Ok(Err(Creation::Refused(refusal))),
        };
        if let Some(busy) = self.busy(tx, new).await? {
            return Ok(Err(busy));
        }
        for effect in &decision.effects {
            if let Effect::Reserve(amount) = effect {
                sqlx::query(RESERVE)
                    .bind(new.draft.account.as_str())
                    .bind(amount.0)
                    .execute(&mut **tx)
                    .await?;
                let reserved = (Credits::ZERO, *amount);
                if !limits::book(tx, account, creator.as_ref(), reserved, now).await? {
                    return Err(StoreError::Damaged("a budget changed under its lock".to_owned()));
                }
            }
        }
        job_row::insert(tx, &decision.job).await?;
        for number in 0..decision.job.shards() {
            let shard = ShardId::new(now, random());
            // A list of domains has no host that it speaks to: every node may take a part.
            let many = decision.job.domains.len() > 1;
            let host = if many { shard.as_str() } else { &new.host };
            sqlx::query(INSERT_SHARD)
                .bind(shard.as_str())
                .bind(decision.job.id.as_str())
                .bind(i64::from(number))
                .bind(host)
                .bind(now.0)
                .execute(&mut **tx)
                .await?;
        }
        if let Some(acceptance) = &new.acceptance {
            acceptance::keep(tx, &new.draft, acceptance, now).await?;
        }
        Ok(Ok(decision.job.accepted()))
    }

    /// Whether the site or the queue leaves no room.
    async fn busy(
        &self,
        tx: &mut Transaction<'static, Any>,
        new: &NewJob,
    ) -> Result<Option<Creation>, StoreError> {
        let account = new.draft.account.as_str();
        if let Some(site_key) = &new.draft.site_key {
            let row = sqlx::query(SITE_BUSY)
                .bind(account)
                .bind(site_key)
                .fetch_optional(&mut **tx)
                .await?;
            if let Some(row) = row {
                let status: String = row.try_get("status")?;
                return Ok(Some(Creation::SiteBusy {
                    job: job_row::job_id(&row, "id")?,
                    status: status
                        .parse::<Status>()
                        .map_err(|_| StoreError::Damaged(format!("no status: {status}")))?,
                }));
            }
        }
        let waiting: i64 = sqlx::query_scalar(WAITING).bind(account).fetch_one(&mut **tx).await?;
        let settings = &self.inner.settings;
        let room = i64::from(settings.running_jobs) + i64::from(settings.queued_jobs);
        Ok((waiting >= room).then_some(Creation::QueueFull))
    }
}

/// The refusal of a job, with its cause: the budget of its creator, where the account itself has
/// enough.
pub(crate) fn of_budget(refusal: Refusal, account_has: Credits) -> Refusal {
    match refusal {
        Refusal::InsufficientCredits { required, available } if required <= account_has => {
            Refusal::BudgetUsedUp { required, available }
        }
        other => other,
    }
}

/// An account whose row this transaction holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldAccount {
    /// Credits that are neither spent nor reserved.
    pub available: Credits,
    pub suspended: bool,
}

/// Holds the account's row; `None` when the account is deleted.
pub(crate) async fn lock_account(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
) -> Result<Option<HeldAccount>, StoreError> {
    let row = sqlx::query(LOCK_ACCOUNT).bind(account.as_str()).fetch_optional(&mut **tx).await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(HeldAccount {
        available: Credits(row.try_get("available")?),
        suspended: row.try_get::<Option<i64>, _>("suspended_at")?.is_some(),
    }))
}

/// Holds the account's row, or fails when the account is suspended or deleted. Every transaction
/// that inserts rows of an account calls this. A deletion suspends the account in a transaction
/// of its own before it deletes anything, so that each insertion is committed before that and
/// found by the deletion, or fails here.
pub(crate) async fn lock_active_account(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
) -> Result<(), StoreError> {
    match lock_account(tx, account).await? {
        Some(HeldAccount { suspended: false, .. }) => Ok(()),
        Some(HeldAccount { suspended: true, .. }) | None => Err(StoreError::AccountClosed),
    }
}
