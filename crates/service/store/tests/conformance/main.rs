//! One suite for both databases: every test runs on SQLite, and on PostgreSQL if `scripts/test` runs
//! it, which sets `TRAWL_TEST_POSTGRES`.

mod acceptances;
mod accounts;
mod admission;
mod applications;
mod audit_log;
mod blame;
mod charging;
mod comparison;
mod creation;
mod creators;
mod deliveries;
mod diagnosis;
mod erasure;
mod events;
mod exports;
mod harness;
mod job_deliveries;
mod job_secrets;
mod key_rotation;
mod keys;
mod leases;
mod limits;
mod lists;
mod log;
mod mails;
mod nodes;
mod oauth_tokens;
mod opt_outs;
mod overview;
mod page_calls;
mod progress;
mod purge;
mod recharges;
mod request_log;
mod results;
mod retention;
mod run_pages;
mod schedules;
mod schema;
mod shards;
mod sign_in;
mod site_queue;
mod skipped;
mod slots;
mod steering;
mod storage;
mod suspension;
mod templates;
mod url_lists;
mod verify;
mod webhooks;

/// Makes a test on SQLite and a test on PostgreSQL of each function.
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::harness::Harness::sqlite().await).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            #[ignore = "needs PostgreSQL: scripts/test starts it"]
            async fn $name() {
                super::$name(crate::harness::Harness::postgres().await).await;
            })+
        }
    };
}
pub(crate) use on_both;

/// As [`on_both`], with files in the database and in object storage.
macro_rules! on_both_storages {
    ($($name:ident),+ $(,)?) => {
        crate::on_both!($($name),+);
        mod sqlite_bucket {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::harness::Harness::sqlite().await.with_bucket().await).await;
            })+
        }
        mod postgres_bucket {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            #[ignore = "needs PostgreSQL: scripts/test starts it"]
            async fn $name() {
                super::$name(crate::harness::Harness::postgres().await.with_bucket().await).await;
            })+
        }
    };
}
pub(crate) use on_both_storages;
