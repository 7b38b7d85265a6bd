//! Jobs of several shards: claimed by any node, ended by the last shard, with one confirmation for
//! protected domains.

use contract::{
    AccountId, Confirm, ContactItem, ContactStatus, Credits, ErrorCode, EventKind, Item, JobId,
    Mode, Options, Status, Units,
};
use job::{Job, JobCommand, JobDraft, RunEnding};
use journal::{Commit, Step, Visited};
use store::{Appended, Claimable, CommandError, Lease, NewJob, NodeName, ShardEnd};

use crate::harness::{Harness, LEASE, NOW, new_job};
use crate::on_both;

on_both!(
    every_node_claims_a_shard_of_one_list,
    worker_without_domain_slots_claims_no_contacts_shard,
    last_shard_ends_the_job,
    concurrent_ends_of_shards_end_the_job_once,
    confirmation_of_protected_domains_is_requested_once_at_the_end,
    higher_rate_applies_only_to_domains_set_aside,
    last_shard_requests_confirmation_for_shards_set_aside,
    exhausted_credits_stop_every_shard_once,
    abort_stops_every_shard,
    only_found_records_are_charged,
    sample_has_shards_for_its_domains_only,
);

fn contacts(account: &AccountId, domains: usize) -> NewJob {
    let site = new_job(account, "list");
    let draft = JobDraft {
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
    harness: &Harness,
    account: &AccountId,
    change: impl Fn(&mut JobDraft),
) -> Vec<Lease> {
    let mut new = contacts(account, 600);
    change(&mut new.draft);
    harness.create(&new).await;
    let mut leases = Vec::new();
    while let Some(lease) = harness.claim().await {
        harness.start(&lease).await;
        leases.push(lease);
    }
    leases.sort_by_key(|lease| lease.number);
    leases
}

/// Visited domains, the first `units` of them with a found record.
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
    harness: &Harness,
    lease: &mut Lease,
    places: std::ops::Range<u32>,
    units: u32,
) -> Appended {
    let (commit, items) = visits(places, units);
    harness.store.append(lease, &commit, &items, &[], NOW).await.expect("the database answers")
}

fn done() -> ShardEnd {
    ShardEnd::Done(RunEnding::Complete)
}

fn set_aside() -> ShardEnd {
    ShardEnd::SetAside { marker: "cloudflare_challenge".to_owned() }
}

async fn end(harness: &Harness, lease: &Lease, end: &ShardEnd) -> Job {
    harness.store.end_shard(lease, end, NOW).await.expect("it ends")
}

async fn emitted(harness: &Harness, job: &JobId, kind: EventKind) -> usize {
    let events = harness.store.events(job).await.expect("the database answers");
    events.iter().filter(|event| event.kind == kind).count()
}

async fn every_node_claims_a_shard_of_one_list(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    harness.create(&contacts(&account, 600)).await;
    let mut numbers = Vec::new();
    for _ in 0..3 {
        let node = NodeName::random();
        let lease = harness.store.claim(&node, LEASE, NOW).await.expect("the database answers");
        let lease = lease.expect("a part for every node");
        assert_eq!(lease.mode, Mode::Contacts);
        numbers.push(lease.number);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2]);
    assert!(harness.claim().await.is_none());
}

async fn worker_without_domain_slots_claims_no_contacts_shard(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    harness.create(&contacts(&account, 2)).await;
    let sites = |harness: &Harness| {
        let (store, node) = (harness.store.clone(), harness.node.clone());
        async move { store.claim_among(Claimable::Sites, usize::MAX, &node, LEASE, NOW).await }
    };
    assert!(sites(&harness).await.expect("it answers").is_none());
    harness.create(&new_job(&account, "example.com")).await;
    let lease = sites(&harness).await.expect("it answers").expect("a site");
    assert_eq!((lease.mode, lease.number), (Mode::Links, 0));
    assert_eq!(harness.claim().await.expect("the list").mode, Mode::Contacts);
}

async fn last_shard_ends_the_job(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    let mut leases = three_shards(&harness, &account, |_| {}).await;
    assert_eq!(leases.len(), 3);
    for lease in &mut leases {
        assert_eq!(append(&harness, lease, 0..5, 2).await, Appended::Stored);
    }
    assert_eq!(end(&harness, &leases[1], &done()).await.status, Status::Running);
    assert_eq!(end(&harness, &leases[0], &done()).await.status, Status::Running);
    assert_eq!(append(&harness, &mut leases[0], 5..6, 1).await, Appended::Lost, "it has ended");
    assert!(harness.audit(&account).await.reserved > Credits(0), "the others may need it");
    let job = end(&harness, &leases[2], &done()).await;
    assert_eq!((job.status, job.counts.results, job.units), (Status::Completed, 15, Units(6)));
    assert_eq!(job.counts.pages, 60, "the pages of all domains");
    let progress = harness.store.progress(&job.id).await.expect("it answers").expect("the job");
    assert_eq!(progress.fetched, 15, "domains that are done with");
    let audit = harness.audit(&account).await;
    assert_eq!((audit.used, audit.reserved), (Credits(60), Credits(0)));
    let results = harness.store.results(&job.id, 0, 100).await.expect("it answers");
    assert_eq!(results.items.len(), 15, "numbered without a gap");
    assert_eq!(emitted(&harness, &job.id, EventKind::JobCompleted).await, 1);
}

async fn concurrent_ends_of_shards_end_the_job_once(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    let leases = three_shards(&harness, &account, |_| {}).await;
    let ends = leases.into_iter().map(|lease| {
        let store = harness.store.clone();
        tokio::spawn(async move { store.end_shard(&lease, &done(), NOW).await })
    });
    let mut completed = 0;
    for ended in ends.collect::<Vec<_>>() {
        let job = ended.await.expect("no panic").expect("it ends");
        completed += u32::from(job.status == Status::Completed);
    }
    assert_eq!(completed, 1);
}

async fn confirmation_of_protected_domains_is_requested_once_at_the_end(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    let mut leases = three_shards(&harness, &account, |_| {}).await;
    let job = end(&harness, &leases[0], &set_aside()).await;
    assert_eq!((job.status, job.protected), (Status::Running, false), "the others go on");
    assert_eq!(append(&harness, &mut leases[1], 0..3, 3).await, Appended::Stored);
    assert_eq!(harness.job(&job.id).await.credits_used, Credits(30), "at the normal rate");
    assert_eq!(end(&harness, &leases[1], &done()).await.status, Status::Running);
    assert!(harness.claim().await.is_none(), "shards set aside are not claimable");
    let job = end(&harness, &leases[2], &set_aside()).await;
    assert_eq!((job.status, job.protected), (Status::AwaitingConfirmation, true));
    assert_eq!(job.rate, Some(Credits(50)));
    assert_eq!(emitted(&harness, &job.id, EventKind::JobAwaitingConfirmation).await, 1);
    harness.store.confirm(&account, &job.id, Confirm::default(), NOW).await.expect("confirmed");
    let (first, second) =
        (harness.claim().await.expect("one"), harness.claim().await.expect("two"));
    assert!(harness.claim().await.is_none(), "what is done stays done");
    let mut numbers = [first.number, second.number];
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 2]);
    for mut lease in [first, second] {
        harness.start(&lease).await;
        assert_eq!(append(&harness, &mut lease, 10..11, 1).await, Appended::Stored);
        end(&harness, &lease, &done()).await;
    }
    let job = harness.job(&job.id).await;
    assert_eq!((job.status, job.credits_used), (Status::Completed, Credits(30 + 2 * 50)));
    harness.audit(&account).await;
}

async fn higher_rate_applies_only_to_domains_set_aside(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    let auto = |draft: &mut JobDraft| draft.ceiling = Some(Credits(50));
    let mut leases = three_shards(&harness, &account, auto).await;
    assert_eq!(append(&harness, &mut leases[0], 0..2, 2).await, Appended::Stored);
    end(&harness, &leases[0], &set_aside()).await;
    assert_eq!(append(&harness, &mut leases[1], 0..2, 2).await, Appended::Stored);
    end(&harness, &leases[1], &done()).await;
    let job = end(&harness, &leases[2], &done()).await;
    assert_eq!((job.status, job.credits_used), (Status::Running, Credits(40)), "accepted before");
    let mut lease = harness.claim().await.expect("what was set aside is taken up again");
    assert_eq!(lease.number, 0);
    assert!(harness.start(&lease).await.protected);
    assert_eq!(append(&harness, &mut lease, 2..3, 1).await, Appended::Stored);
    let job = end(&harness, &lease, &done()).await;
    assert_eq!((job.status, job.credits_used), (Status::Completed, Credits(90)));
    assert_eq!(emitted(&harness, &job.id, EventKind::JobAwaitingConfirmation).await, 0);
    harness.audit(&account).await;
}

async fn last_shard_requests_confirmation_for_shards_set_aside(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    let leases = three_shards(&harness, &account, |_| {}).await;
    end(&harness, &leases[0], &set_aside()).await;
    end(&harness, &leases[2], &set_aside()).await;
    let job = end(&harness, &leases[1], &done()).await;
    assert_eq!(job.status, Status::AwaitingConfirmation);
    assert_eq!(job.protected_marker.as_deref(), Some("cloudflare_challenge"));
}

async fn exhausted_credits_stop_every_shard_once(harness: Harness) {
    let account = harness.account("a@x.org", 6_000).await;
    let mut leases = three_shards(&harness, &account, |_| {}).await;
    end(&harness, &leases[2], &set_aside()).await;
    let job =
        harness.store.report(&leases[0], &JobCommand::ExhaustCredits, NOW).await.expect("parked");
    assert_eq!(job.status, Status::Paused);
    let second = harness.store.report(&leases[1], &JobCommand::ExhaustCredits, NOW).await;
    assert!(matches!(second, Err(CommandError::LeaseLost)), "{second:?}");
    let late = harness.store.end_shard(&leases[1], &done(), NOW).await;
    assert!(matches!(late, Err(CommandError::LeaseLost)), "{late:?}");
    assert_eq!(append(&harness, &mut leases[1], 0..1, 1).await, Appended::Lost);
    let job = harness.job(&job.id).await;
    assert_eq!(job.error.map(|error| error.code), Some(ErrorCode::CreditsExhausted));
    harness.store.confirm(&account, &job.id, Confirm::default(), NOW).await.expect("confirmed");
    let mut again = 0;
    while let Some(lease) = harness.claim().await {
        harness.start(&lease).await;
        end(&harness, &lease, &done()).await;
        again += 1;
    }
    assert_eq!(again, 3, "all that is not done goes on");
    assert_eq!(harness.job(&job.id).await.status, Status::Completed);
    harness.audit(&account).await;
}

async fn abort_stops_every_shard(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    let mut leases = three_shards(&harness, &account, |_| {}).await;
    end(&harness, &leases[0], &set_aside()).await;
    let id = leases[0].job.clone();
    let job = harness.store.abort(&account, &id, NOW).await.expect("stopped");
    assert_eq!(job.status, Status::Aborted);
    assert_eq!(append(&harness, &mut leases[1], 0..1, 1).await, Appended::Lost);
    let late = harness.store.end_shard(&leases[2], &done(), NOW).await;
    assert!(matches!(late, Err(CommandError::LeaseLost)), "{late:?}");
    assert!(harness.claim().await.is_none());
    assert_eq!(harness.audit(&account).await.reserved, Credits(0));
}

async fn only_found_records_are_charged(harness: Harness) {
    let account = harness.account("a@x.org", 50).await;
    harness.create(&contacts(&account, 5)).await;
    assert_eq!(harness.audit(&account).await.reserved, Credits(50), "every domain in advance");
    let mut lease = harness.claim().await.expect("a free shard");
    harness.start(&lease).await;
    assert_eq!(append(&harness, &mut lease, 0..5, 2).await, Appended::Stored);
    let job = end(&harness, &lease, &done()).await;
    assert_eq!((job.status, job.counts.results), (Status::Completed, 5));
    let audit = harness.audit(&account).await;
    assert_eq!((audit.balance, audit.used, audit.reserved), (Credits(30), Credits(20), Credits(0)));
}

async fn sample_has_shards_for_its_domains_only(harness: Harness) {
    let account = harness.account("a@x.org", 3_000).await;
    let options = Options { sample_size: Some(300), ..Options::default() };
    let leases = three_shards(&harness, &account, |draft| draft.options = options.clone()).await;
    assert_eq!(leases.len(), 2);
    end(&harness, &leases[0], &ShardEnd::Done(RunEnding::Sampled)).await;
    let job = end(&harness, &leases[1], &ShardEnd::Done(RunEnding::Sampled)).await;
    assert_eq!(job.error.map(|error| error.code), Some(ErrorCode::SampleStopped));
}
