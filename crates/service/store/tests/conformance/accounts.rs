//! Accounts, sessions and grants.

use std::time::Duration;

use contract::Credits;
use store::{NewAccount, PasswordError, Store};

use crate::bench::{Bench, NOW};
use crate::on_both;

on_both!(
    an_email_has_one_account,
    a_grant_is_a_line_of_the_ledger,
    a_password_opens_a_session_until_it_ends,
    preparing_twice_changes_nothing,
    an_unprepared_store_says_so,
);

async fn an_email_has_one_account(bench: Bench) {
    assert!(bench.store.is_new().await.expect("it answers"));
    let id = bench.account("Ada@Example.com ", 100).await;
    assert!(!bench.store.is_new().await.expect("it answers"));
    let twin = NewAccount {
        email: "ada@example.com".to_owned(),
        password: "correct horse".to_owned(),
        credits: Credits(5),
        admin: false,
    };
    let second = bench.store.create_account(twin.clone(), NOW).await.expect("it answers");
    assert!(second.expect("a good password").is_none(), "the e-mail is taken");
    let short = NewAccount { password: "short".to_owned(), ..twin };
    let refused = bench.store.create_account(short, NOW).await.expect("it answers");
    assert!(matches!(refused, Err(PasswordError::Length)));
    let all = bench.store.accounts().await.expect("it answers");
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0].id, all[0].email.as_str()), (&id, "ada@example.com"));
    assert_eq!(bench.audit(&id).await.balance, Credits(100));
}

async fn a_grant_is_a_line_of_the_ledger(bench: Bench) {
    let id = bench.account("a@example.com", 0).await;
    let granted = bench.store.grant("A@example.com", Credits(70), NOW).await.expect("it answers");
    assert_eq!(granted.expect("the account is there").available(), Credits(70));
    assert_eq!(bench.audit(&id).await.ledger, Credits(70));
    let too_much = bench.store.grant("a@example.com", Credits(i64::MAX), NOW).await;
    assert!(too_much.expect("it answers").is_none(), "no balance wraps");
    let nobody = bench.store.grant("b@example.com", Credits(1), NOW).await.expect("it answers");
    assert!(nobody.is_none());
    assert_eq!(bench.audit(&id).await.balance, Credits(70));
}

async fn a_password_opens_a_session_until_it_ends(bench: Bench) {
    let id = bench.account("a@example.com", 0).await;
    let store = &bench.store;
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

async fn preparing_twice_changes_nothing(bench: Bench) {
    bench.account("a@example.com", 3).await;
    let again = Store::new(bench.settings.clone()).expect("an address");
    again.prepare().await.expect("the tables are up to date");
    assert_eq!(again.accounts().await.expect("it answers").len(), 1);
}

async fn an_unprepared_store_says_so(bench: Bench) {
    let fresh = Store::new(bench.settings.clone()).expect("an address");
    let error = fresh.accounts().await.expect_err("not prepared");
    assert!(error.is_passing(), "{error}");
}
