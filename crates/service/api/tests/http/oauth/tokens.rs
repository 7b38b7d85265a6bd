//! `POST /oauth/token` and `POST /oauth/revoke`.

use std::time::Duration;

use data_encoding::BASE64;
use http::Method;
use serde_json::{Value, json};

use crate::harness::{ApiReply, Notes, REDIRECT_URI, TestApi, VERIFIER, query};

fn text<'a>(answer: &'a ApiReply, member: &str) -> &'a str {
    answer.body[member].as_str().unwrap_or_else(|| panic!("{member}: {}", answer.text))
}

fn error(answer: &ApiReply) -> (u16, &Value) {
    (answer.status, &answer.body["error"])
}

async fn refresh(api: &TestApi, notes: &Notes, token: &str) -> ApiReply {
    let members =
        [("grant_type", "refresh_token"), ("client_id", &notes.id), ("refresh_token", token)];
    api.form("/oauth/token", &members).await
}

async fn opens(api: &TestApi, token: &str) -> bool {
    api.get_as(token, "/v1/account").await.status == 200
}

#[tokio::test]
async fn code_is_exchanged_for_tokens() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let code = api.code(&notes, "jobs:read account:read").await;
    let tokens = api.redeem(&notes, &code).await;
    assert_eq!((tokens.status, tokens.header("cache-control")), (200, Some("no-store")));
    insta::assert_json_snapshot!(tokens.stable());
    let account = api.get_as(text(&tokens, "access_token"), "/v1/account").await;
    insta::assert_json_snapshot!("account", account.stable());
    api.pass(Duration::from_secs(3_600));
    assert!(!opens(&api, text(&tokens, "access_token")).await, "an hour is over");
    let next = refresh(&api, &notes, text(&tokens, "refresh_token")).await;
    assert!(opens(&api, text(&next, "access_token")).await);
}

#[tokio::test]
async fn replayed_code_revokes_its_tokens() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let code = api.code(&notes, "account:read").await;
    let tokens = api.redeem(&notes, &code).await;
    assert!(opens(&api, text(&tokens, "access_token")).await);
    assert_eq!(error(&api.redeem(&notes, &code).await), (400, &json!("invalid_grant")));
    assert!(!opens(&api, text(&tokens, "access_token")).await);
    let next = refresh(&api, &notes, text(&tokens, "refresh_token")).await;
    assert_eq!(error(&next), (400, &json!("invalid_grant")));
}

#[tokio::test]
async fn code_needs_its_verifier_and_client() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let thief = api.notes().await;
    let code = api.code(&notes, "account:read").await;
    assert_eq!(error(&api.redeem(&thief, &code).await), (400, &json!("invalid_grant")));
    // In the name of the application, without its verifier; then the code is void.
    let guess = "x".repeat(43);
    for (name, value) in
        [("code_verifier", guess.as_str()), ("redirect_uri", "https://evil.example/")]
    {
        let code = api.code(&notes, "account:read").await;
        let mut shows = notes.shows(&code);
        shows.retain(|(given, _)| *given != name);
        shows.push((name, value));
        let stolen = api.form("/oauth/token", &shows).await;
        assert_eq!(error(&stolen), (400, &json!("invalid_grant")), "{name}");
        assert_eq!(error(&api.redeem(&notes, &code).await), (400, &json!("invalid_grant")));
    }
    let mut shows = notes.shows(&code);
    shows.retain(|(given, _)| *given != "code_verifier");
    let stolen = api.form("/oauth/token", &shows).await;
    assert_eq!(error(&stolen), (400, &json!("invalid_request")));
    api.pass(Duration::from_secs(60));
    assert_eq!(error(&api.redeem(&notes, &code).await), (400, &json!("invalid_grant")));
}

#[tokio::test]
async fn replayed_refresh_token_revokes_the_authorization() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let code = api.code(&notes, "account:read").await;
    let first = api.redeem(&notes, &code).await;
    let second = refresh(&api, &notes, text(&first, "refresh_token")).await;
    assert_eq!(second.status, 200);
    assert!(opens(&api, text(&second, "access_token")).await);
    let replayed = refresh(&api, &notes, text(&first, "refresh_token")).await;
    assert_eq!(error(&replayed), (400, &json!("invalid_grant")));
    for tokens in [&first, &second] {
        assert!(!opens(&api, text(tokens, "access_token")).await);
    }
    let third = refresh(&api, &notes, text(&second, "refresh_token")).await;
    assert_eq!(error(&third), (400, &json!("invalid_grant")));
}

async fn one_code_by_many(api: TestApi) {
    let notes = api.notes().await;
    let code = api.code(&notes, "account:read").await;
    let asked = (0..8).map(|_| api.redeem(&notes, &code));
    let answers = futures_util::future::join_all(asked).await;
    let given: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(given.len(), 1, "one of many gets tokens");
    assert!(!opens(&api, text(given[0], "access_token")).await, "and the theft is noticed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_redemptions_give_one_token_on_sqlite() {
    one_code_by_many(TestApi::start().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn concurrent_redemptions_give_one_token_on_postgres() {
    one_code_by_many(TestApi::postgres().await).await;
}

#[tokio::test]
async fn refresh_can_only_reduce_scopes() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let code = api.code(&notes, "jobs:read account:read").await;
    let tokens = api.redeem(&notes, &code).await;
    let ask = async |scope| {
        let token = text(&tokens, "refresh_token");
        let members = [
            ("grant_type", "refresh_token"),
            ("client_id", notes.id.as_str()),
            ("refresh_token", token),
            ("scope", scope),
        ];
        api.form("/oauth/token", &members).await
    };
    for more in ["jobs:read jobs:write", "everything"] {
        assert_eq!(error(&ask(more).await), (400, &json!("invalid_scope")));
    }
    let less = ask("account:read").await;
    assert_eq!((less.status, &less.body["scope"]), (200, &json!("account:read")));
    let refused = api.get_as(text(&less, "access_token"), "/v1/jobs").await;
    assert_eq!(refused.refusal(), (403, "forbidden"));
}

#[tokio::test]
async fn confidential_client_needs_its_secret() {
    let api = TestApi::start().await;
    let made = api.register(&json!({"redirect_uris": [REDIRECT_URI]})).await;
    let (id, secret) = (text(&made, "client_id"), text(&made, "client_secret"));
    let notes = Notes { id: id.to_owned() };
    let code = api.code(&notes, "account:read").await;
    let basic = |id: &str, secret: &str| {
        format!("Basic {}", BASE64.encode(format!("{id}:{secret}").as_bytes()))
    };
    let shows = notes.shows(&code);
    let unnamed: Vec<_> = shows.iter().copied().filter(|(name, _)| *name != "client_id").collect();
    let wrong_secret = [shows.clone(), vec![("client_secret", "aps_wrong")]].concat();
    let none = api.form("/oauth/token", &shows).await;
    let wrong = api.form("/oauth/token", &wrong_secret).await;
    let header = basic(id, "aps_wrong");
    let wrong_header = api.form_with("/oauth/token", &[("authorization", &header)], &unnamed).await;
    let bearer = api.form_with("/oauth/token", &[("authorization", "Bearer x")], &unnamed).await;
    for answer in [none, wrong, wrong_header, bearer] {
        assert_eq!(error(&answer), (401, &json!("invalid_client")));
        assert_eq!(answer.header("www-authenticate"), Some("Basic realm=\"oauth\""));
    }
    let header = basic(id, secret);
    let both = [shows.clone(), vec![("client_secret", secret)]].concat();
    let both_ways = api.form_with("/oauth/token", &[("authorization", &header)], &both).await;
    assert_eq!(error(&both_ways), (400, &json!("invalid_request")));
    let right = api.form_with("/oauth/token", &[("authorization", &header)], &unnamed).await;
    assert_eq!(right.status, 200, "nothing of that has used the code up");
    let code = api.code(&notes, "account:read").await;
    let by_post = [notes.shows(&code), vec![("client_secret", secret)]].concat();
    assert_eq!(api.form("/oauth/token", &by_post).await.status, 200);
}

#[tokio::test]
async fn malformed_token_requests_are_described() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let id = notes.id.as_str();
    for (members, status, code) in [
        (vec![], 400, "invalid_request"),
        (vec![("grant_type", "authorization_code")], 400, "invalid_request"),
        (vec![("grant_type", "password"), ("client_id", id)], 400, "unsupported_grant_type"),
        (
            vec![("grant_type", "client_credentials"), ("client_id", id)],
            400,
            "unsupported_grant_type",
        ),
        (vec![("grant_type", "refresh_token"), ("client_id", id)], 400, "invalid_request"),
        (vec![("grant_type", "refresh_token"), ("client_id", "me")], 401, "invalid_client"),
        (
            vec![
                ("grant_type", "refresh_token"),
                ("client_id", id),
                ("resource", "https://x.example"),
            ],
            400,
            "invalid_target",
        ),
        (
            vec![("grant_type", "refresh_token"), ("client_id", id), ("client_id", id)],
            400,
            "invalid_request",
        ),
    ] {
        let answer = api.form("/oauth/token", &members).await;
        assert_eq!(error(&answer), (status, &json!(code)), "{members:?}");
    }
    let headers = [("content-type", "application/json")];
    let answer = api.send(Method::POST, "/oauth/token", &headers, "{}").await;
    assert_eq!(error(&answer), (415, &json!("invalid_request")));
}

#[tokio::test]
async fn credentials_in_the_query_are_ignored() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let code = api.code(&notes, "account:read").await;
    let path = format!("/oauth/token?{}", query(&notes.shows(&code)));
    let answer = api.form(&path, &[]).await;
    assert_eq!(error(&answer), (400, &json!("invalid_request")));
    let tokens = api.redeem(&notes, &code).await;
    let token = text(&tokens, "access_token");
    let path = format!("/v1/account?access_token={token}");
    assert_eq!(api.send(Method::GET, &path, &[], "").await.refusal(), (401, "unauthorized"));
}

#[tokio::test]
async fn tokens_are_revoked() {
    let api = TestApi::start().await;
    let (notes, other) = (api.notes().await, api.notes().await);
    let code = api.code(&notes, "account:read").await;
    let tokens = api.redeem(&notes, &code).await;
    let back = async |notes: &Notes, token: &str| {
        let members = [("client_id", notes.id.as_str()), ("token", token)];
        api.form("/oauth/revoke", &members).await
    };
    let access = text(&tokens, "access_token");
    assert_eq!(error(&back(&other, access).await), (400, &json!("invalid_grant")));
    assert!(opens(&api, access).await);
    let gone = back(&notes, access).await;
    assert_eq!((gone.status, gone.text.as_str()), (200, ""));
    assert!(!opens(&api, access).await);
    let next = refresh(&api, &notes, text(&tokens, "refresh_token")).await;
    assert_eq!(back(&notes, text(&next, "refresh_token")).await.status, 200);
    assert!(!opens(&api, text(&next, "access_token")).await, "with all that came of it");
    assert_eq!(back(&notes, "oat_unknown").await.status, 200);
    let unproved = api.form("/oauth/revoke", &[("token", access)]).await;
    assert_eq!(error(&unproved), (400, &json!("invalid_request")));
    let unproved = api.form("/oauth/revoke", &[("token", access), ("client_id", "x")]).await;
    assert_eq!(error(&unproved), (401, &json!("invalid_client")));
}

#[tokio::test]
async fn redirect_uri_is_optional_at_the_token_endpoint() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let code = api.code(&notes, "account:read").await;
    let members = [
        ("grant_type", "authorization_code"),
        ("client_id", notes.id.as_str()),
        ("code", &code),
        ("code_verifier", VERIFIER),
    ];
    assert_eq!(api.form("/oauth/token", &members).await.status, 200);
}
