//! Where the operator's proxies are: looked up like the names of sites, by `resolve` and `dns`, but
//! not judged, because a proxy is the operator's choice and may be anywhere.
//!
//! Every connection through a proxy needs its address. Answers are kept for a while, and one lookup
//! is under way at a time.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::{FetchError, GuardedResolver, Proxy};

/// How long an answer is used.
const KEPT: Duration = Duration::from_secs(30);

/// How long name servers that failed are left alone.
const LEFT_ALONE: Duration = Duration::from_secs(1);

/// The addresses of proxies, by host and port.
pub(crate) struct ProxyAddresses {
    resolver: Arc<GuardedResolver>,
    known: Mutex<HashMap<(String, u16), KnownProxy>>,
    /// Held during a lookup.
    asking: tokio::sync::Mutex<()>,
}

struct KnownProxy {
    /// Empty when the lookup failed.
    addresses: Vec<SocketAddr>,
    until: Instant,
}

impl ProxyAddresses {
    pub(crate) fn new(resolver: Arc<GuardedResolver>) -> Self {
        Self { resolver, known: Mutex::default(), asking: tokio::sync::Mutex::default() }
    }

    /// The addresses of a proxy.
    pub(crate) async fn of(self: &Arc<Self>, proxy: &Proxy) -> Result<Vec<SocketAddr>, FetchError> {
        let host = proxy.host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, proxy.port)]);
        }
        let place = (host.to_owned(), proxy.port);
        if let Some(known) = self.fresh(&place) {
            return known;
        }
        // A separate task: the answer is cached even if this caller stops waiting.
        let this = Arc::clone(self);
        let found = tokio::spawn(async move { this.look_up(place).await }).await;
        found.unwrap_or(Err(FetchError::NameServer))
    }

    async fn look_up(&self, place: (String, u16)) -> Result<Vec<SocketAddr>, FetchError> {
        let _asking = self.asking.lock().await;
        if let Some(known) = self.fresh(&place) {
            return known;
        }
        let found = self.resolver.locate(&place.0, place.1).await;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let addresses = match &found {
            Ok(addresses) => addresses.clone(),
            // The last answer is better than none.
            Err(_) => known.remove(&place).map(|known| known.addresses).unwrap_or_default(),
        };
        let until = Instant::now() + if found.is_ok() { KEPT } else { LEFT_ALONE };
        known.insert(place, KnownProxy { addresses: addresses.clone(), until });
        if addresses.is_empty() { found } else { Ok(addresses) }
    }

    /// What is known and still used.
    fn fresh(&self, place: &(String, u16)) -> Option<Result<Vec<SocketAddr>, FetchError>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get(place).filter(|known| Instant::now() < known.until)?;
        Some(match known.addresses.as_slice() {
            [] => Err(FetchError::NameServer),
            addresses => Ok(addresses.to_vec()),
        })
    }
}
