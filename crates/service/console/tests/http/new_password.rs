//! A new password by e-mail.

use contract::Clock;
use reqwest::Method;
use runtime::SystemClock;

use crate::harness::{ConsoleServer, EMAIL, form, header};

async fn request(server: &ConsoleServer, email: &str) -> (u16, String) {
    let body = format!("email={}", email.replace('@', "%40"));
    let answer = form(server.anonymous(Method::POST, "/forgot-password"), body).send().await;
    let answer = answer.expect("an answer");
    (answer.status().as_u16(), answer.text().await.expect("text"))
}

#[tokio::test]
async fn answer_does_not_reveal_which_addresses_have_accounts() {
    let server = ConsoleServer::start().await;
    let (status, known) = request(&server, EMAIL).await;
    let (other_status, unknown) = request(&server, "unknown@example.com").await;
    assert_eq!((status, other_status), (200, 200));
    assert_eq!(known.replace(EMAIL, "…"), unknown.replace("unknown@example.com", "…"));
    assert_eq!(request(&server, " ").await.0, 422);
    for _ in 0..3 {
        request(&server, EMAIL).await;
    }
    let (status, page) = request(&server, EMAIL).await;
    assert_eq!(status, 429);
    assert!(page.contains("try again in a minute"));
}

#[tokio::test]
async fn link_sets_a_password_once() {
    let server = ConsoleServer::start().await;
    let link = server.store.create_password_reset(&server.account, SystemClock.now()).await;
    let link = link.expect("it answers").expect("a link");
    let path = format!("/reset-password?token={}", link.reveal());
    let page = server.anonymous(Method::GET, &path).send().await.expect("an answer");
    assert_eq!(page.status(), 200);
    let set = async |password: &str, again: &str| {
        let body = format!("token={}&password={password}&again={again}", link.reveal());
        let answer = form(server.anonymous(Method::POST, "/reset-password"), body).send().await;
        answer.expect("an answer").status().as_u16()
    };
    assert_eq!(set("long+enough", "another").await, 422, "they differ");
    assert_eq!(set("short", "short").await, 422);
    assert_eq!(set("long+enough", "long+enough").await, 200);
    assert_eq!(set("long+enough", "long+enough").await, 410);
    let page = server.anonymous(Method::GET, &path).send().await.expect("an answer");
    assert_eq!(page.status(), 410);
    let body = "email=ada%40example.com&password=long+enough".to_owned();
    let answer = form(server.anonymous(Method::POST, "/sign-in"), body).send().await;
    assert_eq!(answer.expect("an answer").status(), 303);
}

#[tokio::test]
async fn forms_of_other_sites_are_refused() {
    let server = ConsoleServer::start().await;
    for path in ["/forgot-password", "/reset-password"] {
        let request = server.anonymous(Method::POST, path).header("origin", "https://evil.test");
        let body = "email=ada%40example.com&token=reset_x&password=a&again=a".to_owned();
        let answer = request.header("sec-fetch-site", "cross-site");
        let answer = form(answer, body).send().await.expect("an answer");
        assert!(answer.status().is_client_error(), "{path}: {}", answer.status());
        assert!(header(&answer, "set-cookie").is_empty());
    }
}
