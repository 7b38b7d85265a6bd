//! Validation of the members of a job request.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::harness::{ApiReply, TestApi};

async fn refused(api: &TestApi, change: Value) -> ApiReply {
    let mut body = json!({"mode": "links", "url": "https://example.com/"});
    for (name, value) in change.as_object().expect("an object") {
        body[name] = value.clone();
    }
    let answer = api.post("/v1/jobs", &body).await;
    assert_eq!(answer.status, 422, "{body} gave {}", answer.text);
    answer
}

#[tokio::test]
async fn all_invalid_fields_are_reported_at_once() {
    let api = TestApi::start().await;
    let body = json!({
        "mode": "link",
        "url": 7,
        "max_credit_per_units": 5,
        "scope": {"one_page": "yes", "include_orphans": true, "zebra": 1},
        "options": {"sample_size": 0, "preferred_language": "english", "discovery": 1},
        "on_protected": "maybe",
        "max_credit_per_unit": 1.5,
        "external": [],
        "legal_basis_accepted": "true",
    });
    let answer = api.post("/v1/jobs", &body).await;
    assert_eq!(answer.status, 422);
    assert_json_snapshot!(answer.stable());
}

#[tokio::test]
async fn body_must_be_an_object_with_required_members() {
    let api = TestApi::start().await;
    for body in ["[]", "null", "7", "\"links\""] {
        let answer = api.post_text("/v1/jobs", body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["body"]), "{body}");
    }
    let answer = api.post("/v1/jobs", &json!({})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["mode"]));
    let answer = api.post("/v1/jobs", &json!({"mode": "links"})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["url"]));
    let answer = api.post("/v1/jobs", &json!({"mode": null, "url": null})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["mode"]));
}

#[tokio::test]
async fn null_optional_fields_are_treated_as_absent() {
    let api = TestApi::start().await;
    let body = json!({
        "mode": "links", "url": "https://example.com/", "domains": null, "scope": null,
        "options": null, "on_protected": null, "max_credit_per_unit": null,
        "legal_basis_accepted": null, "external": null,
    });
    assert_eq!(api.post("/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn max_credit_per_unit_is_validated() {
    let api = TestApi::start().await;
    for change in [
        json!({"on_protected": "auto"}),
        json!({"max_credit_per_unit": 0}),
        json!({"max_credit_per_unit": -5}),
        json!({"max_credit_per_unit": 99_999_999_999_999_999_999_f64}),
        json!({"on_protected": "auto", "max_credit_per_unit": "5"}),
    ] {
        assert_eq!(refused(&api, change).await.fields(), ["max_credit_per_unit"]);
    }
    let body = json!({"mode": "links", "url": "https://a.example/", "max_credit_per_unit": 5.0});
    assert_eq!(api.post("/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn overflowing_numbers_are_invalid_json() {
    let api = TestApi::start().await;
    let body = r#"{"mode":"links","url":"https://a.example/","max_credit_per_unit":1e999}"#;
    assert_eq!(api.post_text("/v1/jobs", body).await.refusal(), (400, "invalid_json"));
}

#[tokio::test]
async fn modes_that_are_not_offered_are_rejected() {
    let built = |mode: &contract::Mode| *mode != contract::Mode::Contacts;
    let api = TestApi::with(|settings| settings.modes.retain(built)).await;
    let change = json!({"mode": "contacts", "legal_basis_accepted": true});
    let answer = refused(&api, change).await;
    assert_eq!((answer.code(), answer.fields()), ("validation_failed", vec!["mode"]));
    assert!(answer.body["message"].as_str().is_some_and(|text| text.contains("contacts")));
}

#[tokio::test]
async fn contacts_require_a_legal_basis() {
    let api = TestApi::start().await;
    for basis in [json!(null), json!(false)] {
        let change = json!({"mode": "contacts", "legal_basis_accepted": basis});
        assert_eq!(refused(&api, change).await.code(), "legal_basis_required");
    }
}

#[tokio::test]
async fn domains_are_valid_only_in_contacts() {
    let api = TestApi::start().await;
    let answer = refused(&api, json!({"domains": ["example.com"]})).await;
    assert_eq!(answer.fields(), ["domains"]);
    let contacts = |domains: Value| {
        json!({
            "mode": "contacts", "url": null, "legal_basis_accepted": true, "domains": domains
        })
    };
    let both = json!({"mode": "contacts", "domains": ["a.example"], "legal_basis_accepted": true});
    assert_eq!(refused(&api, both).await.fields(), ["domains"]);
    assert_eq!(refused(&api, contacts(json!(null))).await.fields(), ["url"]);
    assert_eq!(refused(&api, contacts(json!([]))).await.fields(), ["domains"]);
    let mixed = json!(["a.example", 3, "no domain", "127.0.0.1", "b.example"]);
    let answer = refused(&api, contacts(mixed)).await;
    assert_eq!(answer.fields(), ["domains[1]", "domains[2]", "domains[3]"]);
    let many: Vec<_> = (0..10_001).map(|n| format!("d{n}.example")).collect();
    assert_eq!(refused(&api, contacts(json!(many))).await.fields(), ["domains"]);
    // Folded, they cost ten credits each; the account has a thousand.
    let body = contacts(json!(["a.example", " WWW.A.example ", "https://a.example/x"]));
    let answer = api.post("/v1/jobs", &body).await;
    assert_eq!((answer.status, &answer.body["url"]), (202, &json!(null)));
    assert_eq!(api.get("/v1/account").await.body["credits"], 990);
}

#[tokio::test]
async fn external_is_limited_to_4_kib() {
    let api = TestApi::start().await;
    let large = json!({"external": {"note": "x".repeat(4_096)}});
    assert_eq!(refused(&api, large).await.fields(), ["external"]);
    let numbered = json!({"external": {"user_id": 7, "run_id": {}}});
    assert_eq!(refused(&api, numbered).await.fields(), ["external.user_id", "external.run_id"]);
    let nul = json!({"external": {"note": "a\u{0}b"}});
    assert_eq!(refused(&api, nul).await.fields(), ["external"]);
}

#[tokio::test]
async fn number_of_reported_errors_is_limited() {
    let api = TestApi::start().await;
    let members: Vec<_> = (0..50_000).map(|n| format!("\"m{n}\":1")).collect();
    let answer = api.post_text("/v1/jobs", &format!("{{{}}}", members.join(","))).await;
    assert_eq!((answer.status, answer.fields().len()), (422, 100));
}
