//! The test harness: a service with its own store, clock and port per test.

mod api_reply;
mod application;
mod run;
mod schema_check;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use api::{ApiSettings, ApiState, Metrics, MetricsAccess, OperatorToken, router, serve};
use axum::Router;
use bytes::Bytes;
use contract::{AccountId, Clock, Credits, KeyPrefix, Millis};
use http::{HeaderMap, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use lab::{DnsReply, NameServer};
use runner::{Fetcher, HostGate, HostGateSettings, PageCache};
use serde_json::Value;
use store::{LimitChange, NewAccount, NewKey, NodeName, SecretKey, Store, StoreSettings};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use api_reply::ApiReply;
pub use application::{Notes, REDIRECT_URI, VERIFIER, parameter, query, sent_to};
use schema_check::SchemaCheck;

pub const NOW: Millis = Millis(1_794_735_000_000);
pub const EMAIL: &str = "ada@example.com";
pub const PASSWORD: &str = "correct horse";
/// The metrics token of [`TestApi::measured`].
pub const METRICS_TOKEN: &str = "a token for prometheus";

#[derive(Debug)]
struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}

pub struct TestApi {
    pub store: Store,
    pub node: NodeName,
    pub address: SocketAddr,
    pub account: AccountId,
    /// The secret of a key of `account`.
    pub key: String,
    /// The router, for calls from inside the process.
    pub router: Router,
    clock: Arc<TestClock>,
    client: Client<HttpConnector, Full<Bytes>>,
    schemas: SchemaCheck,
    stop: Option<DropGuard>,
    /// Whether the start of the service is done; `GET /readyz` depends on it.
    pub is_started: Arc<AtomicBool>,
    /// The URL of its database, on PostgreSQL.
    pub database: Option<String>,
    _names: NameServer,
    _folder: Option<tempfile::TempDir>,
}

/// Reads pages without delays between requests, on the system's clock, which the host gate needs.
fn page_service(fetch: Arc<net::HttpFetch>) -> pages::PageService {
    let clock = Arc::new(runtime::SystemClock);
    let gate = HostGateSettings { delay: Duration::ZERO, ..HostGateSettings::default() };
    let gate = HostGate::new(gate, clock.clone());
    let samples = Arc::new(samples::SampleFetch::new(fetch));
    let retries = crawl::Retries {
        back_off: Duration::from_millis(1),
        robots_every: Duration::from_millis(1),
        ..crawl::Retries::default()
    };
    let fetcher = Fetcher::new(samples, gate, clock).with_page_cache(PageCache::new(16 << 20));
    pages::PageService::new(fetcher, retries)
}

impl TestApi {
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// A service with other settings.
    pub async fn with(change: impl FnOnce(&mut ApiSettings)) -> Self {
        Self::with_store(|_| {}, change).await
    }

    pub async fn with_store(
        change_store: impl FnOnce(&mut StoreSettings),
        change: impl FnOnce(&mut ApiSettings),
    ) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let mut store = StoreSettings::new(url);
        change_store(&mut store);
        Self::open(store, Some(folder), change, None).await
    }

    /// A service with metrics. Once per process.
    pub async fn measured() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let metrics = Metrics::install().expect("the first recorder");
        let token = MetricsAccess::Token(OperatorToken::new(METRICS_TOKEN));
        let change = |settings: &mut ApiSettings| settings.metrics = token;
        Self::open(StoreSettings::new(url), Some(folder), change, Some(metrics)).await
    }

    /// A service on the PostgreSQL server of `TRAWL_TEST_POSTGRES`.
    pub async fn postgres() -> Self {
        let url = fixture::fresh_postgres().await;
        let mut api = Self::open(StoreSettings::new(url.clone()), None, |_| {}, None).await;
        api.database = Some(url);
        api
    }

    async fn open(
        store: StoreSettings,
        folder: Option<tempfile::TempDir>,
        change: impl FnOnce(&mut ApiSettings),
        metrics: Option<Metrics>,
    ) -> Self {
        let secret_key = Some(SecretKey::new("a key for tests"));
        let store = StoreSettings { secret_key, ..store };
        let store = Store::new(store).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        let mut settings =
            ApiSettings { public_url: "https://trawl.example".to_owned(), ..Default::default() };
        // Tests send requests faster than clients; tests of limits set their own.
        settings.limits.request_burst = 10_000;
        change(&mut settings);
        let clock = Arc::new(TestClock(AtomicI64::new(NOW.0)));
        let inbound = settings.inbound;
        let document = api::openapi(&settings);
        let resolver = net::ResolverSettings {
            names: settings.known_names.clone(),
            allowed: settings.allowed_networks.clone(),
            ..net::ResolverSettings::default()
        };
        let fetch = net::HttpSettings { resolver, ..net::HttpSettings::default() };
        let names = NameServer::start(|_, _| DnsReply::NoSuchName).await.expect("a free port");
        let receivers = net::ResolverSettings {
            allowed: settings.webhook_networks.clone(),
            dns_server: Some(names.address),
            check_name_table: true,
            ..fetch.resolver.clone()
        };
        let receivers = Arc::new(net::GuardedResolver::new(receivers).expect("a resolver"));
        let fetch = Arc::new(net::HttpFetch::new(fetch).expect("a way out"));
        let pages = page_service(Arc::clone(&fetch));
        let clock_too = Arc::clone(&clock) as _;
        let readers = reader::ReadExecutor::default();
        let is_started = Arc::new(AtomicBool::new(true));
        let state =
            ApiState::new(store.clone(), settings, clock_too, metrics, fetch, readers, receivers)
                .with_pages(pages)
                .with_start(Arc::clone(&is_started));
        let router = router(state);
        let served = router.clone();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let stop = CancellationToken::new();
        tokio::spawn(serve(listener, served, inbound, stop.clone()));
        let mut api = Self {
            store,
            node: NodeName::random(),
            address,
            account: AccountId::new(NOW, [0; 10]),
            key: String::new(),
            router,
            clock,
            client: Client::builder(TokioExecutor::new()).build_http(),
            schemas: SchemaCheck::new(document),
            stop: Some(stop.drop_guard()),
            is_started,
            database: None,
            _names: names,
            _folder: folder,
        };
        (api.account, api.key) = api.account(EMAIL, 1_000).await;
        api
    }

    /// Creates an account with a key.
    pub async fn account(&self, email: &str, credits: i64) -> (AccountId, String) {
        let new = NewAccount {
            email: email.to_owned(),
            password: PASSWORD.to_owned(),
            credits: Credits(credits),
            admin: false,
        };
        let created = self.store.create_account(new, NOW).await.expect("the database answers");
        let account = created.expect("a good password").expect("a new e-mail").id;
        let key = self.key_of(&account, "direct").await;
        (account, key)
    }

    pub async fn key_of(&self, account: &AccountId, source: &str) -> String {
        let new = NewKey {
            name: "API key".to_owned(),
            source: source.to_owned(),
            prefix: KeyPrefix::Live,
            limits: LimitChange::default(),
        };
        let created = self.store.create_key(account, new, NOW).await.expect("the database answers");
        created.expect("room for a key").key
    }

    /// The token of a new session of the account.
    pub async fn session(&self) -> String {
        self.store.open_session(&self.account, self.clock.now()).await.expect("a session").token
    }

    pub fn pass(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).expect("a short time");
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }

    /// Shuts the service down.
    pub fn stop(&mut self) {
        self.stop.take();
    }

    pub async fn get(&self, path: &str) -> ApiReply {
        self.send(Method::GET, path, &[("authorization", &bearer(&self.key))], "").await
    }

    pub async fn get_as(&self, token: &str, path: &str) -> ApiReply {
        self.send(Method::GET, path, &[("authorization", &bearer(token))], "").await
    }

    pub async fn post(&self, path: &str, body: &Value) -> ApiReply {
        self.post_as(&self.key, path, body).await
    }

    pub async fn post_as(&self, token: &str, path: &str, body: &Value) -> ApiReply {
        let headers = [("authorization", bearer(token)), json()];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        self.send(Method::POST, path, &headers, &body.to_string()).await
    }

    pub async fn post_text(&self, path: &str, body: &str) -> ApiReply {
        let headers = [("authorization", bearer(&self.key)), json()];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        self.send(Method::POST, path, &headers, body).await
    }

    pub async fn create(&self, body: &Value, idempotency_key: &str) -> ApiReply {
        let key = bearer(&self.key);
        let headers = [
            ("authorization", key.as_str()),
            ("content-type", "application/json"),
            ("idempotency-key", idempotency_key),
        ];
        self.send(Method::POST, "/v1/jobs", &headers, &body.to_string()).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> ApiReply {
        let headers = [("authorization", bearer(&self.key)), json()];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        self.send(Method::PATCH, path, &headers, &body.to_string()).await
    }

    pub async fn delete_as(&self, token: &str, path: &str) -> ApiReply {
        self.send(Method::DELETE, path, &[("authorization", &bearer(token))], "").await
    }

    /// Sends a request and checks the response against the document.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> ApiReply {
        let answer = self.send_raw(method.clone(), path, headers, body).await;
        schema_check::check_against_document(&self.schemas, &method, path, &answer);
        answer
    }

    /// Sends a request without checking the response.
    pub async fn send_raw(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> ApiReply {
        let mut request =
            Request::builder().method(method.clone()).uri(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header's value");
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).expect("a request");
        let response = self.client.request(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        ApiReply::new(parts.status.as_u16(), parts.headers, &body)
    }
}

pub fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

fn json() -> (&'static str, String) {
    ("content-type", "application/json".to_owned())
}

/// The value of a header, as text.
pub fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
