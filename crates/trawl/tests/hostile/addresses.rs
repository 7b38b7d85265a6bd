//! Forbidden addresses: by redirect of the start URL, by the name of the site, or by DNS
//! rebinding.

use std::net::IpAddr;

use contract::{ErrorCode, FetchFault, JobError};
use job::RunEnding;
use lab::{Catalogue, DnsReply, Lab, NameServer, Signpost, forbidden_urls};
use net::{HttpSettings, ResolverSettings};
use urls::AllowedNetworks;

use crate::harness::{fetcher, plan, run, settings};

#[tokio::test(flavor = "multi_thread")]
async fn redirect_of_the_start_to_a_forbidden_address_is_not_followed() {
    let secret = Lab::start().await.expect("a port is free");
    secret.serve("secret.lab.test", Catalogue::plain(1));
    let places = forbidden_urls(secret.address());
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
