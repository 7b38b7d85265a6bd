//! The operator pages, which only `admin` accounts can see.

use contract::{Clock, Credits};
use runtime::SystemClock;
use store::NewAccount;

use crate::harness::ConsoleServer;

const PAGES: [&str; 5] =
    ["/operator", "/operator/queue", "/operator/refusals", "/operator/audit", "/operator/settings"];

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
        "TRAWL_PUBLIC_URL",
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

/// A server whose session is that of an operator.
async fn operated() -> ConsoleServer {
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
    server
}

/// The secret that a page shows once.
fn secret(page: &str) -> &str {
    let (_, rest) = page.split_once("id=\"secret\">").expect("a secret");
    rest.split('<').next().expect("its end")
}

#[tokio::test]
async fn operator_creates_and_searches_accounts() {
    let server = operated().await;
    let fields = "new_email=eve%40example.com&new_credits=1%2C000";
    let made = server.post("/operator/accounts", fields).await;
    assert_eq!(made.status(), 200);
    let page = made.text().await.expect("text");
    let signed_in = server.store.sign_in("eve@example.com", secret(&page)).await;
    let eve = signed_in.expect("it answers").expect("the password is right").account;
    let account = server.store.account(&eve).await.expect("it answers").expect("hers");
    assert_eq!((account.balance, account.admin), (Credits(1_000), false));
    for fields in
        ["new_email=eve%40example.com", "new_email=nonsense", "new_email=a%40b&new_credits=x"]
    {
        assert_eq!(server.post("/operator/accounts", fields).await.status(), 422, "{fields}");
    }
    let found = server.page("/operator?q=EVE").await;
    assert!(found.contains("eve@example.com") && !found.contains("ada@example.com"), "{found}");
    assert!(server.page("/operator?q=nowhere").await.contains("No account matches."));
}

#[tokio::test]
async fn operator_suspends_resumes_and_resets_an_account() {
    let server = operated().await;
    let ada = format!("/operator/accounts/{}", server.account);
    fixture::running(&server.store, &fixture::new_job(&server.account, "a.example")).await;
    assert!(server.page(&ada).await.contains("a.example"), "its runs are listed");
    assert_eq!(server.post(&format!("{ada}/suspend"), "").await.status(), 303);
    assert!(server.page(&ada).await.contains(">suspended<"));
    assert_eq!(server.post(&format!("{ada}/resume"), "").await.status(), 303);
    assert!(!server.page(&ada).await.contains(">suspended<"));
    let reset = server.post(&format!("{ada}/password"), "").await.text().await.expect("text");
    let signed_in = server.store.sign_in("ada@example.com", secret(&reset)).await;
    assert!(signed_in.expect("it answers").is_some());
    let root = server.store.account_by_email("root@example.com").await;
    let own = format!("/operator/accounts/{}", root.expect("it answers").expect("an account").id);
    for action in ["suspend", "password"] {
        assert_eq!(server.post(&format!("{own}/{action}"), "").await.status(), 409, "{action}");
    }
    for missing in ["nonsense", "acc_00000000000000000000000000000000"] {
        let path = format!("/operator/accounts/{missing}");
        assert_eq!(server.get(&path).await.status(), 404, "{path}");
    }
    let log = server.page("/operator/audit?action=account.suspended").await;
    assert!(log.contains(server.account.as_str()), "{log}");
}

#[tokio::test]
async fn operator_adds_and_removes_opt_outs() {
    let server = operated().await;
    let fields = "subject=shop.example%2C+ada%40shop.example";
    assert_eq!(server.post("/operator/refusals", fields).await.status(), 303);
    let page = server.page("/operator/refusals").await;
    assert!(page.contains("2 opt-outs") && page.contains("shop.example"), "{page}");
    for fields in ["subject=", "subject=http%3A%2F%2F%5B"] {
        assert_eq!(server.post("/operator/refusals", fields).await.status(), 422, "{fields}");
    }
    let remove = "kind=domain&mark=shop.example";
    assert_eq!(server.post("/operator/refusals/remove", remove).await.status(), 303);
    assert_eq!(server.post("/operator/refusals/remove", remove).await.status(), 404);
    assert!(server.page("/operator/refusals").await.contains("1 opt-out"));
}

#[tokio::test]
async fn operator_changes_the_retention_of_an_account_and_its_owner_sees_it() {
    let server = operated().await;
    let path = format!("/operator/accounts/{}", server.account);
    let set = async |fields: &str| {
        server.post(&format!("{path}/retention"), fields).await.status().as_u16()
    };
    assert_eq!(set("results_days=365&events_days=&audit_days=3000").await, 303);
    let kept = server.store.account_retention(&server.account).await.expect("it answers");
    let days = (kept.results_days, kept.events_days, kept.audit_days);
    assert_eq!(days, (Some(365), None, Some(3_000)));
    assert!(server.page(&path).await.contains("value=\"365\""));
    for wrong in ["results_days=0", "results_days=-1", "events_days=1e3", "audit_days=36501"] {
        assert_eq!(set(wrong).await, 422, "{wrong}");
    }
    let after = server.store.account_retention(&server.account).await.expect("it answers");
    assert_eq!(after, kept, "nothing is changed");
    let log = server.page("/operator/audit?action=settings.changed").await;
    assert!(log.contains("results_days"), "{log}");
    // An empty form removes the exceptions.
    assert_eq!(set("results_days=").await, 303);
    let kept = server.store.account_retention(&server.account).await.expect("it answers");
    assert_eq!(kept, store::AccountRetention::default());
}

#[tokio::test]
async fn retention_is_shown_on_the_page_of_the_account() {
    let server = ConsoleServer::start().await;
    let exception =
        store::AccountRetention { results_days: Some(7), ..store::AccountRetention::default() };
    let now = SystemClock.now();
    server.store.set_account_retention(&server.account, &exception, now).await.expect("it is set");
    let page = server.page("/account").await;
    let section = page.split("id=\"retention\"").nth(1).expect("a section");
    assert_eq!(section.matches("7 days").count(), 4, "parts of a run end with it: {section}");
    assert!(section.contains("400 days"), "the audit log: {section}");
    let other = server.post(&format!("/operator/accounts/{}/retention", server.account), "").await;
    assert_eq!(other.status(), 404, "for the operator only");
}
