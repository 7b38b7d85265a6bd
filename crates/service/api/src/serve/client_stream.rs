//! The byte stream of a client: TCP, TLS over TCP, or a Unix socket.

use std::fmt;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

use super::server_tls::ServerTls;

/// The first bytes of HTTP/2 with prior knowledge (RFC 9113 section 3.4); no method of HTTP/1
/// begins with them.
const PREFACE: &[u8] = b"PRI ";

/// Pause before a part of the preface is looked at again.
const PREFACE_PAUSE: Duration = Duration::from_millis(20);

/// A connected stream of any kind.
pub(super) trait ClientByteStream:
    AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug
{
}
impl<T: AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug> ClientByteStream for T {}

/// A connection that the listener accepted.
#[derive(Debug)]
pub(super) enum AcceptedStream {
    Plain(TcpStream, SocketAddr),
    /// The client is expected to begin a TLS handshake.
    Tls(TcpStream, SocketAddr, ServerTls),
    Unix(UnixStream),
}

/// The version of HTTP of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HttpVersion {
    Http1,
    Http2,
}

/// A stream that is ready for the first request.
#[derive(Debug)]
pub(super) struct NegotiatedStream {
    pub stream: Box<dyn ClientByteStream>,
    pub version: HttpVersion,
    /// `None` for a program of this machine on a Unix socket.
    pub peer: Option<SocketAddr>,
}

impl AcceptedStream {
    pub fn peer(&self) -> Option<SocketAddr> {
        match self {
            Self::Plain(_, peer) | Self::Tls(_, peer, _) => Some(*peer),
            Self::Unix(_) => None,
        }
    }

    /// Closes the connection with this response of HTTP/1.1, or without one before a TLS handshake.
    /// Best effort without waiting: the send buffer of a new connection is empty.
    pub fn refuse(self, response: &[u8]) {
        if let Self::Plain(stream, _) = self
            && let Ok(mut stream) = stream.into_std()
        {
            let _ = stream.write(response);
        }
    }

    /// Does the TLS handshake and finds the version of HTTP. The caller has a timeout.
    pub async fn negotiate(self) -> io::Result<NegotiatedStream> {
        let peer = self.peer();
        match self {
            Self::Plain(stream, _) => {
                stream.set_nodelay(true)?;
                let version = version_of(&stream).await?;
                Ok(NegotiatedStream { stream: Box::new(stream), version, peer })
            }
            Self::Tls(stream, _, tls) => {
                stream.set_nodelay(true)?;
                let stream = tls.accept(stream).await?;
                let version = match stream.get_ref().1.alpn_protocol() {
                    Some(b"h2") => HttpVersion::Http2,
                    Some(_) | None => HttpVersion::Http1,
                };
                Ok(NegotiatedStream { stream: Box::new(stream), version, peer })
            }
            Self::Unix(stream) => {
                Ok(NegotiatedStream { stream: Box::new(stream), version: HttpVersion::Http1, peer })
            }
        }
    }
}

/// Looks at the first bytes without reading them.
async fn version_of(stream: &TcpStream) -> io::Result<HttpVersion> {
    let mut start = [0; PREFACE.len()];
    loop {
        let length = stream.peek(&mut start).await?;
        if length == PREFACE.len() && start == PREFACE {
            return Ok(HttpVersion::Http2);
        }
        if length == 0 || !PREFACE.starts_with(&start[..length]) {
            return Ok(HttpVersion::Http1);
        }
        tokio::time::sleep(PREFACE_PAUSE).await;
    }
}
