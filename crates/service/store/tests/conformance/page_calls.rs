//! Page calls that are forwarded to the node that has the lease on their host.

use std::time::Duration;

use contract::{AccountId, Credits, Item, Millis, Mode, PageAnswer, PageId, RequestId};
use privacy::OptOut;
use serde_json::json;
use store::{
    EraseMode, IdempotencyKey, NewPageRead, NodeName, PageCallAnswer, PageCallRequest,
    PageCallStatus, PageDelivery, PageForwarding, PageReplay, Store, StoreError, TakenPageCall,
};

use super::slots::sql;
use crate::harness::{Harness, NOW, contact_item, pages_commit, random};
use crate::on_both;

on_both!(
    calls_are_taken_in_order_by_the_node_that_has_the_host,
    answer_is_written_with_the_charge_and_read_once,
    withdrawn_call_is_not_charged,
    failed_replayed_and_declined_calls_are_free,
    call_follows_the_lease_of_its_host,
    forwarded_calls_are_limited_by_account_and_size,
    expired_calls_and_those_of_a_deleted_account_are_deleted,
    answer_that_was_not_read_is_redacted_by_an_erasure,
);

const HOST: &str = "example.com";
const MINUTE: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(1);

/// A call with a secret in its body.
pub(super) fn call(account: &AccountId) -> PageCallRequest {
    PageCallRequest {
        page_id: PageId::new(NOW, random()),
        account: account.clone(),
        creator: None,
        source: "direct".to_owned(),
        idempotency: Some(IdempotencyKey { key: "once".to_owned(), body_hash: "h".to_owned() }),
        acceptance: None,
        request_id: RequestId::new(NOW, random()),
        public_url: "https://trawl.example".to_owned(),
        body: json!({"url": "https://example.com/", "bearer": "s3cret"}),
    }
}

async fn forward(store: &Store, call: &PageCallRequest, origin: &NodeName) -> PageForwarding {
    // Later calls are created later, on the clock of the database.
    tokio::time::sleep(5 * MOMENT).await;
    store.forward_page(call, HOST, origin, MINUTE, 100).await.expect("it answers")
}

async fn take(store: &Store, node: &NodeName) -> Option<TakenPageCall> {
    store.take_page_call(node, MINUTE).await.expect("it answers")
}

async fn enter(store: &Store, node: &NodeName) -> bool {
    store.enter_host(node, HOST, MINUTE).await.expect("it answers")
}

async fn status(store: &Store, id: &PageId, node: &NodeName) -> PageCallStatus {
    store.page_call_status(id, node).await.expect("it answers")
}

async fn withdraw(store: &Store, id: &PageId) -> Option<PageCallAnswer> {
    store.withdraw_page_call(id).await.expect("it answers")
}

/// The page of a forwarded call, with a price of one credit.
fn page_of(call: &PageCallRequest, item: Item) -> NewPageRead {
    NewPageRead {
        account: call.account.clone(),
        creator: None,
        source: call.source.clone(),
        rate: Credits(1),
        units: 1,
        item,
        overlay: None,
        with_item: true,
        answer: PageAnswer {
            page_id: call.page_id.clone(),
            url: "https://example.com/".to_owned(),
            mode: Mode::Links,
            item: None,
            metadata: None,
            links: None,
            html: None,
            raw_html: None,
            screenshot: None,
            warnings: Vec::new(),
            cached: false,
            fetched_at: NOW,
            credits_used: Credits::ZERO,
            protected: false,
        },
        files: Vec::new(),
        idempotency: call.idempotency.clone(),
        acceptance: None,
        is_forwarded: true,
    }
}

async fn deliver(store: &Store, call: &PageCallRequest) -> PageDelivery {
    let item = pages_commit(0..1).1.remove(0);
    store.deliver_page(&page_of(call, item), NOW).await.expect("it answers")
}

/// A call of a new account with 100 credits that the node of the harness has taken.
async fn taken(harness: &Harness, origin: &NodeName) -> PageCallRequest {
    let account = harness.account("a@x.org", 100).await;
    assert!(enter(&harness.store, &harness.node).await);
    let call = call(&account);
    assert_eq!(forward(&harness.store, &call, origin).await, PageForwarding::Forwarded);
    let taken = take(&harness.store, &harness.node).await.expect("it waits");
    assert_eq!(taken.request, call);
    call
}

async fn calls_are_taken_in_order_by_the_node_that_has_the_host(harness: Harness) {
    let (store, holder, origin) = (&harness.store, &harness.node, NodeName::random());
    let account = harness.account("a@x.org", 100).await;
    assert!(enter(store, holder).await);
    let calls = [call(&account), call(&account), call(&account)];
    for call in &calls {
        assert_eq!(forward(store, call, &origin).await, PageForwarding::Forwarded);
    }
    assert_eq!(take(store, &origin).await, None, "another node has the host");
    for call in &calls {
        let taken = take(store, holder).await.expect("it waits");
        assert_eq!((&taken.request, taken.host.as_str()), (call, HOST));
        assert!(taken.remaining > Duration::ZERO && taken.remaining <= MINUTE);
    }
    assert_eq!(take(store, holder).await, None, "each is taken once");
    // The page of the node itself, and the three calls.
    for _ in 0..4 {
        assert!(!enter(store, &origin).await, "calls keep the host");
        store.leave_host(holder, HOST).await.expect("it answers");
    }
    assert!(enter(store, &origin).await, "free");
    let debug = format!("{:?}", calls[0]);
    assert!(!debug.contains("s3cret"), "{debug}");
}

async fn answer_is_written_with_the_charge_and_read_once(harness: Harness) {
    let (store, origin) = (&harness.store, NodeName::random());
    let call = taken(&harness, &origin).await;
    let id = &call.page_id;
    assert_eq!(status(store, id, &origin).await, PageCallStatus::Open { host_is_free: false });
    let PageDelivery::Delivered { answer, charged } = deliver(store, &call).await else {
        panic!("not delivered");
    };
    assert_eq!(charged, Credits(1));
    assert_eq!(status(store, id, &origin).await, PageCallStatus::Ended);
    let failed = PageCallAnswer::Failed("{}".to_owned());
    store.end_page_call(id, &failed).await.expect("it answers");
    store.decline_page_call(id).await.expect("it answers");
    assert_eq!(withdraw(store, id).await, Some(PageCallAnswer::Delivered(answer)));
    assert_eq!(withdraw(store, id).await, None);
    assert_eq!(harness.audit(&call.account).await.balance, Credits(99));
}

async fn withdrawn_call_is_not_charged(harness: Harness) {
    let (store, origin) = (&harness.store, NodeName::random());
    let call = taken(&harness, &origin).await;
    assert_eq!(withdraw(store, &call.page_id).await, None);
    assert_eq!(deliver(store, &call).await, PageDelivery::NotForwarded);
    assert_eq!(harness.audit(&call.account).await.balance, Credits(100));
    assert_eq!(answer_of(store, &call).await, PageReplay::New, "the key is free");
    // The node of the client reads the page itself, under the same id.
    let item = pages_commit(0..1).1.remove(0);
    let own = NewPageRead { is_forwarded: false, ..page_of(&call, item) };
    let delivered = store.deliver_page(&own, NOW).await.expect("it answers");
    assert!(matches!(delivered, PageDelivery::Delivered { .. }), "{delivered:?}");
    assert_eq!(harness.audit(&call.account).await.balance, Credits(99));
}

async fn failed_replayed_and_declined_calls_are_free(harness: Harness) {
    let (store, origin) = (&harness.store, NodeName::random());
    let first = taken(&harness, &origin).await;
    let failed = PageCallAnswer::Failed("{\"code\": \"page_failed\"}".to_owned());
    store.end_page_call(&first.page_id, &failed).await.expect("it answers");
    assert_eq!(status(store, &first.page_id, &origin).await, PageCallStatus::Ended);
    assert_eq!(withdraw(store, &first.page_id).await, Some(failed));

    let second = call(&first.account);
    forward(store, &second, &origin).await;
    assert!(take(store, &harness.node).await.is_some());
    let replayed = PageCallAnswer::Replayed;
    store.end_page_call(&second.page_id, &replayed).await.expect("it answers");
    assert_eq!(withdraw(store, &second.page_id).await, Some(replayed));

    let third = call(&first.account);
    forward(store, &third, &origin).await;
    assert!(take(store, &harness.node).await.is_some());
    store.decline_page_call(&third.page_id).await.expect("it answers");
    assert_eq!(status(store, &third.page_id, &origin).await, PageCallStatus::Ended);
    assert_eq!(deliver(store, &third).await, PageDelivery::NotForwarded);
    assert_eq!(withdraw(store, &third.page_id).await, None);
    assert_eq!(harness.audit(&first.account).await.balance, Credits(100));
}

async fn call_follows_the_lease_of_its_host(harness: Harness) {
    let (store, origin, next) = (&harness.store, NodeName::random(), NodeName::random());
    let account = harness.account("a@x.org", 100).await;
    assert!(store.enter_host(&harness.node, HOST, MOMENT).await.expect("it answers"));
    let call = call(&account);
    forward(store, &call, &origin).await;
    tokio::time::sleep(20 * MOMENT).await;
    assert_eq!(take(store, &harness.node).await, None, "its lease has ended");
    let free = PageCallStatus::Open { host_is_free: true };
    assert_eq!(status(store, &call.page_id, &origin).await, free);
    assert!(enter(store, &next).await);
    let held = PageCallStatus::Open { host_is_free: false };
    assert_eq!(status(store, &call.page_id, &origin).await, held);
    assert!(take(store, &next).await.is_some());
    assert_eq!(take(store, &next).await, None, "it reads the page already");
    let own = status(store, &call.page_id, &next).await;
    assert_eq!(own, PageCallStatus::Open { host_is_free: false });
    // The page of the node itself, and the call.
    for _ in 0..2 {
        store.leave_host(&next, HOST).await.expect("it answers");
    }
    let last = NodeName::random();
    assert!(enter(store, &last).await);
    assert!(take(store, &last).await.is_some(), "the node before has lost the host");
    assert!(matches!(deliver(store, &call).await, PageDelivery::Delivered { .. }));
    assert_eq!(deliver(store, &call).await, PageDelivery::Replayed(answer_of(store, &call).await));
    assert_eq!(harness.audit(&account).await.balance, Credits(99), "charged once");
}

/// What a retry of the call gets.
async fn answer_of(store: &Store, call: &PageCallRequest) -> PageReplay {
    let key = call.idempotency.as_ref().expect("a key");
    store.replay_page(&call.account, key, NOW).await.expect("it answers")
}

async fn forwarded_calls_are_limited_by_account_and_size(harness: Harness) {
    let (store, origin) = (&harness.store, NodeName::random());
    let account = harness.account("a@x.org", 100).await;
    let send = async |call: &PageCallRequest| {
        store.forward_page(call, HOST, &origin, MINUTE, 2).await.expect("it answers")
    };
    let first = call(&account);
    assert_eq!(send(&first).await, PageForwarding::Forwarded);
    let large = PageCallRequest { body: json!("x".repeat(300 << 10)), ..call(&account) };
    assert_eq!(send(&large).await, PageForwarding::NotPossible);
    assert_eq!(send(&call(&account)).await, PageForwarding::Forwarded);
    assert_eq!(send(&call(&account)).await, PageForwarding::AccountLimit);
    let other = harness.account("b@x.org", 100).await;
    assert_eq!(send(&call(&other)).await, PageForwarding::Forwarded);
    withdraw(store, &first.page_id).await;
    assert_eq!(send(&call(&account)).await, PageForwarding::Forwarded);
    let harness = harness.with(|settings| settings.secret_key = None).await;
    let without_key = harness.store.forward_page(&call(&other), HOST, &origin, MINUTE, 100).await;
    assert_eq!(without_key.expect("it answers"), PageForwarding::NotPossible);
}

async fn expired_calls_and_those_of_a_deleted_account_are_deleted(harness: Harness) {
    let (store, origin) = (&harness.store, NodeName::random());
    let account = harness.account("a@x.org", 100).await;
    assert!(enter(store, &harness.node).await);
    let (old, open) = (call(&account), call(&account));
    forward(store, &old, &origin).await;
    sql(&harness, "UPDATE page_calls SET deadline = deadline - 120000").await;
    forward(store, &open, &origin).await;
    let taken = take(store, &harness.node).await.expect("one is open");
    assert_eq!(taken.request.page_id, open.page_id, "the time of the other has passed");
    assert_eq!(store.delete_expired_page_calls().await.expect("it answers"), 1);
    assert_eq!(status(store, &old.page_id, &origin).await, PageCallStatus::Ended);

    store.delete_account(&account, NOW).await.expect("it is deleted");
    assert_eq!(status(store, &open.page_id, &origin).await, PageCallStatus::Ended);
    let refused = store.forward_page(&call(&account), HOST, &origin, MINUTE, 100).await;
    assert!(matches!(refused, Err(StoreError::AccountClosed)), "{refused:?}");
}

async fn answer_that_was_not_read_is_redacted_by_an_erasure(harness: Harness) {
    let (store, origin) = (&harness.store, NodeName::random());
    let call = taken(&harness, &origin).await;
    let record = contact_item("firm.test", &["Ada Lovelace", "Bob Bit"]);
    let page = page_of(&call, Item::Contact(Box::new(record)));
    store.deliver_page(&page, NOW).await.expect("it is delivered");
    let ada = OptOut::email("ada.lovelace@firm.test").expect("a mailbox");
    let dry = store.erase(&ada, EraseMode::DryRun, NOW).await.expect("it looks");
    let erased = store.erase(&ada, EraseMode::Apply, Millis(NOW.0 + 1)).await.expect("it erases");
    // The answer that waits for its node, and the one that is kept for its key.
    assert_eq!((dry.requests, erased.requests), (2, 2));
    let Some(PageCallAnswer::Delivered(answer)) = withdraw(store, &call.page_id).await else {
        panic!("the answer is lost");
    };
    assert!(!answer.contains("ada.lovelace@") && answer.contains("Bob Bit"), "{answer}");
}
