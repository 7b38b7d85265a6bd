//! Connections: resolve, check, connect to exactly the checked address, then TLS.
//!
//! Only the connector opens connections to sites. It uses a proxy that the operator has configured,
//! never one of the environment. The target of a proxied connection is checked as well, and the
//! tunnel goes to the checked address unless the operator allows names.

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
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tower::Service;

use crate::dialer::{ByteStream, DialedStream, Dialer, proxy_order};
use crate::idle_limit::{IdleConnLimit, TrackedConn};
use crate::tier::TunnelRefusal;
use crate::tls::server_name;
use crate::{FetchError, FetchResult, GuardedResolver, HttpSettings, Phase, ProviderFault, Proxy};

/// Opens connections for the pool.
#[derive(Clone)]
pub struct Connector {
    inner: Arc<ConnectorInner>,
}

struct ConnectorInner {
    resolver: Arc<GuardedResolver>,
    tls: TlsConnector,
    timeout: Duration,
    dialer: Dialer,
    /// The proxy of the protected tier.
    proxy: Option<Proxy>,
    /// Whether tunnels of that proxy go to names, which it resolves again.
    proxy_names: bool,
    /// Whether connections without TLS are opened to explicitly allowed networks only.
    plain_to_allowed: bool,
    user_agent: String,
    idle_limit: Arc<IdleConnLimit>,
}

impl Connector {
    /// Timeouts, proxies and the number of idle connections are those of `settings`. The connect
    /// timeout applies to each address and to the handshake; all addresses together get twice
    /// as much.
    pub fn new(resolver: Arc<GuardedResolver>, tls: TlsConnector, settings: &HttpSettings) -> Self {
        let (timeout, user_agent) = (settings.connect, settings.user_agent.clone());
        let (egress, names) = (settings.egress.clone(), Arc::clone(&resolver));
        let dialer = Dialer::new(timeout, egress, names, user_agent.clone(), &tls);
        Self {
            inner: Arc::new(ConnectorInner {
                resolver,
                tls,
                timeout,
                dialer,
                proxy: settings.proxy.clone(),
                proxy_names: settings.proxy_names,
                plain_to_allowed: settings.plain_to_allowed,
                user_agent,
                idle_limit: IdleConnLimit::new(settings.max_idle_connections),
            }),
        }
    }

    /// A connection to `host` without TLS, for a caller that does the TLS handshake itself.
    pub async fn tunnel(&self, host: &str, port: u16) -> FetchResult<DialedStream> {
        let addresses = self.inner.resolver.resolve(host, port).await?;
        self.inner.dialer.connect(&addresses).await
    }
}

runtime::partial_debug!(Connector);

impl Service<Uri> for Connector {
    type Response = TokioIo<PooledConnection>;
    type Error = FetchError;
    type Future = Pin<Box<dyn Future<Output = FetchResult<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<FetchResult<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.open(&uri).await.map(TokioIo::new) })
    }
}

impl ConnectorInner {
    async fn open(&self, uri: &Uri) -> FetchResult<PooledConnection> {
        let host = uri.host().ok_or(FetchError::BadUrl)?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(FetchError::BadUrl),
        };
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let addresses = self.resolver.resolve(host, port).await?;
        if self.plain_to_allowed && !secure {
            let outside = addresses.iter().find(|address| !self.resolver.opens(**address));
            if let Some(address) = outside {
                return Err(FetchError::AddressRefused(address.ip()));
            }
        }
        let (stream, remote) = match &self.proxy {
            Some(proxy) => self.connect_through(proxy, host, port, &addresses).await?,
            None => self.dialer.connect(&addresses).await?,
        };
        let (stream, is_h2) =
            if secure { self.handshake(host, stream).await? } else { (stream, false) };
        let tracked = TrackedConn::new(remote, Arc::clone(&self.idle_limit));
        Ok(PooledConnection { stream, is_h2, tracked })
    }

    /// Connects through the proxy of the protected tier to one of `addresses`, which were checked.
    async fn connect_through(
        &self,
        proxy: &Proxy,
        host: &str,
        port: u16,
        addresses: &[SocketAddr],
    ) -> FetchResult<DialedStream> {
        let mut failure = FetchError::TimedOut(Phase::Connect);
        for remote in proxy_order(addresses).take(if self.proxy_names { 1 } else { usize::MAX }) {
            let authority =
                if self.proxy_names { format!("{host}:{port}") } else { remote.to_string() };
            match self.open_tunnel(proxy, &authority).await {
                Ok(stream) => return Ok((stream, remote)),
                Err(error @ FetchError::Connect(_)) => failure = error,
                Err(error) => return Err(error),
            }
        }
        Err(failure)
    }

    async fn open_tunnel(
        &self,
        proxy: &Proxy,
        authority: &str,
    ) -> FetchResult<Box<dyn ByteStream>> {
        let mut stream = self.dialer.connect_to_proxy(proxy).await?;
        let tunnel = proxy.tunnel(&mut stream, authority, &self.user_agent);
        // A proxy that does not respond within two connect timeouts counts as unreachable.
        match timeout(self.timeout.saturating_mul(2), tunnel).await {
            Ok(Ok(())) => Ok(stream),
            // The proxy could not reach the site.
            Ok(Err(TunnelRefusal::Status(502 | 504))) => {
                Err(FetchError::Connect(io::ErrorKind::HostUnreachable))
            }
            Ok(Err(TunnelRefusal::Status(status))) => {
                if !self.proxy_names && status != 407 {
                    self.dialer.warn_address_refused(proxy, status);
                }
                Err(FetchError::Provider(ProviderFault::Refused(status)))
            }
            Ok(Err(TunnelRefusal::Broken)) | Err(_) => {
                Err(FetchError::Provider(ProviderFault::Unreachable))
            }
        }
    }

    /// Returns the encrypted stream, and whether HTTP/2 was negotiated.
    async fn handshake(
        &self,
        host: &str,
        stream: Box<dyn ByteStream>,
    ) -> FetchResult<(Box<dyn ByteStream>, bool)> {
        let name = server_name(host)?;
        match timeout(self.timeout, self.tls.connect(name, stream)).await {
            Ok(Ok(stream)) => {
                let is_h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                Ok((Box::new(stream), is_h2))
            }
            Ok(Err(error)) => Err(handshake_failure(&error)),
            Err(_) => Err(FetchError::TimedOut(Phase::Handshake)),
        }
    }
}

/// A TLS alert or a certificate error is `Tls`; a connection that breaks during the handshake is
/// `Connect`.
fn handshake_failure(error: &io::Error) -> FetchError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(tls) => FetchError::Tls(tls.to_string()),
        None => FetchError::Connect(error.kind()),
    }
}

/// A connection of the pool, with or without TLS.
pub struct PooledConnection {
    stream: Box<dyn ByteStream>,
    is_h2: bool,
    tracked: Arc<TrackedConn>,
}

impl fmt::Debug for PooledConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledConnection")
            .field("remote", &self.tracked.remote())
            .finish_non_exhaustive()
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        self.tracked.mark_closed();
    }
}

impl Connection for PooledConnection {
    fn connected(&self) -> Connected {
        let connected = Connected::new().extra(Arc::clone(&self.tracked));
        if self.is_h2 { connected.negotiated_h2() } else { connected }
    }
}

impl AsyncRead for PooledConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        // The reader sees a close by the idle limit as end of stream.
        if read.is_pending() && self.tracked.poll_closed(context) {
            Poll::Ready(Ok(()))
        } else {
            read
        }
    }
}

impl AsyncWrite for PooledConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
