//! Forms: cross-site requests, invalid bodies, duplicates and field errors.

use reqwest::Method;

use crate::harness::{ConsoleServer, form, header};

const RUN: &str = "seen=1&mode=links&url=https%3A%2F%2Fexample.com%2F&options.discovery=on";

async fn runs(server: &ConsoleServer) -> usize {
    server.page("/runs").await.matches("href=\"/runs/job_").count()
}

#[tokio::test]
async fn forms_without_the_session_token_or_same_origin_are_rejected() {
    let server = ConsoleServer::start().await;
    let other = ConsoleServer::start().await.form_token().await;
    let own = server.form_token().await;
    for token in ["", "AAAA", &other] {
        let body = format!("form_token={token}&{RUN}");
        let answer = form(server.request(Method::POST, "/runs/new"), body).send().await;
        assert_eq!(answer.expect("an answer").status(), 403, "{token}");
    }
    for (name, value) in [
        ("origin", "https://evil.test"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        let body = format!("form_token={own}&{RUN}");
        let request = form(server.request(Method::POST, "/runs/new"), body).header(name, value);
        assert_eq!(request.send().await.expect("an answer").status(), 403, "{name}: {value}");
        let request = form(server.anonymous(Method::POST, "/sign-in"), "email=a".to_owned());
        let answer = request.header(name, value).send().await.expect("an answer");
        assert_eq!(answer.status(), 403, "cross-site sign-in is rejected: {name}: {value}");
    }
    assert_eq!(runs(&server).await, 0, "nothing was started");
    assert_eq!(server.post("/runs/new", RUN).await.status(), 303);
    assert_eq!(runs(&server).await, 1);
}

#[tokio::test]
async fn invalid_form_bodies_are_rejected() {
    let server = ConsoleServer::start().await;
    let json = server.request(Method::POST, "/runs/new").json(&"{}");
    assert_eq!(json.send().await.expect("an answer").status(), 415);
    for (path, mebibytes) in [("/read", 1), ("/runs/new", 16)] {
        let large = server.post(path, &format!("domains={}", "a".repeat(mebibytes << 20))).await;
        assert_eq!(large.status(), 413, "{path}");
    }
    assert_eq!(server.get("/sign-out").await.status(), 405, "a GET does not sign out");
}

#[tokio::test]
async fn form_sent_twice_starts_one_run() {
    let server = ConsoleServer::start().await;
    let fields = format!("{RUN}&form_id=req_1");
    let first = server.post("/runs/new", &fields).await;
    let second = server.post("/runs/new", &fields).await;
    assert_eq!(header(&first, "location"), header(&second, "location"));
    assert_eq!(runs(&server).await, 1);
}

#[tokio::test]
async fn api_errors_of_a_run_are_shown_at_their_field() {
    let server = ConsoleServer::start().await;
    let fields = "seen=1&mode=links&url=http%3A%2F%2Flocalhost%2F%22%3E%3Cscript%3E\
        &on_protected=auto&max_credit_per_unit=many&scope.one_page=on";
    let answer = server.post("/runs/new", fields).await;
    assert_eq!(answer.status(), 422);
    let page = answer.text().await.expect("text");
    for name in ["url", "max_credit_per_unit"] {
        assert!(page.contains(&format!("id=\"{name}-error\"")), "{name}");
    }
    assert!(page.contains("value=\"http://localhost/&quot;&gt;&lt;script&gt;\""), "kept, as text");
    assert!(page.contains("name=\"scope.one_page\" type=\"checkbox\" value=\"on\" checked"));
    let busy = "seen=1&mode=links&url=https%3A%2F%2Fexample.com%2F";
    server.post("/runs/new", busy).await;
    let page = server.post("/runs/new", busy).await.text().await.expect("text");
    assert!(page.contains("Open the conflicting run"));
}

#[tokio::test]
async fn form_of_a_run_takes_an_uploaded_list_and_a_webhook() {
    let server = ConsoleServer::start().await;
    let fields = "seen=1&mode=links&url=&list_id=lst_unknown\
        &webhook.url=http%3A%2F%2F10.0.0.1%2Fin&webhook.secret=too-short";
    let answer = server.post("/runs/new", fields).await;
    assert_eq!(answer.status(), 422);
    let page = answer.text().await.expect("text");
    for name in ["list_id", "webhook.url", "webhook.secret"] {
        assert!(page.contains(&format!("id=\"{name}-error\"")), "{name}: {page}");
    }
    assert!(page.contains("(hidden)"), "the request of the API is shown without the secret");
}

#[tokio::test]
async fn long_list_of_a_run_is_uploaded() {
    let server = ConsoleServer::start().await;
    let lines = |count: usize| -> String {
        let line = |number| format!("https%3A%2F%2Fdocs.lab.test%2Fkeys%3Fnumber%3D{number}%0D%0A");
        (0..count).map(line).collect()
    };
    let fields = format!("seen=1&mode=links&url=&form_id=req_1&urls={}", lines(10_001));
    let first = server.post("/runs/new", &fields).await;
    assert_eq!(first.status(), 303, "{}", first.text().await.expect("text"));
    let path = header(&first, "location").to_owned();
    let page = server.page(&format!("{path}/progress")).await;
    assert!(page.contains("… 10001 URLs"), "{page}");
    let again = server.post("/runs/new", &fields).await;
    assert_eq!((again.status().as_u16(), header(&again, "location")), (303, "/runs"));
    assert_eq!(runs(&server).await, 1, "a form that is sent twice starts one run");

    // A list with an invalid line, and a run that is refused: no list is left behind.
    let wrong = format!("seen=1&mode=links&url=&urls={}no+URL", lines(10_001));
    let answer = server.post("/runs/new", &wrong).await;
    assert_eq!(answer.status(), 422);
    let page = answer.text().await.expect("text");
    assert!(page.contains("id=\"urls-error\"") && page.contains("line 10002"), "no error");
    let refused = format!("{fields}&options.max_pages=many");
    for _ in 0..22 {
        let answer = server.post("/runs/new", &refused.replace("req_1", "req_2")).await;
        assert_eq!(answer.status(), 422);
        let page = answer.text().await.expect("text");
        assert!(page.contains("id=\"options.max_pages-error\""), "more than 20 unused lists");
    }
}
