//! Deliveries of a webhook of a job in the format of Firecrawl: the start, the results, the end.

use contract::{AccountId, EventKind, JobWebhook, SecretText, WebhookFormat, WebhookId};
use job::{Job, JobCommand, JobDraft, RunEnding};
use store::WebhookSecret;
use store::{
    DeliveryOutcome, DueDelivery, DueEndpoints, EndpointLease, JobPart, Lease, NewJob, NodeName,
};

use crate::harness::{Harness, LEASE, NOW, new_job};
use crate::on_both;

on_both!(
    start_results_and_end_are_due_in_this_order,
    delivered_results_leave_no_row,
    disabled_webhook_gets_no_results,
    headers_are_encrypted,
    webhook_without_results_gets_start_and_end,
);

const VALUE: &str = "Bearer a-secret-of-the-receiver";

/// A started job with a webhook, and its endpoint.
async fn started(harness: &Harness, account: &AccountId, results: bool) -> (Job, Lease, WebhookId) {
    let new = new_job(account, "a.example");
    let webhook = JobWebhook {
        url: "https://a.example.hooks/".to_owned(),
        events: Some(vec![EventKind::JobCompleted, EventKind::JobFailed, EventKind::JobAborted]),
        format: Some(WebhookFormat::Firecrawl),
        results,
        ..JobWebhook::default()
    };
    let headers = [("Authorization".to_owned(), SecretText::new(VALUE))].into();
    let draft = JobDraft { webhook: Some(webhook), ..new.draft };
    let new = NewJob {
        draft,
        webhook_secret: Some(WebhookSecret::chosen("a secret of the client")),
        webhook_headers: headers,
        ..new
    };
    harness.create(&new).await;
    let lease = harness.claim().await.expect("a free shard");
    let job = harness.start(&lease).await;
    let endpoint = claimed(harness).await;
    (job, lease, endpoint.webhook)
}

async fn claimed(harness: &Harness) -> EndpointLease {
    let node = NodeName::random();
    let due = harness.store.due_endpoints(&node, NOW).await.expect("it answers").free;
    let claimed = harness.store.claim_endpoints(&node, &due, LEASE).await.expect("it answers");
    let mut leases = claimed.leases;
    assert_eq!(leases.len(), 1, "{:?}", claimed.undecryptable);
    leases.remove(0)
}

fn parts(due: &[DueDelivery]) -> Vec<Option<JobPart>> {
    due.iter().map(|due| due.part.as_ref().map(|(_, part)| *part)).collect()
}

async fn deliver(harness: &Harness, due: &[DueDelivery]) {
    for due in due {
        harness.attempt(due, NOW, DeliveryOutcome::Delivered).await;
    }
}

async fn end(harness: &Harness, lease: &Lease) {
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(lease, &done, NOW).await.expect("it ends");
}

async fn start_results_and_end_are_due_in_this_order(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease, webhook) = started(&harness, &account, true).await;
    harness.append(&mut lease, 0..2).await;
    harness.append(&mut lease, 2..3).await;
    end(&harness, &lease).await;
    let due = harness.due(&webhook, NOW).await;
    assert_eq!(parts(&due), [Some(JobPart::Start)]);
    assert_eq!(due[0].part.as_ref().map(|(id, _)| id), Some(&job.id));
    deliver(&harness, &due).await;
    let due = harness.due(&webhook, NOW).await;
    let results = [0, 1, 2].map(|number| Some(JobPart::Result(number)));
    assert_eq!(parts(&due), results);
    for (number, due) in (0_u64..).zip(&due) {
        assert_eq!(due.body, "", "the result is read when it is sent");
        let result = harness.store.result(&job.id, number).await.expect("it answers");
        let all = harness.store.results(&job.id, 0, 9).await.expect("it answers").items;
        assert_eq!(result.as_ref(), all.get(usize::try_from(number).expect("small")));
    }
    assert_eq!(harness.store.result(&job.id, 3).await.expect("it answers"), None);
    // The end waits for a result that is retried.
    let later = NOW.plus(LEASE);
    deliver(&harness, &due[1..]).await;
    harness.attempt(&due[0], NOW, DeliveryOutcome::Retry { at: later }).await;
    assert_eq!(parts(&harness.due(&webhook, NOW).await), []);
    let waiting = harness.store.due_endpoints(&harness.node, NOW).await.expect("it answers");
    assert_eq!(waiting, DueEndpoints::default(), "notifiers do not look at it in vain");
    let due = harness.due(&webhook, later).await;
    assert_eq!(parts(&due), [Some(JobPart::Result(0))]);
    assert_eq!(due[0].attempts, 1);
    deliver(&harness, &due).await;
    let due = harness.due(&webhook, later).await;
    assert_eq!(parts(&due), [None]);
    assert!(due[0].body.contains("job.completed"), "{}", due[0].body);
}

async fn delivered_results_leave_no_row(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (_, mut lease, webhook) = started(&harness, &account, true).await;
    harness.append(&mut lease, 0..5).await;
    for _ in 0..2 {
        deliver(&harness, &harness.due(&webhook, NOW).await).await;
    }
    end(&harness, &lease).await;
    deliver(&harness, &harness.due(&webhook, NOW).await).await;
    assert_eq!(harness.due(&webhook, NOW).await, []);
    let kept = harness.deliveries(&webhook).await;
    let kinds: Vec<_> = kept.iter().map(|delivery| delivery.kind.as_str()).collect();
    assert_eq!(kinds, ["job.completed"]);
}

async fn disabled_webhook_gets_no_results(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (_, mut lease, webhook) = started(&harness, &account, true).await;
    let due = harness.due(&webhook, NOW).await;
    harness.attempt(&due[0], NOW, DeliveryOutcome::Exhausted).await;
    harness.append(&mut lease, 0..3).await;
    end(&harness, &lease).await;
    assert_eq!(harness.due(&webhook, NOW).await, []);
    assert_eq!(harness.job(&lease.job).await.counts.results, 3, "the run goes on");
}

async fn headers_are_encrypted(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, _, webhook) = started(&harness, &account, false).await;
    let held = harness.store.release_all_leases().await;
    held.expect("it answers");
    let lease = claimed(&harness).await;
    assert_eq!((&lease.webhook, lease.format), (&webhook, WebhookFormat::Firecrawl));
    assert_eq!(lease.secret.reveal(), "a secret of the client");
    let headers: Vec<_> =
        lease.headers.iter().map(|(name, value)| (name.as_str(), value.reveal())).collect();
    assert_eq!(headers, [("Authorization", VALUE)]);
    assert!(!format!("{lease:?} {job:?}").contains("a-secret-of"), "nothing for a log");
    let pool = sqlx::AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let stored: Vec<u8> = sqlx::query_scalar("SELECT headers FROM webhooks")
        .fetch_one(&pool)
        .await
        .expect("encrypted headers");
    let text = String::from_utf8_lossy(&stored).into_owned();
    assert!(!text.contains("Authorization") && !text.contains("a-secret-of"), "{text}");
    pool.close().await;
}

async fn webhook_without_results_gets_start_and_end(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (_, mut lease, webhook) = started(&harness, &account, false).await;
    harness.append(&mut lease, 0..3).await;
    end(&harness, &lease).await;
    let due = harness.due(&webhook, NOW).await;
    assert_eq!(parts(&due), [Some(JobPart::Start)]);
    deliver(&harness, &due).await;
    assert_eq!(parts(&harness.due(&webhook, NOW).await), [None]);
}
