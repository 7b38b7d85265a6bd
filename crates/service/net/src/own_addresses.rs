//! The addresses of this machine's own network interfaces.
//!
//! A node with a public address must not be led back to itself: to its own API, its metrics or
//! whatever else listens there. The list is read at the start and again at most every
//! 30 s, so that an address that is added later is refused as well.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use urls::effective_address;

/// How old the list may be.
const REFRESH: Duration = Duration::from_secs(30);

/// How soon it is read again when it could not be read yet. Every machine has an interface.
const RETRY: Duration = Duration::from_secs(1);

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

impl Listed {
    fn is_due(&self) -> bool {
        let age = if self.addresses.is_empty() { RETRY } else { REFRESH };
        self.read_at.elapsed() >= age
    }
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
                if listed.is_due() {
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

    #[test]
    fn list_that_could_not_be_read_is_read_again_soon() {
        let read_at = Instant::now().checked_sub(2 * RETRY).expect("the machine runs for a while");
        let loopback = vec![IpAddr::from([127, 0, 0, 1])];
        assert!(Listed { addresses: Vec::new(), read_at }.is_due());
        assert!(!Listed { addresses: loopback, read_at }.is_due());
        let unread = Arc::new(Mutex::new(Listed { addresses: Vec::new(), read_at }));
        let own = OwnAddresses(Source::Interfaces(unread));
        assert!(own.contains([127, 0, 0, 1].into()));
    }
}
