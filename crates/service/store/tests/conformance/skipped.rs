//! Skipped URLs: stored with the commit, read by page and by reason.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use contract::{JobId, SkipReason, SkippedUrl, Units};
use job::{JobCommand, RunEnding};
use store::{Appended, Lease, PageRequest};

use crate::harness::{Harness, NOW, skipped_url};
use crate::on_both;

on_both!(
    pages_of_skipped_urls_are_stable_and_complete,
    filtered_skipped_urls_have_their_own_pages,
    rare_reasons_are_found_in_distant_segments,
    skipped_urls_are_counted_by_reason,
    failed_append_stores_no_skipped_urls,
    merged_segments_have_the_same_skipped_urls,
    many_skipped_urls_of_one_page_are_split_into_segments,
    skipped_urls_of_jobs_are_separate,
    skipped_urls_are_purged_with_the_job,
);

fn expected(numbers: Range<u32>, reason: Option<SkipReason>) -> Vec<SkippedUrl> {
    let all = numbers.map(skipped_url);
    all.filter(|skip| reason.is_none_or(|reason| skip.reason == reason)).collect()
}

/// Every filter: none, and each reason that occurs.
fn views() -> [Option<SkipReason>; 4] {
    [None, Some(SkipReason::Robots), Some(SkipReason::External), Some(SkipReason::Image)]
}

async fn running(harness: &Harness, credits: i64) -> (JobId, Lease) {
    let account = harness.account("a@x.org", credits).await;
    let (job, lease) = harness.running(&account, "example.com").await;
    (job.id, lease)
}

/// Reads a page, and checks everything except its items.
async fn read(
    harness: &Harness,
    job: &JobId,
    reason: Option<SkipReason>,
    number: u64,
    size: u64,
) -> Vec<SkippedUrl> {
    let page = PageRequest { number, size };
    let read = harness.store.skipped(job, reason, page).await.expect("it answers");
    let total: u64 = match reason {
        Some(reason) => read.reasons.get(&reason).copied().unwrap_or_default(),
        None => read.reasons.values().sum(),
    };
    let end = page.offset().saturating_add(read.items.len() as u64);
    assert_eq!((&read.job_id, read.total), (job, total), "{reason:?} {page:?}");
    assert_eq!((read.page, read.page_size, read.has_more), (number, size, end < total));
    read.items
}

async fn all(harness: &Harness, job: &JobId, reason: Option<SkipReason>) -> Vec<SkippedUrl> {
    read(harness, job, reason, 1, 100_000).await
}

async fn counts(harness: &Harness, job: &JobId) -> BTreeMap<SkipReason, u64> {
    let page = PageRequest { number: 1, size: 1 };
    harness.store.skipped(job, None, page).await.expect("it answers").reasons
}

async fn rows(harness: &Harness, table: &str) -> i64 {
    let pool = sqlx::AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let count = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
    sqlx::query_scalar(count).fetch_one(&pool).await.expect("it answers")
}

async fn pages_of_skipped_urls_are_stable_and_complete(harness: Harness) {
    let (job, mut lease) = running(&harness, 100).await;
    assert!(all(&harness, &job, None).await.is_empty());
    for (page, skips) in (0..).zip([0..7, 7..8, 8..8, 8..31, 31..100]) {
        let appended = harness.append_with(&mut lease, page..page + 1, skips).await;
        assert_eq!(appended, Appended::Stored);
    }
    for size in [1, 3, 8, 33, 1_000] {
        let mut joined = Vec::new();
        for number in 1..=100_u64.div_ceil(size) {
            joined.extend(read(&harness, &job, None, number, size).await);
        }
        assert_eq!(joined, expected(0..100, None), "pages of {size}");
    }
    assert_eq!(read(&harness, &job, None, 34, 3).await, expected(99..100, None));
    assert!(read(&harness, &job, None, 35, 3).await.is_empty());
    assert!(read(&harness, &job, None, u64::MAX, 5).await.is_empty());
}

async fn filtered_skipped_urls_have_their_own_pages(harness: Harness) {
    let (job, mut lease) = running(&harness, 100).await;
    for (page, skips) in (0..).zip([0..7, 7..8, 8..31, 31..100]) {
        harness.append_with(&mut lease, page..page + 1, skips).await;
    }
    for reason in views() {
        let whole = expected(0..100, reason);
        for size in [1, 3, 8, 33, 1_000] {
            let mut joined = Vec::new();
            for number in 1..=(whole.len() as u64).div_ceil(size) {
                joined.extend(read(&harness, &job, reason, number, size).await);
            }
            assert_eq!(joined, whole, "{reason:?} in pages of {size}");
        }
        assert!(read(&harness, &job, reason, whole.len() as u64 + 1, 1).await.is_empty());
        assert!(read(&harness, &job, reason, u64::MAX, 5).await.is_empty());
    }
    assert!(all(&harness, &job, Some(SkipReason::Calendar)).await.is_empty());
}

async fn rare_reasons_are_found_in_distant_segments(harness: Harness) {
    let (job, mut lease) = running(&harness, 100).await;
    // One in every other append of three thousand: no two in one range.
    for n in 0..6 {
        let (page, rare) = (n..n + 1, n * 10..n * 10 + 1);
        let skips = if n % 2 == 0 { rare } else { 0..0 };
        harness.append_with(&mut lease, page, skips).await;
        let (commit, items) = crate::harness::pages_commit(100 + n..101 + n);
        let many: Vec<_> = (0..3_000).map(|_| skipped_url(1)).collect();
        let appended = harness.store.append(&mut lease, &commit, &items, &many, NOW).await;
        assert_eq!(appended.expect("it answers"), Appended::Stored);
    }
    let rare = [0, 20, 40].map(skipped_url);
    let robots = Some(SkipReason::Robots);
    for merged in [false, true] {
        assert_eq!(all(&harness, &job, robots).await, rare, "merged: {merged}");
        assert_eq!(read(&harness, &job, robots, 2, 1).await, rare[1..2], "merged: {merged}");
        harness.store.merge_segments(&job).await.expect("it merges");
    }
}

async fn skipped_urls_are_counted_by_reason(harness: Harness) {
    let (job, mut lease) = running(&harness, 100).await;
    assert!(counts(&harness, &job).await.is_empty());
    harness.append_with(&mut lease, 0..1, 0..1).await;
    assert_eq!(counts(&harness, &job).await, BTreeMap::from([(SkipReason::Robots, 1)]));
    harness.append_with(&mut lease, 1..2, 1..50).await;
    harness.append_with(&mut lease, 2..3, 50..100).await;
    let expected = [(SkipReason::Robots, 10), (SkipReason::External, 40), (SkipReason::Image, 50)];
    assert_eq!(counts(&harness, &job).await, BTreeMap::from(expected));
}

async fn failed_append_stores_no_skipped_urls(harness: Harness) {
    let (job, mut lease) = running(&harness, 5).await;
    harness.append_with(&mut lease, 0..2, 0..10).await;
    let short = harness.append_with(&mut lease, 2..8, 10..20).await;
    assert_eq!(short, Appended::Short { covered: Units(3) });
    let mut stale = Lease { epoch: lease.epoch - 1, ..lease.clone() };
    assert_eq!(harness.append_with(&mut stale, 2..3, 10..20).await, Appended::Lost);
    harness.store.report(&lease, &JobCommand::ExhaustCredits, NOW).await.expect("it parks");
    assert_eq!(harness.append_with(&mut lease, 2..3, 10..20).await, Appended::Lost);
    for reason in views() {
        assert_eq!(all(&harness, &job, reason).await, expected(0..10, reason));
    }
    assert_eq!(counts(&harness, &job).await.values().sum::<u64>(), 10);
}

async fn merged_segments_have_the_same_skipped_urls(harness: Harness) {
    let (job, mut lease) = running(&harness, 100).await;
    for n in 0..90 {
        harness.append_with(&mut lease, n..n + 1, n * 100..(n + 1) * 100).await;
    }
    for merged in [false, true, true] {
        for reason in views() {
            let whole = expected(0..9_000, reason);
            assert_eq!(all(&harness, &job, reason).await, whole, "merged: {merged}");
            let middle = read(&harness, &job, reason, 6, 80).await;
            assert_eq!(middle, whole[400..480], "merged: {merged}");
        }
        assert_eq!(read(&harness, &job, None, 586, 7).await, expected(4_095..4_102, None));
        harness.store.merge_segments(&job).await.expect("it merges");
    }
    assert_eq!(rows(&harness, "skip_segments").await, 3, "4,100 lines, 4,100 and the rest");
}

async fn many_skipped_urls_of_one_page_are_split_into_segments(harness: Harness) {
    let (job, mut lease) = running(&harness, 100).await;
    harness.append_with(&mut lease, 0..1, 0..3).await;
    harness.append_with(&mut lease, 1..2, 3..10_000).await;
    harness.append_with(&mut lease, 2..3, 10_000..10_010).await;
    for reason in views() {
        let whole = expected(0..10_010, reason);
        assert_eq!(all(&harness, &job, reason).await, whole);
        let last = read(&harness, &job, reason, whole.len() as u64, 1).await;
        assert_eq!(last, whole[whole.len() - 1..]);
    }
    assert_eq!(counts(&harness, &job).await.values().sum::<u64>(), 10_010);
}

async fn skipped_urls_of_jobs_are_separate(harness: Harness) {
    let (one, mut lease) = running(&harness, 10).await;
    let other = harness.account("b@x.org", 10).await;
    let (two, mut second) = harness.running(&other, "example.org").await;
    harness.append_with(&mut lease, 0..1, 0..20).await;
    harness.append_with(&mut second, 0..1, 20..30).await;
    harness.append_with(&mut lease, 1..2, 30..40).await;
    for reason in views() {
        assert_eq!(all(&harness, &two.id, reason).await, expected(20..30, reason));
        let mut whole = expected(0..20, reason);
        whole.extend(expected(30..40, reason));
        assert_eq!(all(&harness, &one, reason).await, whole);
    }
    let foreign = harness.store.job_of(&other, &one).await.expect("it answers");
    assert!(foreign.is_none(), "who may not see the job has no way to what it left out");
}

async fn skipped_urls_are_purged_with_the_job(harness: Harness) {
    let (job, mut lease) = running(&harness, 10).await;
    harness.append_with(&mut lease, 0..1, 0..20).await;
    harness
        .store
        .report(&lease, &JobCommand::Finish(RunEnding::Complete), NOW)
        .await
        .expect("it ends");
    let keep = Duration::from_secs(60);
    harness.store.purge(keep, NOW).await.expect("it answers");
    assert_eq!(all(&harness, &job, None).await.len(), 20);
    harness.store.purge(keep, NOW.plus(keep)).await.expect("it answers");
    for table in ["skip_segments", "skip_spans", "skip_counts"] {
        assert_eq!(rows(&harness, table).await, 0, "{table}");
    }
    assert!(all(&harness, &job, None).await.is_empty());
    assert!(counts(&harness, &job).await.is_empty());
}
