//! Webhook endpoints and their secrets.

use contract::{AccountId, EventKind, JobWebhook, WebhookId};
use job::JobDraft;
use store::{NewJob, NewWebhook, NodeName, SecretKey, Store, StoreSettings, WebhookSecret};

use crate::harness::{Harness, LEASE, NOW, new_job, random};
use crate::on_both;

on_both!(
    endpoint_is_created_listed_changed_and_removed,
    account_has_at_most_twenty_endpoints,
    secret_is_stored_encrypted_and_decrypted_for_deliveries,
    node_with_another_secret_key_is_detected,
    webhook_of_a_job_gets_the_events_of_that_job_until_it_is_deleted,
);

pub fn endpoint(url: &str) -> NewWebhook {
    NewWebhook { url: url.to_owned(), events: None, created_by: None }
}

async fn endpoint_is_created_listed_changed_and_removed(harness: Harness) {
    let store = &harness.store;
    let (ada, bob) = (harness.account("a@x.org", 0).await, harness.account("b@x.org", 0).await);
    let all = harness.webhook(&ada, None).await;
    assert_eq!(all.details.events, EventKind::ALL, "all of them, as they are today");
    let some = vec![EventKind::JobFailed, EventKind::JobCompleted];
    let listed = harness.webhook(&ada, Some(some.clone())).await;
    assert_eq!(listed.details.events, some);
    let list = store.webhooks(&ada).await.expect("it answers");
    assert_eq!(list.len(), 2);
    assert!(list.contains(&all.details) && list.contains(&listed.details));
    let shown = format!("{list:?} {all:?}");
    assert!(!shown.contains(&all.secret), "no secret in a list or a log");
    assert!(store.webhooks(&bob).await.expect("it answers").is_empty());

    let id = &all.details.id;
    let unknown = WebhookId::new(NOW, random());
    for (whose, id) in [(&bob, id), (&ada, &unknown)] {
        assert_eq!(store.webhook_of(whose, id).await.expect("it answers"), None);
        let changed = store.change_webhook(whose, id, Some(false), None).await;
        assert_eq!(changed.expect("it answers"), None);
        assert!(!store.remove_webhook(whose, id).await.expect("it answers"));
    }
    let off = store.change_webhook(&ada, id, Some(false), None).await.expect("it answers");
    assert!(!off.expect("hers").active);
    let narrowed = store.change_webhook(&ada, id, None, Some(&some)).await.expect("it answers");
    let narrowed = narrowed.expect("hers");
    assert_eq!((narrowed.active, &narrowed.events), (false, &some), "what is left out stays");
    let same = store.change_webhook(&ada, id, None, None).await.expect("it answers");
    assert_eq!(same.as_ref(), Some(&narrowed));
    assert_eq!(store.webhook_of(&ada, id).await.expect("it answers"), Some(narrowed));
    assert!(!store.webhook_failing(&ada).await.expect("it answers"), "its owner did it");

    assert!(store.remove_webhook(&ada, id).await.expect("it answers"));
    assert!(!store.remove_webhook(&ada, id).await.expect("it answers"));
    assert_eq!(store.webhooks(&ada).await.expect("it answers"), [listed.details]);
}

async fn account_has_at_most_twenty_endpoints(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    // Concurrent creations must not exceed the limit.
    let makings = (0..25).map(|_| {
        let (store, account) = (harness.store.clone(), account.clone());
        tokio::spawn(async move {
            let made = store.create_webhook(&account, endpoint("https://h.example/"), NOW).await;
            made.expect("it answers").is_some()
        })
    });
    let mut made = 0;
    for making in makings.collect::<Vec<_>>() {
        made += usize::from(making.await.expect("no panic"));
    }
    assert_eq!(made, 20);
    let list = harness.store.webhooks(&account).await.expect("it answers");
    assert_eq!(list.len(), 20);
    assert!(harness.store.remove_webhook(&account, &list[0].id).await.expect("it answers"));
    harness.webhook(&account, None).await;
}

async fn secret_is_stored_encrypted_and_decrypted_for_deliveries(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let made = harness.webhook(&account, None).await;
    assert!(made.secret.starts_with(WebhookSecret::PREFIX));
    harness.store.emit_recharge_failed(&account, "no card", NOW).await.expect("it answers");
    let ids = [made.details.id.clone()];
    let settings =
        StoreSettings { secret_key: Some(SecretKey::new("another")), ..harness.settings.clone() };
    let other = Store::new(settings).expect("an address of a database");
    other.prepare().await.expect("the tables are there");
    let claimed =
        other.claim_endpoints(&NodeName::random(), &ids, LEASE).await.expect("it answers");
    assert_eq!(
        (claimed.leases.len(), claimed.undecryptable),
        (0, ids.to_vec()),
        "with another key"
    );
    other.close().await;
    let claimed =
        harness.store.claim_endpoints(&harness.node, &ids, LEASE).await.expect("it answers");
    assert_eq!(claimed.leases[0].secret.reveal(), made.secret, "and it was left to the others");
    let pool = sqlx::AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let kept: Vec<u8> =
        sqlx::query_scalar("SELECT secret FROM webhooks").fetch_one(&pool).await.expect("a row");
    pool.close().await;
    let part = &made.secret.as_bytes()[6..20];
    assert!(!kept.windows(part.len()).any(|bytes| bytes == part), "sealed");
}

async fn node_with_another_secret_key_is_detected(harness: Harness) {
    let node = async |key: &str| {
        let settings =
            StoreSettings { secret_key: Some(SecretKey::new(key)), ..harness.settings.clone() };
        let store = Store::new(settings).expect("an address of a database");
        store.prepare().await.expect("the tables are there");
        store
    };
    harness.store.verify_secret_key().await.expect("the first key there is");
    let (same, other) = (node("a key for tests").await, node("another").await);
    same.verify_secret_key().await.expect("the same key");
    let account = harness.account("a@x.org", 0).await;
    harness.webhook(&account, None).await;
    let refused = other.verify_secret_key().await.expect_err("another key").to_string();
    assert!(refused.contains("TRAWL_SECRET_KEY"), "{refused}");
    let made = other.create_webhook(&account, endpoint("https://h.example/"), NOW).await;
    assert!(made.is_err(), "nothing is encrypted with a key that the others do not have");
    let all = harness.store.webhooks(&account).await.expect("it answers");
    harness.store.remove_webhook(&account, &all[0].id).await.expect("it answers");
    other.verify_secret_key().await.expect("nothing is encrypted: any key is accepted");
    for store in [same, other] {
        store.close().await;
    }
    let keyless = StoreSettings { secret_key: None, ..harness.settings.clone() };
    let keyless = Store::new(keyless).expect("an address of a database");
    keyless.prepare().await.expect("the tables are there");
    assert!(keyless.create_webhook(&account, endpoint("https://h.example/"), NOW).await.is_err());
}

/// A job with a webhook, and its secret.
fn with_webhook(
    account: &AccountId,
    host: &str,
    events: Option<Vec<EventKind>>,
) -> (NewJob, WebhookSecret) {
    let (new, secret) = (new_job(account, host), WebhookSecret::mint());
    let webhook =
        JobWebhook { url: format!("https://{host}.hooks/"), events, ..JobWebhook::default() };
    let webhook = Some(webhook);
    let draft = JobDraft { webhook, ..new.draft };
    (NewJob { draft, webhook_secret: Some(secret.clone()), ..new }, secret)
}

async fn webhook_of_a_job_gets_the_events_of_that_job_until_it_is_deleted(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 100).await;
    let of_account = harness.webhook(&account, None).await;
    let (first, secret) = with_webhook(&account, "a.example", None);
    let (second, _) = with_webhook(&account, "b.example", Some(vec![EventKind::JobFailed]));
    let first = harness.create(&first).await.accepted.job_id;
    let second = harness.create(&second).await.accepted.job_id;
    let job = harness.job(&first).await;
    assert_eq!(
        job.webhook.as_ref().map(|hook| hook.url.as_str()),
        Some("https://a.example.hooks/")
    );
    assert!(!format!("{job:?}").contains(&secret.reveal()[6..]));
    assert_eq!(store.webhooks(&account).await.expect("it answers").len(), 1);

    store.abort(&account, &first, NOW).await.expect("it ends");
    store.abort(&account, &second, NOW).await.expect("it ends");
    let node = NodeName::random();
    let due = store.due_endpoints(&node, NOW).await.expect("it answers").free;
    assert_eq!(due.len(), 2, "the endpoint of the account and one job's: {due:?}");
    let claimed = store.claim_endpoints(&node, &due, LEASE).await.expect("it answers");
    let of_job = claimed.leases.iter().find(|lease| lease.webhook != of_account.details.id);
    let of_job = of_job.expect("the job's");
    assert_eq!(of_job.url, "https://a.example.hooks/");
    assert_eq!(of_job.secret.reveal(), secret.reveal());
    let bodies = harness.due(&of_job.webhook, NOW).await;
    assert_eq!(bodies.len(), 1);
    assert!(bodies[0].body.contains("job.aborted") && bodies[0].body.contains(first.as_str()));
    assert_eq!(harness.due(&of_account.details.id, NOW).await.len(), 2);

    // The account does not manage it as an endpoint.
    let id = &of_job.webhook;
    assert_eq!(store.webhook_of(&account, id).await.expect("it answers"), None);
    assert!(!store.remove_webhook(&account, id).await.expect("it answers"));
    assert_eq!(store.test_webhook(&account, id, NOW).await.expect("it answers"), None);
    store.delete_job(&account, &first, NOW).await.expect("it is deleted");
    assert!(harness.due(id, NOW).await.is_empty());
    let left = store.renew_endpoints(&node, LEASE).await.expect("it answers");
    assert_eq!(left, std::slice::from_ref(&of_account.details.id));
}
