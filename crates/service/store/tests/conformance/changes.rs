//! How a run differs from an earlier one: told by numbers, once worked out, gone with either.

use std::ops::Range;
use std::time::Duration;

use contract::{Change, ChangeCounts, ChangeKind, Item};
use fixture::item;
use job::{Command, Ending, Job};
use privacy::OptOut;
use serde_json::Value;
use sqlx::{AnyPool, Row};
use store::{Erasing, Page, StandingOrder};

use super::schedules::daily;
use crate::bench::{Bench, NOW, contact_item, new_job, pages_commit};
use crate::on_both;

on_both!(
    added_changed_and_removed_items_are_told_in_a_stable_order,
    the_previous_run_is_the_last_that_completed_at_this_site,
    comparisons_go_with_their_runs,
    nothing_that_is_erased_stays_behind_in_a_comparison,
);

const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);

/// A run that completed with these pages; those of which `changed` is true have a new title.
async fn completed(
    bench: &Bench,
    account: &contract::AccountId,
    pages: Range<u32>,
    changed: fn(u32) -> bool,
) -> Job {
    let (job, mut lease) = bench.running(account, "example.com").await;
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
    bench.store.append(&mut lease, &commit, &items, &[], NOW).await.expect("it answers");
    bench.store.report(&lease, &Command::Finish(Ending::Complete), NOW).await.expect("it ends");
    bench.job(&job.id).await
}

async fn changes(
    bench: &Bench,
    job: &Job,
    since: &Job,
    kind: Option<ChangeKind>,
    page: Page,
) -> Vec<Change<Value>> {
    bench.store.changes(job, since, kind, page).await.expect("it answers")
}

async fn added_changed_and_removed_items_are_told_in_a_stable_order(bench: Bench) {
    let account = bench.account("a@x.org", 100_000).await;
    let since = completed(&bench, &account, 0..6_000, |_| false).await;
    let job = completed(&bench, &account, 1_000..7_000, |n| n % 2 == 0).await;
    let whole = Page { number: 1, size: 10_000 };
    assert!(changes(&bench, &job, &since, None, whole).await.is_empty(), "not compared yet");
    let counts = ChangeCounts { added: 1_000, changed: 2_500, removed: 1_000, unchanged: 2_500 };
    assert_eq!(bench.store.compare(&job, &since).await.expect("it answers"), counts);
    assert_eq!(bench.store.compare(&job, &since).await.expect("and again"), counts);
    let all = changes(&bench, &job, &since, None, whole).await;
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
    // Any page is a piece of the whole, of one kind as of all.
    for (number, size) in [(1, 7), (400, 11), (5, 1_000), (46, 100), (9, 5_000)] {
        let page = Page { number, size };
        let from = usize::try_from(page.offset()).expect("small").min(all.len());
        let to = (from + usize::try_from(size).expect("small")).min(all.len());
        assert_eq!(changes(&bench, &job, &since, None, page).await, all[from..to]);
    }
    let page = Page { number: 2, size: 2_000 };
    let kind = Some(ChangeKind::Changed);
    assert_eq!(changes(&bench, &job, &since, kind, page).await, all[3_000..3_500]);
    // Merging rows changes nothing; nor does asking at once.
    bench.store.merge_segments(&job.id).await.expect("it merges");
    bench.store.merge_segments(&since.id).await.expect("it merges");
    assert_eq!(changes(&bench, &job, &since, None, whole).await, all);
    let asked: Vec<_> = (0..4)
        .map(|_| {
            let (store, job, since) = (bench.store.clone(), job.clone(), since.clone());
            tokio::spawn(async move { store.compare(&since, &job).await })
        })
        .collect();
    for asked in asked {
        let back = asked.await.expect("no panic").expect("it answers");
        assert_eq!((back.added, back.changed, back.removed), (1_000, 2_500, 1_000));
    }
}

async fn the_previous_run_is_the_last_that_completed_at_this_site(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let order = StandingOrder::of(new_job(&account, "example.com"));
    let schedule = bench.store.create_schedule(&account, daily(order, NOW), NOW).await;
    let schedule = schedule.expect("it answers").expect("room for one").id;
    let mut runs = Vec::new();
    for (minute, command) in [
        Command::Finish(Ending::Complete),
        Command::Finish(Ending::Sampled),
        Command::Finish(Ending::nothing(contract::ErrorCode::NoData, "nothing")),
        Command::Finish(Ending::Complete),
    ]
    .into_iter()
    .enumerate()
    {
        let now = NOW.plus(Duration::from_secs(60 * minute as u64));
        let run = bench.store.run_schedule(&account, &schedule, (500, None), now).await;
        assert!(matches!(run.expect("it answers"), Some(store::Creation::Created(_))));
        let lease = bench.claim().await.expect("its shard");
        bench.start(&lease).await;
        bench.store.report(&lease, &command, now).await.expect("it ends");
        runs.push(bench.job(&lease.job).await);
    }
    let previous =
        async |job: &Job| bench.store.previous_run(&schedule, job).await.expect("it answers");
    assert_eq!(previous(&runs[0]).await, None);
    assert_eq!(previous(&runs[1]).await, Some(runs[0].id.clone()));
    assert_eq!(previous(&runs[3]).await, Some(runs[1].id.clone()), "not the one that failed");
    let elsewhere = Job { site_key: Some("example.org".to_owned()), ..runs[3].clone() };
    assert_eq!(previous(&elsewhere).await, None, "a schedule that was pointed elsewhere");
    let by_itself = bench.create(&new_job(&account, "example.com")).await.accepted.job_id;
    assert_eq!(bench.store.schedule_of_run(&by_itself).await.expect("it answers"), None);
}

async fn rows(bench: &Bench) -> i64 {
    let pool = AnyPool::connect(&bench.settings.url).await.expect("it connects");
    let counted = "SELECT (SELECT COUNT(*) FROM comparisons) + \
        (SELECT COUNT(*) FROM comparison_pairs) AS rows_left";
    let row = sqlx::query(counted).fetch_one(&pool).await.expect("it answers");
    pool.close().await;
    row.try_get("rows_left").expect("a number")
}

async fn comparisons_go_with_their_runs(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let mut runs = Vec::new();
    for first in 0..3 {
        runs.push(completed(&bench, &account, first..first + 5, |_| false).await);
    }
    for (later, earlier) in [(1, 0), (2, 1), (2, 0)] {
        bench.store.compare(&runs[later], &runs[earlier]).await.expect("it answers");
    }
    assert!(rows(&bench).await >= 3);
    bench.store.purge(MONTH, NOW.plus(MONTH)).await.expect("it answers");
    assert_eq!(rows(&bench).await, 0);
    // Whoever asks in the very moment leaves nothing behind, either.
    bench.store.compare(&runs[2], &runs[1]).await.expect("it answers");
    assert_eq!(rows(&bench).await, 0);
}

async fn nothing_that_is_erased_stays_behind_in_a_comparison(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let mut runs = Vec::new();
    let everybody: [&[&str]; 2] = [&["Ada Lovelace"], &["Ada Lovelace", "Bob Bit"]];
    for people in everybody {
        let (job, mut lease) = bench.visiting(&account, &["a.example", "b.example"]).await;
        let records = ["a.example", "b.example"].map(|domain| contact_item(domain, people));
        bench.append_records(&mut lease, records.to_vec()).await;
        let done = Command::Finish(Ending::Complete);
        bench.store.report(&lease, &done, NOW).await.expect("it ends");
        runs.push(bench.job(&job.id).await);
    }
    let counts = bench.store.compare(&runs[1], &runs[0]).await.expect("it answers");
    assert_eq!((counts.changed, counts.total()), (2, 2));
    let page = Page { number: 1, size: 10 };
    let told = changes(&bench, &runs[1], &runs[0], None, page).await;
    let text = serde_json::to_string(&told).expect("JSON");
    assert!(text.contains("Ada Lovelace"), "{text}");
    let objection = OptOut::name("Ada Lovelace").expect("a name");
    bench.store.erase(&objection, Erasing::ForGood, NOW).await.expect("it is erased");
    let told = changes(&bench, &runs[1], &runs[0], None, page).await;
    assert_eq!(told.len(), 2, "the pairs stay");
    assert!(!serde_json::to_string(&told).expect("JSON").contains("Lovelace"));
}
