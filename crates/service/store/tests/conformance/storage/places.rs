//! Where files are: rights, other installations, moves.

use fixture::{FaultyStorage, StorageFault, StorageOperation};
use store::{Store, StoreError, StoreSettings};

use super::{append_until_stored, assert_clean, assert_files, packs};
use crate::harness::{Harness, NOW};
use crate::on_both;
use crate::run_pages::blobs;

on_both!(
    missing_rights_are_named_with_their_remedy,
    second_installation_on_a_prefix_is_refused,
    place_without_the_marker_of_known_files_is_refused,
    files_in_a_place_that_is_not_configured_are_an_error,
    files_move_between_all_places_despite_faults,
);

async fn missing_rights_are_named_with_their_remedy(harness: Harness) {
    for (operation, right) in [
        (StorageOperation::Put, "s3:PutObject"),
        (StorageOperation::Get, "s3:GetObject"),
        (StorageOperation::List, "s3:ListBucket"),
        (StorageOperation::Delete, "s3:DeleteObject"),
    ] {
        let storage = FaultyStorage::default();
        storage.fail(operation, StorageFault::Deny, usize::MAX);
        let store = reopened(&harness, |settings| {
            settings.storage.current = Some(storage.bucket("trawl"));
        })
        .await;
        let error = store.open_storage().await.expect_err("a right is missing");
        let text = error.to_string();
        assert!(text.contains(right) && text.contains("s3://test/trawl"), "{text}");
        assert!(!error.is_transient(), "{text}");
        storage.recover();
        store.open_storage().await.expect("all rights");
        let names = storage.names().await;
        let checks = names.iter().filter(|name| name.contains("access-check")).count();
        let is_left = operation == StorageOperation::Delete;
        assert_eq!(checks, usize::from(is_left), "{names:?}");
        harness.sql("DELETE FROM storage_places").await;
    }
    let storage = FaultyStorage::default();
    storage.fail(StorageOperation::Put, StorageFault::Hang, usize::MAX);
    let store = reopened(&harness, |settings| {
        settings.storage.current = Some(storage.bucket("trawl"));
    })
    .await;
    let error = store.open_storage().await.expect_err("no answer");
    assert!(error.to_string().contains("no answer"), "{error}");
}

async fn second_installation_on_a_prefix_is_refused(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..1).await;
    let second = match harness.settings.url.starts_with("postgres") {
        true => Harness::postgres().await,
        false => Harness::sqlite().await,
    };
    let bucket = harness.storage.bucket("trawl");
    let second = second.with(|settings| settings.storage.current = Some(bucket)).await;
    let error = second.store.open_storage().await.expect_err("it is in use").to_string();
    assert!(error.contains("belongs to another installation (inst_"), "{error}");
    let other = harness.storage.bucket("trawl2");
    let second = second.with(|settings| settings.storage.current = Some(other)).await;
    second.store.open_storage().await.expect("another prefix");
    harness.other_node().await.open_storage().await.expect("a node of the first installation");
}

async fn place_without_the_marker_of_known_files_is_refused(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..1).await;
    // As a file system that is not mounted.
    let empty = FaultyStorage::default().bucket("trawl");
    let harness = harness.with(|settings| settings.storage.current = Some(empty)).await;
    let error = harness.store.open_storage().await.expect_err("it is empty").to_string();
    assert!(error.contains("no files of this installation"), "{error}");
}

async fn files_in_a_place_that_is_not_configured_are_an_error(harness: Harness) {
    let harness = harness.with_bucket().await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_until_stored(&harness.store, &mut lease, 0..1).await;
    let harness = harness.with(|settings| settings.storage.current = None).await;
    let error = harness.store.open_storage().await.expect_err("it has files").to_string();
    assert!(error.contains("s3://test/trawl") && error.contains("TRAWL_STORAGE_ALSO"), "{error}");
    let later = contract::Millis(NOW.0 + 1);
    let ticket = harness.store.run_file_ticket(&job.id, 0, super::RAW, later).expect("a key");
    let store::PageFileState::Ready(file) =
        harness.store.page_file(&ticket, NOW).await.expect("it answers")
    else {
        panic!("a file");
    };
    let error = harness.store.page_file_part(&file, 0).await.expect_err("never empty");
    assert!(matches!(error, StoreError::Bucket(_)), "{error}");
}

async fn files_move_between_all_places_despite_faults(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (job, mut lease) = harness.running(&account, "a.example").await;
    append_until_stored(&harness.store, &mut lease, 0..40).await;
    let (second, mut other) = harness.running(&account, "b.example").await;
    append_until_stored(&harness.store, &mut other, 0..40).await;
    let (first_place, second_place) =
        (harness.storage.bucket("first"), harness.storage.bucket("second"));

    let harness = harness.with(|to| to.storage.current = Some(first_place.clone())).await;
    assert_files(&harness.store, &job.id, 0..40).await;
    // Written while the files are moved.
    append_until_stored(&harness.store, &mut lease, 40..50).await;
    moved_despite_faults(&harness, 1).await;
    harness.sql("DELETE FROM blobs").await;
    assert_files(&harness.store, &job.id, 0..50).await;
    assert_files(&harness.store, &second.id, 0..40).await;

    let harness = harness
        .with(|to| {
            to.storage.current = Some(second_place.clone());
            to.storage.also = vec![first_place.clone()];
        })
        .await;
    assert_files(&harness.store, &job.id, 0..50).await;
    append_until_stored(&harness.store, &mut lease, 50..60).await;
    moved_despite_faults(&harness, 2).await;
    let names = kept_objects(&harness).await;
    assert!(names.iter().all(|name| name.starts_with("second/")), "{names:?}");
    assert_files(&harness.store, &job.id, 0..60).await;
    assert_clean(&harness.store).await;

    let harness = harness
        .with(|to| {
            to.storage.current = None;
            to.storage.also = vec![second_place.clone()];
        })
        .await;
    append_until_stored(&harness.store, &mut lease, 60..70).await;
    moved_despite_faults(&harness, 3).await;
    assert_eq!(kept_objects(&harness).await, [""; 0]);
    let harness = harness.with(|to| to.storage.also = Vec::new()).await;
    harness.store.open_storage().await.expect("no place has files");
    assert_files(&harness.store, &job.id, 0..70).await;
    assert_files(&harness.store, &second.id, 0..40).await;
    assert_eq!(blobs(&harness).await, 110);
    assert_eq!(packs(&harness).await, [""; 0]);
    assert_clean(&harness.store).await;
}

/// All objects but those that an access check could not remove, because its storage failed.
async fn kept_objects(harness: &Harness) -> Vec<String> {
    let names = harness.storage.names().await;
    names.into_iter().filter(|name| !name.contains("/trawl-access-check/")).collect()
}

/// Moves the files while operations fail at random; each attempt continues the one before.
async fn moved_despite_faults(harness: &Harness, seed: u64) {
    let mut attempts = 0_i64;
    harness.storage.fail_at_random(seed, 3);
    loop {
        attempts += 1;
        // Changes that failed are due again later.
        let now = || contract::Millis(NOW.0 + attempts * 3_600_000);
        match harness.store.move_storage(now, |_| {}).await {
            Ok(_) => break,
            Err(error) => assert!(error.is_transient() && attempts < 500, "{error}"),
        }
        if attempts > 100 {
            harness.storage.recover();
        }
    }
    harness.storage.recover();
    let now = || contract::Millis(NOW.0 + 1_000 * 3_600_000);
    harness.store.move_storage(now, |_| {}).await.expect("nothing is left");
    harness.store.remove_unreferenced(None, now()).await.expect("it answers");
}

async fn reopened(harness: &Harness, change: impl FnOnce(&mut StoreSettings)) -> Store {
    let mut settings = harness.settings.clone();
    change(&mut settings);
    let store = Store::new(settings).expect("an address of a database");
    store.prepare().await.expect("the tables are there");
    store
}
