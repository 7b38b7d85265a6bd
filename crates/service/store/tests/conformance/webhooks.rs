//! Webhook endpoints and their secrets.

use contract::{EventKind, WebhookId};
use store::{NewWebhook, NodeId, SecretKey, Store, StoreSettings, WebhookSecret};

use crate::bench::{Bench, LEASE, NOW, random};
use crate::on_both;

on_both!(
    an_endpoint_is_made_listed_changed_and_removed,
    an_account_has_at_most_twenty_endpoints,
    a_secret_is_kept_sealed_and_opens_for_deliveries,
    nodes_with_another_key_are_told_apart,
);

pub fn endpoint(url: &str) -> NewWebhook {
    NewWebhook { url: url.to_owned(), events: None, created_by: None }
}

async fn an_endpoint_is_made_listed_changed_and_removed(bench: Bench) {
    let store = &bench.store;
    let (ada, bob) = (bench.account("a@x.org", 0).await, bench.account("b@x.org", 0).await);
    let all = bench.webhook(&ada, None).await;
    assert_eq!(all.details.events, EventKind::ALL, "all of them, as they are today");
    let some = vec![EventKind::JobFailed, EventKind::JobCompleted];
    let listed = bench.webhook(&ada, Some(some.clone())).await;
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

async fn an_account_has_at_most_twenty_endpoints(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    // All at once: two that see room for one more must not both get it.
    let makings = (0..25).map(|_| {
        let (store, account) = (bench.store.clone(), account.clone());
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
    let list = bench.store.webhooks(&account).await.expect("it answers");
    assert_eq!(list.len(), 20);
    assert!(bench.store.remove_webhook(&account, &list[0].id).await.expect("it answers"));
    bench.webhook(&account, None).await;
}

async fn a_secret_is_kept_sealed_and_opens_for_deliveries(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let made = bench.webhook(&account, None).await;
    assert!(made.secret.starts_with(WebhookSecret::PREFIX));
    bench.store.tell_recharge_failed(&account, "no card", NOW).await.expect("it answers");
    let ids = [made.details.id.clone()];
    let settings =
        StoreSettings { secret_key: Some(SecretKey::new("another")), ..bench.settings.clone() };
    let other = Store::new(settings).expect("an address of a database");
    other.prepare().await.expect("the tables are there");
    let taken = other.take_lanes(&NodeId::random(), &ids, LEASE).await.expect("it answers");
    assert_eq!((taken.lanes.len(), taken.unreadable), (0, ids.to_vec()), "with another key");
    other.close().await;
    let taken = bench.store.take_lanes(&bench.node, &ids, LEASE).await.expect("it answers");
    assert_eq!(taken.lanes[0].secret.reveal(), made.secret, "and it was left to the others");
    let pool = sqlx::AnyPool::connect(&bench.settings.url).await.expect("it connects");
    let kept: Vec<u8> =
        sqlx::query_scalar("SELECT secret FROM webhooks").fetch_one(&pool).await.expect("a row");
    pool.close().await;
    let part = &made.secret.as_bytes()[6..20];
    assert!(!kept.windows(part.len()).any(|bytes| bytes == part), "sealed");
}

async fn nodes_with_another_key_are_told_apart(bench: Bench) {
    let node = async |key: &str| {
        let settings =
            StoreSettings { secret_key: Some(SecretKey::new(key)), ..bench.settings.clone() };
        let store = Store::new(settings).expect("an address of a database");
        store.prepare().await.expect("the tables are there");
        store
    };
    bench.store.agree_on_secret_key().await.expect("the first key there is");
    let (same, other) = (node("a key for tests").await, node("another").await);
    same.agree_on_secret_key().await.expect("the same key");
    let account = bench.account("a@x.org", 0).await;
    bench.webhook(&account, None).await;
    let refused = other.agree_on_secret_key().await.expect_err("another key").to_string();
    assert!(refused.contains("TRAWL_SECRET_KEY"), "{refused}");
    let made = other.create_webhook(&account, endpoint("https://h.example/"), NOW).await;
    assert!(made.is_err(), "nothing is sealed under a key that the others do not have");
    let all = bench.store.webhooks(&account).await.expect("it answers");
    bench.store.remove_webhook(&account, &all[0].id).await.expect("it answers");
    other.agree_on_secret_key().await.expect("nothing is sealed: any key will do");
    for store in [same, other] {
        store.close().await;
    }
    let keyless = StoreSettings { secret_key: None, ..bench.settings.clone() };
    let keyless = Store::new(keyless).expect("an address of a database");
    keyless.prepare().await.expect("the tables are there");
    assert!(keyless.create_webhook(&account, endpoint("https://h.example/"), NOW).await.is_err());
}
