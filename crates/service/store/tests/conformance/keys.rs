//! API keys: authentication, limits on their number, revocation.

use std::time::Duration;

use contract::{Creator, KeyId, KeyPrefix};
use store::{LimitChange, NewKey, ScheduledJob};

use super::schedules::daily;
use crate::harness::{Harness, NOW, new_job, random};
use crate::on_both;

on_both!(
    key_authenticates_until_it_is_revoked,
    last_use_is_stored_at_most_once_a_minute,
    account_has_at_most_fifty_valid_keys,
    revoked_keys_are_bounded_and_deleted_after_thirty_days,
);

fn new_key() -> NewKey {
    NewKey {
        name: "API key".to_owned(),
        source: "direct".to_owned(),
        prefix: KeyPrefix::Live,
        limits: LimitChange::default(),
    }
}

async fn key_authenticates_until_it_is_revoked(harness: Harness) {
    let store = &harness.store;
    let (ada, bob) = (harness.account("a@x.org", 0).await, harness.account("b@x.org", 0).await);
    let created =
        store.create_key(&ada, new_key(), NOW).await.expect("it answers").expect("below the limit");
    let caller = store.authenticate_key(&created.key, NOW).await.expect("it answers");
    let caller = caller.expect("the secret is known");
    assert_eq!((&caller.account, &caller.key.id), (&ada, &created.details.id));
    assert!(created.key.ends_with(&created.details.last4));

    let other = "key_live_00000000000000000000000000000000000000";
    assert_eq!(store.authenticate_key(other, NOW).await.expect("it answers"), None);
    let listed = store.keys(&ada, NOW).await.expect("it answers");
    assert_eq!(listed.len(), 1);
    assert!(!format!("{listed:?}").contains(&created.key), "a list holds no secret");
    assert!(store.keys(&bob, NOW).await.expect("it answers").is_empty());

    let id = &created.details.id;
    let foreign = store.revoke_key(&bob, id, NOW).await.expect("it answers");
    assert_eq!(foreign, None, "the key of another account");
    let revoked = store.revoke_key(&ada, id, NOW).await.expect("it answers").expect("hers");
    assert_eq!(revoked.revoked_at, Some(NOW));
    let later = NOW.plus(Duration::from_secs(9));
    let again = store.revoke_key(&ada, id, later).await.expect("it answers").expect("hers");
    assert_eq!(again.revoked_at, Some(NOW), "revoking twice changes nothing");
    assert_eq!(store.authenticate_key(&created.key, NOW).await.expect("it answers"), None);
    assert_eq!(store.live_keys(&ada, NOW).await.expect("it answers"), 0);
    let unknown = KeyId::new(NOW, random());
    assert_eq!(store.revoke_key(&ada, &unknown, NOW).await.expect("it answers"), None);
}

async fn last_use_is_stored_at_most_once_a_minute(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 0).await;
    let key = store
        .create_key(&account, new_key(), NOW)
        .await
        .expect("it answers")
        .expect("below the limit");
    let used_at = async |seconds| {
        let at = NOW.plus(Duration::from_secs(seconds));
        store.authenticate_key(&key.key, at).await.expect("it answers").expect("known");
        store.keys(&account, NOW).await.expect("it answers")[0].last_used_at
    };
    assert_eq!(used_at(0).await, Some(NOW));
    assert_eq!(used_at(59).await, Some(NOW));
    let minute = NOW.plus(Duration::from_secs(60));
    assert_eq!(used_at(60).await, Some(minute));
}

async fn revoked_keys_are_bounded_and_deleted_after_thirty_days(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 0).await;
    let made = async |n: u64| {
        let at = NOW.plus(Duration::from_millis(n));
        store
            .create_key(&account, new_key(), at)
            .await
            .expect("it answers")
            .expect("below the limit")
            .details
    };
    let listed = async || {
        let keys = store.keys(&account, NOW).await.expect("it answers");
        keys.into_iter().map(|key| key.id).collect::<Vec<_>>()
    };
    let scheduling = made(0).await.id;
    let mut schedule = daily(ScheduledJob::of(new_job(&account, "example.com")), NOW);
    schedule.created_by = Some(Creator::Key(scheduling.clone()));
    store
        .create_schedule(&account, schedule, NOW)
        .await
        .expect("it answers")
        .expect("below the limit");
    store.revoke_key(&account, &scheduling, NOW).await.expect("it answers");
    let mut oldest = None;
    for n in 1..=101 {
        let key = made(n).await;
        store.revoke_key(&account, &key.id, NOW).await.expect("it answers");
        oldest.get_or_insert(key.id);
    }
    let oldest = oldest.expect("one");
    assert!(
        listed().await.contains(&oldest),
        "a creation deletes the oldest, a revocation does not"
    );
    let live = made(102).await.id;
    let keys = listed().await;
    assert_eq!((keys.len(), &keys[0], keys.contains(&oldest)), (102, &live, false));
    assert!(keys.contains(&scheduling), "its schedule goes on");

    let day = Duration::from_secs(24 * 60 * 60);
    for (days, left) in [(29, 102), (31, 2)] {
        store.purge(day * 365, NOW.plus(day * days)).await.expect("it purges");
        assert_eq!(listed().await.len(), left, "after {days} days");
    }
    assert_eq!(listed().await, [live, scheduling]);
}

async fn account_has_at_most_fifty_valid_keys(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 0).await;
    for _ in 0..50 {
        store
            .create_key(&account, new_key(), NOW)
            .await
            .expect("it answers")
            .expect("below the limit");
    }
    assert_eq!(store.create_key(&account, new_key(), NOW).await.expect("it answers"), None);
    let first = store.keys(&account, NOW).await.expect("it answers")[0].id.clone();
    store.revoke_key(&account, &first, NOW).await.expect("it answers");
    store.create_key(&account, new_key(), NOW).await.expect("it answers").expect("below the limit");
}
