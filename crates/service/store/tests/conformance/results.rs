//! Results: stable pages, merged segments, later knowledge.

use std::ops::Range;

use contract::Item;
use journal::{Overlay, Revision, ViaSet};
use serde_json::Value;
use sqlx::AnyPool;
use store::{Appended, Lease, Page};

use crate::bench::{Bench, NOW, pages_commit};
use crate::on_both;

on_both!(
    pages_are_stable_and_complete,
    merging_changes_nothing_that_can_be_seen,
    an_overlay_is_merged_on_reading,
    results_of_an_earlier_release_are_measured_when_they_are_read,
    pages_read_in_order_look_at_each_size_once,
    a_merged_segment_is_measured_up_to_what_is_measured,
);

fn urls(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["url"].as_str().expect("a url").to_owned()).collect()
}

fn expected(numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|n| format!("https://example.com/{n}")).collect()
}

async fn pages_are_stable_and_complete(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    for (from, to) in [(0, 7), (7, 8), (8, 31), (31, 100)] {
        bench.append(&mut lease, from..to).await;
    }
    let slice = async |offset, limit| {
        let slice = bench.store.results(&job.id, offset, limit).await.expect("it answers");
        urls(&slice.items)
    };
    assert_eq!(slice(0, 1_000).await, expected(0..100));
    for size in [1_u32, 3, 8, 33] {
        let mut all = Vec::new();
        for page in 0..100_u32.div_ceil(size) {
            all.extend(slice(u64::from(page * size), u64::from(size)).await);
        }
        assert_eq!(all, expected(0..100), "pages of {size}");
    }
    assert_eq!(slice(99, 5).await, expected(99..100));
    assert!(slice(100, 5).await.is_empty());
    assert!(slice(u64::MAX, 5).await.is_empty());
}

async fn merging_changes_nothing_that_can_be_seen(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    for n in 0..90 {
        bench.append(&mut lease, n * 100..(n + 1) * 100).await;
    }
    let before = bench.store.results(&job.id, 0, 10_000).await.expect("it answers");
    bench.store.merge_segments(&job.id).await.expect("it merges");
    bench.store.merge_segments(&job.id).await.expect("and again");
    let after = bench.store.results(&job.id, 0, 10_000).await.expect("it answers");
    assert_eq!(before, after);
    let middle = bench.store.results(&job.id, 4_095, 2).await.expect("it answers");
    assert_eq!(urls(&middle.items), expected(4_095..4_097));
}

async fn an_overlay_is_merged_on_reading(bench: Bench) {
    let account = bench.account("a@x.org", 10_000).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    for n in 0..50 {
        bench.append(&mut lease, n * 100..(n + 1) * 100).await;
    }
    let revisions = (0..5_000)
        .map(|n| Revision {
            depth: Some(n),
            inlinks: n + 10,
            ways: ViaSet::default(),
            orphan: n % 2 == 0,
            in_sitemap: true,
        })
        .collect();
    let overlay = Overlay { revisions, ..Overlay::default() };
    assert!(bench.store.write_overlay(&lease, &overlay).await.expect("it answers"));
    for offset in [0, 4_090, 4_999] {
        let slice = bench.store.results(&job.id, offset, 10).await.expect("it answers");
        for (n, item) in (offset..).zip(&slice.items) {
            assert_eq!(item["inlinks"], n + 10);
            assert_eq!(item["orphan"], n % 2 == 0);
            assert_eq!(item["in_sitemap"], true);
        }
    }
    let stale = store::Lease { epoch: lease.epoch - 1, ..lease };
    assert!(!bench.store.write_overlay(&stale, &overlay).await.expect("it answers"));
}

/// Appends items of 6 MiB, one per commit.
async fn append_large(bench: &Bench, lease: &mut Lease, pages: Range<u32>) {
    for page in pages {
        let (commit, mut items) = pages_commit(page..page + 1);
        for item in &mut items {
            let Item::Link(link) = item else { panic!("{item:?}") };
            link.description = Some("x".repeat(6 << 20));
        }
        let appended = bench.store.append(lease, &commit, &items, &[], NOW).await;
        assert_eq!(appended.expect("it answers"), Appended::Stored);
    }
}

async fn results_of_an_earlier_release_are_measured_when_they_are_read(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    append_large(&bench, &mut lease, 0..5).await;
    let pages = async || {
        let mut pages = Vec::new();
        for number in 1..=4 {
            let page = Page { number, size: 10 };
            let found = bench.store.results_on_page(&job.id, 5, page).await.expect("it answers");
            pages.push(found);
        }
        pages.push(bench.store.results_from(&job.id, 5, 1, 10).await.expect("it answers"));
        pages
    };
    let measured = pages().await;
    assert_eq!(measured, [0..2, 2..4, 4..5, 5..5, 1..3], "16 MiB hold two items of 6 MiB");

    let pool = AnyPool::connect(&bench.settings.url).await.expect("it connects");
    let rows = async || -> i64 {
        let count = "SELECT COUNT(*) FROM result_sizes WHERE job_id = $1";
        let count = sqlx::query_scalar(count).bind(job.id.as_str());
        count.fetch_one(&pool).await.expect("it answers")
    };
    let written = rows().await;
    // All of the sizes, or only the first: an upgrade in the middle of a run.
    for unmeasured in ["first_item >= 0", "first_item = 0"] {
        let delete = format!("DELETE FROM result_sizes WHERE {unmeasured}");
        sqlx::query(sqlx::AssertSqlSafe(delete)).execute(&pool).await.expect("it answers");
        assert_eq!(pages().await, measured, "{unmeasured}");
        assert_eq!(rows().await, written, "and is measured once");
    }
}

async fn pages_read_in_order_look_at_each_size_once(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    append_large(&bench, &mut lease, 0..7).await;
    let page = async |number| {
        let page = Page { number, size: 10 };
        bench.store.results_on_page(&job.id, 7, page).await.expect("it answers")
    };
    assert_eq!([page(1).await, page(2).await], [0..2, 2..4]);
    // Sizes that were looked at are not needed again; the first says that all were measured.
    let pool = AnyPool::connect(&bench.settings.url).await.expect("it connects");
    let delete = "DELETE FROM result_sizes WHERE first_item > 0 AND first_item < 4";
    sqlx::query(delete).execute(&pool).await.expect("it answers");
    assert_eq!([page(3).await, page(4).await, page(5).await], [4..6, 6..7, 7..7]);
    let from = bench.store.results_from(&job.id, 7, 4, 10).await.expect("it answers");
    assert_eq!(from, 4..6);
    // More items come: what was the last page grows.
    append_large(&bench, &mut lease, 7..8).await;
    let last = Page { number: 4, size: 10 };
    let grown = bench.store.results_on_page(&job.id, 8, last).await.expect("it answers");
    assert_eq!(grown, 6..8);
}

async fn a_merged_segment_is_measured_up_to_what_is_measured(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    append_large(&bench, &mut lease, 0..5).await;
    // An upgrade in the middle of a run, whose segments were merged at its end.
    bench.store.merge_segments(&job.id).await.expect("it answers");
    let pool = AnyPool::connect(&bench.settings.url).await.expect("it connects");
    let delete = "DELETE FROM result_sizes WHERE first_item < 3";
    sqlx::query(delete).execute(&pool).await.expect("it answers");
    bench.append(&mut lease, 5..7).await;
    for (number, items) in [(1, 0..2), (2, 2..4), (3, 4..7)] {
        let page = Page { number, size: 10 };
        let found = bench.store.results_on_page(&job.id, 7, page).await.expect("it answers");
        assert_eq!(found, items, "page {number}");
    }
}
