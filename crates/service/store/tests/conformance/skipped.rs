//! What a run left out: written with its commit, read by page and by reason.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use contract::{JobId, SkipReason, SkippedUrl, Units};
use job::{Command, Ending};
use store::{Appended, Lease, Page};

use crate::bench::{Bench, NOW, skipped_url};
use crate::on_both;

on_both!(
    pages_are_stable_and_complete,
    a_reason_has_pages_of_its_own,
    what_is_rare_is_found_far_apart,
    counts_tell_how_many_for_each_reason,
    an_append_that_fails_leaves_nothing_out,
    merging_changes_nothing_that_can_be_seen,
    a_page_of_very_many_links_is_packed_in_parts,
    every_job_has_its_own,
    they_go_with_the_job,
);

fn expected(numbers: Range<u32>, reason: Option<SkipReason>) -> Vec<SkippedUrl> {
    let all = numbers.map(skipped_url);
    all.filter(|skip| reason.is_none_or(|reason| skip.reason == reason)).collect()
}

/// Every way of looking at them: all, and each reason that occurs.
fn views() -> [Option<SkipReason>; 4] {
    [None, Some(SkipReason::Robots), Some(SkipReason::External), Some(SkipReason::Image)]
}

async fn running(bench: &Bench, credits: i64) -> (JobId, Lease) {
    let account = bench.account("a@x.org", credits).await;
    let (job, lease) = bench.running(&account, "example.com").await;
    (job.id, lease)
}

/// A page, of which everything besides its items is checked here.
async fn read(
    bench: &Bench,
    job: &JobId,
    reason: Option<SkipReason>,
    number: u64,
    size: u64,
) -> Vec<SkippedUrl> {
    let page = Page { number, size };
    let read = bench.store.skipped(job, reason, page).await.expect("it answers");
    let total: u64 = match reason {
        Some(reason) => read.reasons.get(&reason).copied().unwrap_or_default(),
        None => read.reasons.values().sum(),
    };
    let end = page.offset().saturating_add(read.items.len() as u64);
    assert_eq!((&read.job_id, read.total), (job, total), "{reason:?} {page:?}");
    assert_eq!((read.page, read.page_size, read.has_more), (number, size, end < total));
    read.items
}

async fn all(bench: &Bench, job: &JobId, reason: Option<SkipReason>) -> Vec<SkippedUrl> {
    read(bench, job, reason, 1, 100_000).await
}

async fn counts(bench: &Bench, job: &JobId) -> BTreeMap<SkipReason, u64> {
    let page = Page { number: 1, size: 1 };
    bench.store.skipped(job, None, page).await.expect("it answers").reasons
}

async fn rows(bench: &Bench, table: &str) -> i64 {
    let pool = sqlx::AnyPool::connect(&bench.settings.url).await.expect("it connects");
    let count = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
    sqlx::query_scalar(count).fetch_one(&pool).await.expect("it answers")
}

async fn pages_are_stable_and_complete(bench: Bench) {
    let (job, mut lease) = running(&bench, 100).await;
    assert!(all(&bench, &job, None).await.is_empty());
    for (page, skips) in (0..).zip([0..7, 7..8, 8..8, 8..31, 31..100]) {
        let appended = bench.append_with(&mut lease, page..page + 1, skips).await;
        assert_eq!(appended, Appended::Stored);
    }
    for size in [1, 3, 8, 33, 1_000] {
        let mut joined = Vec::new();
        for number in 1..=100_u64.div_ceil(size) {
            joined.extend(read(&bench, &job, None, number, size).await);
        }
        assert_eq!(joined, expected(0..100, None), "pages of {size}");
    }
    assert_eq!(read(&bench, &job, None, 34, 3).await, expected(99..100, None));
    assert!(read(&bench, &job, None, 35, 3).await.is_empty());
    assert!(read(&bench, &job, None, u64::MAX, 5).await.is_empty());
}

async fn a_reason_has_pages_of_its_own(bench: Bench) {
    let (job, mut lease) = running(&bench, 100).await;
    for (page, skips) in (0..).zip([0..7, 7..8, 8..31, 31..100]) {
        bench.append_with(&mut lease, page..page + 1, skips).await;
    }
    for reason in views() {
        let whole = expected(0..100, reason);
        for size in [1, 3, 8, 33, 1_000] {
            let mut joined = Vec::new();
            for number in 1..=(whole.len() as u64).div_ceil(size) {
                joined.extend(read(&bench, &job, reason, number, size).await);
            }
            assert_eq!(joined, whole, "{reason:?} in pages of {size}");
        }
        assert!(read(&bench, &job, reason, whole.len() as u64 + 1, 1).await.is_empty());
        assert!(read(&bench, &job, reason, u64::MAX, 5).await.is_empty());
    }
    assert!(all(&bench, &job, Some(SkipReason::Calendar)).await.is_empty());
}

async fn what_is_rare_is_found_far_apart(bench: Bench) {
    let (job, mut lease) = running(&bench, 100).await;
    // One in every other append of three thousand: no two within one reading.
    for n in 0..6 {
        let (page, rare) = (n..n + 1, n * 10..n * 10 + 1);
        let skips = if n % 2 == 0 { rare } else { 0..0 };
        bench.append_with(&mut lease, page, skips).await;
        let (commit, items) = crate::bench::pages_commit(100 + n..101 + n);
        let many: Vec<_> = (0..3_000).map(|_| skipped_url(1)).collect();
        let appended = bench.store.append(&mut lease, &commit, &items, &many, NOW).await;
        assert_eq!(appended.expect("it answers"), Appended::Stored);
    }
    let rare = [0, 20, 40].map(skipped_url);
    let robots = Some(SkipReason::Robots);
    for merged in [false, true] {
        assert_eq!(all(&bench, &job, robots).await, rare, "merged: {merged}");
        assert_eq!(read(&bench, &job, robots, 2, 1).await, rare[1..2], "merged: {merged}");
        bench.store.merge_segments(&job).await.expect("it merges");
    }
}

async fn counts_tell_how_many_for_each_reason(bench: Bench) {
    let (job, mut lease) = running(&bench, 100).await;
    assert!(counts(&bench, &job).await.is_empty());
    bench.append_with(&mut lease, 0..1, 0..1).await;
    assert_eq!(counts(&bench, &job).await, BTreeMap::from([(SkipReason::Robots, 1)]));
    bench.append_with(&mut lease, 1..2, 1..50).await;
    bench.append_with(&mut lease, 2..3, 50..100).await;
    let expected = [(SkipReason::Robots, 10), (SkipReason::External, 40), (SkipReason::Image, 50)];
    assert_eq!(counts(&bench, &job).await, BTreeMap::from(expected));
}

async fn an_append_that_fails_leaves_nothing_out(bench: Bench) {
    let (job, mut lease) = running(&bench, 5).await;
    bench.append_with(&mut lease, 0..2, 0..10).await;
    let short = bench.append_with(&mut lease, 2..8, 10..20).await;
    assert_eq!(short, Appended::Short { covered: Units(3) });
    let mut stale = Lease { epoch: lease.epoch - 1, ..lease.clone() };
    assert_eq!(bench.append_with(&mut stale, 2..3, 10..20).await, Appended::Lost);
    bench.store.report(&lease, &Command::ExhaustCredits, NOW).await.expect("it parks");
    assert_eq!(bench.append_with(&mut lease, 2..3, 10..20).await, Appended::Lost);
    for reason in views() {
        assert_eq!(all(&bench, &job, reason).await, expected(0..10, reason));
    }
    assert_eq!(counts(&bench, &job).await.values().sum::<u64>(), 10);
}

async fn merging_changes_nothing_that_can_be_seen(bench: Bench) {
    let (job, mut lease) = running(&bench, 100).await;
    for n in 0..90 {
        bench.append_with(&mut lease, n..n + 1, n * 100..(n + 1) * 100).await;
    }
    for merged in [false, true, true] {
        for reason in views() {
            let whole = expected(0..9_000, reason);
            assert_eq!(all(&bench, &job, reason).await, whole, "merged: {merged}");
            let middle = read(&bench, &job, reason, 6, 80).await;
            assert_eq!(middle, whole[400..480], "merged: {merged}");
        }
        assert_eq!(read(&bench, &job, None, 586, 7).await, expected(4_095..4_102, None));
        bench.store.merge_segments(&job).await.expect("it merges");
    }
    assert_eq!(rows(&bench, "skip_segments").await, 3, "4,100 lines, 4,100 and the rest");
}

async fn a_page_of_very_many_links_is_packed_in_parts(bench: Bench) {
    let (job, mut lease) = running(&bench, 100).await;
    bench.append_with(&mut lease, 0..1, 0..3).await;
    bench.append_with(&mut lease, 1..2, 3..10_000).await;
    bench.append_with(&mut lease, 2..3, 10_000..10_010).await;
    for reason in views() {
        let whole = expected(0..10_010, reason);
        assert_eq!(all(&bench, &job, reason).await, whole);
        let last = read(&bench, &job, reason, whole.len() as u64, 1).await;
        assert_eq!(last, whole[whole.len() - 1..]);
    }
    assert_eq!(counts(&bench, &job).await.values().sum::<u64>(), 10_010);
}

async fn every_job_has_its_own(bench: Bench) {
    let (one, mut lease) = running(&bench, 10).await;
    let other = bench.account("b@x.org", 10).await;
    let (two, mut second) = bench.running(&other, "example.org").await;
    bench.append_with(&mut lease, 0..1, 0..20).await;
    bench.append_with(&mut second, 0..1, 20..30).await;
    bench.append_with(&mut lease, 1..2, 30..40).await;
    for reason in views() {
        assert_eq!(all(&bench, &two.id, reason).await, expected(20..30, reason));
        let mut whole = expected(0..20, reason);
        whole.extend(expected(30..40, reason));
        assert_eq!(all(&bench, &one, reason).await, whole);
    }
    let foreign = bench.store.job_of(&other, &one).await.expect("it answers");
    assert!(foreign.is_none(), "who may not see the job has no way to what it left out");
}

async fn they_go_with_the_job(bench: Bench) {
    let (job, mut lease) = running(&bench, 10).await;
    bench.append_with(&mut lease, 0..1, 0..20).await;
    bench.store.report(&lease, &Command::Finish(Ending::Complete), NOW).await.expect("it ends");
    let keep = Duration::from_secs(60);
    bench.store.purge(keep, NOW).await.expect("it answers");
    assert_eq!(all(&bench, &job, None).await.len(), 20);
    bench.store.purge(keep, NOW.plus(keep)).await.expect("it answers");
    for table in ["skip_segments", "skip_spans", "skip_counts"] {
        assert_eq!(rows(&bench, table).await, 0, "{table}");
    }
    assert!(all(&bench, &job, None).await.is_empty());
    assert!(counts(&bench, &job).await.is_empty());
}
