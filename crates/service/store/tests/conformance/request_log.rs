//! The log of requests of a run.

use contract::{FailureCause, JobId, RequestLogLine};
use privacy::OptOut;
use store::EraseMode;

use crate::harness::{Harness, NOW};
use crate::on_both;

on_both!(
    newest_requests_come_first_and_old_ones_are_dropped,
    ended_jobs_and_opt_outs_are_not_logged,
);

fn line(number: u32) -> RequestLogLine {
    RequestLogLine {
        at: NOW,
        url: format!("https://a.example/{number}"),
        status_code: Some(200),
        size_bytes: Some(10),
        response_ms: Some(5),
        cause: None,
    }
}

async fn append(harness: &Harness, job: &JobId, lines: &[RequestLogLine]) {
    harness.store.append_request_log(job, lines, NOW).await.expect("it answers");
}

async fn logged(harness: &Harness, job: &JobId) -> Vec<RequestLogLine> {
    harness.store.request_log(job).await.expect("it answers")
}

async fn newest_requests_come_first_and_old_ones_are_dropped(harness: Harness) {
    let account = harness.account("ada@x.org", 100).await;
    let (job, _) = harness.running(&account, "a.example").await;
    append(&harness, &job.id, &[]).await;
    assert_eq!(logged(&harness, &job.id).await, []);
    append(&harness, &job.id, &[line(1), line(2)]).await;
    assert_eq!(logged(&harness, &job.id).await, [line(2), line(1)]);
    for number in 0..50 {
        let at = NOW.plus(std::time::Duration::from_millis(10 + u64::from(number)));
        let stored = harness.store.append_request_log(&job.id, &[line(number)], at).await;
        stored.expect("it answers");
    }
    let kept = logged(&harness, &job.id).await;
    assert_eq!(kept.len(), 40);
    assert_eq!((&kept[0], &kept[39]), (&line(49), &line(10)));
    let long = RequestLogLine { url: "x".repeat(2_000), ..line(1) };
    let at = NOW.plus(std::time::Duration::from_secs(1));
    let lines: Vec<_> = std::iter::repeat_n(long, 250).collect();
    let stored = harness.store.append_request_log(&job.id, &lines, at).await;
    stored.expect("it answers");
    let rows = logged(&harness, &job.id).await.len();
    assert!(rows > 39 && rows < 39 + 40, "a row has a maximum size: {rows}");
}

async fn ended_jobs_and_opt_outs_are_not_logged(harness: Harness) {
    let account = harness.account("ada@x.org", 100).await;
    let (job, _) = harness.running(&account, "a.example").await;
    let failed = RequestLogLine {
        url: "https://a.example/?mail=eve@b.example".to_owned(),
        cause: Some(FailureCause::TimedOut),
        ..line(0)
    };
    append(&harness, &job.id, std::slice::from_ref(&failed)).await;
    assert_eq!(logged(&harness, &job.id).await.first(), Some(&failed));
    let eve = OptOut::email("eve@b.example").expect("a mailbox");
    harness.store.erase(&eve, EraseMode::Apply, NOW).await.expect("it answers");
    append(&harness, &job.id, &[failed]).await;
    for line in logged(&harness, &job.id).await {
        assert!(!line.url.contains("eve@b.example"), "{}", line.url);
    }
    harness.store.abort(&account, &job.id, NOW).await.expect("it can be aborted");
    let before = logged(&harness, &job.id).await;
    append(&harness, &job.id, &[line(3)]).await;
    assert_eq!(logged(&harness, &job.id).await, before, "an ended job gets no lines");
    harness.store.delete_job(&account, &job.id, NOW).await.expect("it has ended");
    assert_eq!(logged(&harness, &job.id).await, []);
}
