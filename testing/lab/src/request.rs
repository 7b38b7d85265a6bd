//! A request, for sites that respond by client or header.

use std::net::{IpAddr, Ipv4Addr};

/// Marks a request of the protected tier.
const TIER_HEADER: &str = "via-tier";
/// Marks a request that came through a proxy of a test.
const PROXY_HEADER: &str = "x-test-proxy";

#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    method: &'a str,
    path: &'a str,
    body: &'a [u8],
    head: &'a str,
    client: IpAddr,
    proxied: bool,
}

impl<'a> Request<'a> {
    /// A request without headers from loopback.
    #[must_use]
    pub fn plain(path_and_query: &'a str) -> Self {
        Self::new(path_and_query, "", Ipv4Addr::LOCALHOST.into(), false)
    }

    pub(crate) fn new(path: &'a str, head: &'a str, client: IpAddr, proxied: bool) -> Self {
        Self { method: "GET", path, body: &[], head, client, proxied }
    }

    /// The request with this method and body.
    pub(crate) fn sent_as(self, method: &'a str, body: &'a [u8]) -> Self {
        Self { method, body, ..self }
    }

    #[must_use]
    pub fn method(&self) -> &'a str {
        self.method
    }

    /// A field of a submitted form, without its escapes.
    #[must_use]
    pub fn form_field(&self, name: &str) -> Option<String> {
        let mut fields = url::form_urlencoded::parse(self.body);
        fields.find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    }

    #[must_use]
    pub fn path(&self) -> &'a str {
        self.path
    }

    #[must_use]
    pub fn client(&self) -> IpAddr {
        self.client
    }

    /// The first header of this name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a str> {
        let fields = self.head.split("\r\n").filter_map(|line| line.split_once(':'));
        let mut fields = fields.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        fields.next().map(|(_, value)| value.trim())
    }

    /// The cookie of this name.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&'a str> {
        let mut cookies = self.header("cookie")?.split(';').filter_map(|one| one.split_once('='));
        cookies.find(|(known, _)| known.trim() == name).map(|(_, value)| value.trim())
    }

    /// Whether it came through the protected tier: it has the header of the tier, or came through a
    /// proxy.
    #[must_use]
    pub fn is_via_tier(&self) -> bool {
        self.proxied || self.header(TIER_HEADER) == Some("1") || self.header(PROXY_HEADER).is_some()
    }
}
