//! The welcome page: sign-in links, sample runs, steps, and its end with the first own run.

use contract::Clock as _;
use reqwest::Method;
use runtime::SystemClock;

use crate::harness::{ConsoleServer, form, header};

async fn steps(server: &ConsoleServer) -> String {
    server.page("/welcome/steps").await
}

#[tokio::test]
async fn sign_in_link_opens_one_session() {
    let server = ConsoleServer::start().await;
    let now = SystemClock.now();
    let link = server.store.create_sign_in_link(&server.account, now).await.expect("a link");
    let path = format!("/welcome?once={}", link.reveal());
    let foreign = server.anonymous(Method::GET, &path).header("sec-fetch-site", "cross-site");
    let foreign = foreign.send().await.expect("an answer");
    assert_eq!((foreign.status().as_u16(), header(&foreign, "set-cookie")), (303, ""));
    let first = server.anonymous(Method::GET, &path).send().await.expect("an answer");
    assert_eq!((first.status().as_u16(), header(&first, "location")), (303, "/welcome"));
    let cookie = header(&first, "set-cookie").split(';').next().expect("a cookie").to_owned();
    assert!(cookie.starts_with("trawl_session=sess_"), "{cookie}");
    let page = server.anonymous(Method::GET, "/welcome").header("cookie", &cookie).send().await;
    let page = page.expect("an answer");
    assert_eq!(page.status(), 200);
    assert!(page.text().await.expect("text").contains("Crawl your first site"));
    let second = server.anonymous(Method::GET, &path).send().await.expect("an answer");
    assert_eq!((second.status().as_u16(), header(&second, "set-cookie")), (303, ""), "used");
    let wrong = server.anonymous(Method::GET, "/welcome?once=once_wrong").send().await;
    assert_eq!(header(&wrong.expect("an answer"), "set-cookie"), "");
}

#[tokio::test]
async fn account_without_an_own_run_starts_at_the_welcome_page() {
    let server = ConsoleServer::start().await;
    let home = server.get("/").await;
    assert_eq!((home.status().as_u16(), header(&home, "location")), (303, "/welcome"));
    assert_eq!(server.get("/runs").await.status(), 200, "the list has its own address");
    let page = server.page("/welcome").await;
    for text in ["Preview", "Shop, 25 products", "0 of 4 done", "Connect your assistant"] {
        assert!(page.contains(text), "{text}");
    }
    let sample = "mode=markdown&url=https%3A%2F%2Fdocs.lab.test%2F";
    assert_eq!(server.post("/runs/new", sample).await.status(), 303);
    assert_eq!(steps(&server).await, "sample");
    assert_eq!(server.get("/").await.status(), 303, "a sample is no own run");
    let own = "mode=links&url=https%3A%2F%2Fexample.com%2Fdocs%2F";
    assert_eq!(server.post("/runs/new", own).await.status(), 303);
    let home = server.page("/").await;
    assert!(home.contains("example.com/docs"), "the runs of the account");
    let jobs = server.store.first_steps(&server.account).await.expect("it answers");
    assert!(jobs.has_own_run && !jobs.has_called && !jobs.has_assistant && !jobs.has_schedule);
}

#[tokio::test]
async fn step_shows_a_new_key_once_and_ticks_with_its_first_call() {
    let server = ConsoleServer::start().await;
    let page = server.post("/welcome/key", "for=code").await;
    assert_eq!(page.status(), 200);
    let page = page.text().await.expect("text");
    let at = page.find("key_live_").expect("a key");
    let key: String =
        page[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    assert!(!server.page("/welcome").await.contains(&key), "it is shown once");
    assert_eq!(steps(&server).await, "");
    let call = |key: &str| {
        let request = server.anonymous(Method::GET, "/v1/account");
        request.header("authorization", format!("Bearer {key}")).send()
    };
    assert_eq!(call(&key).await.expect("an answer").status(), 200);
    assert_eq!(steps(&server).await, "call");
    let page = server.post("/welcome/key", "for=assistant").await.text().await.expect("text");
    let at = page.find("Bearer key_live_").expect("a key") + "Bearer ".len();
    // The first block of the page is the code without a key.
    let keys: Vec<_> = page[at..].match_indices("key_live_").map(|(at, _)| at).collect();
    let secret = |at: usize| -> String {
        page[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let key = keys.iter().map(|next| secret(at + next)).find(|key| key.len() > 40);
    assert_eq!(call(&key.expect("a key")).await.expect("an answer").status(), 200);
    assert_eq!(steps(&server).await, "call assistant");
    let forged = form(server.request(Method::POST, "/welcome/key"), "for=code".to_owned());
    assert_eq!(forged.send().await.expect("an answer").status(), 403);
}

#[tokio::test]
async fn preview_of_an_address_that_may_not_be_crawled_is_an_error_of_its_field() {
    let server = ConsoleServer::start().await;
    let page = server.post("/welcome/preview", "mode=markdown&url=http%3A%2F%2F10.0.0.1%2F").await;
    assert_eq!(page.status(), 422);
    let page = page.text().await.expect("text");
    assert!(page.contains("aria-invalid=\"true\""), "{page}");
    assert!(page.contains("value=\"http://10.0.0.1/\""), "typed values are kept");
}
