//! Applications that act for people: how they are known, connected and let go.

use std::time::Duration;

use contract::{ApplicationId, ClientAuth, Millis, OauthScopes};
use store::{Approval, CodeShown, LimitChange, NewApplication};

use crate::bench::{Bench, CHALLENGE, NOW, REDIRECT_URI, VERIFIER, random};
use crate::on_both;

on_both!(
    an_application_is_known_by_its_secret,
    an_application_without_a_secret_proves_nothing_by_one,
    people_see_what_they_are_connected_to,
    what_an_earlier_approval_gave_is_still_shown,
    to_disconnect_ends_everything_at_once,
    what_is_over_is_forgotten_and_what_is_used_is_kept,
    application_has_at_most_twenty_authorizations,
);

const HOUR: Duration = Duration::from_secs(3_600);

async fn an_application_is_known_by_its_secret(bench: Bench) {
    let store = &bench.store;
    let new = NewApplication {
        name: "Notes".to_owned(),
        uri: Some("https://notes.example/".to_owned()),
        redirect_uris: vec![REDIRECT_URI.to_owned(), "org.notes.app:/back".to_owned()],
        client_auth: ClientAuth::Basic,
        scopes: OauthScopes::known_in("jobs:read"),
    };
    let (made, secret) = store.register_application(new.clone(), NOW).await.expect("it answers");
    let secret = secret.expect("it can keep one");
    let found = store.application(&made.id).await.expect("it answers").expect("known");
    assert_eq!((&found, &found.redirect_uris), (&made, &new.redirect_uris));
    let by =
        async |secret| store.authenticate_application(&made.id, secret).await.expect("answers");
    assert_eq!(by(Some(secret.reveal())).await, Some(made.clone()));
    assert_eq!(by(Some("aps_wrong")).await, None);
    assert_eq!(by(None).await, None, "a secret is not optional");
    let unknown = ApplicationId::new(NOW, random());
    assert_eq!(store.application(&unknown).await.expect("it answers"), None);
    let secret = Some(secret.reveal());
    assert_eq!(store.authenticate_application(&unknown, secret).await.expect("it answers"), None);
}

async fn an_application_without_a_secret_proves_nothing_by_one(bench: Bench) {
    let store = &bench.store;
    let made = bench.application(ClientAuth::None).await;
    let found = store.authenticate_application(&made.id, None).await.expect("it answers");
    assert_eq!(found, Some(made.clone()));
    let found = store.authenticate_application(&made.id, Some("aps_x")).await.expect("it answers");
    assert_eq!(found, None);
}

async fn application_has_at_most_twenty_authorizations(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await.id;
    let mut tokens = Vec::new();
    for n in 0..21 {
        let at = NOW.plus(Duration::from_millis(n));
        let approval = bench.approval(&account, &application);
        let code = bench.store.approve(&approval, at).await.expect("it answers");
        tokens.push(redeem(&bench, &application, code.reveal(), at).await);
    }
    let works = async |token: &str| {
        let caller = bench.store.authenticate_access_token(token, NOW).await;
        caller.expect("it answers").is_some()
    };
    assert!(!works(&tokens[0]).await, "the oldest has ended");
    for token in &tokens[1..] {
        assert!(works(token).await);
    }
}

async fn redeem(bench: &Bench, application: &ApplicationId, code: &str, at: Millis) -> String {
    let shown = CodeShown {
        application,
        code,
        verifier: VERIFIER,
        redirect_uri: Some(REDIRECT_URI),
        mcp_only: None,
    };
    let tokens = bench.store.redeem_code(&shown, at).await.expect("it answers");
    tokens.expect("tokens").access.reveal().to_owned()
}

async fn people_see_what_they_are_connected_to(bench: Bench) {
    let store = &bench.store;
    let (ada, bob) = (bench.account("a@x.org", 0).await, bench.account("b@x.org", 0).await);
    let application = bench.application(ClientAuth::None).await;
    let code = bench.code(&ada, &application.id).await;
    bench.code(&ada, &application.id).await;
    let connected = store.connected_applications(&ada, NOW).await.expect("it answers");
    assert_eq!(connected.len(), 1, "one person, one application, one word");
    assert_eq!((&connected[0].id, connected[0].last_used_at), (&application.id, None));
    assert!(store.connected_applications(&bob, NOW).await.expect("it answers").is_empty());

    let token = redeem(&bench, &application.id, &code, NOW).await;
    let used_at = async |seconds| {
        let at = NOW.plus(Duration::from_secs(seconds));
        store.authenticate_access_token(&token, at).await.expect("it answers").expect("known");
        store.connected_applications(&ada, NOW).await.expect("it answers")[0].last_used_at
    };
    assert_eq!(used_at(0).await, Some(NOW));
    assert_eq!(used_at(59).await, Some(NOW), "not more often than once a minute");
    assert_eq!(used_at(60).await, Some(NOW.plus(Duration::from_secs(60))));
}

async fn what_an_earlier_approval_gave_is_still_shown(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await.id;
    for scopes in ["jobs:write account:read", "jobs:read"] {
        let approval = Approval {
            account: account.clone(),
            application: application.clone(),
            redirect_uri: REDIRECT_URI.to_owned(),
            challenge: CHALLENGE.to_owned(),
            scopes: OauthScopes::known_in(scopes),
            mcp_only: false,
            limits: LimitChange::default(),
        };
        bench.store.approve(&approval, NOW).await.expect("it answers");
    }
    let connected = bench.store.connected_applications(&account, NOW).await.expect("it answers");
    let scopes: OauthScopes = connected[0].scopes.iter().copied().collect();
    assert_eq!(
        (connected.len(), scopes.to_string().as_str()),
        (1, "jobs:read jobs:write account:read")
    );
}

async fn to_disconnect_ends_everything_at_once(bench: Bench) {
    let store = &bench.store;
    let (ada, bob) = (bench.account("a@x.org", 0).await, bench.account("b@x.org", 0).await);
    let application = bench.application(ClientAuth::None).await;
    let mut tokens = Vec::new();
    for account in [&ada, &bob] {
        let code = bench.code(account, &application.id).await;
        tokens.push(redeem(&bench, &application.id, &code, NOW).await);
    }
    let unused = bench.code(&ada, &application.id).await;
    assert!(store.disconnect_application(&ada, &application.id).await.expect("it answers"));
    let who = async |token| store.authenticate_access_token(token, NOW).await.expect("it answers");
    assert_eq!(who(&tokens[0]).await, None);
    assert_eq!(who(&tokens[1]).await.map(|caller| caller.account), Some(bob), "his own word holds");
    let shown = CodeShown {
        application: &application.id,
        code: &unused,
        verifier: VERIFIER,
        redirect_uri: None,
        mcp_only: None,
    };
    assert!(store.redeem_code(&shown, NOW).await.expect("it answers").is_err(), "codes, too");
    assert!(store.connected_applications(&ada, NOW).await.expect("it answers").is_empty());
    assert!(!store.disconnect_application(&ada, &application.id).await.expect("it answers"));
}

async fn what_is_over_is_forgotten_and_what_is_used_is_kept(bench: Bench) {
    let store = &bench.store;
    let ada = bench.account("a@x.org", 0).await;
    let used = bench.application(ClientAuth::None).await;
    let idle = bench.application(ClientAuth::None).await;
    let code = bench.code(&ada, &used.id).await;
    let token = redeem(&bench, &used.id, &code, NOW).await;
    bench.code(&ada, &idle.id).await;
    let purge = async |hours: u32| {
        store.purge(HOUR, NOW.plus(HOUR * hours)).await.expect("it answers");
        store.connected_applications(&ada, NOW).await.expect("it answers").len()
    };
    assert_eq!(purge(0).await, 2);
    assert!(store.authenticate_access_token(&token, NOW).await.expect("it answers").is_some());
    assert_eq!(purge(2 * 24).await, 1, "a code that nobody came for connects nobody");
    assert_eq!(purge(30 * 24 - 1).await, 1, "it can still be refreshed");
    assert_eq!(purge(30 * 24).await, 0, "nothing is left of it");
    assert_eq!(store.application(&idle.id).await.expect("it answers"), None);
}
