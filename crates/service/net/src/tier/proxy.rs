//! HTTP proxies: one `CONNECT` tunnel per connection, for `http:` and `https:` URLs.

use std::str::FromStr;

use data_encoding::BASE64;
use percent_encoding::percent_decode_str;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use url::Url;

/// Maximum size of the response headers to CONNECT.
const HEAD_BYTES: usize = 16 * 1_024;

/// A proxy: `http://user:password@host:port` or `https://…`.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Whether the connection to the proxy itself uses TLS.
    pub(crate) secure: bool,
    /// `Proxy-Authorization`.
    credentials: Option<String>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without credentials: this is logged.
        f.debug_struct("Proxy").field("host", &self.host).field("port", &self.port).finish()
    }
}

/// Why a proxy did not open a tunnel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TunnelRefusal {
    /// The status of its response.
    Status(u16),
    /// The connection was closed, or the response is no HTTP.
    Broken,
}

/// The text is no proxy URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("invalid proxy URL, expected http://user:password@host:port")]
pub struct ProxyError;

impl FromStr for Proxy {
    type Err = ProxyError;

    fn from_str(text: &str) -> Result<Self, ProxyError> {
        let url = Url::parse(text).map_err(|_| ProxyError)?;
        let secure = match url.scheme() {
            "http" => false,
            "https" => true,
            _ => return Err(ProxyError),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(ProxyError)?.to_owned();
        let port = url.port_or_known_default().ok_or(ProxyError)?;
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy();
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        let credentials = has_credentials.then(|| {
            let password = url.password().unwrap_or_default();
            let pair = format!("{}:{}", decoded(url.username()), decoded(password));
            format!("Basic {}", BASE64.encode(pair.as_bytes()))
        });
        Ok(Self { host, port, secure, credentials })
    }
}

impl Proxy {
    /// Requests a tunnel to `authority` (`host:port`) over a connection to the proxy.
    pub(crate) async fn tunnel<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: &mut S,
        authority: &str,
        user_agent: &str,
    ) -> Result<(), TunnelRefusal> {
        let mut head = format!(
            "CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: {user_agent}\r\n"
        );
        if let Some(credentials) = &self.credentials {
            head.push_str("Proxy-Authorization: ");
            head.push_str(credentials);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        let broken = |_| TunnelRefusal::Broken;
        stream.write_all(head.as_bytes()).await.map_err(broken)?;
        stream.flush().await.map_err(broken)?;
        let mut response = Vec::new();
        // Byte by byte: the bytes after the headers belong to the tunnel.
        while !response.ends_with(b"\r\n\r\n") {
            if response.len() >= HEAD_BYTES {
                return Err(TunnelRefusal::Broken);
            }
            response.push(stream.read_u8().await.map_err(broken)?);
        }
        match status(&response) {
            Some(200..300) => Ok(()),
            Some(status) => Err(TunnelRefusal::Status(status)),
            None => Err(TunnelRefusal::Broken),
        }
    }
}

fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\r').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let (version, rest) = line.split_once(' ')?;
    version.starts_with("HTTP/1.").then(|| rest.get(..3)?.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_url_is_parsed_and_debug_hides_the_password() {
        let proxy: Proxy = "https://ada:se%20cret@proxy.test:8443".parse().unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port, proxy.secure), ("proxy.test", 8443, true));
        assert_eq!(proxy.credentials.as_deref(), Some("Basic YWRhOnNlIGNyZXQ="));
        assert!(!format!("{proxy:?}").contains("cret"));
        let nameless: Proxy = "http://:secret@proxy.test".parse().unwrap();
        assert_eq!(nameless.credentials.as_deref(), Some("Basic OnNlY3JldA=="));
        let plain: Proxy = "http://10.0.0.1".parse().unwrap();
        assert_eq!((plain.port, plain.credentials), (80, None));
        for wrong in ["", "proxy:80", "socks5://a:1", "http://", "ftp://a"] {
            assert_eq!(wrong.parse::<Proxy>(), Err(ProxyError), "{wrong}");
        }
    }

    #[test]
    fn status_is_read_from_the_status_line() {
        assert_eq!(status(b"HTTP/1.1 200 Connection established\r\n\r\n"), Some(200));
        assert_eq!(status(b"HTTP/1.0 407\r\n\r\n"), Some(407));
        for wrong in [&b"SSH-2.0\r\n\r\n"[..], b"HTTP/2 200\r\n", b"HTTP/1.1 2", b""] {
            assert_eq!(status(wrong), None);
        }
    }
}
