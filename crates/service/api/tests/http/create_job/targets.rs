//! Which URLs and domains are accepted.

use serde_json::json;
use urls::AllowedNetworks;

use crate::harness::TestApi;

#[tokio::test]
async fn non_public_urls_are_rejected() {
    let api = TestApi::start().await;
    let long = format!("https://example.com/{}", "a".repeat(2_048));
    for url in [
        "",
        "example.com",
        "/relative",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://",
        "https:///path",
        "http://user:secret@example.com/",
        "http://user@example.com/",
        "http://example.com\\@127.0.0.1/",
        "http://example.com:22/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://example.com/\u{0}",
        "http://exa mple.com/",
        "http://xn--a/",
        "http://a\u{5d0}b1.com/",
        "http://ex%61mple.com/",
        "http://localhost/",
        "http://LOCALHOST:8080/",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://local\u{ad}host/",
        "http://printer.local/",
        "http://metadata.google.internal/",
        "http://nas.home.arpa/",
        "http://abc.onion/",
        "http://intranet/",
        &long,
    ] {
        let answer = api.post("/v1/jobs", &json!({"mode": "links", "url": url})).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["url"]), "{url}");
        assert!(!answer.text.contains("secret"), "credentials are not repeated");
    }
}

#[tokio::test]
async fn private_addresses_are_rejected_in_every_notation() {
    let api = TestApi::start().await;
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "127。0。0。1",
        "１２７.0.0.1",
        "①②⑦.0.0.1",
        "%31%32%37.0.0.1",
        "0.0.0.0",
        "0",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.1.1",
        "198.18.0.1",
        "203.0.113.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::]",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
        "[fe80::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
    ] {
        let url = format!("http://{host}/");
        let answer = api.post("/v1/jobs", &json!({"mode": "links", "url": url})).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["url"]), "{host}");
    }
}

#[tokio::test]
async fn allowed_networks_and_known_names_are_accepted() {
    let api = TestApi::with(|settings| {
        settings.allowed_networks = AllowedNetworks::parse("127.0.0.0/8:8000").expect("a network");
        settings.known_names = net::NameTable::parse("shop.local=127.0.0.1:8000").expect("a table");
    })
    .await;
    for (url, status) in [
        ("http://127.0.0.1:8000/", 202),
        ("http://127.0.0.1:8001/", 422),
        ("http://shop.local/", 202),
        ("http://other.local/", 422),
    ] {
        let answer = api.post("/v1/jobs", &json!({"mode": "links", "url": url})).await;
        assert_eq!(answer.status, status, "{url}");
    }
}

#[tokio::test]
async fn blocked_domains_are_refused_with_their_subdomains() {
    let api = TestApi::with(|settings| {
        settings.blocked_domains = privacy::BlockedDomains::new(["blocked.example"]);
    })
    .await;
    for host in
        ["blocked.example", "www.blocked.example", "a.b.blocked.example", "BLOCKED.example."]
    {
        let body = json!({"mode": "links", "url": format!("https://{host}/")});
        let answer = api.post("/v1/jobs", &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["url"]), "{host}");
    }
    let body = json!({"mode": "links", "url": "https://notblocked.example/"});
    assert_eq!(api.post("/v1/jobs", &body).await.status, 202);
    let body = json!({
        "mode": "contacts", "legal_basis_accepted": true, "domains": ["a.example", "x.blocked.example"]
    });
    assert_eq!(api.post("/v1/jobs", &body).await.fields(), ["domains[1]"]);
}

#[tokio::test]
async fn international_host_is_converted_to_punycode() {
    let api = TestApi::start().await;
    let body = json!({"mode": "links", "url": "https://bücher.example/ä?q=1"});
    let answer = api.post("/v1/jobs", &body).await;
    assert_eq!(answer.body["url"], "https://xn--bcher-kva.example/%C3%A4?q=1");
}
