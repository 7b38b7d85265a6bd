//! The database is unavailable at the start or later: the API responds with 503, workers wait and
//! continue.

use std::time::Duration;

use lab::{Catalogue, Lab};
use reqwest::Method;
use serde_json::json;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::database::{self, Kind};
use crate::server::{Server, Setup, wait_for};

/// A TCP proxy to the database that can be cut.
struct Line {
    address: String,
    open: watch::Sender<bool>,
}

impl Line {
    async fn to(target: String, open: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let (open, is_open) = watch::channel(open);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (target, mut is_open) = (target.clone(), is_open.clone());
                tokio::spawn(async move {
                    if !*is_open.borrow_and_update() {
                        return;
                    }
                    let mut server = TcpStream::connect(target).await.expect("the database");
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => {}
                        _ = is_open.wait_for(|open| !*open) => {}
                    }
                });
            }
        });
        Self { address, open }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn database_outage_gives_503_and_is_survived_on_postgres() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::plain(400));
    lab.with_latency("site.lab", Duration::from_millis(20));
    let folder = tempfile::tempdir().expect("a folder");
    let mut database = url::Url::parse(&database::fresh(Kind::Postgres).await).expect("an address");
    let target = format!("127.0.0.1:{}", database.port().expect("a port"));
    let line = Line::to(target, false).await;
    let port: u16 = line.address.rsplit(':').next().expect("a port").parse().expect("a number");
    database.set_port(Some(port)).expect("an address with a port");
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", &database)
        .with("TRAWL_ALLOW_NETWORKS", lab.address())
        // Shorter than the outage.
        .with("TRAWL_LEASE_MS", 1_000);

    // Unavailable at the start: the server listens, reports 503, and creates the account when the
    // database is available.
    let mut server = Server::start_unready(&setup);
    // A well-formed key, so that only the database can reject it.
    let unknown = store::KeySecret::mint(contract::KeyPrefix::Live);
    let refused = server.request(Method::GET, "/v1/account", unknown.reveal()).send().await;
    let refused = refused.expect("an answer");
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    let live = reqwest::get(format!("{}/healthz", server.url)).await.expect("an answer");
    assert_eq!(live.status(), 200, "the process lives");
    line.open.send_replace(true);
    let key = server.first_key();
    server.ready().await;

    // Unavailable later: the run waits and continues.
    let job = server.create(&key, &lab.url("/"), json!({})).await;
    wait_for(async || {
        let job = server.get(&format!("/v1/jobs/{job}"), &key).await;
        (job["counts"]["results"].as_u64()? > 20).then_some(())
    })
    .await;
    line.open.send_replace(false);
    wait_for(async || {
        let path = format!("/v1/jobs/{job}");
        let answer = server.request(Method::GET, &path, &key).send().await.expect("an answer");
        let away = answer.status() == 503;
        assert!(away || answer.status() == 200, "{}", answer.status());
        (away && answer.headers().contains_key("retry-after")).then_some(())
    })
    .await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    line.open.send_replace(true);
    server.ready().await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    let truth = lab.truth("site.lab").expect("a site");
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["counts"]["results"], truth.delivered.len());
    assert_eq!(done["credits_used"], truth.delivered.len());
    let log = server.logged.lock();
    assert!(!format!("{log:?}").contains("lease lost"), "the run continued without a replay");
}
