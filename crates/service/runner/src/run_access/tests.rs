use std::sync::atomic::{AtomicUsize, Ordering};

use contract::SecretText;
use crawl::{BodyNeed, ExtractRequest, FetchVia};
use http::header::{AUTHORIZATION, LOCATION, SET_COOKIE};
use http::{HeaderValue, Version};
use journal::UrlId;
use net::{Encoding, FailedStep, ScriptOutcome};

use super::*;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("a URL")
}

fn cookie(name: &str, value: &str) -> SiteCookie {
    SiteCookie { name: name.to_owned(), value: SecretText::new(value), path: "/".to_owned() }
}

fn response(status: u16, headers: &[(http::HeaderName, &str)]) -> FetchResponse {
    let value = |text: &str| HeaderValue::from_str(text).expect("a header");
    FetchResponse {
        status,
        version: Version::HTTP_11,
        headers: headers.iter().map(|(name, text)| (name.clone(), value(text))).collect(),
        body: bytes::Bytes::from_static(b"body"),
        body_truncated: false,
        encoding: Encoding::Identity,
        wire_bytes: 4,
        remote: ([127, 0, 0, 1], 80).into(),
        first_byte: Duration::ZERO,
        elapsed: Duration::ZERO,
    }
}

fn page(text: &str) -> FetchTask {
    FetchTask {
        url: url(text),
        purpose: Purpose::Url { id: UrlId(0), need: BodyNeed::Page { images: false } },
        visit: None,
        gap: None,
        fetch_via: FetchVia::Plain,
        extract: ExtractRequest::default(),
    }
}

/// A browser whose logins set a numbered cookie, or fail.
#[derive(Default)]
struct TestBrowser {
    logins: AtomicUsize,
    failed_step: Option<FailedStep>,
    is_unavailable: bool,
}

#[async_trait]
impl Fetch for TestBrowser {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        let login = self.logins.fetch_add(1, Ordering::Relaxed) + 1;
        if self.is_unavailable {
            return Err(FetchError::CutOff);
        }
        tokio::task::yield_now().await;
        assert!(request.client_headers().expect("headers").get(COOKIE).is_none());
        let script = request.script.expect("a script");
        script.set_outcome(ScriptOutcome {
            failed_step: self.failed_step.clone(),
            cookies: vec![cookie("session", &format!("s{login}"))],
            ..ScriptOutcome::default()
        });
        Ok(response(200, &[]))
    }
}

fn access() -> RunAccess {
    let step = |selector: &str| ScriptStep::Click { selector: selector.to_owned() };
    let login = RunLogin {
        url: url("http://a.test/login"),
        steps: vec![
            ScriptStep::Type { selector: Some("#p".to_owned()), text: SecretText::new("s3cret") },
            step("#go"),
        ],
        wait_for: Some(WaitFor::Selector("#in".to_owned())),
    };
    let headers = [(AUTHORIZATION, HeaderValue::from_static("Basic eDp5"))].into_iter().collect();
    RunAccess::new(url("http://a.test/"), "job1", headers, vec![cookie("a", "1")], Some(login))
}

/// The headers of a request in the current session, and its number.
fn sent(access: &RunAccess, to: &str) -> (String, u64) {
    let mut request = FetchRequest::get(url(to));
    let session = access.prepare(&mut request);
    let cookies = request.client_headers().and_then(|headers| headers.get(COOKIE)).cloned();
    (cookies.map(|text| text.to_str().expect("text").to_owned()).unwrap_or_default(), session)
}

#[tokio::test]
async fn session_is_sent_to_its_origin_and_follows_its_cookies() {
    let (access, browser) = (access(), TestBrowser::default());
    access.begin(Some(&browser)).await.expect("a login");
    let (cookies, session) = sent(&access, "http://a.test/x");
    assert_eq!((cookies.as_str(), session), ("a=1; session=s1", 1));
    for other in ["http://b.test/", "https://a.test/", "http://a.test:81/"] {
        assert_eq!(sent(&access, other).0, "", "{other}");
        assert!(!access.covers(&url(other)));
    }
    let rotated = response(200, &[(SET_COOKIE, "session=r; Path=/")]);
    access.receive(session, &url("http://a.test/x"), &rotated, Millis(0));
    assert_eq!(sent(&access, "http://a.test/").0, "a=1; session=r");
    access.begin(Some(&browser)).await.expect("a session");
    assert_eq!(browser.logins.load(Ordering::Relaxed), 1, "there is a session");
}

#[tokio::test]
async fn one_login_serves_all_requests_that_wait_for_it() {
    let (access, browser) = (access(), TestBrowser::default());
    access.begin(Some(&browser)).await.expect("a login");
    let task = page("http://a.test/x");
    let moved = response(302, &[(LOCATION, "/login?next=/x")]);
    assert!(access.is_refused(&task, &moved) && access.is_refused(&task, &response(403, &[])));
    assert!(!access.is_refused(&task, &response(302, &[(LOCATION, "/other")])));
    assert!(!access.is_refused(&page("http://a.test/login"), &response(403, &[])));
    access.answered(1, &task, &response(200, &[]));
    let (first, second) =
        tokio::join!(access.renew(1, Some(&browser)), access.renew(1, Some(&browser)));
    assert!(first && second);
    assert_eq!(browser.logins.load(Ordering::Relaxed), 2);
    assert_eq!(sent(&access, "http://a.test/").0, "a=1; session=s2");
    let refused = refused(moved);
    assert_eq!((refused.status, refused.body.len(), refused.headers.len()), (401, 0, 0));
}

#[tokio::test]
async fn pages_that_no_login_opens_do_not_use_up_the_logins() {
    let (access, browser) = (access(), TestBrowser::default());
    access.begin(Some(&browser)).await.expect("a login");
    assert!(!access.renew(1, Some(&browser)).await, "no page was answered in this session");
    let task = page("http://a.test/x");
    access.answered(1, &task, &response(200, &[]));
    assert!(!access.renew(1, Some(&browser)).await, "the first refusal after a useless login");
    assert!(access.renew(1, Some(&browser)).await, "the second one in a row");
    assert_eq!(browser.logins.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn number_of_logins_is_limited_also_after_a_restart() {
    let browser = TestBrowser::default();
    let session = RunSession { cookies: vec![cookie("session", "kept")], logins: MAX_LOGINS - 1 };
    let access = access().with_session(session);
    access.begin(Some(&browser)).await.expect("a session");
    assert_eq!(sent(&access, "http://a.test/"), ("a=1; session=kept".to_owned(), 1));
    assert_eq!(browser.logins.load(Ordering::Relaxed), 0);
    assert!(access.renew(1, Some(&browser)).await);
    access.answered(2, &page("http://a.test/x"), &response(200, &[]));
    assert!(!access.renew(2, Some(&browser)).await);
    assert_eq!(browser.logins.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn failed_login_names_its_step_and_no_secret() {
    for (index, expected) in [
        (0, "login: action 1 (type into #p): no element matches the selector"),
        (1, "login: action 2 (click #go): no element matches the selector"),
        (2, "login: wait_for: no element matches the selector"),
    ] {
        let message = "no element matches the selector".to_owned();
        let failed_step = Some(FailedStep { index, message });
        let browser = TestBrowser { failed_step, ..TestBrowser::default() };
        let error = access().begin(Some(&browser)).await.expect_err("it fails");
        assert_eq!(error.to_string(), expected);
        assert_eq!(browser.logins.load(Ordering::Relaxed), 1);
    }
    let browser = TestBrowser { is_unavailable: true, ..TestBrowser::default() };
    let error = access().begin(Some(&browser)).await.expect_err("it fails");
    assert!(error.to_string().starts_with("login: its page could not be loaded"), "{error}");
    assert_eq!(browser.logins.load(Ordering::Relaxed), 3);
    let error = access().begin(None).await.expect_err("no browser");
    assert_eq!(error.to_string(), "login: the service has no browser");
}
