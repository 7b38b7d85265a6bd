//! A console server for each test: its own store and port, and a signed-in user.

use std::sync::Arc;

use api::{ApiSettings, ApiState};
use client::Client;
use console::{ConsoleSettings, ConsoleState, ShownSetting};
use contract::{AccountId, CallOrigin, Session};
use reqwest::{Method, RequestBuilder, Response};
use runtime::SystemClock;
use store::{SecretKey, Store, StoreSettings};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub const EMAIL: &str = "ada@example.com";
pub const PASSWORD: &str = "correct horse";

pub struct ConsoleServer {
    pub store: Store,
    pub url: String,
    pub account: AccountId,
    pub session: Session,
    secure: bool,
    client: reqwest::Client,
    _folder: tempfile::TempDir,
}

impl ConsoleServer {
    pub async fn start() -> Self {
        Self::with_public_url("http://trawl.example").await
    }

    /// A server with this public URL, as behind a proxy.
    pub async fn with_public_url(public_url: &str) -> Self {
        Self::with(public_url, 100_000).await
    }

    /// A server whose account has these credits.
    pub async fn with_credits(credits: i64) -> Self {
        Self::with("http://trawl.example", credits).await
    }

    async fn with(public_url: &str, credits: i64) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let secret_key = Some(SecretKey::new("a key for tests"));
        let store = StoreSettings { secret_key, sends_mail: true, ..StoreSettings::new(url) };
        let store = Store::new(store).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        let mut settings =
            ApiSettings { public_url: public_url.to_owned(), ..ApiSettings::default() };
        // Tests send more requests than people.
        settings.limits.request_burst = 10_000;
        settings.sign_ins_per_minute = 1_000;
        settings.sign_ins_per_network = 1_000;
        let fetch = net::HttpFetch::new(net::HttpSettings::default()).expect("an HTTP client");
        let receivers = Arc::clone(fetch.resolver());
        let inbound = settings.inbound;
        let limits = settings.limits;
        let sources = settings.sources.clone();
        let clock = Arc::new(SystemClock);
        let state = ApiState::new(
            store.clone(),
            settings,
            clock,
            None,
            Arc::new(samples::SampleFetch::new(Arc::new(fetch))),
            reader::ReadExecutor::default(),
            receivers,
        );
        let console = ConsoleState::new(
            Client::in_process(api::router(state.clone()), CallOrigin::Console),
            store.clone(),
            Arc::new(SystemClock),
            ConsoleSettings {
                public_url: public_url.to_owned(),
                sources,
                trust_forwarded_for: false,
                page_size_max: limits.page_size_max.into(),
                sells_credits: true,
                sends_mail: true,
                blocked_domains: vec!["blocked.example".to_owned()],
                shown: vec![ShownSetting {
                    name: "public_url".to_owned(),
                    value: public_url.to_owned(),
                    origin: "TRAWL_PUBLIC_URL".to_owned(),
                }],
            },
            CancellationToken::new(),
        );
        let router = api::router_with(state, console::router(console));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        tokio::spawn(api::serve(listener, router, inbound, CancellationToken::new()));
        let account = fixture::account(&store, credits).await;
        let now = contract::Clock::now(&SystemClock);
        let session = store.open_session(&account, now).await.expect("a session");
        let policy = reqwest::redirect::Policy::none();
        let client = reqwest::Client::builder().redirect(policy).build().expect("a client");
        Self {
            store,
            url: format!("http://{address}"),
            account,
            session,
            secure: public_url.starts_with("https"),
            client,
            _folder: folder,
        }
    }

    /// A request without a session.
    pub fn anonymous(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).header("accept", "text/html")
    }

    /// A request with the user's session cookie.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let name = if self.secure { "__Host-trawl_session" } else { "trawl_session" };
        let cookie = format!("other=1; {name}={}", self.session.token);
        self.anonymous(method, path).header("cookie", cookie)
    }

    pub async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.expect("an answer")
    }

    /// The text of a page that responds with 200.
    pub async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.expect("text")
    }

    /// The form token of the user.
    pub async fn form_token(&self) -> String {
        let page = self.page("/runs").await;
        let (_, rest) = page.split_once("name=\"form_token\" value=\"").expect("a form");
        rest.split('"').next().expect("a token").to_owned()
    }

    /// Sends a form with the user's form token.
    pub async fn post(&self, path: &str, fields: &str) -> Response {
        let body = format!("form_token={}&{fields}", self.form_token().await);
        form(self.request(Method::POST, path), body).send().await.expect("an answer")
    }
}

/// Adds a form as the body of a request.
pub fn form(request: RequestBuilder, body: String) -> RequestBuilder {
    request.header("content-type", "application/x-www-form-urlencoded").body(body)
}

pub fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
