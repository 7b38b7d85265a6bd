//! The check of all stored data: clean while a run works, and each damage is named.

use sqlx::AnyPool;
use store::DataCheck;

use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

on_both!(stored_data_is_clean_at_any_time, each_damage_is_named);

async fn problems(harness: &Harness) -> Vec<(&'static str, String)> {
    let checks = harness.store.verify_data().await.expect("it answers");
    let listed = |check: DataCheck| {
        let name = check.name;
        check.problems.into_iter().map(move |problem| (name, problem))
    };
    checks.into_iter().flat_map(listed).collect()
}

async fn assert_clean(harness: &Harness, when: &str) {
    let found = problems(harness).await;
    assert!(found.is_empty(), "{when}: {found:?}");
}

async fn stored_data_is_clean_at_any_time(harness: Harness) {
    assert_clean(&harness, "an empty database").await;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    assert_clean(&harness, "a run without a commit").await;
    harness.append_with(&mut lease, 0..4, 0..3).await;
    harness.append_with(&mut lease, 4..6, 3..9).await;
    assert_clean(&harness, "an unfinished run").await;
    harness.create(&new_job(&account, "waiting.example")).await;
    harness.store.abort(&account, &job.id, NOW).await.expect("it ends");
    assert_clean(&harness, "a finished run").await;
    harness.store.merge_segments(&job.id).await.expect("it answers");
    assert_clean(&harness, "merged segments").await;
    harness.store.delete_job(&account, &job.id, NOW).await.expect("it is deleted");
    assert_clean(&harness, "a deleted run").await;
}

async fn each_damage_is_named(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.append_with(&mut lease, 0..4, 0..3).await;
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    for (damage, repair, check, problem) in [
        (
            "UPDATE jobs SET results = results + 1",
            "UPDATE jobs SET results = results - 1",
            "results",
            format!("job {}: 4 results instead of 5", job.id),
        ),
        (
            "UPDATE skip_segments SET count = count + 1",
            "UPDATE skip_segments SET count = count - 1",
            "results",
            format!("job {}: skipped URLs from 0 are 3 instead of 4", job.id),
        ),
        (
            "UPDATE shards SET head = head + 1",
            "UPDATE shards SET head = head - 1",
            "run logs",
            format!(
                "job {}: the log of shard {} ends at commit 1 instead of 2",
                job.id, lease.shard
            ),
        ),
        (
            "UPDATE accounts SET balance = balance + 1",
            "UPDATE accounts SET balance = balance - 1",
            "ledger",
            format!(
                "account {account}: balance 97 and ledger 96, used 4 and debits 4, reserved {r} and \
                 held {r}",
                r = harness.audit(&account).await.reserved
            ),
        ),
        (
            "INSERT INTO commits (shard_id, seq, body) VALUES ('none', 1, CAST('x' AS blob))",
            "DELETE FROM commits WHERE shard_id = 'none'",
            "references",
            "1 rows of commits.shard_id refer to no row of shards".to_owned(),
        ),
    ] {
        sqlx::raw_sql(damage).execute(&pool).await.expect(damage);
        let found = problems(&harness).await;
        assert!(found.contains(&(check, problem.clone())), "{problem} is not in {found:?}");
        sqlx::raw_sql(repair).execute(&pool).await.expect(repair);
        assert_clean(&harness, repair).await;
    }
    pool.close().await;
}
