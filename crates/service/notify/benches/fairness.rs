//! Measures whether dead or slow receivers delay healthy ones.
//!
//!     cargo bench -p notify --bench fairness [-- SECONDS]
//!
//! 1,000 deliveries a second in all to 100 endpoints over SQLite and real TLS on loopback: 80
//! are healthy, 10 are dead (5 hang, 5 refuse the connection), 10 take 2 s to respond. The baseline is
//! the 80 healthy ones alone. Five alternating rounds of both; prints the delay from the event to its
//! arrival, and the ratio of the medians of the p99.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use contract::Credits;
use fixture::{ReceivedRequest, ReceiverBehavior, WebhookReceiver};
use net::{HttpPost, HttpSettings, NameTable, ResolverSettings};
use notify::{Notifier, NotifierSettings};
use runtime::SystemClock;
use store::{NewAccount, NewWebhook, SecretKey, Store, StoreSettings};
use tokio_util::sync::CancellationToken;
use urls::AllowedNetworks;

const ACCOUNTS: usize = 5;
const HEALTHY: usize = 16;
const HANGING: usize = 1;
const REFUSING: usize = 1;
const SLOW: usize = 2;
/// Each endpoint gets ten deliveries a second.
const EVERY: Duration = Duration::from_millis(100);
const ROUNDS: usize = 5;
/// The first deliveries open the connections, which are kept alive.
const WARM_UP: Duration = Duration::from_secs(2);

/// Times of emitted events and of their arrivals at healthy endpoints.
#[derive(Default)]
struct ArrivalLog {
    emitted: HashMap<String, Instant>,
    arrived: Vec<(String, Instant)>,
}

#[derive(Debug, Clone, Copy)]
struct Delays {
    p50: Duration,
    p99: Duration,
    most: Duration,
    rate: f64,
}

#[tokio::main]
async fn main() {
    let seconds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(10);
    let span = Duration::from_secs(seconds);
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        for (with_bad, all) in [(false, &mut alone), (true, &mut beside)] {
            let delays = measure(with_bad, span).await;
            let who = if with_bad { "beside dead and slow ones" } else { "alone" };
            println!(
                "round {round}, the healthy {who}: p50 {:?}, p99 {:?}, most {:?}; {:.0} \
                 deliveries/s to them",
                delays.p50, delays.p99, delays.most, delays.rate
            );
            all.push(delays.p99);
        }
    }
    for all in [&mut alone, &mut beside] {
        all.sort_unstable();
    }
    let ratio = beside[ROUNDS / 2].as_secs_f64() / alone[ROUNDS / 2].as_secs_f64();
    println!("p99 beside / p99 alone: {ratio:.2} (goal: at most 1.5)");
}

async fn measure(with_bad: bool, span: Duration) -> Delays {
    let log = Arc::new(Mutex::new(ArrivalLog::default()));
    let seen = Arc::clone(&log);
    let receiver =
        WebhookReceiver::start(&["*.hooks.test"], move |received| behave(received, &seen)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
    let secret_key = Some(SecretKey::mint());
    let store = Store::new(StoreSettings { secret_key, ..StoreSettings::new(url) });
    let store = store.expect("an address");
    store.prepare().await.expect("tables");

    let mut accounts = Vec::new();
    for number in 0..ACCOUNTS {
        let new = NewAccount {
            email: format!("{number}@example.com"),
            password: "correct horse".to_owned(),
            credits: Credits(0),
            admin: false,
        };
        let account = store.create_account(new, fixture::NOW).await.expect("it answers");
        let account = account.expect("a password").expect("an account").id;
        let bad = [("hang", HANGING), ("refuse", REFUSING), ("slow", SLOW)];
        let kinds = [("well", HEALTHY)].into_iter().chain(bad.into_iter().filter(|_| with_bad));
        for (kind, count) in kinds {
            for n in 0..count {
                let url = format!("https://{kind}-{number}-{n}.hooks.test/");
                let new = NewWebhook { url, events: None, created_by: None };
                let made = store.create_webhook(&account, new, fixture::NOW).await;
                made.expect("it answers").expect("below the limit");
            }
        }
        accounts.push(account);
    }

    let stop = CancellationToken::new();
    let clock = Arc::new(SystemClock);
    let notifier =
        Notifier::new(store.clone(), http(&receiver), clock, NotifierSettings::default());
    let notifier = tokio::spawn(notifier.run(stop.clone()));
    let started = Instant::now();
    let emitting = accounts.into_iter().enumerate().map(|(number, account)| {
        let (store, log) = (store.clone(), Arc::clone(&log));
        tokio::spawn(async move {
            // Staggered, not all at the same time.
            let offset = EVERY * u32::try_from(number).expect("a few") / 5;
            let mut ticks = tokio::time::interval_at((started + offset).into(), EVERY);
            while started.elapsed() < span {
                ticks.tick().await;
                let at = Instant::now();
                let event = store.emit_recharge_failed(&account, "bench", now()).await;
                let id = event.expect("it answers").id.to_string();
                log.lock().expect("whole").emitted.insert(id, at);
            }
        })
    });
    for task in emitting.collect::<Vec<_>>() {
        task.await.expect("no panic");
    }
    let expected = log.lock().expect("whole").emitted.len() * HEALTHY;
    let deadline = Instant::now() + Duration::from_secs(60);
    while log.lock().expect("whole").arrived.len() < expected {
        assert!(Instant::now() < deadline, "deliveries to the healthy endpoints timed out");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.cancel();
    notifier.await.expect("it ends");
    store.close().await;

    let log = log.lock().expect("whole");
    let last = log.arrived.iter().map(|(_, at)| *at).max().expect("arrivals");
    let mut delays: Vec<Duration> = log
        .arrived
        .iter()
        .map(|(id, at)| (log.emitted[id], *at))
        .filter(|(emitted, _)| emitted.duration_since(started) >= WARM_UP)
        .map(|(emitted, at)| at.duration_since(emitted))
        .collect();
    delays.sort_unstable();
    let at = |share: f64| delays[((delays.len() - 1) as f64 * share) as usize];
    let rate = expected as f64 / last.duration_since(started).as_secs_f64();
    Delays { p50: at(0.5), p99: at(0.99), most: at(1.0), rate }
}

fn now() -> contract::Millis {
    contract::Clock::now(&SystemClock)
}

fn behave(received: &ReceivedRequest, log: &Mutex<ArrivalLog>) -> ReceiverBehavior {
    match received.host.split('-').next().unwrap_or_default() {
        "hang" => ReceiverBehavior::Hang,
        "slow" => ReceiverBehavior::Slow(Duration::from_secs(2)),
        _ => {
            let body = String::from_utf8_lossy(&received.body);
            let id = body.split('"').nth(3).expect("an id").to_owned();
            log.lock().expect("whole").arrived.push((id, received.at));
            ReceiverBehavior::Status(200)
        }
    }
}

/// The HTTP client, as `trawl serve` sets it up.
fn http(receiver: &WebhookReceiver) -> HttpPost {
    let refusing = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let refused = refusing.local_addr().expect("an address");
    drop(refusing);
    let refusing = (0..ACCOUNTS).map(|n| format!("refuse-{n}-0.hooks.test={refused}"));
    let names: Vec<_> = refusing.chain([format!("*.hooks.test={}", receiver.address)]).collect();
    let timeout = Duration::from_secs(15);
    HttpPost::new(HttpSettings {
        resolver: ResolverSettings {
            names: NameTable::parse(&names.join(",")).expect("a table"),
            allowed: AllowedNetworks::parse("127.0.0.1").expect("a network"),
            check_name_table: true,
            ..ResolverSettings::default()
        },
        extra_authorities: Some(receiver.authority().to_owned()),
        first_byte: timeout,
        whole: timeout,
        body_bytes: 16 * 1024,
        bytes_per_second: 0,
        ..HttpSettings::default()
    })
    .expect("an HTTP client")
}
