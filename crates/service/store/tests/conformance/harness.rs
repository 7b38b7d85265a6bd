//! A fresh database for each test, and shortcuts to its state.

use std::time::Duration;

use contract::{
    AccountId, ApplicationId, ClientAuth, ContactItem, CreatedWebhook, Credits, Delivery,
    DeliveryAttempt, EventKind, JobId, Millis, OauthScopes, WebhookId,
};
use fixture::{FaultyStorage, fresh_postgres};
pub use fixture::{
    NOW, contact_item, contacts_commit, new_contacts_job, new_job, pages_commit, random,
    skipped_url,
};
use job::{Job, JobCommand, Tier};
use store::{
    Appended, Application, Approval, CodeExchange, CompletedAttempt, CreatedJob, Creation,
    DeliveryOutcome, DueDelivery, Lease, LedgerAudit, LimitChange, NewAccount, NewApplication,
    NewJob, NewWebhook, NodeName, PageRequest, SecretKey, Store, StoreSettings,
};

pub const LEASE: Duration = Duration::from_secs(60);

pub struct Harness {
    pub store: Store,
    pub node: NodeName,
    pub settings: StoreSettings,
    pub folder: Option<tempfile::TempDir>,
    pub storage: FaultyStorage,
}

impl Harness {
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        Self::open(url, Some(folder)).await
    }

    pub async fn postgres() -> Self {
        Self::open(fresh_postgres().await, None).await
    }

    async fn open(url: String, folder: Option<tempfile::TempDir>) -> Self {
        let secret_key = Some(SecretKey::new("a key for tests"));
        let settings = StoreSettings { connections: 6, secret_key, ..StoreSettings::new(url) };
        let store = Store::new(settings.clone()).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        let storage = FaultyStorage::default();
        Self { store, node: NodeName::random(), settings, folder, storage }
    }

    /// Files are written to [`Harness::storage`].
    pub async fn with_bucket(self) -> Self {
        let bucket = self.storage.bucket("trawl");
        let harness = self.with(|settings| settings.storage.current = Some(bucket)).await;
        harness.store.open_storage().await.expect("the bucket is empty");
        // Otherwise the first commit is written twice.
        harness.store.refresh_opt_outs().await.expect("it answers");
        harness
    }

    /// Executes a statement of a test.
    pub async fn sql(&self, statement: &'static str) {
        sqlx::any::install_default_drivers();
        let pool = sqlx::AnyPool::connect(&self.settings.url).await.expect("it connects");
        sqlx::raw_sql(statement).execute(&pool).await.expect("it is valid");
        pool.close().await;
    }

    /// The same database, opened with other settings.
    pub async fn with(mut self, change: impl FnOnce(&mut StoreSettings)) -> Self {
        change(&mut self.settings);
        self.store = Store::new(self.settings.clone()).expect("an address of a database");
        self.store.prepare().await.expect("the tables are there");
        self
    }

    pub async fn account(&self, email: &str, credits: i64) -> AccountId {
        let new = NewAccount {
            email: email.to_owned(),
            password: "correct horse".to_owned(),
            credits: Credits(credits),
            admin: false,
        };
        let created = self.store.create_account(new, NOW).await.expect("the database answers");
        created.expect("a good password").expect("a new e-mail").id
    }

    pub async fn create(&self, new: &NewJob) -> CreatedJob {
        match self.store.create_job(new, NOW).await.expect("the database answers") {
            Creation::Created(created) => created,
            other => panic!("not created: {other:?}"),
        }
    }

    /// A started job of the account, with its rate known.
    pub async fn running(&self, account: &AccountId, host: &str) -> (Job, Lease) {
        self.create(&new_job(account, host)).await;
        let lease = self.claim().await.expect("a free shard");
        (self.start(&lease).await, lease)
    }

    pub async fn start(&self, lease: &Lease) -> Job {
        self.store.report(lease, &JobCommand::Start, NOW).await.expect("it starts");
        let learn = JobCommand::LearnTier(Tier::Normal);
        self.store.report(lease, &learn, NOW).await.expect("it learns its rate")
    }

    pub async fn claim(&self) -> Option<Lease> {
        self.store.claim(&self.node, LEASE, NOW).await.expect("the database answers")
    }

    pub async fn append(&self, lease: &mut Lease, pages: std::ops::Range<u32>) -> Appended {
        self.append_with(lease, pages, 0..0).await
    }

    /// Appends pages with skipped URLs.
    pub async fn append_with(
        &self,
        lease: &mut Lease,
        pages: std::ops::Range<u32>,
        skipped: std::ops::Range<u32>,
    ) -> Appended {
        let (commit, items) = pages_commit(pages);
        let skipped: Vec<_> = skipped.map(skipped_url).collect();
        let appended = self.store.append(lease, &commit, &items, &skipped, NOW).await;
        appended.expect("the database answers")
    }

    /// A started `contacts` job over these domains.
    pub async fn visiting(&self, account: &AccountId, domains: &[&str]) -> (Job, Lease) {
        self.create(&new_contacts_job(account, domains)).await;
        let lease = self.claim().await.expect("a free shard");
        (self.start(&lease).await, lease)
    }

    /// Appends contact records of domains.
    pub async fn append_records(&self, lease: &mut Lease, records: Vec<ContactItem>) -> Appended {
        let (commit, items) = contacts_commit(0, records);
        let appended = self.store.append(lease, &commit, &items, &[], NOW).await;
        appended.expect("the database answers")
    }

    /// The same database through the store of another node.
    pub async fn other_node(&self) -> Store {
        let other = Store::new(self.settings.clone()).expect("an address of a database");
        other.prepare().await.expect("the tables are there");
        other
    }

    pub async fn job(&self, id: &JobId) -> Job {
        self.store.job(id).await.expect("the database answers").expect("the job is there")
    }

    pub async fn audit(&self, account: &AccountId) -> LedgerAudit {
        let audit = self.store.audit_ledger(account).await.expect("the database answers");
        let audit = audit.expect("the account is there");
        assert!(audit.is_consistent(), "the sums differ: {audit:?}");
        audit
    }
}

/// Webhooks and their deliveries.
impl Harness {
    pub async fn webhook(
        &self,
        account: &AccountId,
        events: Option<Vec<EventKind>>,
    ) -> CreatedWebhook {
        let new =
            NewWebhook { url: "https://hooks.example/trawl".to_owned(), events, created_by: None };
        let made = self.store.create_webhook(account, new, NOW).await.expect("it answers");
        made.expect("below the limit")
    }

    /// All deliveries of an endpoint, oldest first.
    pub async fn deliveries(&self, webhook: &WebhookId) -> Vec<Delivery> {
        let page = PageRequest { number: 1, size: 1_000 };
        let (mut all, total) =
            self.store.deliveries(webhook, None, page).await.expect("it answers");
        assert_eq!(all.len() as u64, total);
        all.reverse();
        all
    }

    pub async fn due(&self, webhook: &WebhookId, now: Millis) -> Vec<DueDelivery> {
        self.store.due_deliveries(webhook, now, 100).await.expect("it answers")
    }

    /// Records one attempt at a delivery with this outcome.
    pub async fn attempt(&self, due: &DueDelivery, at: Millis, outcome: DeliveryOutcome) {
        let error = (outcome != DeliveryOutcome::Delivered).then(|| "answered 500".to_owned());
        let status_code = Some(if error.is_some() { 500 } else { 204 });
        let attempt = DeliveryAttempt { at, status_code, duration_ms: 7, error };
        let attempted = CompletedAttempt { due: due.clone(), attempt, outcome };
        self.store.record_attempts(&[attempted]).await.expect("it answers");
    }
}

/// Applications and approvals.
impl Harness {
    pub async fn application(&self, client_auth: ClientAuth) -> Application {
        self.application_at(client_auth, NOW).await
    }

    pub async fn application_at(&self, client_auth: ClientAuth, now: Millis) -> Application {
        let new = NewApplication {
            name: "Notes".to_owned(),
            uri: None,
            redirect_uris: vec![REDIRECT_URI.to_owned()],
            client_auth,
            scopes: OauthScopes::all(),
        };
        self.store.register_application(new, now).await.expect("it answers").0
    }

    /// An access token of a new approval of all scopes.
    pub async fn access_token(&self, account: &AccountId, application: &ApplicationId) -> String {
        let code = self.code(account, application).await;
        let shown = CodeExchange {
            application,
            code: &code,
            verifier: VERIFIER,
            redirect_uri: Some(REDIRECT_URI),
            mcp_only: None,
        };
        let tokens = self.store.redeem_code(&shown, NOW).await.expect("it answers");
        tokens.expect("tokens").access.reveal().to_owned()
    }

    /// An approval of all scopes.
    pub fn approval(&self, account: &AccountId, application: &ApplicationId) -> Approval {
        Approval {
            account: account.clone(),
            application: application.clone(),
            redirect_uri: REDIRECT_URI.to_owned(),
            challenge: CHALLENGE.to_owned(),
            scopes: OauthScopes::all(),
            mcp_only: false,
            limits: LimitChange::default(),
        }
    }

    /// The code of an approval of all scopes.
    pub async fn code(&self, account: &AccountId, application: &ApplicationId) -> String {
        let approval = self.approval(account, application);
        self.store.approve(&approval, NOW).await.expect("it answers").reveal().to_owned()
    }
}

pub const REDIRECT_URI: &str = "https://notes.example/back";
/// The example of RFC 7636.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
