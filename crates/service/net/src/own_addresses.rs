//! The addresses of this machine's own network interfaces.
//!
//! A node with a public address must not fetch from itself: its API, its metrics or another service.
//! The list is read at the start and again at most every 30 s, so that an address that is added
//! later is refused as well.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use urls::effective_address;

/// Maximum age of the list.
const REFRESH: Duration = Duration::from_secs(30);

/// Maximum age of an empty list, which means that reading it failed.
const RETRY: Duration = Duration::from_secs(1);

/// The addresses of this node. Clones share one list.
#[derive(Debug, Clone)]
pub struct OwnAddresses(AddressSource);

#[derive(Debug, Clone)]
enum AddressSource {
    Interfaces(Arc<Mutex<InterfaceAddresses>>),
    Fixed(Arc<[IpAddr]>),
}

#[derive(Debug)]
struct InterfaceAddresses {
    addresses: Vec<IpAddr>,
    read_at: Instant,
}

impl InterfaceAddresses {
    fn is_due(&self) -> bool {
        let age = if self.addresses.is_empty() { RETRY } else { REFRESH };
        self.read_at.elapsed() >= age
    }
}

impl OwnAddresses {
    /// The addresses of the machine's interfaces, refreshed over time.
    #[must_use]
    pub fn of_interfaces() -> Self {
        let addresses = interfaces().unwrap_or_default();
        let listed = InterfaceAddresses { addresses, read_at: Instant::now() };
        Self(AddressSource::Interfaces(Arc::new(Mutex::new(listed))))
    }

    /// A fixed list, for tests.
    #[must_use]
    pub fn fixed(addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        Self(AddressSource::Fixed(addresses.into_iter().collect()))
    }

    /// Whether a packet to `ip` arrives at this machine.
    #[must_use]
    pub fn contains(&self, ip: IpAddr) -> bool {
        let ip = effective_address(ip);
        match &self.0 {
            AddressSource::Fixed(addresses) => addresses.contains(&ip),
            AddressSource::Interfaces(listed) => {
                let mut listed = listed.lock();
                if listed.is_due() {
                    listed.read_at = Instant::now();
                    // On failure the previous list stays valid.
                    if let Some(addresses) = interfaces() {
                        listed.addresses = addresses;
                    }
                }
                listed.addresses.contains(&ip)
            }
        }
    }
}

impl Default for OwnAddresses {
    fn default() -> Self {
        Self::of_interfaces()
    }
}

fn interfaces() -> Option<Vec<IpAddr>> {
    match if_addrs::get_if_addrs() {
        Ok(found) => Some(found.iter().map(if_addrs::Interface::ip).collect()),
        Err(error) => {
            tracing::warn!(
                %error,
                "cannot list network interfaces, requests to this node's own public addresses are \
                 not refused; add them to deny_networks"
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interface_addresses_match_in_every_spelling() {
        let own = OwnAddresses::of_interfaces();
        for ip in ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"] {
            assert!(own.contains(ip.parse().expect("an address")), "{ip}");
        }
        assert!(!own.contains([192, 0, 2, 77].into()));
    }

    #[test]
    fn empty_list_is_read_again_after_the_retry_interval() {
        let read_at = Instant::now().checked_sub(2 * RETRY).expect("the machine runs for a while");
        let loopback = vec![IpAddr::from([127, 0, 0, 1])];
        assert!(InterfaceAddresses { addresses: Vec::new(), read_at }.is_due());
        assert!(!InterfaceAddresses { addresses: loopback, read_at }.is_due());
        let unread = Arc::new(Mutex::new(InterfaceAddresses { addresses: Vec::new(), read_at }));
        let own = OwnAddresses(AddressSource::Interfaces(unread));
        assert!(own.contains([127, 0, 0, 1].into()));
    }
}
