//! `/auto-top-up` and `/top-up`.

use contract::{CreditPrice, Credits};
use http::Method;
use serde_json::{Value, json};
use store::{PaymentSource, RechargeFailurePolicy};

use crate::bench::{Answer, Bench, NOW, bearer};

async fn with_provider() -> Bench {
    Bench::with(|settings| {
        settings.payments = Some(CreditPrice { per_thousand: 150, currency: "eur".to_owned() });
    })
    .await
}

async fn put(bench: &Bench, token: &str, body: &Value) -> Answer {
    let token = bearer(token);
    let headers = [("authorization", token.as_str()), ("content-type", "application/json")];
    bench.send(Method::PUT, "/auto-top-up", &headers, &body.to_string()).await
}

async fn add_card(bench: &Bench) {
    let source = PaymentSource { customer: "cus_1".to_owned(), method: "pm_1".to_owned() };
    bench.store.set_payment_source(&bench.account, &source).await.expect("it answers");
}

#[tokio::test]
async fn its_owner_sets_when_to_buy_and_sees_how_it_went() {
    let bench = with_provider().await;
    add_card(&bench).await;
    let session = bench.session().await;
    let unset = bench.get_as(&session, "/auto-top-up").await;
    let never = json!({"enabled": false, "threshold": null, "amount": null, "monthly_credits": null,
        "last_recharge_at": null, "last_error": null});
    assert_eq!((unset.status, &unset.body), (200, &never));
    let body = json!({"enabled": true, "threshold": 2_000, "amount": 5_000});
    let set = put(&bench, &session, &body).await;
    assert_eq!((set.status, &set.body["enabled"]), (200, &true.into()));
    let price = CreditPrice { per_thousand: 150, currency: "eur".to_owned() };
    assert_eq!(bench.store.open_recharges(&price, NOW).await.expect("it answers"), 1);
    let lease = std::time::Duration::from_secs(60);
    let recharge = bench.store.claim_recharge(lease, NOW).await.expect("it answers");
    let recharge = recharge.expect("it is due");
    let off = RechargeFailurePolicy::Disable;
    bench.store.fail_recharge(&recharge, "no luck", off, NOW).await.expect("it answers");
    let seen = bench.get("/v1/account").await.body["auto_top_up"].clone();
    assert_eq!((&seen["enabled"], &seen["last_error"]), (&false.into(), &"no luck".into()));
    assert_eq!(bench.get_as(&session, "/auto-top-up").await.body, seen, "the same in both");
    // What is left out stays.
    let again = put(&bench, &session, &json!({"enabled": true})).await.body;
    let wanted = json!({"enabled": true, "threshold": 2_000, "amount": 5_000, "monthly_credits": null,
        "last_recharge_at": null, "last_error": null});
    assert_eq!(again, wanted);
    assert_eq!(bench.get("/v1/account").await.body["credits"], 1_000);
    assert!(!bench.get("/v1/account").await.text.contains("cus_1"), "nor who pays by what");
}

#[tokio::test]
async fn it_is_for_the_owner_and_not_for_keys() {
    let bench = with_provider().await;
    let body = json!({"enabled": false});
    assert_eq!(put(&bench, &bench.key, &body).await.refusal(), (401, "unauthorized"));
    assert_eq!(bench.get("/auto-top-up").await.refusal(), (401, "unauthorized"));
    let session = bench.session().await;
    assert_eq!(put(&bench, &session, &body).await.status, 200, "off is always possible");
}

#[tokio::test]
async fn what_cannot_work_is_refused_with_what_is_missing() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let good = json!({"enabled": true, "threshold": 10, "amount": 100});
    let refused = put(&bench, &session, &good).await;
    assert_eq!(refused.refusal(), (422, "validation_failed"));
    assert!(refused.text.contains("no payment provider"), "{}", refused.text);
    assert!(!refused.text.contains("TRAWL_"), "{}", refused.text);
    let bench = with_provider().await;
    let session = bench.session().await;
    let refused = put(&bench, &session, &good).await;
    assert_eq!(refused.refusal(), (422, "validation_failed"));
    assert!(refused.text.contains("no payment method is on file"), "{}", refused.text);
    assert!(!refused.text.contains("trawl account"), "{}", refused.text);
    add_card(&bench).await;
    for (body, field) in [
        (json!({}), "enabled"),
        (json!({"enabled": null}), "enabled"),
        (json!({"enabled": "yes"}), "enabled"),
        (json!({"enabled": true}), "threshold"),
        (json!({"enabled": true, "threshold": 10}), "amount"),
        (json!({"enabled": true, "threshold": 0, "amount": 10}), "threshold"),
        (json!({"enabled": true, "threshold": 1, "amount": -1}), "amount"),
        (json!({"enabled": true, "threshold": 1.5, "amount": 10}), "threshold"),
        (json!({"enabled": true, "threshold": "1", "amount": 10}), "threshold"),
        (json!({"enabled": true, "threshold": 11, "amount": 10}), "amount"),
        (json!({"enabled": true, "threshold": 1, "amount": 1_000_000_000_000_i64}), "amount"),
        (json!({"enabled": false, "threshold": 1, "amount": 9_000_000_000_000_i64}), "amount"),
        (json!({"enabled": true, "threshold": 1, "amount": 10, "amuont": 7}), "amuont"),
        (json!([]), "body"),
    ] {
        let refused = put(&bench, &session, &body).await;
        assert_eq!(refused.refusal(), (422, "validation_failed"), "{body}");
        assert_eq!(refused.body["errors"][0]["field"], field, "{body}: {}", refused.text);
    }
    let record = bench.store.auto_top_up(&bench.account).await.expect("it answers");
    assert_eq!((record.enabled, record.amount), (false, None), "nothing of it was kept");
    let first = put(&bench, &session, &good).await;
    assert_eq!(first.body["amount"], 100);
    // What is kept is held against what is new.
    let refused = put(&bench, &session, &json!({"enabled": true, "threshold": 101})).await;
    assert_eq!(refused.body["errors"][0]["field"], "amount");
    let ceiling = put(&bench, &session, &json!({"enabled": true, "monthly_credits": 200})).await;
    assert_eq!(ceiling.status, 200, "{}", ceiling.text);
    let refused = put(&bench, &session, &json!({"enabled": true, "amount": 201})).await;
    assert_eq!(refused.body["errors"][0]["field"], "amount", "{}", refused.text);
    let unlimited = json!({"enabled": true, "amount": 201, "monthly_credits": null});
    assert_eq!(put(&bench, &session, &unlimited).await.status, 200);
    assert_eq!(
        bench.store.audit_ledger(&bench.account).await.expect("it answers").map(|a| a.balance),
        Some(Credits(1_000))
    );
}

#[tokio::test]
async fn the_page_behind_top_up_url_says_how_credits_are_had() {
    for (bench, said, unsaid) in [
        (Bench::start().await, "trawl account grant", "auto-top-up"),
        (with_provider().await, "PUT /auto-top-up", "account grant"),
    ] {
        let url = bench.get("/v1/account").await.body["top_up_url"].clone();
        let path = url.as_str().expect("a URL").strip_prefix("https://trawl.example");
        let page = bench.send(Method::GET, path.expect("ours"), &[], "").await;
        assert_eq!(page.status, 200);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert!(page.header("content-security-policy").is_some());
        assert!(page.text.contains(said) && !page.text.contains(unsaid), "{}", page.text);
        assert!(!page.text.contains("<script") && !page.text.contains("{price}"));
    }
}

#[tokio::test]
async fn a_request_that_changes_nothing_is_not_recorded() {
    let bench = with_provider().await;
    add_card(&bench).await;
    let session = bench.session().await;
    let recorded = async || {
        let page = bench.get_as(&session, "/v1/audit?action=settings.changed").await;
        assert_eq!(page.status, 200, "{}", page.text);
        page.body["items"].as_array().expect("entries").len()
    };
    let before = recorded().await;
    let body = json!({"enabled": true, "threshold": 10, "amount": 100, "monthly_credits": 500});
    for _ in 0..3 {
        assert_eq!(put(&bench, &session, &body).await.status, 200);
    }
    assert_eq!(recorded().await, before + 1);
}
