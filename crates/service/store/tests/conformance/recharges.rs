//! Recharges: opened once, attempted under one id, granted or failed once.

use std::time::Duration;

use contract::{AccountId, AuditAction, CreditPrice, Credits, EventData, EventKind, Millis};
use job::Backoff;
use serde_json::{Value, json};
use store::{
    AuditFilter, DeferredRecharge, PageRequest, PaymentSource, Recharge, RechargeFailurePolicy,
    Store, TopUpChange, TopUpRecord,
};

use crate::harness::{Harness, LEASE, NOW};
use crate::on_both;

on_both!(
    low_balance_opens_one_recharge,
    disabled_top_up_opens_no_recharge,
    recharge_keeps_its_id_until_it_is_closed,
    credits_of_a_recharge_are_granted_once,
    failure_is_emitted_once_and_backs_off,
    attempts_in_doubt_are_counted,
    monthly_ceiling_stops_recharges_until_the_next_month,
    concurrent_nodes_keep_the_monthly_ceiling,
    top_up_settings_are_changed_and_recorded_together,
);

const HOUR: Duration = Duration::from_secs(60 * 60);
const BACK_OFF: RechargeFailurePolicy = RechargeFailurePolicy::BackOff(Backoff {
    first: HOUR,
    longest: Duration::from_secs(5 * 60 * 60),
});

fn price() -> CreditPrice {
    CreditPrice { per_thousand: 150, currency: "eur".to_owned() }
}

/// An account with 10 credits that buys 100 below `threshold`.
async fn topped_up(harness: &Harness, threshold: i64) -> AccountId {
    let account = harness.account("a@x.org", 10).await;
    let source = PaymentSource { customer: "cus_1".to_owned(), method: "pm_1".to_owned() };
    harness.store.set_payment_source(&account, &source).await.expect("it answers");
    let (threshold, amount) = (Some(Credits(threshold)), Some(Credits(100)));
    set(harness, &account, TopUpChange { threshold, amount, ..ON }).await;
    account
}

/// Enables top-ups and keeps all other settings.
const ON: TopUpChange = TopUpChange { enabled: true, threshold: None, amount: None, monthly: None };

async fn set(harness: &Harness, account: &AccountId, change: TopUpChange) -> TopUpRecord {
    harness.store.set_auto_top_up(account, change).await.expect("it answers")
}

async fn opened(harness: &Harness, now: Millis) -> u64 {
    harness.store.open_recharges(&price(), now).await.expect("it answers")
}

async fn claimed(store: &Store, lease: Duration, now: Millis) -> Option<Recharge> {
    store.claim_recharge(lease, now).await.expect("it answers")
}

async fn low_balance_opens_one_recharge(harness: Harness) {
    let account = topped_up(&harness, 10).await;
    assert_eq!(opened(&harness, NOW).await, 0, "ten are not fewer than ten");
    // Reserved credits are not available.
    harness.running(&account, "example.com").await;
    let rounds: Vec<_> = (0..10)
        .map(|_| {
            let store = harness.store.clone();
            tokio::spawn(async move { store.open_recharges(&price(), NOW).await })
        })
        .collect();
    let mut opened_in_all = 0;
    for round in rounds {
        opened_in_all += round.await.expect("no panic").expect("it answers");
    }
    assert_eq!(opened_in_all, 1);
    assert_eq!(opened(&harness, NOW).await, 0, "one at a time");
    let recharge = claimed(&harness.store, LEASE, NOW).await.expect("it is due");
    assert_eq!((&recharge.account, recharge.credits), (&account, Credits(100)));
    assert_eq!((recharge.price, recharge.currency.as_str()), (15, "eur"));
    assert_eq!((recharge.attempts, recharge.in_doubt, recharge.asked_at), (1, 0, NOW));
}

async fn disabled_top_up_opens_no_recharge(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 10).await;
    assert_eq!(store.auto_top_up(&account).await.expect("it answers"), Default::default());
    let (threshold, amount) = (Some(Credits(50)), Some(Credits(100)));
    let on = set(&harness, &account, TopUpChange { threshold, amount, ..ON }).await;
    assert_eq!((on.enabled, on.threshold, on.amount), (true, threshold, amount));
    assert_eq!(opened(&harness, NOW).await, 0, "no payment source");
    let source = PaymentSource { customer: "cus_1".to_owned(), method: "pm_1".to_owned() };
    store.set_payment_source(&account, &source).await.expect("it answers");
    let off = set(&harness, &account, TopUpChange::default()).await;
    assert_eq!((off.threshold, off.amount, off.source), (threshold, amount, Some(source)));
    assert_eq!(opened(&harness, NOW).await, 0, "it is switched off");
    set(&harness, &account, TopUpChange { amount: Some(Credits(i64::MAX)), ..ON }).await;
    assert_eq!(opened(&harness, NOW).await, 0, "no payment can be that large");
    let reported = store.auto_top_up(&account).await.expect("it answers").last_error;
    assert!(reported.is_some_and(|reported| reported.contains("another amount")));
    set(&harness, &account, TopUpChange { amount, ..ON }).await;
    assert_eq!(opened(&harness, NOW).await, 1);
}

async fn recharge_keeps_its_id_until_it_is_closed(harness: Harness) {
    let store = &harness.store;
    topped_up(&harness, 50).await;
    opened(&harness, NOW).await;
    let first = claimed(store, Duration::ZERO, NOW).await.expect("it is due");
    // The node died; whether its attempt reached the provider is unknown.
    let second = claimed(store, LEASE, NOW.plus(HOUR)).await.expect("it is free again");
    assert_eq!((&second.id, second.attempts, second.in_doubt), (&first.id, 2, 1));
    assert_eq!((second.price, &second.source), (first.price, &first.source), "in the same words");
    assert_eq!(second.asked_at, NOW, "the first time counts");
    assert_eq!(claimed(store, LEASE, NOW.plus(HOUR)).await, None, "leased by another node");
    store.release_all_leases().await.expect("it answers");
    let third = claimed(store, LEASE, NOW.plus(HOUR)).await.expect("the server began anew");
    assert_eq!((&third.id, third.in_doubt), (&first.id, 2));
}

async fn credits_of_a_recharge_are_granted_once(harness: Harness) {
    let account = topped_up(&harness, 50).await;
    opened(&harness, NOW).await;
    let recharge = claimed(&harness.store, LEASE, NOW).await.expect("it is due");
    let later = NOW.plus(HOUR);
    // Concurrent and repeated grants.
    let grants: Vec<_> = (0..5)
        .map(|_| {
            let (store, recharge) = (harness.store.clone(), recharge.clone());
            tokio::spawn(async move { store.grant_recharge(&recharge, "pi_1", later).await })
        })
        .collect();
    let mut granted = 0;
    for grant in grants {
        granted += u32::from(grant.await.expect("no panic").expect("it answers"));
    }
    assert_eq!(granted, 1);
    let failed = harness.store.fail_recharge(&recharge, "too late", BACK_OFF, later).await;
    assert!(!failed.expect("it answers"), "what is granted cannot fail");
    assert_eq!(harness.audit(&account).await.balance, Credits(110));
    let record = harness.store.auto_top_up(&account).await.expect("it answers");
    assert_eq!((record.last_recharge_at, record.last_error), (Some(later), None));
    assert_eq!(
        (opened(&harness, later).await, claimed(&harness.store, LEASE, later).await),
        (0, None)
    );
}

async fn failure_is_emitted_once_and_backs_off(harness: Harness) {
    let store = &harness.store;
    let account = topped_up(&harness, 50).await;
    let hook = harness.webhook(&account, Some(vec![EventKind::BillingRechargeFailed])).await;
    let mut now = NOW;
    for (failures, hours) in [(1, 1), (2, 2), (3, 4), (4, 5), (5, 5)] {
        assert_eq!(opened(&harness, now).await, 1);
        let recharge = claimed(store, LEASE, now).await.expect("it is due");
        let failed = store.fail_recharge(&recharge, "declined", BACK_OFF, now).await;
        assert!(failed.expect("it answers"));
        let again = store.fail_recharge(&recharge, "declined", BACK_OFF, now).await;
        assert!(!again.expect("it answers"), "once");
        let granted = store.grant_recharge(&recharge, "pi_1", now).await;
        assert!(!granted.expect("it answers"), "what failed is not granted");
        let record = store.auto_top_up(&account).await.expect("it answers");
        assert_eq!((record.failures, record.last_error.as_deref()), (failures, Some("declined")));
        assert_eq!(record.not_before, now.plus(HOUR * hours), "after {failures}");
        assert_eq!(opened(&harness, Millis(record.not_before.0 - 1)).await, 0);
        now = record.not_before;
    }
    let reported = harness.deliveries(&hook.details.id).await;
    assert_eq!(reported.len(), 5);
    let (events, _) =
        store.events_after(&account, None, 10).await.expect("it answers").expect("events");
    let data = EventData::Account { account: account.clone(), reason: "declined".to_owned() };
    assert!(events.iter().all(|event| event.data == data));
    // A change by the owner ends the pause.
    now = Millis(now.0 + 1);
    assert_eq!(opened(&harness, now).await, 1);
    let recharge = claimed(store, LEASE, now).await.expect("it is due");
    store.fail_recharge(&recharge, "declined", BACK_OFF, now).await.expect("it answers");
    let again = set(&harness, &account, ON).await;
    assert_eq!((again.failures, again.last_error, again.not_before), (0, None, Millis(0)));
    assert_eq!(opened(&harness, now).await, 1);
    let recharge = claimed(store, LEASE, now).await.expect("it is due");
    let failed =
        store.fail_recharge(&recharge, "unknown", RechargeFailurePolicy::Disable, now).await;
    assert!(failed.expect("it answers"));
    assert!(!store.auto_top_up(&account).await.expect("it answers").enabled);
    assert_eq!(harness.audit(&account).await.balance, Credits(10), "nothing was granted");
}

async fn attempts_in_doubt_are_counted(harness: Harness) {
    let store = &harness.store;
    let account = topped_up(&harness, 50).await;
    opened(&harness, NOW).await;
    let mut now = NOW;
    for (may_have_arrived, before) in [(false, 0), (false, 0), (true, 0), (false, 1), (true, 1)] {
        let recharge = claimed(store, LEASE, now).await.expect("it is due");
        assert_eq!(recharge.in_doubt, before);
        let until = now.plus(HOUR);
        let reference = (before == 1).then(|| "pi_1".to_owned());
        let deferred =
            DeferredRecharge { until, may_have_arrived, reference, reason: "silence".to_owned() };
        assert!(store.defer_recharge(&recharge, &deferred).await.expect("it answers"));
        assert_eq!(claimed(store, LEASE, Millis(until.0 - 1)).await, None, "not before its time");
        now = until;
    }
    let record = store.auto_top_up(&account).await.expect("it answers");
    assert_eq!((record.last_error.as_deref(), record.failures), (Some("silence"), 0));
    let recharge = claimed(store, LEASE, now).await.expect("it is due");
    assert_eq!((recharge.in_doubt, recharge.attempts), (2, 6));
    assert_eq!(recharge.reference.as_deref(), Some("pi_1"), "a name is kept");
    store.grant_recharge(&recharge, "pi_1", now).await.expect("it answers");
    let deferred = DeferredRecharge {
        until: now,
        may_have_arrived: true,
        reference: None,
        reason: "late".to_owned(),
    };
    assert!(!store.defer_recharge(&recharge, &deferred).await.expect("it answers"), "closed");
    let record = store.auto_top_up(&account).await.expect("it answers");
    assert_eq!(record.last_error, None, "and what was late says nothing");
}

async fn monthly_ceiling_stops_recharges_until_the_next_month(harness: Harness) {
    let store = &harness.store;
    let account = topped_up(&harness, 1_000).await;
    let ceiling = |credits| TopUpChange { monthly: Some(Some(Credits(credits))), ..ON };
    set(&harness, &account, ceiling(250)).await;
    for _ in 0..2 {
        assert_eq!(opened(&harness, NOW).await, 1);
        let recharge = claimed(store, LEASE, NOW).await.expect("it is due");
        assert!(store.grant_recharge(&recharge, "pi_1", NOW).await.expect("it answers"));
    }
    assert_eq!(opened(&harness, NOW).await, 0, "a third would be 300 of 250");
    assert_eq!(opened(&harness, NOW).await, 0);
    let record = store.auto_top_up(&account).await.expect("it answers");
    let error = record.last_error.expect("the owner can read why");
    assert!(error.contains("monthly ceiling of 250 credits"), "{error}");
    assert_eq!(record.not_before, NOW.next_month_start());
    let events = store.events_after(&account, None, 10).await.expect("it answers");
    let (events, _) = events.expect("from the beginning");
    let reported = events.iter().filter(|event| event.kind == EventKind::BillingRechargeFailed);
    assert_eq!(reported.count(), 1, "emitted once");

    set(&harness, &account, ceiling(300)).await;
    assert_eq!(opened(&harness, NOW).await, 1, "raising the ceiling goes on at once");
    let recharge = claimed(store, LEASE, NOW).await.expect("it is due");
    assert!(store.grant_recharge(&recharge, "pi_3", NOW).await.expect("it answers"));
    assert_eq!(opened(&harness, NOW).await, 0);
    assert_eq!(opened(&harness, NOW.next_month_start()).await, 1, "the next month counts anew");
}

/// Opens and grants a recharge this many times, like a node.
async fn buy(harness: &Harness, rounds: u32) {
    for _ in 0..rounds {
        opened(harness, NOW).await;
        if let Some(recharge) = claimed(&harness.store, LEASE, NOW).await {
            let granted = harness.store.grant_recharge(&recharge, "pi_1", NOW).await;
            assert!(granted.expect("it answers"));
        }
    }
}

async fn concurrent_nodes_keep_the_monthly_ceiling(harness: Harness) {
    let account = topped_up(&harness, 10_000).await;
    set(&harness, &account, TopUpChange { monthly: Some(Some(Credits(350))), ..ON }).await;
    let node = || buy(&harness, 5);
    tokio::join!(node(), node(), node(), node());
    // Recharges that the nodes left open.
    buy(&harness, 4).await;
    assert_eq!(harness.audit(&account).await.balance, Credits(310), "three purchases of 100");
}

async fn top_up_settings_are_changed_and_recorded_together(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 10).await;
    let recorded = async || {
        let filter = AuditFilter {
            account: Some(account.clone()),
            action: Some(AuditAction::SettingsChanged),
            ..AuditFilter::default()
        };
        let page = PageRequest { number: 1, size: 100 };
        let (entries, _) = store.audit_entries(&filter, page).await.expect("it answers");
        entries.into_iter().map(|entry| Value::Object(entry.details)).collect::<Vec<_>>()
    };
    // A new account has top-ups disabled and no values.
    set(&harness, &account, TopUpChange::default()).await;
    set(&harness, &account, TopUpChange { monthly: Some(None), ..TopUpChange::default() }).await;
    assert!(recorded().await.is_empty());
    let change = TopUpChange {
        enabled: true,
        threshold: Some(Credits(50)),
        amount: Some(Credits(100)),
        monthly: Some(Some(Credits(300))),
    };
    for _ in 0..2 {
        let record = set(&harness, &account, change).await;
        assert_eq!((record.amount, record.monthly), (change.amount, Some(Credits(300))));
    }
    let once = json!({"enabled": true, "threshold": 50, "amount": 100, "monthly_credits": 300});
    assert_eq!(recorded().await, [once], "one entry for all of it, none for the repetition");
    // Ending the pause after a failure is a recorded change.
    let source = PaymentSource { customer: "cus_1".to_owned(), method: "pm_1".to_owned() };
    store.set_payment_source(&account, &source).await.expect("it answers");
    opened(&harness, NOW).await;
    let recharge = claimed(store, LEASE, NOW).await.expect("it is due");
    store.fail_recharge(&recharge, "declined", BACK_OFF, NOW).await.expect("it answers");
    for _ in 0..2 {
        set(&harness, &account, ON).await;
    }
    let ended = recorded().await.into_iter().filter(|entry| *entry == json!({"wait_ended": true}));
    assert_eq!(ended.count(), 1);
}
