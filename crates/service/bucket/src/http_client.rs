//! The HTTP client of cloud providers: hyper with the TLS of `net`, without a proxy.
//!
//! The operator names the endpoint in the settings, as that of the database: it may be in any network,
//! and is found by the resolver of the system.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use http::Uri;
use http_body_util::BodyExt as _;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector as TcpConnector};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioIo};
use net::ByteStream;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tower::Service;

/// Maximum time to connect to one address, and for the TLS handshake.
const CONNECT: Duration = Duration::from_secs(5);

/// Idle connections are closed before most servers close them.
const IDLE: Duration = Duration::from_secs(20);

/// Creates the client; all requests of a provider share its connections.
#[derive(Debug, Clone)]
pub(crate) struct HyperConnector {
    pub extra_authorities: Option<PathBuf>,
}

impl HttpConnector for HyperConnector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let tls = net::tls_connector(self.extra_authorities.as_deref(), &[b"http/1.1"]).map_err(
            |error| object_store::Error::Generic { store: "HTTP", source: error.into() },
        )?;
        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(hyper_util::rt::TokioTimer::new())
            .build(EndpointConnector { tcp, tls });
        Ok(HttpClient::new(HyperService(client)))
    }
}

/// Sends requests of a provider.
struct HyperService(Client<EndpointConnector, HttpRequestBody>);

runtime::partial_debug!(HyperService);

#[async_trait]
impl HttpService for HyperService {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = self.0.request(request).await.map_err(http_error)?;
        let (head, body) = response.into_parts();
        let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
        Ok(HttpResponse::from_parts(head, HttpResponseBody::new(body)))
    }
}

fn http_error(error: ClientError) -> HttpError {
    let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Request };
    HttpError::new(kind, error)
}

/// Opens connections to the endpoint: TCP, and TLS for `https`.
#[derive(Clone)]
struct EndpointConnector {
    tcp: TcpConnector,
    tls: TlsConnector,
}

impl Service<Uri> for EndpointConnector {
    type Response = TokioIo<EndpointStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tcp.poll_ready(context).map_err(io::Error::other)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let host = uri.host().map(str::to_owned);
        let is_secure = uri.scheme_str() == Some("https");
        let (connecting, tls) = (self.tcp.call(uri), self.tls.clone());
        Box::pin(async move {
            let stream = connecting.await.map_err(io::Error::other)?.into_inner();
            if !is_secure {
                return Ok(TokioIo::new(EndpointStream(Box::new(stream))));
            }
            let host = host.unwrap_or_default();
            let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
            let name = ServerName::try_from(bare).map_err(io::Error::other)?;
            let secured = timeout(CONNECT, tls.connect(name, stream)).await;
            let stream = secured.map_err(|_| {
                io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake timed out")
            })??;
            Ok(TokioIo::new(EndpointStream(Box::new(stream))))
        })
    }
}

/// A connection to the endpoint.
struct EndpointStream(Box<dyn ByteStream>);

impl AsyncRead for EndpointStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for EndpointStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl Connection for EndpointStream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}
