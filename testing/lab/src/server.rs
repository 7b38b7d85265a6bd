//! The lab itself: sites by host name on one loopback port, every request
//! written down. Dropping the lab ends the server and every conversation.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::conversation::converse;
use crate::{Reply, Request, Site, SiteTruth};

/// Sites served on loopback.
#[derive(Debug)]
pub struct Lab {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

/// A request as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The `Host` header without its port, in lower case.
    pub host: String,
    /// Path and query.
    pub path: String,
    pub method: String,
    pub user_agent: Option<String>,
    /// It came in the way of the protected tier.
    pub via_tier: bool,
    /// When its head was complete.
    pub at: Instant,
}

/// A site under its name.
#[derive(Debug)]
pub(crate) struct Hosted {
    site: Box<dyn Site>,
    latency: Mutex<Duration>,
    in_flight: AtomicUsize,
    peak: AtomicUsize,
}

#[derive(Debug, Default)]
struct Hosts {
    by_name: HashMap<String, Arc<Hosted>>,
    /// The site that answers when the server is addressed by IP.
    default: Option<Arc<Hosted>>,
    names: Vec<String>,
}

/// What the server's tasks share.
#[derive(Debug)]
pub(crate) struct Shared {
    hosts: Mutex<Hosts>,
    seen: Mutex<Vec<Seen>>,
    recording: AtomicBool,
    count: AtomicU64,
    connections: AtomicUsize,
}

/// A lock is never held across code that can panic, so a poisoned one is sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        let shared = Arc::new(Shared {
            hosts: Mutex::default(),
            seen: Mutex::default(),
            recording: AtomicBool::new(true),
            count: AtomicU64::new(0),
            connections: AtomicUsize::new(0),
        });
        let server = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, server })
    }

    /// Serves `site` under `host`. The first site also answers when the lab is
    /// addressed by IP. A name served before gets the new site.
    pub fn serve(&self, host: &str, site: impl Site) -> &Self {
        let name = host.to_ascii_lowercase();
        let hosted = Arc::new(Hosted {
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
    pub fn requests(&self) -> Vec<Seen> {
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

impl Shared {
    /// The site under `host`; the default site for an IP address.
    pub(crate) fn hosted(&self, host: &str) -> Option<Arc<Hosted>> {
        let hosts = lock(&self.hosts);
        if let Some(hosted) = hosts.by_name.get(host) {
            return Some(Arc::clone(hosted));
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<std::net::IpAddr>().ok().and_then(|_| hosts.default.clone())
    }

    /// Writes a request down.
    pub(crate) fn note(&self, seen: impl FnOnce() -> Seen) {
        self.count.fetch_add(1, Ordering::Relaxed);
        if self.recording.load(Ordering::Relaxed) {
            lock(&self.seen).push(seen());
        }
    }
}

impl Hosted {
    /// The reply to a request, after the latency of the site.
    pub(crate) async fn answer(&self, request: &Request<'_>) -> Reply {
        let latency = *lock(&self.latency);
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        self.site.respond(request)
    }

    /// Counts a request as being answered until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>) -> OpenRequests {
        let now = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.peak.fetch_max(now, Ordering::Relaxed);
        OpenRequests(Arc::clone(self))
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct OpenRequests(Arc<Hosted>);

impl Drop for OpenRequests {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // The set lives in this task: when the task is aborted, so is all that it holds.
    let mut conversations = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let shared = Arc::clone(&shared);
                    shared.connections.fetch_add(1, Ordering::Relaxed);
                    conversations.spawn(async move {
                        converse(stream, Arc::clone(&shared)).await;
                        shared.connections.fetch_sub(1, Ordering::Relaxed);
                    });
                }
                // Out of descriptors, most likely: give the others time to end.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = conversations.join_next() => {}
        }
    }
}
