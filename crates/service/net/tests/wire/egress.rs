//! The operator's egress proxy: every connection goes through it, to the checked address.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;

use lab::{DnsReply, Lab, NameServer, Reply, Tunnel};
use net::{
    Fetch as _, FetchError, FetchRequest, HttpFetch, HttpPost, HttpSettings, NameTable, Post,
    ProviderFault, Proxy, ResolverSettings, UnlockerFetch,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::tls::{self, Secure};
use crate::{Script, ask, get, lab_with, on_loopback, url};

const PUBLIC: [u8; 4] = [93, 184, 216, 34];

fn egress(tunnel: &Tunnel) -> Option<Proxy> {
    Some(format!("http://ada:secret@{}", tunnel.address()).parse().expect("a proxy"))
}

/// Names of a public site, and an egress proxy whose tunnels end at `lab`.
fn settings(tunnel: &Tunnel) -> HttpSettings {
    let names = NameTable::parse("*.example=93.184.216.34").expect("a table");
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    HttpSettings { resolver, egress: egress(tunnel), ..on_loopback() }
}

async fn site() -> Lab {
    let lab = lab_with(Script::default()).await;
    lab.serve("public.example", Script::default().on("/", Reply::html("a page")));
    lab
}

async fn proxy(lab: &Lab) -> Tunnel {
    Tunnel::start(lab.address(), Some("Basic YWRhOnNlY3JldA==")).await.expect("a proxy")
}

#[tokio::test]
async fn plain_http_goes_through_a_tunnel_to_the_checked_address() {
    let lab = site().await;
    let tunnel = proxy(&lab).await;
    let names = NameServer::start(|_, before| {
        DnsReply::Addresses(vec![if before == 0 { PUBLIC.into() } else { [127, 0, 0, 1].into() }])
    })
    .await
    .expect("a port");
    let resolver =
        ResolverSettings { dns_server: Some(names.address), ..ResolverSettings::default() };
    let fetch = HttpFetch::new(HttpSettings { resolver, ..settings(&tunnel) });
    let fetch = fetch.expect("sound settings");
    let answer = ask(&fetch, FetchRequest::get(url("http://public.example/"))).await;
    let answer = answer.expect("an answer");
    assert_eq!((answer.status, answer.remote), (200, (PUBLIC, 80).into()));
    assert_eq!((tunnel.targets(), names.queries()), (vec!["93.184.216.34:80".to_owned()], 1));
    assert_eq!(lab.requests()[0].host, "public.example");
}

#[tokio::test]
async fn private_targets_are_refused_before_the_egress_proxy_is_used() {
    let lab = site().await;
    let tunnel = proxy(&lab).await;
    for target in ["http://169.254.169.254/", "http://10.0.0.1/", "http://[::1]/"] {
        let refused = get(settings(&tunnel), target).await;
        assert!(matches!(refused, Err(FetchError::AddressRefused(_))), "{target}: {refused:?}");
    }
    assert_eq!(tunnel.targets().len(), 0);
}

#[tokio::test]
async fn failures_of_the_egress_proxy_differ_from_failures_of_the_site() {
    let lab = site().await;
    let refusing = Tunnel::start(lab.address(), Some("Basic other")).await.expect("a proxy");
    let refused = get(settings(&refusing), "http://public.example/").await;
    assert_eq!(refused, Err(FetchError::Egress(ProviderFault::Refused(407))));
    let mut away = settings(&refusing);
    let closed = Tunnel::start(lab.address(), None).await.expect("a proxy").address();
    away.egress = Some(format!("http://{closed}").parse().expect("a proxy"));
    let unreachable = get(away, "http://public.example/").await;
    assert_eq!(unreachable, Err(FetchError::Egress(ProviderFault::Unreachable)));
    assert!(lab.requests().is_empty(), "no request bypasses the proxy");
    // The proxy works, but the site behind it is unreachable.
    let dead = Lab::start().await.expect("a port").address();
    let tunnel = Tunnel::start(dead, Some("Basic YWRhOnNlY3JldA==")).await.expect("a proxy");
    let gone = get(settings(&tunnel), "http://public.example/").await;
    assert!(matches!(gone, Err(FetchError::Connect(_))), "{gone:?}");
}

#[tokio::test]
async fn protected_proxy_is_reached_through_the_egress_proxy() {
    let lab = site().await;
    let protected = Tunnel::start(lab.address(), None).await.expect("a proxy");
    let outer = proxy_to(&protected).await;
    let inner = Some(format!("http://{}", protected.address()).parse().expect("a proxy"));
    let settings = HttpSettings { proxy: inner, ..settings(&outer) };
    let answer = get(settings, "http://public.example/").await.expect("an answer");
    assert_eq!(answer.status, 200);
    assert_eq!(outer.targets(), [protected.address().to_string()]);
    assert_eq!(protected.targets(), ["93.184.216.34:80"]);
}

async fn proxy_to(target: &Tunnel) -> Tunnel {
    let credentials = Some("Basic YWRhOnNlY3JldA==");
    Tunnel::start(target.address(), credentials).await.expect("a proxy")
}

/// A TLS site behind a proxy, and settings that resolve it to a public address.
async fn secure_site() -> (Secure, Tunnel, HttpSettings) {
    let secure = tls::serve(&["h2", "http/1.1"]).await;
    let tunnel = Tunnel::start(secure.address, None).await.expect("a proxy");
    let names = NameTable::parse("secure.lab.test=93.184.216.34").expect("a table");
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    let extra_authorities = Some(secure.authority.clone());
    let settings = HttpSettings { resolver, extra_authorities, ..on_loopback() };
    (secure, tunnel, settings)
}

fn at(tunnel: &Tunnel) -> Option<Proxy> {
    Some(format!("http://{}", tunnel.address()).parse().expect("a proxy"))
}

#[tokio::test]
async fn tls_in_a_tunnel_verifies_the_host_name() {
    let (_secure, tunnel, settings) = secure_site().await;
    let proxy_names = true;
    for settings in [
        HttpSettings { egress: at(&tunnel), ..settings.clone() },
        HttpSettings { proxy: at(&tunnel), ..settings.clone() },
        HttpSettings { proxy: at(&tunnel), proxy_names, ..settings },
    ] {
        let answer = get(settings, "https://secure.lab.test/").await.expect("an answer");
        assert_eq!((answer.status, answer.version), (200, http::Version::HTTP_2));
        assert_eq!(answer.headers["x-sni"], "secure.lab.test");
        assert_eq!(answer.headers["x-host"], "secure.lab.test");
    }
    let address = "93.184.216.34:443";
    assert_eq!(tunnel.targets(), [address, address, "secure.lab.test:443"]);
}

#[tokio::test]
async fn posts_go_through_the_egress_proxy() {
    let (_secure, tunnel, settings) = secure_site().await;
    let settings = HttpSettings { egress: at(&tunnel), ..settings };
    let http = HttpPost::new(settings).expect("sound settings");
    let post = Post {
        url: "https://secure.lab.test/".to_owned(),
        headers: http::HeaderMap::new(),
        body: bytes::Bytes::from_static(b"{}"),
    };
    assert_eq!(http.post(post).await, Ok(200));
    assert_eq!(tunnel.targets(), ["93.184.216.34:443"]);
}

#[tokio::test]
async fn proxy_is_reached_over_tls() {
    let lab = site().await;
    let tunnel = proxy(&lab).await;
    let front = tls::in_front_of(tunnel.address()).await;
    let table = "*.example=93.184.216.34,secure.lab.test=127.0.0.1";
    let names = NameTable::parse(table).expect("a table");
    let egress = format!("https://ada:secret@secure.lab.test:{}", front.address.port());
    let settings = HttpSettings {
        resolver: ResolverSettings { names, ..ResolverSettings::default() },
        extra_authorities: Some(front.authority.clone()),
        egress: Some(egress.parse().expect("a proxy")),
        ..on_loopback()
    };
    let answer = get(settings, "http://public.example/").await.expect("an answer");
    assert_eq!((answer.status, tunnel.targets()), (200, vec!["93.184.216.34:80".to_owned()]));
}

#[tokio::test]
async fn proxy_name_is_resolved_once_for_many_connections() {
    let lab = site().await;
    let tunnel = proxy(&lab).await;
    // The DNS answer has TTL 0, so that only the proxy cache can serve it.
    let dns = NameServer::start(|name, _| match name {
        "proxy.internal" => DnsReply::Addresses(vec![[127, 0, 0, 1].into()]),
        _ => DnsReply::NoSuchName,
    });
    let dns = dns.await.expect("a port");
    let egress = format!("http://ada:secret@proxy.internal:{}", tunnel.address().port());
    let mut settings = settings(&tunnel);
    settings.resolver.dns_server = Some(dns.address);
    settings.egress = Some(egress.parse().expect("a proxy"));
    let fetch = HttpFetch::new(settings).expect("sound settings");
    // Connections are not shared between hosts.
    for host in ["public", "second", "third"] {
        lab.serve(&format!("{host}.example"), Script::default().on("/", Reply::html("a page")));
        let page = url(&format!("http://{host}.example/"));
        assert_eq!(ask(&fetch, FetchRequest::get(page)).await.map(|answer| answer.status), Ok(200));
    }
    assert_eq!((tunnel.targets().len(), dns.queries()), (3, 1));
}

/// A proxy that answers each CONNECT with the next of `statuses`. A 200 opens a tunnel to `target`.
async fn answering(statuses: &'static [u16], target: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        for status in statuses {
            let Ok((mut stream, _)) = listener.accept().await else { return };
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let Ok(byte) = stream.read_u8().await else { return };
                head.push(byte);
            }
            let answer = format!("HTTP/1.1 {status} said\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes()).await;
            if *status == 200 {
                let mut site = TcpStream::connect(target).await.expect("a site");
                let _ = tokio::io::copy_bidirectional(&mut stream, &mut site).await;
            }
        }
    });
    address
}

#[tokio::test]
async fn next_address_is_tried_when_the_proxy_cannot_reach_the_first() {
    let lab = site().await;
    let dns = NameServer::start(|_, _| {
        DnsReply::Addresses(vec![[93, 184, 216, 34].into(), [93, 184, 216, 35].into()])
    });
    let dns = dns.await.expect("a port");
    let address = answering(&[502, 200], lab.address()).await;
    let resolver =
        ResolverSettings { dns_server: Some(dns.address), ..ResolverSettings::default() };
    let egress = Some(format!("http://{address}").parse().expect("a proxy"));
    let settings = HttpSettings { resolver, egress, ..on_loopback() };
    let answer = get(settings, "http://public.example/").await;
    assert_eq!(answer.map(|answer| answer.status), Ok(200));
}

#[tokio::test]
async fn port_forbidden_by_the_proxy_is_a_connect_error_of_the_site() {
    let lab = site().await;
    for (page, expected) in [
        ("http://public.example:8080/", FetchError::Connect(ErrorKind::PermissionDenied)),
        ("http://public.example/", FetchError::Egress(ProviderFault::Refused(403))),
    ] {
        let address = answering(&[403], lab.address()).await;
        let names = NameTable::parse("*.example=93.184.216.34").expect("a table");
        let resolver = ResolverSettings { names, ..ResolverSettings::default() };
        let egress = Some(format!("http://{address}").parse().expect("a proxy"));
        let answer = get(HttpSettings { resolver, egress, ..on_loopback() }, page).await;
        assert_eq!(answer, Err(expected), "{page}");
    }
}

#[tokio::test]
async fn unlocker_endpoint_is_reached_through_the_egress_proxy() {
    let lab = site().await;
    let unlocked = Script::default()
        .on("/fetch?url=http%3A%2F%2Fpublic%2Eexample%2F", Reply::html("unlocked"));
    lab.serve("unlocker.example", unlocked);
    let tunnel = proxy(&lab).await;
    let http = HttpFetch::new(settings(&tunnel)).expect("sound settings");
    let guard = Arc::clone(http.resolver());
    let endpoint = "http://unlocker.example/fetch?url={url}".parse().expect("an endpoint");
    let fetch = UnlockerFetch::new(endpoint, http, guard);
    let answer = fetch.fetch(FetchRequest::get(url("http://public.example/"))).await;
    assert_eq!(answer.expect("an answer").body.as_ref(), b"unlocked");
    assert_eq!(tunnel.targets(), ["93.184.216.34:80"]);
}
