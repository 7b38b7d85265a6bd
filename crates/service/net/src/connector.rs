//! Connections: resolve, judge, connect to exactly what was judged, then TLS.
//!
//! The connector is the only place of the service that opens connections to
//! sites. A proxy is one that the operator has named, never one of the environment; what it
//! is asked for is judged all the same, and it is asked for the judged address unless the
//! operator allows names.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower::Service;

use crate::dialer::{Dialer, Link, Stream, carried_order};
use crate::resting::{Line, Resting};
use crate::tier::TunnelRefusal;
use crate::{FetchError, GuardedResolver, HttpSettings, Phase, ProviderFault, Proxy};

/// Opens connections for the pool.
#[derive(Clone)]
pub struct Connector {
    shared: Arc<Shared>,
}

struct Shared {
    resolver: Arc<GuardedResolver>,
    tls: TlsConnector,
    timeout: Duration,
    dialer: Dialer,
    /// The proxy of the protected tier.
    proxy: Option<Proxy>,
    /// Whether that proxy is asked for names, and resolves them again by itself.
    proxy_names: bool,
    user_agent: String,
    resting: Arc<Resting>,
}

impl Connector {
    /// Times, proxies and the number of idle connections are those of `settings`. The connect
    /// time holds for each address and for the handshake; all addresses together get twice
    /// of it.
    pub fn new(resolver: Arc<GuardedResolver>, tls: TlsConnector, settings: &HttpSettings) -> Self {
        let (timeout, user_agent) = (settings.connect, settings.user_agent.clone());
        let (egress, names) = (settings.egress.clone(), Arc::clone(&resolver));
        let dialer = Dialer::new(timeout, egress, names, user_agent.clone(), &tls);
        Self {
            shared: Arc::new(Shared {
                resolver,
                tls,
                timeout,
                dialer,
                proxy: settings.proxy.clone(),
                proxy_names: settings.proxy_names,
                user_agent,
                resting: Resting::new(settings.resting),
            }),
        }
    }

    /// A bare connection to `host`, for a caller that speaks TLS through it.
    pub async fn tunnel(&self, host: &str, port: u16) -> Result<(Link, SocketAddr), FetchError> {
        let addresses = self.shared.resolver.resolve(host, port).await?;
        self.shared.dialer.reach(&addresses).await
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Channel>;
    type Error = FetchError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, FetchError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), FetchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move { shared.open(&uri).await.map(TokioIo::new) })
    }
}

impl Shared {
    async fn open(&self, uri: &Uri) -> Result<Channel, FetchError> {
        let host = uri.host().ok_or(FetchError::BadUrl)?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(FetchError::BadUrl),
        };
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let addresses = self.resolver.resolve(host, port).await?;
        if let Some(proxy) = &self.proxy {
            return self.open_by(proxy, host, port, secure, &addresses).await;
        }
        let (link, remote) = self.dialer.reach(&addresses).await?;
        if !secure {
            return Ok(self.channel(Kind::Plain(link), remote));
        }
        let stream = self.handshake(host, link).await?;
        Ok(self.channel(Kind::Secure(Box::new(stream)), remote))
    }

    fn channel(&self, kind: Kind, remote: SocketAddr) -> Channel {
        Channel { kind, line: Line::new(remote, Arc::clone(&self.resting)) }
    }

    /// A connection that the proxy of the protected tier carries to one of `addresses`, which
    /// were judged.
    async fn open_by(
        &self,
        proxy: &Proxy,
        host: &str,
        port: u16,
        secure: bool,
        addresses: &[SocketAddr],
    ) -> Result<Channel, FetchError> {
        let mut failure = FetchError::TimedOut(Phase::Connect);
        for remote in carried_order(addresses).take(if self.proxy_names { 1 } else { usize::MAX }) {
            let authority =
                if self.proxy_names { format!("{host}:{port}") } else { remote.to_string() };
            match self.carry(proxy, &authority).await {
                Ok(stream) if secure => {
                    let stream = self.handshake(host, stream).await?;
                    let is_h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                    return Ok(self.channel(Kind::Carried(Box::new(stream), is_h2), remote));
                }
                Ok(stream) => return Ok(self.channel(Kind::Carried(stream, false), remote)),
                Err(error @ FetchError::Connect(_)) => failure = error,
                Err(error) => return Err(error),
            }
        }
        Err(failure)
    }

    async fn carry(&self, proxy: &Proxy, authority: &str) -> Result<Box<dyn Stream>, FetchError> {
        let mut stream = self.dialer.reach_proxy(proxy).await?;
        let asked = proxy.tunnel(&mut stream, authority, &self.user_agent);
        // A proxy that does not answer in the time of two connections is away.
        match timeout(self.timeout.saturating_mul(2), asked).await {
            Ok(Ok(())) => Ok(stream),
            // The proxy did not get through to the site.
            Ok(Err(TunnelRefusal::Status(502 | 504))) => {
                Err(FetchError::Connect(io::ErrorKind::HostUnreachable))
            }
            Ok(Err(TunnelRefusal::Status(status))) => {
                if !self.proxy_names && status != 407 {
                    self.dialer.warn_of_addresses(proxy, status);
                }
                Err(FetchError::Provider(ProviderFault::Refused(status)))
            }
            Ok(Err(TunnelRefusal::Broken)) | Err(_) => {
                Err(FetchError::Provider(ProviderFault::Unreachable))
            }
        }
    }

    async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        host: &str,
        stream: S,
    ) -> Result<TlsStream<S>, FetchError> {
        let name = server_name(host)?;
        match timeout(self.timeout, self.tls.connect(name, stream)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(error)) => Err(handshake_failure(&error)),
            Err(_) => Err(FetchError::TimedOut(Phase::Handshake)),
        }
    }
}

/// What a certificate of `host` must name.
pub(crate) fn server_name(host: &str) -> Result<ServerName<'static>, FetchError> {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    let bare = bare.strip_suffix('.').unwrap_or(bare);
    ServerName::try_from(bare.to_owned()).map_err(|_| FetchError::BadUrl)
}

/// The instant after `span`, or one that nobody will see.
pub fn after(span: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
    Instant::now() + span.min(CENTURY)
}

/// A refusal of the handshake is one of TLS; a connection that breaks under it is not.
fn handshake_failure(error: &io::Error) -> FetchError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(tls) => FetchError::Tls(tls.to_string()),
        None => FetchError::Connect(error.kind()),
    }
}

/// A connection, with or without TLS.
pub struct Channel {
    kind: Kind,
    line: Arc<Line>,
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel").field("remote", &self.line.remote()).finish_non_exhaustive()
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.line.forget();
    }
}

enum Kind {
    Plain(Link),
    Secure(Box<TlsStream<Link>>),
    /// Through the proxy of the protected tier, and whether HTTP/2 was agreed upon.
    Carried(Box<dyn Stream>, bool),
}

impl Connection for Channel {
    fn connected(&self) -> Connected {
        let connected = Connected::new().extra(Arc::clone(&self.line));
        match &self.kind {
            Kind::Secure(stream) if stream.get_ref().1.alpn_protocol() == Some(b"h2") => {
                connected.negotiated_h2()
            }
            Kind::Carried(_, true) => connected.negotiated_h2(),
            Kind::Plain(_) | Kind::Secure(_) | Kind::Carried(_, false) => connected,
        }
    }
}

impl AsyncRead for Channel {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = match &mut self.kind {
            Kind::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Kind::Secure(stream) => Pin::new(stream).poll_read(context, buffer),
            Kind::Carried(stream, _) => Pin::new(stream).poll_read(context, buffer),
        };
        // To whoever waits for bytes, an end that we chose looks like one that the other side chose.
        if read.is_pending() && self.line.poll_ended(context) { Poll::Ready(Ok(())) } else { read }
    }
}

impl AsyncWrite for Channel {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.kind {
            Kind::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Kind::Secure(stream) => Pin::new(stream).poll_write(context, bytes),
            Kind::Carried(stream, _) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.kind {
            Kind::Plain(stream) => Pin::new(stream).poll_flush(context),
            Kind::Secure(stream) => Pin::new(stream).poll_flush(context),
            Kind::Carried(stream, _) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.kind {
            Kind::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Kind::Secure(stream) => Pin::new(stream).poll_shutdown(context),
            Kind::Carried(stream, _) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
