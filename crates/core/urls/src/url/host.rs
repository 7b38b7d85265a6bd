//! The host of an address: which names are accepted, and which are so plain
//! that no parser need look at them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The host as it is kept, or `None` when nothing by that name can exist.
/// The dot that may end a name is dropped: both spellings are one host.
pub(super) fn accepted(host: &str) -> Option<&str> {
    if host.starts_with('[') {
        return ip(host).map(|_| host);
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    let known = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.');
    (host.len() <= 253
        && host.bytes().all(known)
        && host.split('.').all(|label| (1..=63).contains(&label.len())))
    .then_some(host)
}

/// Host and port of an authority that is in its one spelling already and
/// cannot be an address or an internationalised name.
pub(super) fn plain_authority(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(plain_port(port)?)),
        None => (authority, None),
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    // A last label that begins with a digit may make the whole an IPv4 address.
    let plain = last.bytes().next()?.is_ascii_lowercase()
        && accepted(host) == Some(host)
        && !host.split('.').any(|label| label.starts_with("xn--"));
    plain.then_some((host, port))
}

fn plain_port(text: &str) -> Option<u16> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    if plain { text.parse().ok() } else { None }
}

/// The address that a host in its one spelling is, if it is one.
pub(super) fn ip(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

/// The host without a leading `www.`. It stays where only a single label would
/// be left: `www.com` is a domain of its own and not the bare form of `com`.
pub(super) fn without_www(host: &str) -> &str {
    match host.strip_prefix("www.") {
        Some(bare) if bare.contains('.') => bare,
        _ => host,
    }
}
