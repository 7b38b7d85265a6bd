//! Comparison of a run with an earlier one: stored once, purged with either run.

use std::ops::Range;
use std::time::Duration;

use contract::{Change, ChangeCounts, ChangeKind, Item, ItemComparison};
use fixture::item;
use job::{Job, JobCommand, RunEnding};
use privacy::OptOut;
use registry::item_schema;
use serde_json::Value;
use sqlx::{AnyPool, Row};
use store::{EraseMode, PageRequest, ScheduledJob};

use super::schedules::daily;
use crate::harness::{Harness, NOW, contact_item, new_job, pages_commit};
use crate::on_both;

on_both!(
    changes_are_listed_in_a_stable_order,
    previous_run_is_the_last_completed_one_of_the_site,
    comparisons_are_purged_with_their_runs,
    erased_data_does_not_remain_in_a_comparison,
);

const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);

/// A completed run with these pages; pages for which `changed` is true have a new title.
async fn completed(
    harness: &Harness,
    account: &contract::AccountId,
    pages: Range<u32>,
    changed: fn(u32) -> bool,
) -> Job {
    let (job, mut lease) = harness.running(account, "example.com").await;
    let (commit, _) = pages_commit(pages.clone());
    let items: Vec<_> = pages
        .map(|number| {
            let mut item = item(number);
            if let (true, Item::Link(link)) = (changed(number), &mut item) {
                link.title = Some(format!("A new title for {number}"));
                link.inlinks = 99;
            }
            item
        })
        .collect();
    harness.store.append(&mut lease, &commit, &items, &[], NOW).await.expect("it answers");
    harness
        .store
        .report(&lease, &JobCommand::Finish(RunEnding::Complete), NOW)
        .await
        .expect("it ends");
    harness.job(&job.id).await
}

fn comparison(job: &Job) -> &'static ItemComparison {
    &item_schema(job.mode).comparison
}

async fn compare(harness: &Harness, job: &Job, since: &Job) -> ChangeCounts {
    harness.store.compare(job, since, comparison(job)).await.expect("it answers")
}

async fn changes(
    harness: &Harness,
    job: &Job,
    since: &Job,
    kind: Option<ChangeKind>,
    page: PageRequest,
) -> Vec<Change<Value>> {
    harness.store.changes(job, since, comparison(job), kind, page).await.expect("it answers")
}

async fn changes_are_listed_in_a_stable_order(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    let since = completed(&harness, &account, 0..6_000, |_| false).await;
    let job = completed(&harness, &account, 1_000..7_000, |n| n % 2 == 0).await;
    let whole = PageRequest { number: 1, size: 10_000 };
    assert!(changes(&harness, &job, &since, None, whole).await.is_empty(), "not compared yet");
    let counts = ChangeCounts { added: 1_000, changed: 2_500, removed: 1_000, unchanged: 2_500 };
    assert_eq!(compare(&harness, &job, &since).await, counts);
    assert_eq!(compare(&harness, &job, &since).await, counts, "again");
    let all = changes(&harness, &job, &since, None, whole).await;
    assert_eq!(all.len() as u64, counts.total());
    let kinds: Vec<_> = all.iter().map(|change| change.kind).collect();
    assert!(kinds.is_sorted(), "added, then changed, then removed");
    let url = |n: u32| format!("https://example.com/{n}");
    assert_eq!((&all[0].key, &all[0].before, all[0].fields.len()), (&url(6_000), &None, 0));
    let changed = &all[1_000];
    assert_eq!((&changed.key, &changed.fields), (&url(1_000), &vec!["title".to_owned()]));
    assert_eq!(changed.after.as_ref().expect("an item")["title"], "A new title for 1000");
    assert_eq!(changed.before.as_ref().expect("an item")["inlinks"], 1, "the whole item");
    let removed = all.last().expect("some");
    assert_eq!((&removed.key, &removed.after), (&url(999), &None));
    // Every page is a slice of the whole list, with and without a filter.
    for (number, size) in [(1, 7), (400, 11), (5, 1_000), (46, 100), (9, 5_000)] {
        let page = PageRequest { number, size };
        let from = usize::try_from(page.offset()).expect("small").min(all.len());
        let to = (from + usize::try_from(size).expect("small")).min(all.len());
        assert_eq!(changes(&harness, &job, &since, None, page).await, all[from..to]);
    }
    let page = PageRequest { number: 2, size: 2_000 };
    let kind = Some(ChangeKind::Changed);
    assert_eq!(changes(&harness, &job, &since, kind, page).await, all[3_000..3_500]);
    // Merged segments and concurrent requests give the same changes.
    harness.store.merge_segments(&job.id).await.expect("it merges");
    harness.store.merge_segments(&since.id).await.expect("it merges");
    assert_eq!(changes(&harness, &job, &since, None, whole).await, all);
    let asked: Vec<_> = (0..4)
        .map(|_| {
            let (store, job, since) = (harness.store.clone(), job.clone(), since.clone());
            tokio::spawn(async move { store.compare(&since, &job, comparison(&job)).await })
        })
        .collect();
    for asked in asked {
        let back = asked.await.expect("no panic").expect("it answers");
        assert_eq!((back.added, back.changed, back.removed), (1_000, 2_500, 1_000));
    }
}

async fn previous_run_is_the_last_completed_one_of_the_site(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let scheduled = ScheduledJob::of(new_job(&account, "example.com"));
    let schedule = harness.store.create_schedule(&account, daily(scheduled, NOW), NOW).await;
    let schedule = schedule.expect("it answers").expect("below the limit").id;
    let mut runs = Vec::new();
    for (minute, command) in [
        JobCommand::Finish(RunEnding::Complete),
        JobCommand::Finish(RunEnding::PageLimit),
        JobCommand::Finish(RunEnding::nothing(contract::ErrorCode::NoData, "nothing")),
        JobCommand::Finish(RunEnding::Complete),
    ]
    .into_iter()
    .enumerate()
    {
        let now = NOW.plus(Duration::from_secs(60 * minute as u64));
        let run = harness.store.run_schedule(&account, &schedule, (500, None), now).await;
        assert!(matches!(run.expect("it answers"), Some(store::Creation::Created(_))));
        let lease = harness.claim().await.expect("its shard");
        harness.start(&lease).await;
        harness.store.report(&lease, &command, now).await.expect("it ends");
        runs.push(harness.job(&lease.job).await);
    }
    let previous =
        async |job: &Job| harness.store.previous_run(&schedule, job).await.expect("it answers");
    assert_eq!(previous(&runs[0]).await, None);
    assert_eq!(previous(&runs[1]).await, Some(runs[0].id.clone()));
    assert_eq!(previous(&runs[3]).await, Some(runs[1].id.clone()), "not the one that failed");
    let elsewhere = Job { site_key: Some("example.org".to_owned()), ..runs[3].clone() };
    assert_eq!(previous(&elsewhere).await, None, "a schedule that was pointed elsewhere");
    let unscheduled = harness.create(&new_job(&account, "example.com")).await.accepted.job_id;
    assert_eq!(harness.store.schedule_of_run(&unscheduled).await.expect("it answers"), None);
}

async fn rows(harness: &Harness) -> i64 {
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let counted = "SELECT (SELECT COUNT(*) FROM comparisons) + \
        (SELECT COUNT(*) FROM comparison_pairs) AS rows_left";
    let row = sqlx::query(counted).fetch_one(&pool).await.expect("it answers");
    pool.close().await;
    row.try_get("rows_left").expect("a number")
}

async fn comparisons_are_purged_with_their_runs(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let mut runs = Vec::new();
    for first in 0..3 {
        runs.push(completed(&harness, &account, first..first + 5, |_| false).await);
    }
    for (later, earlier) in [(1, 0), (2, 1), (2, 0)] {
        compare(&harness, &runs[later], &runs[earlier]).await;
    }
    assert!(rows(&harness).await >= 3);
    harness.store.purge(MONTH, NOW.plus(MONTH)).await.expect("it answers");
    assert_eq!(rows(&harness).await, 0);
    // A concurrent request leaves no rows either.
    compare(&harness, &runs[2], &runs[1]).await;
    assert_eq!(rows(&harness).await, 0);
}

async fn erased_data_does_not_remain_in_a_comparison(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let mut runs = Vec::new();
    let everybody: [&[&str]; 2] = [&["Ada Lovelace"], &["Ada Lovelace", "Bob Bit"]];
    for people in everybody {
        let (job, mut lease) = harness.visiting(&account, &["a.example", "b.example"]).await;
        let records = ["a.example", "b.example"].map(|domain| contact_item(domain, people));
        harness.append_records(&mut lease, records.to_vec()).await;
        let done = JobCommand::Finish(RunEnding::Complete);
        harness.store.report(&lease, &done, NOW).await.expect("it ends");
        runs.push(harness.job(&job.id).await);
    }
    let counts = compare(&harness, &runs[1], &runs[0]).await;
    assert_eq!((counts.changed, counts.total()), (2, 2));
    let page = PageRequest { number: 1, size: 10 };
    let listed = changes(&harness, &runs[1], &runs[0], None, page).await;
    let text = serde_json::to_string(&listed).expect("JSON");
    assert!(text.contains("Ada Lovelace"), "{text}");
    let opt_out = OptOut::name("Ada Lovelace").expect("a name");
    harness.store.erase(&opt_out, EraseMode::Apply, NOW).await.expect("it is erased");
    let listed = changes(&harness, &runs[1], &runs[0], None, page).await;
    assert_eq!(listed.len(), 2, "the pairs stay");
    assert!(!serde_json::to_string(&listed).expect("JSON").contains("Lovelace"));
}
