//! A DNS server for tests. A function of the test decides each reply.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// The reply to a DNS query.
#[derive(Debug, Clone)]
pub enum DnsReply {
    /// These addresses, with a TTL of 0 s.
    Addresses(Vec<IpAddr>),
    /// These addresses, with a TTL of 60 s.
    CachedAddresses(Vec<IpAddr>),
    /// NXDOMAIN: the name does not exist.
    NoSuchName,
    /// SERVFAIL: the server failed.
    Failure,
    NoReply,
}

/// A DNS server on loopback. Dropping it stops it.
#[derive(Debug)]
pub struct NameServer {
    pub address: SocketAddr,
    asked: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl NameServer {
    /// Starts a server. `script` gets the name of a query and the number of IPv4 queries before it,
    /// for all names together.
    pub async fn start(
        script: impl Fn(&str, usize) -> DnsReply + Send + 'static,
    ) -> io::Result<Self> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = socket.local_addr()?;
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            let mut query = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut query).await {
                if let Some(answer) = answer(&query[..length], &script, &counter) {
                    let _ = socket.send_to(&answer, from).await;
                }
            }
        });
        Ok(Self { address, asked, task })
    }

    /// Number of queries for IPv4 addresses.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn answer(
    query: &[u8],
    script: &impl Fn(&str, usize) -> DnsReply,
    asked: &AtomicUsize,
) -> Option<Vec<u8>> {
    let (mut name, mut at) = (String::new(), 12);
    loop {
        let length = usize::from(*query.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        name.push_str(std::str::from_utf8(query.get(at..at + length)?).ok()?);
        name.push('.');
        at += length;
    }
    let kind = u16::from_be_bytes([*query.get(at)?, *query.get(at + 1)?]);
    let before =
        if kind == 1 { asked.fetch_add(1, Ordering::SeqCst) } else { asked.load(Ordering::SeqCst) };
    let (code, addresses, ttl) = match script(name.trim_end_matches('.'), before) {
        DnsReply::Addresses(addresses) => (0, addresses, 0u32),
        DnsReply::CachedAddresses(addresses) => (0, addresses, 60),
        DnsReply::NoSuchName => (3, Vec::new(), 0),
        DnsReply::Failure => (2, Vec::new(), 0),
        DnsReply::NoReply => return None,
    };
    let wanted: Vec<IpAddr> =
        addresses.into_iter().filter(|ip| kind == if ip.is_ipv4() { 1 } else { 28 }).collect();
    let mut out = query[..2].to_vec();
    out.extend_from_slice(&[0x81, 0x80 | code, 0, 1, 0, wanted.len() as u8, 0, 0, 0, 0]);
    out.extend_from_slice(query.get(12..at + 4)?);
    for ip in wanted {
        out.extend_from_slice(&[0xc0, 12]);
        out.extend_from_slice(&kind.to_be_bytes());
        out.extend_from_slice(&[0, 1]);
        out.extend_from_slice(&ttl.to_be_bytes());
        let octets = match ip {
            IpAddr::V4(ip) => ip.octets().to_vec(),
            IpAddr::V6(ip) => ip.octets().to_vec(),
        };
        out.extend_from_slice(&[0, octets.len() as u8]);
        out.extend_from_slice(&octets);
    }
    Some(out)
}
