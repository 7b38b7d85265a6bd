//! TCP connections to checked addresses: direct, or through the operator's egress proxy.
//!
//! A tunnel (`CONNECT`) of an egress proxy goes to the checked address, never to a name: a
//! second lookup by the proxy could return another address (DNS rebinding).

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::io::Errno;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

use crate::deadline::deadline_after;
use crate::proxy_addresses::ProxyAddresses;
use crate::tier::TunnelRefusal;
use crate::tls::server_name;
use crate::{FetchError, FetchResult, GuardedResolver, Phase, ProviderFault, Proxy};

/// Wait before the next attempt when the process has no free file descriptor.
const DESCRIPTOR_RETRY: Duration = Duration::from_millis(50);

/// At most this many addresses of a host are tried through a proxy.
const MAX_PROXY_ADDRESSES: usize = 4;

/// The shortest time between two warnings about the egress proxy.
const WARN_INTERVAL: Duration = Duration::from_secs(60);

/// A bidirectional byte stream: TCP, TLS or a tunnel.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// An open connection and the address that it leads to.
pub type DialedStream = (Box<dyn ByteStream>, SocketAddr);

/// Opens TCP connections and tunnels.
pub(crate) struct Dialer {
    /// For each address; all addresses of a host together get twice as much.
    timeout: Duration,
    egress: Option<Proxy>,
    proxies: Arc<ProxyAddresses>,
    user_agent: String,
    /// TLS to proxies themselves, with HTTP/1.1.
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

    /// Connects to the first of `addresses` that accepts.
    pub(crate) async fn connect(&self, addresses: &[SocketAddr]) -> FetchResult<DialedStream> {
        let Some(proxy) = &self.egress else {
            let (stream, address) = self.connect_direct(addresses).await?;
            return Ok((Box::new(stream), address));
        };
        let end = deadline_after(self.timeout.saturating_mul(2));
        let mut failure = FetchError::TimedOut(Phase::Connect);
        for address in proxy_order(addresses) {
            let end = end.min(deadline_after(self.timeout));
            match timeout_at(end, self.connect_through_egress(proxy, address)).await {
                Ok(Ok(stream)) => return Ok((stream, address)),
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
    pub(crate) async fn connect_to_proxy(&self, proxy: &Proxy) -> FetchResult<Box<dyn ByteStream>> {
        let unreachable = FetchError::Provider(ProviderFault::Unreachable);
        let Ok(addresses) = self.proxies.of(proxy).await else { return Err(unreachable) };
        let Ok((stream, _)) = self.connect(&addresses).await else { return Err(unreachable) };
        self.with_tls(proxy, stream).await.map_err(|_| unreachable)
    }

    async fn connect_through_egress(
        &self,
        proxy: &Proxy,
        address: SocketAddr,
    ) -> FetchResult<Box<dyn ByteStream>> {
        let unreachable = || FetchError::Egress(ProviderFault::Unreachable);
        let open = async {
            let addresses = self.proxies.of(proxy).await.ok()?;
            let (stream, _) = self.connect_direct(&addresses).await.ok()?;
            self.with_tls(proxy, Box::new(stream)).await.ok()
        };
        // Half of the timeout: an unreachable proxy must not look like an unreachable site.
        let opened = timeout(self.timeout / 2, open).await;
        let mut stream = opened.ok().flatten().ok_or_else(unreachable)?;
        match proxy.tunnel(&mut stream, &address.to_string(), &self.user_agent).await {
            Ok(()) => Ok(stream),
            // The proxy could not reach the site.
            Err(TunnelRefusal::Status(502..=504)) => {
                Err(FetchError::Connect(io::ErrorKind::HostUnreachable))
            }
            // The proxy forbids this port, which a client chose: the proxy itself works.
            Err(TunnelRefusal::Status(403)) if !matches!(address.port(), 80 | 443) => {
                Err(FetchError::Connect(io::ErrorKind::PermissionDenied))
            }
            Err(TunnelRefusal::Status(status)) => {
                Err(FetchError::Egress(ProviderFault::Refused(status)))
            }
            Err(TunnelRefusal::Broken) => Err(unreachable()),
        }
    }

    async fn with_tls(
        &self,
        proxy: &Proxy,
        stream: Box<dyn ByteStream>,
    ) -> FetchResult<Box<dyn ByteStream>> {
        if !proxy.secure {
            return Ok(stream);
        }
        let name = server_name(&proxy.host)?;
        match timeout(self.timeout, self.tls.connect(name, stream)).await {
            Ok(Ok(stream)) => Ok(Box::new(stream)),
            Ok(Err(error)) => Err(FetchError::Tls(error.to_string())),
            Err(_) => Err(FetchError::TimedOut(Phase::Handshake)),
        }
    }

    async fn connect_direct(
        &self,
        addresses: &[SocketAddr],
    ) -> FetchResult<(TcpStream, SocketAddr)> {
        let end = deadline_after(self.timeout.saturating_mul(2));
        let mut failure = FetchError::TimedOut(Phase::Connect);
        for address in addresses {
            let end = end.min(deadline_after(self.timeout));
            match timeout_at(end, connect_tcp(*address)).await {
                Ok(Ok(stream)) => {
                    // Requests are small and written in one piece: Nagle would only delay them.
                    let _ = stream.set_nodelay(true);
                    return Ok((stream, *address));
                }
                Ok(Err(error)) => failure = FetchError::Connect(error.kind()),
                Err(_) => failure = FetchError::TimedOut(Phase::Connect),
            }
        }
        Err(failure)
    }

    /// Logs that the egress proxy fails, at most once per [`WARN_INTERVAL`].
    fn warn(&self, proxy: &Proxy, error: &FetchError) {
        if self.may_warn() {
            tracing::warn!(?proxy, %error, "egress proxy fails, outbound requests fail with it; check egress_proxy");
        }
    }

    /// Logs that the proxy of the protected tier refuses tunnels to IP addresses.
    pub(crate) fn warn_address_refused(&self, proxy: &Proxy, status: u16) {
        if self.may_warn() {
            tracing::warn!(
                ?proxy,
                status,
                "protected_proxy refuses CONNECT to an IP address; if it accepts host names only, \
                 set protected_proxy_names = true; docs/egress.md explains the risk"
            );
        }
    }

    fn may_warn(&self) -> bool {
        let mut warned = self.warned.lock();
        let due = warned.is_none_or(|last| last.elapsed() >= WARN_INTERVAL);
        if due {
            *warned = Some(Instant::now());
        }
        due
    }
}

/// The addresses to try through a proxy: IPv4 first, which more proxies can reach.
pub(crate) fn proxy_order(addresses: &[SocketAddr]) -> impl Iterator<Item = SocketAddr> {
    let mut ordered = addresses.to_vec();
    ordered.sort_by_key(SocketAddr::is_ipv6);
    ordered.into_iter().take(MAX_PROXY_ADDRESSES)
}

/// Connects to `address`. Waits while the process has no free file descriptor, because that is no
/// failure of the host.
async fn connect_tcp(address: SocketAddr) -> io::Result<TcpStream> {
    loop {
        match TcpStream::connect(address).await {
            Err(error) if is_out_of_descriptors(&error) => {
                tokio::time::sleep(DESCRIPTOR_RETRY).await
            }
            outcome => return outcome,
        }
    }
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}
