//! Notifiers with a real store and receiver: several nodes, dead receivers, shutdown. Tests on
//! PostgreSQL are ignored unless `scripts/test` runs them, which sets `TRAWL_TEST_POSTGRES`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract::{AccountId, Clock, Credits, DeliveryState, WebhookId};
use fixture::{ReceivedRequest, ReceiverBehavior, WebhookReceiver, fresh_postgres};
use net::{HttpPost, HttpSettings, NameTable, ResolverSettings};
use notify::{Notifier, NotifierSettings};
use runtime::SystemClock;
use store::{NewAccount, NewWebhook, NodeName, PageRequest, SecretKey, Store, StoreSettings};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use urls::AllowedNetworks;

/// Longer than any step takes unless it hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

struct Harness {
    url: String,
    store: Store,
    account: AccountId,
    receiver: WebhookReceiver,
    _folder: Option<tempfile::TempDir>,
}

struct Node {
    stop: CancellationToken,
    running: JoinHandle<()>,
}

impl Harness {
    async fn on_sqlite(
        behavior: impl Fn(&ReceivedRequest) -> ReceiverBehavior + Send + Sync + 'static,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        Self::open(url, Some(folder), behavior).await
    }

    async fn open(
        url: String,
        folder: Option<tempfile::TempDir>,
        behavior: impl Fn(&ReceivedRequest) -> ReceiverBehavior + Send + Sync + 'static,
    ) -> Self {
        let store = open_store(&url).await;
        let new = NewAccount {
            email: "ada@example.com".to_owned(),
            password: "correct horse".to_owned(),
            credits: Credits(0),
            admin: false,
        };
        let made = store.create_account(new, SystemClock.now()).await.expect("it answers");
        let account = made.expect("a password").expect("an account").id;
        let receiver = WebhookReceiver::start(&["*.hooks.test"], behavior).await;
        Self { url, store, account, receiver, _folder: folder }
    }

    async fn webhook(&self, name: &str) -> WebhookId {
        let new = NewWebhook {
            url: format!("https://{name}.hooks.test/"),
            events: None,
            created_by: None,
        };
        let made = self.store.create_webhook(&self.account, new, SystemClock.now()).await;
        made.expect("it answers").expect("below the limit").details.id
    }

    async fn emit(&self, times: usize) -> BTreeSet<String> {
        let mut ids = BTreeSet::new();
        for _ in 0..times {
            let event =
                self.store.emit_recharge_failed(&self.account, "x", SystemClock.now()).await;
            ids.insert(event.expect("it answers").id.to_string());
        }
        ids
    }

    /// Starts a notifier with its own store over the same database.
    async fn node(&self, lease: Duration) -> Node {
        let store = if self.url.starts_with("sqlite") {
            self.store.clone()
        } else {
            open_store(&self.url).await
        };
        let stop = CancellationToken::new();
        let settings = NotifierSettings {
            lease,
            poll: Duration::from_millis(50),
            drain: Duration::from_millis(100),
            ..NotifierSettings::default()
        };
        let notifier = Notifier::new(store, self.http(), Arc::new(SystemClock), settings);
        Node { stop: stop.clone(), running: tokio::spawn(notifier.run(stop)) }
    }

    fn http(&self) -> HttpPost {
        let names = format!("*.hooks.test={}", self.receiver.address);
        let resolver = ResolverSettings {
            names: NameTable::parse(&names).expect("a table"),
            allowed: AllowedNetworks::parse("127.0.0.1").expect("a network"),
            check_name_table: true,
            ..ResolverSettings::default()
        };
        let extra_authorities = Some(self.receiver.authority().to_owned());
        HttpPost::new(HttpSettings { resolver, extra_authorities, ..HttpSettings::default() })
            .expect("an HTTP client")
    }

    /// The received requests of an endpoint: event ids and their numbers.
    fn arrived(&self, name: &str) -> BTreeMap<String, usize> {
        let mut arrived = BTreeMap::new();
        for received in self.receiver.received() {
            if received.host == format!("{name}.hooks.test") {
                let body = String::from_utf8_lossy(&received.body).into_owned();
                let id = body.split('"').nth(3).expect("an id").to_owned();
                *arrived.entry(id).or_default() += 1;
            }
        }
        arrived
    }

    async fn states(&self, webhook: &WebhookId) -> Vec<DeliveryState> {
        let page = PageRequest { number: 1, size: 1_000 };
        let (all, _) = self.store.deliveries(webhook, None, page).await.expect("it answers");
        all.iter().map(|delivery| delivery.state).collect()
    }

    async fn until_delivered(&self, webhook: &WebhookId) {
        wait_for(async || {
            let states = self.states(webhook).await;
            states.iter().all(|state| *state == DeliveryState::Delivered)
        })
        .await;
    }
}

async fn open_store(url: &str) -> Store {
    let secret_key = Some(SecretKey::new("a key for tests"));
    let settings = StoreSettings { secret_key, ..StoreSettings::new(url) };
    let store = Store::new(settings).expect("an address");
    store.prepare().await.expect("tables");
    store
}

async fn wait_for(mut look: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !look().await {
        assert!(Instant::now() < deadline, "timed out");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn concurrent_nodes_deliver_each_event_once_on_postgres() {
    let answer = |_: &ReceivedRequest| ReceiverBehavior::Slow(Duration::from_millis(5));
    let harness = Harness::open(fresh_postgres().await, None, answer).await;
    let mut webhooks = Vec::new();
    for name in ["a", "b", "c"] {
        webhooks.push(harness.webhook(name).await);
    }
    let minute = Duration::from_secs(60);
    let nodes =
        [harness.node(minute).await, harness.node(minute).await, harness.node(minute).await];
    let ids = harness.emit(60).await;
    for webhook in &webhooks {
        harness.until_delivered(webhook).await;
    }
    for name in ["a", "b", "c"] {
        let arrived = harness.arrived(name);
        assert_eq!(arrived.keys().cloned().collect::<BTreeSet<_>>(), ids);
        assert!(arrived.values().all(|times| *times == 1), "{arrived:?}");
    }
    let peak = harness.receiver.peak();
    assert!(peak <= 3 * 8, "{peak} at a time, over all nodes");
    // A shutdown releases the leases.
    for node in nodes {
        node.stop.cancel();
        node.running.await.expect("it ends");
    }
    harness.emit(1).await;
    let due = harness
        .store
        .due_endpoints(&NodeName::random(), SystemClock.now())
        .await
        .expect("it answers");
    assert_eq!((due.free.len(), due.held.len()), (3, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_endpoint_does_not_delay_others() {
    let harness = Harness::on_sqlite(|received| match received.host.as_str() {
        "well.hooks.test" => ReceiverBehavior::Status(200),
        _ => ReceiverBehavior::Hang,
    })
    .await;
    let mut dead = Vec::new();
    for name in ["d1", "d2", "d3", "d4", "d5"] {
        dead.push(harness.webhook(name).await);
    }
    let well = harness.webhook("well").await;
    let node = harness.node(Duration::from_secs(60)).await;
    let ids = harness.emit(100).await;
    harness.until_delivered(&well).await;
    assert_eq!(harness.arrived("well").into_keys().collect::<BTreeSet<_>>(), ids);
    // The dead endpoints hang in their first delivery and delay only themselves.
    for (webhook, name) in dead.iter().zip(["d1", "d2", "d3", "d4", "d5"]) {
        let states = harness.states(webhook).await;
        assert!(states.iter().all(|state| *state == DeliveryState::Pending));
        assert!(
            harness.arrived(name).len() <= 1,
            "one request at a time to an endpoint that never responded"
        );
    }
    node.stop.cancel();
    node.running.await.expect("it does not wait for hanging requests");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn deliveries_of_a_dead_node_are_sent_by_another_on_postgres() {
    let harness =
        Harness::open(fresh_postgres().await, None, |_| ReceiverBehavior::Status(200)).await;
    let webhook = harness.webhook("a").await;
    let lease = Duration::from_millis(300);
    let first = harness.node(lease).await;
    harness.emit(5).await;
    harness.until_delivered(&webhook).await;
    // As in a crash: no lease is released.
    first.running.abort();
    let _ = first.running.await;
    let ids = harness.emit(5).await;
    let second = harness.node(lease).await;
    harness.until_delivered(&webhook).await;
    let arrived = harness.arrived("a");
    assert!(ids.iter().all(|id| arrived.contains_key(id)));
    second.stop.cancel();
    second.running.await.expect("it ends");
}
