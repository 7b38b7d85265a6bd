//! A fresh database for each scenario, and the short ways into it.

use std::time::Duration;

use contract::{
    AccountId, Credits, DiscoveredBy, Item, JobId, LinkItem, LinkType, Millis, Mode, Options, Scope,
};
use job::{Command, Draft, Job, Tier};
use journal::{Commit, Finished, Found, Outcome, Step, Via};
use sqlx::any::AnyPoolOptions;
use store::{
    Appended, Audit, Created, Creation, Lease, NewAccount, NewJob, NodeId, Store, StoreSettings,
};

pub const NOW: Millis = Millis(1_794_735_000_000);
pub const LEASE: Duration = Duration::from_secs(60);

pub struct Bench {
    pub store: Store,
    pub node: NodeId,
    pub settings: StoreSettings,
    _folder: Option<tempfile::TempDir>,
}

impl Bench {
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        Self::open(url, Some(folder)).await
    }

    pub async fn postgres() -> Self {
        sqlx::any::install_default_drivers();
        let server = std::env::var("TRAWL_TEST_POSTGRES")
            .expect("TRAWL_TEST_POSTGRES names a PostgreSQL server; scripts/test starts one");
        let name = format!("t{}", JobId::new(NOW, rand_bytes()).as_str().replace('_', ""));
        let admin = AnyPoolOptions::new()
            .max_connections(1)
            .connect(&server)
            .await
            .expect("the server answers");
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&admin)
            .await
            .expect("a database is created");
        admin.close().await;
        let mut url = url::Url::parse(&server).expect("an address");
        url.set_path(&name);
        Self::open(url.to_string(), None).await
    }

    async fn open(url: String, folder: Option<tempfile::TempDir>) -> Self {
        let settings = StoreSettings { connections: 6, ..StoreSettings::new(url) };
        let store = Store::new(settings.clone()).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        Self { store, node: NodeId::random(), settings, _folder: folder }
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

    pub async fn create(&self, new: &NewJob) -> Created {
        match self.store.create_job(new, NOW).await.expect("the database answers") {
            Creation::Created(created) => created,
            other => panic!("not created: {other:?}"),
        }
    }

    /// A job of the account that a worker has taken up, with its rate known.
    pub async fn running(&self, account: &AccountId, host: &str) -> (Job, Lease) {
        self.create(&new_job(account, host)).await;
        let lease = self.claim().await.expect("a free shard");
        (self.start(&lease).await, lease)
    }

    pub async fn start(&self, lease: &Lease) -> Job {
        self.store.report(lease, &Command::Start, NOW).await.expect("it starts");
        let learn = Command::LearnTier(Tier::Normal);
        self.store.report(lease, &learn, NOW).await.expect("it learns its rate")
    }

    pub async fn claim(&self) -> Option<Lease> {
        self.store.claim(&self.node, LEASE, NOW).await.expect("the database answers")
    }

    pub async fn append(&self, lease: &mut Lease, pages: std::ops::Range<u32>) -> Appended {
        let (commit, items) = pages_commit(pages);
        self.store.append(lease, &commit, &items, NOW).await.expect("the database answers")
    }

    pub async fn job(&self, id: &JobId) -> Job {
        self.store.job(id).await.expect("the database answers").expect("the job is there")
    }

    pub async fn audit(&self, account: &AccountId) -> Audit {
        let audit = self.store.audit(account).await.expect("the database answers");
        let audit = audit.expect("the account is there");
        assert!(audit.agrees(), "the books disagree: {audit:?}");
        audit
    }
}

pub fn rand_bytes() -> [u8; 10] {
    rand::random()
}

pub fn new_job(account: &AccountId, host: &str) -> NewJob {
    NewJob {
        draft: Draft {
            id: JobId::new(NOW, rand_bytes()),
            account: account.clone(),
            source: "direct".to_owned(),
            mode: Mode::Links,
            url: Some(format!("https://{host}/")),
            domains: Vec::new(),
            site_key: Some(host.to_owned()),
            scope: Scope::default(),
            options: Options::default(),
            on_protected: None,
            ceiling: None,
            external: None,
            batch_size: 10_000,
        },
        host: host.to_owned(),
        idempotency: None,
    }
}

/// Pages that were delivered, each for one unit and each with one new URL found on it.
pub fn pages_commit(pages: std::ops::Range<u32>) -> (Commit, Vec<Item>) {
    let steps = pages
        .clone()
        .map(|ordinal| {
            Step::Finished(Finished {
                ordinal,
                outcome: Outcome::Answered(200),
                found: vec![Found {
                    url: format!("https://example.com/{}", ordinal + 1),
                    via: Via::Link,
                    anchor: None,
                }],
                linked: vec![ordinal + 1],
                content: Some(u64::from(ordinal)),
                delivered: true,
                units: 1,
            })
        })
        .collect();
    (Commit { steps }, pages.map(item).collect())
}

pub fn item(ordinal: u32) -> Item {
    Item::Link(Box::new(LinkItem {
        url: format!("https://example.com/{ordinal}"),
        title: Some(format!("Page {ordinal} — \u{202e}ü\u{1f600}")),
        kind: LinkType::Page,
        status_code: Some(200),
        final_url: None,
        redirects: Vec::new(),
        content_type: Some("text/html".to_owned()),
        size_bytes: Some(1_000),
        response_ms: Some(3),
        error: None,
        depth: Some(1),
        inlinks: 1,
        found_on: None,
        anchor: None,
        discovered_by: vec![DiscoveredBy::Link],
        external: false,
        broken: false,
        orphan: false,
        in_sitemap: false,
        indexable: Some(true),
        index_reason: None,
        canonical_url: None,
        duplicate_of: None,
        language: None,
        description: None,
        h1: None,
        word_count: Some(7),
        content_hash: Some(format!("{ordinal:016x}")),
        fetched_at: Some(NOW),
    }))
}
