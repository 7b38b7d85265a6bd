//! Buying against a provider on loopback that behaves as the real one: over real TLS, through
//! the real store, on a clock that the test owns.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use billing::{Recharger, RechargerSettings, Stripe, StripeKey};
use contract::{AccountId, Clock, CreditPrice, Credits, EventData, Millis};
use fixture::{NOW, PAYMENTS_HOST, PAYMENTS_KEY, Payments, Whim};
use net::{HttpPost, HttpSettings, NameTable, ResolverSettings};
use store::{PaymentSource, Store, StoreSettings, TopUpChange, TopUpRecord};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use urls::AllowedNetworks;

/// Nothing here takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

const HOUR: Duration = Duration::from_secs(60 * 60);

#[derive(Debug)]
struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}

struct Bench {
    store: Store,
    account: AccountId,
    payments: Payments,
    clock: Arc<TestClock>,
    nodes: Mutex<Vec<(watch::Sender<bool>, JoinHandle<()>)>>,
    _folder: tempfile::TempDir,
}

impl Bench {
    /// An account with 10 credits that buys 100 below 50, and a node that buys for it.
    async fn start(whims: impl IntoIterator<Item = Whim>) -> Self {
        let bench = Self::idle(whims).await;
        bench.node(PAYMENTS_KEY, Duration::from_secs(30), true);
        bench
    }

    async fn idle(whims: impl IntoIterator<Item = Whim>) -> Self {
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
        let payments = Payments::start(whims).await;
        let clock = Arc::new(TestClock(AtomicI64::new(NOW.0)));
        Self { store, account, payments, clock, nodes: Mutex::default(), _folder: folder }
    }

    /// A node that buys, with this key and this patience; to the provider or to nobody.
    fn node(&self, key: &str, patience: Duration, is_there: bool) {
        let address = self.payments.receiver.address;
        let address = if is_there { address.to_string() } else { "127.0.0.1:1".to_owned() };
        let names = NameTable::parse(&format!("{PAYMENTS_HOST}={address}")).expect("a name");
        let http = HttpSettings {
            resolver: ResolverSettings {
                names,
                allowed: AllowedNetworks::everywhere(443),
                ..ResolverSettings::default()
            },
            extra_authorities: Some(self.payments.receiver.authority().to_owned()),
            first_byte: patience,
            whole: patience,
            ..HttpSettings::default()
        };
        let http = HttpPost::new(http).expect("a way out");
        let key = StripeKey::new(key).expect("a key");
        let provider = Stripe::new(http, key, format!("https://{PAYMENTS_HOST}"));
        let settings = RechargerSettings {
            price: CreditPrice { per_thousand: 150, currency: "eur".to_owned() },
            poll: Duration::from_millis(5),
            lease: PATIENCE,
            retry: Duration::from_secs(5),
            back_off: HOUR,
            longest_back_off: 24 * HOUR,
            drain: Duration::from_secs(1),
        };
        let clock = Arc::clone(&self.clock) as _;
        let recharger = Recharger::new(self.store.clone(), provider, clock, settings);
        let (stop, stopped) = watch::channel(false);
        let running = tokio::spawn(recharger.run(stopped));
        self.nodes.lock().expect("no panic").push((stop, running));
    }

    /// Ends the node that was started last.
    async fn end_node(&self) {
        let (stop, running) = self.nodes.lock().expect("no panic").pop().expect("a node");
        stop.send_replace(true);
        running.await.expect("it ends");
    }

    fn pass(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).expect("a short time");
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }

    async fn record(&self) -> TopUpRecord {
        self.store.auto_top_up(&self.account).await.expect("it answers")
    }

    async fn until(&self, wanted: impl Fn(&TopUpRecord) -> bool) -> TopUpRecord {
        let limit = Instant::now() + PATIENCE;
        loop {
            let record = self.record().await;
            if wanted(&record) {
                return record;
            }
            assert!(Instant::now() < limit, "waited in vain: {record:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Asks again and again until the purchase is settled.
    async fn settled(&self) -> TopUpRecord {
        let limit = Instant::now() + PATIENCE;
        loop {
            let record = self.record().await;
            if record.last_recharge_at.is_some() || record.failures > 0 || !record.enabled {
                return record;
            }
            assert!(Instant::now() < limit, "waited in vain: {record:?}");
            if record.last_error.is_some() {
                self.pass(Duration::from_secs(60));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn balance(&self) -> i64 {
        let audit = self.store.audit(&self.account).await.expect("it answers").expect("an account");
        assert!(audit.agrees(), "{audit:?}");
        audit.balance.0
    }

    async fn told(&self) -> Vec<String> {
        let events = self.store.events_after(&self.account, None, 100).await.expect("it answers");
        let (events, _) = events.expect("events");
        let reason = |data| match data {
            EventData::Account { reason, .. } => reason,
            EventData::Job { .. } => panic!("no job is behind it"),
        };
        events.into_iter().map(|event| reason(event.data)).collect()
    }
}

#[tokio::test]
async fn a_purchase_is_paid_once_and_granted() {
    let bench = Bench::start([]).await;
    // More nodes want the same.
    bench.node(PAYMENTS_KEY, PATIENCE, true);
    bench.node(PAYMENTS_KEY, PATIENCE, true);
    let record = bench.settled().await;
    assert_eq!((record.last_recharge_at, record.last_error), (Some(NOW), None));
    assert_eq!(bench.balance().await, 110);
    let charges = bench.payments.charges();
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
    assert!(bench.told().await.is_empty());
}

#[tokio::test]
async fn a_declined_card_is_told_and_left_alone_for_a_while() {
    let bench = Bench::start([Whim::Decline("insufficient_funds")]).await;
    let record = bench.settled().await;
    let reason = "the payment was declined (insufficient_funds)".to_owned();
    assert_eq!((record.last_error.as_ref(), record.not_before), (Some(&reason), NOW.plus(HOUR)));
    assert_eq!(bench.told().await, [reason]);
    bench.pass(HOUR);
    let record = bench.until(|record| record.last_recharge_at.is_some()).await;
    assert_eq!((record.failures, record.last_error), (0, None));
    let keys = bench.payments.keys();
    assert!(keys.len() == 2 && keys[0] != keys[1], "another purchase, another key: {keys:?}");
    assert_eq!(bench.balance().await, 110);
}

#[tokio::test]
async fn an_answer_that_is_lost_is_asked_for_again_under_the_same_key() {
    for whim in [Whim::PayAndBreak, Whim::PayAndHang, Whim::Hang, Whim::TurnAway(500)] {
        let bench = Bench::idle([whim.clone()]).await;
        bench.node(PAYMENTS_KEY, Duration::from_millis(300), true);
        let first = bench.until(|record| record.last_error.is_some()).await;
        assert_eq!((first.failures, bench.balance().await), (0, 10), "{whim:?}: nobody knows yet");
        let record = bench.settled().await;
        assert!(record.last_recharge_at.is_some(), "{whim:?}: {record:?}");
        let keys = bench.payments.keys();
        assert!(keys.len() >= 2 && keys.iter().all(|key| *key == keys[0]), "{whim:?}: {keys:?}");
        assert_eq!(bench.payments.charges().len(), 1, "{whim:?}");
        assert_eq!(bench.balance().await, 110, "{whim:?}");
        assert!(bench.told().await.is_empty(), "{whim:?}");
    }
}

#[tokio::test]
async fn a_payment_that_takes_its_time_is_followed_by_its_name() {
    let bench = Bench::start([Whim::Process]).await;
    let pending = bench.until(|record| record.last_error.is_some()).await;
    assert_eq!(pending.last_error.as_deref(), Some("the payment is being processed"));
    assert!(bench.settled().await.last_recharge_at.is_some());
    assert_eq!((bench.payments.keys().len(), bench.balance().await), (1, 110));
    let last = bench.payments.receiver.received().pop().expect("a request");
    assert_eq!((last.method.as_str(), last.path.as_str()), ("GET", "/v1/payment_intents/pi_1"));
}

#[tokio::test]
async fn a_provider_that_is_down_is_given_up_and_tried_later() {
    let bench = Bench::idle([]).await;
    bench.node(PAYMENTS_KEY, PATIENCE, false);
    let record = bench.settled().await;
    assert_eq!(record.failures, 1);
    assert!(record.enabled && record.not_before > bench.clock.now());
    let told = bench.told().await;
    assert_eq!(told.len(), 1, "once, not for every attempt");
    assert!(told[0].contains("gave no answer (no connection"), "{told:?}");
    assert_eq!((bench.payments.keys().len(), bench.balance().await), (0, 10));
}

#[tokio::test]
async fn a_wrong_key_is_told_without_what_the_provider_says() {
    let bench = Bench::idle([]).await;
    bench.node("sk_test_wrong", PATIENCE, true);
    assert_eq!(bench.settled().await.failures, 1);
    let told = bench.told().await.join(" ");
    assert!(told.contains("refuses this service's key") && !told.contains("sk_"), "{told}");
}

#[tokio::test]
async fn what_is_in_doubt_ends_only_by_the_providers_word() {
    let bench = Bench::idle([Whim::PayAndBreak]).await;
    bench.node(PAYMENTS_KEY, PATIENCE, true);
    bench.until(|record| record.last_error.is_some()).await;
    // Now the key is another: the refusal says nothing about the payment before.
    bench.end_node().await;
    bench.node("sk_test_wrong", PATIENCE, true);
    bench.pass(Duration::from_secs(60));
    bench.until(|record| record.last_error.as_ref().is_some_and(|e| e.contains("key"))).await;
    assert_eq!((bench.record().await.failures, bench.told().await.len()), (0, 0));
    // A day later the provider may have forgotten the key: asking again could charge twice.
    bench.pass(20 * HOUR);
    let record = bench.until(|record| !record.enabled).await;
    assert!(record.last_error.is_some_and(|error| error.contains("nobody knows")));
    let told = bench.told().await;
    assert!(told.len() == 1 && told[0].contains(&bench.payments.charges()[0].key), "{told:?}");
    assert_eq!((bench.payments.charges().len(), bench.balance().await), (1, 10));
}
