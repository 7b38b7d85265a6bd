//! The service as its operator sees it.

use contract::{Mode, Status};

use crate::bench::{Bench, NOW, new_job};
use crate::on_both;

on_both!(an_empty_service_has_nothing_to_show, what_waits_and_who_works_is_seen);

async fn an_empty_service_has_nothing_to_show(bench: Bench) {
    let queue = bench.store.queue_overview().await.expect("it answers");
    assert_eq!((queue.jobs.len(), queue.waiting_shards, queue.held_shards), (0, 0, 0));
    assert_eq!(queue.oldest, None);
    assert!(bench.store.waiting_shards().await.expect("it answers").is_empty());
    assert!(bench.store.nodes().await.expect("it answers").is_empty());
    assert!(bench.store.leases().await.expect("it answers").is_empty());
}

async fn what_waits_and_who_works_is_seen(bench: Bench) {
    let account = bench.account("ada@x.org", 100).await;
    let (job, lease) = bench.running(&account, "a.example").await;
    let waiting = bench.create(&new_job(&account, "b.example")).await.accepted.job_id;

    let queue = bench.store.queue_overview().await.expect("it answers");
    assert_eq!(queue.jobs, [(Status::Queued, 1), (Status::Running, 1)]);
    assert_eq!((queue.waiting_shards, queue.held_shards), (1, 1));
    assert_eq!(queue.oldest, Some(NOW));

    let shards = bench.store.waiting_shards().await.expect("it answers");
    assert_eq!(shards.len(), 1);
    assert_eq!((&shards[0].job, shards[0].email.as_str()), (&waiting, "ada@x.org"));
    assert_eq!((shards[0].mode, shards[0].host.as_str()), (Mode::Links, "b.example"));

    let nodes = bench.store.nodes().await.expect("it answers");
    assert_eq!(nodes.len(), 1);
    assert_eq!(
        (nodes[0].node.as_str(), nodes[0].shards, nodes[0].hosts),
        (bench.node.to_string().as_str(), 1, 1)
    );
    let leases = bench.store.leases().await.expect("it answers");
    assert_eq!(leases.len(), 1);
    assert_eq!((&leases[0].job, &leases[0].node), (&job.id, &nodes[0].node));
    assert_eq!((&leases[0].account, leases[0].host.as_str()), (&account, "a.example"));

    bench.store.give_back(&bench.node, &lease).await.expect("it answers");
    assert!(bench.store.nodes().await.expect("it answers").is_empty());
    let queue = bench.store.queue_overview().await.expect("it answers");
    assert_eq!((queue.waiting_shards, queue.held_shards), (2, 0));
}
