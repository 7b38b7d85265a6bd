//! Accounts, sessions and grants.

use std::time::Duration;

use contract::Credits;
use store::{NewAccount, PasswordError, Store};

use crate::harness::{Harness, NOW};
use crate::on_both;

on_both!(
    email_address_is_unique,
    grant_adds_a_ledger_line,
    password_opens_a_session_until_it_ends,
    second_prepare_changes_nothing,
    unprepared_store_is_unavailable,
);

async fn email_address_is_unique(harness: Harness) {
    assert!(harness.store.is_new().await.expect("it answers"));
    let id = harness.account("Ada@Example.com ", 100).await;
    assert!(!harness.store.is_new().await.expect("it answers"));
    let duplicate = NewAccount {
        email: "ada@example.com".to_owned(),
        password: "correct horse".to_owned(),
        credits: Credits(5),
        admin: false,
    };
    let second = harness.store.create_account(duplicate.clone(), NOW).await.expect("it answers");
    assert!(second.expect("a good password").is_none(), "the e-mail is taken");
    let short = NewAccount { password: "short".to_owned(), ..duplicate };
    let refused = harness.store.create_account(short, NOW).await.expect("it answers");
    assert!(matches!(refused, Err(PasswordError::Length)));
    let all = harness.store.accounts().await.expect("it answers");
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0].id, all[0].email.as_str()), (&id, "ada@example.com"));
    assert_eq!(harness.audit(&id).await.balance, Credits(100));
}

async fn grant_adds_a_ledger_line(harness: Harness) {
    let id = harness.account("a@example.com", 0).await;
    let granted = harness.store.grant("A@example.com", Credits(70), NOW).await.expect("it answers");
    assert_eq!(granted.expect("the account is there").available(), Credits(70));
    assert_eq!(harness.audit(&id).await.ledger, Credits(70));
    let too_much = harness.store.grant("a@example.com", Credits(i64::MAX), NOW).await;
    assert!(too_much.expect("it answers").is_none(), "no balance wraps");
    let unknown = harness.store.grant("b@example.com", Credits(1), NOW).await.expect("it answers");
    assert!(unknown.is_none());
    assert_eq!(harness.audit(&id).await.balance, Credits(70));
}

async fn password_opens_a_session_until_it_ends(harness: Harness) {
    let id = harness.account("a@example.com", 0).await;
    let store = &harness.store;
    for (email, password) in [("a@example.com", "wrong horse"), ("b@example.com", "correct horse")]
    {
        assert_eq!(store.sign_in(email, password).await.expect("it answers"), None);
    }
    let signed_in = store.sign_in("a@example.com", "correct horse").await.expect("it answers");
    assert_eq!(signed_in.map(|signed_in| signed_in.account), Some(id.clone()));

    let session = store.open_session(&id, NOW).await.expect("it answers");
    assert_eq!(session.expires_at.since(NOW), Duration::from_secs(12 * 3_600));
    let who = store.authenticate_session(&session.token, NOW).await.expect("it answers");
    assert_eq!(who.expect("a session").account, id);
    let late = store.authenticate_session(&session.token, session.expires_at).await;
    assert_eq!(late.expect("it answers"), None, "it has expired");
    assert!(store.end_session(&session.token).await.expect("it answers"));
    assert!(!store.end_session(&session.token).await.expect("it answers"));
    let over = store.authenticate_session(&session.token, NOW).await.expect("it answers");
    assert_eq!(over, None, "it was ended");
}

async fn second_prepare_changes_nothing(harness: Harness) {
    harness.account("a@example.com", 3).await;
    let again = Store::new(harness.settings.clone()).expect("an address");
    again.prepare().await.expect("the tables are up to date");
    assert_eq!(again.accounts().await.expect("it answers").len(), 1);
}

async fn unprepared_store_is_unavailable(harness: Harness) {
    let fresh = Store::new(harness.settings.clone()).expect("an address");
    let error = fresh.accounts().await.expect_err("not prepared");
    assert!(error.is_transient(), "{error}");
}
