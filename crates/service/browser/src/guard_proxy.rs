//! The browser's only way out: a forward proxy on loopback, in this process.
//!
//! Whatever a page asks for, in whatever way (redirects, workers, prefetches, sockets),
//! comes through here and is resolved, judged and connected to by the same
//! [`Connector`] that plain requests use. A refusal closes the connection without an
//! answer, so that a script sees a network that failed and no page that we invented.
//!
//! The port is open to every user of the machine, so the proxy wants a secret, new for
//! each browser and told over its pipe only. This also stops what the browser does on
//! its own: it knows the secret in the contexts that pages live in, not in its profile.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

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
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use net::Connector;
use net::OutboundStream;
use net::connection_of;
use net::{FetchError, HttpSettings};

/// The name that goes with the secret.
pub(crate) const USER: &str = "trawl";

/// How many hosts it remembers. Only those of pages under way are ever asked for.
const REMEMBERED: usize = 1024;

type Outgoing = Either<Incoming, Empty<Bytes>>;

/// A proxy for one browser; dropping it ends it and everything that runs through it.
#[derive(Debug)]
pub(crate) struct GuardProxy {
    address: SocketAddr,
    secret: String,
    ledger: Arc<Ledger>,
    server: JoinHandle<()>,
}

impl GuardProxy {
    /// A proxy on a free port of loopback.
    pub(crate) async fn start(connector: Connector, settings: &HttpSettings) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let secret = HEXLOWER.encode(&rand::random::<[u8; 32]>());
        let credentials = BASE64.encode(format!("{USER}:{secret}").as_bytes());
        let ledger = Arc::new(Ledger::default());
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(settings.pool_idle)
            .pool_max_idle_per_host(settings.pool_idle_per_host)
            .http1_max_buf_size(settings.header_bytes.max(8 * 1024))
            .http1_max_headers(settings.headers)
            .build(connector.clone());
        let door = Arc::new(Door {
            expected: format!("Basic {credentials}"),
            ledger: Arc::clone(&ledger),
            connector,
            client,
        });
        let server = tokio::spawn(accept(listener, door));
        Ok(Self { address, secret, ledger, server })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    /// What came of the last connection to a host.
    pub(crate) fn last(&self, host: &str, port: u16) -> Option<Result<SocketAddr, FetchError>> {
        self.ledger.last(host, port)
    }
}

impl Drop for GuardProxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// What came of the connections, by host and port: the browser tells only that there
/// was none, and its answers all come from the proxy's address.
#[derive(Debug, Default)]
struct Ledger(Mutex<HashMap<(String, u16), Result<SocketAddr, FetchError>>>);

impl Ledger {
    fn note(&self, host: &str, port: u16, outcome: Result<SocketAddr, FetchError>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= REMEMBERED {
            kept.clear();
        }
        kept.insert((host.to_owned(), port), outcome);
    }

    fn last(&self, host: &str, port: u16) -> Option<Result<SocketAddr, FetchError>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&(host.to_owned(), port)).cloned()
    }
}

/// What the proxy's connections share.
struct Door {
    expected: String,
    ledger: Arc<Ledger>,
    connector: Connector,
    client: Client<Connector, Incoming>,
}

/// Why a connection of the browser is closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("refused: {0}")]
struct Closed(#[from] FetchError);

async fn accept(listener: TcpListener, door: Arc<Door>) {
    // Ends with this task, and so with the proxy.
    let mut conversations = JoinSet::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::debug!(%error, "a connection of the browser was lost");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    continue;
                }
            },
            Some(_) = conversations.join_next() => continue,
        };
        conversations.spawn(converse(stream, Arc::clone(&door)));
    }
}

async fn converse(stream: TcpStream, door: Arc<Door>) {
    let _ = stream.set_nodelay(true);
    // A tunnel lives in the task of its conversation, and ends with it.
    let tunnel = Arc::new(Mutex::new(None));
    let opened = Arc::clone(&tunnel);
    let service = service_fn(move |request| {
        let (door, opened) = (Arc::clone(&door), Arc::clone(&opened));
        async move { door.answer(request, &opened).await }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::trace!(%error, "a connection of the browser ended");
    }
    let tunnel = tunnel.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(Tunnel { browser, mut site }) = tunnel
        && let Ok(browser) = browser.await
    {
        let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(browser), &mut site).await;
    }
}

/// Two connections that become one.
struct Tunnel {
    browser: hyper::upgrade::OnUpgrade,
    site: OutboundStream,
}

impl Door {
    async fn answer(
        &self,
        request: Request<Incoming>,
        opened: &Mutex<Option<Tunnel>>,
    ) -> Result<Response<Outgoing>, Closed> {
        if !self.is_known(request.headers()) {
            let mut wanted = bare(StatusCode::PROXY_AUTHENTICATION_REQUIRED);
            wanted
                .headers_mut()
                .insert(PROXY_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"trawl\""));
            return Ok(wanted);
        }
        if request.method() == Method::CONNECT {
            self.connect(request, opened).await
        } else {
            self.forward(request).await
        }
    }

    fn is_known(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(PROXY_AUTHORIZATION).map_or(&b""[..], HeaderValue::as_bytes);
        let expected = self.expected.as_bytes();
        // All of it is compared: how long it takes tells nothing about the secret.
        given.len() == expected.len()
            && given.iter().zip(expected).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
    }

    async fn connect(
        &self,
        request: Request<Incoming>,
        opened: &Mutex<Option<Tunnel>>,
    ) -> Result<Response<Outgoing>, Closed> {
        let Some(host) = request.uri().host() else { return Ok(bare(StatusCode::BAD_REQUEST)) };
        let Some(port) = request.uri().port_u16() else {
            return Ok(bare(StatusCode::BAD_REQUEST));
        };
        let reached = self.connector.tunnel(host, port).await;
        self.ledger.note(host, port, reached.as_ref().map(|(_, at)| *at).map_err(Clone::clone));
        let (site, _) = reached?;
        let browser = hyper::upgrade::on(request);
        *opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(Tunnel { browser, site });
        Ok(bare(StatusCode::OK))
    }

    async fn forward(&self, mut request: Request<Incoming>) -> Result<Response<Outgoing>, Closed> {
        let uri = request.uri();
        // What is secure comes as a tunnel; what has no scheme is meant for the proxy itself.
        let Some(host) = uri.host().filter(|_| uri.scheme() == Some(&Scheme::HTTP)) else {
            return Ok(bare(StatusCode::BAD_REQUEST));
        };
        let (host, port) = (host.to_owned(), uri.port_u16().unwrap_or(80));
        drop_hop_headers(request.headers_mut());
        match self.client.request(request).await {
            Ok(mut response) => {
                if let Some(line) = connection_of(response.extensions()) {
                    self.ledger.note(&host, port, Ok(line.remote()));
                }
                drop_hop_headers(response.headers_mut());
                Ok(response.map(Either::Left))
            }
            Err(error) => {
                let error = net::fetch_error(&error);
                self.ledger.note(&host, port, Err(error.clone()));
                Err(error.into())
            }
        }
    }
}

fn bare(status: StatusCode) -> Response<Outgoing> {
    let mut response = Response::new(Either::Right(Empty::new()));
    *response.status_mut() = status;
    response
}

/// Headers that speak of one connection only; the secret is among them.
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
