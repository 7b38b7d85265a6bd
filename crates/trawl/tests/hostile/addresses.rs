//! Forbidden addresses: by redirect of the start URL, by the name of the site, or by DNS
//! rebinding.

use std::net::{IpAddr, SocketAddr};

use contract::{ErrorCode, FetchFault, JobError};
use job::RunEnding;
use lab::{Catalogue, DnsReply, Lab, NameServer, Reply, Site, SiteTruth};
use net::{HttpSettings, ResolverSettings};
use urls::AllowedNetworks;

use crate::harness::{fetcher, plan, run, settings};

/// A site that redirects to the URL in its path.
#[derive(Debug)]
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

/// All kinds of addresses that are not public, and many spellings of loopback.
pub fn refused(secret: SocketAddr) -> Vec<String> {
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

#[tokio::test(flavor = "multi_thread")]
async fn redirect_of_the_start_to_a_forbidden_address_is_not_followed() {
    let secret = Lab::start().await.expect("a port is free");
    secret.serve("secret.lab.test", Catalogue::plain(1));
    let places = refused(secret.address());
    let lab = Lab::start().await.expect("a port is free");
    lab.serve("signpost.lab.test", Signpost(places.clone()));
    let fetcher = fetcher(settings(&lab));
    for (number, place) in places.iter().enumerate() {
        let mut plan = plan(&format!("signpost.lab.test/to-{number}"));
        plan.scope.include_broken = false;
        let run = run(&fetcher, plan).await;
        let RunEnding::Nothing(JobError { code, .. }) = run.ending else {
            panic!("{place}: {:?}", run.ending)
        };
        assert_eq!(code, ErrorCode::InvalidUrl, "{place}");
        assert!(run.items.is_empty(), "{place}");
    }
    assert_eq!(secret.request_count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn dns_rebinding_fails_later_requests_only() {
    let lab = Lab::start().await.expect("a port is free");
    lab.serve("turning.example", Catalogue::plain(20));
    // The private server has another address and the same port as the lab.
    let port = lab.address().port();
    let secret = Lab::start_on(([127, 0, 0, 2], port).into()).await.expect("a port is free");
    secret.serve("turning.example", Catalogue::plain(20));
    let turned = |before| if before < 4 { [127, 0, 0, 1] } else { [127, 0, 0, 2] };
    let names =
        NameServer::start(move |_, before| DnsReply::Addresses(vec![IpAddr::from(turned(before))]))
            .await
            .expect("a port is free");
    let resolver = ResolverSettings {
        allowed: AllowedNetworks::parse(&lab.address().to_string()).expect("a network"),
        dns_server: Some(names.address),
        ..ResolverSettings::default()
    };
    // One connection and thus one lookup per request; sequential, because concurrent lookups of
    // one name are joined.
    let settings = HttpSettings { resolver, pool_idle_per_host: 0, ..settings(&lab) };
    let mut plan = plan(&format!("turning.example:{port}"));
    plan.concurrency = 1;
    let run = run(&fetcher(settings), plan).await;
    assert_eq!(run.items.len(), 20);
    // robots.txt used one of the four good lookups.
    let (fine, refused): (Vec<_>, Vec<_>) =
        run.items.values().partition(|item| item.status_code == Some(200));
    assert_eq!((fine.len(), refused.len()), (3, 17));
    for item in refused {
        assert_eq!((item.error, item.status_code), (Some(FetchFault::Dns), None), "{}", item.url);
    }
    assert_eq!((lab.request_count(), secret.request_count()), (4, 0));
}
