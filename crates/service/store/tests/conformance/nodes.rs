//! Entries of nodes, their clocks, and the wake-ups between them.

use std::time::Duration;

use contract::{Clock, Millis};
use job::{JobCommand, RunEnding};
use store::{Dialect, NodeName, PageForwarding, Store, Wake};
use tokio::sync::broadcast::Receiver;
use tokio::task::JoinHandle;

use super::page_calls::call;
use super::slots::sql;
use crate::harness::{Harness, LEASE, NOW, new_job};
use crate::on_both;

on_both!(
    heartbeat_reports_a_clock_that_differs,
    creation_wakes_one_node_with_a_free_slot,
    abort_wakes_the_owner_alone,
    end_of_a_run_sends_no_wake_up,
    node_behind_pgbouncer_does_not_listen,
    entries_of_nodes_that_ended_are_purged,
    page_call_wakes_the_node_of_its_host_and_then_that_of_its_client,
);

/// The system's clock, ahead by this many milliseconds.
#[derive(Debug)]
struct ShiftedClock(i64);

impl Clock for ShiftedClock {
    fn now(&self) -> Millis {
        Millis(runtime::SystemClock.now().0 + self.0)
    }
}

async fn beat(store: &Store, node: &NodeName, free_slots: usize) {
    let clock = ShiftedClock(0);
    store.heartbeat(node, free_slots, LEASE, &clock).await.expect("it answers");
}

async fn heartbeat_reports_a_clock_that_differs(harness: Harness) {
    let ahead = async |milliseconds| {
        let clock = ShiftedClock(milliseconds);
        let beat = harness.store.heartbeat(&harness.node, 1, LEASE, &clock).await;
        let asked = harness.store.clock_difference(&clock).await.expect("it answers");
        let beat = beat.expect("it answers");
        assert_eq!(beat.is_excessive(), asked.is_excessive());
        beat
    };
    assert!(!ahead(0).await.is_excessive(), "one clock");
    let hour = 3_600_000;
    let late = ahead(-hour).await;
    assert!(late.is_excessive() && late.0 < -hour / 2, "{late:?}");
    let early = ahead(hour).await;
    assert!(early.is_excessive() && early.0 > hour / 2, "{early:?}");
}

/// Another process with its entry and, on PostgreSQL, a listener.
struct OtherNode {
    store: Store,
    node: NodeName,
    wakes: Receiver<Wake>,
    listener: JoinHandle<()>,
}

impl OtherNode {
    async fn start(harness: &Harness, free_slots: usize) -> Self {
        let (store, node) = (harness.other_node().await, NodeName::random());
        beat(&store, &node, free_slots).await;
        let wakes = store.wakes();
        let (listening, name) = (store.clone(), node.clone());
        let listener =
            tokio::spawn(async move { listening.listen(&name).await.expect("it listens") });
        Self { store, node, wakes, listener }
    }

    /// Waits until the listener is connected: earlier wake-ups are lost.
    async fn listens(&mut self, harness: &Harness) {
        let channel = format!("SELECT pg_notify('trawl_{}', 'work')", self.node);
        let pool = sqlx::AnyPool::connect(&harness.settings.url).await.expect("it connects");
        loop {
            let notify = sqlx::raw_sql(sqlx::AssertSqlSafe(channel.clone()));
            notify.execute(&pool).await.expect("it is sent");
            let woken = tokio::time::timeout(Duration::from_millis(100), self.wakes.recv()).await;
            if woken.is_ok() {
                break;
            }
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        while self.wakes.try_recv().is_ok() {}
    }

    /// The next wake-up that the node receives.
    async fn next(&mut self) -> Wake {
        let woken = tokio::time::timeout(Duration::from_secs(60), self.wakes.recv()).await;
        woken.expect("a wake-up in time").expect("a wake-up")
    }
}

impl Drop for OtherNode {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn creation_wakes_one_node_with_a_free_slot(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    if harness.store.dialect() == Dialect::Sqlite {
        let mut wakes = harness.store.wakes();
        harness.create(&new_job(&account, "example.com")).await;
        assert_eq!(wakes.recv().await.expect("a wake-up"), Wake::Work);
        return;
    }
    let mut free = OtherNode::start(&harness, 3).await;
    let mut full = OtherNode::start(&harness, 0).await;
    free.listens(&harness).await;
    full.listens(&harness).await;
    for number in 0..3 {
        harness.create(&new_job(&account, &format!("h{number}.org"))).await;
        assert_eq!(free.next().await, Wake::Work);
    }
    assert!(full.wakes.try_recv().is_err(), "the other node has no free slot");
    // The entry of a node that died is not used any more.
    sql(&harness, "UPDATE nodes SET seen_at = seen_at - 60000 WHERE free_slots > 0").await;
    beat(&full.store, &full.node, 1).await;
    harness.create(&new_job(&account, "h9.org")).await;
    assert_eq!(full.next().await, Wake::Work);
    assert!(free.wakes.try_recv().is_err());
}

async fn page_call_wakes_the_node_of_its_host_and_then_that_of_its_client(harness: Harness) {
    if harness.store.dialect() == Dialect::Sqlite {
        return;
    }
    const HOST: &str = "example.com";
    let patience = Duration::from_secs(60);
    let account = harness.account("a@x.org", 10).await;
    let mut holder = OtherNode::start(&harness, 0).await;
    let mut client = OtherNode::start(&harness, 0).await;
    holder.listens(&harness).await;
    client.listens(&harness).await;
    let mut waiting = holder.store.page_calls_waiting();
    let mut ended = client.store.page_calls_ended();
    let entered = holder.store.enter_host(&holder.node, HOST, LEASE).await;
    assert!(entered.expect("it answers"));
    let call = call(&account);
    let forwarded = client.store.forward_page(&call, HOST, &client.node, LEASE, 10).await;
    assert_eq!(forwarded.expect("it answers"), PageForwarding::Forwarded);
    let woken = tokio::time::timeout(patience, waiting.changed()).await;
    woken.expect("a wake-up in time").expect("a wake-up");
    let taken = holder.store.take_page_call(&holder.node, LEASE).await.expect("it answers");
    assert!(taken.is_some());
    holder.store.decline_page_call(&call.page_id).await.expect("it answers");
    let woken = tokio::time::timeout(patience, ended.recv()).await;
    assert_eq!(woken.expect("a wake-up in time").expect("a wake-up"), call.page_id);
    assert!(holder.wakes.try_recv().is_err() && client.wakes.try_recv().is_err(), "no other work");
}

async fn abort_wakes_the_owner_alone(harness: Harness) {
    if harness.store.dialect() == Dialect::Sqlite {
        return;
    }
    let account = harness.account("a@x.org", 10).await;
    let mut owner = OtherNode::start(&harness, 0).await;
    let mut other = OtherNode::start(&harness, 0).await;
    owner.listens(&harness).await;
    other.listens(&harness).await;
    harness.create(&new_job(&account, "example.com")).await;
    let lease = owner.store.claim(&owner.node, LEASE, NOW).await.expect("it answers");
    let lease = lease.expect("a free shard");
    harness.store.abort(&account, &lease.job, NOW).await.expect("it stops");
    assert_eq!(owner.next().await, Wake::Control);
    assert!(other.wakes.try_recv().is_err(), "it has no shard of the job");
}

async fn end_of_a_run_sends_no_wake_up(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (_, lease) = harness.running(&account, "example.com").await;
    let mut own = harness.store.wakes();
    let mut other = None;
    if harness.store.dialect() == Dialect::Postgres {
        let mut node = OtherNode::start(&harness, 1).await;
        node.listens(&harness).await;
        other = Some(node);
    }
    let end = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(&lease, &end, NOW).await.expect("it ends");
    // The first wake-up is that of the next job.
    harness.create(&new_job(&account, "example.org")).await;
    match &mut other {
        Some(node) => assert_eq!(node.next().await, Wake::Work),
        None => assert_eq!(own.recv().await.expect("a wake-up"), Wake::Work),
    }
    assert!(own.try_recv().is_err());
}

async fn node_behind_pgbouncer_does_not_listen(harness: Harness) {
    let harness = harness.with(|settings| settings.pgbouncer = true).await;
    let account = harness.account("a@x.org", 10).await;
    let listening = harness.store.clone();
    let node = harness.node.clone();
    let listener = tokio::spawn(async move { listening.listen(&node).await });
    let mut wakes = harness.store.wakes();
    // It wakes itself, and works as otherwise.
    let (_, mut lease) = harness.running(&account, "example.com").await;
    assert_eq!(wakes.recv().await.expect("a wake-up"), Wake::Work);
    assert_eq!(harness.append(&mut lease, 0..2).await, store::Appended::Stored);
    assert!(!listener.is_finished());
    listener.abort();
}

async fn entries_of_nodes_that_ended_are_purged(harness: Harness) {
    let many = async || {
        let pool = sqlx::AnyPool::connect(&harness.settings.url).await.expect("it connects");
        let count = sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM nodes");
        count.fetch_one(&pool).await.expect("it answers")
    };
    let (gone, stopped) = (NodeName::random(), NodeName::random());
    for node in [&harness.node, &gone, &stopped] {
        beat(&harness.store, node, 1).await;
    }
    harness.store.forget_node(&stopped).await.expect("it answers");
    assert_eq!(many().await, 2, "it was shut down");
    sql(&harness, "UPDATE nodes SET seen_at = 1 WHERE name = (SELECT MIN(name) FROM nodes)").await;
    harness.store.purge(Duration::from_secs(1), NOW).await.expect("it answers");
    assert_eq!(many().await, 1, "it was killed");
}
