//! The operator's egress proxy: every connection goes through it, to the judged address.

use std::sync::Arc;

use lab::{Lab, NameServer, Reply, Says, Tunnel};
use net::{
    FetchError, HttpFetch, HttpPost, HttpSettings, NameTable, Post, ProviderFault, Proxy, Request,
    ResolverSettings,
};

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
async fn plain_http_goes_through_a_tunnel_to_the_judged_address() {
    let lab = site().await;
    let tunnel = proxy(&lab).await;
    let names = NameServer::start(|_, before| {
        Says::Addresses(vec![if before == 0 { PUBLIC.into() } else { [127, 0, 0, 1].into() }])
    })
    .await
    .expect("a port");
    let resolver =
        ResolverSettings { dns_server: Some(names.address), ..ResolverSettings::default() };
    let fetch = HttpFetch::new(HttpSettings { resolver, ..settings(&tunnel) });
    let fetch = fetch.expect("sound settings");
    let answer = ask(&fetch, Request::get(url("http://public.example/"))).await;
    let answer = answer.expect("an answer");
    assert_eq!((answer.status, answer.remote), (200, (PUBLIC, 80).into()));
    assert_eq!((tunnel.asked(), names.asked()), (vec!["93.184.216.34:80".to_owned()], 1));
    assert_eq!(lab.requests()[0].host, "public.example");
}

#[tokio::test]
async fn targets_are_judged_before_the_egress_proxy_is_asked() {
    let lab = site().await;
    let tunnel = proxy(&lab).await;
    for target in ["http://169.254.169.254/", "http://10.0.0.1/", "http://[::1]/"] {
        let refused = get(settings(&tunnel), target).await;
        assert!(matches!(refused, Err(FetchError::AddressRefused(_))), "{target}: {refused:?}");
    }
    assert_eq!(tunnel.asked().len(), 0);
}

#[tokio::test]
async fn failures_of_the_egress_proxy_are_its_own() {
    let lab = site().await;
    let refusing = Tunnel::start(lab.address(), Some("Basic other")).await.expect("a proxy");
    let refused = get(settings(&refusing), "http://public.example/").await;
    assert_eq!(refused, Err(FetchError::Egress(ProviderFault::Refused(407))));
    let mut away = settings(&refusing);
    let nobody = Tunnel::start(lab.address(), None).await.expect("a proxy").address();
    away.egress = Some(format!("http://{nobody}").parse().expect("a proxy"));
    let unreachable = get(away, "http://public.example/").await;
    assert_eq!(unreachable, Err(FetchError::Egress(ProviderFault::Unreachable)));
    assert!(lab.requests().is_empty(), "nothing goes around it");
    // It serves, and the site behind it is away.
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
    assert_eq!(outer.asked(), [protected.address().to_string()]);
    assert_eq!(protected.asked(), ["93.184.216.34:80"]);
}

async fn proxy_to(target: &Tunnel) -> Tunnel {
    let credentials = Some("Basic YWRhOnNlY3JldA==");
    Tunnel::start(target.address(), credentials).await.expect("a proxy")
}

#[tokio::test]
async fn posts_go_through_the_egress_proxy() {
    let lab = site().await;
    let tunnel = Arc::new(proxy(&lab).await);
    let http = HttpPost::new(settings(&tunnel)).expect("sound settings");
    let post = Post {
        url: "https://hooks.example/".to_owned(),
        headers: http::HeaderMap::new(),
        body: bytes::Bytes::from_static(b"{}"),
    };
    // The lab speaks no TLS; the tunnel was asked for before that shows.
    assert!(http.post(post).await.is_err());
    assert_eq!(tunnel.asked(), ["93.184.216.34:443"]);
}
