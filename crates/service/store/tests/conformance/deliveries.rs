//! Deliveries: who is told, in whose hands an endpoint is, and what attempts come to.

use std::time::Duration;

use contract::{DeliveryState, EventKind, Millis, WebhookId};
use job::{Command, Ending};
use store::{DueDelivery, Lanes, NodeId, Page, Verdict};

use crate::bench::{Bench, LEASE, NOW, pages_commit};
use crate::on_both;

on_both!(
    an_event_goes_to_whoever_asked_for_it,
    a_lane_is_in_one_pair_of_hands,
    a_backlog_does_not_hide_other_lanes,
    attempts_are_written_down_and_judge_the_endpoint,
    exhausted_attempts_switch_the_endpoint_off,
    what_waits_is_held_while_the_endpoint_is_off,
    a_newer_progress_replaces_an_undelivered_one,
    what_is_asked_for_by_hand_is_held_against_nobody,
    a_removed_endpoint_is_told_nothing_more,
    a_notifier_is_woken,
);

fn at(seconds: u64) -> Millis {
    NOW.plus(Duration::from_secs(seconds))
}

fn states(deliveries: &[contract::Delivery]) -> Vec<DeliveryState> {
    deliveries.iter().map(|delivery| delivery.state).collect()
}

/// An endpoint with one delivery due.
async fn told(bench: &Bench) -> (contract::AccountId, WebhookId, DueDelivery) {
    let account = bench.account("a@x.org", 10).await;
    let webhook = bench.webhook(&account, None).await.details.id;
    bench.store.tell_recharge_failed(&account, "no card", NOW).await.expect("it answers");
    let due = bench.due(&webhook, NOW).await.remove(0);
    (account, webhook, due)
}

async fn an_event_goes_to_whoever_asked_for_it(bench: Bench) {
    let (ada, bob) = (bench.account("a@x.org", 10).await, bench.account("b@x.org", 10).await);
    let all = bench.webhook(&ada, None).await.details.id;
    let ends = vec![EventKind::JobCompleted, EventKind::JobFailed];
    let ends = bench.webhook(&ada, Some(ends)).await.details.id;
    let off = bench.webhook(&ada, None).await.details.id;
    bench.store.change_webhook(&ada, &off, Some(false), None).await.expect("it answers");
    let foreign = bench.webhook(&bob, None).await.details.id;
    let (job, mut lease) = bench.running(&ada, "example.com").await;
    bench.append(&mut lease, 0..2).await;
    let done = Command::Finish(Ending::Complete);
    bench.store.report(&lease, &done, at(1)).await.expect("it ends");

    let kinds = async |webhook: &WebhookId| {
        let deliveries = bench.deliveries(webhook).await;
        deliveries.iter().map(|delivery| delivery.kind.clone()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&all).await, ["job.progress", "job.completed"]);
    assert_eq!(kinds(&ends).await, ["job.completed"]);
    assert!(kinds(&off).await.is_empty() && kinds(&foreign).await.is_empty());
    let events = bench.store.events(&job.id).await.expect("it answers");
    for (due, event) in bench.due(&all, at(1)).await.iter().zip(&events) {
        assert_eq!(due.body, serde_json::to_string(event).expect("JSON"), "as it was emitted");
    }
    let delivery = &bench.deliveries(&ends).await[0];
    assert_eq!((&delivery.event_id, delivery.created_at), (&events[1].id, at(1)));
    assert_eq!(delivery.payload["data"]["job"]["counts"]["results"], 2, "with those of GET");
    assert_eq!((delivery.state, delivery.next_attempt_at), (DeliveryState::Pending, Some(at(1))));
    // A list that was made before stays as it is; what was subscribed to now is told from now on.
    let wider = [EventKind::BillingRechargeFailed];
    bench.store.change_webhook(&ada, &ends, None, Some(&wider)).await.expect("it answers");
    bench.store.tell_recharge_failed(&ada, "no card", at(2)).await.expect("it answers");
    assert_eq!(kinds(&ends).await, ["job.completed", "billing.recharge_failed"]);
}

async fn a_lane_is_in_one_pair_of_hands(bench: Bench) {
    let (account, webhook, _) = told(&bench).await;
    let (store, other, ids) = (&bench.store, NodeId::random(), [webhook.clone()]);
    let lanes = async |node: &NodeId| store.lanes(node, NOW).await.expect("it answers");
    let take = async |node: &NodeId, span| {
        let taken = store.take_lanes(node, &ids, span).await.expect("it answers");
        taken.lanes.len()
    };
    let free = Lanes { ours: Vec::new(), free: ids.to_vec() };
    let ours = Lanes { ours: ids.to_vec(), free: Vec::new() };
    assert_eq!(lanes(&bench.node).await, free);
    // Both at once: one of them gets it.
    let (one, two) = tokio::join!(take(&bench.node, LEASE), take(&other, LEASE));
    assert_eq!(one + two, 1);
    let (holder, waiting) = if one == 1 { (&bench.node, &other) } else { (&other, &bench.node) };
    assert_eq!((lanes(holder).await, lanes(waiting).await), (ours, Lanes::default()));
    assert_eq!(take(waiting, LEASE).await, 0);
    assert_eq!(store.renew_lanes(holder, LEASE).await.expect("it answers"), ids);
    assert!(store.renew_lanes(waiting, LEASE).await.expect("it answers").is_empty());
    store.give_back_lanes(waiting, &ids).await.expect("it answers");
    assert_eq!(lanes(waiting).await, Lanes::default(), "only its holder gives it back");
    store.give_back_lanes(holder, &ids).await.expect("it answers");
    assert_eq!(lanes(waiting).await, free);
    // A holder that is gone: its lease runs out by the database's clock.
    assert_eq!(take(holder, Duration::ZERO).await, 1);
    assert_eq!(take(waiting, LEASE).await, 1);
    store.free_all_leases().await.expect("it answers");
    assert_eq!(lanes(holder).await, free, "and on SQLite a start frees all");
    assert_eq!(store.lanes(holder, Millis(NOW.0 - 1)).await.expect("it answers"), Lanes::default());
    store.remove_webhook(&account, &webhook).await.expect("it answers");
    assert_eq!(lanes(holder).await, Lanes::default());
    assert_eq!(take(holder, LEASE).await, 0);
}

async fn a_backlog_does_not_hide_other_lanes(bench: Bench) {
    let (ada, bob) = (bench.account("a@x.org", 10).await, bench.account("b@x.org", 10).await);
    let busy = bench.webhook(&ada, None).await.details.id;
    let quiet = bench.webhook(&bob, None).await.details.id;
    for _ in 0..50 {
        bench.store.tell_recharge_failed(&ada, "no card", NOW).await.expect("it answers");
    }
    bench.store.tell_recharge_failed(&bob, "no card", at(1)).await.expect("it answers");
    let mut lanes = bench.store.lanes(&bench.node, at(1)).await.expect("it answers").free;
    lanes.sort();
    let mut both = vec![busy.clone(), quiet];
    both.sort();
    assert_eq!(lanes, both);
    let few = bench.store.due_deliveries(&busy, at(1), 8).await.expect("it answers");
    assert_eq!(few.len(), 8, "as many as there is room for");
}

async fn attempts_are_written_down_and_judge_the_endpoint(bench: Bench) {
    let (account, webhook, due) = told(&bench).await;
    let health = async || {
        let webhook = bench.store.webhook_of(&account, &webhook).await.expect("it answers");
        let webhook = webhook.expect("hers");
        assert!(webhook.active);
        (webhook.last_success_at, webhook.failing_since, webhook.last_error)
    };
    assert_eq!(health().await, (None, None, None));
    bench.attempt(&due, at(1), Verdict::Retry { at: at(6) }).await;
    assert!(bench.due(&webhook, at(5)).await.is_empty(), "not yet");
    let again = bench.due(&webhook, at(6)).await.remove(0);
    assert_eq!((again.attempts, again.history.len(), &again.body), (1, 1, &due.body));
    bench.attempt(&again, at(6), Verdict::Retry { at: at(36) }).await;
    let error = Some("answered 500".to_owned());
    assert_eq!(health().await, (None, Some(at(1)), error), "since the first failure");
    assert!(!bench.store.webhook_failing(&account).await.expect("it answers"));
    let last = bench.due(&webhook, at(36)).await.remove(0);
    bench.attempt(&last, at(36), Verdict::Delivered).await;
    let success = at(36).plus(Duration::from_millis(7));
    assert_eq!(health().await, (Some(success), None, None));
    assert!(bench.due(&webhook, at(9_999)).await.is_empty());
    let delivery = bench.deliveries(&webhook).await.remove(0);
    assert_eq!((delivery.state, delivery.next_attempt_at), (DeliveryState::Delivered, None));
    let attempts: Vec<_> = delivery
        .attempts
        .iter()
        .map(|made| (made.at, made.status_code, made.duration_ms))
        .collect();
    assert_eq!(attempts, [(at(1), Some(500), 7), (at(6), Some(500), 7), (at(36), Some(204), 7)]);
}

async fn exhausted_attempts_switch_the_endpoint_off(bench: Bench) {
    let (account, webhook, due) = told(&bench).await;
    bench.attempt(&due, at(1), Verdict::Exhausted).await;
    let off = bench.store.webhook_of(&account, &webhook).await.expect("it answers");
    let off = off.expect("hers");
    assert_eq!((off.active, off.failing_since), (false, Some(at(1))));
    assert!(bench.store.webhook_failing(&account).await.expect("it answers"));
    bench.store.tell_recharge_failed(&account, "no card", at(2)).await.expect("it answers");
    assert_eq!(states(&bench.deliveries(&webhook).await), [DeliveryState::Failed]);
    let on = bench.store.change_webhook(&account, &webhook, Some(true), None).await;
    let on = on.expect("it answers").expect("hers");
    assert_eq!((on.active, on.failing_since), (true, Some(at(1))), "until a success");
    assert!(!bench.store.webhook_failing(&account).await.expect("it answers"));
    let other = bench.store.webhook_failing(&bench.account("b@x.org", 0).await).await;
    assert!(!other.expect("it answers"));
}

async fn what_waits_is_held_while_the_endpoint_is_off(bench: Bench) {
    let (account, webhook, due) = told(&bench).await;
    bench.store.tell_recharge_failed(&account, "still no card", at(1)).await.expect("it answers");
    let switch = async |active| {
        let changed = bench.store.change_webhook(&account, &webhook, Some(active), None).await;
        changed.expect("it answers").expect("hers");
    };
    switch(false).await;
    let state = async || states(&bench.deliveries(&webhook).await);
    assert_eq!(state().await, [DeliveryState::Held; 2]);
    assert!(bench.due(&webhook, at(9)).await.is_empty());
    assert_eq!(bench.store.lanes(&bench.node, at(9)).await.expect("it answers"), Lanes::default());
    // One was under way meanwhile, and failed.
    bench.attempt(&due, at(2), Verdict::Retry { at: at(7) }).await;
    assert_eq!(state().await, [DeliveryState::Held; 2]);
    switch(true).await;
    assert_eq!(bench.due(&webhook, at(6)).await.len(), 1);
    assert_eq!(bench.due(&webhook, at(7)).await.len(), 2, "nothing was lost");
    // One that arrived although the endpoint was switched off has arrived.
    switch(false).await;
    bench.attempt(&due, at(8), Verdict::Delivered).await;
    assert_eq!(state().await, [DeliveryState::Delivered, DeliveryState::Held]);
}

async fn a_newer_progress_replaces_an_undelivered_one(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let webhook = bench.webhook(&account, None).await.details.id;
    let (_, mut lease) = bench.running(&account, "example.com").await;
    let mut progress = async |page: u32, seconds| {
        let (commit, items) = pages_commit(page..page + 1);
        let appended = bench.store.append(&mut lease, &commit, &items, &[], at(seconds)).await;
        appended.expect("it answers");
        bench.due(&webhook, at(seconds)).await
    };
    let state = async || states(&bench.deliveries(&webhook).await);
    let first = progress(0, 0).await.remove(0);
    let due = progress(1, 12).await;
    assert_eq!(due.len(), 1, "only the newer one");
    assert_eq!(state().await, [DeliveryState::Superseded, DeliveryState::Pending]);
    // The older one was under way: it arrived, whatever was written meanwhile.
    bench.attempt(&first, at(12), Verdict::Delivered).await;
    assert_eq!(state().await, [DeliveryState::Delivered, DeliveryState::Pending]);
    let third = progress(2, 24).await.remove(0);
    // One that fails while a newer one is on its way does not come back.
    bench.attempt(&due[0], at(24), Verdict::Retry { at: at(29) }).await;
    assert_eq!(bench.due(&webhook, at(99)).await, std::slice::from_ref(&third));
    bench.attempt(&third, at(25), Verdict::Delivered).await;
    // What was delivered is not replaced, and another job's progress is another story.
    let (_, mut other) = bench.running(&account, "example.org").await;
    bench.append(&mut other, 0..1).await;
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

async fn what_is_asked_for_by_hand_is_held_against_nobody(bench: Bench) {
    let (account, webhook, due) = told(&bench).await;
    let store = &bench.store;
    bench.attempt(&due, at(1), Verdict::Exhausted).await;
    // A test goes out although the endpoint is off.
    let test = store.test_webhook(&account, &webhook, at(2)).await.expect("it answers");
    let test = test.expect("it is on its way");
    assert_eq!((test.kind.as_str(), test.state), ("webhook.test", DeliveryState::Pending));
    assert_eq!(test.payload["data"]["webhook"], webhook.as_str());
    let sent = bench.due(&webhook, at(2)).await;
    assert_eq!((sent.len(), sent[0].manual, &sent[0].id), (1, true, &test.id));
    bench.attempt(&sent[0], at(2), Verdict::Failed).await;
    let health = store.webhook_of(&account, &webhook).await.expect("it answers").expect("hers");
    assert_eq!(health.failing_since, Some(at(1)));
    // So does what is sent again.
    let again = store.redeliver(&webhook, &due.id, at(3)).await.expect("it answers");
    assert_eq!(again.expect("known").next_attempt_at, Some(at(3)));
    let sent = bench.due(&webhook, at(3)).await.remove(0);
    assert_eq!((sent.manual, &sent.body, sent.attempts), (true, &due.body, 1));
    bench.attempt(&sent, at(3), Verdict::Failed).await;
    assert_eq!(states(&bench.deliveries(&webhook).await), [DeliveryState::Failed; 2]);
    store.redeliver(&webhook, &due.id, at(4)).await.expect("it answers").expect("known");
    let sent = bench.due(&webhook, at(4)).await.remove(0);
    assert_eq!((sent.attempts, sent.history.len()), (1, 2), "none is taken from a schedule");
    bench.attempt(&sent, at(4), Verdict::Delivered).await;
    let health = store.webhook_of(&account, &webhook).await.expect("it answers").expect("hers");
    assert_eq!((health.failing_since, health.active), (None, false), "a success is one");
    // What still has its schedule keeps it.
    store.change_webhook(&account, &webhook, Some(true), None).await.expect("it answers");
    store.tell_recharge_failed(&account, "no card", at(5)).await.expect("it answers");
    let due = bench.due(&webhook, at(5)).await.remove(0);
    bench.attempt(&due, at(5), Verdict::Retry { at: at(500) }).await;
    store.redeliver(&webhook, &due.id, at(6)).await.expect("it answers").expect("known");
    let sent = bench.due(&webhook, at(6)).await.remove(0);
    assert_eq!((sent.manual, sent.attempts), (false, 1));
    let unknown = contract::DeliveryId::new(NOW, [9; 10]);
    assert_eq!(store.redeliver(&webhook, &unknown, at(7)).await.expect("it answers"), None);
    let page = Page { number: 1, size: 1 };
    let failed = Some(DeliveryState::Failed);
    let (items, total) = store.deliveries(&webhook, failed, page).await.expect("it answers");
    assert_eq!((items.len(), items[0].kind.as_str(), total), (1, "webhook.test", 1));
}

async fn a_removed_endpoint_is_told_nothing_more(bench: Bench) {
    let (account, webhook, due) = told(&bench).await;
    bench.store.remove_webhook(&account, &webhook).await.expect("it answers");
    assert!(bench.due(&webhook, at(9)).await.is_empty());
    // It was under way: there is nothing left to write it into.
    bench.attempt(&due, at(1), Verdict::Exhausted).await;
    assert!(bench.deliveries(&webhook).await.is_empty());
    assert!(!bench.store.webhook_failing(&account).await.expect("it answers"));
}

async fn a_notifier_is_woken(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let (_, mut lease) = bench.running(&account, "example.com").await;
    let mut wakes = bench.store.deliveries_due();
    bench.append(&mut lease, 0..1).await;
    assert!(!wakes.has_changed().expect("open"), "nobody asked for it");
    let webhook = bench.webhook(&account, None).await.details.id;
    let done = Command::Finish(Ending::Complete);
    bench.store.report(&lease, &done, NOW).await.expect("it ends");
    wakes.changed().await.expect("a wake-up");
    bench.store.test_webhook(&account, &webhook, NOW).await.expect("it answers");
    wakes.changed().await.expect("a wake-up");
    // And on PostgreSQL from another node.
    if bench.store.dialect() == store::Dialect::Postgres {
        let other = store::Store::new(bench.settings.clone()).expect("an address");
        other.prepare().await.expect("the tables are there");
        let (listening, mut wakes) = (other.clone(), other.deliveries_due());
        let listener = tokio::spawn(async move { listening.listen().await });
        // The listener is not there at once: a hint may be lost until then.
        let heard = async {
            loop {
                bench.store.tell_recharge_failed(&account, "no card", NOW).await.expect("told");
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
