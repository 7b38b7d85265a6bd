//! The host of a URL: valid names, and names that need no parser.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The host in canonical form, or `None` if it is no valid name. A trailing dot is removed.
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

/// Host and port of an authority that is already canonical and cannot be an IP address or an
/// internationalised name.
pub(super) fn canonical_authority(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(canonical_port(port)?)),
        None => (authority, None),
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    // A last label that begins with a digit may be part of an IPv4 address.
    let plain = last.bytes().next()?.is_ascii_lowercase()
        && accepted(host) == Some(host)
        && !host.split('.').any(|label| label.starts_with("xn--"));
    plain.then_some((host, port))
}

fn canonical_port(text: &str) -> Option<u16> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    if plain { text.parse().ok() } else { None }
}

/// The IP address of a canonical host, if it is one.
pub(super) fn ip(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

/// The host without a leading `www.`, unless only a single label would be left: `www.com` is a
/// registered domain.
pub(super) fn without_www(host: &str) -> &str {
    match host.strip_prefix("www.") {
        Some(bare) if bare.contains('.') => bare,
        _ => host,
    }
}
