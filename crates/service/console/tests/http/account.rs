//! Account pages: keys, webhooks, ledger, sessions, limits.

use contract::Clock;
use reqwest::Method;
use runtime::SystemClock;

use crate::harness::{ConsoleServer, form, header};

#[tokio::test]
async fn key_secret_is_shown_once() {
    let server = ConsoleServer::start().await;
    let made = server.post("/account/keys", "name=%3Cb%3Enightly&source=direct").await;
    let page = made.text().await.expect("text");
    let (_, rest) = page.split_once("id=\"secret\">").expect("the secret");
    let secret = rest.split('<').next().expect("its end").to_owned();
    assert!(secret.starts_with("key_live_") && page.contains("&lt;b&gt;nightly"), "{page}");
    assert!(!server.page("/account/keys").await.contains(&secret));
}

#[tokio::test]
async fn api_errors_are_shown_at_their_field() {
    let server = ConsoleServer::start().await;
    let name = format!("name={}", "x".repeat(101));
    for (path, fields, field) in [
        ("/account/keys", name.as_str(), "name-error"),
        ("/account/webhooks", "url=https%3A%2F%2F127.0.0.1%2F&all=on", "url-error"),
        ("/account/auto-top-up", "enabled=on&threshold=many", "threshold-error"),
    ] {
        let answer = server.post(path, fields).await;
        assert_eq!(answer.status(), 422, "{path}");
        let page = answer.text().await.expect("text");
        assert!(page.contains(&format!("id=\"{field}\"")), "{path}: {page}");
    }
}

#[tokio::test]
async fn unknown_ids_give_404() {
    let server = ConsoleServer::start().await;
    for path in [
        "/account/keys/1/revoke",
        "/account/keys/key_00000000000000000000000000000000/revoke",
        "/account/applications/..%2F..%2Fsession/disconnect",
        "/account/applications/app_00000000000000000000000000000000/disconnect",
        "/account/webhooks/1/remove",
        "/account/webhooks/whk_00000000000000000000000000000000/test",
    ] {
        assert_eq!(server.post(path, "").await.status(), 404, "{path}");
    }
    assert_eq!(server.get("/account/webhooks/1").await.status(), 404);
}

#[tokio::test]
async fn ledger_shows_granted_credits() {
    let server = ConsoleServer::start().await;
    let page = server.page("/account/ledger").await;
    assert!(page.contains("Credits added") && page.contains("+100,000"), "{page}");
    assert!(page.contains("Balance"), "{page}");
    assert!(!server.page("/account/ledger?lines=all").await.contains("Balance"));
    assert!(server.page("/account/ledger?page=9").await.contains("No credits were added"));
    let file = server.get("/account/ledger.csv").await;
    assert!(crate::harness::header(&file, "content-type").starts_with("text/csv"));
    let text = file.text().await.expect("text");
    assert!(text.lines().count() == 2 && text.contains(",100000,100000"), "{text}");
    let account = server.page("/account").await;
    assert!(account.contains("100,000") && account.contains("Auto top-up"), "{account}");
}

#[tokio::test]
async fn password_change_ends_other_sessions() {
    let server = ConsoleServer::start().await;
    let now = SystemClock.now();
    let other = server.store.open_session(&server.account, now).await.expect("a session");
    let path = "/account/sessions/password";
    for (fields, field) in [
        (
            "current_password=wrong&new_password=battery+staple&repeated_password=battery+staple",
            "current_password-error",
        ),
        (
            "current_password=correct+horse&new_password=battery+staple&repeated_password=battery",
            "repeated_password-error",
        ),
        (
            "current_password=correct+horse&new_password=short&repeated_password=short",
            "new_password-error",
        ),
    ] {
        let answer = server.post(path, fields).await;
        assert_eq!(answer.status(), 422, "{fields}");
        let page = answer.text().await.expect("text");
        assert!(page.contains(&format!("id=\"{field}\"")), "{field}: {page}");
        assert!(!page.contains("battery"), "a password is not sent back");
    }
    let good = "current_password=correct+horse&new_password=battery+staple&\
                repeated_password=battery+staple";
    let page = server.post(path, good).await.text().await.expect("text");
    assert!(page.contains("The password was changed.") && page.contains("1 other session was"));
    let ended = server.store.authenticate_session(&other.token, now).await.expect("it answers");
    assert_eq!(ended, None);
    let signed_in = server.store.sign_in("ada@example.com", "battery staple").await;
    assert!(signed_in.expect("it answers").is_some());
}

#[tokio::test]
async fn sessions_are_listed_and_revoked() {
    let server = ConsoleServer::start().await;
    let now = SystemClock.now();
    let other = server.store.open_session(&server.account, now).await.expect("a session");
    let page = server.page("/account/sessions").await;
    assert!(page.contains("this session") && !page.contains("sess_"), "{page}");
    let (_, rest) = page.split_once("/account/sessions/ses_").expect("the other session");
    let id = format!("ses_{}", &rest[..32]);
    let revoked = server.post(&format!("/account/sessions/{id}/revoke"), "").await;
    assert_eq!(revoked.status(), 303);
    let ended = server.store.authenticate_session(&other.token, now).await.expect("it answers");
    assert_eq!(ended, None);
    let everywhere = server.post("/account/sessions/end", "").await;
    assert_eq!(everywhere.status(), 303);
    assert_eq!(server.get("/account").await.status(), 303, "signed out here, too");
}

#[tokio::test]
async fn audit_log_shows_actor_action_and_address() {
    let server = ConsoleServer::start().await;
    server.post("/account/keys", "name=%3Cb%3Enightly&source=direct").await;
    let page = server.page("/account/audit").await;
    for words in
        ["key.created", "Account session", "127.0.0.1", "&lt;b&gt;nightly", "session.opened"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    let narrowed = server.page("/account/audit?action=key.created").await;
    assert!(!narrowed.contains("<code>session.opened"), "{narrowed}");
    server.page("/account/audit?action=nonsense&page=9").await;
}

#[tokio::test]
async fn suspended_account_sees_message_and_can_sign_out() {
    let server = ConsoleServer::start().await;
    let now = SystemClock.now();
    let body = format!("form_token={}", server.form_token().await);
    server.store.suspend_account(&server.account, now).await.expect("it answers");
    let answer = server.get("/account").await;
    assert_eq!(answer.status(), 403);
    assert!(answer.text().await.expect("text").contains("This account is suspended."));
    assert_eq!(server.get("/sign-in").await.status(), 200, "for another account");
    let foreign = form(server.request(Method::POST, "/sign-out"), "form_token=x".to_owned());
    assert_eq!(foreign.send().await.expect("an answer").status(), 403);
    let sign_out = form(server.request(Method::POST, "/sign-out"), body);
    let answer = sign_out.send().await.expect("an answer");
    assert_eq!((answer.status().as_u16(), header(&answer, "location")), (303, "/sign-in"));
    let session = server.store.authenticate_session(&server.session.token, now).await;
    assert!(session.expect("it answers").is_none(), "the session is over");
}

#[tokio::test]
async fn legal_basis_for_assistants_is_off_until_enabled() {
    let server = ConsoleServer::start().await;
    let checked = |page: &str| {
        let (_, rest) = page.split_once("name=\"may_accept_legal_basis\"").expect("the switch");
        rest.split('>').next().expect("its end").contains("checked")
    };
    assert!(!checked(&server.page("/account").await), "off by default");
    let answer = server.post("/account/assistants", "may_accept_legal_basis=on").await;
    assert!(answer.status().is_redirection() || answer.status() == 200, "{}", answer.status());
    assert!(checked(&server.page("/account").await));
    server.post("/account/assistants", "").await;
    assert!(!checked(&server.page("/account").await));
}

#[tokio::test]
async fn key_limits_are_set_shown_and_changed() {
    let server = ConsoleServer::start().await;
    let fields = "name=ci&source=direct&daily_credits=5%2C000&networks=192.0.2.0%2F24+10.0.0.1\
        &mode-links=on&scope-jobs%3Aread=on&expires_at=2099-01-31";
    assert_eq!(server.post("/account/keys", fields).await.status(), 200);
    let page = server.page("/account/keys").await;
    for text in ["0 of 5,000 today", "192.0.2.0/24, 10.0.0.1/32", "modes links", "jobs:read"] {
        assert!(page.contains(text), "{text} is missing in {page}");
    }
    let keys = server.store.keys(&server.account, fixture::NOW).await.expect("it answers");
    let path = format!("/account/keys/{}", keys[0].id);
    let form = server.page(&path).await;
    assert!(form.contains("value=\"5000\"") && form.contains("value=\"2099-01-31\""), "{form}");
    let refused = server.post(&path, "daily_credits=none").await;
    assert_eq!(refused.status(), 422);
    let refused = server.post(&path, "networks=somewhere").await.text().await.expect("text");
    assert!(refused.contains("id=\"networks-error\""), "{refused}");
    assert_eq!(server.post(&path, "total_credits=9").await.status(), 303);
    let keys = server.store.keys(&server.account, fixture::NOW).await.expect("it answers");
    let limits = &keys[0].limits;
    assert_eq!(
        (limits.daily_credits, limits.total_credits.map(|credits| credits.0)),
        (None, Some(9))
    );
    assert!(limits.networks.is_empty() && limits.modes.is_empty() && keys[0].scopes.is_empty());
    let unknown = "/account/keys/key_00000000000000000000000000000000";
    assert_eq!(server.get(unknown).await.status(), 404);
}

#[tokio::test]
async fn revoking_a_key_can_pause_its_schedules_and_webhooks() {
    let server = ConsoleServer::start().await;
    server.post("/account/keys", "name=ci&source=direct").await;
    let page = server.page("/account/keys").await;
    assert!(page.contains("name=\"pause-key_") && page.contains("Revoke the key"), "{page}");
    let keys = server.store.keys(&server.account, fixture::NOW).await.expect("it answers");
    let path = format!("/account/keys/{}/revoke", keys[0].id);
    assert_eq!(server.post(&path, "pause=on").await.status(), 303);
}

#[tokio::test]
async fn monthly_limit_of_auto_top_up_is_stored() {
    let server = ConsoleServer::start().await;
    let fields = "threshold=10&amount=100&monthly_credits=1%2C000";
    assert_eq!(server.post("/account/auto-top-up", fields).await.status(), 303);
    assert!(server.page("/account").await.contains("value=\"1000\""));
    let low = server.post("/account/auto-top-up", "amount=100&monthly_credits=99").await;
    let page = low.text().await.expect("text");
    assert!(page.contains("id=\"monthly_credits-error\""), "{page}");
    assert_eq!(server.post("/account/auto-top-up", "amount=100").await.status(), 303);
    let record = server.store.auto_top_up(&server.account).await.expect("it answers");
    assert_eq!(record.monthly, None, "an empty field removes it");
}
