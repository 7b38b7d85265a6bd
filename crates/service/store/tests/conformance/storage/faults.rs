//! Object storage that fails: commits wait and are stored once, reads fail or are right.

use std::time::Duration;

use fixture::{StorageFault, StorageOperation};
use store::{Appended, NewPageFile, StoreError};

use super::{RAW, append_until_stored, assert_clean, assert_files, packs, stored_text, text_of};
use crate::harness::{Harness, NOW};
use crate::on_both;
use crate::run_pages::{append, blobs, download, raw};

on_both!(
    files_are_in_objects_and_not_in_the_database,
    large_files_are_in_several_objects,
    failed_upload_stores_and_charges_nothing,
    lost_answer_of_an_upload_stores_the_files_once,
    commit_whose_object_was_removed_is_written_again,
    random_faults_lose_and_double_nothing,
    read_fails_while_object_storage_fails,
    wrong_bytes_are_read_again_or_are_an_error,
    page_call_without_object_storage_keeps_nothing,
);

async fn files_are_in_objects_and_not_in_the_database(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..20).await;
    append_until_stored(&harness.store, &mut lease, 20..30).await;
    assert_eq!(packs(&harness).await.len(), 2, "one object per commit");
    assert_eq!(blobs(&harness).await, 30);
    harness.sql("DELETE FROM blobs").await;
    assert_files(&harness.store, &job.id, 0..30).await;
    assert_files(&harness.other_node().await, &job.id, 0..30).await;
    assert_clean(&harness.store).await;
}

async fn large_files_are_in_several_objects(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    // Random bytes cannot be compressed.
    let noise: String =
        (0..7_000_000).map(|_| char::from(rand::random_range(b' '..b'~'))).collect();
    let kept = [(0, raw("https://a.test/", &noise)), (1, raw("https://a.test/", &noise))];
    let stored = append(&harness.store, &mut lease, 0..2, &kept).await.expect("ok");
    assert_eq!(stored, Appended::Stored);
    assert_eq!(packs(&harness).await.len(), 2);
    let sizes: Vec<_> = harness.storage.contents("/packs/").await.iter().map(Vec::len).collect();
    assert!(sizes.iter().all(|bytes| *bytes <= 8 << 20), "{sizes:?}");
    for item in 0..2 {
        assert_eq!(download(&harness.store, &job.id, item, RAW).await.as_ref(), Some(&noise));
    }
    assert_clean(&harness.store).await;
}

async fn failed_upload_stores_and_charges_nothing(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let kept = [(0, raw("https://a.test/", &text_of(0)))];
    for fault in [StorageFault::Refuse, StorageFault::Hang, StorageFault::Deny] {
        harness.storage.fail(StorageOperation::Put, fault, usize::MAX);
        let failed = append(&harness.store, &mut lease, 0..1, &kept).await;
        let Err(error @ StoreError::Bucket(_)) = failed else { panic!("{failed:?}") };
        assert!(error.is_transient() && error.to_string().contains("write"), "{error}");
        harness.storage.recover();
    }
    assert_eq!(harness.job(&job.id).await.credits_used.0, 0);
    assert_eq!(harness.store.was_appended(&mut lease).await.expect("it answers"), Some(false));
    append_until_stored(&harness.store, &mut lease, 0..1).await;
    assert_eq!(harness.job(&job.id).await.credits_used.0, 1);
    assert_files(&harness.store, &job.id, 0..1).await;
    harness.audit(&account).await;
}

async fn lost_answer_of_an_upload_stores_the_files_once(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.storage.fail(StorageOperation::Put, StorageFault::LoseAnswer, 1);
    append_until_stored(&harness.store, &mut lease, 0..3).await;
    assert_eq!(packs(&harness).await.len(), 1, "the same object is written again");
    assert_files(&harness.store, &job.id, 0..3).await;
}

async fn commit_whose_object_was_removed_is_written_again(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let pool = sqlx::AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let mut blocking = pool.begin().await.expect("a transaction");
    // The commit waits for this transaction when its object is written.
    sqlx::raw_sql("UPDATE jobs SET revision = revision")
        .execute(&mut *blocking)
        .await
        .expect("it is locked");
    let store = harness.store.clone();
    let appending = tokio::spawn(async move {
        let kept = [(0, raw("https://a.test/", &text_of(0)))];
        let first = append(&store, &mut lease, 0..1, &kept).await;
        (first, lease)
    });
    let name = loop {
        if let [name] = &packs(&harness).await[..] {
            break name.clone();
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    // As a search for objects without a row does.
    let id = name.rsplit('/').next().expect("an id").to_owned();
    sqlx::query("INSERT INTO packs (id, place, bytes, created_at, swept) VALUES ($1, 0, 0, 0, 1)")
        .bind(id)
        .execute(&mut *blocking)
        .await
        .expect("it is inserted");
    blocking.commit().await.expect("it is committed");
    harness.storage.damage(&name, None).await;
    let (first, mut lease) = appending.await.expect("no panic");
    let error = first.expect_err("the object is gone");
    assert!(error.is_transient(), "{error}");
    assert_eq!(harness.store.was_appended(&mut lease).await.expect("it answers"), Some(false));
    append_until_stored(&harness.store, &mut lease, 0..1).await;
    assert_files(&harness.store, &job.id, 0..1).await;
    pool.close().await;
}

async fn random_faults_lose_and_double_nothing(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 1_000).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let seed = rand::random();
    println!("seed {seed}");
    harness.storage.fail_at_random(seed, 2);
    for first in (0..200).step_by(5) {
        append_until_stored(&harness.store, &mut lease, first..first + 5).await;
    }
    // Deletions of objects without a row failed as well.
    harness.storage.recover();
    let later = NOW.plus(Duration::from_secs(2 * 60 * 60));
    harness.store.remove_unreferenced(None, later).await.expect("it answers");
    assert_eq!(packs(&harness).await.len(), 40, "seed {seed}: one object per commit");
    assert_files(&harness.store, &job.id, 0..200).await;
    assert_eq!(harness.job(&job.id).await.credits_used.0, 200);
    harness.audit(&account).await;
    assert_clean(&harness.store).await;
    assert_eq!(stored_text(&harness).await.matches("<p>").count(), 200);
}

async fn read_fails_while_object_storage_fails(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..1).await;
    let later = contract::Millis(NOW.0 + 1);
    let ticket = harness.store.run_file_ticket(&job.id, 0, RAW, later).expect("a key");
    let file = match harness.store.page_file(&ticket, NOW).await.expect("it answers") {
        store::PageFileState::Ready(file) => file,
        other => panic!("{other:?}"),
    };
    for fault in [StorageFault::Refuse, StorageFault::Hang, StorageFault::Deny] {
        harness.storage.fail(StorageOperation::Get, fault, usize::MAX);
        let error = harness.store.page_file_part(&file, 0).await.expect_err("an error");
        assert!(error.is_transient(), "{error}");
        harness.storage.recover();
    }
    for fault in [StorageFault::Refuse, StorageFault::LoseAnswer] {
        harness.storage.fail(StorageOperation::Get, fault, 1);
        assert_files(&harness.store, &job.id, 0..1).await;
    }
}

async fn wrong_bytes_are_read_again_or_are_an_error(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..2).await;
    harness.storage.fail(StorageOperation::Get, StorageFault::Corrupt, 1);
    assert_files(&harness.store, &job.id, 0..2).await;
    let name = packs(&harness).await.remove(0);
    let mut body = harness.storage.contents("/packs/").await.remove(0);
    body[20] ^= 1;
    harness.storage.damage(&name, Some(body.clone())).await;
    let later = contract::Millis(NOW.0 + 1);
    let ticket = harness.store.run_file_ticket(&job.id, 0, RAW, later).expect("a key");
    let store::PageFileState::Ready(file) =
        harness.store.page_file(&ticket, NOW).await.expect("it answers")
    else {
        panic!("a file");
    };
    let error = harness.store.page_file_part(&file, 0).await.expect_err("damaged");
    assert!(matches!(&error, StoreError::Damaged(_)) && !error.is_transient(), "{error}");
    let check = harness.store.verify_storage().await.expect("it answers");
    assert!(check.problems[0].contains("wrong checksum"), "{check:?}");
    body.truncate(10);
    harness.storage.damage(&name, Some(body)).await;
    let check = harness.store.verify_storage().await.expect("it answers");
    assert!(check.problems[0].contains("10 bytes instead of"), "{check:?}");
    harness.storage.damage(&name, None).await;
    let error = harness.store.page_file_part(&file, 0).await.expect_err("missing");
    assert!(error.to_string().contains("missing"), "{error}");
    let check = harness.store.verify_storage().await.expect("it answers");
    assert!(check.problems[0].contains("missing"), "{check:?}");
}

async fn page_call_without_object_storage_keeps_nothing(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let file = NewPageFile {
        id: contract::PageFileId::new(NOW, [7; 10]),
        content_type: "text/html".to_owned(),
        body: b"page"[..].into(),
        expires_at: contract::Millis(NOW.0 + 1_000),
    };
    harness.storage.fail(StorageOperation::Put, StorageFault::Refuse, usize::MAX);
    let files = std::slice::from_ref(&file);
    let error = harness.store.keep_page_files(&account, files, NOW).await.expect_err("an error");
    assert!(error.is_transient(), "{error}");
    harness.storage.recover();
    assert_eq!(blobs(&harness).await, 0);
    harness.store.keep_page_files(&account, files, NOW).await.expect("it is kept");
    assert_eq!((blobs(&harness).await, packs(&harness).await.len()), (1, 1));
}
