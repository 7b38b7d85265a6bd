//! From a host to the addresses that may be connected to.
//!
//! Every address that leaves this module was judged in the call that returns
//! it; the connector connects to these and to nothing else.

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

use crate::{FetchError, NameTable, OwnAddresses, SetupError};

/// How long an answer is remembered at most, whatever it says itself.
const LONGEST_TTL: Duration = Duration::from_secs(300);

/// How long a failure is remembered at most.
const LONGEST_NEGATIVE_TTL: Duration = Duration::from_secs(15);

/// How names are resolved and judged.
#[derive(Debug, Clone)]
pub struct ResolverSettings {
    /// The operator's own names.
    pub names: NameTable,
    /// What may be reached besides public addresses.
    pub allowed: AllowedNetworks,
    /// The name server to ask; the system's when there is none.
    pub dns_server: Option<SocketAddr>,
    /// How long a lookup may take.
    pub timeout: Duration,
    /// Whether the operator's own names are judged as all others are. The operator vouches
    /// for the sites that he names; where clients choose what is spoken to, his names are
    /// only names.
    pub judge_names: bool,
    /// The addresses of this node: refused unless `allowed` opens them.
    pub own: OwnAddresses,
}

impl Default for ResolverSettings {
    fn default() -> Self {
        Self {
            names: NameTable::default(),
            allowed: AllowedNetworks::default(),
            dns_server: None,
            timeout: Duration::from_secs(5),
            judge_names: false,
            own: OwnAddresses::default(),
        }
    }
}

/// Resolves hosts and lets only those addresses through that may be reached.
pub struct GuardedResolver {
    names: NameTable,
    allowed: AllowedNetworks,
    timeout: Duration,
    judge_names: bool,
    own: OwnAddresses,
    dns: TokioResolver,
}

impl std::fmt::Debug for GuardedResolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GuardedResolver").field("names", &self.names).finish_non_exhaustive()
    }
}

impl GuardedResolver {
    /// A resolver; it asks nobody yet.
    pub fn new(settings: ResolverSettings) -> Result<Self, SetupError> {
        let (config, mut options) = match settings.dns_server {
            Some(server) => (asking(server), ResolverOpts::default()),
            None => read_system_conf().unwrap_or_else(|error| {
                // What the C library does without a configuration.
                tracing::warn!(%error, "no usable resolv.conf, asking the name server on loopback");
                (asking((Ipv4Addr::LOCALHOST, 53).into()), ResolverOpts::default())
            }),
        };
        // Two tries fit into the time that a lookup has.
        options.timeout = settings.timeout / 2;
        options.attempts = 2;
        // Both families are always asked: an address that is not asked for here
        // could not be judged here.
        options.ip_strategy = LookupIpStrategy::Ipv6AndIpv4;
        options.use_hosts_file = ResolveHosts::Always;
        options.positive_max_ttl = Some(LONGEST_TTL);
        options.negative_max_ttl = Some(LONGEST_NEGATIVE_TTL);
        let dns = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
            .with_options(options)
            .build()
            .map_err(|error| SetupError::Resolver(error.to_string()))?;
        let ResolverSettings { names, allowed, timeout, judge_names, own, .. } = settings;
        Ok(Self { names, allowed, timeout, judge_names, own, dns })
    }

    /// The addresses to connect to for `host` and `port`, families in turn.
    /// One refused address among many refuses the host: which one a connection
    /// would take is not for the host to play with.
    pub async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, FetchError> {
        // The parser of URLs knows every spelling of an address.
        let name = match Host::parse(host).map_err(|_| FetchError::NameNotFound)? {
            Host::Ipv4(ip) => return self.judge([ip.into()], port),
            Host::Ipv6(ip) => return self.judge([ip.into()], port),
            Host::Domain(name) => name,
        };
        let name = name.strip_suffix('.').unwrap_or(&name);
        if let Some(address) = self.names.locate(name, port) {
            if self.judge_names {
                return self.judge([address.ip()], address.port());
            }
            // A denied network is denied even to the operator's own table.
            if self.allowed.denies(address.ip()) {
                return Err(FetchError::AddressRefused(address.ip()));
            }
            // The operator vouches for the place, not for every service there.
            let opened = self.allowed.opens(SocketAddr::new(address.ip(), port));
            return if opened || is_permitted_port(port) {
                Ok(vec![address])
            } else {
                Err(FetchError::PortRefused(port))
            };
        }
        let mut name = Name::from_ascii(name).map_err(|_| FetchError::NameNotFound)?;
        // A name from the web is complete: the machine's search list is not for it.
        name.set_fqdn(true);
        let found = self.look_up(name).await?;
        self.judge(found, port)
    }

    /// The addresses of a name that the operator wrote, which are not judged. Unlike a name from the
    /// web it may be short: the machine's search list completes it.
    pub(crate) async fn locate(
        &self,
        name: &str,
        port: u16,
    ) -> Result<Vec<SocketAddr>, FetchError> {
        if let Some(address) = self.names.locate(name, port) {
            return Ok(vec![address]);
        }
        let name = Name::from_ascii(name).map_err(|_| FetchError::NameNotFound)?;
        let found = self.look_up(name).await?;
        Ok(in_turn(found.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()))
    }

    /// Whether the operator's table says where `host` is.
    #[must_use]
    pub fn knows(&self, host: &str) -> bool {
        self.names.knows(host)
    }

    fn judge(
        &self,
        found: impl IntoIterator<Item = IpAddr>,
        port: u16,
    ) -> Result<Vec<SocketAddr>, FetchError> {
        let mut addresses = Vec::new();
        for ip in found {
            let address = SocketAddr::new(ip, port);
            match self.allowed.judge(address) {
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
        Ok(in_turn(addresses))
    }

    async fn look_up(&self, name: Name) -> Result<Vec<IpAddr>, FetchError> {
        match tokio::time::timeout(self.timeout, self.dns.lookup_ip(name)).await {
            Ok(Ok(found)) => Ok(found.iter().collect()),
            Ok(Err(error)) if is_absent(&error) => Err(FetchError::NameNotFound),
            Ok(Err(error)) => {
                tracing::debug!(%error, "lookup failed");
                Err(FetchError::NameServer)
            }
            Err(_) => Err(FetchError::NameServer),
        }
    }
}

fn asking(server: SocketAddr) -> ResolverConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = server.port();
        connection
    });
    let server = NameServerConfig::new(server.ip(), true, connections.into());
    ResolverConfig::from_name_servers(vec![server])
}

/// Whether the name servers said that there is no address, rather than nothing.
fn is_absent(error: &NetError) -> bool {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(none)) => {
            matches!(none.response_code, ResponseCode::NXDomain | ResponseCode::NoError)
        }
        _ => false,
    }
}

/// The families in turn, the sixth first: where one of them leads nowhere, the
/// next try takes the other.
fn in_turn(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let (sixth, fourth): (Vec<_>, Vec<_>) = addresses.into_iter().partition(SocketAddr::is_ipv6);
    let longest = sixth.len().max(fourth.len());
    (0..longest).flat_map(|n| [sixth.get(n), fourth.get(n)]).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns() {
        let all = ["1.1.1.1:80", "1.1.1.2:80", "1.1.1.3:80", "[2600::1]:80"];
        let order = in_turn(all.iter().map(|text| text.parse().expect("an address")).collect());
        let order: Vec<String> = order.iter().map(ToString::to_string).collect();
        assert_eq!(order, ["[2600::1]:80", "1.1.1.1:80", "1.1.1.2:80", "1.1.1.3:80"]);
    }
}
