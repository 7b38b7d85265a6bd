//! Outbound connections: egress proxy and denied networks.

use lab::{Catalogue, Lab, Site as _, Tunnel};
use serde_json::json;

use crate::server::{Server, Setup};

#[tokio::test(flavor = "multi_thread")]
async fn crawl_connects_through_the_egress_proxy_to_the_checked_address() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("public.example", Catalogue::plain(5));
    let tunnel = Tunnel::start(lab.address(), None).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", "public.example=93.184.216.34")
        .with("TRAWL_CHROMIUM", "none")
        .with("TRAWL_EGRESS_PROXY", format!("http://{}", tunnel.address()));
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, "http://public.example/", json!({})).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    let delivered = Catalogue::plain(5).truth().delivered.len();
    assert_eq!(server.results(&key, &job).await.len(), delivered);
    let asked = tunnel.targets();
    assert!(!asked.is_empty() && asked.iter().all(|it| it == "93.184.216.34:80"), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_network_overrides_allowed_network() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::plain(1));
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_CHROMIUM", "none")
        .with("TRAWL_ALLOW_NETWORKS", "127.0.0.0/8")
        .with("TRAWL_DENY_NETWORKS", "127.0.0.1");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, "http://site.lab/", json!({})).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!(done["error"]["code"], "invalid_url", "{done}");
    let literal = json!({"url": format!("http://{}/", lab.address()), "mode": "links"});
    let refused = server.post("/v1/jobs", &key, &literal).await;
    assert_eq!(refused.status(), 422);
    assert_eq!(lab.request_count(), 0);
}
