//! The operations of Firecrawl: documents, paging, batches, protection, errors. The official clients
//! are tested by `scripts/sdk-tests`.

mod page_parts;

use lab::{Handbook, Lab, ProtectedSite, ProtectionPage};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::protected_site::{START, Scene};
use crate::server::{Server, Setup, wait_for};

async fn call(server: &Server, key: &str, method: Method, path: &str, body: Value) -> (u16, Value) {
    let request = server.request(method, path, key).json(&body);
    let answer = request.send().await.expect("an answer");
    (answer.status().as_u16(), answer.json().await.expect("JSON"))
}

async fn post(server: &Server, key: &str, path: &str, body: Value) -> (u16, Value) {
    call(server, key, Method::POST, path, body).await
}

/// The status of a crawl after its end.
async fn ended(server: &Server, key: &str, id: &str) -> Value {
    wait_for(async || {
        let status = server.get(&format!("/v2/crawl/{id}"), key).await;
        (status["status"] != "scraping").then_some(status)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn crawl_of_several_batches_delivers_every_page_once_by_next() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("one.lab", Handbook { chapters: 6, sections: 10 });
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_BATCH_SIZE", 20);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let before = server.get("/v2/team/credit-usage", &key).await;
    let body = json!({"url": "http://one.lab/", "limit": 45, "origin": "a test"});
    let (status, started) = post(&server, &key, "/v2/crawl", body).await;
    assert_eq!((status, &started["success"]), (200, &json!(true)), "{started}");
    let id = started["id"].as_str().expect("an id");
    assert_eq!(started["url"], format!("{}/v2/crawl/{id}", server.url));
    let body = json!({"url": "http://one.lab/", "limit": 1});
    let (status, second) = post(&server, &key, "/v2/crawl", body).await;
    assert_eq!(status, 200, "{second}");
    let second = second["id"].as_str().expect("an id");
    let waiting = server.get(&format!("/v2/crawl/{second}"), &key).await;
    assert_eq!((&waiting["status"], &waiting["completed"]), (&json!("scraping"), &json!(0)));
    let end = ended(&server, &key, id).await;
    assert_eq!((&end["status"], &end["completed"]), (&json!("completed"), &json!(45)), "{end}");
    assert_eq!(end["total"], 45);
    let mut urls = Vec::new();
    let mut path = format!("/firecrawl/v2/crawl/{id}?limit=10");
    loop {
        let page = server.get(&path, &key).await;
        for document in page["data"].as_array().expect("documents") {
            assert_eq!(document["metadata"]["statusCode"], 200);
            assert!(document["markdown"].is_string() && document.get("links").is_none());
            urls.push(document["metadata"]["sourceURL"].as_str().expect("a URL").to_owned());
        }
        let Some(next) = page["next"].as_str() else { break };
        next.strip_prefix(&server.url).expect("a URL of the server").clone_into(&mut path);
        assert!(path.starts_with("/firecrawl/v2/crawl/"), "{path}");
    }
    let all = urls.len();
    urls.sort();
    urls.dedup();
    assert_eq!((all, urls.len()), (45, 45));
    let waited = ended(&server, &key, second).await;
    assert_eq!((&waited["status"], &waited["completed"]), (&json!("completed"), &json!(1)));
    let after = server.get("/v2/team/credit-usage", &key).await;
    let credits = |usage: &Value| usage["data"]["remainingCredits"].as_i64().expect("credits");
    assert_eq!(credits(&before) - credits(&after), 92);
    assert_eq!(end["creditsUsed"], 90);
    let (status, _) =
        call(&server, &key, Method::DELETE, &format!("/v2/crawl/{id}"), json!({})).await;
    assert_eq!(status, 409, "it has ended");
    let (status, _) =
        call(&server, &key, Method::GET, &format!("/v2/batch/scrape/{id}"), json!({})).await;
    assert_eq!(status, 404, "it is no batch");
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_rate_is_charged_only_with_a_proxy_that_accepts_it() {
    let wall = ProtectionPage::named("cloudflare_challenge").expect("a protection page");
    let open = ProtectedSite::new(wall).with_pages(3).one_in(usize::MAX);
    let scene = Scene::between(ProtectedSite::new(wall).with_pages(3), open, &[]).await;
    let (server, key) = (&scene.server, &scene.key);
    for proxy in [json!(null), json!("basic")] {
        let (status, refused) =
            post(server, key, "/v2/scrape", json!({"url": START, "proxy": proxy})).await;
        assert_eq!((status, &refused["code"]), (403, &json!("SCRAPE_PROTECTED")), "{refused}");
    }
    let (status, page) =
        post(server, key, "/v2/scrape", json!({"url": START, "proxy": "auto"})).await;
    assert_eq!(status, 200, "{page}");
    assert_eq!(page["data"]["metadata"]["proxyUsed"], "stealth");
    assert_eq!(page["data"]["metadata"]["creditsUsed"], 10);
    let (_, started) = post(server, key, "/v2/crawl", json!({"url": START})).await;
    let end = ended(server, key, started["id"].as_str().expect("an id")).await;
    assert_eq!((&end["status"], &end["creditsUsed"]), (&json!("failed"), &json!(0)), "{end}");
    assert!(end["error"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_the_form_and_status_of_firecrawl() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&Setup::new(folder.path())).await;
    let key = server.first_key();
    let page = json!({"url": "https://docs.lab.test/keys"});
    for (path, body, status, code) in [
        ("/v2/scrape", json!({"url": "http://127.0.0.1/"}), 400, "BAD_REQUEST"),
        ("/v2/scrape", json!({}), 400, "BAD_REQUEST"),
        ("/v2/scrape", json!([]), 400, "BAD_REQUEST_INVALID_JSON"),
        ("/v2/scrape", json!({"url": "https://docs.lab.test/", "summary": 1}), 400, "BAD_REQUEST"),
        ("/v2/crawl/params-preview", json!({"url": "u", "prompt": "p"}), 404, "NOT_SUPPORTED"),
        ("/v2/search", json!({"query": "lamps"}), 404, "NOT_SUPPORTED"),
        ("/firecrawl/v1/extract", json!({}), 404, "NOT_SUPPORTED"),
        (
            "/v2/crawl",
            json!({"url": "https://docs.lab.test/", "includePaths": ["("]}),
            400,
            "BAD_REQUEST",
        ),
    ] {
        let (found, error) = post(&server, &key, path, body).await;
        assert_eq!((found, error["code"].as_str()), (status, Some(code)), "{path}: {error}");
        assert_eq!(error["success"], false);
        assert!(!error["error"].as_str().expect("a message").is_empty());
    }
    let body = json!({"url": "https://docs.lab.test/", "includePaths": ["("]});
    let (_, error) = post(&server, &key, "/v2/crawl", body).await;
    assert_eq!(error["details"][0]["field"], "includePaths[0]");
    let (status, error) = post(&server, "key_live_wrong", "/v2/scrape", page.clone()).await;
    assert_eq!((status, &error["success"]), (401, &json!(false)), "{error}");
    let (status, error) = call(&server, &key, Method::GET, "/v2/crawl/unknown", json!({})).await;
    assert_eq!((status, &error["error"]), (404, &json!("Job not found")));
    let missing = json!({"url": "https://docs.lab.test/no-such-page"});
    let (status, page) = post(&server, &key, "/v2/scrape", missing).await;
    assert_eq!((status, &page["data"]["metadata"]["statusCode"]), (200, &json!(404)), "{page}");
    assert_eq!(page["data"]["markdown"], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_with_an_idempotency_key_starts_no_second_crawl() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&Setup::new(folder.path())).await;
    let key = server.first_key();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let request = server.request(Method::POST, "/v2/crawl", &key);
        let request = request.header("x-idempotency-key", "one");
        let body = json!({"url": "https://docs.lab.test/", "limit": 2});
        let answer: Value =
            request.json(&body).send().await.expect("an answer").json().await.expect("JSON");
        ids.push(answer["id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn batch_delivers_each_url_once_and_lists_failed_ones() {
    let lab = Lab::start().await.expect("a port");
    let site = Handbook { chapters: 2, sections: 3 };
    lab.serve("one.lab", site).serve("two.lab", site);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_RESOLVE", lab.name_table());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let texts = site.texts();
    let path = texts.keys().next().expect("a page");
    let urls = [
        format!("http://one.lab{path}"),
        format!("http://two.lab{path}"),
        "http://one.lab/none".to_owned(),
        "not a url".to_owned(),
    ];
    let body = json!({"urls": urls, "formats": ["markdown", "links"]});
    let (status, refused) = post(&server, &key, "/v2/batch/scrape", body.clone()).await;
    assert_eq!((status, &refused["details"][0]["field"]), (400, &json!("urls[3]")), "{refused}");
    let mut lenient = body;
    lenient["ignoreInvalidURLs"] = json!(true);
    let (status, started) = post(&server, &key, "/v2/batch/scrape", lenient).await;
    assert_eq!((status, &started["invalidURLs"]), (200, &json!(["not a url"])), "{started}");
    let id = started["id"].as_str().expect("an id");
    let path = format!("/v2/batch/scrape/{id}");
    let end = wait_for(async || {
        let status = server.get(&path, &key).await;
        (status["status"] != "scraping").then_some(status)
    })
    .await;
    assert_eq!((&end["status"], &end["creditsUsed"]), (&json!("completed"), &json!(4)), "{end}");
    let documents = end["data"].as_array().expect("documents");
    let mut found: Vec<_> =
        documents.iter().filter_map(|one| one["metadata"]["sourceURL"].as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, &urls[..2]);
    assert!(documents.iter().all(|one| one["links"].is_array()));
    let errors = server.get(&format!("{path}/errors"), &key).await;
    assert_eq!(errors["errors"][0]["url"], urls[2], "{errors}");
    assert_eq!(errors["errors"].as_array().map(Vec::len), Some(1), "{errors}");
    let (status, _) = call(&server, &key, Method::DELETE, &path, json!({})).await;
    assert_eq!(status, 409, "it has ended");
}

/// First bytes of whole frames with a text, and with the end of a WebSocket.
const TEXT: u8 = 0x81;
const CLOSE: u8 = 0x88;

type WebSocket = BufReader<TcpStream>;

/// A WebSocket whose handshake is done.
async fn web_socket(server: &Server, path: &str, key: &str) -> WebSocket {
    let address = server.url.strip_prefix("http://").expect("a URL without TLS");
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: {key}\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        stream.read_line(&mut head).await.expect("a header");
    }
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    stream
}

/// First byte and payload of the next frame.
async fn next_frame(stream: &mut WebSocket) -> (u8, Vec<u8>) {
    let kind = stream.read_u8().await.expect("a frame");
    let length = match stream.read_u8().await.expect("a length") {
        126 => u64::from(stream.read_u16().await.expect("a length")),
        127 => stream.read_u64().await.expect("a length"),
        short => u64::from(short),
    };
    let mut payload = vec![0; usize::try_from(length).expect("a message that fits")];
    stream.read_exact(&mut payload).await.expect("a message");
    (kind, payload)
}

/// The messages until the server closes the WebSocket.
async fn messages(stream: &mut WebSocket) -> Vec<Value> {
    let mut messages = Vec::new();
    loop {
        match next_frame(stream).await {
            (TEXT, payload) => messages.push(serde_json::from_slice(&payload).expect("JSON")),
            (CLOSE, _) => return messages,
            (other, _) => panic!("unexpected frame {other:#x}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn websocket_reports_every_document_and_the_end_and_outlives_idle_timeouts() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("one.lab", Handbook { chapters: 1, sections: 3 });
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_KEEP_ALIVE_MS", 100)
        .with("TRAWL_HEADER_MS", 100);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    // Two pages at a delay of 1 s: no message for ten times the idle timeout.
    let body = json!({"url": "http://one.lab/", "limit": 2, "delay": 1});
    for version in ["v1", "v2"] {
        let (status, started) =
            post(&server, &key, &format!("/firecrawl/{version}/crawl"), body.clone()).await;
        assert_eq!(status, 200, "{started}");
        let id = started["id"].as_str().expect("an id");
        let path = format!("/firecrawl/{version}/crawl/{id}");
        let messages = messages(&mut web_socket(&server, &path, &key).await).await;
        let kinds: Vec<_> = messages.iter().filter_map(|one| one["type"].as_str()).collect();
        assert_eq!((kinds.first(), kinds.last()), (Some(&"catchup"), Some(&"done")), "{kinds:?}");
        let first = messages[0]["data"]["data"].as_array().map_or(0, Vec::len);
        let later = kinds.iter().filter(|kind| **kind == "document").count();
        assert_eq!(first + later, 2, "{messages:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn websocket_is_closed_as_restarting_when_the_server_shuts_down() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("one.lab", Handbook { chapters: 1, sections: 3 });
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_RESOLVE", lab.name_table());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let body = json!({"url": "http://one.lab/", "delay": 30});
    let (_, started) = post(&server, &key, "/v2/crawl", body).await;
    let id = started["id"].as_str().expect("an id");
    let mut stream = web_socket(&server, &format!("/v2/crawl/{id}"), &key).await;
    assert_eq!(next_frame(&mut stream).await.0, TEXT);
    assert!(server.terminate().success());
    loop {
        match next_frame(&mut stream).await {
            (TEXT, _) => {}
            // The code 1012, "Service Restart".
            (CLOSE, payload) => return assert_eq!(payload, [0x03, 0xf4]),
            (other, _) => panic!("unexpected frame {other:#x}"),
        }
    }
}
