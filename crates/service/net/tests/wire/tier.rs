//! The protected tier: targets are checked, and failures of the provider differ from responses of
//! the site.

use std::sync::Arc;
use std::time::Duration;

use lab::{DnsReply, Lab, NameServer, Reply, Tunnel};
use net::{
    Fetch as _, FetchError, FetchRequest, GuardedResolver, HttpFetch, HttpSettings, NameTable,
    ProviderFault, ResolverSettings, TierFetch, TierLimits, UnlockerFetch,
};

use crate::{Script, ask, on_loopback, url};

/// A name table with a public site. Its address does not matter behind a proxy.
fn public_names() -> ResolverSettings {
    let names = NameTable::parse("public.test=93.184.216.34:80");
    ResolverSettings { names: names.expect("a table"), ..ResolverSettings::default() }
}

async fn lab() -> Lab {
    let lab = Lab::start().await.expect("a port");
    let script = Script::default()
        .on("/", Reply::html("behind the wall"))
        .on("/gone", Reply::status(404))
        .on("/fetch?url=http%3A%2F%2Fpublic%2Etest%2F", Reply::html("unlocked"))
        .on("/fetch?url=http%3A%2F%2Fpublic%2Etest%2Fgone", Reply::status(404))
        .on("/fetch?url=http%3A%2F%2Fpublic%2Etest%2Fpoor", Reply::status(402))
        .on("/fetch?url=http%3A%2F%2Fpublic%2Etest%2Fill", Reply::status(503));
    lab.serve("public.test", script);
    lab
}

fn through(address: &str, resolver: ResolverSettings) -> HttpFetch {
    let proxy = Some(address.parse().expect("a proxy"));
    HttpFetch::new(HttpSettings { proxy, resolver, ..on_loopback() }).expect("sound settings")
}

#[tokio::test]
async fn proxy_gets_only_checked_targets() {
    let lab = lab().await;
    let tunnel = Tunnel::start(lab.address(), Some("Basic YWRhOnNlY3JldA==")).await.expect("one");
    let fetch = through(&format!("http://ada:secret@{}", tunnel.address()), public_names());
    let answer =
        ask(&fetch, FetchRequest::get(url("http://public.test/"))).await.expect("an answer");
    assert_eq!((answer.status, answer.body.as_ref()), (200, &b"behind the wall"[..]));
    let gone = ask(&fetch, FetchRequest::get(url("http://public.test/gone"))).await.expect("one");
    assert_eq!(gone.status, 404, "the status of the site");
    for target in
        ["http://169.254.169.254/", "http://10.0.0.1/", "http://[::1]/", "http://127.0.0.1/"]
    {
        let refused = ask(&fetch, FetchRequest::get(url(target))).await;
        assert!(matches!(refused, Err(FetchError::AddressRefused(_))), "{target}: {refused:?}");
    }
    let asked = tunnel.targets();
    assert!(asked.iter().all(|place| place == "93.184.216.34:80"), "{asked:?}");
    assert_eq!(lab.requests()[0].host, "public.test", "the site sees its name");
    assert_eq!(
        lab.requests()[0].user_agent.as_deref(),
        Some("Trawl/test"),
        "the request is identified"
    );
}

/// A name server that answers with a public address once, and with loopback from then on.
async fn rebinding() -> NameServer {
    NameServer::start(|_, before| {
        let ip = if before == 0 { [93, 184, 216, 34] } else { [127, 0, 0, 1] };
        DnsReply::Addresses(vec![ip.into()])
    })
    .await
    .expect("a port")
}

#[tokio::test]
async fn proxy_is_asked_for_the_checked_address_when_the_name_rebinds() {
    let lab = lab().await;
    let tunnel = Tunnel::start(lab.address(), None).await.expect("a proxy");
    let names = rebinding().await;
    let resolver =
        ResolverSettings { dns_server: Some(names.address), ..ResolverSettings::default() };
    let fetch = through(&format!("http://{}", tunnel.address()), resolver);
    let answer =
        ask(&fetch, FetchRequest::get(url("http://public.test/"))).await.expect("an answer");
    assert_eq!((answer.status, answer.remote), (200, ([93, 184, 216, 34], 80).into()));
    assert_eq!((tunnel.targets(), names.queries()), (vec!["93.184.216.34:80".to_owned()], 1));
}

#[tokio::test]
async fn proxy_is_asked_for_the_name_when_the_operator_allows_it() {
    let lab = lab().await;
    let tunnel = Tunnel::start(lab.address(), None).await.expect("a proxy");
    let proxy = Some(format!("http://{}", tunnel.address()).parse().expect("a proxy"));
    let settings =
        HttpSettings { proxy, proxy_names: true, resolver: public_names(), ..on_loopback() };
    let fetch = HttpFetch::new(settings).expect("sound settings");
    let answer =
        ask(&fetch, FetchRequest::get(url("http://public.test/"))).await.expect("an answer");
    assert_eq!(answer.status, 200);
    let refused = ask(&fetch, FetchRequest::get(url("http://10.0.0.1/"))).await;
    assert!(matches!(refused, Err(FetchError::AddressRefused(_))), "{refused:?}");
    assert_eq!(tunnel.targets(), ["public.test:80"]);
}

#[tokio::test]
async fn failing_proxy_is_reported_as_provider_fault() {
    let lab = lab().await;
    let page = || FetchRequest::get(url("http://public.test/"));
    let tunnel = Tunnel::start(lab.address(), Some("Basic other")).await.expect("a proxy");
    let fetch = through(&format!("http://ada:secret@{}", tunnel.address()), public_names());
    let refused = ask(&fetch, page()).await;
    assert_eq!(refused, Err(FetchError::Provider(ProviderFault::Refused(407))));
    let closed = Tunnel::start(lab.address(), None).await.expect("a proxy").address();
    let fetch = through(&format!("http://{closed}"), public_names());
    let away = ask(&fetch, page()).await;
    assert_eq!(away, Err(FetchError::Provider(ProviderFault::Unreachable)));
    // The proxy works, but the site behind it is unreachable.
    let dead = Lab::start().await.expect("a port").address();
    let tunnel = Tunnel::start(dead, None).await.expect("a proxy");
    let fetch = through(&format!("http://{}", tunnel.address()), public_names());
    assert!(matches!(ask(&fetch, page()).await, Err(FetchError::Connect(_))));
}

#[tokio::test]
async fn unlocker_gets_the_url_and_its_failures_are_provider_faults() {
    let lab = lab().await;
    let endpoint = format!("http://{}/fetch?url={{url}} | X-Key: secret", lab.address());
    let unlocker = endpoint.parse().expect("an endpoint");
    let http = HttpFetch::new(on_loopback()).expect("sound settings");
    let guard = Arc::new(GuardedResolver::new(public_names()).expect("a resolver"));
    let fetch = TierFetch::new(
        Arc::new(UnlockerFetch::new(unlocker, http, guard)),
        TierLimits { concurrency: 2, whole: Duration::from_secs(20) },
    );
    let ask = async |text: &str| fetch.fetch(FetchRequest::get(url(text))).await;
    let answer = ask("http://public.test/").await.expect("an answer");
    assert_eq!(answer.body.as_ref(), b"unlocked");
    assert_eq!(ask("http://public.test/gone").await.expect("an answer").status, 404);
    for (path, status) in [("poor", 402), ("ill", 503)] {
        let failed = ask(&format!("http://public.test/{path}")).await;
        assert_eq!(failed, Err(FetchError::Provider(ProviderFault::Refused(status))), "{path}");
    }
    let before = lab.request_count();
    let refused = ask("http://10.0.0.1/").await;
    assert!(matches!(refused, Err(FetchError::AddressRefused(_))), "{refused:?}");
    assert_eq!(lab.request_count(), before, "the provider gets no request");
}
