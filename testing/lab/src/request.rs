//! A request, for the sites that look at who asks.

use std::net::{IpAddr, Ipv4Addr};

/// Marks a request of the protected tier.
const TIER_HEADER: &str = "via-tier";
/// Marks a request that came through a proxy of a test.
const PROXY_HEADER: &str = "x-test-proxy";

#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    path: &'a str,
    head: &'a str,
    client: IpAddr,
    proxied: bool,
}

impl<'a> Request<'a> {
    /// A request of a stranger who says nothing of himself.
    #[must_use]
    pub fn plain(path_and_query: &'a str) -> Self {
        Self::new(path_and_query, "", Ipv4Addr::LOCALHOST.into(), false)
    }

    pub(crate) fn new(path: &'a str, head: &'a str, client: IpAddr, proxied: bool) -> Self {
        Self { path, head, client, proxied }
    }

    #[must_use]
    pub fn path(&self) -> &'a str {
        self.path
    }

    #[must_use]
    pub fn client(&self) -> IpAddr {
        self.client
    }

    /// The first header of that name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a str> {
        let fields = self.head.split("\r\n").filter_map(|line| line.split_once(':'));
        let mut fields = fields.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        fields.next().map(|(_, value)| value.trim())
    }

    /// The cookie of that name.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&'a str> {
        let mut cookies = self.header("cookie")?.split(';').filter_map(|one| one.split_once('='));
        cookies.find(|(known, _)| known.trim() == name).map(|(_, value)| value.trim())
    }

    /// It came in the way of the protected tier: it says so, or it came through a proxy.
    #[must_use]
    pub fn is_via_tier(&self) -> bool {
        self.proxied || self.header(TIER_HEADER) == Some("1") || self.header(PROXY_HEADER).is_some()
    }
}
