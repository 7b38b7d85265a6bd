//! The guard proxy: a forward proxy on loopback in this process, the only network access of the
//! browser.
//!
//! Every request of a page (redirects, workers, prefetches, WebSockets) goes through it and uses the
//! same [`Connector`], with its address guard, as plain requests. A refused request closes the
//! connection without a response, so that a script sees a network failure.
//!
//! Every user of the machine can connect to the port, so the proxy requires a secret, new for each
//! browser and sent only over its pipe. This also blocks requests of the browser itself, which has the
//! secret in the contexts of pages but not in its profile.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use data_encoding::{BASE64, HEXLOWER};
use http::header::{
    CONNECTION, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::uri::Scheme;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{Either, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use net::{
    ByteStream, ConnectionPool, Connector, FetchError, FetchResult, HttpSettings, connection_of,
};

/// The user name of the proxy credentials.
pub(crate) const USER: &str = "trawl";

/// Maximum remembered hosts. Only those of loading pages are needed.
const MAX_OUTCOMES: usize = 1024;

type ProxyBody = Either<Incoming, Empty<Bytes>>;

/// The proxy of one browser; dropping it closes all its connections.
#[derive(Debug)]
pub(crate) struct GuardProxy {
    address: SocketAddr,
    secret: String,
    outcomes: Arc<ConnectionOutcomes>,
    server: JoinHandle<()>,
}

impl GuardProxy {
    /// Starts a proxy on a free loopback port.
    pub(crate) async fn start(connector: Connector, settings: &HttpSettings) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let secret = HEXLOWER.encode(&rand::random::<[u8; 32]>());
        let credentials = BASE64.encode(format!("{USER}:{secret}").as_bytes());
        let outcomes = Arc::new(ConnectionOutcomes::default());
        let pool = ConnectionPool::new(settings, connector.clone());
        let service = Arc::new(ProxyService {
            expected: format!("Basic {credentials}"),
            outcomes: Arc::clone(&outcomes),
            connector,
            pool,
        });
        let server = tokio::spawn(accept(listener, service));
        Ok(Self { address, secret, outcomes, server })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    /// The outcome of the last connection to a host.
    pub(crate) fn last(&self, host: &str, port: u16) -> Option<FetchResult<SocketAddr>> {
        self.outcomes.last(host, port)
    }
}

impl Drop for GuardProxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Outcomes of connections by host and port. The browser reports neither the cause of a failure nor
/// the remote address behind the proxy.
#[derive(Debug, Default)]
struct ConnectionOutcomes(Mutex<HashMap<(String, u16), FetchResult<SocketAddr>>>);

impl ConnectionOutcomes {
    fn record(&self, host: &str, port: u16, outcome: FetchResult<SocketAddr>) {
        let mut outcomes = self.0.lock();
        if outcomes.len() >= MAX_OUTCOMES {
            outcomes.clear();
        }
        outcomes.insert((host.to_owned(), port), outcome);
    }

    fn last(&self, host: &str, port: u16) -> Option<FetchResult<SocketAddr>> {
        let outcomes = self.0.lock();
        outcomes.get(&(host.to_owned(), port)).cloned()
    }
}

/// State shared by all connections of the proxy.
struct ProxyService {
    expected: String,
    outcomes: Arc<ConnectionOutcomes>,
    connector: Connector,
    pool: ConnectionPool,
}

/// Closes the connection of the browser without a response.
#[derive(Debug, thiserror::Error)]
#[error("refused: {0}")]
struct ConnectionRefused(#[from] FetchError);

async fn accept(listener: TcpListener, service: Arc<ProxyService>) {
    // Dropped with this task, and so with the proxy.
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::debug!(%error, "guard proxy cannot accept a connection");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    continue;
                }
            },
            Some(_) = connections.join_next() => continue,
        };
        connections.spawn(serve_connection(stream, Arc::clone(&service)));
    }
}

async fn serve_connection(stream: TcpStream, service: Arc<ProxyService>) {
    let _ = stream.set_nodelay(true);
    // A tunnel runs in the task of its connection and ends with it.
    let tunnel = Arc::new(Mutex::new(None));
    let opened = Arc::clone(&tunnel);
    let service = service_fn(move |request| {
        let (service, opened) = (Arc::clone(&service), Arc::clone(&opened));
        async move { service.respond(request, &opened).await }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::trace!(%error, "connection of the browser to the guard proxy failed");
    }
    let tunnel = tunnel.lock().take();
    if let Some(BrowserTunnel { browser, mut site }) = tunnel
        && let Ok(browser) = browser.await
    {
        let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(browser), &mut site).await;
    }
}

/// A tunnel between the browser and a site.
struct BrowserTunnel {
    browser: hyper::upgrade::OnUpgrade,
    site: Box<dyn ByteStream>,
}

impl ProxyService {
    async fn respond(
        &self,
        request: Request<Incoming>,
        opened: &Mutex<Option<BrowserTunnel>>,
    ) -> Result<Response<ProxyBody>, ConnectionRefused> {
        if !self.is_authorized(request.headers()) {
            let mut unauthorized = empty_response(StatusCode::PROXY_AUTHENTICATION_REQUIRED);
            unauthorized
                .headers_mut()
                .insert(PROXY_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"trawl\""));
            return Ok(unauthorized);
        }
        if request.method() == Method::CONNECT {
            self.connect(request, opened).await
        } else {
            self.forward(request).await
        }
    }

    fn is_authorized(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(PROXY_AUTHORIZATION).map_or(&b""[..], HeaderValue::as_bytes);
        let expected = self.expected.as_bytes();
        // Constant time: the duration reveals nothing about the secret.
        given.len() == expected.len()
            && given.iter().zip(expected).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
    }

    async fn connect(
        &self,
        request: Request<Incoming>,
        opened: &Mutex<Option<BrowserTunnel>>,
    ) -> Result<Response<ProxyBody>, ConnectionRefused> {
        let Some(host) = request.uri().host() else {
            return Ok(empty_response(StatusCode::BAD_REQUEST));
        };
        let Some(port) = request.uri().port_u16() else {
            return Ok(empty_response(StatusCode::BAD_REQUEST));
        };
        let reached = self.connector.tunnel(host, port).await;
        self.outcomes.record(host, port, reached.as_ref().map(|(_, at)| *at).map_err(Clone::clone));
        let (site, _) = reached?;
        let browser = hyper::upgrade::on(request);
        *opened.lock() = Some(BrowserTunnel { browser, site });
        Ok(empty_response(StatusCode::OK))
    }

    async fn forward(
        &self,
        mut request: Request<Incoming>,
    ) -> Result<Response<ProxyBody>, ConnectionRefused> {
        let uri = request.uri();
        // `https:` uses CONNECT; a request without scheme addresses the proxy itself.
        let Some(host) = uri.host().filter(|_| uri.scheme() == Some(&Scheme::HTTP)) else {
            return Ok(empty_response(StatusCode::BAD_REQUEST));
        };
        let (host, port) = (host.to_owned(), uri.port_u16().unwrap_or(80));
        drop_hop_headers(request.headers_mut());
        match self.pool.request(request).await {
            Ok(mut response) => {
                if let Some(connection) = connection_of(response.extensions()) {
                    self.outcomes.record(&host, port, Ok(connection.remote()));
                }
                drop_hop_headers(response.headers_mut());
                Ok(response.map(Either::Left))
            }
            Err(error) => {
                let error = net::fetch_error(&error);
                self.outcomes.record(&host, port, Err(error.clone()));
                Err(error.into())
            }
        }
    }
}

fn empty_response(status: StatusCode) -> Response<ProxyBody> {
    let mut response = Response::new(Either::Right(Empty::new()));
    *response.status_mut() = status;
    response
}

/// Removes hop-by-hop headers, among them the secret.
fn drop_hop_headers(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in [CONNECTION, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, UPGRADE] {
        headers.remove(name);
    }
    headers.remove(TRANSFER_ENCODING);
    headers.remove("proxy-connection");
    headers.remove("keep-alive");
}

#[cfg(test)]
mod tests;
