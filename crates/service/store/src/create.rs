//! Creation of a job with its idempotency row, shards, reservation and acceptance, in one
//! transaction.

use std::collections::BTreeMap;

use contract::{
    Credits, IfBusy, JobAccepted, JobId, Millis, SecretText, ShardId, SiteAccess, Status,
};
use job::{JobCommand, JobDraft, JobEffect, Refusal, decide};

use urls::{CanonicalUrl, split_by_site};

use crate::account_lock::{LockedAccount, lock_account};
use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::idempotency::{self, IdempotencyKey, Replay};
use crate::{
    NewAcceptance, Result, Store, StoreError, Wake, WebhookSecret, acceptance, job_row,
    job_secrets, limits, list_shard, random, url_list,
};

/// A validated job request.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub draft: JobDraft,
    /// The URLs of the list in the order of the client, each once; empty without a list.
    pub urls: Vec<CanonicalUrl>,
    /// The host that the run fetches from; only one node at a time may lease it.
    pub host: String,
    pub idempotency: Option<IdempotencyKey>,
    /// How the run gets at the pages of its site, with its secrets. The draft has them hidden.
    pub access: SiteAccess,
    /// The accepted lawful basis, for modes that require one.
    pub acceptance: Option<NewAcceptance>,
    /// The key of the signatures of deliveries to the webhook of the draft.
    pub webhook_secret: Option<WebhookSecret>,
    /// The headers of these deliveries, which the draft has hidden.
    pub webhook_headers: BTreeMap<String, SecretText>,
    /// Whether the job waits while another run of the account is on its site.
    pub if_busy: IfBusy,
}

/// A created job, or the stored response to an earlier request with the same idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedJob {
    pub accepted: JobAccepted,
    /// Whether this is the response to an earlier request.
    pub replayed: bool,
}

/// The outcome of [`Store::create_job`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Creation {
    Created(CreatedJob),
    /// The `Idempotency-Key` was used with another body.
    BodyMismatch,
    /// The account has an unfinished run for this site.
    SiteBusy {
        job: JobId,
        status: Status,
    },
    /// The account has reached [`crate::StoreSettings::queued_jobs`].
    QueueFull,
    /// The uploaded list of the draft does not exist, has expired or was deleted.
    ListGone,
    /// The account is suspended.
    Suspended,
    /// [`decide`] refuses the creation.
    Refused(Refusal),
}

/// The runs of a site, those that are at work before those that wait. A run without credits does not
/// block its site.
const SITE_BUSY: &str = "SELECT id, status FROM jobs \
    WHERE account_id = $1 AND site_key = $2 AND active = 1 \
    AND NOT (status = 'paused' AND COALESCE(waits_for, '') = 'credits') \
    ORDER BY admitted DESC, id LIMIT 1";
const WAITING: &str = "SELECT COUNT(*) FROM jobs \
    WHERE account_id = $1 AND active = 1 AND status IN ('queued', 'running')";
const RESERVE: &str = "UPDATE accounts SET reserved = reserved + $2 \
    WHERE id = $1 AND balance - reserved >= $2";
const INSERT_SHARD: &str = "INSERT INTO shards (id, job_id, number, host, state, epoch, head, \
    snapshot_seq, snapshot_bytes, log_bytes, lease_until, queued_at, deaths) \
    VALUES ($1, $2, $3, $4, 'open', 0, 0, 0, 0, 0, 0, $5, 0)";

impl Store {
    /// Creates a job, or returns why it cannot be created.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when a request with the same idempotency key is still in progress
    /// after five seconds; another [`StoreError`] when the database fails.
    pub async fn create_job(&self, new: &NewJob, now: Millis) -> Result<Creation> {
        let account = &new.draft.account;
        let mut tx = self.begin().await?;
        let held = lock_account(&mut tx, account).await?.ok_or(StoreError::AccountClosed)?;
        // A repeated request gets the first response, whatever has changed since.
        if let Some(key) = &new.idempotency {
            match idempotency::find(&mut *tx, account, key, now).await? {
                Replay::New => {}
                Replay::BodyMismatch => return Ok(Creation::BodyMismatch),
                Replay::Answered(accepted) => {
                    return Ok(Creation::Created(CreatedJob { accepted, replayed: true }));
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
        // A webhook in the format of Firecrawl is sent the start of the job.
        let wakes = [Wake::Work, Wake::Delivery];
        let wakes = if new.webhook_secret.is_some() { &wakes[..] } else { &wakes[..1] };
        self.commit_and_notify(tx, wakes).await?;
        Ok(Creation::Created(CreatedJob { accepted, replayed: false }))
    }

    /// Inserts a job with its rows, or returns why it cannot be created and inserts nothing. The
    /// caller holds the account's row and wakes the workers.
    pub(crate) async fn create_in(
        &self,
        tx: &mut Tx,
        new: &NewJob,
        held: LockedAccount,
        now: Millis,
    ) -> Result<Result<JobAccepted, Creation>> {
        let ahead = match (&new.draft.site_key, new.if_busy) {
            (Some(site_key), IfBusy::Queue) => {
                run_on_site(tx, new.draft.account.as_str(), site_key).await?
            }
            (Some(_), IfBusy::Reject) | (None, _) => None,
        };
        let mut created = self.insert_job(tx, new, held, now).await?;
        if let Ok(accepted) = &mut created {
            self.hold_back_created(tx, &accepted.job_id).await?;
            accepted.waits_for_job = ahead.map(|(job, _)| job);
        }
        Ok(created)
    }

    async fn insert_job(
        &self,
        tx: &mut Tx,
        new: &NewJob,
        LockedAccount { available, suspended }: LockedAccount,
        now: Millis,
    ) -> Result<Result<JobAccepted, Creation>> {
        if suspended {
            return Ok(Err(Creation::Suspended));
        }
        let JobDraft { account, creator, .. } = &new.draft;
        let budget = limits::remaining(tx, account, creator.as_ref(), now).await?;
        let covered = budget.map_or(available, |budget| budget.min(available).max(Credits::ZERO));
        let command = JobCommand::Create { draft: Box::new(new.draft.clone()), available: covered };
        let decision = match decide(None, &command, self.rates(), now) {
            Ok(decision) => decision,
            Err(refusal @ Refusal::InsufficientCredits { .. }) => {
                let refusal = budget_refusal(refusal, available);
                let busy = self.busy(tx, new).await?;
                return Ok(Err(busy.unwrap_or(Creation::Refused(refusal))));
            }
            Err(refusal) => return Ok(Err(Creation::Refused(refusal))),
        };
        if let Some(busy) = self.busy(tx, new).await? {
            return Ok(Err(busy));
        }
        if let Some(list) = &new.draft.list
            && !url_list::mark_used(tx, account, list, now).await?
        {
            return Ok(Err(Creation::ListGone));
        }
        for effect in &decision.effects {
            if let JobEffect::Reserve(amount) = effect {
                sql!(RESERVE; new.draft.account, amount).run(tx).await?;
                let reserved = (Credits::ZERO, *amount);
                if !limits::charge(tx, account, creator.as_ref(), reserved, now).await? {
                    return Err(StoreError::Damaged("a budget changed under its lock".to_owned()));
                }
            }
        }
        job_row::insert(tx, &decision.job).await?;
        if new.access.has_secrets() {
            job_secrets::insert(self, tx, &decision.job.id, &new.access).await?;
        }
        if let Some(secret) = &new.webhook_secret {
            let headers = &new.webhook_headers;
            self.insert_job_webhook(tx, &decision.job, (secret, headers), now).await?;
        }
        if let Some(list) = &decision.job.list {
            list_shard::link(tx, &decision.job, list, now).await?;
            return Ok(Ok(decision.job.accepted()));
        }
        if !new.urls.is_empty() {
            let most = usize::try_from(decision.job.requested_urls()).unwrap_or(usize::MAX);
            let urls = new.urls.get(..most).unwrap_or(&new.urls);
            for (number, shard) in (0_u32..).zip(split_by_site(urls)) {
                list_shard::insert(tx, &decision.job.id, number, &shard, now).await?;
            }
            return Ok(Ok(decision.job.accepted()));
        }
        for number in 0..decision.job.shards() {
            let shard = ShardId::new(now, random());
            // A list of domains has no single host: every node may lease a shard of it.
            let many = decision.job.domains.len() > 1;
            let host = if many { shard.as_str() } else { &new.host };
            sql!(INSERT_SHARD; shard, decision.job.id, number, host, now).run(tx).await?;
        }
        if let Some(acceptance) = &new.acceptance {
            acceptance::insert(tx, &new.draft, acceptance, now).await?;
        }
        Ok(Ok(decision.job.accepted()))
    }

    /// Whether the account has a run for the site, or a full queue.
    async fn busy(&self, tx: &mut Tx, new: &NewJob) -> Result<Option<Creation>> {
        let account = new.draft.account.as_str();
        if let (Some(site_key), IfBusy::Reject) = (&new.draft.site_key, new.if_busy)
            && let Some((job, status)) = run_on_site(tx, account, site_key).await?
        {
            return Ok(Some(Creation::SiteBusy { job, status }));
        }
        let waiting: i64 = scalar!(WAITING; account).fetch_one(&mut **tx).await?;
        let settings = &self.inner.settings;
        let limit = i64::from(settings.running_jobs) + i64::from(settings.queued_jobs);
        Ok((waiting >= limit).then_some(Creation::QueueFull))
    }
}

/// The run of the account that blocks the site, if there is one.
async fn run_on_site(
    tx: &mut Tx,
    account: &str,
    site_key: &str,
) -> Result<Option<(JobId, Status)>> {
    let row = sql!(SITE_BUSY; account, site_key).fetch_optional(&mut **tx).await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some((row.read("id")?, row.read("status")?)))
}

/// Turns insufficient credits into an exceeded budget, if the account itself has enough credits.
pub(crate) fn budget_refusal(refusal: Refusal, account_has: Credits) -> Refusal {
    match refusal {
        Refusal::InsufficientCredits { required, available } if required <= account_has => {
            Refusal::BudgetExhausted { required, available }
        }
        other => other,
    }
}
