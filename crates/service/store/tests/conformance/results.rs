//! Results: stable pages, merged segments, overlays.

use std::ops::Range;

use contract::Item;
use journal::{Overlay, Revision, ViaSet};
use serde_json::Value;
use sqlx::{AnyPool, Row};
use store::{Appended, Lease, PageRequest};

use crate::harness::{Harness, NOW, pages_commit};
use crate::on_both;

on_both!(
    pages_are_stable_and_complete,
    merged_segments_have_the_same_results,
    overlay_is_applied_on_reading,
    results_without_sizes_are_measured_on_reading,
    pages_read_in_order_read_each_size_once,
    merged_segment_is_measured_up_to_the_measured_items,
    concurrent_readers_and_a_merge_measure_each_item_once,
);

fn urls(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["url"].as_str().expect("a url").to_owned()).collect()
}

fn expected(numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|n| format!("https://example.com/{n}")).collect()
}

async fn pages_are_stable_and_complete(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    for (from, to) in [(0, 7), (7, 8), (8, 31), (31, 100)] {
        harness.append(&mut lease, from..to).await;
    }
    let slice = async |offset, limit| {
        let slice = harness.store.results(&job.id, offset, limit).await.expect("it answers");
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

async fn merged_segments_have_the_same_results(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    for n in 0..90 {
        harness.append(&mut lease, n * 100..(n + 1) * 100).await;
    }
    let before = harness.store.results(&job.id, 0, 10_000).await.expect("it answers");
    harness.store.merge_segments(&job.id).await.expect("it merges");
    harness.store.merge_segments(&job.id).await.expect("and again");
    let after = harness.store.results(&job.id, 0, 10_000).await.expect("it answers");
    assert_eq!(before, after);
    let middle = harness.store.results(&job.id, 4_095, 2).await.expect("it answers");
    assert_eq!(urls(&middle.items), expected(4_095..4_097));
}

async fn overlay_is_applied_on_reading(harness: Harness) {
    let account = harness.account("a@x.org", 10_000).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    for n in 0..50 {
        harness.append(&mut lease, n * 100..(n + 1) * 100).await;
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
    assert!(harness.store.write_overlay(&lease, &overlay).await.expect("it answers"));
    for offset in [0, 4_090, 4_999] {
        let slice = harness.store.results(&job.id, offset, 10).await.expect("it answers");
        for (n, item) in (offset..).zip(&slice.items) {
            assert_eq!(item["inlinks"], n + 10);
            assert_eq!(item["orphan"], n % 2 == 0);
            assert_eq!(item["in_sitemap"], true);
        }
    }
    let stale = store::Lease { epoch: lease.epoch - 1, ..lease };
    assert!(!harness.store.write_overlay(&stale, &overlay).await.expect("it answers"));
}

/// Appends items of 6 MiB, one per commit.
async fn append_large(harness: &Harness, lease: &mut Lease, pages: Range<u32>) {
    for page in pages {
        let (commit, mut items) = pages_commit(page..page + 1);
        for item in &mut items {
            let Item::Link(link) = item else { panic!("{item:?}") };
            link.description = Some("x".repeat(6 << 20));
        }
        let appended = harness.store.append(lease, &commit, &items, &[], NOW).await;
        assert_eq!(appended.expect("it answers"), Appended::Stored);
    }
}

async fn results_without_sizes_are_measured_on_reading(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_large(&harness, &mut lease, 0..5).await;
    let pages = async || {
        let mut pages = Vec::new();
        for number in 1..=4 {
            let page = PageRequest { number, size: 10 };
            let found = harness.store.results_on_page(&job.id, 5, page).await.expect("it answers");
            pages.push(found);
        }
        pages.push(harness.store.results_from(&job.id, 5, 1, 10).await.expect("it answers"));
        pages
    };
    let measured = pages().await;
    assert_eq!(measured, [0..2, 2..4, 4..5, 5..5, 1..3], "16 MiB hold two items of 6 MiB");

    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let rows = async || -> i64 {
        let count = "SELECT COUNT(*) FROM result_sizes WHERE job_id = $1";
        let count = sqlx::query_scalar(count).bind(job.id.as_str());
        count.fetch_one(&pool).await.expect("it answers")
    };
    let written = rows().await;
    // Without any sizes, or only without the first: an upgrade in the middle of a run.
    for unmeasured in ["first_item >= 0", "first_item = 0"] {
        let delete = format!("DELETE FROM result_sizes WHERE {unmeasured}");
        sqlx::query(sqlx::AssertSqlSafe(delete)).execute(&pool).await.expect("it answers");
        assert_eq!(pages().await, measured, "{unmeasured}");
        assert_eq!(rows().await, written, "and is measured once");
    }
}

async fn pages_read_in_order_read_each_size_once(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_large(&harness, &mut lease, 0..7).await;
    let page = async |number| {
        let page = PageRequest { number, size: 10 };
        harness.store.results_on_page(&job.id, 7, page).await.expect("it answers")
    };
    assert_eq!([page(1).await, page(2).await], [0..2, 2..4]);
    // Sizes that were read are not needed again; the first one shows that all were measured.
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let delete = "DELETE FROM result_sizes WHERE first_item > 0 AND first_item < 4";
    sqlx::query(delete).execute(&pool).await.expect("it answers");
    assert_eq!([page(3).await, page(4).await, page(5).await], [4..6, 6..7, 7..7]);
    let from = harness.store.results_from(&job.id, 7, 4, 10).await.expect("it answers");
    assert_eq!(from, 4..6);
    // More items are added: the last page grows.
    append_large(&harness, &mut lease, 7..8).await;
    let last = PageRequest { number: 4, size: 10 };
    let grown = harness.store.results_on_page(&job.id, 8, last).await.expect("it answers");
    assert_eq!(grown, 6..8);
}

async fn merged_segment_is_measured_up_to_the_measured_items(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_large(&harness, &mut lease, 0..5).await;
    // An upgrade in the middle of a run, whose segments were merged at its end.
    harness.store.merge_segments(&job.id).await.expect("it answers");
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let delete = "DELETE FROM result_sizes WHERE first_item < 3";
    sqlx::query(delete).execute(&pool).await.expect("it answers");
    harness.append(&mut lease, 5..7).await;
    for (number, items) in [(1, 0..2), (2, 2..4), (3, 4..7)] {
        let page = PageRequest { number, size: 10 };
        let found = harness.store.results_on_page(&job.id, 7, page).await.expect("it answers");
        assert_eq!(found, items, "page {number}");
    }
}

async fn concurrent_readers_and_a_merge_measure_each_item_once(harness: Harness) {
    const ITEMS: u32 = 30;
    let account = harness.account("a@x.org", 1_000).await;
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    for n in 0..5 {
        let (job, mut lease) = harness.running(&account, &format!("h{n}.org")).await;
        for item in 0..ITEMS {
            harness.append(&mut lease, item..item + 1).await;
        }
        sqlx::query("DELETE FROM result_sizes").execute(&pool).await.expect("it answers");
        let mut readers = Vec::new();
        for _ in 0..6 {
            let (store, job) = (harness.store.clone(), job.id.clone());
            let total = u64::from(ITEMS);
            readers.push(tokio::spawn(async move { store.results_from(&job, total, 0, 10).await }));
        }
        harness.store.merge_segments(&job.id).await.expect("it merges");
        for reader in readers {
            let found = reader.await.expect("no panic").expect("it answers");
            assert_eq!(found, 0..10);
        }
        let rows =
            "SELECT first_item, sizes FROM result_sizes WHERE job_id = $1 ORDER BY first_item";
        let rows = sqlx::query(rows).bind(job.id.as_str()).fetch_all(&pool).await;
        let mut next = 0;
        for row in rows.expect("it answers") {
            assert_eq!(
                row.get::<i64, _>("first_item"),
                next,
                "rows neither overlap nor leave gaps"
            );
            next +=
                i64::try_from(row.get::<Vec<u8>, _>("sizes").len() / 4).expect("a small number");
        }
        assert_eq!(next, i64::from(ITEMS));
    }
}
