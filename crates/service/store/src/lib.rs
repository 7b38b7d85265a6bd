//! All that is kept, and the only crate that speaks SQL.
//!
//! One text of SQL serves SQLite and PostgreSQL. What belongs together is written
//! in one transaction: a job with its reservation and its idempotency row, a
//! commit with its results, its price and its events.

mod acceptance;
mod access_token;
mod account;
mod account_deletion;
mod application;
mod assistant;
mod audit_log;
mod authorization;
mod comparison;
mod create;
mod credential;
mod credential_state;
mod database_url;
mod delivery;
mod device;
mod dialect;
mod erase;
mod error;
mod export;
mod idempotency;
mod job_row;
mod key;
mod lane;
mod ledger;
mod limits;
mod listing;
mod log;
mod objection;
mod outbox;
mod overview;
mod owned;
mod progress;
mod progress_event;
mod purge;
mod queue;
mod recharge;
mod redacted_commit;
mod result_sizes;
mod results;
mod schedule;
mod schema;
mod secret_key;
mod segments;
mod session;
mod shard_end;
mod sign_in;
mod skipped;
mod slot;
mod suspension;
mod template;
mod top_up;
mod transition;
mod webhook;

pub use acceptance::{Acceptance, NewAcceptance};
pub use access_token::{ApplicationCaller, GivenBack};
pub use account::{AccountRecord, NewAccount, SignedIn};
pub use account_deletion::AccountDeletion;
pub use application::{Application, NewApplication};
pub use audit_log::{AuditFilter, AuditOrigin, AuditRecord};
pub use authorization::{Approval, CodeShown, IssuedTokens, RefreshShown, TokensRefused};
pub use create::{Created, Creation, NewJob};
pub use credential::{
    AccessToken, ApplicationSecret, AuthorizationCode, DeviceToken, KeySecret, PasswordError,
    RefreshToken, SessionToken, WebhookSecret, is_key_shaped,
};
pub use credential_state::CredentialId;
pub use database_url::without_password;
pub use dialect::Dialect;
use dialect::Duty;
pub use erase::{Erased, Erasing};
pub use error::StoreError;
pub use export::{ExportTicket, Exported};
pub use idempotency::{IdempotencyKey, Replay};
pub use key::{KeyCaller, KeyChange, NewKey};
pub use lane::{Attempted, DueDelivery, Lane, Lanes, Taken, Verdict};
pub use ledger::Audit;
pub use limits::LimitChange;
pub use listing::{JobFilter, Page};
pub use log::{Appended, ShardLog};
pub use objection::OptOutRecord;
pub use overview::{LeaseOverview, NodeOverview, QueueOverview, WaitingShard};
pub use progress::Progress;
pub use queue::{Claimable, Lease, NodeId, Wake};
pub use recharge::{Consequence, PutOff, Recharge};
pub use result_sizes::PAGE_BYTES;
pub use results::{ResultLines, ResultSlice};
pub use schedule::{NewSchedule, ScheduleChange, ScheduleRecord, StandingOrder};
pub use secret_key::SecretKey;
pub use session::{SessionCaller, SessionClient};
pub use shard_end::ShardEnd;
pub use sign_in::{SignInAttempt, SignInGate};
pub use slot::{SlotOutcome, SlotRules};
pub use suspension::AccountState;
pub use template::SiteTemplate;
pub use top_up::{PaymentSource, TopUpChange, TopUpRecord};
pub use transition::CommandError;
pub use webhook::NewWebhook;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use contract::Millis;
use job::RateCard;
use objection::KnownOptOuts;
use privacy::LiveOptOuts;
use privacy::OptOut;
use result_sizes::PageStarts;
use sqlx::{Any, AnyPool, Transaction};
use tokio::sync::{broadcast, watch};

/// How the store is opened and what it decides by.
#[derive(Clone)]
pub struct StoreSettings {
    /// `sqlite:` with a path, or `postgres://…`.
    pub url: String,
    pub rates: RateCard,
    /// Connections for reading (SQLite) or for everything (PostgreSQL).
    pub connections: u32,
    /// How long a request waits for a connection.
    pub acquire_timeout: Duration,
    /// Jobs of one account that run at a time.
    pub running_jobs: u32,
    /// Jobs of one account that may wait besides.
    pub queued_jobs: u32,
    /// Live keys of one account.
    pub keys: u32,
    /// Webhook endpoints of one account.
    pub webhooks: u32,
    /// Schedules of one account.
    pub schedules: u32,
    /// Applications that may be known while no person has approved them.
    pub unapproved_applications: u32,
    /// What secrets are sealed under; without one no webhook can be made or delivered to.
    pub secret_key: Option<SecretKey>,
    /// The least time between two `job.progress` events of a job.
    pub progress_every: Duration,
    /// OptOuts that stand in no table.
    pub objections: Vec<OptOut>,
    /// How long entries of the audit log are kept.
    pub keep_audit: Duration,
}

impl fmt::Debug for StoreSettings {
    // The password of the database never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreSettings")
            .field("url", &without_password(&self.url))
            .field("rates", &self.rates)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

impl StoreSettings {
    /// The defaults of the service over the database at `url`.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            rates: RateCard::default(),
            connections: 8,
            acquire_timeout: Duration::from_secs(5),
            running_jobs: 20,
            queued_jobs: 1_000,
            keys: 50,
            webhooks: 20,
            schedules: 100,
            unapproved_applications: 1_000,
            secret_key: None,
            progress_every: Duration::from_secs(12),
            objections: Vec::new(),
            keep_audit: Duration::from_secs(400 * 24 * 60 * 60),
        }
    }
}

/// The database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
    /// The actor of changes made through this handle; the service itself where there is none.
    origin: Option<Arc<AuditOrigin>>,
}

#[derive(Debug)]
struct Inner {
    settings: StoreSettings,
    dialect: Dialect,
    /// On SQLite the one connection that writes; on PostgreSQL the same pool as `reader`.
    writer: AnyPool,
    reader: AnyPool,
    wakes: broadcast::Sender<Wake>,
    deliveries_due: watch::Sender<()>,
    prepared: AtomicBool,
    objections: RwLock<KnownOptOuts>,
    live_objections: LiveOptOuts,
    page_starts: PageStarts,
}

impl Store {
    /// A handle to the database. Nothing is connected yet: a database that is down
    /// shows as [`StoreError::Unavailable`] at the first use.
    ///
    /// # Errors
    /// [`StoreError::Setup`] when the address names no database that we know.
    pub fn new(settings: StoreSettings) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let dialect = Dialect::of(&settings.url)?;
        let reader = dialect
            .pool_options(Duty::Reads)
            .max_connections(settings.connections)
            .acquire_timeout(settings.acquire_timeout)
            .connect_lazy(&settings.url)
            .map_err(|cause| StoreError::Setup(cause.to_string()))?;
        let writer = match dialect {
            Dialect::Postgres => reader.clone(),
            Dialect::Sqlite => dialect
                .pool_options(Duty::Writes)
                .max_connections(1)
                .acquire_timeout(settings.acquire_timeout)
                .connect_lazy(&settings.url)
                .map_err(|cause| StoreError::Setup(cause.to_string()))?,
        };
        let (wakes, _) = broadcast::channel(256);
        let inner = Inner {
            settings,
            dialect,
            writer,
            reader,
            wakes,
            deliveries_due: watch::Sender::new(()),
            prepared: AtomicBool::new(false),
            objections: RwLock::default(),
            live_objections: LiveOptOuts::default(),
            page_starts: PageStarts::default(),
        };
        Ok(Self { inner: Arc::new(inner), origin: None })
    }

    /// Connects and brings the tables up to date.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] while the database cannot be reached.
    pub async fn prepare(&self) -> Result<(), StoreError> {
        schema::migrate(self).await?;
        self.inner.prepared.store(true, Ordering::Release);
        Ok(())
    }

    /// Whether the database answers and its tables are up to date.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it does not.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.reader()?;
        self.database_clock().await.map(drop)
    }

    /// Which database it is.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.inner.dialect
    }

    /// The rates in force.
    #[must_use]
    pub fn rates(&self) -> &RateCard {
        &self.inner.settings.rates
    }

    /// Closes the connections after what is under way.
    pub async fn close(&self) {
        self.inner.writer.close().await;
        self.inner.reader.close().await;
    }

    /// The database's own clock: leases of several machines are counted on it.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the database does not answer.
    pub async fn database_clock(&self) -> Result<Millis, StoreError> {
        let now: i64 =
            sqlx::query_scalar(self.inner.dialect.clock()).fetch_one(&self.inner.reader).await?;
        Ok(Millis(now))
    }

    fn reader(&self) -> Result<&AnyPool, StoreError> {
        if self.inner.prepared.load(Ordering::Acquire) {
            Ok(&self.inner.reader)
        } else {
            Err(StoreError::Unavailable("the database has not been prepared yet".to_owned()))
        }
    }

    async fn begin(&self) -> Result<Transaction<'static, Any>, StoreError> {
        self.reader()?;
        Ok(self.inner.writer.begin_with(self.inner.dialect.begin()).await?)
    }
}

/// Ten random bytes for an identifier.
pub(crate) fn random() -> [u8; 10] {
    rand::random()
}
