//! The test web server: sites by host name on one loopback port, with a log of all requests.
//! Dropping it ends the server and every connection.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::connection::serve_connection;
use crate::lab_state::{HostedSite, LabRequest, LabState, lock};
use crate::{Site, SiteTruth};

/// A web server with test sites on loopback.
#[derive(Debug)]
pub struct Lab {
    address: SocketAddr,
    shared: Arc<LabState>,
    server: JoinHandle<()>,
}

impl Lab {
    /// A lab without sites on a free port of 127.0.0.1.
    pub async fn start() -> io::Result<Self> {
        Self::start_on(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await
    }

    /// A lab without sites on this address.
    pub async fn start_on(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(LabState::default());
        let server = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, server })
    }

    /// Serves `site` under `host`, instead of its earlier site. The first site also responds to requests
    /// with an IP address as host.
    pub fn serve(&self, host: &str, site: impl Site) -> &Self {
        let name = host.to_ascii_lowercase();
        let hosted = Arc::new(HostedSite {
            site: Box::new(site),
            latency: Mutex::new(Duration::ZERO),
            in_flight: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
        });
        let mut hosts = lock(&self.shared.hosts);
        if hosts.by_name.insert(name.clone(), Arc::clone(&hosted)).is_none() {
            hosts.names.push(name.clone());
        }
        if hosts.names.first() == Some(&name) {
            hosts.default = Some(hosted);
        }
        drop(hosts);
        self
    }

    /// Delays every response of `host` by `latency`.
    pub fn with_latency(&self, host: &str, latency: Duration) -> &Self {
        if let Some(hosted) = self.shared.hosted(host) {
            *lock(&hosted.latency) = latency;
        }
        self
    }

    /// Switches the log of requests on or off. On by default; benchmarks switch it off.
    pub fn record_requests(&self, on: bool) -> &Self {
        self.shared.is_silent.store(!on, Ordering::Relaxed);
        self
    }

    /// The address on which the lab listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of `path` on the first site, with the IP address as host.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All host names as a table `name=ip:port,…` for the resolver.
    #[must_use]
    pub fn name_table(&self) -> String {
        let hosts = lock(&self.shared.hosts);
        let entries: Vec<String> =
            hosts.names.iter().map(|name| format!("{name}={}", self.address)).collect();
        entries.join(",")
    }

    /// The truth of the site under `host`.
    #[must_use]
    pub fn truth(&self, host: &str) -> Option<SiteTruth> {
        self.shared.hosted(host).map(|hosted| hosted.site.truth())
    }

    /// All logged requests in the order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<LabRequest> {
        lock(&self.shared.seen).clone()
    }

    /// Number of all requests, logged or not.
    #[must_use]
    pub fn request_count(&self) -> u64 {
        self.shared.count.load(Ordering::Relaxed)
    }

    /// Number of open connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Maximum number of requests to `host` that were in flight at a time.
    #[must_use]
    pub fn max_in_flight(&self, host: &str) -> usize {
        self.shared.hosted(host).map_or(0, |hosted| hosted.peak.load(Ordering::Relaxed))
    }

    /// Clears the log of requests.
    pub fn clear_requests(&self) {
        lock(&self.shared.seen).clear();
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<LabState>) {
    // The set belongs to this task, so that aborting the task aborts all connections.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let shared = Arc::clone(&shared);
                    shared.connections.fetch_add(1, Ordering::Relaxed);
                    connections.spawn(async move {
                        serve_connection(stream, Arc::clone(&shared)).await;
                        shared.connections.fetch_sub(1, Ordering::Relaxed);
                    });
                }
                // Probably too many open files: wait until other connections end.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
