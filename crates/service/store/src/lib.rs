//! Persistent state on SQLite or PostgreSQL; the only crate that contains SQL.
//!
//! [`Store`] is the handle. Each file adds the methods of one subject: `create.rs` creates jobs,
//! `queue.rs` and `lease.rs` lease shards, `wake.rs` wakes nodes, `log.rs` appends [`journal::Commit`]s, `endpoint_lease.rs` leases
//! webhook endpoints, `opt_out.rs` and `erase.rs` hold the opt-outs. Rows that belong together are
//! written in one transaction: a job with its reservation and idempotency row, a commit with its
//! results, charge and events.
//!
//! To add a query: put the SQL into a constant beside its caller, in one text for both databases
//! ([`Dialect`] covers what differs), give it its parameters with `sql!` and read its rows with
//! `read_row!` (`columns.rs`), write through `Store::begin` and read through `Store::reader`. A schema
//! change is a new file in `schema/`; released files never change. Tests are in `tests/conformance`
//! and run on both databases.

mod acceptance;
mod access_token;
mod account;
mod account_deletion;
mod account_lock;
mod admission;
mod application;
mod assistant;
mod audit_log;
mod authorization;
mod blob;
mod columns;
mod comparison;
mod copy;
mod create;
mod creator;
mod credential;
mod credential_state;
mod database_url;
mod delivery;
mod device;
mod diagnosis;
mod dialect;
mod endpoint_lease;
mod erase;
mod error;
mod eviction;
mod export;
mod first_steps;
mod idempotency;
mod job_deletion;
mod job_delivery;
mod job_label;
mod job_row;
mod job_secrets;
mod key;
mod key_rotation;
mod lease;
mod ledger;
mod ledger_roll_up;
mod limits;
mod list_shard;
mod listing;
mod log;
mod mail;
mod measured_pool;
mod node;
mod opt_out;
mod outbox;
mod overview;
mod page_call;
mod page_file;
mod page_host;
mod page_read;
mod page_wakes;
mod password_reset;
mod progress;
mod progress_event;
mod purge;
mod queue;
mod raw_page;
mod recharge;
mod redacted_commit;
mod request_log;
mod result_sizes;
mod results;
mod retention;
mod run_file_ticket;
mod run_page;
mod schedule;
mod schema;
mod secret_key;
mod segments;
mod session;
mod shard_end;
mod shard_lease;
mod sign_in;
mod sign_in_link;
mod skipped;
mod skipped_page;
mod slot;
mod support;
mod suspension;
mod template;
mod top_up;
mod transition;
mod url_list;
mod url_search;
mod verify;
mod wake;
mod webhook;

pub use acceptance::{Acceptance, NewAcceptance};
pub use access_token::{ApplicationCaller, TokenRevocation};
pub use account::{AccountRecord, NewAccount};
pub use account_deletion::AccountDeletion;
pub use application::{Application, NewApplication};
pub use audit_log::{AuditFilter, AuditOrigin, AuditRecord};
pub use authorization::{Approval, CodeExchange, IssuedTokens, RefreshExchange, TokenRejection};
pub use blob::{StorageMaintenance, StorageMove, StorageSettings};
pub use copy::{CopiedDatabase, newest_schema};
pub use create::{CreatedJob, Creation, NewJob};
pub use credential::{
    AccessToken, ApplicationSecret, AuthorizationCode, DeviceToken, KeySecret, PasswordError,
    PasswordResetToken, RefreshToken, SessionToken, SignInLink, WebhookSecret, is_key_shaped,
};
pub use credential_state::CredentialId;
pub use database_url::without_password;
pub use diagnosis::{Diagnosis, KeyState};
pub use dialect::Dialect;
use dialect::PoolRole;
pub use endpoint_lease::{
    ClaimedEndpoints, CompletedAttempt, DeliveryOutcome, DueDelivery, DueEndpoints, EndpointLease,
};
pub use erase::{EraseMode, EraseReport};
pub(crate) use error::Result;
pub use error::{PAGE_BYTES, StoreError};
pub use export::{ExportPart, ExportTicket, ExportTicketState};
pub use first_steps::FirstSteps;
pub use idempotency::{IdempotencyKey, PageReplay, Replay};
pub use job_delivery::JobPart;
pub use job_secrets::{JobSecrets, StoredCookie, StoredSession};
pub use key::{KeyCaller, KeyChange, NewKey};
pub use key_rotation::KeyRotation;
pub use lease::CRASHES_BEFORE_ISOLATION;
pub use ledger::LedgerAudit;
pub use limits::LimitChange;
pub use listing::{JobFilter, JobOrder, PageRequest};
pub use log::{Appended, ShardLog};
pub use mail::{MailKind, MailLimits, QueuedMail};
pub use node::{CLOCK_TOLERANCE, ClockDifference, NodeDescription};
pub use opt_out::OptOutRecord;
pub use overview::{LeaseOverview, NodeOverview, QueueOverview, WaitingShard};
pub use page_call::{
    PageCallAnswer, PageCallRequest, PageCallStatus, PageForwarding, TakenPageCall,
};
pub use page_file::{NewPageFile, PageFileRecord, PageFileState};
pub use page_read::{NewPageRead, PageCover, PageDelivery};
pub use password_reset::{PasswordReset, ResetRequest};
pub use progress::RunProgress;
pub use queue::Claimable;
pub use raw_page::{RawPage, RawPages};
pub use recharge::{DeferredRecharge, Recharge, RechargeFailurePolicy};
pub use results::{ResultLines, ResultSlice};
pub use retention::{AccountRetention, EffectiveRetention, RetentionPolicy};
pub use run_page::{CommitPages, KeptRunPage, RunFile};
pub use schedule::{NewSchedule, ScheduleChange, ScheduleRecord, ScheduledJob};
pub use schema::{MigrationPlan, PendingMigration};
pub use secret_key::SecretKey;
pub use session::{SessionCaller, SessionClient, SignedIn};
pub use shard_end::ShardEnd;
pub use shard_lease::{Lease, NodeName};
pub use sign_in::{SignInAttempt, SignInGate};
pub use slot::{SlotOutcome, SlotRules};
pub use support::{DatabaseNumbers, ErrorCount, RowCount};
pub use suspension::AccountState;
pub use template::SiteTemplate;
pub use top_up::{PaymentSource, TopUpChange, TopUpRecord};
pub use transition::CommandError;
pub use url_list::{ListSpool, StoredList};
pub use url_search::UrlSearch;
pub use verify::DataCheck;
pub use wake::Wake;
pub use webhook::NewWebhook;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use blob::StoragePlaces;
use columns::{ExecuteIn, Tx};
use contract::Millis;
use database_url::with_statement_cache;
use eviction::LastResumed;
use job::RateCard;
use measured_pool::MeasuredPool;
use node::DatabaseContact;
use opt_out::KnownOptOuts;
use page_wakes::PageWakes;
use parking_lot::RwLock;
use privacy::{LiveOptOuts, OptOut};
use result_sizes::PageStarts;
use sqlx::Any;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use tokio::sync::{broadcast, watch};

/// The database, and the limits and rates that the store applies.
#[derive(Clone)]
pub struct StoreSettings {
    /// `sqlite:` with a path, or `postgres://…`.
    pub url: String,
    pub rates: RateCard,
    /// Connections for reading (SQLite), or of this process in total (PostgreSQL): two of them are for
    /// leases and for wake-ups of other nodes.
    pub connections: u32,
    /// Prepared statements that a connection to PostgreSQL keeps.
    pub statements: u32,
    /// Whether PostgreSQL is behind PgBouncer with `pool_mode = transaction`: a transaction may have
    /// another connection than the one before.
    pub pgbouncer: bool,
    /// Maximum wait for a free connection.
    pub acquire_timeout: Duration,
    /// Maximum concurrent jobs per account.
    pub running_jobs: u32,
    /// Maximum queued jobs per account, besides those that run.
    pub queued_jobs: u32,
    /// Maximum keys per account that are neither revoked nor expired.
    pub keys: u32,
    /// Maximum webhook endpoints per account.
    pub webhooks: u32,
    /// Maximum schedules per account.
    pub schedules: u32,
    /// Maximum registered applications without an approval; the oldest are dropped.
    pub unapproved_applications: u32,
    /// Encrypts webhook secrets and the secrets of jobs, and signs export links. Without it none of
    /// them can be created.
    pub secret_key: Option<SecretKey>,
    /// The key to which a rotation changes; values of both keys can be read.
    pub next_secret_key: Option<SecretKey>,
    /// Minimum time between two `job.progress` events of a job.
    pub progress_every: Duration,
    /// Opt-outs from the settings, applied in addition to the stored ones.
    pub opt_outs: Vec<OptOut>,
    /// Retention of the audit log.
    pub keep_audit: Duration,
    /// Retention of further classes of data.
    pub retention: RetentionPolicy,
    /// Maximum stored bytes of the files that a job keeps of its pages.
    pub job_file_bytes: u64,
    /// Whether e-mails can be sent; none is queued otherwise.
    pub sends_mail: bool,
    /// Where files of pages are besides the database.
    pub storage: StorageSettings,
}

impl fmt::Debug for StoreSettings {
    // The password of the database never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreSettings")
            .field("url", &without_password(&self.url))
            .field("rates", &self.rates)
            .field("connections", &self.connections)
            .field("pgbouncer", &self.pgbouncer)
            .finish_non_exhaustive()
    }
}

impl StoreSettings {
    /// The default settings for the database at `url`.
    pub fn new(url: impl Into<String>) -> Self {
        let url = url.into();
        // Twelve nodes fit the default `max_connections` of PostgreSQL, 100, three of which are
        // reserved, with some left for commands and backups.
        let connections = if url.starts_with("postgres") { 7 } else { 8 };
        Self {
            url,
            rates: RateCard::default(),
            connections,
            statements: 100,
            pgbouncer: false,
            acquire_timeout: Duration::from_secs(5),
            running_jobs: 20,
            queued_jobs: 1_000,
            keys: 50,
            webhooks: 20,
            schedules: 100,
            unapproved_applications: 1_000,
            secret_key: None,
            next_secret_key: None,
            progress_every: Duration::from_secs(12),
            opt_outs: Vec::new(),
            keep_audit: Duration::from_secs(400 * 24 * 60 * 60),
            retention: RetentionPolicy::default(),
            job_file_bytes: 1 << 30,
            sends_mail: false,
            storage: StorageSettings::default(),
        }
    }

    /// Whether the database is PostgreSQL.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(Dialect::of(&self.url), Ok(Dialect::Postgres))
    }
}

/// A handle to the database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<StoreInner>,
    /// The actor of changes made through this handle; `None` for the service itself.
    origin: Option<Arc<AuditOrigin>>,
}

#[derive(Debug)]
struct StoreInner {
    settings: StoreSettings,
    dialect: Dialect,
    /// On SQLite the only connection that writes; on PostgreSQL the same pool as `reader`.
    writer: MeasuredPool,
    reader: MeasuredPool,
    /// On PostgreSQL a connection for leases, on SQLite the same as `writer`.
    upkeep: MeasuredPool,
    /// Begins a write transaction.
    begin: &'static str,
    contact: DatabaseContact,
    wakes: broadcast::Sender<Wake>,
    deliveries_due: watch::Sender<()>,
    page_wakes: PageWakes,
    prepared: AtomicBool,
    opt_outs: RwLock<KnownOptOuts>,
    live_opt_outs: LiveOptOuts,
    page_starts: PageStarts,
    last_resumed: LastResumed,
    places: StoragePlaces,
}

impl Store {
    /// Does not connect yet: a database that is down makes the first use fail with
    /// [`StoreError::Unavailable`].
    ///
    /// # Errors
    /// [`StoreError::Setup`] when the URL is neither SQLite's nor PostgreSQL's.
    pub fn new(settings: StoreSettings) -> Result<Self> {
        sqlx::any::install_default_drivers();
        let dialect = Dialect::of(&settings.url)?;
        let url = match dialect {
            Dialect::Sqlite => settings.url.clone(),
            Dialect::Postgres => with_statement_cache(&settings.url, settings.statements),
        };
        let pool = |role, connections: u32| {
            dialect
                .pool_options(role, settings.pgbouncer)
                .max_connections(connections)
                .acquire_timeout(settings.acquire_timeout)
                .connect_lazy(&url)
                .map_err(|cause| StoreError::Setup(cause.to_string()))
        };
        let (reader, writer, upkeep, upkeep_name) = match dialect {
            Dialect::Sqlite => {
                let writer = pool(PoolRole::Writes, 1)?;
                (pool(PoolRole::Reads, settings.connections)?, writer.clone(), writer, "write")
            }
            Dialect::Postgres => {
                let listeners = u32::from(!settings.pgbouncer);
                let shared = settings.connections.saturating_sub(1 + listeners).max(2);
                let shared = pool(PoolRole::Reads, shared)?;
                (shared.clone(), shared, pool(PoolRole::Upkeep, 1)?, "upkeep")
            }
        };
        let begin = dialect.begin(settings.pgbouncer);
        let (wakes, _) = broadcast::channel(256);
        let inner = StoreInner {
            settings,
            dialect,
            writer: MeasuredPool::new(writer, "write"),
            reader: MeasuredPool::new(reader, "read"),
            upkeep: MeasuredPool::new(upkeep, upkeep_name),
            begin,
            contact: DatabaseContact::default(),
            wakes,
            deliveries_due: watch::Sender::new(()),
            page_wakes: PageWakes::default(),
            prepared: AtomicBool::new(false),
            opt_outs: RwLock::default(),
            live_opt_outs: LiveOptOuts::default(),
            page_starts: PageStarts::default(),
            last_resumed: LastResumed::default(),
            places: StoragePlaces::default(),
        };
        Ok(Self { inner: Arc::new(inner), origin: None })
    }

    /// Connects and applies pending schema migrations.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] while the database cannot be reached.
    pub async fn prepare(&self) -> Result<()> {
        schema::migrate(self).await?;
        self.mark_prepared();
        Ok(())
    }

    fn mark_prepared(&self) {
        self.inner.prepared.store(true, Ordering::Release);
    }

    /// Fails unless the database answers and its schema is up to date.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it does not.
    pub async fn check(&self) -> Result<()> {
        self.reader()?;
        self.database_clock().await.map(drop)
    }

    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.inner.dialect
    }

    #[must_use]
    pub fn rates(&self) -> &RateCard {
        &self.inner.settings.rates
    }

    /// Closes the connections when the queries in progress have ended.
    pub async fn close(&self) {
        for pool in [&self.inner.writer, &self.inner.reader, &self.inner.upkeep] {
            pool.close().await;
        }
    }

    /// The database's clock. Leases of all nodes are measured by it.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the database does not answer.
    pub async fn database_clock(&self) -> Result<Millis> {
        let now: i64 =
            sqlx::query_scalar(self.inner.dialect.clock()).fetch_one(&self.inner.reader).await?;
        Ok(Millis(now))
    }

    fn reader(&self) -> Result<&MeasuredPool> {
        if self.inner.prepared.load(Ordering::Acquire) {
            Ok(&self.inner.reader)
        } else {
            Err(StoreError::Unavailable("the database has not been prepared yet".to_owned()))
        }
    }

    async fn begin(&self) -> Result<Tx> {
        self.reader()?;
        Ok(self.inner.writer.begin_with(self.inner.begin).await?)
    }

    /// Begins a write transaction for leases.
    async fn begin_upkeep(&self) -> Result<Tx> {
        self.reader()?;
        Ok(self.inner.upkeep.begin_with(self.inner.begin).await?)
    }

    /// The rows of a query, each as `read` reads it.
    async fn fetch_all<T>(
        &self,
        query: Query<'_, Any, AnyArguments>,
        read: impl Fn(&AnyRow) -> Result<T>,
    ) -> Result<Vec<T>> {
        query.fetch_all(self.reader()?).await?.iter().map(read).collect()
    }

    /// The only row of a query, as `read` reads it.
    async fn fetch_optional<T>(
        &self,
        query: Query<'_, Any, AnyArguments>,
        read: impl Fn(&AnyRow) -> Result<T>,
    ) -> Result<Option<T>> {
        query.fetch_optional(self.reader()?).await?.as_ref().map(read).transpose()
    }

    /// Executes a statement in a separate transaction, and returns the number of changed rows.
    async fn execute(&self, statement: Query<'_, Any, AnyArguments>) -> Result<u64> {
        let mut tx = self.begin().await?;
        let changed = statement.run(&mut tx).await?;
        tx.commit().await?;
        Ok(changed)
    }
}

/// Ten random bytes for an identifier.
pub(crate) fn random() -> [u8; 10] {
    rand::random()
}
