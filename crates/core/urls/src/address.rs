//! Which IP addresses may be connected to.
//!
//! Everything in IANA's special-purpose registries is refused, for IPv4 and IPv6 and for IPv4 addresses
//! embedded in IPv6. Only the operator can allow further networks. Denied networks are refused even if
//! they are allowed.

mod port;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;
use thiserror::Error;

pub use port::is_permitted_port;

/// Whether an address belongs to the public internet.
#[must_use]
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let special = match ip.octets() {
        // This network, private use, loopback; multicast, reserved and broadcast.
        [0 | 10 | 127 | 224.., ..] => true,
        // Shared address space of carriers.
        [100, 64..=127, ..] => true,
        // Link-local, and with it most clouds' metadata services.
        [169, 254, ..] => true,
        // Azure's platform service (DNS, health probes, guest agent): a public address by which
        // every virtual machine reaches its own host.
        [168, 63, 129, 16] => true,
        [172, 16..=31, ..] => true,
        // Protocol assignments, documentation, AS112, AMT, 6to4 relays.
        [192, 0, 0 | 2, _] | [192, 31, 196, _] | [192, 52, 193, _] | [192, 88, 99, _] => true,
        [192, 168, ..] | [192, 175, 48, _] => true,
        // Benchmarking.
        [198, 18 | 19, ..] => true,
        // Documentation.
        [198, 51, 100, _] | [203, 0, 113, _] => true,
        _ => false,
    };
    !special
}

/// The address that packets to `ip` reach: the IPv4 address embedded in a mapped or NAT64 address, any
/// other address unchanged.
#[must_use]
pub fn effective_address(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(six) => match six.segments() {
            // NAT64 carries the packet to the IPv4 address in the last 32 bits.
            [0x64, 0xff9b, 0, 0, 0, 0, high, low] => IpAddr::V4(embedded(high, low)),
            _ => IpAddr::V6(six),
        },
        four @ IpAddr::V4(_) => four,
    }
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    if let IpAddr::V4(inner) = effective_address(IpAddr::V6(ip)) {
        return is_public_v4(inner);
    }
    match ip.segments() {
        // Protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, DRIP.
        [0x2001, 0..=0x1ff, ..] => false,
        // Documentation.
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // 6to4 tunnels to the embedded IPv4 address, through any relay.
        [0x2002, ..] => false,
        // AS112.
        [0x2620, 0x4f, 0x8000, ..] => false,
        // Global unicast. Outside it: unspecified, loopback, IPv4-compatible,
        // discard, local NAT64, SRv6, unique-local, link- and site-local, multicast.
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}

/// An invalid list of networks.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// An invalid entry of the allowed networks.
    #[error(
        "`{entry}` is not a network: write an address or a CIDR with an optional port, \
         such as 10.0.0.0/8, 127.0.0.1:8000 or [::1]/128:9000"
    )]
    Entry { entry: String },
    /// An invalid entry of the denied networks.
    #[error(
        "`{entry}` is not a network: write an address or a CIDR without a port, \
         such as 203.0.113.0/24 or 2001:db8::/32"
    )]
    Denied { entry: String },
}

/// Why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressRefusal {
    /// The address is not public.
    Address,
    /// The operator denies the network of this public address.
    Denied,
    /// The address is allowed, but not this port.
    Port,
}

/// Networks that the operator denies, on every port.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeniedNetworks(Vec<IpNet>);

impl DeniedNetworks {
    /// Parses a comma-separated list of CIDRs; a single address is a network of one.
    ///
    /// # Errors
    ///
    /// The first invalid entry. A port is not allowed: a denied network is denied as a whole.
    pub fn parse(list: &str) -> Result<Self, NetworkError> {
        entries(list)
            .map(|entry| match network(entry) {
                Some((net, None)) => Ok(net),
                _ => Err(NetworkError::Denied { entry: entry.to_owned() }),
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether `ip`, or the IPv4 address that it embeds, is denied.
    #[must_use]
    pub fn contains(&self, ip: IpAddr) -> bool {
        let effective = effective_address(ip);
        self.0.iter().any(|net| net.contains(&ip) || net.contains(&effective))
    }
}

/// The networks that the operator allows besides the public internet, and those that the operator
/// denies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowedNetworks {
    opened: Vec<(IpNet, Option<u16>)>,
    denied: DeniedNetworks,
}

impl AllowedNetworks {
    /// Only the public internet.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Every network, on this port only: for endpoints that the operator configured, never for
    /// sites.
    #[must_use]
    pub fn everywhere(port: u16) -> Self {
        Self::parse(&format!("0.0.0.0/0:{port},[::]/0:{port}")).unwrap_or_default()
    }

    /// Parses a comma-separated list of `CIDR[:port]`. A single address is a network of one; an IPv6
    /// address with a port is in brackets.
    ///
    /// # Errors
    ///
    /// The first invalid entry.
    pub fn parse(list: &str) -> Result<Self, NetworkError> {
        let opened = entries(list).map(|entry| {
            network(entry).ok_or_else(|| NetworkError::Entry { entry: entry.to_owned() })
        });
        Ok(Self { opened: opened.collect::<Result<_, _>>()?, denied: DeniedNetworks::default() })
    }

    /// Adds denied networks, which are refused even if they are allowed.
    #[must_use]
    pub fn denying(self, denied: DeniedNetworks) -> Self {
        Self { denied, ..self }
    }

    /// Whether a connection to this address is permitted: it is public, or its network is allowed. An
    /// allowed network with a port permits exactly that port; without one, the ports of
    /// [`is_permitted_port`].
    #[must_use]
    pub fn permits(&self, address: SocketAddr) -> bool {
        self.check(address).is_ok()
    }

    /// Like [`Self::permits`], with the reason of a refusal.
    ///
    /// # Errors
    ///
    /// [`AddressRefusal`] if a connection is not permitted.
    pub fn check(&self, address: SocketAddr) -> Result<(), AddressRefusal> {
        let ip = address.ip();
        if self.denies(ip) {
            Err(if is_public(ip) { AddressRefusal::Denied } else { AddressRefusal::Address })
        } else if self.opens(address) {
            Ok(())
        } else if !is_public(ip) {
            Err(AddressRefusal::Address)
        } else if is_permitted_port(address.port()) {
            Ok(())
        } else {
            Err(AddressRefusal::Port)
        }
    }

    /// Whether the operator denies this address.
    #[must_use]
    pub fn denies(&self, ip: IpAddr) -> bool {
        self.denied.contains(ip)
    }

    /// Whether the operator allows any network explicitly.
    #[must_use]
    pub fn opens_any(&self) -> bool {
        !self.opened.is_empty()
    }

    /// Whether the operator allows this address explicitly.
    #[must_use]
    pub fn opens(&self, address: SocketAddr) -> bool {
        // `::ffff:10.0.0.1` and 10.0.0.1 are equal, whichever is listed.
        let ip = address.ip().to_canonical();
        self.opened.iter().any(|(net, port)| {
            net.contains(&ip)
                && port.map_or(is_permitted_port(address.port()), |port| port == address.port())
        })
    }
}

fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

fn network(entry: &str) -> Option<(IpNet, Option<u16>)> {
    let (ip, rest) = if let Some(inside) = entry.strip_prefix('[') {
        let (ip, rest) = inside.split_once(']')?;
        (IpAddr::V6(ip.parse().ok()?), rest)
    } else if let Ok(net) = entry.parse::<IpNet>() {
        return canonical(net.addr(), net.prefix_len()).map(|net| (net, None));
    } else {
        let end = entry.find(['/', ':']).unwrap_or(entry.len());
        match entry.parse::<IpAddr>() {
            Ok(ip) => (ip, ""),
            Err(_) => (IpAddr::V4(entry.get(..end)?.parse().ok()?), entry.get(end..)?),
        }
    };
    let (prefix, port) = match rest.split_once(':') {
        Some((prefix, port)) => (prefix, Some(port_number(port)?)),
        None => (rest, None),
    };
    let prefix = match prefix.strip_prefix('/') {
        Some(length) => length.parse().ok()?,
        None if prefix.is_empty() => {
            if ip.is_ipv4() {
                32
            } else {
                128
            }
        }
        None => return None,
    };
    canonical(ip, prefix).map(|net| (net, port))
}

/// The network, with an IPv4-mapped IPv6 address as IPv4.
fn canonical(ip: IpAddr, prefix: u8) -> Option<IpNet> {
    match ip.to_canonical() {
        IpAddr::V4(inner) if ip.is_ipv6() => {
            IpNet::new(IpAddr::V4(inner), prefix.checked_sub(96)?).ok()
        }
        ip => IpNet::new(ip, prefix).ok(),
    }
}

fn port_number(text: &str) -> Option<u16> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| digits && *port != 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn special_addresses_are_not_public() {
        for ip in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "168.63.129.16",
            "::ffff:168.63.129.16",
            "64:ff9b::168.63.129.16",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.0.170",
            "192.0.2.1",
            "192.31.196.1",
            "192.52.193.1",
            "192.88.99.1",
            "192.168.1.1",
            "192.175.48.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::8.8.8.8",
            "100::1",
            "100:0:0:1::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:3::1",
            "2001:4:112::1",
            "2001:10::1",
            "2001:20::1",
            "2001:30::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "2620:4f:8000::1",
            "3fff::1",
            "3fff:fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn public_addresses_are_public() {
        for ip in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.1.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "192.167.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2a00:1450:4001::1",
            "3fff:1000::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert!(is_public(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn database_and_admin_ports_are_refused_unless_allowed_with_their_port() {
        let named = AllowedNetworks::parse("127.0.0.1:5432, 10.0.0.0/8").unwrap();
        for port in [
            1433, 1521, 2375, 2376, 2379, 2380, 3306, 5432, 5984, 6379, 8500, 9042, 9200, 9300,
            10250, 11211, 27017,
        ] {
            let public = SocketAddr::from(([93, 184, 215, 14], port));
            assert_eq!(AllowedNetworks::none().check(public), Err(AddressRefusal::Port), "{port}");
            let opened = SocketAddr::from(([10, 0, 0, 1], port));
            assert_eq!(named.check(opened), Err(AddressRefusal::Address), "{port}");
        }
        assert!(named.permits("127.0.0.1:5432".parse().unwrap()));
    }

    #[test]
    fn denied_networks_win_over_allowed_ones() {
        let denied = "93.184.0.0/16, 10.0.0.7, 2606:4700::/32";
        let denied = DeniedNetworks::parse(denied).unwrap();
        let allowed = AllowedNetworks::parse("10.0.0.0/8, 93.184.215.14:80").unwrap();
        let networks = allowed.denying(denied);
        for (address, refusal) in [
            ("93.184.215.14:80", AddressRefusal::Denied),
            ("[::ffff:93.184.215.14]:80", AddressRefusal::Denied),
            ("[64:ff9b::5db8:d70e]:80", AddressRefusal::Denied),
            ("10.0.0.7:80", AddressRefusal::Address),
            ("[2606:4700::1111]:443", AddressRefusal::Denied),
        ] {
            assert_eq!(networks.check(address.parse().unwrap()), Err(refusal), "{address}");
        }
        assert!(networks.permits("10.0.0.8:80".parse().unwrap()));
        assert!(networks.permits("8.8.8.8:443".parse().unwrap()));
        for entry in ["10.0.0.0/33", "nonsense", "10.0.0.1:80", "[::1]:80"] {
            let error = DeniedNetworks::parse(&format!("10.0.0.0/8,{entry}")).unwrap_err();
            assert_eq!(error, NetworkError::Denied { entry: entry.to_owned() });
        }
    }

    #[test]
    fn allowed_networks_are_parsed_and_permitted() {
        let list =
            "127.0.0.0/8:8000, 10.0.0.0/8,192.168.1.7:22,[::1]/128:9000,[fd00::2],fc00::/7,::1,";
        let allowed = AllowedNetworks::parse(list).unwrap();
        for address in [
            "127.0.0.1:8000",
            "127.9.9.9:8000",
            "[::ffff:127.0.0.1]:8000",
            "10.1.2.3:80",
            "192.168.1.7:22",
            "[::1]:9000",
            "[::1]:80",
            "[fd00::2]:443",
            "8.8.8.8:443",
        ] {
            assert!(allowed.permits(address.parse().unwrap()), "{address}");
        }
        for address in
            ["127.0.0.1:8001", "10.1.2.3:25", "192.168.1.7:80", "[fe80::1]:80", "8.8.8.8:25"]
        {
            assert!(!allowed.permits(address.parse().unwrap()), "{address}");
        }
        assert!(!AllowedNetworks::none().permits("127.0.0.1:8000".parse().unwrap()));
        let mapped = AllowedNetworks::parse("::ffff:10.0.0.0/104").unwrap();
        assert!(mapped.permits("10.0.0.1:80".parse().unwrap()));
    }

    #[test]
    fn invalid_entry_is_reported() {
        for entry in [
            "10.0.0.0/33",
            "nonsense",
            "10.0.0.1:",
            "10.0.0.1:0",
            "10.0.0.1:+80",
            "[::1",
            "::1/129",
            "[::1]x",
            "1.2.3/8",
        ] {
            let error = AllowedNetworks::parse(&format!("10.0.0.0/8,{entry}")).unwrap_err();
            assert_eq!(error, NetworkError::Entry { entry: entry.to_owned() });
            assert!(error.to_string().contains(entry));
        }
    }

    proptest! {
        #[test]
        fn mapped_address_is_as_public_as_its_ipv4_address(ip: u32) {
            let inner = Ipv4Addr::from(ip);
            prop_assert_eq!(is_public(IpAddr::V6(inner.to_ipv6_mapped())), is_public(IpAddr::V4(inner)));
            prop_assert!(!is_public(IpAddr::V6(inner.to_ipv6_compatible())));
        }

        #[test]
        fn arbitrary_list_does_not_panic(list: String) {
            let _ = AllowedNetworks::parse(&list);
        }
    }
}
