//! Asking over HTTP: one request, one answer, everything bounded.
//!
//! HTTP/1.1 in the clear, HTTP/2 or 1.1 over TLS, connections pooled by host.

pub(crate) mod body;
mod content;
mod failure;
mod large;
mod settings;

use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, RANGE, USER_AGENT};
use http::{Extensions, HeaderMap, HeaderValue, Response};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::capture_connection;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use body::Wanted;
use content::Expected;
pub use failure::of as failure_of;
pub(crate) use large::LargeBodies;
pub use settings::HttpSettings;

use crate::authorities;
use crate::connector::{Connector, after};
use crate::decoding::{self, Encoding};
use crate::resting::{InUse, Line};
use crate::{
    Answer, BodyLimit, Fetch, FetchError, GuardedResolver, Method, Phase, Request, SetupError,
};

/// A pool of connections that keeps the bounds of `settings`.
pub(crate) fn client<B>(settings: &HttpSettings, connector: Connector) -> Client<Connector, B>
where
    B: hyper::body::Body + Send,
    B::Data: Send,
{
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(settings.pool_idle)
        .pool_max_idle_per_host(settings.pool_idle_per_host)
        // hyper panics below 8 KiB.
        .http1_max_buf_size(settings.header_bytes.max(8 * 1024))
        .http1_max_headers(settings.headers)
        .http2_max_header_list_size(u32::try_from(settings.header_bytes).unwrap_or(u32::MAX))
        // A peer that vanished must not hold up every request of its host.
        .http2_keep_alive_interval(settings.first_byte)
        .http2_keep_alive_timeout(settings.connect)
        .build(connector)
}

/// Fetches over HTTP.
#[derive(Clone)]
pub struct HttpFetch {
    client: Client<Connector, Empty<Bytes>>,
    connector: Connector,
    resolver: Arc<GuardedResolver>,
    user_agent: HeaderValue,
    settings: Arc<HttpSettings>,
    places: Arc<Semaphore>,
    large: LargeBodies,
}

impl std::fmt::Debug for HttpFetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpFetch").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl HttpFetch {
    /// A fetcher with its own pool of connections; nothing is connected yet.
    pub fn new(settings: HttpSettings) -> Result<Self, SetupError> {
        let user_agent = HeaderValue::from_str(&settings.user_agent)
            .map_err(|_| SetupError::UserAgent(settings.user_agent.clone()))?;
        let resolver = Arc::new(GuardedResolver::new(settings.resolver.clone())?);
        let tls = authorities::tls(settings.extra_authorities.as_deref(), authorities::ANY_HTTP)?;
        let connector = Connector::new(Arc::clone(&resolver), tls, &settings);
        let client = client(&settings, connector.clone());
        let places = Arc::new(Semaphore::new(settings.requests.clamp(1, Semaphore::MAX_PERMITS)));
        let large = LargeBodies::new(settings.large_body_bytes);
        let settings = Arc::new(settings);
        Ok(Self { client, connector, resolver, user_agent, settings, places, large })
    }

    /// The resolver that guards this fetcher.
    #[must_use]
    pub fn resolver(&self) -> &Arc<GuardedResolver> {
        &self.resolver
    }

    /// What opens this fetcher's connections.
    pub fn connector(&self) -> &Connector {
        &self.connector
    }

    /// The limits of this fetcher.
    pub fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    fn outgoing(&self, request: &Request) -> Result<http::Request<Empty<Bytes>>, FetchError> {
        let accept = HeaderValue::from_str(&request.accept).map_err(|_| FetchError::BadUrl)?;
        let mut outgoing = http::Request::builder()
            .method(match request.method {
                Method::Get => http::Method::GET,
                Method::Head => http::Method::HEAD,
            })
            .uri(request.at.as_ref().map_or(request.url.as_str(), |at| at.uri.as_str()))
            .header(USER_AGENT, self.user_agent.clone())
            .header(ACCEPT, accept);
        outgoing = match request.limits.body {
            // A part of something compressed could not be decompressed.
            BodyLimit::Range(bytes) => outgoing
                .header(ACCEPT_ENCODING, "identity")
                .header(RANGE, format!("bytes=0-{}", bytes.max(1) - 1)),
            BodyLimit::Standard | BodyLimit::Page | BodyLimit::AtMost(_) | BodyLimit::First(_) => {
                outgoing.header(ACCEPT_ENCODING, decoding::ACCEPT_ENCODING)
            }
        };
        let mut outgoing = outgoing.body(Empty::new()).map_err(|_| FetchError::BadUrl)?;
        if let Some(at) = &request.at {
            outgoing.headers_mut().extend(at.headers.clone());
        }
        Ok(outgoing)
    }

    /// Sends and waits for the head of the answer. Its connection is in use until the answer is
    /// read.
    async fn ask(&self, request: &Request) -> Result<(Response<Incoming>, InUse), FetchError> {
        let mut outgoing = self.outgoing(request)?;
        let mut captured = capture_connection(&mut outgoing);
        let mut waiting = pin!(self.client.request(outgoing));
        // The wait for the first byte begins with the connection: until then the
        // connector keeps its own times.
        let (early, in_use) = tokio::select! {
            biased;
            answer = &mut waiting => (Some(answer), None),
            connected = captured.wait_for_connection_metadata() => {
                let mut extras = Extensions::new();
                connected.as_ref().inspect(|connected| connected.get_extras(&mut extras));
                (None, line_of(&extras).map(Line::used))
            }
        };
        let answer = match early {
            Some(answer) => answer,
            None => timeout(self.settings.first_byte, waiting)
                .await
                .map_err(|_| FetchError::TimedOut(Phase::FirstByte))?,
        };
        let answer = answer.map_err(|error| failure::of(&error))?;
        // Sent again over a new connection where the first one had ended.
        let used = line_of(answer.extensions()).ok_or(FetchError::Protocol)?.used();
        drop(in_use);
        Ok((answer, used))
    }

    async fn exchange(&self, request: &Request) -> Result<Answer, FetchError> {
        let started = Instant::now();
        let deadline = after(request.limits.whole.unwrap_or(self.settings.whole));
        let asked = timeout_at(deadline, self.ask(request)).await;
        let (response, in_use) = asked.map_err(|_| FetchError::TimedOut(Phase::Whole))??;
        let first_byte = started.elapsed();
        let (mut head, incoming) = response.into_parts();
        self.bound(&head.headers)?;
        let encoding = match request.method {
            Method::Get => Encoding::of(&head.headers)?,
            Method::Head => Encoding::Identity,
        };
        let wanted = match request.limits.body {
            BodyLimit::Standard => Wanted::all(self.settings.body_bytes),
            BodyLimit::AtMost(bytes) => Wanted::all(bytes),
            BodyLimit::First(bytes) | BodyLimit::Range(bytes) => Wanted::first(bytes),
            BodyLimit::Page => match Expected::of(head.status.as_u16(), &head.headers) {
                Expected::Page => Wanted::all(self.settings.body_bytes),
                Expected::PageIfMarkup => Wanted::all_markup(self.settings.body_bytes),
                Expected::NoPage => Wanted::first(content::BEGINNING),
            },
        };
        let owner = request.isolation.as_deref().unwrap_or(request.url.host());
        let large = self.large.of(owner);
        let body = body::read(incoming, encoding, wanted, &self.settings, large, deadline).await?;
        if encoding != Encoding::Identity {
            // They tell of bytes that nobody sees any more.
            head.headers.remove(CONTENT_ENCODING);
            if !body.truncated {
                head.headers.remove(CONTENT_LENGTH);
            }
        }
        Ok(Answer {
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

    /// The bounds on headers, for what the protocol's own code lets through.
    fn bound(&self, headers: &HeaderMap) -> Result<(), FetchError> {
        let bytes: usize =
            headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if headers.len() > self.settings.headers || bytes > self.settings.header_bytes {
            return Err(FetchError::HeadersTooLarge);
        }
        Ok(())
    }
}

/// The connection that something was asked over.
pub fn line_of(extras: &Extensions) -> Option<&Arc<Line>> {
    extras.get()
}

#[async_trait]
impl Fetch for HttpFetch {
    async fn fetch(&self, request: Request) -> Result<Answer, FetchError> {
        // Outside of the time that the site has: the wait is ours.
        let _place = self.places.acquire().await.map_err(|_| FetchError::CutOff)?;
        self.exchange(&request).await
    }
}
