//! Uploaded lists of URLs, and jobs over them.

use std::time::Duration;

use contract::{AccountId, Credits, JobId, ListId, Options, UploadedList};
use job::JobDraft;
use privacy::OptOut;
use store::{AccountDeletion, Creation, EraseMode, Lease, ListSpool, NewJob, UrlSearch};
use urls::CanonicalUrl;

use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

const WEEK: Duration = Duration::from_secs(7 * 24 * 3_600);
const HOUR: Duration = Duration::from_secs(3_600);

on_both!(
    jobs_over_a_list_have_its_urls_by_site,
    sample_of_a_list_has_its_first_urls_and_no_other_shard,
    list_of_another_account_starts_no_job,
    deleted_list_is_kept_for_its_jobs,
    expired_and_interrupted_lists_are_purged,
    account_has_at_most_twenty_unused_lists,
    opted_out_urls_leave_uploaded_lists,
    lists_are_deleted_with_their_account,
);

fn page(sites: usize, at: usize) -> String {
    format!("https://s{}.example/{}", at % sites, at / sites)
}

fn spool(sites: usize, pages: usize) -> ListSpool {
    let mut spool = ListSpool::new().expect("a file");
    for at in 0..sites * pages {
        spool.push(&CanonicalUrl::parse(&page(sites, at)).expect("a URL")).expect("it is written");
    }
    spool
}

async fn upload(
    harness: &Harness,
    account: &AccountId,
    sites: usize,
    pages: usize,
) -> UploadedList {
    let stored = harness.store.store_list(account, spool(sites, pages), NOW).await;
    stored.expect("it answers").expect("room for a list")
}

fn job_over(account: &AccountId, list: &UploadedList) -> NewJob {
    let new = new_job(account, "list");
    let draft = JobDraft {
        url: None,
        site_key: None,
        listed_urls: list.url_count,
        list: Some(list.list_id.clone()),
        ..new.draft
    };
    NewJob { draft, ..new }
}

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

async fn is_listed(harness: &Harness, account: &AccountId, list: &ListId) -> bool {
    harness.store.list_of(account, list, NOW).await.expect("it answers").is_some()
}

async fn jobs_over_a_list_have_its_urls_by_site(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    let list = upload(&harness, &account, 3, 900).await;
    assert_eq!((list.url_count, list.expires_at), (2_700, NOW.plus(WEEK)));
    // A list may be used by several jobs: their shards are separate.
    for job in 0..2 {
        harness.create(&job_over(&account, &list)).await;
        assert_eq!(harness.audit(&account).await.reserved, Credits(2_700 * (job + 1)));
        let leases = claim_all(&harness).await;
        assert_eq!(leases.len(), 2, "900 and 1,800 URLs");
        let mut all = Vec::new();
        for lease in &leases {
            let urls = urls_of(&harness, lease).await;
            assert_eq!(lease.host.ends_with(".example"), urls.len() == 900, "{lease:?}");
            let place = |url: &String| (0..2_700).position(|at| page(3, at) == *url);
            assert!(urls.iter().step_by(100).is_sorted_by_key(place));
            all.extend(urls);
        }
        all.sort_unstable();
        let mut expected: Vec<_> = (0..2_700).map(|at| page(3, at)).collect();
        expected.sort_unstable();
        assert_eq!(all, expected);
    }
}

async fn sample_of_a_list_has_its_first_urls_and_no_other_shard(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    // One site, so that the shards follow each other.
    let list = upload(&harness, &account, 1, 4_100).await;
    let mut new = job_over(&account, &list);
    new.draft.options = Options { max_pages: Some(2_005), ..Options::default() };
    let job = harness.create(&new).await.accepted.job_id;
    assert_eq!(harness.audit(&account).await.reserved, Credits(2_005));
    let leases = claim_all(&harness).await;
    let mut sizes = Vec::new();
    for lease in &leases {
        sizes.push(urls_of(&harness, lease).await.len());
    }
    assert_eq!(sizes, [2_000, 5]);
    let urls = harness.store.urls_of_job(&job).await.expect("it answers");
    assert_eq!(urls, (0..2_005).map(|at| page(1, at)).collect::<Vec<_>>());
    for (at, shard) in [(0, Some(0)), (1_999, Some(0)), (2_004, Some(1)), (2_005, None)] {
        let found = harness.store.find_listed(&job, &page(1, at)).await.expect("it answers");
        assert_eq!(found, shard.map_or(UrlSearch::NotFound, UrlSearch::Found), "{at}");
    }
}

async fn list_of_another_account_starts_no_job(harness: Harness) {
    let ada = harness.account("a@x.org", 100).await;
    let bob = harness.account("b@x.org", 100).await;
    let list = upload(&harness, &ada, 2, 2).await;
    assert!(!is_listed(&harness, &bob, &list.list_id).await);
    let refused = harness.store.create_job(&job_over(&bob, &list), NOW).await;
    assert_eq!(refused.expect("it answers"), Creation::ListGone);
    let late = harness.store.create_job(&job_over(&ada, &list), NOW.plus(WEEK)).await;
    assert_eq!(late.expect("it answers"), Creation::ListGone);
    assert_eq!(harness.audit(&bob).await.reserved, Credits(0));
}

async fn deleted_list_is_kept_for_its_jobs(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let list = upload(&harness, &account, 2, 2).await;
    let job: JobId = harness.create(&job_over(&account, &list)).await.accepted.job_id;
    let remove = async || harness.store.remove_list(&account, &list.list_id).await;
    assert!(remove().await.expect("it answers"));
    assert!(!remove().await.expect("it answers"));
    assert!(!is_listed(&harness, &account, &list.list_id).await);
    harness.store.purge(WEEK, NOW.plus(WEEK * 2)).await.expect("it answers");
    let lease = claim_all(&harness).await.remove(0);
    assert_eq!(urls_of(&harness, &lease).await.len(), 4);
    harness.store.abort(&account, &job, NOW).await.expect("it ends");
    harness.store.delete_job(&account, &job, NOW).await.expect("it is deleted");
    harness.store.purge(WEEK, NOW).await.expect("it answers");
    assert!(urls_of(&harness, &lease).await.is_empty());
}

async fn expired_and_interrupted_lists_are_purged(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let used = upload(&harness, &account, 2, 2).await;
    harness.create(&job_over(&account, &used)).await;
    let unused = upload(&harness, &account, 2, 2).await;
    let later = NOW.plus(WEEK + HOUR);
    harness.store.purge(WEEK * 9, later).await.expect("it answers");
    // The rows of the unused list are gone, whatever the time.
    assert!(!is_listed(&harness, &account, &unused.list_id).await);
    assert!(is_listed(&harness, &account, &used.list_id).await, "its job needs it");
    let lease = claim_all(&harness).await.remove(0);
    assert_eq!(urls_of(&harness, &lease).await.len(), 4);
}

async fn account_has_at_most_twenty_unused_lists(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let uploads = (0..25).map(|_| {
        let (store, account) = (harness.store.clone(), account.clone());
        tokio::spawn(async move {
            let stored = store.store_list(&account, spool(1, 1), NOW).await;
            stored.expect("it answers").is_some()
        })
    });
    let mut stored = 0;
    for upload in uploads.collect::<Vec<_>>() {
        stored += usize::from(upload.await.expect("no panic"));
    }
    assert_eq!(stored, 20);
    assert!(!harness.store.may_add_list(&account, NOW).await.expect("it answers"));
    assert!(harness.store.may_add_list(&account, NOW.plus(WEEK)).await.expect("it answers"));
}

async fn opted_out_urls_leave_uploaded_lists(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let list = upload(&harness, &account, 2, 2).await;
    harness.create(&job_over(&account, &list)).await;
    let lease = claim_all(&harness).await.remove(0);
    let opt_out = OptOut::domain("s1.example").expect("a domain");
    let report = harness.store.erase(&opt_out, EraseMode::Apply, NOW).await.expect("it answers");
    assert_eq!(report.requests, 1, "{report:?}");
    let left = urls_of(&harness, &lease).await;
    assert_eq!(left, ["https://s0.example/0", "https://s0.example/1"]);
}

async fn lists_are_deleted_with_their_account(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let list = upload(&harness, &account, 2, 2).await;
    harness.create(&job_over(&account, &list)).await;
    upload(&harness, &account, 1, 1).await;
    let deleted = harness.store.delete_account(&account, NOW).await.expect("it answers");
    assert_eq!(deleted, AccountDeletion::Deleted { jobs: 1 });
    assert!(!is_listed(&harness, &account, &list.list_id).await);
    let refused = harness.store.store_list(&account, spool(1, 1), NOW).await;
    assert!(refused.is_err(), "the account is deleted");
}
