//! Networks from which an API key may be used.

use std::net::IpAddr;

use ipnet::IpNet;

/// The canonical spelling of a network: `192.0.2.7` becomes `192.0.2.7/32`, and `192.0.2.7/24` becomes
/// `192.0.2.0/24`. `None` for an invalid network.
#[must_use]
pub fn canonical_network(text: &str) -> Option<String> {
    parse(text).map(|network| network.to_string())
}

/// Whether the address is in one of the networks. Invalid entries match nothing.
#[must_use]
pub fn is_within(ip: IpAddr, networks: &[String]) -> bool {
    let ip = ip.to_canonical();
    networks.iter().filter_map(|network| parse(network)).any(|network| network.contains(&ip))
}

fn parse(text: &str) -> Option<IpNet> {
    let text = text.trim();
    let network: IpNet = match text.parse::<IpAddr>() {
        Ok(ip) => IpNet::from(ip.to_canonical()),
        Err(_) => text.parse().ok()?,
    };
    Some(network.trunc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_is_normalised() {
        for (given, kept) in [
            ("192.0.2.7", Some("192.0.2.7/32")),
            (" 192.0.2.7/24 ", Some("192.0.2.0/24")),
            ("2001:DB8::1/32", Some("2001:db8::/32")),
            ("::ffff:192.0.2.7", Some("192.0.2.7/32")),
            ("192.0.2.0/33", None),
            ("example.com", None),
            ("", None),
        ] {
            assert_eq!(canonical_network(given).as_deref(), kept, "{given}");
        }
    }

    #[test]
    fn mapped_address_is_within_its_ipv4_network() {
        let networks = ["192.0.2.0/24".to_owned(), "2001:db8::/32".to_owned()];
        for (ip, within) in [
            ("192.0.2.255", true),
            ("::ffff:192.0.2.1", true),
            ("192.0.3.0", false),
            ("2001:db8:1::1", true),
            ("2001:db9::1", false),
        ] {
            assert_eq!(is_within(ip.parse().expect("an address"), &networks), within, "{ip}");
        }
        assert!(!is_within(IpAddr::from([192, 0, 2, 1]), &[]));
    }
}
