//! `trawl health`: whether the server on this machine is ready, for health checks of containers
//! without a shell or curl.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::{Exit, settings};
use crate::cli::{GlobalArgs, HealthArgs};
use crate::exit::fail;
use crate::printing::outln;
use crate::settings::{ListenAddress, ListenSettings};

/// Maximum bytes of the response that are read.
const RESPONSE: u64 = 16 << 10;

pub async fn run(global: &GlobalArgs, args: &HealthArgs) -> anyhow::Result<Exit> {
    let settings = settings(global, &[("listen", "--listen", args.listen.clone())])?;
    let address = reachable(settings.listening.first());
    let patience = Duration::from_millis(args.timeout_ms);
    match readiness(&settings.listening, patience).await {
        Ok(200) => {
            outln!("ready");
            Ok(Exit::Done)
        }
        Ok(status) => fail!(Nothing, "the server at {address} is not ready: HTTP status {status}"),
        Err(error) => fail!(Nothing, "the server at {address} is not ready: {error:#}"),
    }
}

/// The status of `GET /readyz` at the first address.
pub async fn readiness(listening: &ListenSettings, patience: Duration) -> anyhow::Result<u16> {
    let address = reachable(listening.first());
    match timeout(patience, ask(&address, listening.tls.is_some())).await {
        Ok(status) => status,
        Err(_) => bail!("no response within {} ms", patience.as_millis()),
    }
}

async fn ask(address: &ListenAddress, is_tls: bool) -> anyhow::Result<u16> {
    match address {
        ListenAddress::Unix(path) => {
            let stream = UnixStream::connect(path).await.context("cannot connect")?;
            ask_on(stream, "localhost").await
        }
        ListenAddress::Tcp(address) => {
            let stream = TcpStream::connect(address).await.context("cannot connect")?;
            let host = address.to_string();
            if !is_tls {
                return ask_on(stream, &host).await;
            }
            // The certificate has the public name, not this address; nothing secret is sent.
            let tls = net::unverified_tls_connector()?;
            let name = address.ip().into();
            let stream = tls.connect(name, stream).await.context("the TLS handshake failed")?;
            ask_on(stream, &host).await
        }
    }
}

async fn ask_on(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    host: &str,
) -> anyhow::Result<u16> {
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.take(RESPONSE).read_to_end(&mut response).await?;
    status(&response).context("the response is not HTTP")
}

/// The status of a response of HTTP/1.
fn status(response: &[u8]) -> Option<u16> {
    let line = response.split(|byte| *byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    words.next().filter(|version| version.starts_with("HTTP/1."))?;
    words.next()?.parse().ok()
}

/// An address to connect to: a server that listens on all addresses is reachable on loopback.
pub fn reachable(listen: &ListenAddress) -> ListenAddress {
    let ListenAddress::Tcp(listen) = listen else { return listen.clone() };
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    ListenAddress::Tcp(SocketAddr::new(ip, listen.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_line_is_parsed() {
        assert_eq!(status(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nready"), Some(200));
        assert_eq!(status(b"HTTP/1.1 503 Service Unavailable\r\n"), Some(503));
        for bad in [&b""[..], b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1\r\n", b"HTTP/1.1 ok\r\n", b"\xff"]
        {
            assert_eq!(status(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn unspecified_addresses_are_reached_on_loopback() {
        for (listen, expected) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.1:80", "10.0.0.1:80"),
            ("unix:/run/trawl.sock", "unix:/run/trawl.sock"),
        ] {
            let listen = listen.parse().expect("an address");
            assert_eq!(reachable(&listen).to_string(), expected);
        }
    }
}
