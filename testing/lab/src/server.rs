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

/// Sites served on loopback.
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

    /// The same on an address of choice.
    pub async fn start_on(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(LabState::new());
        let server = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, server })
    }

    /// Serves `site` under `host`. The first site also answers when the lab is
    /// addressed by IP. A name served before gets the new site.
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

    /// Lets every answer of `host` wait for `latency` first.
    pub fn with_latency(&self, host: &str, latency: Duration) -> &Self {
        if let Some(hosted) = self.shared.hosted(host) {
            *lock(&hosted.latency) = latency;
        }
        self
    }

    /// Whether requests are written down; on at first. Benchmarks turn it off.
    pub fn record(&self, on: bool) -> &Self {
        self.shared.recording.store(on, Ordering::Relaxed);
        self
    }

    /// Where the lab listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of `path` on the default site, addressed by IP.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The names served, as a table `name=ip:port,…` for the resolver.
    #[must_use]
    pub fn name_table(&self) -> String {
        let hosts = lock(&self.shared.hosts);
        let entries: Vec<String> =
            hosts.names.iter().map(|name| format!("{name}={}", self.address)).collect();
        entries.join(",")
    }

    /// The truth about the site under `host`.
    #[must_use]
    pub fn truth(&self, host: &str) -> Option<SiteTruth> {
        self.shared.hosted(host).map(|hosted| hosted.site.truth())
    }

    /// Every request so far, in the order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<LabRequest> {
        lock(&self.shared.seen).clone()
    }

    /// How many requests came in, whether written down or not.
    #[must_use]
    pub fn request_count(&self) -> u64 {
        self.shared.count.load(Ordering::Relaxed)
    }

    /// How many connections are open.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// The most requests that `host` was answering at one time.
    #[must_use]
    pub fn peak(&self, host: &str) -> usize {
        self.shared.hosted(host).map_or(0, |hosted| hosted.peak.load(Ordering::Relaxed))
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        lock(&self.shared.seen).clear();
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<LabState>) {
    // The set lives in this task: when the task is aborted, so is all that it holds.
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
                // Out of descriptors, most likely: give the others time to end.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
