//! The host of a URL: valid names, and names that need no parser.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use memchr::memchr;

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
    let (host, port) = match memchr(b':', authority.as_bytes()) {
        Some(at) => (&authority[..at], Some(canonical_port(&authority[at + 1..])?)),
        None => (authority, None),
    };
    is_plain_name(host.as_bytes()).then_some((host, port))
}

/// Whether [`accepted`] leaves a host as it is, and it is neither an IP address nor an
/// internationalised name. Reads it once.
fn is_plain_name(host: &[u8]) -> bool {
    let mut label_start = 0;
    for (at, &byte) in host.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => {}
            b'.' if is_plain_label(&host[label_start..at]) => label_start = at + 1,
            _ => return false,
        }
    }
    let last = &host[label_start..];
    // A last label that begins with a digit may be part of an IPv4 address.
    host.len() <= 253 && is_plain_label(last) && last[0].is_ascii_lowercase()
}

fn is_plain_label(label: &[u8]) -> bool {
    (1..=63).contains(&label.len()) && !label.starts_with(b"xn--")
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
