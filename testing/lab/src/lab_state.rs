//! The state that all connections of the lab share: sites by host name, and the log of requests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Reply, Request, Site};

/// A request that the lab received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabRequest {
    /// The `Host` header without its port, in lower case.
    pub host: String,
    pub path: String,
    pub method: String,
    pub user_agent: Option<String>,
    /// Whether it came through the protected tier.
    pub via_tier: bool,
    /// When its head was complete.
    pub at: Instant,
}

/// A site with the state of its host.
#[derive(Debug)]
pub(crate) struct HostedSite {
    pub(crate) site: Box<dyn Site>,
    pub(crate) latency: Mutex<Duration>,
    pub(crate) in_flight: AtomicUsize,
    pub(crate) peak: AtomicUsize,
}

#[derive(Debug, Default)]
pub(crate) struct Hosts {
    pub(crate) by_name: HashMap<String, Arc<HostedSite>>,
    /// The site that answers when the server is addressed by IP.
    pub(crate) default: Option<Arc<HostedSite>>,
    pub(crate) names: Vec<String>,
}

/// The state that all connections share.
#[derive(Debug, Default)]
pub(crate) struct LabState {
    pub(crate) hosts: Mutex<Hosts>,
    pub(crate) seen: Mutex<Vec<LabRequest>>,
    /// Whether requests are counted only.
    pub(crate) is_silent: AtomicBool,
    pub(crate) count: AtomicU64,
    pub(crate) connections: AtomicUsize,
}

/// A lock is never held across code that can panic, so a poisoned one is sound.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LabState {
    /// The site under `host`; the default site for an IP address.
    pub(crate) fn hosted(&self, host: &str) -> Option<Arc<HostedSite>> {
        let hosts = lock(&self.hosts);
        if let Some(hosted) = hosts.by_name.get(host) {
            return Some(Arc::clone(hosted));
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<std::net::IpAddr>().ok().and_then(|_| hosts.default.clone())
    }

    /// Adds a request to the log.
    pub(crate) fn note(&self, seen: impl FnOnce() -> LabRequest) {
        self.count.fetch_add(1, Ordering::Relaxed);
        if !self.is_silent.load(Ordering::Relaxed) {
            lock(&self.seen).push(seen());
        }
    }
}

impl HostedSite {
    /// The reply to a request, after the latency of the site.
    pub(crate) async fn answer(&self, request: &Request<'_>) -> Reply {
        let latency = *lock(&self.latency);
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        self.site.respond(request)
    }

    /// Counts a request as in flight until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>) -> OpenRequests {
        let now = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.peak.fetch_max(now, Ordering::Relaxed);
        OpenRequests(Arc::clone(self))
    }
}

/// Guard of a request in flight.
#[derive(Debug)]
pub(crate) struct OpenRequests(Arc<HostedSite>);

impl Drop for OpenRequests {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}
