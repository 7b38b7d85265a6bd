//! Calls over HTTP to another service.
//!
//! Each call opens a new connection: calls are rare, and a connection that is not reused cannot be
//! stale.

use std::fmt;
use std::future::Future;
use std::io;
use std::path::Path;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Request, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::{TlsConnector, rustls};
use url::Url;

use crate::ApiCall;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for a response; the slowest operation, an estimate, takes ten seconds.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

/// Why a client cannot be created.
#[derive(Debug, Error)]
pub enum ClientSetupError {
    /// The URL of the service is invalid.
    #[error("{url:?} is not the URL of a service: {problem}")]
    Address { url: String, problem: String },
    /// The TLS configuration is invalid.
    #[error(transparent)]
    Tls(#[from] net::SetupError),
}

/// The service did not respond, or not with HTTP.
#[derive(Debug, Clone, Error)]
#[error("no response from {url}: {cause}")]
pub struct ServiceUnreachable {
    pub url: String,
    pub cause: String,
    /// Whether the certificate of the service was refused.
    pub is_untrusted: bool,
}

/// The connection parameters of one service.
pub(crate) struct HttpTransport {
    base: Url,
    host: HeaderValue,
    tls: Option<TlsConnector>,
}

/// A connection with or without TLS.
trait ByteChannel: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> ByteChannel for T {}

impl HttpTransport {
    pub fn new(url: &str, extra_authorities: Option<&Path>) -> Result<Self, ClientSetupError> {
        let invalid = |problem: &str| ClientSetupError::Address {
            url: url.to_owned(),
            problem: problem.to_owned(),
        };
        let base = Url::parse(url).map_err(|error| invalid(&error.to_string()))?;
        let tls = match base.scheme() {
            "http" => None,
            "https" => Some(net::tls_connector(extra_authorities, &[b"http/1.1"])?),
            _ => return Err(invalid("it must begin with http:// or https://")),
        };
        if !base.username().is_empty() || base.password().is_some() {
            return Err(invalid("it must not contain credentials"));
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(invalid("it must not have a query or fragment"));
        }
        let name = base.host_str().ok_or_else(|| invalid("it has no host"))?;
        let host = match base.port() {
            Some(port) => format!("{name}:{port}"),
            None => name.to_owned(),
        };
        let host = HeaderValue::from_str(&host).map_err(|_| invalid("its host is invalid"))?;
        Ok(Self { base, host, tls })
    }

    /// The response, or a 502 with the reason as an extension.
    pub async fn exchange(&self, call: ApiCall) -> Response {
        let within = call.timeout();
        let result = self.in_time(within, self.request(call.into_request())).await;
        match result.and_then(|response| response.map_err(|error| self.failed(&error))) {
            Ok(response) => response,
            Err(unreachable) => {
                let mut response = StatusCode::BAD_GATEWAY.into_response();
                response.extensions_mut().insert(unreachable);
                response
            }
        }
    }

    /// Waits for a response, with the timeout of the call if it has one.
    pub async fn in_time<T>(
        &self,
        within: Option<Duration>,
        response: impl Future<Output = T>,
    ) -> Result<T, ServiceUnreachable> {
        let within = within.unwrap_or(RESPONSE_TIMEOUT);
        let seconds = within.as_secs();
        timeout(within, response)
            .await
            .map_err(|_| self.unreachable(format!("timeout after {seconds} seconds")))
    }

    fn unreachable(&self, cause: String) -> ServiceUnreachable {
        ServiceUnreachable { url: self.base.to_string(), cause, is_untrusted: false }
    }

    fn failed(&self, error: &io::Error) -> ServiceUnreachable {
        let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        let is_untrusted = matches!(tls, Some(rustls::Error::InvalidCertificate(_)));
        ServiceUnreachable { is_untrusted, ..self.unreachable(error.to_string()) }
    }

    async fn request(&self, mut request: Request<Body>) -> io::Result<Response> {
        let channel = timeout(CONNECT_TIMEOUT, self.connect())
            .await
            .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "connection timeout"))??;
        // The URL of the service may have a path.
        let prefix = self.base.path().trim_end_matches('/');
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let uri: Uri = format!("{prefix}{path}").parse().map_err(io::Error::other)?;
        *request.uri_mut() = uri;
        request.headers_mut().insert(header::HOST, self.host.clone());
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(channel)).await.map_err(io::Error::other)?;
        tokio::spawn(async move {
            if let Err(cause) = connection.await {
                tracing::debug!(%cause, "a connection to the service ended with an error");
            }
        });
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        Ok(response.map(Body::new))
    }

    async fn connect(&self) -> io::Result<Box<dyn ByteChannel>> {
        let host = self.base.host_str().unwrap_or_default();
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let port = self.base.port_or_known_default().unwrap_or(80);
        let stream = TcpStream::connect((bare, port)).await?;
        // Requests are written whole: Nagle's algorithm would only delay them.
        stream.set_nodelay(true)?;
        match &self.tls {
            None => Ok(Box::new(stream)),
            Some(tls) => {
                let name = ServerName::try_from(bare.to_owned()).map_err(io::Error::other)?;
                Ok(Box::new(tls.connect(name, stream).await?))
            }
        }
    }
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::HeaderMap;
    use axum::routing::get;
    use tokio::net::TcpListener;

    use super::*;
    use crate::{Client, UnexpectedResponse};

    #[tokio::test]
    async fn path_of_the_service_url_and_host_header_are_sent() {
        let host = async |headers: HeaderMap| format!("{:?}", headers["host"]);
        let router = Router::new().route("/below/v1/who", get(host));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { axum::serve(listener, router).await });
        let client =
            Client::over_http(&format!("http://{address}/below/"), None).expect("an address");
        let response = client.send(ApiCall::get("/v1/who?page=1")).await.expect("a response");
        assert_eq!(response.status, StatusCode::OK);
        assert_eq!(response.body, format!("\"{address}\""));
    }

    #[tokio::test(start_paused = true)]
    async fn upload_may_take_longer_than_other_calls() {
        let late = |seconds| async move { tokio::time::sleep(Duration::from_secs(seconds)).await };
        let transport = HttpTransport::new("http://127.0.0.1:9", None).expect("an address");
        let upload = ApiCall::post("/v1/lists").upload("text/plain", "http://a.test/").timeout();
        assert!(upload.is_some());
        assert!(transport.in_time(upload, late(600)).await.is_ok());
        let error = transport.in_time(None, late(600)).await.expect_err("no answer for a minute");
        assert!(error.to_string().contains("timeout after 60 seconds"), "{error}");
    }

    #[tokio::test]
    async fn unreachable_service_is_named_in_the_error() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        let client = Client::over_http(&format!("http://{address}"), None).expect("an address");
        let Err(UnexpectedResponse::ServiceUnreachable(error)) =
            client.send(ApiCall::get("/")).await
        else {
            panic!("the service is not running")
        };
        assert!(error.to_string().contains(&address.to_string()), "{error}");
        assert!(error.to_string().to_lowercase().contains("refused"), "{error}");
    }

    #[test]
    fn invalid_service_urls_are_rejected() {
        for url in ["", "localhost:8080", "ftp://a", "http://u:p@a/", "http://a/?b", "http://"] {
            assert!(HttpTransport::new(url, None).is_err(), "{url:?}");
        }
    }
}
