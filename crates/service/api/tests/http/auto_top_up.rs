//! `/auto-top-up` and `/top-up`.

use contract::{CreditPrice, Credits};
use http::Method;
use serde_json::{Value, json};
use store::{PaymentSource, RechargeFailurePolicy};

use crate::harness::{ApiReply, NOW, TestApi, bearer};

async fn with_provider() -> TestApi {
    TestApi::with(|settings| {
        settings.payments = Some(CreditPrice { per_thousand: 150, currency: "eur".to_owned() });
    })
    .await
}

async fn put(api: &TestApi, token: &str, body: &Value) -> ApiReply {
    let token = bearer(token);
    let headers = [("authorization", token.as_str()), ("content-type", "application/json")];
    api.send(Method::PUT, "/auto-top-up", &headers, &body.to_string()).await
}

async fn add_card(api: &TestApi) {
    let source = PaymentSource { customer: "cus_1".to_owned(), method: "pm_1".to_owned() };
    api.store.set_payment_source(&api.account, &source).await.expect("it answers");
}

#[tokio::test]
async fn auto_top_up_is_set_and_shows_the_last_purchase() {
    let api = with_provider().await;
    add_card(&api).await;
    let session = api.session().await;
    let unset = api.get_as(&session, "/auto-top-up").await;
    let never = json!({"enabled": false, "threshold": null, "amount": null, "monthly_credits": null,
        "last_recharge_at": null, "last_error": null});
    assert_eq!((unset.status, &unset.body), (200, &never));
    let body = json!({"enabled": true, "threshold": 2_000, "amount": 5_000});
    let set = put(&api, &session, &body).await;
    assert_eq!((set.status, &set.body["enabled"]), (200, &true.into()));
    let price = CreditPrice { per_thousand: 150, currency: "eur".to_owned() };
    assert_eq!(api.store.open_recharges(&price, NOW).await.expect("it answers"), 1);
    let lease = std::time::Duration::from_secs(60);
    let recharge = api.store.claim_recharge(lease, NOW).await.expect("it answers");
    let recharge = recharge.expect("it is due");
    let off = RechargeFailurePolicy::Disable;
    api.store.fail_recharge(&recharge, "no luck", off, NOW).await.expect("it answers");
    let seen = api.get("/v1/account").await.body["auto_top_up"].clone();
    assert_eq!((&seen["enabled"], &seen["last_error"]), (&false.into(), &"no luck".into()));
    assert_eq!(api.get_as(&session, "/auto-top-up").await.body, seen, "the same in both");
    // What is left out stays.
    let again = put(&api, &session, &json!({"enabled": true})).await.body;
    let wanted = json!({"enabled": true, "threshold": 2_000, "amount": 5_000, "monthly_credits": null,
        "last_recharge_at": null, "last_error": null});
    assert_eq!(again, wanted);
    assert_eq!(api.get("/v1/account").await.body["credits"], 1_000);
    assert!(!api.get("/v1/account").await.text.contains("cus_1"), "nor who pays by what");
}

#[tokio::test]
async fn auto_top_up_needs_a_session() {
    let api = with_provider().await;
    let body = json!({"enabled": false});
    assert_eq!(put(&api, &api.key, &body).await.refusal(), (401, "unauthorized"));
    assert_eq!(api.get("/auto-top-up").await.refusal(), (401, "unauthorized"));
    let session = api.session().await;
    assert_eq!(put(&api, &session, &body).await.status, 200, "off is always possible");
}

#[tokio::test]
async fn invalid_auto_top_up_settings_are_rejected() {
    let api = TestApi::start().await;
    let session = api.session().await;
    let good = json!({"enabled": true, "threshold": 10, "amount": 100});
    let refused = put(&api, &session, &good).await;
    assert_eq!(refused.refusal(), (422, "validation_failed"));
    assert!(refused.text.contains("no payment provider"), "{}", refused.text);
    assert!(!refused.text.contains("TRAWL_"), "{}", refused.text);
    let api = with_provider().await;
    let session = api.session().await;
    let refused = put(&api, &session, &good).await;
    assert_eq!(refused.refusal(), (422, "validation_failed"));
    assert!(refused.text.contains("no payment method is on file"), "{}", refused.text);
    assert!(!refused.text.contains("trawl account"), "{}", refused.text);
    add_card(&api).await;
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
        let refused = put(&api, &session, &body).await;
        assert_eq!(refused.refusal(), (422, "validation_failed"), "{body}");
        assert_eq!(refused.body["errors"][0]["field"], field, "{body}: {}", refused.text);
    }
    let record = api.store.auto_top_up(&api.account).await.expect("it answers");
    assert_eq!((record.enabled, record.amount), (false, None), "nothing of it was kept");
    let first = put(&api, &session, &good).await;
    assert_eq!(first.body["amount"], 100);
    // What is kept is held against what is new.
    let refused = put(&api, &session, &json!({"enabled": true, "threshold": 101})).await;
    assert_eq!(refused.body["errors"][0]["field"], "amount");
    let ceiling = put(&api, &session, &json!({"enabled": true, "monthly_credits": 200})).await;
    assert_eq!(ceiling.status, 200, "{}", ceiling.text);
    let refused = put(&api, &session, &json!({"enabled": true, "amount": 201})).await;
    assert_eq!(refused.body["errors"][0]["field"], "amount", "{}", refused.text);
    let unlimited = json!({"enabled": true, "amount": 201, "monthly_credits": null});
    assert_eq!(put(&api, &session, &unlimited).await.status, 200);
    assert_eq!(
        api.store.audit_ledger(&api.account).await.expect("it answers").map(|a| a.balance),
        Some(Credits(1_000))
    );
}

#[tokio::test]
async fn top_up_page_explains_how_to_buy_credits() {
    for (api, said, unsaid) in [
        (TestApi::start().await, "trawl account grant", "auto-top-up"),
        (with_provider().await, "PUT /auto-top-up", "account grant"),
    ] {
        let url = api.get("/v1/account").await.body["top_up_url"].clone();
        let path = url.as_str().expect("a URL").strip_prefix("https://trawl.example");
        let page = api.send(Method::GET, path.expect("ours"), &[], "").await;
        assert_eq!(page.status, 200);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert!(page.header("content-security-policy").is_some());
        assert!(page.text.contains(said) && !page.text.contains(unsaid), "{}", page.text);
        assert!(!page.text.contains("<script") && !page.text.contains("{price}"));
    }
}

#[tokio::test]
async fn unchanged_settings_are_not_audited() {
    let api = with_provider().await;
    add_card(&api).await;
    let session = api.session().await;
    let recorded = async || {
        let page = api.get_as(&session, "/v1/audit?action=settings.changed").await;
        assert_eq!(page.status, 200, "{}", page.text);
        page.body["items"].as_array().expect("entries").len()
    };
    let before = recorded().await;
    let body = json!({"enabled": true, "threshold": 10, "amount": 100, "monthly_credits": 500});
    for _ in 0..3 {
        assert_eq!(put(&api, &session, &body).await.status, 200);
    }
    assert_eq!(recorded().await, before + 1);
}
