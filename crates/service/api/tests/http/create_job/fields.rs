//! What a body may hold, and how it is told what is wrong with it.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::bench::{Answer, Bench};

async fn refused(bench: &Bench, change: Value) -> Answer {
    let mut body = json!({"mode": "links", "url": "https://example.com/"});
    for (name, value) in change.as_object().expect("an object") {
        body[name] = value.clone();
    }
    let answer = bench.post("/v1/jobs", &body).await;
    assert_eq!(answer.status, 422, "{body} gave {}", answer.text);
    answer
}

#[tokio::test]
async fn everything_that_is_wrong_is_named_at_once() {
    let bench = Bench::start().await;
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
    let answer = bench.post("/v1/jobs", &body).await;
    assert_eq!(answer.status, 422);
    assert_json_snapshot!(answer.stable());
}

#[tokio::test]
async fn a_body_must_be_an_object_with_what_is_required() {
    let bench = Bench::start().await;
    for body in ["[]", "null", "7", "\"links\""] {
        let answer = bench.post_text("/v1/jobs", body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["body"]), "{body}");
    }
    let answer = bench.post("/v1/jobs", &json!({})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["mode"]));
    let answer = bench.post("/v1/jobs", &json!({"mode": "links"})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["url"]));
    let answer = bench.post("/v1/jobs", &json!({"mode": null, "url": null})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["mode"]));
}

#[tokio::test]
async fn null_is_as_good_as_absent_where_a_field_is_optional() {
    let bench = Bench::start().await;
    let body = json!({
        "mode": "links", "url": "https://example.com/", "domains": null, "scope": null,
        "options": null, "on_protected": null, "max_credit_per_unit": null,
        "legal_basis_accepted": null, "external": null,
    });
    assert_eq!(bench.post("/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn ceilings_follow_the_rules_of_the_mode() {
    let bench = Bench::start().await;
    for change in [
        json!({"on_protected": "auto"}),
        json!({"max_credit_per_unit": 0}),
        json!({"max_credit_per_unit": -5}),
        json!({"max_credit_per_unit": 99_999_999_999_999_999_999_f64}),
        json!({"on_protected": "auto", "max_credit_per_unit": "5"}),
    ] {
        assert_eq!(refused(&bench, change).await.fields(), ["max_credit_per_unit"]);
    }
    let body = json!({"mode": "links", "url": "https://a.example/", "max_credit_per_unit": 5.0});
    assert_eq!(bench.post("/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn numbers_beyond_everything_are_not_json() {
    let bench = Bench::start().await;
    let body = r#"{"mode":"links","url":"https://a.example/","max_credit_per_unit":1e999}"#;
    assert_eq!(bench.post_text("/v1/jobs", body).await.refusal(), (400, "invalid_json"));
}

#[tokio::test]
async fn modes_that_are_not_built_are_named() {
    let built = |mode: &contract::Mode| *mode != contract::Mode::Contacts;
    let bench = Bench::with(|settings| settings.modes.retain(built)).await;
    let change = json!({"mode": "contacts", "legal_basis_accepted": true});
    let answer = refused(&bench, change).await;
    assert_eq!((answer.code(), answer.fields()), ("validation_failed", vec!["mode"]));
    assert!(answer.body["message"].as_str().is_some_and(|text| text.contains("contacts")));
}

#[tokio::test]
async fn contacts_need_a_legal_basis_first() {
    let bench = Bench::start().await;
    for basis in [json!(null), json!(false)] {
        let change = json!({"mode": "contacts", "legal_basis_accepted": basis});
        assert_eq!(refused(&bench, change).await.code(), "legal_basis_required");
    }
}

#[tokio::test]
async fn domains_belong_to_contacts() {
    let bench = Bench::start().await;
    let answer = refused(&bench, json!({"domains": ["example.com"]})).await;
    assert_eq!(answer.fields(), ["domains"]);
    let contacts = |domains: Value| {
        json!({
            "mode": "contacts", "url": null, "legal_basis_accepted": true, "domains": domains
        })
    };
    let both = json!({"mode": "contacts", "domains": ["a.example"], "legal_basis_accepted": true});
    assert_eq!(refused(&bench, both).await.fields(), ["domains"]);
    assert_eq!(refused(&bench, contacts(json!(null))).await.fields(), ["url"]);
    assert_eq!(refused(&bench, contacts(json!([]))).await.fields(), ["domains"]);
    let mixed = json!(["a.example", 3, "no domain", "127.0.0.1", "b.example"]);
    let answer = refused(&bench, contacts(mixed)).await;
    assert_eq!(answer.fields(), ["domains[1]", "domains[2]", "domains[3]"]);
    let many: Vec<_> = (0..10_001).map(|n| format!("d{n}.example")).collect();
    assert_eq!(refused(&bench, contacts(json!(many))).await.fields(), ["domains"]);
    // Folded, they cost ten credits each; the account has a thousand.
    let body = contacts(json!(["a.example", " WWW.A.example ", "https://a.example/x"]));
    let answer = bench.post("/v1/jobs", &body).await;
    assert_eq!((answer.status, &answer.body["url"]), (202, &json!(null)));
    assert_eq!(bench.get("/v1/account").await.body["credits"], 990);
}

#[tokio::test]
async fn external_is_free_within_four_kibibytes() {
    let bench = Bench::start().await;
    let large = json!({"external": {"note": "x".repeat(4_096)}});
    assert_eq!(refused(&bench, large).await.fields(), ["external"]);
    let numbered = json!({"external": {"user_id": 7, "run_id": {}}});
    assert_eq!(refused(&bench, numbered).await.fields(), ["external.user_id", "external.run_id"]);
    let nul = json!({"external": {"note": "a\u{0}b"}});
    assert_eq!(refused(&bench, nul).await.fields(), ["external"]);
}

#[tokio::test]
async fn a_hundred_thousand_wrong_members_make_a_small_answer() {
    let bench = Bench::start().await;
    let members: Vec<_> = (0..50_000).map(|n| format!("\"m{n}\":1")).collect();
    let answer = bench.post_text("/v1/jobs", &format!("{{{}}}", members.join(","))).await;
    assert_eq!((answer.status, answer.fields().len()), (422, 100));
}
