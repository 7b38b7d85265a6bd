//! A folder as object storage: all operations, rights, and the marker of its installation.

use bucket::{Bucket, BucketError, BucketOptions, Claim, Location};
use futures_util::TryStreamExt as _;

fn open(folder: &std::path::Path) -> Bucket {
    let location: Location = format!("file:{}", folder.display()).parse().expect("a location");
    Bucket::new(location, BucketOptions::default())
}

#[tokio::test]
async fn objects_are_written_read_listed_and_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let bucket = open(&folder.path().join("files"));
    bucket.check_access().await.expect("all rights");
    bucket.put("packs/a/1", b"0123456789"[..].into()).await.expect("written");
    bucket.put("packs/a/1", b"0123456789"[..].into()).await.expect("as often as it is repeated");
    bucket.put("packs/b/2", b"ab"[..].into()).await.expect("written");
    assert_eq!(&bucket.read("packs/a/1", 2..5).await.expect("read")[..], b"234");
    assert_eq!(bucket.length("packs/a/1").await, Ok(10));
    let mut listed: Vec<_> =
        bucket.list("packs").expect("a stream").try_collect().await.expect("listed");
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    let listed: Vec<_> = listed.iter().map(|one| (one.name.as_str(), one.bytes)).collect();
    assert_eq!(listed, [("packs/a/1", 10), ("packs/b/2", 2)]);
    let none: Vec<_> =
        bucket.list("nothing").expect("a stream").try_collect().await.expect("listed");
    assert_eq!(none, []);
    bucket.remove("packs/a/1").await.expect("removed");
    bucket.remove("packs/a/1").await.expect("it is gone");
    let missing = bucket.read("packs/a/1", 0..1).await;
    assert!(matches!(missing, Err(BucketError::Missing { .. })), "{missing:?}");
    let other = open(&folder.path().join("files"));
    assert_eq!(&other.read("packs/b/2", 0..2).await.expect("read")[..], b"ab");
}

#[tokio::test]
async fn folder_belongs_to_the_installation_that_claims_it_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let bucket = open(folder.path());
    assert_eq!(bucket.owner().await, Ok(None));
    assert_eq!(bucket.claim("inst_1", false).await, Ok(Claim::New));
    assert_eq!(bucket.claim("inst_1", true).await, Ok(Claim::Known));
    let error = bucket.claim("inst_2", false).await.expect_err("it is in use").to_string();
    assert!(error.contains("another installation (inst_1)"), "{error}");
    bucket.release().await.expect("released");
    let error = bucket.claim("inst_1", true).await.expect_err("the marker is gone").to_string();
    assert!(error.contains("is missing"), "{error}");
    assert_eq!(bucket.claim("inst_2", false).await, Ok(Claim::New));
}

#[tokio::test]
async fn missing_credentials_are_named() {
    let location: Location = "az://container/prefix".parse().expect("a location");
    let error = Bucket::new(location, BucketOptions::default()).check_access().await;
    let text = error.expect_err("no account").to_string();
    assert!(
        text.contains("AZURE_STORAGE_ACCOUNT_NAME") && text.contains("az://container"),
        "{text}"
    );
}
