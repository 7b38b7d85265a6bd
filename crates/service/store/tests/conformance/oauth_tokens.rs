//! Codes and tokens: each once, each for a time, and nothing for a thief.

use std::time::Duration;

use contract::{AccountId, ApplicationId, ClientAuth, Millis, OauthScopes};
use store::{
    Approval, CodeShown, GivenBack, IssuedTokens, LimitChange, RefreshShown, TokensRefused,
};

use crate::bench::{Bench, CHALLENGE, NOW, REDIRECT_URI, VERIFIER};
use crate::on_both;

on_both!(
    a_code_gives_tokens_once,
    a_code_lives_a_minute,
    a_wrong_proof_voids_the_code,
    a_code_is_its_applications_alone,
    of_many_who_show_one_code_one_gets_tokens,
    an_access_token_lives_an_hour,
    a_refresh_token_is_used_once_and_its_theft_ends_the_family,
    of_many_who_show_one_refresh_token_one_gets_tokens,
    a_refresh_gives_no_more_than_was_granted,
    a_token_for_the_tools_stays_with_them,
    tokens_can_be_given_back,
    nothing_of_them_is_stored_as_it_is,
);

type Outcome = Result<IssuedTokens, TokensRefused>;

fn at(seconds: u64) -> Millis {
    NOW.plus(Duration::from_secs(seconds))
}

async fn connected(bench: &Bench) -> (AccountId, ApplicationId, String) {
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await.id;
    let code = bench.code(&account, &application).await;
    (account, application, code)
}

fn shown<'r>(application: &'r ApplicationId, code: &'r str) -> CodeShown<'r> {
    CodeShown {
        application,
        code,
        verifier: VERIFIER,
        redirect_uri: Some(REDIRECT_URI),
        mcp_only: None,
    }
}

async fn redeem(bench: &Bench, shown: &CodeShown<'_>, now: Millis) -> Outcome {
    bench.store.redeem_code(shown, now).await.expect("it answers")
}

async fn refresh(bench: &Bench, application: &ApplicationId, token: &str, now: Millis) -> Outcome {
    let shown = RefreshShown { application, token, scopes: None, mcp_only: None };
    bench.store.refresh(&shown, now).await.expect("it answers")
}

async fn is_known(bench: &Bench, token: &str, now: Millis) -> bool {
    bench.store.authenticate_access_token(token, now).await.expect("it answers").is_some()
}

async fn a_code_gives_tokens_once(bench: Bench) {
    let (account, application, code) = connected(&bench).await;
    let tokens = redeem(&bench, &shown(&application, &code), NOW).await.expect("tokens");
    assert_eq!(tokens.scopes, OauthScopes::all());
    let caller = bench.store.authenticate_access_token(tokens.access.reveal(), NOW).await;
    let caller = caller.expect("it answers").expect("known");
    assert_eq!((&caller.account, &caller.application), (&account, &application));
    assert_eq!((caller.scopes, caller.mcp_only), (OauthScopes::all(), false));

    // Later than it lives: whoever comes late with a used code is a thief all the same.
    let again = redeem(&bench, &shown(&application, &code), at(61)).await;
    assert_eq!(again.err(), Some(TokensRefused::Replayed));
    assert!(!is_known(&bench, tokens.access.reveal(), NOW).await, "what it gave has ended");
    let next = refresh(&bench, &application, tokens.refresh.reveal(), NOW).await;
    assert_eq!(next.err(), Some(TokensRefused::Unknown));
}

async fn a_code_lives_a_minute(bench: Bench) {
    let (account, application, code) = connected(&bench).await;
    let late = redeem(&bench, &shown(&application, &code), at(60)).await;
    assert_eq!(late.err(), Some(TokensRefused::Unknown));
    let code = bench.code(&account, &application).await;
    redeem(&bench, &shown(&application, &code), at(59)).await.expect("tokens");
}

async fn a_wrong_proof_voids_the_code(bench: Bench) {
    let (account, application, _) = connected(&bench).await;
    for (verifier, redirect_uri) in
        [("x".repeat(43), REDIRECT_URI), (VERIFIER.to_owned(), "https://evil.example/back")]
    {
        let code = bench.code(&account, &application).await;
        let right = shown(&application, &code);
        let wrong =
            CodeShown { verifier: &verifier, redirect_uri: Some(redirect_uri), ..right.clone() };
        assert_eq!(redeem(&bench, &wrong, NOW).await.err(), Some(TokensRefused::WrongProof));
        assert_eq!(redeem(&bench, &right, NOW).await.err(), Some(TokensRefused::Unknown));
    }
}

async fn a_code_is_its_applications_alone(bench: Bench) {
    let (_, application, code) = connected(&bench).await;
    let other = bench.application(ClientAuth::None).await.id;
    let stolen = redeem(&bench, &shown(&other, &code), NOW).await;
    assert_eq!(stolen.err(), Some(TokensRefused::Unknown));
    let tokens = redeem(&bench, &shown(&application, &code), NOW).await.expect("not void by that");
    let stolen = refresh(&bench, &other, tokens.refresh.reveal(), NOW).await;
    assert_eq!(stolen.err(), Some(TokensRefused::Unknown));
    refresh(&bench, &application, tokens.refresh.reveal(), NOW).await.expect("tokens");
}

async fn of_many_who_show_one_code_one_gets_tokens(bench: Bench) {
    let (_, application, code) = connected(&bench).await;
    let (one, other) = (shown(&application, &code), bench.other_node().await);
    let asked = (0..8).map(|n| {
        let store = if n % 2 == 0 { &bench.store } else { &other };
        store.redeem_code(&one, NOW)
    });
    let outcomes = futures_util::future::join_all(asked).await;
    let outcomes: Vec<Outcome> = outcomes.into_iter().map(|o| o.expect("it answers")).collect();
    let given: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
    assert_eq!(given.len(), 1);
    assert!(!is_known(&bench, given[0].access.reveal(), NOW).await, "it was in many hands");
}

async fn an_access_token_lives_an_hour(bench: Bench) {
    let (_, application, code) = connected(&bench).await;
    let tokens = redeem(&bench, &shown(&application, &code), NOW).await.expect("tokens");
    assert_eq!(tokens.lives, Duration::from_secs(3_600));
    assert!(is_known(&bench, tokens.access.reveal(), at(3_599)).await);
    assert!(!is_known(&bench, tokens.access.reveal(), at(3_600)).await);
    assert!(!is_known(&bench, tokens.refresh.reveal(), NOW).await, "a refresh token opens nothing");
}

async fn a_refresh_token_is_used_once_and_its_theft_ends_the_family(bench: Bench) {
    let (account, application, code) = connected(&bench).await;
    let first = redeem(&bench, &shown(&application, &code), NOW).await.expect("tokens");
    let second = refresh(&bench, &application, first.refresh.reveal(), at(5)).await;
    let second = second.expect("tokens");
    assert!(is_known(&bench, first.access.reveal(), at(5)).await, "it lives out its hour");
    let other = bench.code(&account, &application).await;
    let other = redeem(&bench, &shown(&application, &other), NOW).await.expect("tokens");

    let stolen = refresh(&bench, &application, first.refresh.reveal(), at(9)).await;
    assert_eq!(stolen.err(), Some(TokensRefused::Replayed));
    for token in [&first.access, &second.access] {
        assert!(!is_known(&bench, token.reveal(), at(9)).await);
    }
    let next = refresh(&bench, &application, second.refresh.reveal(), at(9)).await;
    assert_eq!(next.err(), Some(TokensRefused::Unknown));
    assert!(is_known(&bench, other.access.reveal(), at(9)).await, "another family");

    let month = 30 * 24 * 3_600;
    let late = refresh(&bench, &application, other.refresh.reveal(), at(month)).await;
    assert_eq!(late.err(), Some(TokensRefused::Unknown));
    refresh(&bench, &application, other.refresh.reveal(), at(month - 1)).await.expect("tokens");
}

async fn of_many_who_show_one_refresh_token_one_gets_tokens(bench: Bench) {
    let (_, application, code) = connected(&bench).await;
    let first = redeem(&bench, &shown(&application, &code), NOW).await.expect("tokens");
    let other = bench.other_node().await;
    let one = RefreshShown {
        application: &application,
        token: first.refresh.reveal(),
        scopes: None,
        mcp_only: None,
    };
    let asked = (0..8).map(|n| {
        let store = if n % 2 == 0 { &bench.store } else { &other };
        store.refresh(&one, NOW)
    });
    let outcomes = futures_util::future::join_all(asked).await;
    let given: Vec<_> = outcomes.into_iter().filter_map(|o| o.expect("it answers").ok()).collect();
    assert_eq!(given.len(), 1);
    assert!(!is_known(&bench, given[0].access.reveal(), NOW).await);
}

async fn a_refresh_gives_no_more_than_was_granted(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await.id;
    let approval = Approval {
        account,
        application: application.clone(),
        redirect_uri: REDIRECT_URI.to_owned(),
        challenge: CHALLENGE.to_owned(),
        scopes: OauthScopes::known_in("jobs:read jobs:write"),
        mcp_only: false,
        limits: LimitChange::default(),
    };
    let code = bench.store.approve(&approval, NOW).await.expect("it answers");
    let tokens = redeem(&bench, &shown(&application, code.reveal()), NOW).await.expect("tokens");
    let ask = async |token: &str, scopes: &str| {
        let scopes = Some(OauthScopes::known_in(scopes));
        let shown = RefreshShown { application: &application, token, scopes, mcp_only: None };
        bench.store.refresh(&shown, NOW).await.expect("it answers")
    };
    let more = ask(tokens.refresh.reveal(), "jobs:read account:read").await;
    assert_eq!(more.err(), Some(TokensRefused::Scope), "and the token can still be used");
    let fewer = ask(tokens.refresh.reveal(), "jobs:read").await.expect("tokens");
    assert_eq!(fewer.scopes.to_string(), "jobs:read");
    let caller = bench.store.authenticate_access_token(fewer.access.reveal(), NOW).await;
    assert_eq!(caller.expect("it answers").expect("known").scopes.to_string(), "jobs:read");
    let all = refresh(&bench, &application, fewer.refresh.reveal(), NOW).await.expect("tokens");
    assert_eq!(all.scopes.to_string(), "jobs:read jobs:write", "as was granted");
}

async fn a_token_for_the_tools_stays_with_them(bench: Bench) {
    let (account, application, code) = connected(&bench).await;
    let asked = CodeShown { mcp_only: Some(true), ..shown(&application, &code) };
    let narrow = redeem(&bench, &asked, NOW).await.expect("less than was granted");
    let who = async |token: &str| {
        let caller = bench.store.authenticate_access_token(token, NOW).await;
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
    let code = bench.store.approve(&approval, NOW).await.expect("it answers");
    let asked = CodeShown { mcp_only: Some(false), ..shown(&application, code.reveal()) };
    assert_eq!(redeem(&bench, &asked, NOW).await.err(), Some(TokensRefused::Target));
    let tokens = redeem(&bench, &shown(&application, code.reveal()), NOW).await.expect("tokens");
    assert!(who(tokens.access.reveal()).await);
    let next = refresh(&bench, &application, tokens.refresh.reveal(), NOW).await.expect("tokens");
    assert!(who(next.access.reveal()).await);
}

async fn tokens_can_be_given_back(bench: Bench) {
    let (account, application, code) = connected(&bench).await;
    let other = bench.application(ClientAuth::None).await.id;
    let tokens = redeem(&bench, &shown(&application, &code), NOW).await.expect("tokens");
    let back = async |application, token: &str| {
        bench.store.give_back_token(application, token).await.expect("it answers")
    };
    for token in [tokens.access.reveal(), tokens.refresh.reveal()] {
        assert_eq!(back(&other, token).await, GivenBack::NotYours);
    }
    assert_eq!(back(&application, "oat_unknown").await, GivenBack::Ended);
    assert!(is_known(&bench, tokens.access.reveal(), NOW).await);
    assert_eq!(back(&application, tokens.access.reveal()).await, GivenBack::Ended);
    assert!(!is_known(&bench, tokens.access.reveal(), NOW).await);
    let next = refresh(&bench, &application, tokens.refresh.reveal(), NOW).await.expect("tokens");
    assert_eq!(back(&application, next.refresh.reveal()).await, GivenBack::Ended);
    assert!(!is_known(&bench, next.access.reveal(), NOW).await, "with all that came of it");
    let connected = bench.store.connected_applications(&account, NOW).await.expect("it answers");
    assert!(connected.is_empty(), "nothing is left that could act");
}

async fn nothing_of_them_is_stored_as_it_is(bench: Bench) {
    let (_, application, code) = connected(&bench).await;
    let tokens = redeem(&bench, &shown(&application, &code), NOW).await.expect("tokens");
    let pool = sqlx::AnyPool::connect(&bench.settings.url).await.expect("it connects");
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
