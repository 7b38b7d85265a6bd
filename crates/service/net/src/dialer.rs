//! TCP connections to addresses that were judged: straight, or through the operator's egress
//! proxy.
//!
//! An egress proxy is asked for a tunnel (`CONNECT`) to the judged address, never to a name: a
//! second lookup by the proxy could lead elsewhere (DNS rebinding).

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::io::Errno;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

use crate::connector::{after, server_name};
use crate::proxy_addresses::ProxyAddresses;
use crate::tier::TunnelRefusal;
use crate::{FetchError, GuardedResolver, Phase, ProviderFault, Proxy};

/// How long to wait for a file descriptor when the process has as many open as it may.
const RETRY_OPEN: Duration = Duration::from_millis(50);

/// How many addresses of a host a proxy is asked for.
const CARRIED_ADDRESSES: usize = 4;

/// The shortest time between two warnings about the egress proxy.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// Anything that bytes go in and out of.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection to a judged address.
pub enum Link {
    Direct(TcpStream),
    /// A tunnel through the egress proxy.
    Carried(Box<dyn Stream>),
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct(_) => "Link::Direct",
            Self::Carried(_) => "Link::Carried",
        })
    }
}

/// Opens connections.
pub(crate) struct Dialer {
    /// For each address; all addresses of a host together get twice of it.
    timeout: Duration,
    egress: Option<Proxy>,
    proxies: Arc<ProxyAddresses>,
    user_agent: String,
    /// TLS to proxies themselves, which speak HTTP/1.1.
    tls: TlsConnector,
    warned: Mutex<Option<Instant>>,
}

impl Dialer {
    pub(crate) fn new(
        timeout: Duration,
        egress: Option<Proxy>,
        resolver: Arc<GuardedResolver>,
        user_agent: String,
        tls: &TlsConnector,
    ) -> Self {
        let mut config = (**tls.config()).clone();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let tls = TlsConnector::from(Arc::new(config));
        let proxies = Arc::new(ProxyAddresses::new(resolver));
        Self { timeout, egress, proxies, user_agent, tls, warned: Mutex::new(None) }
    }

    /// A connection to the first of `addresses` that takes one.
    pub(crate) async fn reach(
        &self,
        addresses: &[SocketAddr],
    ) -> Result<(Link, SocketAddr), FetchError> {
        let Some(proxy) = &self.egress else {
            let (stream, address) = self.straight(addresses).await?;
            return Ok((Link::Direct(stream), address));
        };
        let end = after(self.timeout.saturating_mul(2));
        let mut failure = FetchError::TimedOut(Phase::Connect);
        for address in carried_order(addresses) {
            let end = end.min(after(self.timeout));
            match timeout_at(end, self.by_egress(proxy, address)).await {
                Ok(Ok(stream)) => return Ok((Link::Carried(stream), address)),
                Ok(Err(error @ FetchError::Egress(_))) => {
                    self.warn(proxy, &error);
                    return Err(error);
                }
                Ok(Err(error)) => failure = error,
                Err(_) => failure = FetchError::TimedOut(Phase::Connect),
            }
        }
        Err(failure)
    }

    /// A connection to a proxy itself, through the egress proxy where there is one.
    pub(crate) async fn reach_proxy(&self, proxy: &Proxy) -> Result<Box<dyn Stream>, FetchError> {
        let away = FetchError::Provider(ProviderFault::Unreachable);
        let Ok(addresses) = self.proxies.of(proxy).await else { return Err(away) };
        let Ok((link, _)) = self.reach(&addresses).await else { return Err(away) };
        self.encrypted(proxy, link).await.map_err(|_| away)
    }

    async fn by_egress(
        &self,
        proxy: &Proxy,
        address: SocketAddr,
    ) -> Result<Box<dyn Stream>, FetchError> {
        let away = || FetchError::Egress(ProviderFault::Unreachable);
        let open = async {
            let addresses = self.proxies.of(proxy).await.ok()?;
            let (stream, _) = self.straight(&addresses).await.ok()?;
            self.encrypted(proxy, Link::Direct(stream)).await.ok()
        };
        // Half of the time: a proxy that is away must not look like a site that is.
        let opened = timeout(self.timeout / 2, open).await;
        let mut stream = opened.ok().flatten().ok_or_else(away)?;
        match proxy.tunnel(&mut stream, &address.to_string(), &self.user_agent).await {
            Ok(()) => Ok(stream),
            // The proxy did not get through to the site.
            Err(TunnelRefusal::Status(502..=504)) => {
                Err(FetchError::Connect(io::ErrorKind::HostUnreachable))
            }
            // Its rules forbid this port, which a client chose: no failure of the proxy.
            Err(TunnelRefusal::Status(403)) if !matches!(address.port(), 80 | 443) => {
                Err(FetchError::Connect(io::ErrorKind::PermissionDenied))
            }
            Err(TunnelRefusal::Status(status)) => {
                Err(FetchError::Egress(ProviderFault::Refused(status)))
            }
            Err(TunnelRefusal::Broken) => Err(away()),
        }
    }

    async fn encrypted(&self, proxy: &Proxy, link: Link) -> Result<Box<dyn Stream>, FetchError> {
        if !proxy.secure {
            return Ok(Box::new(link));
        }
        let name = server_name(&proxy.host)?;
        match timeout(self.timeout, self.tls.connect(name, link)).await {
            Ok(Ok(stream)) => Ok(Box::new(stream)),
            Ok(Err(error)) => Err(FetchError::Tls(error.to_string())),
            Err(_) => Err(FetchError::TimedOut(Phase::Handshake)),
        }
    }

    async fn straight(
        &self,
        addresses: &[SocketAddr],
    ) -> Result<(TcpStream, SocketAddr), FetchError> {
        let end = after(self.timeout.saturating_mul(2));
        let mut failure = FetchError::TimedOut(Phase::Connect);
        for address in addresses {
            let end = end.min(after(self.timeout));
            match timeout_at(end, connect(*address)).await {
                Ok(Ok(stream)) => {
                    // Requests are small and go out whole: waiting for more gains nothing.
                    let _ = stream.set_nodelay(true);
                    return Ok((stream, *address));
                }
                Ok(Err(error)) => failure = FetchError::Connect(error.kind()),
                Err(_) => failure = FetchError::TimedOut(Phase::Connect),
            }
        }
        Err(failure)
    }

    /// The operator learns that the egress proxy fails, but not once for each request.
    fn warn(&self, proxy: &Proxy, error: &FetchError) {
        if self.may_warn() {
            tracing::warn!(?proxy, %error, "outbound requests fail: check egress_proxy");
        }
    }

    /// The same of a proxy of the protected tier that refuses a tunnel to an address.
    pub(crate) fn warn_of_addresses(&self, proxy: &Proxy, status: u16) {
        if self.may_warn() {
            tracing::warn!(
                ?proxy,
                status,
                "protected_proxy refuses CONNECT to an IP address; if it accepts host names only, \
                 set protected_proxy_names = true and read what that gives up in docs/egress.md"
            );
        }
    }

    fn may_warn(&self) -> bool {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        let due = warned.is_none_or(|last| last.elapsed() >= WARN_EVERY);
        if due {
            *warned = Some(Instant::now());
        }
        due
    }
}

/// The addresses that a proxy is asked for: IPv4 first, which more proxies reach.
pub(crate) fn carried_order(addresses: &[SocketAddr]) -> impl Iterator<Item = SocketAddr> {
    let mut ordered = addresses.to_vec();
    ordered.sort_by_key(SocketAddr::is_ipv6);
    ordered.into_iter().take(CARRIED_ADDRESSES)
}

/// A connection to `address`. A lack of file descriptors is no fault of the host: it waits for
/// one.
async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    loop {
        match TcpStream::connect(address).await {
            Err(error) if lacks_files(&error) => tokio::time::sleep(RETRY_OPEN).await,
            outcome => return outcome,
        }
    }
}

fn lacks_files(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

impl AsyncRead for Link {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Direct(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Carried(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Link {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Direct(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Carried(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Direct(stream) => Pin::new(stream).poll_flush(context),
            Self::Carried(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Direct(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Carried(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
