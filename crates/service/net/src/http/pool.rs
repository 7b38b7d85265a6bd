//! The connection pool of outbound requests.

use std::error::Error;

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Body;
use hyper_util::client::legacy::{Client, ResponseFuture};
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::HttpSettings;
use crate::connector::Connector;

type BodyError = Box<dyn Error + Send + Sync>;

/// One type for the bodies of all requests, so that the HTTP client is compiled once.
type RequestBody = UnsyncBoxBody<Bytes, BodyError>;

/// An HTTP client whose connections are opened by a [`Connector`] and pooled by host.
#[derive(Debug, Clone)]
pub struct ConnectionPool(Client<Connector, RequestBody>);

impl ConnectionPool {
    /// A pool with the limits of `settings`.
    #[must_use]
    pub fn new(settings: &HttpSettings, connector: Connector) -> Self {
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(settings.pool_idle)
            .pool_max_idle_per_host(settings.pool_idle_per_host)
            // hyper panics below 8 KiB.
            .http1_max_buf_size(settings.header_bytes.max(8 * 1024))
            .http1_max_headers(settings.headers)
            .http2_max_header_list_size(u32::try_from(settings.header_bytes).unwrap_or(u32::MAX))
            // Detects a dead peer, which would otherwise block all requests to its host.
            .http2_keep_alive_interval(settings.first_byte)
            .http2_keep_alive_timeout(settings.connect)
            .build(connector);
        Self(client)
    }

    /// Sends a request. Redirects are not followed.
    pub fn request<B>(&self, request: Request<B>) -> ResponseFuture
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BodyError>,
    {
        self.send(request.map(|body| body.map_err(Into::into).boxed_unsync()))
    }

    fn send(&self, request: Request<RequestBody>) -> ResponseFuture {
        self.0.request(request)
    }
}
