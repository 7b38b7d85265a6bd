//! The limits of a fetcher with their defaults.

use std::path::PathBuf;
use std::time::Duration;

use crate::{Proxy, ResolverSettings};

/// Limits, proxies and identity of a fetcher.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// The `User-Agent` header.
    pub user_agent: String,
    pub resolver: ResolverSettings,
    /// A PEM file with certificate authorities that are trusted besides the system's.
    pub extra_authorities: Option<PathBuf>,
    /// Timeout for each address of a host, and for the TLS handshake.
    pub connect: Duration,
    /// Timeout from the connection to the response headers.
    pub first_byte: Duration,
    /// Timeout of the whole request.
    pub whole: Duration,
    /// Minimum rate of a body, checked in each `drip_window`.
    pub bytes_per_second: u64,
    pub drip_window: Duration,
    /// Minimum rate of a body that holds part of `large_body_bytes`, which others wait for.
    pub large_bytes_per_second: u64,
    /// Maximum size of all response headers; at least 8 KiB.
    pub header_bytes: usize,
    /// Maximum number of response headers.
    pub headers: usize,
    /// Maximum size of a decoded body.
    pub body_bytes: usize,
    /// Memory of all bodies beyond 256 KiB together; further bodies wait. One account gets at most
    /// a quarter.
    pub large_body_bytes: usize,
    /// How long an idle connection stays open. Shorter than the keep-alive of usual servers: a
    /// connection that the server closes during a request costs a retry.
    pub pool_idle: Duration,
    /// Maximum idle connections per host.
    pub pool_idle_per_host: usize,
    /// Maximum idle connections over all hosts.
    pub max_idle_connections: usize,
    /// Maximum concurrent requests; further ones wait.
    pub requests: usize,
    /// The proxy of the protected tier, used for connections to sites.
    pub proxy: Option<Proxy>,
    /// Whether tunnels of that proxy go to names instead of checked addresses. It then resolves them
    /// again, outside of the address guard.
    pub proxy_names: bool,
    /// Whether requests with a body may be sent without TLS, to networks that the operator allows
    /// explicitly: then connections without TLS are opened to these only.
    pub plain_to_allowed: bool,
    /// The operator's proxy for all outbound connections, also for those to `proxy`.
    pub egress: Option<Proxy>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            user_agent: concat!("Trawl/", env!("CARGO_PKG_VERSION")).to_owned(),
            resolver: ResolverSettings::default(),
            extra_authorities: None,
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(15),
            whole: Duration::from_secs(30),
            bytes_per_second: 1024,
            drip_window: Duration::from_secs(10),
            large_bytes_per_second: 32 * 1024,
            header_bytes: 64 * 1024,
            headers: 100,
            body_bytes: 8 * 1024 * 1024,
            large_body_bytes: 256 * 1024 * 1024,
            pool_idle: Duration::from_secs(15),
            pool_idle_per_host: 8,
            max_idle_connections: 1024,
            requests: 8192,
            proxy: None,
            proxy_names: false,
            plain_to_allowed: false,
            egress: None,
        }
    }
}
