//! Where a run stands, for whoever watches it.

use contract::Status;
use job::{Command, Ending};

use crate::bench::{Bench, NOW};
use crate::on_both;

on_both!(progress_is_written_with_each_commit, a_run_that_stops_fetches_nothing);

async fn progress_is_written_with_each_commit(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    let progress =
        async || bench.store.progress(&job.id).await.expect("it answers").expect("a job");
    let before = progress().await;
    assert_eq!((before.fetched, before.fetching.len()), (0, 0));
    lease.fetching = vec!["https://example.com/a".to_owned(), "https://example.com/b".to_owned()];
    bench.append(&mut lease, 0..3).await;
    let after = progress().await;
    assert!(after.revision > before.revision, "whoever watches sees that something moved");
    assert_eq!((after.fetched, &after.fetching), (3, &lease.fetching));
    assert_eq!(after.job, bench.job(&job.id).await);
    assert_eq!(progress().await, after, "looking changes nothing");
    lease.fetching.clear();
    bench.append(&mut lease, 3..4).await;
    assert_eq!((progress().await.fetched, progress().await.fetching.len()), (4, 0));
    let unknown = bench.store.progress(&contract::JobId::new(NOW, [7; 10])).await;
    assert_eq!(unknown.expect("it answers"), None);
}

async fn a_run_that_stops_fetches_nothing(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    for (host, command, status) in [
        ("one.org", Command::ReachBoundary, Status::Paused),
        ("two.org", Command::Finish(Ending::Complete), Status::Completed),
        ("three.org", Command::Start, Status::Running),
    ] {
        let (job, mut lease) = bench.running(&account, host).await;
        lease.fetching = vec![format!("https://{host}/")];
        bench.append(&mut lease, 0..1).await;
        if command == Command::Start {
            // Another takes it up, and has not written anything yet.
            bench.store.give_back(&bench.node, &lease).await.expect("it answers");
        } else {
            bench.store.report(&lease, &command, NOW).await.expect("it stops");
        }
        let progress = bench.store.progress(&job.id).await.expect("it answers").expect("a job");
        assert_eq!((progress.job.status, progress.fetching.len()), (status, 0), "{host}");
    }
}
