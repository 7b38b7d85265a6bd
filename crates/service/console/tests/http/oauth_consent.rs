//! The OAuth consent page.

use contract::{ClientAuth, OauthScopes};
use reqwest::Method;
use store::NewApplication;

use crate::harness::{ConsoleServer, form, header};

const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Registers an application and returns its authorization URL.
async fn authorization_url(server: &ConsoleServer) -> String {
    let new = NewApplication {
        name: "<i>Notes</i>".to_owned(),
        uri: Some("https://notes.example/about".to_owned()),
        redirect_uris: vec!["https://notes.example/back".to_owned()],
        client_auth: ClientAuth::None,
        scopes: OauthScopes::all(),
    };
    let now = contract::Clock::now(&runtime::SystemClock);
    let (made, _) = server.store.register_application(new, now).await.expect("it answers");
    format!(
        "/oauth/authorize?response_type=code&client_id={}&code_challenge={CHALLENGE}\
         &code_challenge_method=S256&scope=jobs:read&state=s%2F1\
         &redirect_uri=https%3A%2F%2Fnotes.example%2Fback",
        made.id
    )
}

async fn connected(server: &ConsoleServer) -> usize {
    server
        .store
        .connected_applications(&server.account, fixture::NOW)
        .await
        .expect("it answers")
        .len()
}

#[tokio::test]
async fn anonymous_user_is_redirected_to_sign_in_and_back() {
    let server = ConsoleServer::start().await;
    let ask = authorization_url(&server).await;
    let answer = server.anonymous(Method::GET, &ask).send().await.expect("an answer");
    assert_eq!(answer.status(), 303);
    assert!(header(&answer, "location").starts_with("/sign-in?next=%2Foauth%2Fauthorize%3F"));
}

#[tokio::test]
async fn consent_page_shows_application_and_scopes() {
    let server = ConsoleServer::start().await;
    let page = server.page(&authorization_url(&server).await).await;
    for words in ["&lt;i&gt;Notes&lt;/i&gt;", "See your runs", "jobs:read", "notes.example"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("jobs:write") && !page.contains("<i>Notes"));
    assert_eq!(connected(&server).await, 0, "showing the page approves nothing");
}

#[tokio::test]
async fn decision_redirects_to_the_application() {
    let server = ConsoleServer::start().await;
    let ask = authorization_url(&server).await;
    let no = server.post(&ask, "answer=deny").await;
    let expected = "https://notes.example/back?error=access_denied&";
    assert!(no.status() == 303 && header(&no, "location").starts_with(expected));
    assert_eq!(connected(&server).await, 0);
    // A parameter that the service does not know is ignored (RFC 6749, section 3.1).
    let ask = format!("{ask}&prompt=consent");
    let yes = server.post(&ask, "answer=approve").await;
    let expected = "https://notes.example/back?code=oac_";
    assert!(yes.status() == 303 && header(&yes, "location").starts_with(expected));
    let end = "&state=s%2F1&iss=http%3A%2F%2Ftrawl.example";
    assert!(header(&yes, "location").ends_with(end), "{}", header(&yes, "location"));
    assert_eq!(connected(&server).await, 1);
    assert_eq!(server.post(&ask, "answer=maybe").await.status(), 400);
}

#[tokio::test]
async fn invalid_client_or_redirect_uri_is_shown_without_redirect() {
    let server = ConsoleServer::start().await;
    let ask = authorization_url(&server).await;
    let elsewhere = ask.replace("notes.example%2Fback", "evil.example%2Fback");
    let script = ask.replace("https%3A%2F%2Fnotes.example%2Fback", "javascript%3Aalert(1)");
    let unknown = ask.replace("client_id=app_", "client_id=app_0");
    let twice = format!("{ask}&redirect_uri=https%3A%2F%2Fevil.example%2F");
    for wrong in [elsewhere, script, unknown, twice, "/oauth/authorize".to_owned()] {
        let seen = server.get(&wrong).await;
        let stranger = server.anonymous(Method::GET, &wrong).send().await.expect("an answer");
        let posted = server.post(&wrong, "answer=approve").await;
        for answer in [seen, stranger, posted] {
            assert_eq!((answer.status().as_u16(), header(&answer, "location")), (400, ""));
            assert!(answer.text().await.expect("text").contains("not safe to redirect"), "{wrong}");
        }
    }
    assert_eq!(connected(&server).await, 0);
}

#[tokio::test]
async fn other_errors_redirect_to_the_application() {
    let server = ConsoleServer::start().await;
    let ask = authorization_url(&server).await.replace("S256", "plain");
    let answer = server.anonymous(Method::GET, &ask).send().await.expect("an answer");
    assert_eq!(answer.status(), 303);
    let location = header(&answer, "location");
    assert!(
        location.starts_with("https://notes.example/back?error=invalid_request&"),
        "{location}"
    );
    assert!(location.contains("&state=s%2F1&iss="), "{location}");
}

#[tokio::test]
async fn forged_approvals_are_rejected() {
    let server = ConsoleServer::start().await;
    let ask = authorization_url(&server).await;
    let token = server.form_token().await;
    let forged = form(server.request(Method::POST, &ask), "answer=approve".to_owned());
    assert_eq!(forged.send().await.expect("an answer").status(), 403);
    let body = format!("form_token={token}&answer=approve");
    let foreign =
        form(server.request(Method::POST, &ask), body).header("origin", "https://evil.test");
    assert_eq!(foreign.send().await.expect("an answer").status(), 403);
    assert_eq!(connected(&server).await, 0);
}
