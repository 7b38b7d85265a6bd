//! Deliveries: subscriptions, endpoint leases, attempts and their outcomes.

use std::time::Duration;

use contract::{DeliveryState, EventKind, Millis, WebhookId};
use job::{JobCommand, RunEnding};
use store::{DeliveryOutcome, DueDelivery, DueEndpoints, NodeName, PageRequest};

use crate::harness::{Harness, LEASE, NOW, pages_commit};
use crate::on_both;

on_both!(
    event_is_delivered_to_subscribed_endpoints_only,
    endpoint_is_leased_by_one_node,
    backlog_does_not_hide_other_endpoints,
    attempts_update_history_and_endpoint_health,
    exhausted_retries_disable_the_endpoint,
    pending_deliveries_are_held_while_the_endpoint_is_disabled,
    newer_progress_supersedes_a_pending_one,
    manual_delivery_does_not_count_against_the_endpoint,
    removed_endpoint_gets_no_deliveries,
    new_delivery_wakes_the_notifier,
);

fn at(seconds: u64) -> Millis {
    NOW.plus(Duration::from_secs(seconds))
}

fn states(deliveries: &[contract::Delivery]) -> Vec<DeliveryState> {
    deliveries.iter().map(|delivery| delivery.state).collect()
}

/// An endpoint with one delivery due.
async fn endpoint_with_delivery(
    harness: &Harness,
) -> (contract::AccountId, WebhookId, DueDelivery) {
    let account = harness.account("a@x.org", 10).await;
    let webhook = harness.webhook(&account, None).await.details.id;
    harness.store.emit_recharge_failed(&account, "no card", NOW).await.expect("it answers");
    let due = harness.due(&webhook, NOW).await.remove(0);
    (account, webhook, due)
}

async fn event_is_delivered_to_subscribed_endpoints_only(harness: Harness) {
    let (ada, bob) = (harness.account("a@x.org", 10).await, harness.account("b@x.org", 10).await);
    let all = harness.webhook(&ada, None).await.details.id;
    let ends = vec![EventKind::JobCompleted, EventKind::JobFailed];
    let ends = harness.webhook(&ada, Some(ends)).await.details.id;
    let off = harness.webhook(&ada, None).await.details.id;
    harness.store.change_webhook(&ada, &off, Some(false), None).await.expect("it answers");
    let foreign = harness.webhook(&bob, None).await.details.id;
    let (job, mut lease) = harness.running(&ada, "example.com").await;
    harness.append(&mut lease, 0..2).await;
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(&lease, &done, at(1)).await.expect("it ends");

    let kinds = async |webhook: &WebhookId| {
        let deliveries = harness.deliveries(webhook).await;
        deliveries.iter().map(|delivery| delivery.kind.clone()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&all).await, ["job.progress", "job.completed"]);
    assert_eq!(kinds(&ends).await, ["job.completed"]);
    assert!(kinds(&off).await.is_empty() && kinds(&foreign).await.is_empty());
    let events = harness.store.events(&job.id).await.expect("it answers");
    for (due, event) in harness.due(&all, at(1)).await.iter().zip(&events) {
        assert_eq!(due.body, serde_json::to_string(event).expect("JSON"), "as it was emitted");
    }
    let delivery = &harness.deliveries(&ends).await[0];
    assert_eq!((&delivery.event_id, delivery.created_at), (&events[1].id, at(1)));
    assert_eq!(delivery.payload["data"]["job"]["counts"]["results"], 2, "with those of GET");
    assert_eq!((delivery.state, delivery.next_attempt_at), (DeliveryState::Pending, Some(at(1))));
    // Existing deliveries stay; a new subscription applies to later events.
    let wider = [EventKind::BillingRechargeFailed];
    harness.store.change_webhook(&ada, &ends, None, Some(&wider)).await.expect("it answers");
    harness.store.emit_recharge_failed(&ada, "no card", at(2)).await.expect("it answers");
    assert_eq!(kinds(&ends).await, ["job.completed", "billing.recharge_failed"]);
}

async fn endpoint_is_leased_by_one_node(harness: Harness) {
    let (account, webhook, _) = endpoint_with_delivery(&harness).await;
    let (store, other, ids) = (&harness.store, NodeName::random(), [webhook.clone()]);
    let due = async |node: &NodeName| store.due_endpoints(node, NOW).await.expect("it answers");
    let claim = async |node: &NodeName, span| {
        let claimed = store.claim_endpoints(node, &ids, span).await.expect("it answers");
        claimed.leases.len()
    };
    let free = DueEndpoints { held: Vec::new(), free: ids.to_vec() };
    let ours = DueEndpoints { held: ids.to_vec(), free: Vec::new() };
    assert_eq!(due(&harness.node).await, free);
    // Both claim it concurrently: one gets it.
    let (one, two) = tokio::join!(claim(&harness.node, LEASE), claim(&other, LEASE));
    assert_eq!(one + two, 1);
    let (holder, waiting) =
        if one == 1 { (&harness.node, &other) } else { (&other, &harness.node) };
    assert_eq!((due(holder).await, due(waiting).await), (ours, DueEndpoints::default()));
    assert_eq!(claim(waiting, LEASE).await, 0);
    assert_eq!(store.renew_endpoints(holder, LEASE).await.expect("it answers"), ids);
    assert!(store.renew_endpoints(waiting, LEASE).await.expect("it answers").is_empty());
    store.release_endpoints(waiting, &ids).await.expect("it answers");
    assert_eq!(due(waiting).await, DueEndpoints::default(), "only its holder releases it");
    store.release_endpoints(holder, &ids).await.expect("it answers");
    assert_eq!(due(waiting).await, free);
    // The lease of a dead holder expires on the database's clock.
    assert_eq!(claim(holder, Duration::ZERO).await, 1);
    assert_eq!(claim(waiting, LEASE).await, 1);
    store.release_all_leases().await.expect("it answers");
    assert_eq!(due(holder).await, free, "a start on SQLite releases all");
    assert_eq!(
        store.due_endpoints(holder, Millis(NOW.0 - 1)).await.expect("it answers"),
        DueEndpoints::default()
    );
    store.remove_webhook(&account, &webhook).await.expect("it answers");
    assert_eq!(due(holder).await, DueEndpoints::default());
    assert_eq!(claim(holder, LEASE).await, 0);
}

async fn backlog_does_not_hide_other_endpoints(harness: Harness) {
    let (ada, bob) = (harness.account("a@x.org", 10).await, harness.account("b@x.org", 10).await);
    let busy = harness.webhook(&ada, None).await.details.id;
    let quiet = harness.webhook(&bob, None).await.details.id;
    for _ in 0..50 {
        harness.store.emit_recharge_failed(&ada, "no card", NOW).await.expect("it answers");
    }
    harness.store.emit_recharge_failed(&bob, "no card", at(1)).await.expect("it answers");
    let mut endpoints =
        harness.store.due_endpoints(&harness.node, at(1)).await.expect("it answers").free;
    endpoints.sort();
    let mut both = vec![busy.clone(), quiet];
    both.sort();
    assert_eq!(endpoints, both);
    let few = harness.store.due_deliveries(&busy, at(1), 8).await.expect("it answers");
    assert_eq!(few.len(), 8, "as many as requested");
}

async fn attempts_update_history_and_endpoint_health(harness: Harness) {
    let (account, webhook, due) = endpoint_with_delivery(&harness).await;
    let health = async || {
        let webhook = harness.store.webhook_of(&account, &webhook).await.expect("it answers");
        let webhook = webhook.expect("hers");
        assert!(webhook.active);
        (webhook.last_success_at, webhook.failing_since, webhook.last_error)
    };
    assert_eq!(health().await, (None, None, None));
    harness.attempt(&due, at(1), DeliveryOutcome::Retry { at: at(6) }).await;
    assert!(harness.due(&webhook, at(5)).await.is_empty(), "not yet");
    let again = harness.due(&webhook, at(6)).await.remove(0);
    assert_eq!((again.attempts, again.history.len(), &again.body), (1, 1, &due.body));
    harness.attempt(&again, at(6), DeliveryOutcome::Retry { at: at(36) }).await;
    let error = Some("answered 500".to_owned());
    assert_eq!(health().await, (None, Some(at(1)), error), "since the first failure");
    assert!(!harness.store.webhook_failing(&account).await.expect("it answers"));
    let last = harness.due(&webhook, at(36)).await.remove(0);
    harness.attempt(&last, at(36), DeliveryOutcome::Delivered).await;
    let success = at(36).plus(Duration::from_millis(7));
    assert_eq!(health().await, (Some(success), None, None));
    assert!(harness.due(&webhook, at(9_999)).await.is_empty());
    let delivery = harness.deliveries(&webhook).await.remove(0);
    assert_eq!((delivery.state, delivery.next_attempt_at), (DeliveryState::Delivered, None));
    let attempts: Vec<_> = delivery
        .attempts
        .iter()
        .map(|made| (made.at, made.status_code, made.duration_ms))
        .collect();
    assert_eq!(attempts, [(at(1), Some(500), 7), (at(6), Some(500), 7), (at(36), Some(204), 7)]);
}

async fn exhausted_retries_disable_the_endpoint(harness: Harness) {
    let (account, webhook, due) = endpoint_with_delivery(&harness).await;
    harness.attempt(&due, at(1), DeliveryOutcome::Exhausted).await;
    let off = harness.store.webhook_of(&account, &webhook).await.expect("it answers");
    let off = off.expect("hers");
    assert_eq!((off.active, off.failing_since), (false, Some(at(1))));
    assert!(harness.store.webhook_failing(&account).await.expect("it answers"));
    harness.store.emit_recharge_failed(&account, "no card", at(2)).await.expect("it answers");
    assert_eq!(states(&harness.deliveries(&webhook).await), [DeliveryState::Failed]);
    let on = harness.store.change_webhook(&account, &webhook, Some(true), None).await;
    let on = on.expect("it answers").expect("hers");
    assert_eq!((on.active, on.failing_since), (true, Some(at(1))), "until a success");
    assert!(!harness.store.webhook_failing(&account).await.expect("it answers"));
    let other = harness.store.webhook_failing(&harness.account("b@x.org", 0).await).await;
    assert!(!other.expect("it answers"));
}

async fn pending_deliveries_are_held_while_the_endpoint_is_disabled(harness: Harness) {
    let (account, webhook, due) = endpoint_with_delivery(&harness).await;
    harness.store.emit_recharge_failed(&account, "still no card", at(1)).await.expect("it answers");
    let switch = async |active| {
        let changed = harness.store.change_webhook(&account, &webhook, Some(active), None).await;
        changed.expect("it answers").expect("hers");
    };
    switch(false).await;
    let state = async || states(&harness.deliveries(&webhook).await);
    assert_eq!(state().await, [DeliveryState::Held; 2]);
    assert!(harness.due(&webhook, at(9)).await.is_empty());
    assert_eq!(
        harness.store.due_endpoints(&harness.node, at(9)).await.expect("it answers"),
        DueEndpoints::default()
    );
    // A delivery in flight failed meanwhile.
    harness.attempt(&due, at(2), DeliveryOutcome::Retry { at: at(7) }).await;
    assert_eq!(state().await, [DeliveryState::Held; 2]);
    switch(true).await;
    assert_eq!(harness.due(&webhook, at(6)).await.len(), 1);
    assert_eq!(harness.due(&webhook, at(7)).await.len(), 2, "nothing was lost");
    // A delivery in flight that succeeds is delivered although the endpoint is disabled.
    switch(false).await;
    harness.attempt(&due, at(8), DeliveryOutcome::Delivered).await;
    assert_eq!(state().await, [DeliveryState::Delivered, DeliveryState::Held]);
}

async fn newer_progress_supersedes_a_pending_one(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let webhook = harness.webhook(&account, None).await.details.id;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    let mut progress = async |page: u32, seconds| {
        let (commit, items) = pages_commit(page..page + 1);
        let appended = harness.store.append(&mut lease, &commit, &items, &[], at(seconds)).await;
        appended.expect("it answers");
        harness.due(&webhook, at(seconds)).await
    };
    let state = async || states(&harness.deliveries(&webhook).await);
    let first = progress(0, 0).await.remove(0);
    let due = progress(1, 12).await;
    assert_eq!(due.len(), 1, "only the newer one");
    assert_eq!(state().await, [DeliveryState::Superseded, DeliveryState::Pending]);
    // The older one was in flight and succeeded: it is delivered.
    harness.attempt(&first, at(12), DeliveryOutcome::Delivered).await;
    assert_eq!(state().await, [DeliveryState::Delivered, DeliveryState::Pending]);
    let third = progress(2, 24).await.remove(0);
    // One that fails while a newer one is pending is not retried.
    harness.attempt(&due[0], at(24), DeliveryOutcome::Retry { at: at(29) }).await;
    assert_eq!(harness.due(&webhook, at(99)).await, std::slice::from_ref(&third));
    harness.attempt(&third, at(25), DeliveryOutcome::Delivered).await;
    // Delivered ones and those of other jobs are not superseded.
    let (_, mut other) = harness.running(&account, "example.org").await;
    harness.append(&mut other, 0..1).await;
    progress(3, 36).await;
    let expected = [
        DeliveryState::Delivered,
        DeliveryState::Superseded,
        DeliveryState::Delivered,
        DeliveryState::Pending,
        DeliveryState::Pending,
    ];
    let mut seen = state().await;
    seen.sort();
    let mut wanted = expected.to_vec();
    wanted.sort();
    assert_eq!(seen, wanted);
}

async fn manual_delivery_does_not_count_against_the_endpoint(harness: Harness) {
    let (account, webhook, due) = endpoint_with_delivery(&harness).await;
    let store = &harness.store;
    harness.attempt(&due, at(1), DeliveryOutcome::Exhausted).await;
    // A test is sent although the endpoint is disabled.
    let test = store.test_webhook(&account, &webhook, at(2)).await.expect("it answers");
    let test = test.expect("it is on its way");
    assert_eq!((test.kind.as_str(), test.state), ("webhook.test", DeliveryState::Pending));
    assert_eq!(test.payload["data"]["webhook"], webhook.as_str());
    let sent = harness.due(&webhook, at(2)).await;
    assert_eq!((sent.len(), sent[0].manual, &sent[0].id), (1, true, &test.id));
    harness.attempt(&sent[0], at(2), DeliveryOutcome::Failed).await;
    let health = store.webhook_of(&account, &webhook).await.expect("it answers").expect("hers");
    assert_eq!(health.failing_since, Some(at(1)));
    // So is a redelivery.
    let again = store.redeliver(&webhook, &due.id, at(3)).await.expect("it answers");
    assert_eq!(again.expect("known").next_attempt_at, Some(at(3)));
    let sent = harness.due(&webhook, at(3)).await.remove(0);
    assert_eq!((sent.manual, &sent.body, sent.attempts), (true, &due.body, 1));
    harness.attempt(&sent, at(3), DeliveryOutcome::Failed).await;
    assert_eq!(states(&harness.deliveries(&webhook).await), [DeliveryState::Failed; 2]);
    store.redeliver(&webhook, &due.id, at(4)).await.expect("it answers").expect("known");
    let sent = harness.due(&webhook, at(4)).await.remove(0);
    assert_eq!((sent.attempts, sent.history.len()), (1, 2), "none is taken from a schedule");
    harness.attempt(&sent, at(4), DeliveryOutcome::Delivered).await;
    let health = store.webhook_of(&account, &webhook).await.expect("it answers").expect("hers");
    assert_eq!((health.failing_since, health.active), (None, false), "a success is one");
    // A pending delivery keeps its retry schedule.
    store.change_webhook(&account, &webhook, Some(true), None).await.expect("it answers");
    store.emit_recharge_failed(&account, "no card", at(5)).await.expect("it answers");
    let due = harness.due(&webhook, at(5)).await.remove(0);
    harness.attempt(&due, at(5), DeliveryOutcome::Retry { at: at(500) }).await;
    store.redeliver(&webhook, &due.id, at(6)).await.expect("it answers").expect("known");
    let sent = harness.due(&webhook, at(6)).await.remove(0);
    assert_eq!((sent.manual, sent.attempts), (false, 1));
    let unknown = contract::DeliveryId::new(NOW, [9; 10]);
    assert_eq!(store.redeliver(&webhook, &unknown, at(7)).await.expect("it answers"), None);
    let page = PageRequest { number: 1, size: 1 };
    let failed = Some(DeliveryState::Failed);
    let (items, total) = store.deliveries(&webhook, failed, page).await.expect("it answers");
    assert_eq!((items.len(), items[0].kind.as_str(), total), (1, "webhook.test", 1));
}

async fn removed_endpoint_gets_no_deliveries(harness: Harness) {
    let (account, webhook, due) = endpoint_with_delivery(&harness).await;
    harness.store.remove_webhook(&account, &webhook).await.expect("it answers");
    assert!(harness.due(&webhook, at(9)).await.is_empty());
    // It was in flight: there is no row to update.
    harness.attempt(&due, at(1), DeliveryOutcome::Exhausted).await;
    assert!(harness.deliveries(&webhook).await.is_empty());
    assert!(!harness.store.webhook_failing(&account).await.expect("it answers"));
}

async fn new_delivery_wakes_the_notifier(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    let mut wakes = harness.store.deliveries_due();
    harness.append(&mut lease, 0..1).await;
    assert!(!wakes.has_changed().expect("open"), "no endpoint is subscribed");
    let webhook = harness.webhook(&account, None).await.details.id;
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(&lease, &done, NOW).await.expect("it ends");
    wakes.changed().await.expect("a wake-up");
    harness.store.test_webhook(&account, &webhook, NOW).await.expect("it answers");
    wakes.changed().await.expect("a wake-up");
    // On PostgreSQL from another node too.
    if harness.store.dialect() == store::Dialect::Postgres {
        let other = store::Store::new(harness.settings.clone()).expect("an address");
        other.prepare().await.expect("the tables are there");
        let (listening, mut wakes) = (other.clone(), other.deliveries_due());
        let listener = tokio::spawn(async move { listening.listen(&NodeName::random()).await });
        // A wake-up may be lost until the listener is connected.
        let heard = async {
            loop {
                harness
                    .store
                    .emit_recharge_failed(&account, "no card", NOW)
                    .await
                    .expect("it answers");
                let wait = tokio::time::timeout(Duration::from_millis(50), wakes.changed());
                if wait.await.is_ok() {
                    break;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), heard).await.expect("it is heard");
        listener.abort();
        other.close().await;
    }
}
