//! Static name resolution by the operator: `name=ip:port,*.suffix=ip:port,*=ip`.
//!
//! The operator vouches for these names: they pass the address guard. The table has names only; an
//! IP address in a URL is always checked.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use url::Host;

use crate::SetupError;

/// Host names with fixed addresses, set by the operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameTable {
    exact: HashMap<String, MappedAddress>,
    /// Sorted by length, the longest suffix first.
    suffixes: Vec<(String, MappedAddress)>,
    any: Option<MappedAddress>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MappedAddress {
    ip: IpAddr,
    /// Replaces the default ports 80 and 443.
    port: Option<u16>,
}

impl NameTable {
    /// Parses a table; the error names the invalid entry.
    pub fn parse(text: &str) -> Result<Self, SetupError> {
        let mut table = Self::default();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            table.add(entry).ok_or_else(|| SetupError::NameEntry(entry.to_owned()))?;
        }
        table.suffixes.sort_by_key(|(suffix, _)| std::cmp::Reverse(suffix.len()));
        Ok(table)
    }

    /// Whether the table has an entry for `host`.
    #[must_use]
    pub fn knows(&self, host: &str) -> bool {
        host_name(host).is_some_and(|name| self.find(&name).is_some())
    }

    /// The address for `name`, which is in canonical form, and `port`.
    pub(crate) fn locate(&self, name: &str, port: u16) -> Option<SocketAddr> {
        let target = self.find(name)?;
        let port = match target.port {
            Some(given) if matches!(port, 80 | 443) => given,
            _ => port,
        };
        Some(SocketAddr::new(target.ip, port))
    }

    fn find(&self, name: &str) -> Option<MappedAddress> {
        let by_suffix = || {
            self.suffixes
                .iter()
                .find(|(suffix, _)| {
                    name.strip_suffix(suffix.as_str()).is_some_and(|rest| rest.ends_with('.'))
                })
                .map(|(_, target)| *target)
        };
        self.exact.get(name).copied().or_else(by_suffix).or(self.any)
    }

    fn add(&mut self, entry: &str) -> Option<()> {
        let (name, target) = entry.split_once('=')?;
        let (name, target) = (name.trim(), target.trim().parse().ok()?);
        if name == "*" {
            self.any = Some(target);
        } else if let Some(suffix) = name.strip_prefix("*.") {
            self.suffixes.push((host_name(suffix)?, target));
        } else {
            self.exact.insert(host_name(name)?, target);
        }
        Some(())
    }
}

/// The canonical form of a host name; `None` for IP addresses and invalid names.
pub(crate) fn host_name(host: &str) -> Option<String> {
    match Host::parse(host).ok()? {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            (!name.is_empty() && !name.contains('*')).then(|| name.to_owned())
        }
        Host::Ipv4(_) | Host::Ipv6(_) => None,
    }
}

impl FromStr for MappedAddress {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if let Ok(address) = text.parse::<SocketAddr>() {
            return match address.port() {
                0 => Err(()),
                port => Ok(Self { ip: address.ip(), port: Some(port) }),
            };
        }
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        bare.parse().map(|ip| Self { ip, port: None }).map_err(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> NameTable {
        NameTable::parse(
            "shop.test=127.0.0.1:8080, *.test=127.0.0.2, *.deep.test=[::1]:9000,bücher.de=127.0.0.5:81",
        )
        .expect("the table is sound")
    }

    fn at(name: &str, port: u16) -> Option<String> {
        table().locate(name, port).map(|address| address.to_string())
    }

    #[test]
    fn exact_name_wins_over_longest_suffix_and_suffix_over_wildcard() {
        assert_eq!(at("shop.test", 80).as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(at("a.deep.test", 443).as_deref(), Some("[::1]:9000"));
        assert_eq!(at("deep.test", 443).as_deref(), Some("127.0.0.2:443"));
        assert_eq!(at("test", 80), None);
        assert_eq!(at("atest", 80), None);
        assert_eq!(at("xn--bcher-kva.de", 443).as_deref(), Some("127.0.0.5:81"));
        let any = NameTable::parse("*=127.0.0.9:1,").expect("a table of one");
        assert_eq!(any.locate("whatever", 443), Some(([127, 0, 0, 9], 1).into()));
    }

    #[test]
    fn port_replaces_only_the_default_ports() {
        assert_eq!(at("shop.test", 443).as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(at("shop.test", 3000).as_deref(), Some("127.0.0.1:3000"));
    }

    #[test]
    fn names_match_in_any_spelling_and_ip_addresses_never() {
        assert!(table().knows("SHOP.test."));
        assert!(table().knows("BÜCHER.de"));
        let any = NameTable::parse("*=127.0.0.1").expect("a table of one");
        for address in ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", ""] {
            assert!(!any.knows(address), "{address}");
        }
    }

    #[test]
    fn parse_error_names_the_invalid_entry() {
        for wrong in [
            "shop.test",
            "a=b",
            "=1.2.3.4",
            "a=1.2.3.4:0",
            "a=1.2.3.4:x",
            "1.2.3.4=1.2.3.4",
            "a*b=::1",
        ] {
            let text = format!("fine.test=127.0.0.1,{wrong}");
            let error = NameTable::parse(&text).expect_err(wrong).to_string();
            assert!(error.ends_with(&format!("`{wrong}`")), "{error}");
        }
    }
}
