//! Connections: resolve, judge, connect to exactly what was judged, then TLS.
//!
//! The connector is the only place of the service that opens connections to
//! sites. A proxy is one that the operator has named, never one of the environment; what it
//! is asked for is judged all the same.

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
use rustix::io::Errno;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower::Service;

use crate::resting::{Line, Resting};
use crate::{FetchError, GuardedResolver, Phase, ProviderFault, Proxy};

/// How long to wait for a file, where this process has as many open as it may.
const BREATH: Duration = Duration::from_millis(50);

/// Opens connections for the pool.
#[derive(Clone)]
pub(crate) struct Connector {
    shared: Arc<Shared>,
}

struct Shared {
    resolver: Arc<GuardedResolver>,
    tls: TlsConnector,
    timeout: Duration,
    /// Who carries the connections, and what we call ourselves to him.
    proxy: Option<(Proxy, String)>,
    resting: Arc<Resting>,
}

impl Connector {
    /// `timeout` holds for each address and for the handshake; all addresses
    /// together get twice of it. So many connections may rest.
    pub(crate) fn new(
        resolver: Arc<GuardedResolver>,
        tls: TlsConnector,
        timeout: Duration,
        proxy: Option<(Proxy, String)>,
        resting: usize,
    ) -> Self {
        let resting = Resting::new(resting);
        Self { shared: Arc::new(Shared { resolver, tls, timeout, proxy, resting }) }
    }

    /// A bare connection to `host`, for whoever speaks TLS through it by itself.
    pub(crate) async fn tunnel(
        &self,
        host: &str,
        port: u16,
    ) -> Result<(TcpStream, SocketAddr), FetchError> {
        self.shared.dial(host, port).await
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
        if let Some((proxy, user_agent)) = &self.proxy {
            return self.tunnel(proxy, user_agent, host, port, secure).await;
        }
        let (stream, remote) = self.reach(&addresses).await?;
        if !secure {
            return Ok(self.channel(Kind::Plain(stream), remote));
        }
        let stream = self.handshake(host, stream).await?;
        Ok(self.channel(Kind::Secure(Box::new(stream)), remote))
    }

    fn channel(&self, kind: Kind, remote: SocketAddr) -> Channel {
        Channel { kind, line: Line::new(remote, Arc::clone(&self.resting)) }
    }

    /// Resolves, judges and connects to what was judged.
    async fn dial(&self, host: &str, port: u16) -> Result<(TcpStream, SocketAddr), FetchError> {
        let addresses = self.resolver.resolve(host, port).await?;
        self.reach(&addresses).await
    }

    /// A connection to the first of `addresses` that takes one.
    async fn reach(&self, addresses: &[SocketAddr]) -> Result<(TcpStream, SocketAddr), FetchError> {
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

    /// A connection that a proxy carries.
    async fn tunnel(
        &self,
        proxy: &Proxy,
        user_agent: &str,
        host: &str,
        port: u16,
        secure: bool,
    ) -> Result<Channel, FetchError> {
        let away = |_| FetchError::Provider(ProviderFault::Unreachable);
        let (stream, remote) = self.reach(&proxy.addresses().await?).await.map_err(away)?;
        let mut stream: Box<dyn Stream> = if proxy.secure {
            Box::new(self.handshake(&proxy.host, stream).await.map_err(away)?)
        } else {
            Box::new(stream)
        };
        // Whoever does not even answer this in the time of two connections is away.
        let opened = proxy.tunnel(&mut stream, host, port, user_agent);
        timeout(self.timeout.saturating_mul(2), opened)
            .await
            .map_err(|_| FetchError::Provider(ProviderFault::Unreachable))??;
        if !secure {
            return Ok(self.channel(Kind::Carried(stream, false), remote));
        }
        let stream = self.handshake(host, stream).await?;
        let is_h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok(self.channel(Kind::Carried(Box::new(stream), is_h2), remote))
    }

    async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        host: &str,
        stream: S,
    ) -> Result<TlsStream<S>, FetchError> {
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let bare = bare.strip_suffix('.').unwrap_or(bare);
        let name = ServerName::try_from(bare.to_owned()).map_err(|_| FetchError::BadUrl)?;
        match timeout(self.timeout, self.tls.connect(name, stream)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(error)) => Err(handshake_failure(&error)),
            Err(_) => Err(FetchError::TimedOut(Phase::Handshake)),
        }
    }
}

/// A connection to `address`. Files that this process lacks are no fault of the host: it waits
/// for one.
async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    loop {
        match TcpStream::connect(address).await {
            Err(error) if lacks_files(&error) => tokio::time::sleep(BREATH).await,
            outcome => return outcome,
        }
    }
}

fn lacks_files(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

/// The instant after `span`, or one that nobody will see.
pub(crate) fn after(span: Duration) -> Instant {
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
pub(crate) struct Channel {
    kind: Kind,
    line: Arc<Line>,
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.line.forget();
    }
}

enum Kind {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
    /// Through a proxy, and whether HTTP/2 was agreed upon.
    Carried(Box<dyn Stream>, bool),
}

/// What bytes go in and out of.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

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
