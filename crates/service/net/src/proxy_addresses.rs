//! Cached DNS lookups of the operator's proxies. They use the settings `resolve` and `dns` like the
//! names of sites, but are not checked, because the operator chose the proxy.
//!
//! Every connection through a proxy needs its address. Results are cached, and one lookup runs at a
//! time.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::{FetchError, FetchResult, GuardedResolver, Proxy};

/// How long the result of a lookup is used.
const CACHE_TTL: Duration = Duration::from_secs(30);

/// How long a failed lookup is not repeated.
const FAILURE_TTL: Duration = Duration::from_secs(1);

/// Resolves proxies; caches by host and port.
pub(crate) struct ProxyAddresses {
    resolver: Arc<GuardedResolver>,
    cache: Mutex<HashMap<(String, u16), CachedProxy>>,
    /// Locked during a lookup.
    lookup: tokio::sync::Mutex<()>,
}

struct CachedProxy {
    /// Empty when the lookup failed.
    addresses: Vec<SocketAddr>,
    until: Instant,
}

impl ProxyAddresses {
    pub(crate) fn new(resolver: Arc<GuardedResolver>) -> Self {
        Self { resolver, cache: Mutex::default(), lookup: tokio::sync::Mutex::default() }
    }

    pub(crate) async fn of(self: &Arc<Self>, proxy: &Proxy) -> FetchResult<Vec<SocketAddr>> {
        let host = proxy.host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, proxy.port)]);
        }
        let key = (host.to_owned(), proxy.port);
        if let Some(cached) = self.fresh(&key) {
            return cached;
        }
        // A separate task: the answer is cached even if this caller stops waiting.
        let this = Arc::clone(self);
        let found = tokio::spawn(async move { this.look_up(key).await }).await;
        found.unwrap_or(Err(FetchError::NameServer))
    }

    async fn look_up(&self, key: (String, u16)) -> FetchResult<Vec<SocketAddr>> {
        let _lookup = self.lookup.lock().await;
        if let Some(cached) = self.fresh(&key) {
            return cached;
        }
        let found = self.resolver.locate(&key.0, key.1).await;
        let mut cache = self.cache.lock();
        let addresses = match &found {
            Ok(addresses) => addresses.clone(),
            // A stale result is better than none.
            Err(_) => cache.remove(&key).map(|cached| cached.addresses).unwrap_or_default(),
        };
        let until = Instant::now() + if found.is_ok() { CACHE_TTL } else { FAILURE_TTL };
        cache.insert(key, CachedProxy { addresses: addresses.clone(), until });
        if addresses.is_empty() { found } else { Ok(addresses) }
    }

    /// The cached result if it has not expired.
    fn fresh(&self, key: &(String, u16)) -> Option<FetchResult<Vec<SocketAddr>>> {
        let cache = self.cache.lock();
        let cached = cache.get(key).filter(|cached| Instant::now() < cached.until)?;
        Some(match cached.addresses.as_slice() {
            [] => Err(FetchError::NameServer),
            addresses => Ok(addresses.to_vec()),
        })
    }
}
