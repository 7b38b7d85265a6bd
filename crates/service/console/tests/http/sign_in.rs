//! Sign-in, session cookies and sign-out.

use reqwest::Method;

use crate::harness::{ConsoleServer, EMAIL, PASSWORD, form, header};

fn credentials(password: &str, next: &str) -> String {
    let encoded = |text: &str| text.replace('@', "%40").replace(' ', "+");
    format!("email={}&password={}&next={next}", encoded(EMAIL), encoded(password))
}

#[tokio::test]
async fn session_cookie_is_http_only_and_secure() {
    for (public_url, name, secure) in [
        ("http://trawl.example", "trawl_session=sess_", false),
        ("https://trawl.example", "__Host-trawl_session=sess_", true),
    ] {
        let server = ConsoleServer::with_public_url(public_url).await;
        let request = server.anonymous(Method::POST, "/sign-in");
        let answer = form(request, credentials(PASSWORD, "%2Fruns%2Fnew")).send().await;
        let answer = answer.expect("an answer");
        assert_eq!((answer.status().as_u16(), header(&answer, "location")), (303, "/runs/new"));
        let cookie = header(&answer, "set-cookie");
        assert!(cookie.starts_with(name), "{cookie}");
        for part in ["Path=/", "HttpOnly", "SameSite=Lax"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert_eq!(cookie.contains("Secure"), secure, "{cookie}");
        assert!(!cookie.contains("Domain"));
    }
}

#[tokio::test]
async fn device_cookie_identifies_a_known_browser() {
    let server = ConsoleServer::start().await;
    let request = server.anonymous(Method::POST, "/sign-in");
    let answer = form(request, credentials(PASSWORD, "")).send().await.expect("an answer");
    let cookies: Vec<_> = answer.headers().get_all("set-cookie").iter().collect();
    let device = cookies.iter().filter_map(|cookie| cookie.to_str().ok());
    let device = device.clone().find(|cookie| cookie.starts_with("trawl_device=dev_"));
    let device = device.expect("a device").to_owned();
    assert!(device.contains("HttpOnly") && device.contains("Max-Age=15552000"), "{device}");
    let cookie = device.split(';').next().expect("a cookie");
    let request = server.anonymous(Method::POST, "/sign-in").header("cookie", cookie);
    let again = form(request, credentials(PASSWORD, "")).send().await.expect("an answer");
    let cookies = again.headers().get_all("set-cookie").iter();
    let mut cookies = cookies.filter_map(|cookie| cookie.to_str().ok());
    assert!(cookies.any(|again| again.starts_with(cookie)), "the same device");
}

#[tokio::test]
async fn next_parameter_cannot_redirect_to_other_hosts() {
    let server = ConsoleServer::start().await;
    for next in ["%2F%2Fevil.test", "https%3A%2F%2Fevil.test", "%2F%5Cevil.test", "%2F%09%2Fevil"] {
        let request = server.anonymous(Method::POST, "/sign-in");
        let answer = form(request, credentials(PASSWORD, next)).send().await.expect("an answer");
        assert_eq!(
            (answer.status().as_u16(), header(&answer, "location")),
            (303, "/welcome"),
            "{next}"
        );
    }
}

#[tokio::test]
async fn wrong_password_and_unknown_email_give_the_same_message() {
    let server = ConsoleServer::start().await;
    let mut pages = Vec::new();
    for body in [credentials("wrong", ""), "email=nobody&password=x".to_owned()] {
        let answer = form(server.anonymous(Method::POST, "/sign-in"), body).send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 401);
        assert!(header(&answer, "set-cookie").is_empty());
        pages.push(answer.text().await.expect("text"));
    }
    for page in &pages {
        assert!(page.contains("E-mail or password is wrong."));
        assert!(!page.contains("wrong\""), "a password is not sent back");
    }
    assert!(pages[0].contains("value=\"ada@example.com\""), "what was typed is kept");
}

#[tokio::test]
async fn ended_session_is_redirected_to_sign_in() {
    let server = ConsoleServer::start().await;
    assert_eq!(server.get("/sign-in").await.status(), 303, "signed-in users are redirected");
    let answer = server.post("/sign-out", "").await;
    assert_eq!((answer.status().as_u16(), header(&answer, "location")), (303, "/sign-in"));
    assert!(header(&answer, "set-cookie").contains("Max-Age=0"));
    let answer = server.get("/runs?mode=links").await;
    let door = "/sign-in?next=%2Fruns%3Fmode%3Dlinks";
    assert_eq!((answer.status().as_u16(), header(&answer, "location")), (303, door));
}

#[tokio::test]
async fn script_request_without_session_gets_401() {
    let server = ConsoleServer::start().await;
    let request = server.anonymous(Method::GET, "/runs").header("sec-fetch-dest", "empty");
    assert_eq!(request.send().await.expect("an answer").status(), 401);
    let post = form(server.anonymous(Method::POST, "/runs/new"), "mode=links".to_owned());
    let answer = post.send().await.expect("an answer");
    assert_eq!((answer.status().as_u16(), header(&answer, "location")), (303, "/sign-in"));
}
