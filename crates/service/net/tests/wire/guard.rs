//! The address guard: only checked addresses are connected to.

use std::net::IpAddr;
use std::time::Duration;

use lab::{Catalogue, DnsReply, Lab, NameServer};
use net::{
    FetchError, FetchRequest, GuardedResolver, HttpFetch, HttpSettings, NameTable, OwnAddresses,
    ResolverSettings,
};
use urls::{AllowedNetworks, DeniedNetworks};

use crate::{ask, get, lab_with, on_loopback, url};

const PUBLIC: [u8; 4] = [93, 184, 215, 14];

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn resolver(server: &NameServer, allowed: &str) -> GuardedResolver {
    GuardedResolver::new(ResolverSettings {
        dns_server: Some(server.address),
        allowed: AllowedNetworks::parse(allowed).expect("networks"),
        ..ResolverSettings::default()
    })
    .expect("sound settings")
}

/// Settings that use the name server `server` and allow the lab, but nothing else on loopback.
fn towards(lab: &Lab, server: &NameServer) -> HttpSettings {
    let allowed = AllowedNetworks::parse(&lab.address().to_string()).expect("a network");
    let dns_server = Some(server.address);
    let resolver = ResolverSettings { allowed, dns_server, ..ResolverSettings::default() };
    HttpSettings { resolver, ..HttpSettings::default() }
}

#[tokio::test]
async fn names_with_private_addresses_are_refused() {
    let server = NameServer::start(|name, _| {
        DnsReply::Addresses(match name {
            "loop.example" => vec![ip("127.0.0.1")],
            "metadata.example" => vec![ip("169.254.169.254")],
            "mixed.example" => vec![PUBLIC.into(), ip("10.0.0.1")],
            "mixed-families.example" => vec![PUBLIC.into(), ip("::1")],
            "mapped.example" => vec![ip("::ffff:192.168.0.1")],
            _ => vec![PUBLIC.into()],
        })
    })
    .await
    .expect("a port is free");
    let resolver = resolver(&server, "");
    for (name, refused) in [
        ("loop.example", "127.0.0.1"),
        ("metadata.example", "169.254.169.254"),
        ("mixed.example", "10.0.0.1"),
        ("mixed-families.example", "::1"),
        ("mapped.example", "::ffff:192.168.0.1"),
    ] {
        let answer = resolver.resolve(name, 80).await;
        assert_eq!(answer, Err(FetchError::AddressRefused(ip(refused))), "{name}");
    }
    assert_eq!(resolver.resolve("fine.example", 80).await, Ok(vec![(PUBLIC, 80).into()]));
    assert_eq!(resolver.resolve("fine.example", 25).await, Err(FetchError::PortRefused(25)));
}

#[tokio::test]
async fn name_that_rebinds_to_a_private_address_is_refused() {
    let server = NameServer::start(|_, before| {
        DnsReply::Addresses(vec![if before == 0 { PUBLIC.into() } else { ip("127.0.0.1") }])
    })
    .await
    .expect("a port is free");
    let resolver = resolver(&server, "");
    assert!(resolver.resolve("rebind.example", 80).await.is_ok());
    let later = resolver.resolve("rebind.example", 80).await;
    assert_eq!(later, Err(FetchError::AddressRefused(ip("127.0.0.1"))));
}

#[tokio::test]
async fn connection_uses_one_lookup_and_its_checked_address() {
    let lab = lab_with(Catalogue::plain(3)).await;
    // A second lookup before the connection would return another address.
    let server = NameServer::start(|_, before| {
        DnsReply::Addresses(vec![if before == 0 { ip("127.0.0.1") } else { ip("127.0.0.2") }])
    })
    .await
    .expect("a port is free");
    let unpooled = HttpSettings { pool_idle_per_host: 0, ..towards(&lab, &server) };
    let fetch = HttpFetch::new(unpooled).expect("sound settings");
    let page = format!("http://site.lab.test:{}/", lab.address().port());
    let answer = ask(&fetch, FetchRequest::get(url(&page))).await.expect("the lab answers");
    assert_eq!((answer.remote, server.queries()), (lab.address(), 1));
    let later = ask(&fetch, FetchRequest::get(url(&page))).await;
    assert_eq!(later, Err(FetchError::AddressRefused(ip("127.0.0.2"))));
    assert_eq!(lab.requests().len(), 1);
}

#[tokio::test]
async fn connections_are_reused() {
    let lab = lab_with(Catalogue::plain(3)).await;
    let server = NameServer::start(|_, _| DnsReply::Addresses(vec![ip("127.0.0.1")]))
        .await
        .expect("a port is free");
    let fetch = HttpFetch::new(towards(&lab, &server)).expect("sound settings");
    for path in ["", "page-1", "page-2", "page-1"] {
        let page = format!("http://site.lab.test:{}/{path}", lab.address().port());
        ask(&fetch, FetchRequest::get(url(&page))).await.expect("the lab answers");
    }
    assert_eq!((lab.requests().len(), server.queries()), (4, 1));
}

#[tokio::test]
async fn cached_dns_answer_is_checked_again() {
    let server = NameServer::start(|_, _| DnsReply::CachedAddresses(vec![ip("127.0.0.9")]))
        .await
        .expect("a port is free");
    let resolver = resolver(&server, "127.0.0.9:8080");
    assert!(resolver.resolve("kept.example", 8080).await.is_ok());
    let other_port = resolver.resolve("kept.example", 8081).await;
    assert_eq!(other_port, Err(FetchError::AddressRefused(ip("127.0.0.9"))));
    assert_eq!(server.queries(), 1);
}

#[tokio::test]
async fn next_address_is_tried_when_one_does_not_connect() {
    let lab = lab_with(Catalogue::plain(1)).await;
    let server = NameServer::start(|_, _| {
        DnsReply::Addresses(vec![ip("127.0.0.66"), ip("127.0.0.67"), ip("127.0.0.1")])
    })
    .await
    .expect("a port is free");
    let mut settings = towards(&lab, &server);
    settings.resolver.allowed = AllowedNetworks::parse("127.0.0.0/8").expect("a network");
    let page = format!("http://site.lab.test:{}/", lab.address().port());
    let answer = get(settings, &page).await.expect("one of them answers");
    assert_eq!(answer.remote, lab.address());
}

#[tokio::test]
async fn missing_failing_and_silent_names_are_distinguished() {
    let server = NameServer::start(|name, _| match name {
        "absent.example" => DnsReply::NoSuchName,
        "failing.example" => DnsReply::Failure,
        "silent.example" => DnsReply::NoReply,
        _ => DnsReply::Addresses(Vec::new()),
    })
    .await
    .expect("a port is free");
    let patient = resolver(&server, "");
    for (name, expected) in [
        ("absent.example", FetchError::NameNotFound),
        ("no-address.example", FetchError::NameNotFound),
        ("failing.example", FetchError::NameServer),
        ("not a name", FetchError::NameNotFound),
        ("", FetchError::NameNotFound),
    ] {
        assert_eq!(patient.resolve(name, 80).await, Err(expected), "{name}");
    }
    let long = format!("{}.example", "x".repeat(64));
    assert_eq!(patient.resolve(&long, 80).await, Err(FetchError::NameNotFound));
    let hasty = GuardedResolver::new(ResolverSettings {
        dns_server: Some(server.address),
        timeout: Duration::from_millis(200),
        ..ResolverSettings::default()
    })
    .expect("sound settings");
    assert_eq!(hasty.resolve("silent.example", 80).await, Err(FetchError::NameServer));
}

#[tokio::test]
async fn localhost_is_refused() {
    let server = NameServer::start(|_, _| DnsReply::Addresses(vec![PUBLIC.into()]))
        .await
        .expect("a port is free");
    let answer = resolver(&server, "").resolve("localhost", 80).await;
    assert!(matches!(answer, Err(FetchError::AddressRefused(_))), "{answer:?}");
    assert_eq!(server.queries(), 0);
    let system = GuardedResolver::new(ResolverSettings::default()).expect("sound settings");
    let answer = system.resolve("localhost", 80).await;
    assert!(matches!(answer, Err(FetchError::AddressRefused(_))), "{answer:?}");
}

#[tokio::test]
async fn own_addresses_are_refused_unless_allowed() {
    let server = NameServer::start(|_, _| DnsReply::Addresses(vec![PUBLIC.into()]))
        .await
        .expect("a port is free");
    let settings = |allowed: &str, own: OwnAddresses| ResolverSettings {
        dns_server: Some(server.address),
        allowed: AllowedNetworks::parse(allowed).expect("networks"),
        own,
        ..ResolverSettings::default()
    };
    let own = || OwnAddresses::fixed([PUBLIC.into()]);
    for (allowed, own, host, passes) in [
        ("", own(), "node.example", false),
        ("", own(), "93.184.215.14", false),
        ("", own(), "[::ffff:93.184.215.14]", false),
        ("93.184.215.14", own(), "node.example", true),
        ("93.184.215.14:8080", own(), "node.example", false),
        ("", OwnAddresses::of_interfaces(), "node.example", true),
    ] {
        let resolver = GuardedResolver::new(settings(allowed, own)).expect("sound settings");
        let resolved = resolver.resolve(host, 80).await;
        match passes {
            true => assert!(resolved.is_ok(), "{allowed} {host}: {resolved:?}"),
            false => {
                assert!(
                    matches!(resolved, Err(FetchError::AddressRefused(_))),
                    "{allowed} {host}: {resolved:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn denied_networks_are_refused_for_the_name_table_as_well() {
    let lab = lab_with(Catalogue::plain(1)).await;
    let denied = |list: &str| {
        let denied = DeniedNetworks::parse(list).expect("networks");
        let mut settings = on_loopback();
        settings.resolver.allowed = settings.resolver.allowed.denying(denied);
        settings.resolver.names = NameTable::parse(&lab.name_table()).expect("a table");
        settings
    };
    for page in [lab.url("/"), "http://site.lab.test/".to_owned()] {
        let refused = get(denied("127.0.0.0/8"), &page).await;
        assert_eq!(refused, Err(FetchError::AddressRefused(ip("127.0.0.1"))), "{page}");
    }
    assert!(lab.requests().is_empty());
    let answer = get(denied("127.0.0.2"), "http://site.lab.test/").await;
    assert_eq!(answer.map(|answer| answer.status), Ok(200));
}

#[tokio::test]
async fn database_ports_are_refused() {
    let port = get(HttpSettings::default(), "http://93.184.215.14:6379/").await;
    assert_eq!(port, Err(FetchError::PortRefused(6379)));
    let opened = get(on_loopback(), "http://127.0.0.1:6379/").await;
    assert_eq!(opened, Err(FetchError::AddressRefused(ip("127.0.0.1"))), "allowed without a port");
}

#[tokio::test]
async fn every_spelling_of_a_private_address_is_refused() {
    let server = NameServer::start(|_, _| DnsReply::Addresses(vec![PUBLIC.into()]))
        .await
        .expect("a port is free");
    let resolver = resolver(&server, "");
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.0.1",
        "127.0.0.1.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "0.0.0.0",
        "0",
        "[::]",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "①②⑦.⓪.⓪.①",
    ] {
        let answer = resolver.resolve(host, 80).await;
        assert!(matches!(answer, Err(FetchError::AddressRefused(_))), "{host}: {answer:?}");
    }
    assert_eq!(server.queries(), 0);
}

#[tokio::test]
async fn private_addresses_in_urls_are_refused() {
    let lab = lab_with(Catalogue::plain(1)).await;
    let answer = get(HttpSettings::default(), &lab.url("/")).await;
    assert_eq!(answer, Err(FetchError::AddressRefused(ip("127.0.0.1"))));
    assert!(lab.requests().is_empty());
    let port = get(on_loopback(), "http://127.0.0.1:6000/").await;
    assert_eq!(port, Err(FetchError::AddressRefused(ip("127.0.0.1"))));
    let port = get(HttpSettings::default(), "http://93.184.215.14:25/").await;
    assert_eq!(port, Err(FetchError::PortRefused(25)));
}

#[tokio::test]
async fn name_table_passes_the_guard_with_its_port() {
    let lab = lab_with(Catalogue::plain(2)).await;
    let server = NameServer::start(|_, _| DnsReply::NoSuchName).await.expect("a port is free");
    let table = format!("{},*.wild.test={}", lab.name_table(), lab.address());
    let resolver = ResolverSettings {
        names: NameTable::parse(&table).expect("a table"),
        dns_server: Some(server.address),
        ..ResolverSettings::default()
    };
    let settings = HttpSettings { resolver, ..HttpSettings::default() };
    let fetch = HttpFetch::new(settings).expect("sound settings");
    let answer = ask(&fetch, FetchRequest::get(url("http://site.lab.test/page-1"))).await;
    let answer = answer.expect("the lab answers");
    assert_eq!((answer.status, answer.remote), (200, lab.address()));
    assert_eq!(lab.requests()[0].host, "site.lab.test");
    // The lab has no such host, but it was reached.
    let wild = ask(&fetch, FetchRequest::get(url("http://a.wild.test/"))).await;
    assert_eq!(wild.map(|answer| answer.status), Ok(421));
    let other = ask(&fetch, FetchRequest::get(url("http://other.test/"))).await;
    assert_eq!(other, Err(FetchError::NameNotFound));
    let port = ask(&fetch, FetchRequest::get(url("http://site.lab.test:25/"))).await;
    assert_eq!(port, Err(FetchError::PortRefused(25)));
    assert!(fetch.resolver().knows("a.wild.test") && !fetch.resolver().knows("other.test"));
}
