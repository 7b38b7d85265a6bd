//! The lab over sockets: hosts, framing, the log of requests, raw replies.

use std::time::Duration;

use lab::{Broken, Catalogue, Empty, Lab, ProtectedSite, ProtectionPage};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The response bytes until the lab closes the connection.
async fn ask(lab: &Lab, request: &str) -> String {
    let mut stream = TcpStream::connect(lab.address()).await.expect("the lab listens");
    stream.write_all(request.as_bytes()).await.expect("the lab reads");
    let mut answer = Vec::new();
    // A reset ends the connection too.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(host: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: test\r\nConnection: close\r\n\r\n")
}

async fn lab() -> Lab {
    let lab = Lab::start().await.expect("a port is free");
    lab.serve("shop.lab.test", Catalogue::plain(5));
    lab.serve("broken.lab.test", Broken::default()).serve("empty.lab.test", Empty);
    lab
}

#[tokio::test]
async fn host_selects_the_site_and_an_ip_address_the_first_site() {
    let lab = lab().await;
    assert!(ask(&lab, &get("shop.lab.test", "/page-1")).await.contains("<title>Number 1:"));
    assert!(ask(&lab, &get("SHOP.lab.test:80", "/page-1")).await.contains("<title>Number 1:"));
    let by_address = get(&lab.address().to_string(), "/page-2");
    assert!(ask(&lab, &by_address).await.contains("<title>Number 2:"));
    assert!(ask(&lab, &get("empty.lab.test", "/")).await.starts_with("HTTP/1.1 404 "));
    assert!(ask(&lab, &get("elsewhere.test", "/")).await.starts_with("HTTP/1.1 421 "));
    let table = lab.name_table();
    assert!(table.starts_with(&format!("shop.lab.test={},broken.", lab.address())), "{table}");
}

#[tokio::test]
async fn requests_are_logged() {
    let lab = lab().await;
    ask(&lab, &get("shop.lab.test", "/page-1?ref=2")).await;
    let [seen] = &lab.requests()[..] else { panic!("one request was made") };
    assert_eq!((seen.host.as_str(), seen.path.as_str()), ("shop.lab.test", "/page-1?ref=2"));
    assert_eq!((seen.method.as_str(), seen.user_agent.as_deref()), ("GET", Some("test")));
    lab.clear_requests();
    lab.record_requests(false);
    ask(&lab, &get("shop.lab.test", "/")).await;
    assert!(lab.requests().is_empty());
    assert_eq!((lab.request_count(), lab.max_in_flight("shop.lab.test")), (2, 1));
}

#[tokio::test]
async fn connection_serves_several_requests() {
    let lab = lab().await;
    let first = "HEAD /page-1 HTTP/1.1\r\nHost: shop.lab.test\r\nContent-Length: 4\r\n\r\nbody";
    let answer = ask(&lab, &format!("{first}{}", get("shop.lab.test", "/page-2"))).await;
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 2);
    assert!(!answer.contains("<title>Number 1:") && answer.contains("<title>Number 2:"));
}

#[tokio::test]
async fn raw_replies_are_sent_unchanged() {
    let lab = lab().await;
    let host = "broken.lab.test";
    assert_eq!(ask(&lab, &get(host, "/silence")).await, "");
    assert!(ask(&lab, &get(host, "/not-http")).await.starts_with("220 "));
    assert!(ask(&lab, &get(host, "/short")).await.ends_with("<title>Short</title>"));
    assert!(ask(&lab, &get(host, "/garbage-chunk")).await.ends_with("nonsense\r\n"));
}

#[tokio::test]
async fn latency_delays_replies_and_invalid_requests_end_the_connection() {
    let lab = lab().await;
    lab.with_latency("shop.lab.test", Duration::from_millis(30));
    let begin = std::time::Instant::now();
    ask(&lab, &get("shop.lab.test", "/")).await;
    assert!(begin.elapsed() >= Duration::from_millis(30));
    assert_eq!(ask(&lab, "nonsense\r\n\r\n").await, "");
}

#[tokio::test]
async fn dropping_the_lab_closes_its_connections() {
    let lab = lab().await;
    let mut stream = TcpStream::connect(lab.address()).await.expect("the lab listens");
    stream.write_all(get("broken.lab.test", "/drip").as_bytes()).await.expect("the lab reads");
    let mut byte = [0; 1];
    stream.read_exact(&mut byte).await.expect("the drip begins");
    drop(lab);
    let rest = async { while stream.read(&mut byte).await.is_ok_and(|read| read > 0) {} };
    tokio::time::timeout(Duration::from_secs(30), rest).await.expect("the connection ends");
}

#[tokio::test]
async fn site_responds_by_header_and_lab_serves_proxy_requests() {
    let lab = lab().await;
    let wall = ProtectionPage::named("sucuri_block").expect("a protection page");
    lab.serve("walled.lab.test", ProtectedSite::new(wall).passing_tier());
    let plain = get("walled.lab.test", "/page-1");
    assert!(ask(&lab, &plain).await.starts_with("HTTP/1.1 403 "));
    let marked = plain.replace("User-Agent: test", "Via-Tier: 1");
    assert!(ask(&lab, &marked).await.contains("Behind the wall, 1"));
    let proxied = plain.replace("GET /page-1", "GET http://walled.lab.test:8080/page-1");
    assert!(ask(&lab, &proxied).await.contains("Behind the wall, 1"));
    let seen: Vec<_> = lab.requests().into_iter().map(|seen| (seen.path, seen.via_tier)).collect();
    let path = || "/page-1".to_owned();
    assert_eq!(seen, [(path(), false), (path(), true), (path(), true)]);
}
