//! The operator pages, which only `admin` accounts can see.

use contract::{Clock, Credits};
use runtime::SystemClock;
use store::NewAccount;

use crate::harness::ConsoleServer;

const PAGES: [&str; 4] = ["/operator", "/operator/queue", "/operator/refusals", "/operator/audit"];

#[tokio::test]
async fn operator_pages_are_404_for_other_accounts() {
    let server = ConsoleServer::start().await;
    for path in PAGES {
        assert_eq!(server.get(path).await.status(), 404, "{path}");
    }
    assert!(!server.page("/account").await.contains("/operator"));
    let grant = server.post("/operator/grants", "email=ada%40example.com&credits=5").await;
    assert_eq!(grant.status(), 404);
    let account = server.store.account(&server.account).await.expect("it answers").expect("hers");
    assert_eq!(account.balance, Credits(100_000), "nothing was granted");
}

#[tokio::test]
async fn operator_sees_accounts_queue_and_grants_credits() {
    let mut server = ConsoleServer::start().await;
    let new = NewAccount {
        email: "root@example.com".to_owned(),
        password: "correct horse".to_owned(),
        credits: Credits::ZERO,
        admin: true,
    };
    let now = SystemClock.now();
    let made = server.store.create_account(new, now).await.expect("it answers");
    let operator = made.expect("a good password").expect("a new e-mail").id;
    server.session = server.store.open_session(&operator, now).await.expect("a session");
    for (path, words) in PAGES.into_iter().zip([
        "ada@example.com",
        "No shard is queued",
        "blocked.example",
        "account.created",
    ]) {
        assert!(server.page(path).await.contains(words), "{path}");
    }
    for (fields, status) in [
        ("email=ada%40example.com&credits=1%2C000", 303),
        ("email=ada%40example.com&credits=-5", 422),
        ("email=ada%40example.com&credits=many", 422),
        ("email=nobody%40example.com&credits=5", 422),
    ] {
        assert_eq!(server.post("/operator/grants", fields).await.status(), status, "{fields}");
    }
    let account = server.store.account(&server.account).await.expect("it answers").expect("hers");
    assert_eq!(account.balance, Credits(101_000));
    let log = server.page("/operator/audit?action=credits.granted").await;
    assert!(log.contains(operator.as_str()) && log.contains("127.0.0.1"), "{log}");
}
