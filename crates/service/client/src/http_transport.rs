//! The way over the wire, to a service that runs elsewhere.
//!
//! A call has a connection of its own: whoever calls from here makes a call now and then, and a
//! connection that is not kept cannot be found dead.

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
use tokio_rustls::TlsConnector;
use url::Url;

/// A connection that takes longer is none.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// The slowest operation looks at a site for ten seconds.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// A service that cannot be asked as it was named.
#[derive(Debug, Error)]
pub enum ClientSetupError {
    /// It is not where a service can be.
    #[error("{url:?} is not the address of a service: {problem}")]
    Address { url: String, problem: String },
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] net::SetupError),
}

/// Nobody answers, or not in the way of HTTP.
#[derive(Debug, Clone, Error)]
#[error("no answer from {url}: {cause}")]
pub struct ServiceUnreachable {
    pub url: String,
    pub cause: String,
}

/// The way to one service.
pub(crate) struct HttpTransport {
    base: Url,
    host: HeaderValue,
    tls: Option<TlsConnector>,
}

/// What bytes go over, with or without TLS.
trait ByteChannel: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> ByteChannel for T {}

impl HttpTransport {
    pub fn to(url: &str, extra_authorities: Option<&Path>) -> Result<Self, ClientSetupError> {
        let wrong = |problem: &str| ClientSetupError::Address {
            url: url.to_owned(),
            problem: problem.to_owned(),
        };
        let base = Url::parse(url).map_err(|error| wrong(&error.to_string()))?;
        let tls = match base.scheme() {
            "http" => None,
            "https" => Some(net::tls(extra_authorities, &[b"http/1.1"])?),
            _ => return Err(wrong("it must begin with http:// or https://")),
        };
        if !base.username().is_empty() || base.password().is_some() {
            return Err(wrong("a credential does not belong there"));
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(wrong("it ends with its path"));
        }
        let name = base.host_str().ok_or_else(|| wrong("it has no host"))?;
        let host = match base.port() {
            Some(port) => format!("{name}:{port}"),
            None => name.to_owned(),
        };
        let host = HeaderValue::from_str(&host).map_err(|_| wrong("its host cannot be named"))?;
        Ok(Self { base, host, tls })
    }

    /// The answer, or a bare 502 that carries why there is none.
    pub async fn exchange(&self, request: Request<Body>) -> Response {
        let answered = self.in_time(self.ask(request)).await;
        match answered.and_then(|answer| answer.map_err(|error| self.away(error.to_string()))) {
            Ok(response) => response,
            Err(unreachable) => {
                let mut response = StatusCode::BAD_GATEWAY.into_response();
                response.extensions_mut().insert(unreachable);
                response
            }
        }
    }

    /// Waits for an answer as long as one may take.
    pub async fn in_time<T>(
        &self,
        answer: impl Future<Output = T>,
    ) -> Result<T, ServiceUnreachable> {
        let seconds = ANSWER_WITHIN.as_secs();
        timeout(ANSWER_WITHIN, answer)
            .await
            .map_err(|_| self.away(format!("nothing came within {seconds} seconds")))
    }

    fn away(&self, cause: String) -> ServiceUnreachable {
        ServiceUnreachable { url: self.base.to_string(), cause }
    }

    async fn ask(&self, mut request: Request<Body>) -> io::Result<Response> {
        let channel = timeout(CONNECT_WITHIN, self.connect())
            .await
            .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "it cannot be connected to"))??;
        // The service may live below a path of its host.
        let below = self.base.path().trim_end_matches('/');
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let uri: Uri = format!("{below}{path}").parse().map_err(io::Error::other)?;
        *request.uri_mut() = uri;
        request.headers_mut().insert(header::HOST, self.host.clone());
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(channel)).await.map_err(io::Error::other)?;
        tokio::spawn(async move {
            if let Err(cause) = connection.await {
                tracing::debug!(%cause, "a connection to the service ended early");
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
        // Requests are small and whole: waiting for more to send only costs time.
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
        f.debug_struct("Wire").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::HeaderMap;
    use axum::routing::get;
    use tokio::net::TcpListener;

    use super::*;
    use crate::{ApiCall, Client, UnexpectedResponse};

    #[tokio::test]
    async fn a_service_below_a_path_is_asked_there_under_its_name() {
        let told = async |headers: HeaderMap| format!("{:?}", headers["host"]);
        let router = Router::new().route("/below/v1/who", get(told));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { axum::serve(listener, router).await });
        let client =
            Client::over_http(&format!("http://{address}/below/"), None).expect("an address");
        let answer = client.send(ApiCall::get("/v1/who?page=1")).await.expect("an answer");
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.body, format!("\"{address}\""));
    }

    #[tokio::test]
    async fn a_service_that_is_not_there_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        let client = Client::over_http(&format!("http://{address}"), None).expect("an address");
        let Err(UnexpectedResponse::ServiceUnreachable(error)) =
            client.send(ApiCall::get("/")).await
        else {
            panic!("nobody is there")
        };
        assert!(error.to_string().contains(&address.to_string()), "{error}");
        assert!(error.to_string().to_lowercase().contains("refused"), "{error}");
    }

    #[test]
    fn what_is_no_address_of_a_service_is_refused() {
        for url in ["", "localhost:8080", "ftp://a", "http://u:p@a/", "http://a/?b", "http://"] {
            assert!(HttpTransport::to(url, None).is_err(), "{url:?}");
        }
    }
}
