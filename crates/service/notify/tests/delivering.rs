//! Notifiers over a real store and a real receiver: several nodes, dead receivers, the end.
//! PostgreSQL comes from `TRAWL_TEST_POSTGRES`, which `scripts/test` sets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract::{AccountId, Clock, Credits, DeliveryState, WebhookId};
use fixture::{Manner, Received, Receiver, fresh_postgres};
use net::{HttpPost, HttpSettings, NameTable, ResolverSettings};
use notify::{Notifier, NotifierSettings};
use runtime::SystemClock;
use store::{NewAccount, NewWebhook, NodeId, Page, SecretKey, Store, StoreSettings};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use urls::AllowedNetworks;

/// Nothing here takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

struct Scene {
    url: String,
    store: Store,
    account: AccountId,
    receiver: Receiver,
    _folder: Option<tempfile::TempDir>,
}

/// A node of the service.
struct Node {
    stop: watch::Sender<bool>,
    running: JoinHandle<()>,
}

impl Scene {
    async fn on_sqlite(manners: impl Fn(&Received) -> Manner + Send + Sync + 'static) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        Self::open(url, Some(folder), manners).await
    }

    async fn open(
        url: String,
        folder: Option<tempfile::TempDir>,
        manners: impl Fn(&Received) -> Manner + Send + Sync + 'static,
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
        let receiver = Receiver::start(&["*.hooks.test"], manners).await;
        Self { url, store, account, receiver, _folder: folder }
    }

    async fn webhook(&self, name: &str) -> WebhookId {
        let new = NewWebhook {
            url: format!("https://{name}.hooks.test/"),
            events: None,
            created_by: None,
        };
        let made = self.store.create_webhook(&self.account, new, SystemClock.now()).await;
        made.expect("it answers").expect("room").details.id
    }

    async fn tell(&self, times: usize) -> BTreeSet<String> {
        let mut ids = BTreeSet::new();
        for _ in 0..times {
            let told = self.store.tell_recharge_failed(&self.account, "x", SystemClock.now()).await;
            ids.insert(told.expect("it answers").id.to_string());
        }
        ids
    }

    /// A node with a store of its own over the same database.
    async fn node(&self, lease: Duration) -> Node {
        let store = if self.url.starts_with("sqlite") {
            self.store.clone()
        } else {
            open_store(&self.url).await
        };
        let (stop, stopped) = watch::channel(false);
        let settings = NotifierSettings {
            lease,
            poll: Duration::from_millis(50),
            drain: Duration::from_millis(100),
            ..NotifierSettings::default()
        };
        let notifier = Notifier::new(store, self.http(), Arc::new(SystemClock), settings);
        Node { stop, running: tokio::spawn(notifier.run(stopped)) }
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
            .expect("a way out")
    }

    /// What came in under this name, by event id, and how often.
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
        let page = Page { number: 1, size: 1_000 };
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
    let deadline = Instant::now() + PATIENCE;
    while !look().await {
        assert!(Instant::now() < deadline, "waited in vain");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_share_the_work_and_tell_nothing_twice() {
    let answer = |_: &Received| Manner::Slow(Duration::from_millis(5));
    let scene = Scene::open(fresh_postgres().await, None, answer).await;
    let mut webhooks = Vec::new();
    for name in ["a", "b", "c"] {
        webhooks.push(scene.webhook(name).await);
    }
    let minute = Duration::from_secs(60);
    let nodes = [scene.node(minute).await, scene.node(minute).await, scene.node(minute).await];
    let ids = scene.tell(60).await;
    for webhook in &webhooks {
        scene.until_delivered(webhook).await;
    }
    for name in ["a", "b", "c"] {
        let arrived = scene.arrived(name);
        assert_eq!(arrived.keys().cloned().collect::<BTreeSet<_>>(), ids);
        assert!(arrived.values().all(|times| *times == 1), "{arrived:?}");
    }
    let peak = scene.receiver.peak();
    assert!(peak <= 3 * 8, "{peak} at a time, over all nodes");
    // A stop gives back what was held.
    for node in nodes {
        node.stop.send_replace(true);
        node.running.await.expect("it ends");
    }
    scene.tell(1).await;
    let lanes = scene.store.lanes(&NodeId::random(), SystemClock.now()).await.expect("it answers");
    assert_eq!((lanes.free.len(), lanes.ours.len()), (3, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_endpoint_delays_nobody() {
    let scene = Scene::on_sqlite(|received| match received.host.as_str() {
        "well.hooks.test" => Manner::Answer(200),
        _ => Manner::Hang,
    })
    .await;
    let mut dead = Vec::new();
    for name in ["d1", "d2", "d3", "d4", "d5"] {
        dead.push(scene.webhook(name).await);
    }
    let well = scene.webhook("well").await;
    let node = scene.node(Duration::from_secs(60)).await;
    let ids = scene.tell(100).await;
    scene.until_delivered(&well).await;
    assert_eq!(scene.arrived("well").into_keys().collect::<BTreeSet<_>>(), ids);
    // The dead ones hang in their first delivery, one at a time, and hold up only themselves.
    for (webhook, name) in dead.iter().zip(["d1", "d2", "d3", "d4", "d5"]) {
        let states = scene.states(webhook).await;
        assert!(states.iter().all(|state| *state == DeliveryState::Pending));
        assert!(scene.arrived(name).len() <= 1, "one at a time to whoever never answered");
    }
    node.stop.send_replace(true);
    node.running.await.expect("it waits for nobody who hangs");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_node_held_when_it_died_is_told_by_another() {
    let scene = Scene::open(fresh_postgres().await, None, |_| Manner::Answer(200)).await;
    let webhook = scene.webhook("told").await;
    let lease = Duration::from_millis(300);
    let first = scene.node(lease).await;
    scene.tell(5).await;
    scene.until_delivered(&webhook).await;
    // As pulling the plug: nothing is given back.
    first.running.abort();
    let _ = first.running.await;
    let ids = scene.tell(5).await;
    let second = scene.node(lease).await;
    scene.until_delivered(&webhook).await;
    let arrived = scene.arrived("told");
    assert!(ids.iter().all(|id| arrived.contains_key(id)));
    second.stop.send_replace(true);
    second.running.await.expect("it ends");
}
