//! Jobs of several shards: taken by any node at once, ended by the last of them, and asked
//! about protected domains once.

use contract::{
    AccountId, Confirm, ContactItem, ContactStatus, Credits, ErrorCode, EventKind, Item, JobId,
    Mode, Options, Status, Units,
};
use job::{Command, Draft, Ending, Job};
use journal::{Commit, Step, Visited};
use store::{Appended, Claimable, CommandError, Lease, NewJob, NodeId, ShardEnd};

use crate::bench::{Bench, LEASE, NOW, new_job};
use crate::on_both;

on_both!(
    every_node_takes_a_part_of_one_list,
    a_worker_without_a_place_for_domains_leaves_them,
    the_last_shard_ends_the_job,
    shards_that_end_at_once_end_the_job_once,
    protected_domains_are_asked_about_once_when_all_else_is_done,
    the_higher_rate_holds_for_what_was_set_aside_alone,
    a_shard_that_ends_after_the_others_were_set_aside_asks_for_them,
    an_empty_purse_stops_every_shard_once,
    an_abort_stops_every_shard,
    only_what_was_found_is_charged,
    a_sample_has_the_shards_of_its_domains,
);

fn contacts(account: &AccountId, domains: usize) -> NewJob {
    let site = new_job(account, "list");
    let draft = Draft {
        mode: Mode::Contacts,
        url: None,
        site_key: None,
        domains: (0..domains).map(|n| format!("d{n}.example")).collect(),
        ..site.draft
    };
    NewJob { draft, ..site }
}

/// Every shard of a new job over 600 domains, in the order of their numbers.
async fn three_shards(
    bench: &Bench,
    account: &AccountId,
    change: impl Fn(&mut Draft),
) -> Vec<Lease> {
    let mut new = contacts(account, 600);
    change(&mut new.draft);
    bench.create(&new).await;
    let mut leases = Vec::new();
    while let Some(lease) = bench.claim().await {
        bench.start(&lease).await;
        leases.push(lease);
    }
    leases.sort_by_key(|lease| lease.number);
    leases
}

/// Domains that were visited, the first `units` of them with something found.
fn visits(places: std::ops::Range<u32>, units: u32) -> (Commit, Vec<Item>) {
    let is_found = |place: u32| place - places.start < units;
    let steps = places.clone().map(|place| {
        Step::Visited(Visited { domain_index: place, pages: 4, units: u32::from(is_found(place)) })
    });
    let commit = Commit { steps: steps.collect() };
    let items = places.clone().map(|place| {
        let status = if is_found(place) { ContactStatus::Found } else { ContactStatus::None };
        Item::Contact(Box::new(ContactItem::empty(format!("d{place}.example"), status, NOW)))
    });
    (commit, items.collect())
}

async fn append(
    bench: &Bench,
    lease: &mut Lease,
    places: std::ops::Range<u32>,
    units: u32,
) -> Appended {
    let (commit, items) = visits(places, units);
    bench.store.append(lease, &commit, &items, &[], NOW).await.expect("the database answers")
}

fn done() -> ShardEnd {
    ShardEnd::Done(Ending::Complete)
}

fn set_aside() -> ShardEnd {
    ShardEnd::SetAside { marker: "cloudflare_challenge".to_owned() }
}

async fn end(bench: &Bench, lease: &Lease, end: &ShardEnd) -> Job {
    bench.store.end_shard(lease, end, NOW).await.expect("it ends")
}

async fn told(bench: &Bench, job: &JobId, kind: EventKind) -> usize {
    let events = bench.store.events(job).await.expect("the database answers");
    events.iter().filter(|event| event.kind == kind).count()
}

async fn every_node_takes_a_part_of_one_list(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    bench.create(&contacts(&account, 600)).await;
    let mut numbers = Vec::new();
    for _ in 0..3 {
        let node = NodeId::random();
        let lease = bench.store.claim(&node, LEASE, NOW).await.expect("the database answers");
        let lease = lease.expect("a part for every node");
        assert_eq!(lease.mode, Mode::Contacts);
        numbers.push(lease.number);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2]);
    assert!(bench.claim().await.is_none());
}

async fn a_worker_without_a_place_for_domains_leaves_them(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    bench.create(&contacts(&account, 2)).await;
    let sites = |bench: &Bench| {
        let (store, node) = (bench.store.clone(), bench.node.clone());
        async move { store.claim_among(Claimable::Sites, usize::MAX, &node, LEASE, NOW).await }
    };
    assert!(sites(&bench).await.expect("it answers").is_none());
    bench.create(&new_job(&account, "example.com")).await;
    let lease = sites(&bench).await.expect("it answers").expect("a site");
    assert_eq!((lease.mode, lease.number), (Mode::Links, 0));
    assert_eq!(bench.claim().await.expect("the list").mode, Mode::Contacts);
}

async fn the_last_shard_ends_the_job(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    let mut leases = three_shards(&bench, &account, |_| {}).await;
    assert_eq!(leases.len(), 3);
    for lease in &mut leases {
        assert_eq!(append(&bench, lease, 0..5, 2).await, Appended::Stored);
    }
    assert_eq!(end(&bench, &leases[1], &done()).await.status, Status::Running);
    assert_eq!(end(&bench, &leases[0], &done()).await.status, Status::Running);
    assert_eq!(append(&bench, &mut leases[0], 5..6, 1).await, Appended::Lost, "it has ended");
    assert!(bench.audit(&account).await.reserved > Credits(0), "the others may need it");
    let job = end(&bench, &leases[2], &done()).await;
    assert_eq!((job.status, job.counts.results, job.units), (Status::Completed, 15, Units(6)));
    assert_eq!(job.counts.pages, 60, "the pages of all domains");
    let progress = bench.store.progress(&job.id).await.expect("it answers").expect("the job");
    assert_eq!(progress.fetched, 15, "domains that are done with");
    let audit = bench.audit(&account).await;
    assert_eq!((audit.used, audit.reserved), (Credits(60), Credits(0)));
    let results = bench.store.results(&job.id, 0, 100).await.expect("it answers");
    assert_eq!(results.items.len(), 15, "numbered without a gap");
    assert_eq!(told(&bench, &job.id, EventKind::JobCompleted).await, 1);
}

async fn shards_that_end_at_once_end_the_job_once(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    let leases = three_shards(&bench, &account, |_| {}).await;
    let ends = leases.into_iter().map(|lease| {
        let store = bench.store.clone();
        tokio::spawn(async move { store.end_shard(&lease, &done(), NOW).await })
    });
    let mut completed = 0;
    for ended in ends.collect::<Vec<_>>() {
        let job = ended.await.expect("no panic").expect("it ends");
        completed += u32::from(job.status == Status::Completed);
    }
    assert_eq!(completed, 1);
}

async fn protected_domains_are_asked_about_once_when_all_else_is_done(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    let mut leases = three_shards(&bench, &account, |_| {}).await;
    let job = end(&bench, &leases[0], &set_aside()).await;
    assert_eq!((job.status, job.protected), (Status::Running, false), "the others go on");
    assert_eq!(append(&bench, &mut leases[1], 0..3, 3).await, Appended::Stored);
    assert_eq!(bench.job(&job.id).await.credits_used, Credits(30), "at the normal rate");
    assert_eq!(end(&bench, &leases[1], &done()).await.status, Status::Running);
    assert!(bench.claim().await.is_none(), "nobody takes up what was set aside");
    let job = end(&bench, &leases[2], &set_aside()).await;
    assert_eq!((job.status, job.protected), (Status::AwaitingConfirmation, true));
    assert_eq!(job.rate, Some(Credits(50)));
    assert_eq!(told(&bench, &job.id, EventKind::JobAwaitingConfirmation).await, 1);
    bench.store.confirm(&account, &job.id, Confirm::default(), NOW).await.expect("confirmed");
    let (first, second) = (bench.claim().await.expect("one"), bench.claim().await.expect("two"));
    assert!(bench.claim().await.is_none(), "what is done stays done");
    let mut numbers = [first.number, second.number];
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 2]);
    for mut lease in [first, second] {
        bench.start(&lease).await;
        assert_eq!(append(&bench, &mut lease, 10..11, 1).await, Appended::Stored);
        end(&bench, &lease, &done()).await;
    }
    let job = bench.job(&job.id).await;
    assert_eq!((job.status, job.credits_used), (Status::Completed, Credits(30 + 2 * 50)));
    bench.audit(&account).await;
}

async fn the_higher_rate_holds_for_what_was_set_aside_alone(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    let auto = |draft: &mut Draft| draft.ceiling = Some(Credits(50));
    let mut leases = three_shards(&bench, &account, auto).await;
    assert_eq!(append(&bench, &mut leases[0], 0..2, 2).await, Appended::Stored);
    end(&bench, &leases[0], &set_aside()).await;
    assert_eq!(append(&bench, &mut leases[1], 0..2, 2).await, Appended::Stored);
    end(&bench, &leases[1], &done()).await;
    let job = end(&bench, &leases[2], &done()).await;
    assert_eq!((job.status, job.credits_used), (Status::Running, Credits(40)), "accepted before");
    let mut lease = bench.claim().await.expect("what was set aside is taken up again");
    assert_eq!(lease.number, 0);
    assert!(bench.start(&lease).await.protected);
    assert_eq!(append(&bench, &mut lease, 2..3, 1).await, Appended::Stored);
    let job = end(&bench, &lease, &done()).await;
    assert_eq!((job.status, job.credits_used), (Status::Completed, Credits(90)));
    assert_eq!(told(&bench, &job.id, EventKind::JobAwaitingConfirmation).await, 0);
    bench.audit(&account).await;
}

async fn a_shard_that_ends_after_the_others_were_set_aside_asks_for_them(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    let leases = three_shards(&bench, &account, |_| {}).await;
    end(&bench, &leases[0], &set_aside()).await;
    end(&bench, &leases[2], &set_aside()).await;
    let job = end(&bench, &leases[1], &done()).await;
    assert_eq!(job.status, Status::AwaitingConfirmation);
    assert_eq!(job.protected_marker.as_deref(), Some("cloudflare_challenge"));
}

async fn an_empty_purse_stops_every_shard_once(bench: Bench) {
    let account = bench.account("a@x.org", 6_000).await;
    let mut leases = three_shards(&bench, &account, |_| {}).await;
    end(&bench, &leases[2], &set_aside()).await;
    let job = bench.store.report(&leases[0], &Command::ExhaustCredits, NOW).await.expect("parked");
    assert_eq!(job.status, Status::Paused);
    let second = bench.store.report(&leases[1], &Command::ExhaustCredits, NOW).await;
    assert!(matches!(second, Err(CommandError::LeaseLost)), "{second:?}");
    let late = bench.store.end_shard(&leases[1], &done(), NOW).await;
    assert!(matches!(late, Err(CommandError::LeaseLost)), "{late:?}");
    assert_eq!(append(&bench, &mut leases[1], 0..1, 1).await, Appended::Lost);
    let job = bench.job(&job.id).await;
    assert_eq!(job.error.map(|error| error.code), Some(ErrorCode::CreditsExhausted));
    bench.store.confirm(&account, &job.id, Confirm::default(), NOW).await.expect("confirmed");
    let mut again = 0;
    while let Some(lease) = bench.claim().await {
        bench.start(&lease).await;
        end(&bench, &lease, &done()).await;
        again += 1;
    }
    assert_eq!(again, 3, "all that is not done goes on");
    assert_eq!(bench.job(&job.id).await.status, Status::Completed);
    bench.audit(&account).await;
}

async fn an_abort_stops_every_shard(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    let mut leases = three_shards(&bench, &account, |_| {}).await;
    end(&bench, &leases[0], &set_aside()).await;
    let id = leases[0].job.clone();
    let job = bench.store.abort(&account, &id, NOW).await.expect("stopped");
    assert_eq!(job.status, Status::Aborted);
    assert_eq!(append(&bench, &mut leases[1], 0..1, 1).await, Appended::Lost);
    let late = bench.store.end_shard(&leases[2], &done(), NOW).await;
    assert!(matches!(late, Err(CommandError::LeaseLost)), "{late:?}");
    assert!(bench.claim().await.is_none());
    assert_eq!(bench.audit(&account).await.reserved, Credits(0));
}

async fn only_what_was_found_is_charged(bench: Bench) {
    let account = bench.account("a@x.org", 50).await;
    bench.create(&contacts(&account, 5)).await;
    assert_eq!(bench.audit(&account).await.reserved, Credits(50), "every domain in advance");
    let mut lease = bench.claim().await.expect("a free shard");
    bench.start(&lease).await;
    assert_eq!(append(&bench, &mut lease, 0..5, 2).await, Appended::Stored);
    let job = end(&bench, &lease, &done()).await;
    assert_eq!((job.status, job.counts.results), (Status::Completed, 5));
    let audit = bench.audit(&account).await;
    assert_eq!((audit.balance, audit.used, audit.reserved), (Credits(30), Credits(20), Credits(0)));
}

async fn a_sample_has_the_shards_of_its_domains(bench: Bench) {
    let account = bench.account("a@x.org", 3_000).await;
    let options = Options { sample_size: Some(300), ..Options::default() };
    let leases = three_shards(&bench, &account, |draft| draft.options = options.clone()).await;
    assert_eq!(leases.len(), 2);
    end(&bench, &leases[0], &ShardEnd::Done(Ending::Sampled)).await;
    let job = end(&bench, &leases[1], &ShardEnd::Done(Ending::Sampled)).await;
    assert_eq!(job.error.map(|error| error.code), Some(ErrorCode::SampleStopped));
}
