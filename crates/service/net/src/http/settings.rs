//! The limits of a fetcher and their defaults.

use std::path::PathBuf;
use std::time::Duration;

use crate::{Proxy, ResolverSettings};

/// How a fetcher asks, and what it puts up with.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// What we call ourselves.
    pub user_agent: String,
    /// How names are resolved and judged.
    pub resolver: ResolverSettings,
    /// A PEM file with certificate authorities to trust besides the system's.
    pub extra_authorities: Option<PathBuf>,
    /// For each address of a host, and for the TLS handshake.
    pub connect: Duration,
    /// From the connection to the head of the answer.
    pub first_byte: Duration,
    /// For all of it.
    pub whole: Duration,
    /// The least a body must bring in each `drip_window`.
    pub bytes_per_second: u64,
    /// Over how long this pace is measured.
    pub drip_window: Duration,
    /// The same for a body that takes room among `large_body_bytes`, which others wait for.
    pub large_bytes_per_second: u64,
    /// How long the headers may be together; at least 8 KiB.
    pub header_bytes: usize,
    /// How many headers there may be.
    pub headers: usize,
    /// How long a body may be after decoding.
    pub body_bytes: usize,
    /// Bytes that bodies beyond 256 KiB may take together; further ones wait for room. Those of
    /// one account take a quarter at most.
    pub large_body_bytes: usize,
    /// How long an unused connection is kept. Shorter than servers keep theirs:
    /// a connection that the server closes as we ask costs a retry.
    pub pool_idle: Duration,
    /// How many unused connections are kept for a host.
    pub pool_idle_per_host: usize,
    /// How many unused connections are kept for all hosts together.
    pub resting: usize,
    /// How many requests are under way at a time; further ones wait for their turn.
    pub requests: usize,
    /// The proxy of the protected tier, which connections to sites go through.
    pub proxy: Option<Proxy>,
    /// Whether that proxy is asked for names instead of the judged address. It then resolves
    /// them again, and the guard does not bind it.
    pub proxy_names: bool,
    /// The operator's proxy for all outbound connections, also those to `proxy`.
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
            resting: 1024,
            requests: 8192,
            proxy: None,
            proxy_names: false,
            egress: None,
        }
    }
}
