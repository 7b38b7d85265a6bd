//! Deleted bytes leave object storage: by deletion, erasure, retention, and after crashes.

use std::time::Duration;

use contract::PageFileFormat;
use fixture::{StorageFault, StorageOperation};
use privacy::OptOut;
use store::{Appended, EraseMode, NewPageFile, StoreError};

use super::{append_until_stored, assert_clean, assert_files, finish, packs, stored_text};
use crate::harness::{Harness, NOW};
use crate::on_both;
use crate::run_pages::{ADA, append, download, raw};

on_both!(
    objects_of_a_deleted_job_are_removed,
    objects_are_removed_by_retention_and_with_the_account,
    erasure_rewrites_the_objects_of_matching_pages,
    interrupted_erasure_is_finished_by_the_server,
    objects_of_lost_commits_are_removed_after_an_hour,
    object_that_arrives_late_is_removed,
    mostly_dead_object_is_rewritten_and_kept_for_a_day,
);

const HOUR: Duration = Duration::from_secs(60 * 60);

async fn objects_of_a_deleted_job_are_removed(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..10).await;
    append_until_stored(&harness.store, &mut lease, 10..12).await;
    finish(&harness, &lease).await;
    harness.store.delete_job(&account, &job.id, NOW).await.expect("it is deleted");
    // It fails first, and is not forgotten.
    harness.storage.fail(StorageOperation::Delete, StorageFault::Refuse, usize::MAX);
    let error = harness.store.maintain_storage(NOW).await.expect_err("it fails");
    assert!(matches!(&error, StoreError::Bucket(_)), "{error}");
    harness.storage.recover();
    assert_eq!(packs(&harness).await.len(), 2);
    let other = harness.other_node().await;
    let done = other.maintain_storage(NOW.plus(HOUR)).await.expect("it answers");
    assert_eq!((done.removed, done.rewritten, done.unreferenced), (2, 0, 0));
    assert_eq!(packs(&harness).await, [""; 0]);
    assert_clean(&harness.store).await;
}

async fn objects_are_removed_by_retention_and_with_the_account(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (_, mut first) = harness.running(&account, "a.example").await;
    append_until_stored(&harness.store, &mut first, 0..10).await;
    finish(&harness, &first).await;
    let (_, mut second) = harness.running(&account, "b.example").await;
    append_until_stored(&harness.store, &mut second, 0..5).await;
    let file = |number: u8, expires_at: i64| NewPageFile {
        id: contract::PageFileId::new(NOW, [number; 10]),
        content_type: "text/html".to_owned(),
        body: b"page"[..].into(),
        expires_at: contract::Millis(expires_at),
    };
    let lapsing = [file(1, NOW.0 + 1_000)];
    harness.store.keep_page_files(&account, &lapsing, NOW).await.expect("it is kept");
    let kept = [file(2, i64::MAX)];
    harness.store.keep_page_files(&account, &kept, NOW).await.expect("it is kept");
    assert_eq!(packs(&harness).await.len(), 4);
    let day = 24 * HOUR;
    harness.store.purge(day, NOW.plus(2 * day)).await.expect("it purges");
    let done = harness.store.process_pack_changes(NOW).await.expect("it answers");
    assert_eq!(done.removed, 2, "of the first run and of the page whose link expired");
    harness.store.delete_account(&account, NOW).await.expect("it is deleted");
    assert_eq!(packs(&harness).await, [""; 0], "without waiting for the server");
}

async fn erasure_rewrites_the_objects_of_matching_pages(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let kept = [
        (0, raw("https://a.test/", &format!("<p>Write to {ADA}</p>"))),
        (1, raw("https://a.test/1", "<p>free</p>")),
        (2, raw("https://a.test/2", &"<p>a large page</p>".repeat(1_000))),
    ];
    let stored = append(&harness.store, &mut lease, 0..3, &kept).await.expect("ok");
    assert_eq!(stored, Appended::Stored);
    let before = packs(&harness).await;
    assert!(stored_text(&harness).await.contains(ADA));
    let ada = OptOut::email(ADA).expect("a mailbox");
    harness.store.erase(&ada, EraseMode::Apply, NOW).await.expect("it erases");
    let after = packs(&harness).await;
    assert!(after.len() == 1 && after != before, "{after:?}");
    let text = stored_text(&harness).await;
    assert!(!text.contains(ADA) && text.contains("free"), "{text}");
    let raw_html = PageFileFormat::RawHtml;
    assert_eq!(download(&harness.store, &job.id, 0, raw_html).await, None);
    let free = download(&harness.store, &job.id, 1, raw_html).await;
    assert_eq!(free.as_deref(), Some("<p>free</p>"));
    assert_clean(&harness.store).await;
}

async fn interrupted_erasure_is_finished_by_the_server(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    let kept = [
        (0, raw("https://a.test/", &format!("<p>Write to {ADA}</p>"))),
        (1, raw("https://a.test/1", &"<p>a large page</p>".repeat(1_000))),
    ];
    append(&harness.store, &mut lease, 0..2, &kept).await.expect("ok");
    harness.storage.fail(StorageOperation::Put, StorageFault::Refuse, usize::MAX);
    let ada = OptOut::email(ADA).expect("a mailbox");
    let error = harness.store.erase(&ada, EraseMode::Apply, NOW).await.expect_err("it fails");
    assert!(error.is_transient(), "{error}");
    harness.storage.recover();
    assert!(stored_text(&harness).await.contains(ADA));
    let done = harness.store.process_pack_changes(NOW.plus(HOUR)).await.expect("it answers");
    assert_eq!(done.rewritten, 1);
    let text = stored_text(&harness).await;
    assert!(!text.contains(ADA) && text.contains("large"), "{} bytes", text.len());
}

async fn objects_of_lost_commits_are_removed_after_an_hour(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..2).await;
    let mut stale = lease.clone();
    stale.epoch -= 1;
    let kept = [(0, raw("https://a.test/", "lost"))];
    // As after a crash: the object is not removed by its writer.
    harness.storage.fail(StorageOperation::Delete, StorageFault::Refuse, usize::MAX);
    let lost = append(&harness.store, &mut stale, 2..3, &kept).await.expect("ok");
    assert_eq!(lost, Appended::Lost);
    harness.storage.recover();
    assert_eq!(packs(&harness).await.len(), 2);
    let early = NOW.plus(HOUR / 2);
    assert_eq!(harness.store.remove_unreferenced(None, early).await.expect("it answers"), 0);
    // A search that fails is repeated.
    harness.storage.fail(StorageOperation::List, StorageFault::Refuse, usize::MAX);
    let failed = harness.store.maintain_storage(NOW.plus(HOUR)).await;
    assert!(matches!(&failed, Err(StoreError::Bucket(_))), "{failed:?}");
    harness.storage.recover();
    harness.storage.damage("trawl/packs/foreign.txt", Some(b"not ours".to_vec())).await;
    let done = harness.store.maintain_storage(NOW.plus(HOUR)).await.expect("it answers");
    assert_eq!(done.unreferenced, 1, "{done:?}");
    let done = harness.store.maintain_storage(NOW.plus(HOUR)).await.expect("it answers");
    assert_eq!(done.unreferenced, 0, "once an hour: {done:?}");
    assert!(!stored_text(&harness).await.contains("lost"));
    assert_files(&harness.store, &job.id, 0..2).await;
    assert_eq!(packs(&harness).await.len(), 2, "another object stays");
    assert_clean(&harness.store).await;
}

async fn object_that_arrives_late_is_removed(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..2).await;
    finish(&harness, &lease).await;
    harness.store.delete_job(&account, &job.id, NOW).await.expect("it is deleted");
    harness.store.process_pack_changes(NOW).await.expect("it answers");
    assert_eq!(packs(&harness).await, [""; 0]);
    // A request that was sent twice, and a listing that does not show it yet.
    harness.storage.freeze_listings().await;
    harness.storage.repeat_puts().await;
    let (first, second) = (NOW.plus(2 * HOUR), NOW.plus(4 * HOUR));
    assert_eq!(harness.store.maintain_storage(first).await.expect("it answers").unreferenced, 0);
    harness.storage.recover();
    assert_eq!(packs(&harness).await.len(), 1);
    assert_eq!(harness.store.maintain_storage(second).await.expect("it answers").unreferenced, 1);
    assert_eq!(packs(&harness).await, [""; 0]);
    harness.storage.repeat_puts().await;
    let third = NOW.plus(6 * HOUR);
    assert_eq!(harness.store.maintain_storage(third).await.expect("it answers").unreferenced, 1);
    assert_eq!(packs(&harness).await, [""; 0], "as often as it comes back");
}

async fn mostly_dead_object_is_rewritten_and_kept_for_a_day(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..10).await;
    let before = packs(&harness).await;
    let lose = "DELETE FROM blob_parts WHERE name LIKE '%/raw_html' AND name NOT LIKE '9/%' \
        AND name NOT LIKE '8/%'; \
        INSERT INTO pack_changes (pack, erased, due_at) SELECT id, 0, 0 FROM packs";
    harness.sql(lose).await;
    let done = harness.store.process_pack_changes(NOW).await.expect("it answers");
    assert_eq!((done.rewritten, done.removed), (1, 0));
    assert_files(&harness.store, &job.id, 8..10).await;
    let after = packs(&harness).await;
    assert!(after.len() == 2 && after.contains(&before[0]), "a backup may refer to it");
    let done = harness.store.process_pack_changes(NOW.plus(25 * HOUR)).await.expect("it answers");
    assert_eq!((done.rewritten, done.removed), (0, 1));
    assert_eq!(packs(&harness).await.len(), 1);
    assert_files(&harness.store, &job.id, 8..10).await;
}
