//! Authorization codes and tokens: single use, expiry, and revocation after reuse.

use std::time::Duration;

use contract::{AccountId, ApplicationId, ClientAuth, Millis, OauthScopes};
use store::{
    Approval, CodeExchange, IssuedTokens, LimitChange, RefreshExchange, TokenRejection,
    TokenRevocation,
};

use crate::harness::{CHALLENGE, Harness, NOW, REDIRECT_URI, VERIFIER};
use crate::on_both;

on_both!(
    code_is_exchanged_once,
    code_expires_after_a_minute,
    wrong_verifier_revokes_the_code,
    code_of_another_application_is_rejected,
    concurrent_exchanges_of_one_code_issue_tokens_once,
    access_token_expires_after_an_hour,
    reused_refresh_token_revokes_the_authorization,
    concurrent_refreshes_issue_tokens_once,
    refresh_never_exceeds_the_granted_scopes,
    mcp_only_token_stays_mcp_only,
    tokens_can_be_revoked_by_their_application,
    codes_and_tokens_are_stored_as_hashes,
);

type Outcome = Result<IssuedTokens, TokenRejection>;

fn at(seconds: u64) -> Millis {
    NOW.plus(Duration::from_secs(seconds))
}

async fn connected(harness: &Harness) -> (AccountId, ApplicationId, String) {
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await.id;
    let code = harness.code(&account, &application).await;
    (account, application, code)
}

fn shown<'r>(application: &'r ApplicationId, code: &'r str) -> CodeExchange<'r> {
    CodeExchange {
        application,
        code,
        verifier: VERIFIER,
        redirect_uri: Some(REDIRECT_URI),
        mcp_only: None,
    }
}

async fn redeem(harness: &Harness, shown: &CodeExchange<'_>, now: Millis) -> Outcome {
    harness.store.redeem_code(shown, now).await.expect("it answers")
}

async fn refresh(
    harness: &Harness,
    application: &ApplicationId,
    token: &str,
    now: Millis,
) -> Outcome {
    let shown = RefreshExchange { application, token, scopes: None, mcp_only: None };
    harness.store.refresh(&shown, now).await.expect("it answers")
}

async fn is_known(harness: &Harness, token: &str, now: Millis) -> bool {
    harness.store.authenticate_access_token(token, now).await.expect("it answers").is_some()
}

async fn code_is_exchanged_once(harness: Harness) {
    let (account, application, code) = connected(&harness).await;
    let tokens = redeem(&harness, &shown(&application, &code), NOW).await.expect("tokens");
    assert_eq!(tokens.scopes, OauthScopes::all());
    let caller = harness.store.authenticate_access_token(tokens.access.reveal(), NOW).await;
    let caller = caller.expect("it answers").expect("known");
    assert_eq!((&caller.account, &caller.application), (&account, &application));
    assert_eq!((caller.scopes, caller.mcp_only), (OauthScopes::all(), false));

    // Reuse of an expired code revokes the authorization too.
    let again = redeem(&harness, &shown(&application, &code), at(61)).await;
    assert_eq!(again.err(), Some(TokenRejection::Replayed));
    assert!(!is_known(&harness, tokens.access.reveal(), NOW).await, "what it gave has ended");
    let next = refresh(&harness, &application, tokens.refresh.reveal(), NOW).await;
    assert_eq!(next.err(), Some(TokenRejection::Unknown));
}

async fn code_expires_after_a_minute(harness: Harness) {
    let (account, application, code) = connected(&harness).await;
    let late = redeem(&harness, &shown(&application, &code), at(60)).await;
    assert_eq!(late.err(), Some(TokenRejection::Unknown));
    let code = harness.code(&account, &application).await;
    redeem(&harness, &shown(&application, &code), at(59)).await.expect("tokens");
}

async fn wrong_verifier_revokes_the_code(harness: Harness) {
    let (account, application, _) = connected(&harness).await;
    for (verifier, redirect_uri) in
        [("x".repeat(43), REDIRECT_URI), (VERIFIER.to_owned(), "https://evil.example/back")]
    {
        let code = harness.code(&account, &application).await;
        let right = shown(&application, &code);
        let wrong =
            CodeExchange { verifier: &verifier, redirect_uri: Some(redirect_uri), ..right.clone() };
        assert_eq!(redeem(&harness, &wrong, NOW).await.err(), Some(TokenRejection::WrongProof));
        assert_eq!(redeem(&harness, &right, NOW).await.err(), Some(TokenRejection::Unknown));
    }
}

async fn code_of_another_application_is_rejected(harness: Harness) {
    let (_, application, code) = connected(&harness).await;
    let other = harness.application(ClientAuth::None).await.id;
    let stolen = redeem(&harness, &shown(&other, &code), NOW).await;
    assert_eq!(stolen.err(), Some(TokenRejection::Unknown));
    let tokens =
        redeem(&harness, &shown(&application, &code), NOW).await.expect("not void by that");
    let stolen = refresh(&harness, &other, tokens.refresh.reveal(), NOW).await;
    assert_eq!(stolen.err(), Some(TokenRejection::Unknown));
    refresh(&harness, &application, tokens.refresh.reveal(), NOW).await.expect("tokens");
}

async fn concurrent_exchanges_of_one_code_issue_tokens_once(harness: Harness) {
    let (_, application, code) = connected(&harness).await;
    let (one, other) = (shown(&application, &code), harness.other_node().await);
    let asked = (0..8).map(|n| {
        let store = if n % 2 == 0 { &harness.store } else { &other };
        store.redeem_code(&one, NOW)
    });
    let outcomes = futures_util::future::join_all(asked).await;
    let outcomes: Vec<Outcome> = outcomes.into_iter().map(|o| o.expect("it answers")).collect();
    let given: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
    assert_eq!(given.len(), 1);
    assert!(!is_known(&harness, given[0].access.reveal(), NOW).await, "it was in many hands");
}

async fn access_token_expires_after_an_hour(harness: Harness) {
    let (_, application, code) = connected(&harness).await;
    let tokens = redeem(&harness, &shown(&application, &code), NOW).await.expect("tokens");
    assert_eq!(tokens.expires_in, Duration::from_secs(3_600));
    assert!(is_known(&harness, tokens.access.reveal(), at(3_599)).await);
    assert!(!is_known(&harness, tokens.access.reveal(), at(3_600)).await);
    assert!(
        !is_known(&harness, tokens.refresh.reveal(), NOW).await,
        "a refresh token opens nothing"
    );
}

async fn reused_refresh_token_revokes_the_authorization(harness: Harness) {
    let (account, application, code) = connected(&harness).await;
    let first = redeem(&harness, &shown(&application, &code), NOW).await.expect("tokens");
    let second = refresh(&harness, &application, first.refresh.reveal(), at(5)).await;
    let second = second.expect("tokens");
    assert!(is_known(&harness, first.access.reveal(), at(5)).await, "it lives out its hour");
    let other = harness.code(&account, &application).await;
    let other = redeem(&harness, &shown(&application, &other), NOW).await.expect("tokens");

    let stolen = refresh(&harness, &application, first.refresh.reveal(), at(9)).await;
    assert_eq!(stolen.err(), Some(TokenRejection::Replayed));
    for token in [&first.access, &second.access] {
        assert!(!is_known(&harness, token.reveal(), at(9)).await);
    }
    let next = refresh(&harness, &application, second.refresh.reveal(), at(9)).await;
    assert_eq!(next.err(), Some(TokenRejection::Unknown));
    assert!(is_known(&harness, other.access.reveal(), at(9)).await, "another family");

    let month = 30 * 24 * 3_600;
    let late = refresh(&harness, &application, other.refresh.reveal(), at(month)).await;
    assert_eq!(late.err(), Some(TokenRejection::Unknown));
    refresh(&harness, &application, other.refresh.reveal(), at(month - 1)).await.expect("tokens");
}

async fn concurrent_refreshes_issue_tokens_once(harness: Harness) {
    let (_, application, code) = connected(&harness).await;
    let first = redeem(&harness, &shown(&application, &code), NOW).await.expect("tokens");
    let other = harness.other_node().await;
    let one = RefreshExchange {
        application: &application,
        token: first.refresh.reveal(),
        scopes: None,
        mcp_only: None,
    };
    let asked = (0..8).map(|n| {
        let store = if n % 2 == 0 { &harness.store } else { &other };
        store.refresh(&one, NOW)
    });
    let outcomes = futures_util::future::join_all(asked).await;
    let given: Vec<_> = outcomes.into_iter().filter_map(|o| o.expect("it answers").ok()).collect();
    assert_eq!(given.len(), 1);
    assert!(!is_known(&harness, given[0].access.reveal(), NOW).await);
}

async fn refresh_never_exceeds_the_granted_scopes(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await.id;
    let approval = Approval {
        account,
        application: application.clone(),
        redirect_uri: REDIRECT_URI.to_owned(),
        challenge: CHALLENGE.to_owned(),
        scopes: OauthScopes::known_in("jobs:read jobs:write"),
        mcp_only: false,
        limits: LimitChange::default(),
    };
    let code = harness.store.approve(&approval, NOW).await.expect("it answers");
    let tokens = redeem(&harness, &shown(&application, code.reveal()), NOW).await.expect("tokens");
    let ask = async |token: &str, scopes: &str| {
        let scopes = Some(OauthScopes::known_in(scopes));
        let shown = RefreshExchange { application: &application, token, scopes, mcp_only: None };
        harness.store.refresh(&shown, NOW).await.expect("it answers")
    };
    let more = ask(tokens.refresh.reveal(), "jobs:read account:read").await;
    assert_eq!(more.err(), Some(TokenRejection::Scope), "and the token can still be used");
    let fewer = ask(tokens.refresh.reveal(), "jobs:read").await.expect("tokens");
    assert_eq!(fewer.scopes.to_string(), "jobs:read");
    let caller = harness.store.authenticate_access_token(fewer.access.reveal(), NOW).await;
    assert_eq!(caller.expect("it answers").expect("known").scopes.to_string(), "jobs:read");
    let all = refresh(&harness, &application, fewer.refresh.reveal(), NOW).await.expect("tokens");
    assert_eq!(all.scopes.to_string(), "jobs:read jobs:write", "as was granted");
}

async fn mcp_only_token_stays_mcp_only(harness: Harness) {
    let (account, application, code) = connected(&harness).await;
    let asked = CodeExchange { mcp_only: Some(true), ..shown(&application, &code) };
    let narrow = redeem(&harness, &asked, NOW).await.expect("less than was granted");
    let who = async |token: &str| {
        let caller = harness.store.authenticate_access_token(token, NOW).await;
        caller.expect("it answers").expect("known").mcp_only
    };
    assert!(who(narrow.access.reveal()).await);

    let approval = Approval {
        account,
        application: application.clone(),
        redirect_uri: REDIRECT_URI.to_owned(),
        challenge: CHALLENGE.to_owned(),
        scopes: OauthScopes::all(),
        mcp_only: true,
        limits: LimitChange::default(),
    };
    let code = harness.store.approve(&approval, NOW).await.expect("it answers");
    let asked = CodeExchange { mcp_only: Some(false), ..shown(&application, code.reveal()) };
    assert_eq!(redeem(&harness, &asked, NOW).await.err(), Some(TokenRejection::Target));
    let tokens = redeem(&harness, &shown(&application, code.reveal()), NOW).await.expect("tokens");
    assert!(who(tokens.access.reveal()).await);
    let next = refresh(&harness, &application, tokens.refresh.reveal(), NOW).await.expect("tokens");
    assert!(who(next.access.reveal()).await);
}

async fn tokens_can_be_revoked_by_their_application(harness: Harness) {
    let (account, application, code) = connected(&harness).await;
    let other = harness.application(ClientAuth::None).await.id;
    let tokens = redeem(&harness, &shown(&application, &code), NOW).await.expect("tokens");
    let back = async |application, token: &str| {
        harness.store.revoke_token(application, token).await.expect("it answers")
    };
    for token in [tokens.access.reveal(), tokens.refresh.reveal()] {
        assert_eq!(back(&other, token).await, TokenRevocation::WrongApplication);
    }
    assert_eq!(back(&application, "oat_unknown").await, TokenRevocation::Revoked);
    assert!(is_known(&harness, tokens.access.reveal(), NOW).await);
    assert_eq!(back(&application, tokens.access.reveal()).await, TokenRevocation::Revoked);
    assert!(!is_known(&harness, tokens.access.reveal(), NOW).await);
    let next = refresh(&harness, &application, tokens.refresh.reveal(), NOW).await.expect("tokens");
    assert_eq!(back(&application, next.refresh.reveal()).await, TokenRevocation::Revoked);
    assert!(!is_known(&harness, next.access.reveal(), NOW).await, "with all that came of it");
    let connected = harness.store.connected_applications(&account, NOW).await.expect("it answers");
    assert!(connected.is_empty(), "nothing is left that could act");
}

async fn codes_and_tokens_are_stored_as_hashes(harness: Harness) {
    let (_, application, code) = connected(&harness).await;
    let tokens = redeem(&harness, &shown(&application, &code), NOW).await.expect("tokens");
    let pool = sqlx::AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let statement = "SELECT code_hash FROM authorizations UNION ALL \
        SELECT token_hash FROM access_tokens UNION ALL SELECT token_hash FROM refresh_tokens";
    let stored: Vec<String> =
        sqlx::query_scalar(statement).fetch_all(&pool).await.expect("it answers");
    pool.close().await;
    assert_eq!(stored.len(), 3);
    for secret in [&code, tokens.access.reveal(), tokens.refresh.reveal()] {
        assert!(stored.iter().all(|hash| hash.len() == 64 && !hash.contains(secret)));
    }
}
