//! Leases, epochs, hosts and control.

use std::time::Duration;

use contract::{ErrorCode, Millis, Status};
use job::{Command, Ending};
use store::{Appended, Claimable, CommandError, Lease, NodeId, Wake};

use crate::bench::{Bench, LEASE, NOW, new_job};
use crate::on_both;

on_both!(
    a_shard_is_in_one_pair_of_hands,
    a_stale_holder_writes_nothing,
    an_abort_takes_the_shard_away,
    a_host_belongs_to_one_node,
    a_deadly_shard_is_given_up,
    a_commit_is_a_sign_of_life,
    claims_in_parallel_share_the_work,
    a_creation_wakes_whoever_listens,
    a_shard_given_back_is_free_at_once,
    crashes_are_counted_until_the_run_has_worked_for_a_while,
    a_run_that_crashes_again_and_again_ends_in_spite_of_progress,
    an_evicted_run_is_claimed_only_with_room_for_it,
    run_that_cannot_be_claimed_is_not_reported_as_evicted,
    a_commit_tells_the_memory_that_its_run_takes,
);

async fn crashes_are_counted_until_the_run_has_worked_for_a_while(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (_, mut lease) = bench.running(&account, "example.com").await;
    for crashes in 1..4 {
        // Progress between two crashes does not clear the run: it may crash on one page. Nor
        // does a restart of the node.
        assert_eq!(bench.append(&mut lease, crashes..crashes + 1).await, Appended::Stored);
        bench.store.free_all_leases().await.expect("it answers");
        lease = bench.claim().await.expect("free again");
        bench.store.give_back(&bench.node, &lease).await.expect("it answers");
        lease = bench.claim().await.expect("free again");
        assert_eq!(lease.crashes, crashes);
    }
    bench.store.forget_crashes(&lease).await.expect("it answers");
    bench.store.give_back(&bench.node, &lease).await.expect("it answers");
    assert_eq!(bench.claim().await.expect("free again").crashes, 0);
}

async fn a_run_that_crashes_again_and_again_ends_in_spite_of_progress(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    for crash in 0..49 {
        assert_eq!(bench.append(&mut lease, crash..crash + 1).await, Appended::Stored);
        bench.store.free_all_leases().await.expect("it answers");
        lease = bench.claim().await.unwrap_or_else(|| panic!("crash {crash}"));
    }
    bench.store.free_all_leases().await.expect("it answers");
    assert_eq!(bench.claim().await, None);
    let job = bench.job(&job.id).await;
    assert_eq!(job.error.expect("a reason").code, ErrorCode::ServerError);
}

/// The memory that an evicted run needs which this node could claim.
async fn evicted_before(bench: &Bench, waited: Duration) -> Option<usize> {
    let waits = bench.store.evicted_before(Claimable::All, &bench.node, waited).await;
    waits.expect("it answers")
}

/// Claims with room for this many bytes.
async fn claim_with_room(bench: &Bench, room: usize) -> Option<Lease> {
    let claimed = bench.store.claim_among(Claimable::All, room, &bench.node, LEASE, NOW).await;
    claimed.expect("it answers")
}

async fn an_evicted_run_is_claimed_only_with_room_for_it(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (_, large) = bench.running(&account, "large.org").await;
    bench.store.evict(&bench.node, &large, 1_000).await.expect("it answers");
    assert_eq!(claim_with_room(&bench, 999).await, None);
    bench.create(&new_job(&account, "small.org")).await;
    let small = claim_with_room(&bench, 999).await.expect("the other run");
    assert_eq!((small.host.as_str(), small.memory_bytes), ("small.org", 0));
    assert_eq!(evicted_before(&bench, Duration::ZERO).await, Some(1_000));
    let waits = evicted_before(&bench, Duration::from_secs(600)).await;
    assert_eq!(waits, None, "it was evicted a moment ago");
    let again = claim_with_room(&bench, 1_000).await.expect("the evicted run");
    assert_eq!((again.shard, again.memory_bytes), (large.shard, 1_000));
    assert_eq!(evicted_before(&bench, Duration::ZERO).await, None);
}

async fn run_that_cannot_be_claimed_is_not_reported_as_evicted(bench: Bench) {
    let bench = bench.with(|settings| settings.running_jobs = 1).await;
    let mut accounts = Vec::new();
    for email in ["a@x.org", "b@x.org", "c@x.org"] {
        accounts.push(bench.account(email, 100).await);
    }
    let [ada, bob, carol] = &accounts[..] else { unreachable!("there are three") };
    let waits = async || evicted_before(&bench, Duration::ZERO).await;

    bench.create(&new_job(ada, "limited.org")).await;
    let limited = bench.claim().await.expect("a free shard");
    bench.store.evict(&bench.node, &limited, 3_000).await.expect("it answers");
    assert_eq!(waits().await, Some(3_000));
    bench.create(&new_job(ada, "other.org")).await;
    let other = claim_with_room(&bench, 999).await.expect("the other run");
    bench.start(&other).await;
    assert_eq!(waits().await, None, "the account may run no more than one");

    let (_, large) = bench.running(bob, "large.org").await;
    bench.store.evict(&bench.node, &large, 2_000).await.expect("it answers");
    assert_eq!(waits().await, Some(2_000));
    bench.store.suspend_account(bob, NOW).await.expect("it answers");
    assert_eq!(waits().await, None, "the account is suspended");
    bench.store.resume_account(bob, NOW).await.expect("it answers");
    assert_eq!(waits().await, Some(2_000));

    bench.create(&new_job(carol, "large.org")).await;
    let node = NodeId::random();
    let theirs = bench.store.claim_among(Claimable::All, 999, &node, LEASE, NOW).await;
    assert_eq!(theirs.expect("it answers").expect("a free shard").host, "large.org");
    assert_eq!(waits().await, None, "another node holds the host");
}

async fn a_commit_tells_the_memory_that_its_run_takes(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (_, mut lease) = bench.running(&account, "example.com").await;
    lease.memory_bytes = 5_000;
    assert_eq!(bench.append(&mut lease, 0..1).await, Appended::Stored);
    bench.store.free_all_leases().await.expect("it answers");
    assert_eq!(claim_with_room(&bench, 4_999).await, None, "after a crash as well");
    assert_eq!(claim_with_room(&bench, 5_000).await.expect("room").memory_bytes, 5_000);
}

async fn a_shard_is_in_one_pair_of_hands(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    bench.create(&new_job(&account, "example.com")).await;
    let lease = bench.claim().await.expect("a free shard");
    assert_eq!(bench.claim().await, None, "it is taken");
    assert!(bench.store.holds(&lease).await.expect("it answers"));
    let held = bench.store.renew(&bench.node, std::slice::from_ref(&lease), LEASE).await;
    assert_eq!(held.expect("it answers"), [true]);
    bench.store.free_all_leases().await.expect("it answers");
    let next = bench.claim().await.expect("free again");
    assert!(next.epoch > lease.epoch);
    assert!(!bench.store.holds(&lease).await.expect("it answers"));
    let held = bench.store.renew(&bench.node, &[lease, next], LEASE).await.expect("it answers");
    assert_eq!(held, [false, true]);
}

async fn a_stale_holder_writes_nothing(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let (job, mut stale) = bench.running(&account, "example.com").await;
    assert_eq!(bench.append(&mut stale, 0..2).await, Appended::Stored);
    bench.store.free_all_leases().await.expect("it answers");
    let mut fresh = bench.claim().await.expect("free again");
    assert_eq!(bench.append(&mut stale, 2..4).await, Appended::Lost);
    let report = bench.store.report(&stale, &Command::Finish(Ending::Complete), NOW).await;
    assert!(matches!(report, Err(CommandError::LeaseLost)));
    assert_eq!(bench.store.landed(&mut stale).await.expect("it answers"), None);
    assert_eq!(fresh.head, 1);
    assert_eq!(bench.append(&mut fresh, 2..3).await, Appended::Stored);
    assert_eq!(bench.job(&job.id).await.counts.results, 3);
    bench.audit(&account).await;
}

async fn an_abort_takes_the_shard_away(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    assert_eq!(bench.append(&mut lease, 0..2).await, Appended::Stored);
    let mut wakes = bench.store.wakes();
    let aborted = bench.store.abort(&account, &job.id, NOW).await.expect("it stops");
    assert_eq!(aborted.status, Status::Aborted);
    assert_eq!(wakes.recv().await.expect("a wake-up"), Wake::Control);
    assert!(!bench.store.holds(&lease).await.expect("it answers"));
    assert_eq!(bench.append(&mut lease, 2..4).await, Appended::Lost);
    assert_eq!(bench.claim().await, None, "nobody gets it again");
    let again = bench.store.abort(&account, &job.id, NOW).await.expect("the same job");
    assert_eq!(again, aborted);
    let kinds: Vec<_> = bench.store.events(&job.id).await.expect("it answers");
    let kinds: Vec<_> = kinds.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["job.progress", "job.aborted"], "one event for one abort");
    assert_eq!(bench.audit(&account).await.reserved.0, 0);
}

async fn a_host_belongs_to_one_node(bench: Bench) {
    let (ada, bob) = (bench.account("a@x.org", 10).await, bench.account("b@x.org", 10).await);
    for account in [&ada, &bob] {
        bench.create(&new_job(account, "example.com")).await;
    }
    // The longest waiting is claimed first.
    let later = NOW.plus(Duration::from_secs(1));
    bench.store.create_job(&new_job(&bob, "example.org"), later).await.expect("it answers");
    let lease = bench.claim().await.expect("a free shard");
    let other = NodeId::random();
    let theirs = bench.store.claim(&other, LEASE, NOW).await.expect("it answers");
    assert_eq!(theirs.expect("another host").host, "example.org");
    let more = bench.store.claim(&other, LEASE, NOW).await.expect("it answers");
    assert_eq!(more, None, "example.com is spoken to by the first node");
    let second = bench.claim().await.expect("its holder may have the other run too");
    assert_eq!(second.host, "example.com");
    for lease in [&lease, &second] {
        bench.store.give_back(&bench.node, lease).await.expect("it answers");
    }
    let freed = bench.store.claim(&other, LEASE, NOW).await.expect("it answers");
    assert_eq!(freed.expect("the host is free").host, "example.com");
}

async fn a_deadly_shard_is_given_up(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let job = bench.create(&new_job(&account, "example.com")).await.accepted.job_id;
    for death in 0..5 {
        let lease = bench.claim().await.unwrap_or_else(|| panic!("claim {death}"));
        bench.store.report(&lease, &Command::Start, NOW).await.expect("it starts");
        bench.store.free_all_leases().await.expect("it answers");
    }
    assert_eq!(bench.claim().await, None);
    let job = bench.job(&job).await;
    assert_eq!(job.status, Status::Failed);
    assert_eq!(job.error.expect("a reason").code, ErrorCode::ServerError);
    assert_eq!(bench.audit(&account).await.reserved.0, 0);
}

async fn a_commit_is_a_sign_of_life(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    for crash in 0..20 {
        assert_eq!(bench.append(&mut lease, crash..crash + 1).await, Appended::Stored);
        bench.store.free_all_leases().await.expect("it answers");
        lease = bench.claim().await.unwrap_or_else(|| panic!("crash {crash}"));
    }
    assert_eq!(bench.job(&job.id).await.counts.results, 20);
}

async fn claims_in_parallel_share_the_work(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    for n in 0..8 {
        bench.create(&new_job(&account, &format!("h{n}.org"))).await;
    }
    let claims: Vec<_> = (0..8)
        .map(|_| {
            let store = bench.store.clone();
            tokio::spawn(async move {
                let mut mine = Vec::new();
                while let Some(lease) =
                    store.claim(&NodeId::random(), LEASE, NOW).await.expect("it answers")
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

async fn a_creation_wakes_whoever_listens(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    // As another process sees it: its own handle, which listens.
    let other = store::Store::new(bench.settings.clone()).expect("an address");
    other.prepare().await.expect("the tables are there");
    let mut wakes = match bench.store.dialect() {
        store::Dialect::Sqlite => bench.store.wakes(),
        store::Dialect::Postgres => other.wakes(),
    };
    let listening = other.clone();
    let listener = tokio::spawn(async move { listening.listen().await });
    let mut told = false;
    for n in 0..50 {
        bench.create(&new_job(&account, &format!("h{n}.org"))).await;
        // The listener needs a moment to be there: a wake-up is a hint, not a promise.
        if tokio::time::timeout(Duration::from_millis(100), wakes.recv()).await.is_ok() {
            told = true;
            break;
        }
    }
    assert!(told, "no wake-up arrived");
    listener.abort();
}

async fn a_shard_given_back_is_free_at_once(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let (_, lease) = bench.running(&account, "example.com").await;
    bench.store.give_back(&bench.node, &lease).await.expect("it answers");
    let clock = bench.store.database_clock().await.expect("it answers");
    assert!(clock > Millis(1_600_000_000_000), "milliseconds: {clock:?}");
    assert_eq!(bench.store.waiting().await.expect("it answers"), 1);
    assert!(bench.claim().await.expect("free again").epoch > lease.epoch);
}
