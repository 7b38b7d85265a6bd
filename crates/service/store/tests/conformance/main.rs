//! One suite for both databases: every rule of the store, on SQLite and on
//! PostgreSQL (whose address comes in `TRAWL_TEST_POSTGRES`; `scripts/test` sets it).

mod acceptances;
mod accounts;
mod applications;
mod audit_log;
mod bench;
mod changes;
mod creation;
mod creators;
mod deliveries;
mod erasing;
mod events;
mod exports;
mod keys;
mod leases;
mod limits;
mod log;
mod money;
mod oauth_tokens;
mod objections;
mod overview;
mod progress;
mod purging;
mod recharges;
mod results;
mod schedules;
mod schema;
mod shards;
mod signing_in;
mod skipped;
mod slots;
mod suspension;
mod templates;
mod webhooks;

/// Makes of each scenario a test on SQLite and a test on PostgreSQL.
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::bench::Bench::sqlite().await).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::bench::Bench::postgres().await).await;
            })+
        }
    };
}
pub(crate) use on_both;
