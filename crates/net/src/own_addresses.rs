//! The addresses of this machine's own network interfaces.
//!
//! A node with a public address must not be led back to itself: to its own API, its metrics or
//! whatever else listens there. The list is read at the start and again at most every
//! 30 s, so that an address that is added later is refused as well.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use site::effective_address;

/// How old the list may be.
const REFRESH: Duration = Duration::from_secs(30);

/// Where the addresses come from. Clones share one list.
#[derive(Debug, Clone)]
pub struct OwnAddresses(Source);

#[derive(Debug, Clone)]
enum Source {
    Interfaces(Arc<Mutex<Listed>>),
    Fixed(Arc<[IpAddr]>),
}

#[derive(Debug)]
struct Listed {
    addresses: Vec<IpAddr>,
    read_at: Instant,
}

impl OwnAddresses {
    /// Those of the machine's interfaces, as they are and as they become.
    #[must_use]
    pub fn of_interfaces() -> Self {
        let addresses = interfaces().unwrap_or_default();
        let listed = Listed { addresses, read_at: Instant::now() };
        Self(Source::Interfaces(Arc::new(Mutex::new(listed))))
    }

    /// These and no others.
    #[must_use]
    pub fn fixed(addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        Self(Source::Fixed(addresses.into_iter().collect()))
    }

    /// Whether a packet to `ip` arrives at this machine.
    #[must_use]
    pub fn contains(&self, ip: IpAddr) -> bool {
        let ip = effective_address(ip);
        match &self.0 {
            Source::Fixed(addresses) => addresses.contains(&ip),
            Source::Interfaces(listed) => {
                let mut listed = listed.lock().unwrap_or_else(PoisonError::into_inner);
                if listed.read_at.elapsed() >= REFRESH {
                    listed.read_at = Instant::now();
                    // On failure the last list that could be read stays in force.
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
                "cannot list the network interfaces: requests to this node's own public addresses \
                 are not refused; name them in deny_networks"
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_interfaces_are_found_in_every_spelling() {
        let own = OwnAddresses::of_interfaces();
        for ip in ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"] {
            assert!(own.contains(ip.parse().expect("an address")), "{ip}");
        }
        assert!(!own.contains([192, 0, 2, 77].into()));
    }
}
