//! The address guard: resolves a host and checks every address.
//!
//! Every returned address was checked in the call that returns it; the connector connects only to
//! these addresses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig,
    ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::Name;
use hickory_resolver::system_conf::read_system_conf;
use url::Host;
use urls::{AddressRefusal, AllowedNetworks, is_permitted_port};

use crate::{FetchError, FetchResult, NameTable, OwnAddresses, SetupError};

/// Upper limit of the TTL of DNS answers.
const MAX_TTL: Duration = Duration::from_secs(300);

/// Upper limit of the TTL of negative DNS answers.
const MAX_NEGATIVE_TTL: Duration = Duration::from_secs(15);

/// How hosts are resolved and checked.
#[derive(Debug, Clone)]
pub struct ResolverSettings {
    pub names: NameTable,
    /// Networks that are allowed besides public addresses.
    pub allowed: AllowedNetworks,
    /// The name server; `None` uses those of the system.
    pub dns_server: Option<SocketAddr>,
    pub timeout: Duration,
    /// Whether addresses of the name table are checked like all others. The operator vouches for
    /// the table, except where clients choose the target (webhooks).
    pub check_name_table: bool,
    /// The addresses of this node: refused unless `allowed` has them.
    pub own: OwnAddresses,
}

impl Default for ResolverSettings {
    fn default() -> Self {
        Self {
            names: NameTable::default(),
            allowed: AllowedNetworks::default(),
            dns_server: None,
            timeout: Duration::from_secs(5),
            check_name_table: false,
            own: OwnAddresses::default(),
        }
    }
}

/// Resolves hosts and returns only allowed addresses.
pub struct GuardedResolver {
    names: NameTable,
    allowed: AllowedNetworks,
    timeout: Duration,
    check_name_table: bool,
    own: OwnAddresses,
    dns: TokioResolver,
}

runtime::partial_debug!(GuardedResolver, names);

impl GuardedResolver {
    /// Creates a resolver. Sends no query.
    pub fn new(settings: ResolverSettings) -> Result<Self, SetupError> {
        let (config, mut options) = match settings.dns_server {
            Some(server) => (using_server(server), ResolverOpts::default()),
            None => read_system_conf().unwrap_or_else(|error| {
                // Like the C library without a configuration.
                tracing::warn!(%error, "cannot read resolv.conf, using the name server on 127.0.0.1");
                (using_server((Ipv4Addr::LOCALHOST, 53).into()), ResolverOpts::default())
            }),
        };
        // Two attempts fit into the timeout of a lookup.
        options.timeout = settings.timeout / 2;
        options.attempts = 2;
        // Always query both families: an address that is not looked up cannot be checked.
        options.ip_strategy = LookupIpStrategy::Ipv6AndIpv4;
        options.use_hosts_file = ResolveHosts::Always;
        options.positive_max_ttl = Some(MAX_TTL);
        options.negative_max_ttl = Some(MAX_NEGATIVE_TTL);
        let dns = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
            .with_options(options)
            .build()
            .map_err(|error| SetupError::Resolver(error.to_string()))?;
        let ResolverSettings { names, allowed, timeout, check_name_table, own, .. } = settings;
        Ok(Self { names, allowed, timeout, check_name_table, own, dns })
    }

    /// The addresses to connect to for `host` and `port`, IPv6 and IPv4 alternating. One refused
    /// address refuses the host: otherwise the host could choose which one a connection takes.
    pub async fn resolve(&self, host: &str, port: u16) -> FetchResult<Vec<SocketAddr>> {
        // The URL parser knows every spelling of an IP address.
        let name = match Host::parse(host).map_err(|_| FetchError::NameNotFound)? {
            Host::Ipv4(ip) => return self.check([ip.into()], port),
            Host::Ipv6(ip) => return self.check([ip.into()], port),
            Host::Domain(name) => name,
        };
        let name = name.strip_suffix('.').unwrap_or(&name);
        if let Some(address) = self.names.locate(name, port) {
            if self.check_name_table {
                return self.check([address.ip()], address.port());
            }
            // Denied networks are denied to the name table as well.
            if self.allowed.denies(address.ip()) {
                return Err(FetchError::AddressRefused(address.ip()));
            }
            // The operator vouches for the address, not for every port.
            let opened = self.allowed.opens(SocketAddr::new(address.ip(), port));
            return if opened || is_permitted_port(port) {
                Ok(vec![address])
            } else {
                Err(FetchError::PortRefused(port))
            };
        }
        let mut name = Name::from_ascii(name).map_err(|_| FetchError::NameNotFound)?;
        // A name of a URL is fully qualified: the search list of the machine does not apply.
        name.set_fqdn(true);
        let found = self.look_up(name).await?;
        self.check(found, port)
    }

    /// The addresses of a name in the operator's settings, unchecked. Such a name may be short: the
    /// search list of the machine applies.
    pub(crate) async fn locate(&self, name: &str, port: u16) -> FetchResult<Vec<SocketAddr>> {
        if let Some(address) = self.names.locate(name, port) {
            return Ok(vec![address]);
        }
        let name = Name::from_ascii(name).map_err(|_| FetchError::NameNotFound)?;
        let found = self.look_up(name).await?;
        Ok(interleave_families(found.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()))
    }

    /// Whether the operator allows this address explicitly.
    pub(crate) fn opens(&self, address: SocketAddr) -> bool {
        self.allowed.opens(address)
    }

    /// Whether the name table has an entry for `host`.
    #[must_use]
    pub fn knows(&self, host: &str) -> bool {
        self.names.knows(host)
    }

    fn check(
        &self,
        found: impl IntoIterator<Item = IpAddr>,
        port: u16,
    ) -> FetchResult<Vec<SocketAddr>> {
        let mut addresses = Vec::new();
        for ip in found {
            let address = SocketAddr::new(ip, port);
            match self.allowed.check(address) {
                Ok(()) if self.own.contains(ip) && !self.allowed.opens(address) => {
                    return Err(FetchError::AddressRefused(ip));
                }
                Ok(()) => addresses.push(address),
                Err(AddressRefusal::Port) => return Err(FetchError::PortRefused(port)),
                Err(AddressRefusal::Address | AddressRefusal::Denied) => {
                    return Err(FetchError::AddressRefused(ip));
                }
            }
        }
        if addresses.is_empty() {
            return Err(FetchError::NameNotFound);
        }
        Ok(interleave_families(addresses))
    }

    async fn look_up(&self, name: Name) -> FetchResult<Vec<IpAddr>> {
        match tokio::time::timeout(self.timeout, self.dns.lookup_ip(name)).await {
            Ok(Ok(found)) => Ok(found.iter().collect()),
            Ok(Err(error)) if is_absent(&error) => Err(FetchError::NameNotFound),
            Ok(Err(error)) => {
                tracing::debug!(%error, "DNS lookup failed");
                Err(FetchError::NameServer)
            }
            Err(_) => Err(FetchError::NameServer),
        }
    }
}

fn using_server(server: SocketAddr) -> ResolverConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = server.port();
        connection
    });
    let server = NameServerConfig::new(server.ip(), true, connections.into());
    ResolverConfig::from_name_servers(vec![server])
}

/// Whether the name servers answered that the name has no address.
fn is_absent(error: &NetError) -> bool {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(none)) => {
            matches!(none.response_code, ResponseCode::NXDomain | ResponseCode::NoError)
        }
        _ => false,
    }
}

/// IPv6 and IPv4 alternating, IPv6 first: if one family is unreachable, the next attempt uses the
/// other.
fn interleave_families(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let (v6, v4): (Vec<_>, Vec<_>) = addresses.into_iter().partition(SocketAddr::is_ipv6);
    let longest = v6.len().max(v4.len());
    (0..longest).flat_map(|n| [v6.get(n), v4.get(n)]).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv6_and_ipv4_alternate() {
        let all = ["1.1.1.1:80", "1.1.1.2:80", "1.1.1.3:80", "[2600::1]:80"];
        let order =
            interleave_families(all.iter().map(|text| text.parse().expect("an address")).collect());
        let order: Vec<String> = order.iter().map(ToString::to_string).collect();
        assert_eq!(order, ["[2600::1]:80", "1.1.1.1:80", "1.1.1.2:80", "1.1.1.3:80"]);
    }
}
