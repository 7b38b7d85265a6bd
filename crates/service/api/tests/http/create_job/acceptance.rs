//! The acceptance of the legal basis is stored once with a `contacts` job.

use contract::Mode;
use serde_json::{Value, json};
use store::Acceptance;

use crate::harness::{EMAIL, NOW, TestApi};

async fn api() -> TestApi {
    TestApi::with(|settings| {
        if !settings.modes.contains(&Mode::Contacts) {
            settings.modes.push(Mode::Contacts);
        }
    })
    .await
}

fn order(domains: &[&str]) -> Value {
    json!({"mode": "contacts", "domains": domains, "legal_basis_accepted": true})
}

async fn accepted(api: &TestApi) -> Vec<Acceptance> {
    api.store.acceptances(None, None).await.expect("the database answers")
}

#[tokio::test]
async fn acceptance_names_account_key_and_request() {
    let api = api().await;
    let answer = api.post("/v1/jobs", &order(&["a.example", "b.example"])).await;
    assert_eq!(answer.status, 202);
    let [one] = accepted(&api).await.try_into().expect("one acceptance");
    let account = api.get("/v1/account").await;
    assert_eq!((&one.account, one.email.as_str()), (&api.account, EMAIL));
    assert_eq!(one.key.map(|key| json!(key)), Some(account.body["key"]["id"].clone()));
    assert_eq!(one.request.as_ref().map(|id| id.as_str()), answer.header("x-request-id"));
    assert_eq!((one.accepted_at, one.domains, one.terms.as_str()), (NOW, 2, "5.7"));
    assert_eq!(json!(one.subject), answer.body["job_id"]);
}

#[tokio::test]
async fn replay_stores_no_second_acceptance() {
    let api = api().await;
    let first = api.create(&order(&["a.example"]), "k").await;
    let again = api.create(&order(&["a.example"]), "k").await;
    assert_eq!((first.status, again.header("idempotent-replayed")), (202, Some("true")));
    assert_eq!(accepted(&api).await.len(), 1);
}

#[tokio::test]
async fn rejected_job_stores_no_acceptance() {
    let api = api().await;
    let without = json!({"mode": "contacts", "domains": ["a.example"]});
    let answer = api.post("/v1/jobs", &without).await;
    assert_eq!(answer.refusal(), (422, "legal_basis_required"));
    let answer = api.post("/v1/jobs", &order(&["no domain"])).await;
    assert_eq!(answer.refusal(), (422, "validation_failed"));
    let (_, poor) = api.account("bob@example.com", 5).await;
    let answer = api.post_as(&poor, "/v1/jobs", &order(&["a.example"])).await;
    assert_eq!(answer.refusal(), (402, "insufficient_credits"));
    api.queued("example.com").await;
    let busy =
        json!({"mode": "contacts", "url": "https://example.com/", "legal_basis_accepted": true});
    assert_eq!(api.post("/v1/jobs", &busy).await.refusal(), (409, "conflict"));
    assert!(accepted(&api).await.is_empty());
}

#[tokio::test]
async fn other_modes_store_no_acceptance() {
    let api = api().await;
    let links = json!({"mode": "links", "url": "https://a.example/", "legal_basis_accepted": true});
    assert_eq!(api.post("/v1/jobs", &links).await.status, 202);
    assert!(accepted(&api).await.is_empty());
}
