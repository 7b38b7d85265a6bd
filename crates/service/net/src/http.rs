//! Fetching over HTTP with limits on time, headers and body.
//!
//! HTTP/1.1 without TLS, HTTP/2 or 1.1 over TLS; connections are pooled by host.

pub(crate) mod body;
mod body_memory;
mod content;
mod error_mapping;
mod pool;
mod settings;

use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, RANGE, USER_AGENT};
use http::{Extensions, HeaderMap, HeaderValue, Response};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::capture_connection;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use body::ReadLimit;
pub(crate) use body_memory::BodyMemory;
use content::Expected;
pub use error_mapping::fetch_error;
pub use pool::ConnectionPool;
pub use settings::HttpSettings;

use crate::connector::Connector;
use crate::deadline::deadline_after;
use crate::decoding::{self, Encoding};
use crate::idle_limit::{ConnGuard, TrackedConn};
use crate::tls::{ALPN_HTTP, tls_connector};
use crate::{
    BodyLimit, Fetch, FetchError, FetchMethod, FetchRequest, FetchResponse, FetchResult,
    GuardedResolver, Phase, SetupError,
};

/// The `User-Agent` header, the address guard and the connector of `settings`.
pub(crate) fn set_up(
    settings: &HttpSettings,
) -> Result<(HeaderValue, Arc<GuardedResolver>, Connector), SetupError> {
    let user_agent = HeaderValue::from_str(&settings.user_agent)
        .map_err(|_| SetupError::UserAgent(settings.user_agent.clone()))?;
    let resolver = Arc::new(GuardedResolver::new(settings.resolver.clone())?);
    let tls = tls_connector(settings.extra_authorities.as_deref(), ALPN_HTTP)?;
    let connector = Connector::new(Arc::clone(&resolver), tls, settings);
    Ok((user_agent, resolver, connector))
}

/// Fetches over HTTP, without a browser.
#[derive(Clone)]
pub struct HttpFetch {
    pool: ConnectionPool,
    connector: Connector,
    resolver: Arc<GuardedResolver>,
    user_agent: HeaderValue,
    settings: Arc<HttpSettings>,
    slots: Arc<Semaphore>,
    body_memory: BodyMemory,
}

runtime::partial_debug!(HttpFetch, settings);

impl HttpFetch {
    /// Creates a fetcher with its own connection pool. Opens no connection.
    pub fn new(settings: HttpSettings) -> Result<Self, SetupError> {
        let (user_agent, resolver, connector) = set_up(&settings)?;
        let pool = ConnectionPool::new(&settings, connector.clone());
        let slots = Arc::new(Semaphore::new(settings.requests.clamp(1, Semaphore::MAX_PERMITS)));
        let body_memory = BodyMemory::new(settings.large_body_bytes);
        let settings = Arc::new(settings);
        Ok(Self { pool, connector, resolver, user_agent, settings, slots, body_memory })
    }

    #[must_use]
    pub fn resolver(&self) -> &Arc<GuardedResolver> {
        &self.resolver
    }

    pub fn connector(&self) -> &Connector {
        &self.connector
    }

    pub fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    fn http_request(&self, request: &FetchRequest) -> FetchResult<http::Request<Empty<Bytes>>> {
        let accept = HeaderValue::from_str(&request.accept).map_err(|_| FetchError::BadUrl)?;
        let mut http_request = http::Request::builder()
            .method(match request.method {
                FetchMethod::Get => http::Method::GET,
                FetchMethod::Head => http::Method::HEAD,
            })
            .uri(request.at.as_ref().map_or(request.url.as_str(), |at| at.uri.as_str()))
            .header(USER_AGENT, self.user_agent.clone())
            .header(ACCEPT, accept);
        http_request = match request.limits.body {
            // A part of a compressed body cannot be decompressed.
            BodyLimit::Range(bytes) => http_request
                .header(ACCEPT_ENCODING, "identity")
                .header(RANGE, format!("bytes=0-{}", bytes.max(1) - 1)),
            BodyLimit::Standard | BodyLimit::Page | BodyLimit::AtMost(_) | BodyLimit::First(_) => {
                http_request.header(ACCEPT_ENCODING, decoding::ACCEPT_ENCODING)
            }
        };
        let mut http_request = http_request.body(Empty::new()).map_err(|_| FetchError::BadUrl)?;
        if let Some(at) = &request.at {
            http_request.headers_mut().extend(at.headers.clone());
        }
        if let Some(headers) = request.client_headers() {
            http_request.headers_mut().extend(headers.clone());
        }
        Ok(http_request)
    }

    /// Sends the request and waits for the response headers. The connection is in use until the
    /// guard is dropped.
    async fn send(&self, request: &FetchRequest) -> FetchResult<(Response<Incoming>, ConnGuard)> {
        let mut http_request = self.http_request(request)?;
        let mut captured = capture_connection(&mut http_request);
        let mut pending = pin!(self.pool.request(http_request));
        // The first-byte timeout starts when the connection is open: until then the timeouts of the
        // connector apply.
        let (early, in_use) = tokio::select! {
            biased;
            response = &mut pending => (Some(response), None),
            connected = captured.wait_for_connection_metadata() => {
                let mut extras = Extensions::new();
                connected.as_ref().inspect(|connected| connected.get_extras(&mut extras));
                (None, connection_of(&extras).map(TrackedConn::begin_use))
            }
        };
        let response = match early {
            Some(response) => response,
            None => timeout(self.settings.first_byte, pending)
                .await
                .map_err(|_| FetchError::TimedOut(Phase::FirstByte))?,
        };
        let response = response.map_err(|error| fetch_error(&error))?;
        // Not always the captured connection: hyper retries on a new one if the first was closed.
        let used = connection_of(response.extensions()).ok_or(FetchError::Protocol)?.begin_use();
        drop(in_use);
        Ok((response, used))
    }

    async fn exchange(&self, request: &FetchRequest) -> FetchResult<FetchResponse> {
        let started = Instant::now();
        let deadline = deadline_after(request.limits.whole.unwrap_or(self.settings.whole));
        let sent = timeout_at(deadline, self.send(request)).await;
        let (response, in_use) = sent.map_err(|_| FetchError::TimedOut(Phase::Whole))??;
        let first_byte = started.elapsed();
        let (mut head, incoming) = response.into_parts();
        self.check_headers(&head.headers)?;
        let encoding = match request.method {
            FetchMethod::Get => Encoding::of(&head.headers)?,
            FetchMethod::Head => Encoding::Identity,
        };
        let wanted = match request.limits.body {
            BodyLimit::Standard => ReadLimit::all(self.settings.body_bytes),
            BodyLimit::AtMost(bytes) => ReadLimit::all(bytes),
            BodyLimit::First(bytes) | BodyLimit::Range(bytes) => ReadLimit::first(bytes),
            BodyLimit::Page => match Expected::of(head.status.as_u16(), &head.headers) {
                Expected::Page => ReadLimit::all(self.settings.body_bytes),
                Expected::PageIfMarkup => ReadLimit::all_markup(self.settings.body_bytes),
                Expected::NoPage => ReadLimit::first(content::SNIFF_BYTES),
            },
        };
        let owner = request.isolation.as_deref().unwrap_or(request.url.host());
        let body_memory = self.body_memory.of(owner);
        let body =
            body::read(incoming, encoding, wanted, &self.settings, body_memory, deadline).await?;
        if encoding != Encoding::Identity {
            // These headers describe the encoded bytes.
            head.headers.remove(CONTENT_ENCODING);
            if !body.truncated {
                head.headers.remove(CONTENT_LENGTH);
            }
        }
        Ok(FetchResponse {
            status: head.status.as_u16(),
            version: head.version,
            headers: head.headers,
            body: body.bytes,
            body_truncated: body.truncated,
            encoding,
            wire_bytes: body.wire_bytes,
            remote: in_use.remote(),
            first_byte,
            elapsed: started.elapsed(),
        })
    }

    /// Checks number and size of the headers, which hyper limits only in part.
    fn check_headers(&self, headers: &HeaderMap) -> FetchResult<()> {
        let bytes: usize =
            headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if headers.len() > self.settings.headers || bytes > self.settings.header_bytes {
            return Err(FetchError::HeadersTooLarge);
        }
        Ok(())
    }
}

/// The connection that a response came from.
pub fn connection_of(extras: &Extensions) -> Option<&Arc<TrackedConn>> {
    extras.get()
}

#[async_trait]
impl Fetch for HttpFetch {
    async fn fetch(&self, request: FetchRequest) -> FetchResult<FetchResponse> {
        // This wait does not count towards the timeouts of the request.
        let _slot = self.slots.acquire().await.map_err(|_| FetchError::CutOff)?;
        self.exchange(&request).await
    }
}
