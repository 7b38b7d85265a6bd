//! The operator's overview of queue, nodes and leases.

use contract::{Mode, Status};
use store::NodeDescription;

use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

on_both!(
    overview_of_an_empty_service_is_empty,
    overview_lists_waiting_shards_nodes_and_leases,
    idle_nodes_are_listed_with_their_description,
    ready_shards_are_those_that_another_node_could_claim,
);

async fn overview_of_an_empty_service_is_empty(harness: Harness) {
    let queue = harness.store.queue_overview().await.expect("it answers");
    assert_eq!((queue.jobs.len(), queue.waiting_shards, queue.held_shards), (0, 0, 0));
    assert_eq!(queue.oldest, None);
    assert!(harness.store.waiting_shards().await.expect("it answers").is_empty());
    assert!(harness.store.nodes().await.expect("it answers").is_empty());
    assert!(harness.store.leases().await.expect("it answers").is_empty());
}

async fn overview_lists_waiting_shards_nodes_and_leases(harness: Harness) {
    let account = harness.account("ada@x.org", 100).await;
    let (job, lease) = harness.running(&account, "a.example").await;
    let waiting = harness.create(&new_job(&account, "b.example")).await.accepted.job_id;

    let queue = harness.store.queue_overview().await.expect("it answers");
    assert_eq!(queue.jobs, [(Status::Queued, 1), (Status::Running, 1)]);
    assert_eq!((queue.waiting_shards, queue.held_shards), (1, 1));
    assert_eq!(queue.oldest, Some(NOW));

    let shards = harness.store.waiting_shards().await.expect("it answers");
    assert_eq!(shards.len(), 1);
    assert_eq!((&shards[0].job, shards[0].email.as_str()), (&waiting, "ada@x.org"));
    assert_eq!((shards[0].mode, shards[0].host.as_str()), (Mode::Links, "b.example"));

    let nodes = harness.store.nodes().await.expect("it answers");
    assert_eq!(nodes.len(), 1);
    assert_eq!(
        (nodes[0].node.as_str(), nodes[0].shards, nodes[0].hosts),
        (harness.node.to_string().as_str(), 1, 1)
    );
    assert!(nodes[0].lease_until.is_some() && nodes[0].version.is_none());
    let leases = harness.store.leases().await.expect("it answers");
    assert_eq!(leases.len(), 1);
    assert_eq!((&leases[0].job, &leases[0].node), (&job.id, &nodes[0].node));
    assert_eq!((&leases[0].account, leases[0].host.as_str()), (&account, "a.example"));

    harness.store.release_lease(&harness.node, &lease).await.expect("it answers");
    assert!(harness.store.nodes().await.expect("it answers").is_empty());
    let queue = harness.store.queue_overview().await.expect("it answers");
    assert_eq!((queue.waiting_shards, queue.held_shards), (2, 0));
}

async fn ready_shards_are_those_that_another_node_could_claim(harness: Harness) {
    let harness = harness.with(|settings| settings.running_jobs = 2).await;
    let store = &harness.store;
    let ready = async || store.count_ready_shards().await.expect("it answers");
    assert_eq!(ready().await, 0);
    let (ada, bob) =
        (harness.account("ada@x.org", 100).await, harness.account("bob@x.org", 100).await);
    let (_, lease) = harness.running(&ada, "a.example").await;
    harness.create(&new_job(&bob, "a.example")).await;
    assert_eq!(ready().await, 0, "its host is leased");
    harness.create(&new_job(&ada, "b.example")).await;
    harness.create(&new_job(&ada, "c.example")).await;
    assert_eq!(ready().await, 1, "the account has two jobs at a time");
    assert!(store.count_waiting_shards().await.expect("it answers") >= 2);
    store.release_lease(&harness.node, &lease).await.expect("it answers");
    assert_eq!(ready().await, 3, "all but the third job of an account");
}

async fn idle_nodes_are_listed_with_their_description(harness: Harness) {
    let store = &harness.store;
    let description = NodeDescription { version: "1.2.3".to_owned(), slots: 8, has_browser: true };
    let known = store.describe_node(&harness.node, &description).await;
    assert!(!known.expect("it answers"), "it is not registered");
    let lease = std::time::Duration::from_secs(10);
    let beat = store.heartbeat(&harness.node, 5, lease, &runtime::SystemClock).await;
    beat.expect("it answers");
    let known = store.describe_node(&harness.node, &description).await;
    assert!(known.expect("it answers"));
    let nodes = store.nodes().await.expect("it answers");
    assert_eq!(nodes.len(), 1);
    let node = &nodes[0];
    assert_eq!((node.shards, node.hosts, node.lease_until), (0, 0, None));
    assert_eq!(
        (node.version.as_deref(), node.slots, node.browser),
        (Some("1.2.3"), Some(8), Some(1))
    );
    assert!(node.seen_at.is_some() && node.clock_ahead.is_some());
}
