//! Schedules: create, list, change, remove. `slot.rs` starts their runs.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Range;

use contract::{
    AccountId, AuditAction, Creator, IfBusy, JobId, JobRequest, LastRun, Millis, ScheduleId,
    SiteAccess,
};
use job::JobDraft;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::any::AnyRow;
use urls::CanonicalUrl;

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql, to_json};
use crate::job_row::error_of;
use crate::result_sizes::nth_page;
use crate::secret_key::SealedFor;
use crate::{
    AuditRecord, NewAcceptance, NewJob, PageRequest, Result, Store, creator, job_secrets, random,
};

/// The job that a schedule starts: a validated request and the credential that it is charged to.
/// Stored as JSON in `schedules.standing_order`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScheduledJob {
    #[serde(deserialize_with = "JobRequest::from_stored")]
    pub request: JobRequest,
    /// How the runs get at the pages of their site, with the secrets that `request` hides. Stored
    /// encrypted in `schedules.secrets`.
    #[serde(skip)]
    pub secrets: Option<SiteAccess>,
    /// The channel of the key that created the schedule.
    pub source: String,
    /// The client's spelling of each domain, or of the URL.
    #[serde(default)]
    pub inputs: Vec<String>,
    /// The credential whose budget the runs are charged to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<Creator>,
    /// The client's address, for credentials that are limited to networks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Whether the runs are over built-in sample sites and cost nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    pub site_key: Option<String>,
    /// The first host that a run fetches from.
    pub host: String,
    /// The lawful basis that was accepted for every run, for modes that require one.
    pub acceptance: Option<NewAcceptance>,
}

impl ScheduledJob {
    /// The scheduled job of a validated request.
    #[must_use]
    pub fn of(new: NewJob) -> Self {
        let draft = new.draft;
        let hidden = draft.access;
        Self {
            request: JobRequest {
                mode: draft.mode,
                url: draft.url,
                domains: (!draft.domains.is_empty()).then_some(draft.domains),
                urls: (!new.urls.is_empty())
                    .then(|| new.urls.iter().map(ToString::to_string).collect()),
                scope: draft.scope,
                options: draft.options,
                on_protected: draft.on_protected,
                max_credit_per_unit: draft.ceiling,
                if_busy: (new.if_busy != IfBusy::Reject).then_some(new.if_busy),
                legal_basis_accepted: draft.mode.requires_legal_basis().then_some(true),
                headers: hidden.headers,
                cookies: hidden.cookies,
                basic_auth: hidden.basic_auth,
                bearer: hidden.bearer,
                login: hidden.login,
                render: hidden.render,
                device: hidden.device,
                wait_for: hidden.wait_for,
                actions: hidden.actions,
                formats: hidden.formats,
                screenshot_area: hidden.screenshot_area,
                max_age: hidden.max_age,
                external: draft.external,
                // A list expires, and the secret of a webhook is shown in the answer of its job only.
                list_id: None,
                webhook: None,
            },
            secrets: new.access.has_secrets().then_some(new.access),
            source: draft.source,
            inputs: draft.inputs,
            creator: draft.creator,
            address: None,
            free: draft.free,
            site_key: draft.site_key,
            host: new.host,
            acceptance: new.acceptance,
        }
    }

    /// The request for the next run.
    pub(crate) fn new_job(&self, account: &AccountId, batch_size: u64, now: Millis) -> NewJob {
        let request = self.request.clone();
        let hidden = request.access();
        let urls = request.urls.unwrap_or_default();
        let urls: Vec<_> = urls.iter().filter_map(|url| CanonicalUrl::parse(url).ok()).collect();
        NewJob {
            draft: JobDraft {
                id: JobId::new(now, random()),
                account: account.clone(),
                source: self.source.clone(),
                creator: self.creator.clone(),
                free: self.free,
                mode: request.mode,
                url: request.url,
                domains: request.domains.unwrap_or_default(),
                inputs: self.inputs.clone(),
                listed_urls: urls.len() as u64,
                list: None,
                site_key: self.site_key.clone(),
                scope: request.scope,
                options: request.options,
                on_protected: request.on_protected,
                ceiling: request.max_credit_per_unit,
                external: request.external,
                webhook: None,
                access: hidden.clone(),
                batch_size,
            },
            access: self.secrets.clone().unwrap_or(hidden),
            urls,
            if_busy: request.if_busy.unwrap_or(IfBusy::Reject),
            host: self.host.clone(),
            idempotency: None,
            acceptance: self.acceptance.clone(),
            webhook_secret: None,
            webhook_headers: BTreeMap::new(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct NewSchedule {
    pub name: String,
    pub cron: String,
    pub timezone: String,
    pub job: ScheduledJob,
    pub paused: bool,
    /// The first slot of the schedule.
    pub next_at: Millis,
    /// The key or application that creates it: the creator of `job`.
    pub created_by: Option<Creator>,
}

/// A change of a schedule. `None` keeps the current value.
#[derive(Debug, Clone, Default)]
pub struct ScheduleChange {
    pub name: Option<String>,
    pub cron: Option<String>,
    pub timezone: Option<String>,
    pub job: Option<ScheduledJob>,
    pub paused: Option<bool>,
    pub next_at: Option<Millis>,
    /// The credential that makes the change. A revoked one is rejected.
    pub by: Option<Creator>,
}

impl ScheduleChange {
    /// The audit entry of this change; `None` when nothing differs from `before`.
    fn record(&self, before: &ScheduleRecord) -> Option<AuditRecord> {
        let mut details: Vec<(&str, Value)> = Vec::new();
        for (name, new, old) in [
            ("name", &self.name, &before.name),
            ("cron", &self.cron, &before.cron),
            ("timezone", &self.timezone, &before.timezone),
        ] {
            let new = new.as_deref().filter(|new| new != old);
            details.extend(new.map(|text| (name, Value::from(text))));
        }
        if let Some(job) = self.job.as_ref().filter(|job| **job != before.job) {
            details.push(("mode", job.request.mode.as_str().into()));
            details.push(("host", job.host.as_str().into()));
        }
        let paused = self.paused.filter(|paused| *paused != before.paused);
        details.extend(paused.map(|paused| ("paused", paused.into())));
        if details.is_empty() {
            return None;
        }
        let record = AuditRecord::of(&before.account, AuditAction::ScheduleChanged)
            .object("schedule", before.id.as_str());
        Some(details.into_iter().fold(record, |record, (name, value)| record.detail(name, value)))
    }
}

/// A schedule as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleRecord {
    pub id: ScheduleId,
    pub account: AccountId,
    pub name: String,
    pub cron: String,
    pub timezone: String,
    pub job: ScheduledJob,
    pub paused: bool,
    /// The slot that starts the next run.
    pub next_at: Millis,
    /// The newest run, unless it was purged.
    pub last_run: Option<LastRun>,
    pub created_at: Millis,
    pub created_by: Option<Creator>,
}

/// The columns of a schedule without its newest run.
macro_rules! schedule_columns {
    () => {
        "id, account_id, name, cron, timezone, standing_order, paused, next_at, created_at, created_by, \
         secrets"
    };
}
pub(crate) use schedule_columns;

/// A schedule with its newest run: job ids are in the order of their creation.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT s.id, s.account_id, s.name, s.cron, s.timezone, s.standing_order, s.paused, \
             s.next_at, s.created_at, s.created_by, s.secrets, j.id AS job_id, j.status, j.error_code, j.error_message, \
             j.error_cause, \
             j.created_at AS run_at FROM schedules s LEFT JOIN jobs j ON j.id = \
             (SELECT MAX(r.id) FROM jobs r WHERE r.schedule_id = s.id) WHERE ",
            $rest
        )
    };
}

const COUNT: &str = "SELECT COUNT(*) FROM schedules WHERE account_id = $1";
const INSERT: &str = concat!(
    "INSERT INTO schedules (",
    schedule_columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
);
const BY_ID: &str = select!("s.id = $1");
const LIST: &str = select!("s.account_id = $1 ORDER BY s.id DESC LIMIT $2 OFFSET $3");
const SIZES: &str = "SELECT CAST(OCTET_LENGTH(standing_order) AS BIGINT) FROM schedules \
    WHERE account_id = $1 ORDER BY id DESC";
const LIST_ALL: &str = select!("CAST($1 AS TEXT) IS NULL ORDER BY s.id DESC LIMIT $2 OFFSET $3");
const COUNT_ALL: &str = "SELECT COUNT(*) FROM schedules WHERE CAST($1 AS TEXT) IS NULL";
/// Locks the row and returns it unchanged.
pub(crate) const LOCK: &str = concat!(
    "UPDATE schedules SET paused = paused WHERE id = $1 AND account_id = $2 RETURNING ",
    schedule_columns!()
);
const CHANGE: &str = "UPDATE schedules SET name = COALESCE($3, name), cron = COALESCE($4, cron), \
    timezone = COALESCE($5, timezone), standing_order = COALESCE($6, standing_order), \
    paused = COALESCE($7, paused), next_at = COALESCE($8, next_at), \
    created_by = CASE WHEN CAST($6 AS TEXT) IS NULL THEN created_by ELSE CAST($9 AS TEXT) END, \
    secrets = CASE WHEN CAST($6 AS TEXT) IS NULL THEN secrets ELSE CAST($10 AS blob) END \
    WHERE id = $1 AND account_id = $2";
const REMOVE: &str = "DELETE FROM schedules WHERE id = $1 AND account_id = $2";

impl Store {
    /// Creates a schedule; `None` when the account has reached `StoreSettings::schedules`.
    pub async fn create_schedule(
        &self,
        account: &AccountId,
        new: NewSchedule,
        now: Millis,
    ) -> Result<Option<ScheduleRecord>> {
        let id = ScheduleId::new(now, random());
        let mut tx = self.begin().await?;
        // The lock keeps concurrent creations from exceeding the limit together.
        lock_active_account(&mut tx, account).await?;
        creator::lock_creator(&mut tx, account, new.created_by.as_ref()).await?;
        let count: i64 = scalar!(COUNT; account).fetch_one(&mut *tx).await?;
        if count >= i64::from(self.inner.settings.schedules) {
            return Ok(None);
        }
        let secrets = self.sealed(&mut tx, &id, &new.job).await?;
        sql!(INSERT; id, account, new.name, new.cron, new.timezone, to_json(&new.job)?, new.paused,
            new.next_at, now, new.created_by, secrets)
        .run(&mut tx)
        .await?;
        let record = AuditRecord::of(account, AuditAction::ScheduleCreated)
            .object("schedule", id.as_str())
            .detail("name", new.name.as_str())
            .detail("cron", new.cron.as_str())
            .detail("mode", new.job.request.mode.as_str())
            .detail("host", new.job.host.as_str())
            .detail("paused", new.paused)
            .at(now);
        self.commit_audited(tx, record).await?;
        let NewSchedule { name, cron, timezone, job, paused, next_at, created_by } = new;
        Ok(Some(ScheduleRecord {
            id,
            account: account.clone(),
            name,
            cron,
            timezone,
            job,
            paused,
            next_at,
            last_run: None,
            created_at: now,
            created_by,
        }))
    }

    /// The schedule with this id, of any account.
    pub async fn schedule(&self, id: &ScheduleId) -> Result<Option<ScheduleRecord>> {
        self.fetch_optional(sql!(BY_ID; id), read_with_run).await
    }

    /// The schedule with this id, if it belongs to the account.
    pub async fn schedule_of(
        &self,
        account: &AccountId,
        id: &ScheduleId,
    ) -> Result<Option<ScheduleRecord>> {
        Ok(self.schedule(id).await?.filter(|schedule| schedule.account == *account))
    }

    /// A page of schedules, of one account or of all, newest first, and their total number.
    pub async fn schedules(
        &self,
        account: Option<&AccountId>,
        page: PageRequest,
    ) -> Result<(Vec<ScheduleRecord>, u64)> {
        let reader = self.reader()?;
        let (list, count) = if account.is_some() { (LIST, COUNT) } else { (LIST_ALL, COUNT_ALL) };
        let rows = sql!(list; account, page.size, page.offset()).fetch_all(reader).await?;
        let schedules = rows.iter().map(read_with_run).collect::<Result<_, _>>()?;
        let total: i64 = scalar!(count; account).fetch_one(reader).await?;
        Ok((schedules, u64::try_from(total).unwrap_or(0)))
    }

    /// A page of an account's schedules, newest first, that ends before the one that would exceed
    /// [`crate::PAGE_BYTES`]; the range of their numbers from 0, and their total number.
    pub async fn schedules_on_page(
        &self,
        account: &AccountId,
        page: PageRequest,
    ) -> Result<(Vec<ScheduleRecord>, Range<u64>, u64)> {
        let reader = self.reader()?;
        let sizes: Vec<i64> = scalar!(SIZES; account).fetch_all(reader).await?;
        let sizes: Vec<u32> =
            sizes.into_iter().map(|size| u32::try_from(size).unwrap_or(u32::MAX)).collect();
        let total = sizes.len() as u64;
        let numbers = nth_page(&sizes, total, page);
        let wanted = numbers.end.saturating_sub(numbers.start);
        let rows = sql!(LIST; account, wanted, numbers.start).fetch_all(reader).await?;
        let schedules = rows.iter().map(read_with_run).collect::<Result<_, _>>()?;
        Ok((schedules, numbers, total))
    }

    /// Changes a schedule; `None` when the account has no such schedule.
    pub async fn change_schedule(
        &self,
        account: &AccountId,
        id: &ScheduleId,
        change: &ScheduleChange,
    ) -> Result<Option<ScheduleRecord>> {
        let mut tx = self.begin().await?;
        // The credential that changes the request is charged for the runs from now on.
        let writer = change.job.as_ref().and_then(|job| job.creator.as_ref());
        // Locked in the order of a revocation: credential, schedule.
        creator::lock_creator(&mut tx, account, change.by.as_ref().or(writer)).await?;
        let held = sql!(LOCK; id, account);
        let Some(row) = held.fetch_optional(&mut *tx).await? else { return Ok(None) };
        let before = read(&row)?;
        let secrets = match &change.job {
            Some(job) => self.sealed(&mut tx, id, job).await?,
            None => None,
        };
        sql!(CHANGE; id, account, change.name, change.cron, change.timezone,
            change.job.as_ref().map(to_json).transpose()?, change.paused, change.next_at, writer,
            secrets)
        .run(&mut tx)
        .await?;
        if let Some(record) = change.record(&before) {
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        self.schedule_of(account, id).await
    }

    /// The secrets of a scheduled job, encrypted.
    async fn sealed(
        &self,
        tx: &mut Tx,
        id: &ScheduleId,
        job: &ScheduledJob,
    ) -> Result<Option<Vec<u8>>> {
        let Some(secrets) = &job.secrets else { return Ok(None) };
        job_secrets::seal(self, tx, SealedFor::Schedule(id.as_str()), secrets).await.map(Some)
    }

    /// The schedule of a row, with the secrets of its runs.
    pub(crate) fn read_with_secrets(&self, row: &AnyRow) -> Result<ScheduleRecord> {
        let mut schedule = read(row)?;
        if let Some(sealed) = row.read::<Option<Vec<u8>>>("secrets")? {
            let owner = SealedFor::Schedule(schedule.id.as_str());
            schedule.job.secrets = Some(job_secrets::open(self, owner, &sealed)?);
        }
        Ok(schedule)
    }

    /// Removes a schedule; false when the account has no such schedule. Its runs stay.
    pub async fn remove_schedule(&self, account: &AccountId, id: &ScheduleId) -> Result<bool> {
        let mut tx = self.begin().await?;
        if sql!(REMOVE; id, account).run(&mut tx).await? == 0 {
            return Ok(false);
        }
        let record =
            AuditRecord::of(account, AuditAction::ScheduleRemoved).object("schedule", id.as_str());
        self.commit_audited(tx, record).await?;
        Ok(true)
    }
}

/// A schedule without its newest run.
pub(crate) fn read(row: &AnyRow) -> Result<ScheduleRecord> {
    Ok(read_row!(row => ScheduleRecord {
        id, account = "account_id", name, cron, timezone, paused, next_at, created_at, created_by;
        job: row.read_json("standing_order")?,
        last_run: None,
    }))
}

fn read_with_run(row: &AnyRow) -> Result<ScheduleRecord> {
    let mut schedule = read(row)?;
    if let Some(job_id) = row.read("job_id")? {
        schedule.last_run = Some(LastRun {
            job_id,
            status: row.read("status")?,
            at: row.read("run_at")?,
            error: error_of(row)?,
        });
    }
    Ok(schedule)
}
