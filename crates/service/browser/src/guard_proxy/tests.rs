use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;
use net::{HttpFetch, NameTable, ResolverSettings};

/// A site that echoes the request in its response.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = vec![0; 4096];
            let length = stream.read(&mut asked).await.unwrap_or(0);
            let asked = String::from_utf8_lossy(&asked[..length]).into_owned();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{asked}",
                asked.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    address
}

async fn proxy(names: &str) -> GuardProxy {
    let names = NameTable::parse(names).expect("a table");
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    let settings = HttpSettings { resolver, ..HttpSettings::default() };
    let http = HttpFetch::new(settings.clone()).expect("sound settings");
    GuardProxy::start(http.connector().clone(), &settings).await.expect("a port is free")
}

/// Request headers with the credentials of the proxy.
fn opening(proxy: &GuardProxy, head: &str) -> String {
    let secret = BASE64.encode(format!("{USER}:{}", proxy.secret()).as_bytes());
    format!("{head}\r\nproxy-authorization: Basic {secret}\r\n\r\n")
}

/// Sends `head` to the proxy, then `more`, and returns the response.
async fn say(proxy: &GuardProxy, head: &str, more: &str) -> String {
    let mut stream = TcpStream::connect(proxy.address()).await.expect("it listens");
    stream.write_all(opening(proxy, head).as_bytes()).await.expect("a write");
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") && stream.read(&mut byte).await.unwrap_or(0) > 0 {
        answer.push(byte[0]);
    }
    if !more.is_empty() {
        stream.write_all(more.as_bytes()).await.expect("a write");
    }
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn requests_are_forwarded_without_the_secret() {
    let site = echo().await;
    let proxy = proxy(&format!("site.test={site}")).await;
    let request = "GET http://site.test/path?x HTTP/1.1\r\nhost: site.test\r\nproxy-connection: \
                   keep-alive\r\nconnection: close, x-hop\r\nx-hop: 1\r\nx-kept: 2";
    let answer = say(&proxy, request, "").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let asked = answer.split_once("\r\n\r\n").expect("a body").1.to_ascii_lowercase();
    assert!(asked.starts_with("get /path?x http/1.1\r\n"), "{asked}");
    assert!(asked.contains("host: site.test\r\n") && asked.contains("x-kept: 2\r\n"), "{asked}");
    assert!(!asked.contains("proxy") && !asked.contains("x-hop"), "{asked}");
    assert_eq!(proxy.last("site.test", 80), Some(Ok(site)));
}

#[tokio::test]
async fn tunnel_transfers_any_bytes() {
    let site = echo().await;
    let proxy = proxy(&format!("site.test={site}")).await;
    let answer =
        say(&proxy, "CONNECT site.test:443 HTTP/1.1\r\nhost: site.test:443", "hello").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nhello"), "{answer}");
    assert_eq!(proxy.last("site.test", 443), Some(Ok(site)));
}

#[tokio::test]
async fn refused_request_closes_the_connection_and_its_cause_is_recorded() {
    let site = echo().await;
    let proxy = proxy(&format!("site.test={site}")).await;
    let private = FetchError::AddressRefused(site.ip());
    for (request, host, port, why) in [
        (format!("GET http://{site}/ HTTP/1.1\r\nhost: x"), "127.0.0.1", site.port(), &private),
        (format!("CONNECT {site} HTTP/1.1\r\nhost: x"), "127.0.0.1", site.port(), &private),
        (
            "CONNECT site.test:25 HTTP/1.1\r\nhost: x".into(),
            "site.test",
            25,
            &FetchError::PortRefused(25),
        ),
        (
            "GET http://[::1]/ HTTP/1.1\r\nhost: x".into(),
            "[::1]",
            80,
            &FetchError::AddressRefused([0, 0, 0, 0, 0, 0, 0, 1].into()),
        ),
    ] {
        assert_eq!(say(&proxy, &request, "").await, "", "{request}");
        assert_eq!(proxy.last(host, port), Some(Err(why.clone())), "{request}");
    }
}

#[tokio::test]
async fn request_that_is_no_proxy_request_is_rejected() {
    let proxy = proxy("").await;
    for request in [
        "GET / HTTP/1.1\r\nhost: site.test\r\nconnection: close",
        "GET https://site.test/ HTTP/1.1\r\nhost: site.test\r\nconnection: close",
        "CONNECT site.test HTTP/1.1\r\nhost: site.test\r\nconnection: close",
    ] {
        let answer = say(&proxy, request, "").await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{request}: {answer}");
    }
}

#[tokio::test]
async fn tunnels_end_with_the_proxy() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let site = listener.local_addr().expect("it is bound");
    let proxy = proxy(&format!("site.test={site}")).await;
    let mut browser = TcpStream::connect(proxy.address()).await.expect("it listens");
    browser
        .write_all(opening(&proxy, "CONNECT site.test:443 HTTP/1.1").as_bytes())
        .await
        .expect("a write");
    let (mut stream, _) = listener.accept().await.expect("a connection");
    drop(proxy);
    assert_eq!(stream.read(&mut [0]).await.unwrap_or(0), 0);
}
