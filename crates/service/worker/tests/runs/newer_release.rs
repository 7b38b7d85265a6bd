//! A run that a node of a newer release has continued.

use std::sync::Arc;

use contract::{Confirm, Status};
use fixture::NOW;
use lab::Catalogue;
use sqlx::AnyPool;
use store::Creation;

use crate::golden::work;
use crate::harness::{self, DATABASE};
use crate::lab_sites::LabSites;

const HOST: &str = "catalogue.lab.test";
const PAGES: u64 = 30;

const READ: &str = "SELECT body FROM snapshots WHERE part = 0";
const WRITE: &str = "UPDATE snapshots SET body = $1 WHERE part = 0";
const EPOCH: &str = "SELECT epoch FROM shards";
const RELEASED: &str = "SELECT COUNT(*) FROM shards WHERE epoch > $1 AND owner IS NULL";

#[tokio::test(flavor = "multi_thread")]
async fn run_of_a_newer_release_is_released_and_not_failed() {
    let (folder, store) = harness::store().await;
    let account = fixture::account(&store, 1_000).await;
    let mut new = fixture::new_job(&account, HOST);
    new.draft.batch_size = 10;
    let created = store.create_job(&new, NOW).await.expect("it answers");
    assert!(matches!(created, Creation::Created(_)), "not created: {created:?}");
    let id = new.draft.id;
    let job = async || store.job(&id).await.expect("it answers").expect("a job");
    let sites = Catalogue::plain(usize::try_from(PAGES).expect("few"));
    let sites = Arc::new(LabSites::default().serve(HOST, sites));
    work(&store, &sites, NOW, async || job().await.status == Status::Paused).await;

    let pool = AnyPool::connect(&format!("sqlite:{}/{DATABASE}", folder.path().display())).await;
    let pool = pool.expect("it connects");
    let known: Vec<u8> = sqlx::query_scalar(READ).fetch_one(&pool).await.expect("a snapshot");
    let write = async |body: &[u8]| {
        sqlx::query(WRITE).bind(body.to_vec()).execute(&pool).await.expect("it writes");
    };
    let mut newer = known.clone();
    newer[1] = u8::MAX;
    write(&newer).await;
    let answer = || Confirm { continue_batch: Some(true), ..Confirm::default() };
    store.confirm(&account, &id, answer(), NOW).await.expect("it was paused");
    let epoch: i64 = sqlx::query_scalar(EPOCH).fetch_one(&pool).await.expect("a shard");
    work(&store, &sites, NOW, async || {
        let released: Result<i64, _> =
            sqlx::query_scalar(RELEASED).bind(epoch).fetch_one(&pool).await;
        released.is_ok_and(|shards| shards == 1)
    })
    .await;
    assert_eq!((job().await.status, job().await.error), (Status::Running, None));

    write(&known).await;
    work(&store, &sites, NOW, async || {
        let status = job().await.status;
        if status == Status::Paused {
            store.confirm(&account, &id, answer(), NOW).await.expect("it was paused");
        }
        status.is_final()
    })
    .await;
    assert_eq!((job().await.status, job().await.counts.results), (Status::Completed, PAGES));
}
