//! Receivers that hang, send slowly, flood, disconnect, redirect or impersonate: each is a failed
//! attempt of one endpoint and does not delay others.

use std::net::{IpAddr, Ipv4Addr};

use fixture::{ReceiverBehavior, WebhookReceiver};
use lab::{DnsReply, NameServer};
use serde_json::{Value, json};

use super::harness::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn bad_receivers_fail_without_delaying_others() {
    // An untrusted certificate; no redirect may lead here.
    let stranger =
        WebhookReceiver::start(&["stranger.test"], |_| ReceiverBehavior::Status(200)).await;
    let elsewhere = format!("https://127.0.0.1:{}/", stranger.address.port());
    let settings = [
        ("TRAWL_WEBHOOK_TIMEOUT_MS", "3000"),
        // Enough for a good receiver on a slow machine.
        ("TRAWL_WEBHOOK_RETRIES", "0.05,0.05,0.05"),
        ("TRAWL_ALLOW_WEBHOOK_NETWORKS", "127.0.0.1,::1"),
    ];
    let scene = Scene::start(&settings, move |received| {
        match received.host.split('.').next().unwrap_or_default() {
            "hang" => ReceiverBehavior::Hang,
            "drip" => ReceiverBehavior::Drip,
            "huge" => ReceiverBehavior::Huge,
            "close" => ReceiverBehavior::CloseEarly,
            "half" => ReceiverBehavior::CloseMidResponse,
            "astray" => ReceiverBehavior::Redirect(elsewhere.clone()),
            _ => ReceiverBehavior::Status(200),
        }
    })
    .await;
    let aborted = || json!(["job.aborted"]);
    let mut hooks = Vec::new();
    for (name, error) in [
        ("hang", Some("timeout")),
        ("drip", Some("timeout")),
        ("close", Some("connection closed")),
        ("half", Some("connection closed")),
        ("astray", Some("answered 302; redirects are not followed")),
        ("huge", None),
        ("well", None),
        // A name that the certificate does not cover.
        ("not.below", Some("TLS error")),
    ] {
        hooks.push((name, scene.hook(name, aborted()).await, error));
    }
    let url = format!("https://127.0.0.1:{}/", stranger.address.port());
    hooks.push(("stranger", scene.hook_at(&url, aborted()).await, Some("TLS error")));
    let unreachable = format!("https://127.0.0.1:{}/", closed_port());
    hooks.push((
        "unreachable",
        scene.hook_at(&unreachable, aborted()).await,
        Some("connection failed"),
    ));
    scene.abort_one().await;
    for (name, hook, error) in &hooks {
        let state = if error.is_some() { "failed" } else { "delivered" };
        let delivery = scene.until(hook, state).await;
        let attempts = delivery["attempts"].as_array().expect("attempts");
        let last = attempts.last().expect("an attempt");
        match error {
            Some(error) => {
                assert_eq!(attempts.len(), 4, "{name}");
                let reported = last["error"].as_str().expect("an error");
                assert!(reported.contains(error), "{name}: {reported}");
                let seen = scene.seen(hook).await;
                assert_eq!(
                    (&seen["active"], &seen["last_error"]),
                    (&json!(false), &json!(reported))
                );
            }
            None => assert_eq!((&last["error"], &last["status_code"]), (&Value::Null, &json!(200))),
        }
    }
    assert!(stranger.received().is_empty(), "untrusted receivers get nothing");
}

/// A port without a listener.
fn closed_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

#[tokio::test(flavor = "multi_thread")]
async fn dns_rebinding_to_loopback_is_rejected_at_connection() {
    // Public at creation, loopback at delivery.
    let public = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));
    let names = NameServer::start(move |_, asked| {
        DnsReply::Addresses(vec![if asked == 0 { public } else { Ipv4Addr::LOCALHOST.into() }])
    });
    let names = names.await.expect("a port");
    let (dns, allowed) = (names.address.to_string(), "127.0.0.2".to_owned());
    let settings = [
        ("TRAWL_DNS", dns.as_str()),
        ("TRAWL_ALLOW_WEBHOOK_NETWORKS", allowed.as_str()),
        ("TRAWL_WEBHOOK_RETRIES", "0.05"),
    ];
    let scene = Scene::start(&settings, |_| ReceiverBehavior::Status(200)).await;
    let port = scene.receiver.address.port();
    let hook = scene.hook_at(&format!("https://turns.example:{port}/"), Value::Null).await;
    scene.abort_one().await;
    let failed = scene.until(&hook, "failed").await;
    assert_eq!(failed["attempts"][0]["error"], "address 127.0.0.1 is refused");
    assert!(scene.receiver.received().is_empty());
    // A URL that resolves to loopback at creation is rejected.
    for url in ["https://turns.example/", "https://in.hooks.test/", "https://127.0.0.1:8443/"] {
        let body = json!({"url": url});
        let answer = scene.server.post("/v1/webhooks", &scene.key, &body).await;
        assert_eq!(answer.status(), 422, "{url}");
    }
}
