//! Limits on connections, independent of the number of hosts.

use std::time::Duration;

use lab::{Catalogue, Lab};
use net::{FetchRequest, HttpFetch, HttpSettings, NameTable};
use tokio::task::JoinSet;

use crate::{PATIENCE, ask, on_loopback, url};

/// A lab that serves `count` hosts of `*.lab.test`, and settings that resolve them to it.
async fn many_hosts(count: usize) -> (Lab, HttpSettings) {
    let lab = Lab::start().await.expect("a port is free");
    for host in 0..count {
        lab.serve(&name(host), Catalogue::plain(3));
    }
    let mut settings = on_loopback();
    let table = format!("*.lab.test={}", lab.address());
    settings.resolver.names = NameTable::parse(&table).expect("a table");
    (lab, settings)
}

fn name(host: usize) -> String {
    format!("host-{host}.lab.test")
}

fn home(host: usize) -> FetchRequest {
    FetchRequest::get(url(&format!("http://{}/", name(host))))
}

/// Waits until `count` connections are open.
async fn open(lab: &Lab, count: usize) {
    let reached = async {
        while lab.connections() != count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let reached = tokio::time::timeout(PATIENCE, reached).await;
    assert!(reached.is_ok(), "{} open, {count} expected", lab.connections());
}

#[tokio::test]
async fn connections_idle_longest_are_closed_beyond_the_limit() {
    let (lab, settings) = many_hosts(12).await;
    let fetch = HttpFetch::new(HttpSettings { max_idle_connections: 4, ..settings })
        .expect("sound settings");
    for host in 0..12 {
        ask(&fetch, home(host)).await.expect("the lab answers");
    }
    open(&lab, 4).await;
    // The remaining connections are reused, the others opened again.
    ask(&fetch, home(11)).await.expect("the lab answers");
    assert_eq!(lab.connections(), 4);
    ask(&fetch, home(0)).await.expect("the lab answers");
    open(&lab, 4).await;
}

#[tokio::test]
async fn requests_succeed_when_no_connection_may_stay_idle() {
    let (lab, settings) = many_hosts(4).await;
    let fetch = HttpFetch::new(HttpSettings { max_idle_connections: 0, ..settings })
        .expect("sound settings");
    let mut asked = JoinSet::new();
    for turn in 0..400 {
        let fetch = fetch.clone();
        asked.spawn(async move { ask(&fetch, home(turn % 4)).await.map(|answer| answer.status) });
    }
    while let Some(answer) = asked.join_next().await {
        assert_eq!(answer.expect("no panic"), Ok(200));
    }
    open(&lab, 0).await;
}

#[tokio::test]
async fn requests_beyond_the_concurrency_limit_wait() {
    let (lab, settings) = many_hosts(1).await;
    lab.with_latency(&name(0), Duration::from_millis(20));
    let settings = HttpSettings { requests: 2, ..settings };
    let fetch = HttpFetch::new(settings).expect("sound settings");
    let mut asked = JoinSet::new();
    for _ in 0..30 {
        let fetch = fetch.clone();
        asked.spawn(async move { ask(&fetch, home(0)).await.map(|answer| answer.status) });
    }
    while let Some(answer) = asked.join_next().await {
        assert_eq!(answer.expect("no panic"), Ok(200));
    }
    assert_eq!(lab.max_in_flight(&name(0)), 2);
}
