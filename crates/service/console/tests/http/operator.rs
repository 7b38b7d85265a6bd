//! The operator's pages: for `admin` accounts, and for nobody else.

use contract::{Clock, Credits};
use runtime::SystemClock;
use store::NewAccount;

use crate::house::House;

const PAGES: [&str; 4] = ["/operator", "/operator/queue", "/operator/refusals", "/operator/audit"];

#[tokio::test]
async fn nobody_else_learns_that_they_are_there() {
    let house = House::open().await;
    for path in PAGES {
        assert_eq!(house.get(path).await.status(), 404, "{path}");
    }
    assert!(!house.page("/account").await.contains("/operator"));
    let grant = house.post("/operator/grants", "email=ada%40example.com&credits=5").await;
    assert_eq!(grant.status(), 404);
    let account = house.store.account(&house.account).await.expect("it answers").expect("hers");
    assert_eq!(account.balance, Credits(100_000), "nothing was granted");
}

#[tokio::test]
async fn the_operator_sees_the_whole_service_and_grants_credits() {
    let mut house = House::open().await;
    let new = NewAccount {
        email: "root@example.com".to_owned(),
        password: "correct horse".to_owned(),
        credits: Credits::ZERO,
        admin: true,
    };
    let now = SystemClock.now();
    let made = house.store.create_account(new, now).await.expect("it answers");
    let operator = made.expect("a good password").expect("a new e-mail").id;
    house.session = house.store.open_session(&operator, now).await.expect("a session");
    for (path, words) in PAGES.into_iter().zip([
        "ada@example.com",
        "Nothing waits",
        "blocked.example",
        "account.created",
    ]) {
        assert!(house.page(path).await.contains(words), "{path}");
    }
    for (fields, status) in [
        ("email=ada%40example.com&credits=1%2C000", 303),
        ("email=ada%40example.com&credits=-5", 422),
        ("email=ada%40example.com&credits=many", 422),
        ("email=nobody%40example.com&credits=5", 422),
    ] {
        assert_eq!(house.post("/operator/grants", fields).await.status(), status, "{fields}");
    }
    let account = house.store.account(&house.account).await.expect("it answers").expect("hers");
    assert_eq!(account.balance, Credits(101_000));
    let log = house.page("/operator/audit?action=credits.granted").await;
    assert!(log.contains(operator.as_str()) && log.contains("127.0.0.1"), "{log}");
}
