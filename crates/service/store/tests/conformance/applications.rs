//! OAuth applications: authentication, connections, disconnection.

use std::time::Duration;

use contract::{ApplicationId, ClientAuth, Millis, OauthScopes};
use store::{Approval, CodeExchange, LimitChange, NewApplication};

use crate::harness::{CHALLENGE, Harness, NOW, REDIRECT_URI, VERIFIER, random};
use crate::on_both;

on_both!(
    application_is_authenticated_by_its_secret,
    public_application_is_rejected_with_a_secret,
    connected_applications_are_listed,
    scopes_of_earlier_approvals_are_listed,
    disconnecting_revokes_all_tokens_at_once,
    unused_applications_are_purged_and_connected_ones_kept,
    application_has_at_most_twenty_authorizations,
);

const HOUR: Duration = Duration::from_secs(3_600);

async fn application_is_authenticated_by_its_secret(harness: Harness) {
    let store = &harness.store;
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

async fn public_application_is_rejected_with_a_secret(harness: Harness) {
    let store = &harness.store;
    let made = harness.application(ClientAuth::None).await;
    let found = store.authenticate_application(&made.id, None).await.expect("it answers");
    assert_eq!(found, Some(made.clone()));
    let found = store.authenticate_application(&made.id, Some("aps_x")).await.expect("it answers");
    assert_eq!(found, None);
}

async fn application_has_at_most_twenty_authorizations(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await.id;
    let mut tokens = Vec::new();
    for n in 0..21 {
        let at = NOW.plus(Duration::from_millis(n));
        let approval = harness.approval(&account, &application);
        let code = harness.store.approve(&approval, at).await.expect("it answers");
        tokens.push(redeem(&harness, &application, code.reveal(), at).await);
    }
    let works = async |token: &str| {
        let caller = harness.store.authenticate_access_token(token, NOW).await;
        caller.expect("it answers").is_some()
    };
    assert!(!works(&tokens[0]).await, "the oldest has ended");
    for token in &tokens[1..] {
        assert!(works(token).await);
    }
}

async fn redeem(harness: &Harness, application: &ApplicationId, code: &str, at: Millis) -> String {
    let shown = CodeExchange {
        application,
        code,
        verifier: VERIFIER,
        redirect_uri: Some(REDIRECT_URI),
        mcp_only: None,
    };
    let tokens = harness.store.redeem_code(&shown, at).await.expect("it answers");
    tokens.expect("tokens").access.reveal().to_owned()
}

async fn connected_applications_are_listed(harness: Harness) {
    let store = &harness.store;
    let (ada, bob) = (harness.account("a@x.org", 0).await, harness.account("b@x.org", 0).await);
    let application = harness.application(ClientAuth::None).await;
    let code = harness.code(&ada, &application.id).await;
    harness.code(&ada, &application.id).await;
    let connected = store.connected_applications(&ada, NOW).await.expect("it answers");
    assert_eq!(connected.len(), 1, "one person, one application, one word");
    assert_eq!((&connected[0].id, connected[0].last_used_at), (&application.id, None));
    assert!(store.connected_applications(&bob, NOW).await.expect("it answers").is_empty());

    let token = redeem(&harness, &application.id, &code, NOW).await;
    let used_at = async |seconds| {
        let at = NOW.plus(Duration::from_secs(seconds));
        store.authenticate_access_token(&token, at).await.expect("it answers").expect("known");
        store.connected_applications(&ada, NOW).await.expect("it answers")[0].last_used_at
    };
    assert_eq!(used_at(0).await, Some(NOW));
    assert_eq!(used_at(59).await, Some(NOW), "not more often than once a minute");
    assert_eq!(used_at(60).await, Some(NOW.plus(Duration::from_secs(60))));
}

async fn scopes_of_earlier_approvals_are_listed(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await.id;
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
        harness.store.approve(&approval, NOW).await.expect("it answers");
    }
    let connected = harness.store.connected_applications(&account, NOW).await.expect("it answers");
    let scopes: OauthScopes = connected[0].scopes.iter().copied().collect();
    assert_eq!(
        (connected.len(), scopes.to_string().as_str()),
        (1, "jobs:read jobs:write account:read")
    );
}

async fn disconnecting_revokes_all_tokens_at_once(harness: Harness) {
    let store = &harness.store;
    let (ada, bob) = (harness.account("a@x.org", 0).await, harness.account("b@x.org", 0).await);
    let application = harness.application(ClientAuth::None).await;
    let mut tokens = Vec::new();
    for account in [&ada, &bob] {
        let code = harness.code(account, &application.id).await;
        tokens.push(redeem(&harness, &application.id, &code, NOW).await);
    }
    let unused = harness.code(&ada, &application.id).await;
    assert!(store.disconnect_application(&ada, &application.id).await.expect("it answers"));
    let who = async |token| store.authenticate_access_token(token, NOW).await.expect("it answers");
    assert_eq!(who(&tokens[0]).await, None);
    assert_eq!(who(&tokens[1]).await.map(|caller| caller.account), Some(bob), "his own word holds");
    let shown = CodeExchange {
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

async fn unused_applications_are_purged_and_connected_ones_kept(harness: Harness) {
    let store = &harness.store;
    let ada = harness.account("a@x.org", 0).await;
    let used = harness.application(ClientAuth::None).await;
    let idle = harness.application(ClientAuth::None).await;
    let code = harness.code(&ada, &used.id).await;
    let token = redeem(&harness, &used.id, &code, NOW).await;
    harness.code(&ada, &idle.id).await;
    let purge = async |hours: u32| {
        store.purge(HOUR, NOW.plus(HOUR * hours)).await.expect("it answers");
        store.connected_applications(&ada, NOW).await.expect("it answers").len()
    };
    assert_eq!(purge(0).await, 2);
    assert!(store.authenticate_access_token(&token, NOW).await.expect("it answers").is_some());
    assert_eq!(purge(2 * 24).await, 1, "an unused code does not connect the application");
    assert_eq!(purge(30 * 24 - 1).await, 1, "it can still be refreshed");
    assert_eq!(purge(30 * 24).await, 0, "nothing is left of it");
    assert_eq!(store.application(&idle.id).await.expect("it answers"), None);
}
