//! Recharges against a payment provider on loopback: over TLS, with a real store and a test clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use billing::{Recharger, RechargerSettings, Stripe, StripeKey};
use contract::{AccountId, Clock, CreditPrice, Credits, EventData, Millis};
use fixture::{NOW, PAYMENTS_HOST, PAYMENTS_KEY, PaymentBehavior, PaymentProvider};
use net::{HttpPost, HttpSettings, NameTable, ResolverSettings};
use store::{PaymentSource, Store, StoreSettings, TopUpChange, TopUpRecord};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use urls::AllowedNetworks;

/// Longer than any step takes unless it hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

const HOUR: Duration = Duration::from_secs(60 * 60);

#[derive(Debug)]
struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}

struct Harness {
    store: Store,
    account: AccountId,
    payments: PaymentProvider,
    clock: Arc<TestClock>,
    nodes: Mutex<Vec<(CancellationToken, JoinHandle<()>)>>,
    _folder: tempfile::TempDir,
}

impl Harness {
    /// An account with 10 credits that buys 100 below 50, and a running node.
    async fn start(behaviors: impl IntoIterator<Item = PaymentBehavior>) -> Self {
        let harness = Self::idle(behaviors).await;
        harness.node(PAYMENTS_KEY, Duration::from_secs(30), true);
        harness
    }

    async fn idle(behaviors: impl IntoIterator<Item = PaymentBehavior>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        let account = fixture::account(&store, 10).await;
        let source = PaymentSource { customer: "cus_1".to_owned(), method: "pm_1".to_owned() };
        store.set_payment_source(&account, &source).await.expect("it answers");
        let (threshold, amount) = (Some(Credits(50)), Some(Credits(100)));
        let change = TopUpChange { enabled: true, threshold, amount, monthly: None };
        store.set_auto_top_up(&account, change).await.expect("it answers");
        let payments = PaymentProvider::start(behaviors).await;
        let clock = Arc::new(TestClock(AtomicI64::new(NOW.0)));
        Self { store, account, payments, clock, nodes: Mutex::default(), _folder: folder }
    }

    /// Starts a node with this API key and timeout; without `is_reachable` it connects to a closed port.
    fn node(&self, key: &str, timeout: Duration, is_reachable: bool) {
        let address = self.payments.receiver.address;
        let address = if is_reachable { address.to_string() } else { "127.0.0.1:1".to_owned() };
        let names = NameTable::parse(&format!("{PAYMENTS_HOST}={address}")).expect("a name");
        let http = HttpSettings {
            resolver: ResolverSettings {
                names,
                allowed: AllowedNetworks::everywhere(443),
                ..ResolverSettings::default()
            },
            extra_authorities: Some(self.payments.receiver.authority().to_owned()),
            first_byte: timeout,
            whole: timeout,
            ..HttpSettings::default()
        };
        let http = HttpPost::new(http).expect("a way out");
        let key = StripeKey::new(key).expect("a key");
        let provider = Stripe::new(http, key, format!("https://{PAYMENTS_HOST}"));
        let settings = RechargerSettings {
            price: CreditPrice { per_thousand: 150, currency: "eur".to_owned() },
            poll: Duration::from_millis(5),
            lease: TIMEOUT,
            retry: Duration::from_secs(5),
            back_off: HOUR,
            longest_back_off: 24 * HOUR,
            drain: Duration::from_secs(1),
        };
        let clock = Arc::clone(&self.clock) as _;
        let recharger = Recharger::new(self.store.clone(), provider, clock, settings);
        let stop = CancellationToken::new();
        let running = tokio::spawn(recharger.run(stop.clone()));
        self.nodes.lock().expect("no panic").push((stop, running));
    }

    /// Stops the node that was started last.
    async fn end_node(&self) {
        let (stop, running) = self.nodes.lock().expect("no panic").pop().expect("a node");
        stop.cancel();
        running.await.expect("it ends");
    }

    fn advance(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).expect("a short time");
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }

    async fn record(&self) -> TopUpRecord {
        self.store.auto_top_up(&self.account).await.expect("it answers")
    }

    async fn until(&self, wanted: impl Fn(&TopUpRecord) -> bool) -> TopUpRecord {
        let limit = Instant::now() + TIMEOUT;
        loop {
            let record = self.record().await;
            if wanted(&record) {
                return record;
            }
            assert!(Instant::now() < limit, "timed out: {record:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Advances the clock until the recharge is closed.
    async fn until_closed(&self) -> TopUpRecord {
        let limit = Instant::now() + TIMEOUT;
        loop {
            let record = self.record().await;
            if record.last_recharge_at.is_some() || record.failures > 0 || !record.enabled {
                return record;
            }
            assert!(Instant::now() < limit, "timed out: {record:?}");
            if record.last_error.is_some() {
                self.advance(Duration::from_secs(60));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn balance(&self) -> i64 {
        let audit =
            self.store.audit_ledger(&self.account).await.expect("it answers").expect("an account");
        assert!(audit.is_consistent(), "{audit:?}");
        audit.balance.0
    }

    async fn failure_events(&self) -> Vec<String> {
        let events = self.store.events_after(&self.account, None, 100).await.expect("it answers");
        let (events, _) = events.expect("events");
        let reason = |data| match data {
            EventData::Account { reason, .. } => reason,
            other => panic!("not an event of an account: {other:?}"),
        };
        events.into_iter().map(|event| reason(event.data)).collect()
    }
}

#[tokio::test]
async fn recharge_is_charged_once_and_granted() {
    let harness = Harness::start([]).await;
    // More nodes for the same recharge.
    harness.node(PAYMENTS_KEY, TIMEOUT, true);
    harness.node(PAYMENTS_KEY, TIMEOUT, true);
    let record = harness.until_closed().await;
    assert_eq!((record.last_recharge_at, record.last_error), (Some(NOW), None));
    assert_eq!(harness.balance().await, 110);
    let charges = harness.payments.charges();
    assert_eq!(charges.len(), 1);
    let wanted = [
        ("amount", "15"),
        ("currency", "eur"),
        ("customer", "cus_1"),
        ("payment_method", "pm_1"),
        ("off_session", "true"),
        ("confirm", "true"),
        ("metadata[recharge]", charges[0].key.as_str()),
    ];
    for (name, value) in wanted {
        assert_eq!(charges[0].field(name), Some(value), "{name}");
    }
    assert!(charges[0].key.starts_with("rch_"));
    assert!(harness.failure_events().await.is_empty());
}

#[tokio::test]
async fn declined_card_emits_an_event_and_backs_off() {
    let harness = Harness::start([PaymentBehavior::Decline("insufficient_funds")]).await;
    let record = harness.until_closed().await;
    let reason = "the payment was declined (insufficient_funds)".to_owned();
    assert_eq!((record.last_error.as_ref(), record.not_before), (Some(&reason), NOW.plus(HOUR)));
    assert_eq!(harness.failure_events().await, [reason]);
    harness.advance(HOUR);
    let record = harness.until(|record| record.last_recharge_at.is_some()).await;
    assert_eq!((record.failures, record.last_error), (0, None));
    let keys = harness.payments.keys();
    assert!(keys.len() == 2 && keys[0] != keys[1], "a new recharge has a new key: {keys:?}");
    assert_eq!(harness.balance().await, 110);
}

#[tokio::test]
async fn lost_response_is_retried_with_the_same_idempotency_key() {
    for behavior in [
        PaymentBehavior::PayAndClose,
        PaymentBehavior::PayAndHang,
        PaymentBehavior::Hang,
        PaymentBehavior::Reject(500),
    ] {
        let harness = Harness::idle([behavior.clone()]).await;
        harness.node(PAYMENTS_KEY, Duration::from_millis(300), true);
        let first = harness.until(|record| record.last_error.is_some()).await;
        assert_eq!(
            (first.failures, harness.balance().await),
            (0, 10),
            "{behavior:?}: unknown so far"
        );
        let record = harness.until_closed().await;
        assert!(record.last_recharge_at.is_some(), "{behavior:?}: {record:?}");
        let keys = harness.payments.keys();
        assert!(
            keys.len() >= 2 && keys.iter().all(|key| *key == keys[0]),
            "{behavior:?}: {keys:?}"
        );
        assert_eq!(harness.payments.charges().len(), 1, "{behavior:?}");
        assert_eq!(harness.balance().await, 110, "{behavior:?}");
        assert!(harness.failure_events().await.is_empty(), "{behavior:?}");
    }
}

#[tokio::test]
async fn pending_payment_is_queried_by_its_reference() {
    let harness = Harness::start([PaymentBehavior::Process]).await;
    let pending = harness.until(|record| record.last_error.is_some()).await;
    assert_eq!(pending.last_error.as_deref(), Some("the payment is being processed"));
    assert!(harness.until_closed().await.last_recharge_at.is_some());
    assert_eq!((harness.payments.keys().len(), harness.balance().await), (1, 110));
    let last = harness.payments.receiver.received().pop().expect("a request");
    assert_eq!((last.method.as_str(), last.path.as_str()), ("GET", "/v1/payment_intents/pi_1"));
}

#[tokio::test]
async fn unreachable_provider_fails_the_recharge_and_backs_off() {
    let harness = Harness::idle([]).await;
    harness.node(PAYMENTS_KEY, TIMEOUT, false);
    let record = harness.until_closed().await;
    assert_eq!(record.failures, 1);
    assert!(record.enabled && record.not_before > harness.clock.now());
    let events = harness.failure_events().await;
    assert_eq!(events.len(), 1, "once, not for every attempt");
    assert!(events[0].contains("gave no answer (connection failed"), "{events:?}");
    assert_eq!((harness.payments.keys().len(), harness.balance().await), (0, 10));
}

#[tokio::test]
async fn rejected_api_key_is_reported_without_the_text_of_the_provider() {
    let harness = Harness::idle([]).await;
    harness.node("sk_test_wrong", TIMEOUT, true);
    assert_eq!(harness.until_closed().await.failures, 1);
    let events = harness.failure_events().await.join(" ");
    assert!(events.contains("refuses this service's key") && !events.contains("sk_"), "{events}");
}

#[tokio::test]
async fn payment_in_doubt_is_never_charged_twice() {
    let harness = Harness::idle([PaymentBehavior::PayAndClose]).await;
    harness.node(PAYMENTS_KEY, TIMEOUT, true);
    harness.until(|record| record.last_error.is_some()).await;
    // With another API key: the rejection says nothing about the earlier payment.
    harness.end_node().await;
    harness.node("sk_test_wrong", TIMEOUT, true);
    harness.advance(Duration::from_secs(60));
    harness.until(|record| record.last_error.as_ref().is_some_and(|e| e.contains("key"))).await;
    assert_eq!((harness.record().await.failures, harness.failure_events().await.len()), (0, 0));
    // A day later the provider may have dropped the idempotency key: a retry could charge twice.
    harness.advance(20 * HOUR);
    let record = harness.until(|record| !record.enabled).await;
    assert!(record.last_error.is_some_and(|error| error.contains("it is unknown whether")));
    let events = harness.failure_events().await;
    assert!(
        events.len() == 1 && events[0].contains(&harness.payments.charges()[0].key),
        "{events:?}"
    );
    assert_eq!((harness.payments.charges().len(), harness.balance().await), (1, 10));
}
