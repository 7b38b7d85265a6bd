//! The progress of a run.

use contract::Status;
use job::{JobCommand, RunEnding};

use crate::harness::{Harness, NOW};
use crate::on_both;

on_both!(progress_changes_with_each_commit, stopped_run_lists_no_urls_being_fetched);

async fn progress_changes_with_each_commit(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let progress =
        async || harness.store.progress(&job.id).await.expect("it answers").expect("a job");
    let before = progress().await;
    assert_eq!((before.fetched, before.fetching.len()), (0, 0));
    lease.fetching = vec!["https://example.com/a".to_owned(), "https://example.com/b".to_owned()];
    harness.append(&mut lease, 0..3).await;
    let after = progress().await;
    assert!(after.revision > before.revision, "the revision shows the change");
    assert_eq!((after.fetched, &after.fetching), (3, &lease.fetching));
    assert_eq!(after.job, harness.job(&job.id).await);
    assert_eq!(progress().await, after, "reading changes nothing");
    lease.fetching.clear();
    harness.append(&mut lease, 3..4).await;
    assert_eq!((progress().await.fetched, progress().await.fetching.len()), (4, 0));
    let unknown = harness.store.progress(&contract::JobId::new(NOW, [7; 10])).await;
    assert_eq!(unknown.expect("it answers"), None);
}

async fn stopped_run_lists_no_urls_being_fetched(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    for (host, command, status) in [
        ("one.org", JobCommand::ReachBoundary, Status::Paused),
        ("two.org", JobCommand::Finish(RunEnding::Complete), Status::Completed),
        ("three.org", JobCommand::Start, Status::Running),
    ] {
        let (job, mut lease) = harness.running(&account, host).await;
        lease.fetching = vec![format!("https://{host}/")];
        harness.append(&mut lease, 0..1).await;
        if command == JobCommand::Start {
            // Released, and not claimed by another worker yet.
            harness.store.release_lease(&harness.node, &lease).await.expect("it answers");
        } else {
            harness.store.report(&lease, &command, NOW).await.expect("it stops");
        }
        let progress = harness.store.progress(&job.id).await.expect("it answers").expect("a job");
        assert_eq!((progress.job.status, progress.fetching.len()), (status, 0), "{host}");
    }
}
