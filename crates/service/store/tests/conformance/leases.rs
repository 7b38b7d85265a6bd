//! Leases, epochs, hosts and control.

use std::time::Duration;

use contract::{Millis, Status};
use job::{JobCommand, RunEnding};
use store::{Appended, Claimable, CommandError, Lease, NodeName, Wake};

use super::slots::sql;
use crate::harness::{Harness, LEASE, NOW, new_job};
use crate::on_both;

on_both!(
    shard_is_leased_by_one_node,
    leases_are_renewed_together_and_others_expire,
    stale_lease_writes_nothing,
    abort_revokes_the_lease,
    host_is_leased_by_one_node,
    pages_share_the_host_with_runs_of_their_node_alone,
    lease_of_a_page_ends_unless_it_is_renewed,
    commit_resets_the_count_of_deaths,
    parallel_claims_get_different_shards,
    released_shard_is_claimable_at_once,
    crashes_are_counted_until_they_are_reset,
    evicted_run_is_claimed_only_with_enough_memory,
    run_that_cannot_be_claimed_is_not_reported_as_evicted,
    evicted_runs_of_accounts_are_resumed_in_turns,
    commit_stores_the_memory_of_its_run,
);

async fn pages_share_the_host_with_runs_of_their_node_alone(harness: Harness) {
    let (own, other) = (&harness.node, NodeName::random());
    let (store, host, minute) = (&harness.store, "example.com", Duration::from_secs(60));
    let enter = async |node| store.enter_host(node, host, minute).await.expect("it answers");
    let leave = async |node| store.leave_host(node, host).await.expect("it answers");
    assert!(enter(own).await && enter(own).await, "pages of one node");
    assert!(!enter(&other).await, "another node has the host");
    leave(own).await;
    assert!(!enter(&other).await, "one page is left");
    let account = harness.account("a@x.org", 100).await;
    let (_, lease) = harness.running(&account, host).await;
    leave(own).await;
    assert!(!enter(&other).await, "the run of the node has the host");
    assert!(enter(own).await, "beside the run");
    store.release_lease(own, &lease).await.expect("it answers");
    assert!(!enter(&other).await, "a page is left");
    leave(own).await;
    assert!(enter(&other).await, "free");
    let claimed = store.claim(own, LEASE, NOW).await.expect("it answers");
    assert!(claimed.is_none(), "the page of another node has the host");
    leave(&other).await;
    assert!(store.claim(own, LEASE, NOW).await.expect("it answers").is_some());
}

async fn lease_of_a_page_ends_unless_it_is_renewed(harness: Harness) {
    let (own, other) = (&harness.node, NodeName::random());
    let (store, host, moment) = (&harness.store, "example.com", Duration::from_millis(1));
    let enter = async |node| store.enter_host(node, host, moment).await.expect("it answers");
    assert!(enter(own).await);
    tokio::time::sleep(moment * 20).await;
    assert!(enter(&other).await, "the lease has ended");
    store.stay_on_host(&other, host, Duration::from_secs(60)).await.expect("it answers");
    tokio::time::sleep(moment * 20).await;
    assert!(!enter(own).await, "the lease was renewed");
    store.stay_on_host(own, host, Duration::from_secs(60)).await.expect("it answers");
    store.leave_host(&other, host).await.expect("it answers");
    assert!(enter(own).await, "another node has renewed nothing");
}

async fn crashes_are_counted_until_they_are_reset(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    for crashes in 1..4 {
        // A commit between two crashes does not reset the count, because the run may crash on one
        // page. Neither does a restart of the node.
        assert_eq!(harness.append(&mut lease, crashes..crashes + 1).await, Appended::Stored);
        harness.store.release_all_leases().await.expect("it answers");
        lease = harness.claim().await.expect("free again");
        harness.store.release_lease(&harness.node, &lease).await.expect("it answers");
        lease = harness.claim().await.expect("free again");
        assert_eq!(lease.crashes, crashes);
    }
    harness.store.reset_crashes(&lease).await.expect("it answers");
    harness.store.release_lease(&harness.node, &lease).await.expect("it answers");
    assert_eq!(harness.claim().await.expect("free again").crashes, 0);
}

/// The memory of the first evicted run that this node could claim.
async fn next_evicted_memory(harness: &Harness, waited: Duration) -> Option<usize> {
    let waits = harness.store.next_evicted_memory(Claimable::All, &harness.node, waited).await;
    waits.expect("it answers")
}

/// Claims with this much free memory.
async fn claim_with_memory(harness: &Harness, free_memory: usize) -> Option<Lease> {
    let claimed =
        harness.store.claim_among(Claimable::All, free_memory, &harness.node, LEASE, NOW).await;
    claimed.expect("it answers")
}

async fn evicted_run_is_claimed_only_with_enough_memory(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (_, large) = harness.running(&account, "large.org").await;
    harness.store.evict(&harness.node, &large, 1_000).await.expect("it answers");
    assert_eq!(claim_with_memory(&harness, 999).await, None);
    harness.create(&new_job(&account, "small.org")).await;
    let small = claim_with_memory(&harness, 999).await.expect("the other run");
    assert_eq!((small.host.as_str(), small.memory_bytes), ("small.org", 0));
    assert_eq!(next_evicted_memory(&harness, Duration::ZERO).await, Some(1_000));
    let waits = next_evicted_memory(&harness, Duration::from_secs(600)).await;
    assert_eq!(waits, None, "it was evicted a moment ago");
    let again = claim_with_memory(&harness, 1_000).await.expect("the evicted run");
    assert_eq!((again.shard, again.memory_bytes), (large.shard, 1_000));
    assert_eq!(next_evicted_memory(&harness, Duration::ZERO).await, None);
}

async fn run_that_cannot_be_claimed_is_not_reported_as_evicted(harness: Harness) {
    let harness = harness.with(|settings| settings.running_jobs = 1).await;
    let mut accounts = Vec::new();
    for email in ["a@x.org", "b@x.org", "c@x.org"] {
        accounts.push(harness.account(email, 100).await);
    }
    let [ada, bob, carol] = &accounts[..] else { unreachable!("there are three") };
    let waits = async || next_evicted_memory(&harness, Duration::ZERO).await;

    harness.create(&new_job(ada, "limited.org")).await;
    let limited = harness.claim().await.expect("a free shard");
    harness.store.evict(&harness.node, &limited, 3_000).await.expect("it answers");
    assert_eq!(waits().await, Some(3_000));
    // Admitted by a node with a higher limit.
    sql(&harness, "UPDATE jobs SET admitted = 0").await;
    harness.create(&new_job(ada, "other.org")).await;
    sql(&harness, "UPDATE jobs SET admitted = 1").await;
    let other = claim_with_memory(&harness, 999).await.expect("the other run");
    harness.start(&other).await;
    assert_eq!(waits().await, None, "the account may run only one");

    let (_, large) = harness.running(bob, "large.org").await;
    harness.store.evict(&harness.node, &large, 2_000).await.expect("it answers");
    assert_eq!(waits().await, Some(2_000));
    harness.store.suspend_account(bob, NOW).await.expect("it answers");
    assert_eq!(waits().await, None, "the account is suspended");
    harness.store.resume_account(bob, NOW).await.expect("it answers");
    assert_eq!(waits().await, Some(2_000));

    harness.create(&new_job(carol, "large.org")).await;
    let node = NodeName::random();
    let theirs = harness.store.claim_among(Claimable::All, 999, &node, LEASE, NOW).await;
    assert_eq!(theirs.expect("it answers").expect("a free shard").host, "large.org");
    assert_eq!(waits().await, None, "another node holds the host");
}

async fn evicted_runs_of_accounts_are_resumed_in_turns(harness: Harness) {
    let (many, one) =
        (harness.account("a@x.org", 100).await, harness.account("b@x.org", 100).await);
    let mut leases = Vec::new();
    for (account, host) in [
        (&many, "1.a.org"),
        (&many, "2.a.org"),
        (&many, "3.a.org"),
        (&many, "4.a.org"),
        (&one, "1.b.org"),
        (&one, "2.b.org"),
    ] {
        leases.push(harness.running(account, host).await.1);
    }
    for (bytes, lease) in (1..).zip(&leases) {
        harness.store.evict(&harness.node, lease, bytes).await.expect("it answers");
    }
    // Evictions within the same millisecond have no order.
    sql(&harness, "UPDATE shards SET queued_at = memory_bytes").await;
    let resume = async || {
        let next = next_evicted_memory(&harness, Duration::ZERO).await;
        let lease = harness.claim().await.expect("an evicted run");
        assert_eq!(next, Some(lease.memory_bytes), "memory is freed for the run that is next");
        lease.host
    };
    let mut hosts = Vec::new();
    for _ in 0..leases.len() {
        hosts.push(resume().await);
    }
    let mut expected = ["1.a.org", "1.b.org", "2.a.org", "2.b.org", "3.a.org", "4.a.org"];
    // Accounts take turns in the order of their ids.
    if one < many {
        expected.swap(0, 1);
        expected.swap(2, 3);
    }
    assert_eq!(hosts, expected);
}

async fn commit_stores_the_memory_of_its_run(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    lease.memory_bytes = 5_000;
    assert_eq!(harness.append(&mut lease, 0..1).await, Appended::Stored);
    harness.store.release_all_leases().await.expect("it answers");
    assert_eq!(claim_with_memory(&harness, 4_999).await, None, "after a crash as well");
    assert_eq!(
        claim_with_memory(&harness, 5_000).await.expect("below the limit").memory_bytes,
        5_000
    );
}

async fn shard_is_leased_by_one_node(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    harness.create(&new_job(&account, "example.com")).await;
    let lease = harness.claim().await.expect("a free shard");
    assert_eq!(harness.claim().await, None, "it is taken");
    assert!(harness.store.held(std::slice::from_ref(&lease)).await.expect("it answers")[0]);
    let held = harness.store.renew(&harness.node, std::slice::from_ref(&lease), LEASE).await;
    assert_eq!(held.expect("it answers"), [true]);
    harness.store.release_all_leases().await.expect("it answers");
    let next = harness.claim().await.expect("free again");
    assert!(next.epoch > lease.epoch);
    assert!(!harness.store.held(std::slice::from_ref(&lease)).await.expect("it answers")[0]);
    let held = harness.store.renew(&harness.node, &[lease, next], LEASE).await.expect("it answers");
    assert_eq!(held, [false, true]);
}

async fn leases_are_renewed_together_and_others_expire(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let mut leases = Vec::new();
    for number in 0..4 {
        leases.push(harness.running(&account, &format!("h{number}.org")).await.1);
    }
    let unlisted = leases.pop().expect("the fourth");
    harness.store.abort(&account, &leases[1].job, NOW).await.expect("it stops");
    let held = harness.store.renew(&harness.node, &leases, LEASE * 10).await.expect("it answers");
    assert_eq!(held, [true, false, true]);
    assert_eq!(harness.store.held(&leases).await.expect("it answers"), held);
    let other = harness.store.renew(&NodeName::random(), &leases, LEASE * 20).await;
    assert_eq!(other.expect("it answers"), [false; 3], "leases of another node");
    let clock = harness.store.database_clock().await.expect("it answers");
    let long: Vec<_> = harness.store.leases().await.expect("it answers");
    let long = long.into_iter().filter(|lease| lease.lease_until > clock.plus(LEASE * 5));
    let long: Vec<_> = long.map(|lease| lease.host).collect();
    assert_eq!(long.len(), 2);
    assert!(!long.contains(&unlisted.host), "a lease that its node does not know expires");
}

async fn stale_lease_writes_nothing(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, mut stale) = harness.running(&account, "example.com").await;
    assert_eq!(harness.append(&mut stale, 0..2).await, Appended::Stored);
    harness.store.release_all_leases().await.expect("it answers");
    let mut fresh = harness.claim().await.expect("free again");
    assert_eq!(harness.append(&mut stale, 2..4).await, Appended::Lost);
    let report = harness.store.report(&stale, &JobCommand::Finish(RunEnding::Complete), NOW).await;
    assert!(matches!(report, Err(CommandError::LeaseLost)));
    assert_eq!(harness.store.was_appended(&mut stale).await.expect("it answers"), None);
    assert_eq!(fresh.head, 1);
    assert_eq!(harness.append(&mut fresh, 2..3).await, Appended::Stored);
    assert_eq!(harness.job(&job.id).await.counts.results, 3);
    harness.audit(&account).await;
}

async fn abort_revokes_the_lease(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    assert_eq!(harness.append(&mut lease, 0..2).await, Appended::Stored);
    let mut wakes = harness.store.wakes();
    let aborted = harness.store.abort(&account, &job.id, NOW).await.expect("it stops");
    assert_eq!(aborted.status, Status::Aborted);
    assert_eq!(wakes.recv().await.expect("a wake-up"), Wake::Control);
    assert!(!harness.store.held(std::slice::from_ref(&lease)).await.expect("it answers")[0]);
    assert_eq!(harness.append(&mut lease, 2..4).await, Appended::Lost);
    assert_eq!(harness.claim().await, None, "it is not claimable again");
    let again = harness.store.abort(&account, &job.id, NOW).await.expect("the same job");
    assert_eq!(again, aborted);
    let kinds: Vec<_> = harness.store.events(&job.id).await.expect("it answers");
    let kinds: Vec<_> = kinds.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["job.progress", "job.aborted"], "one event for one abort");
    assert_eq!(harness.audit(&account).await.reserved.0, 0);
}

async fn host_is_leased_by_one_node(harness: Harness) {
    let (ada, bob) = (harness.account("a@x.org", 10).await, harness.account("b@x.org", 10).await);
    for account in [&ada, &bob] {
        harness.create(&new_job(account, "example.com")).await;
    }
    // The shard that has waited longest is claimed first.
    let later = NOW.plus(Duration::from_secs(1));
    harness.store.create_job(&new_job(&bob, "example.org"), later).await.expect("it answers");
    let lease = harness.claim().await.expect("a free shard");
    let other = NodeName::random();
    let theirs = harness.store.claim(&other, LEASE, NOW).await.expect("it answers");
    assert_eq!(theirs.expect("another host").host, "example.org");
    let more = harness.store.claim(&other, LEASE, NOW).await.expect("it answers");
    assert_eq!(more, None, "example.com is spoken to by the first node");
    let second = harness.claim().await.expect("its holder may have the other run too");
    assert_eq!(second.host, "example.com");
    for lease in [&lease, &second] {
        harness.store.release_lease(&harness.node, lease).await.expect("it answers");
    }
    let freed = harness.store.claim(&other, LEASE, NOW).await.expect("it answers");
    assert_eq!(freed.expect("the host is free").host, "example.com");
}

async fn commit_resets_the_count_of_deaths(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    for crash in 0..20 {
        assert_eq!(harness.append(&mut lease, crash..crash + 1).await, Appended::Stored);
        harness.store.release_all_leases().await.expect("it answers");
        lease = harness.claim().await.unwrap_or_else(|| panic!("crash {crash}"));
    }
    assert_eq!(harness.job(&job.id).await.counts.results, 20);
}

async fn parallel_claims_get_different_shards(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    for n in 0..8 {
        harness.create(&new_job(&account, &format!("h{n}.org"))).await;
    }
    let claims: Vec<_> = (0..8)
        .map(|_| {
            let store = harness.store.clone();
            tokio::spawn(async move {
                let mut mine = Vec::new();
                while let Some(lease) =
                    store.claim(&NodeName::random(), LEASE, NOW).await.expect("it answers")
                {
                    mine.push(lease.shard);
                }
                mine
            })
        })
        .collect();
    let mut all = Vec::new();
    for claim in claims {
        all.extend(claim.await.expect("no panic"));
    }
    all.sort();
    let many = all.len();
    all.dedup();
    assert_eq!((many, all.len()), (8, 8), "each shard once");
}

async fn released_shard_is_claimable_at_once(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (_, lease) = harness.running(&account, "example.com").await;
    harness.store.release_lease(&harness.node, &lease).await.expect("it answers");
    let clock = harness.store.database_clock().await.expect("it answers");
    assert!(clock > Millis(1_600_000_000_000), "milliseconds: {clock:?}");
    assert_eq!(harness.store.count_waiting_shards().await.expect("it answers"), 1);
    assert!(harness.claim().await.expect("free again").epoch > lease.epoch);
}
