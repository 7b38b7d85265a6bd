//! A site that leads to any other place, and the places where no request may go.

use std::net::SocketAddr;

use crate::{Reply, Site, SiteTruth};

/// Redirects `/to-N` to its URL number N.
#[derive(Debug, Clone)]
pub struct Signpost(pub Vec<String>);

impl Site for Signpost {
    fn answer(&self, path_and_query: &str) -> Reply {
        let place = path_and_query.strip_prefix("/to-").and_then(|number| number.parse().ok());
        match place.and_then(|number: usize| self.0.get(number)) {
            Some(place) => Reply::redirect(302, place.as_str()),
            None => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// URLs with all kinds of addresses that are not public, many spellings of loopback, and ports of other
/// services. Those of loopback lead to `secret`.
#[must_use]
pub fn forbidden_urls(secret: SocketAddr) -> Vec<String> {
    let port = secret.port();
    let of_loopback = [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "127.0.0.01",
        "%31%32%37.0.0.1",
        "\u{ff11}\u{ff12}\u{ff17}.0.0.1",
        "\u{2460}\u{2461}\u{2466}.\u{24ea}.\u{24ea}.\u{2460}",
        "127\u{3002}0\u{3002}0\u{3002}1",
        "localhost",
        "LOCALHOST.",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "0",
        "0.0.0.0",
        "[::]",
    ];
    let others = [
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "0xa9fea9fe",
        "[fd00:ec2::254]",
        "[::ffff:a9fe:a9fe]",
        "[fe80::1]",
        "[fec0::1]",
        "[fc00::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "192.0.2.1",
        "198.51.100.1",
        "203.0.113.1",
        "198.18.0.1",
        "192.0.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
    ];
    let loopback = of_loopback.iter().map(|host| format!("http://{host}:{port}/secret"));
    let others = others.iter().map(|host| format!("http://{host}/secret"));
    // Ports of other services are rejected on any address.
    let ports = [1, 22, 25, 110, 143, 587, 993, 6000, 6667, 10080]
        .map(|port| format!("http://93.184.215.14:{port}/secret"));
    loopback.chain(others).chain(ports).collect()
}
