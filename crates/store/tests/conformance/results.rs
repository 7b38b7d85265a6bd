//! Results: stable pages, merged segments, later knowledge.

use journal::{Overlay, Revision, Ways};
use serde_json::Value;

use crate::bench::Bench;
use crate::on_both;

on_both!(
    pages_are_stable_and_complete,
    merging_changes_nothing_that_can_be_seen,
    an_overlay_is_merged_on_reading,
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
            ways: Ways::default(),
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
