//! Jobs over a list of URLs: shards by site, a few at a time, ended by the last one.

use contract::{AccountId, Confirm, Credits, ErrorCode, Options, Status};
use crawl::ListOutcome;
use job::JobDraft;
use privacy::OptOut;
use store::{Creation, EraseMode, Lease, NewJob, ShardEnd};
use urls::CanonicalUrl;

use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

on_both!(
    list_is_divided_by_site_and_read_by_shard,
    shards_of_a_list_are_opened_a_few_at_a_time,
    lists_over_one_site_run_at_the_same_time,
    list_reserves_a_unit_for_each_url,
    last_shard_ends_the_list_by_all_outcomes,
    sample_of_a_list_is_its_first_urls,
    protected_urls_of_a_list_are_asked_about_once,
    opted_out_urls_leave_the_list,
);

/// A job over pages of sites, in turn.
fn list(account: &AccountId, sites: usize, pages: usize) -> NewJob {
    let new = new_job(account, "list");
    let page = |at: usize| format!("https://s{}.example/{}", at % sites, at / sites);
    let urls: Vec<_> =
        (0..sites * pages).map(|at| CanonicalUrl::parse(&page(at)).expect("a URL")).collect();
    let draft = JobDraft { url: None, site_key: None, listed_urls: urls.len() as u64, ..new.draft };
    NewJob { draft, urls, ..new }
}

/// All shards that are open, in the order of their numbers.
async fn claim_all(harness: &Harness) -> Vec<Lease> {
    let mut leases = Vec::new();
    while let Some(lease) = harness.claim().await {
        harness.start(&lease).await;
        leases.push(lease);
    }
    leases.sort_by_key(|lease| lease.number);
    leases
}

async fn urls_of(harness: &Harness, lease: &Lease) -> Vec<String> {
    let urls = harness.store.shard_urls(lease).await.expect("the database answers");
    urls.iter().map(ToString::to_string).collect()
}

async fn end(harness: &Harness, lease: &Lease, end: ShardEnd) -> job::Job {
    harness.store.end_shard(lease, &end, NOW).await.expect("it ends")
}

fn listed(json: &str) -> ShardEnd {
    ShardEnd::Listed(Box::new(serde_json::from_str::<ListOutcome>(json).expect("an outcome")))
}

/// An outcome with these results and failed pages.
fn outcome(results: u64, refused: u64) -> ShardEnd {
    let mut json = serde_json::to_value(ListOutcome::default()).expect("JSON");
    json["results"] = results.into();
    json["counts"]["success"] = results.into();
    json["counts"]["refused"] = refused.into();
    json["counts"]["requested"] = (results + refused).into();
    listed(&json.to_string())
}

async fn list_is_divided_by_site_and_read_by_shard(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    let new = list(&account, 3, 900);
    harness.create(&new).await;
    let leases = claim_all(&harness).await;
    assert_eq!(leases.len(), 2, "900 and 1,800 URLs");
    let mut all = Vec::new();
    for lease in &leases {
        let urls = urls_of(&harness, lease).await;
        let order = |url: &String| new.urls.iter().position(|other| other.as_str() == url);
        assert!(urls.is_sorted_by_key(order), "the order of the client");
        let is_one_site = lease.host.ends_with(".example");
        assert_eq!(is_one_site, urls.len() == 900, "{lease:?}");
        all.extend(urls);
    }
    all.sort_unstable();
    let mut expected: Vec<_> = new.urls.iter().map(ToString::to_string).collect();
    expected.sort_unstable();
    assert_eq!(all, expected);
}

async fn shards_of_a_list_are_opened_a_few_at_a_time(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    harness.create(&list(&account, 1, 10_500)).await;
    let mut open = claim_all(&harness).await;
    let numbers: Vec<_> = open.iter().map(|lease| lease.number).collect();
    assert_eq!(numbers, [0, 1, 2, 3]);
    assert!(open.iter().all(|lease| lease.host == "s0.example"), "one node fetches from it");
    for number in 4..6 {
        let job = end(&harness, &open.remove(0), outcome(2_000, 0)).await;
        assert_eq!(job.status, Status::Running);
        let next = claim_all(&harness).await;
        assert_eq!(next.iter().map(|lease| lease.number).collect::<Vec<_>>(), [number]);
        open.extend(next);
    }
    for (at, lease) in open.iter().enumerate() {
        let job = end(&harness, lease, outcome(2_000, 0)).await;
        assert_eq!(job.status == Status::Completed, at == 3, "{:?}", job.status);
    }
}

async fn lists_over_one_site_run_at_the_same_time(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    let mut jobs = Vec::new();
    for _ in 0..3 {
        jobs.push(harness.create(&list(&account, 1, 2)).await);
    }
    assert_eq!(claim_all(&harness).await.len(), 3);
}

async fn list_reserves_a_unit_for_each_url(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let refused = harness.store.create_job(&list(&account, 1, 11), NOW).await;
    assert!(matches!(refused, Ok(Creation::Refused(_))), "{refused:?}");
    harness.create(&list(&account, 2, 5)).await;
    assert_eq!(harness.audit(&account).await.reserved, Credits(10));
}

async fn last_shard_ends_the_list_by_all_outcomes(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    harness.create(&list(&account, 1, 4_100)).await;
    let leases = claim_all(&harness).await;
    assert_eq!(leases.len(), 3);
    end(&harness, &leases[0], outcome(2_000, 0)).await;
    end(&harness, &leases[2], outcome(0, 100)).await;
    // The last shard alone would be a failure, and all together are a partial result.
    let job = end(&harness, &leases[1], outcome(0, 2_000)).await;
    assert_eq!(job.status, Status::Completed);
    let error = job.error.expect("a partial result");
    assert_eq!(error.code, ErrorCode::PartialTargetFailure);
    assert!(error.message.starts_with("2100 of 4100 fetched pages failed"), "{}", error.message);
    assert_eq!(harness.audit(&account).await.reserved, Credits(0));
}

async fn sample_of_a_list_is_its_first_urls(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    let mut new = list(&account, 40, 2);
    new.draft.options = Options { sample_size: Some(5), ..Options::default() };
    harness.create(&new).await;
    assert_eq!(harness.audit(&account).await.reserved, Credits(5));
    let leases = claim_all(&harness).await;
    let first: Vec<_> = new.urls[..5].iter().map(ToString::to_string).collect();
    assert_eq!(urls_of(&harness, &leases[0]).await, first);
    let job = end(&harness, &leases[0], outcome(5, 0)).await;
    let code = job.error.map(|error| error.code);
    assert_eq!((job.status, code), (Status::Completed, Some(ErrorCode::SampleStopped)));
}

async fn protected_urls_of_a_list_are_asked_about_once(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    harness.create(&list(&account, 1, 10_500)).await;
    let aside = || ShardEnd::SetAside { marker: "cloudflare_challenge".to_owned() };
    let mut job = None;
    for at in 0..6 {
        let lease = harness.claim().await.expect("an open shard");
        harness.start(&lease).await;
        let how = if lease.number == 2 { outcome(2_000, 0) } else { aside() };
        job = Some(end(&harness, &lease, how).await);
        assert_eq!(
            job.as_ref().map(|job| job.status == Status::AwaitingConfirmation),
            Some(at == 5)
        );
    }
    let job = job.expect("a job");
    let confirmed = harness.store.confirm(&account, &job.id, Confirm::default(), NOW).await;
    assert!(confirmed.expect("it is confirmed").protected);
    let again = claim_all(&harness).await;
    let numbers: Vec<_> = again.iter().map(|lease| lease.number).collect();
    assert_eq!(numbers, [0, 1, 3, 4], "a few of those that were set aside");
}

async fn opted_out_urls_leave_the_list(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    harness.create(&list(&account, 2, 2)).await;
    let lease = claim_all(&harness).await.remove(0);
    let opt_out = OptOut::domain("s1.example").expect("a domain");
    let report = harness.store.erase(&opt_out, EraseMode::Apply, NOW).await.expect("it answers");
    assert_eq!(report.requests, 1, "{report:?}");
    let left = urls_of(&harness, &lease).await;
    assert_eq!(left, ["https://s0.example/0", "https://s0.example/1"]);
}
