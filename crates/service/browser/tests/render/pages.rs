//! Rendering of pages and other documents.

use std::sync::Arc;
use std::time::Duration;

use browser::{RenderCounts, RenderFetch, RenderSettings};
use bytes::Bytes;
use lab::{RawStep, Reply};
use net::{
    BodyLimit, FetchError, FetchRequest, HttpFetch, HttpSettings, NameTable, Phase,
    ResolverSettings,
};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls_pki_types::PrivateKeyDer;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::{Script, USER_AGENT, ask, chromium, get, lab_with, patient, renderer, text, url};

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_is_rendered_with_its_scripts() {
    let site = Script::default()
        .page(
            "/",
            "<!DOCTYPE html><title>before</title><div id=app></div><script src=/app.js></script>",
        )
        .on(
            "/app.js",
            Reply::typed(
                200,
                "text/javascript",
                "document.title = 'after';
                 addEventListener('load', async () => {
                   const data = await (await fetch('/data.json')).json();
                   document.getElementById('app').innerHTML =
                     `<a href=\"/found\">${data.name}, ${navigator.userAgent}</a>`;
                 });",
            ),
        )
        .on("/data.json", Reply::typed(200, "application/json", "{\"name\": \"Grüße\"}"));
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    let answer = get(&fetch, "http://site.lab.test/").await.expect("a page");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.remote, lab.address());
    assert_eq!(answer.content_type().as_deref(), Some("text/html; charset=utf-8"));
    let html = text(&answer);
    assert!(html.starts_with("<!DOCTYPE html><html><head><title>after</title>"), "{html}");
    assert!(html.contains(&format!("<a href=\"/found\">Grüße, {USER_AGENT}</a>")), "{html}");
    let seen = lab.requests();
    let paths: Vec<&str> = seen.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/", "/app.js", "/data.json"]);
    assert!(seen.iter().all(|seen| seen.user_agent.as_deref() == Some(USER_AGENT)), "{seen:?}");
    assert!(fetch.is_healthy());
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn document_that_is_no_page_is_returned_unchanged() {
    let packed = {
        use std::io::Write as _;
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(b"{\"packed\": true}").expect("memory");
        writer.finish().expect("memory")
    };
    let bytes: Vec<u8> = (0..=255).collect();
    let site = Script::default()
        .on("/file.pdf", Reply::typed(200, "application/pdf", bytes.clone()))
        .on("/image.png", Reply::typed(200, "image/png", bytes.clone()))
        .on(
            "/data.json",
            Reply::typed(200, "application/json", packed).with_header("content-encoding", "gzip"),
        )
        .on(
            "/saved.html",
            Reply::html("<script>document.title = 'shown'</script>")
                .with_header("content-disposition", "attachment; filename=saved.html"),
        )
        .on("/nothing", Reply::typed(204, "text/html", ""))
        .on("/empty", Reply::typed(404, "text/html", ""))
        .on("/large.bin", Reply::typed(200, "application/octet-stream", vec![7; 3_000_000]));
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    for (path, status, body) in [
        ("/file.pdf", 200, &bytes[..]),
        ("/image.png", 200, &bytes[..]),
        ("/data.json", 200, b"{\"packed\": true}"),
        ("/saved.html", 200, b"<script>document.title = 'shown'</script>"),
        ("/nothing", 204, b""),
        ("/empty", 404, b""),
        ("/large.bin", 200, &[7; 3_000_000]),
    ] {
        let answer = get(&fetch, &format!("http://site.lab.test{path}")).await.expect(path);
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.body == body, "{path}: {} bytes", answer.body.len());
    }
    let small =
        FetchRequest::get(url("http://site.lab.test/large.bin")).body(BodyLimit::AtMost(99));
    assert_eq!(ask(&fetch, small).await, Err(FetchError::TooLarge(99)));
    let first = FetchRequest::get(url("http://site.lab.test/large.bin")).body(BodyLimit::First(99));
    let first = ask(&fetch, first).await.expect("some of it");
    assert_eq!((first.body.len(), first.body_truncated), (99, true));
    assert_eq!(lab.requests().len(), 9);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn rendered_page_is_utf8() {
    let mut latin = b"<meta charset=iso-8859-1><p>Gr".to_vec();
    latin.extend([0xfc, 0xdf]);
    latin.extend(b"e<p>\x00<script>document.body.append('\\ud800!')</script>");
    let site = Script::default().on(
        "/",
        Reply::typed(404, "text/html; charset=iso-8859-1", latin)
            .with_header("x-robots-tag", "none"),
    );
    let lab = lab_with(site).await;
    let answer = get(&renderer(&lab, patient()), "http://site.lab.test/").await.expect("a page");
    assert_eq!(answer.status, 404);
    assert_eq!(answer.robots_tags(), ["none"]);
    assert_eq!(answer.content_type().as_deref(), Some("text/html; charset=utf-8"));
    assert!(text(&answer).contains("<p>Grüße"), "{}", text(&answer));
    assert!(text(&answer).contains("\u{fffd}!"), "{}", text(&answer));
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn images_fonts_frames_and_icons_are_not_requested() {
    let site = Script::default()
        .page(
            "/",
            "<link rel=icon href=/icon.png><link rel=stylesheet href=/style.css>
             <link rel=prefetch href=/next.html><link rel=manifest href=/app.webmanifest>
             <img src=/a.png onerror=\"document.body.append('no picture, ')\">
             <video src=/b.mp4></video><audio src=/c.mp3 autoplay></audio>
             <iframe src=/frame.html></iframe><object data=/d.swf></object><embed src=/e.svg>
             <p style='font-family: f'>text <script>
             navigator.sendBeacon('/beacon', 'x');
             new Worker('/worker.js').onmessage = (e) => document.body.append(e.data);
             </script>",
        )
        .on(
            "/style.css",
            Reply::typed(
                200,
                "text/css",
                "@font-face { font-family: f; src: url(/f.woff2) } body { background: url(/g.png) }",
            ),
        )
        .on(
            "/worker.js",
            Reply::typed(200, "text/javascript", "postMessage('worker: ' + navigator.userAgent)"),
        );
    let lab = lab_with(site).await;
    let answer = get(&renderer(&lab, patient()), "http://site.lab.test/").await.expect("a page");
    assert!(text(&answer).contains(&format!("worker: {USER_AGENT}")), "{}", text(&answer));
    assert!(text(&answer).contains("no picture, "), "{}", text(&answer));
    let mut asked: Vec<String> = lab.requests().into_iter().map(|seen| seen.path).collect();
    asked.sort();
    assert_eq!(asked, ["/", "/style.css", "/worker.js"]);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_that_never_finishes_is_returned_at_its_deadline() {
    let forever = |head: &'static str, more: &'static str| {
        Reply::Raw(vec![
            RawStep::Bytes(Bytes::from_static(head.as_bytes())),
            RawStep::Forever(Bytes::from_static(more.as_bytes()), Duration::from_millis(50)),
        ])
    };
    let site = Script::default()
        .on(
            "/dripping",
            forever("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<title>drip</title>", "<p>more"),
        )
        .on("/hanging.js", Reply::Raw(vec![RawStep::Pause(Duration::from_secs(600))]))
        .page("/hanging", "<title>hang</title><p>early<script src=/hanging.js></script><p>late")
        .on("/stream", forever("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", ":\n\n"))
        .page(
            "/streaming",
            "<title>stream</title><script>new EventSource('/stream'); fetch('/hanging.js')</script>",
        )
        .page(
            "/polling",
            "<title>poll</title><script>
             setInterval(() => fetch('/data'), 100); let n = 0;
             setInterval(() => document.title = `poll ${++n}`, 10);</script>",
        )
        .on("/mute", Reply::Raw(vec![RawStep::Pause(Duration::from_secs(600))]))
        .on(
            "/head-only",
            Reply::Raw(vec![
                RawStep::Bytes(Bytes::from_static(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n")),
                RawStep::Pause(Duration::from_secs(600)),
            ]),
        );
    let lab = lab_with(site).await;
    let settings = RenderSettings { page_life: Duration::from_secs(6), ..patient() };
    let fetch = renderer(&lab, settings);
    let one = async |path: &str| get(&fetch, &format!("http://site.lab.test{path}")).await;
    let (dripping, hanging, streaming, polling) =
        tokio::join!(one("/dripping"), one("/hanging"), one("/streaming"), one("/polling"));
    for (answer, title, life) in [
        (dripping, "<title>drip</title>", 6..),
        (hanging, "<title>hang</title>", 6..),
        (streaming, "<title>stream</title>", 3..),
        (polling, "<title>poll ", 6..),
    ] {
        let answer = answer.expect(title);
        assert!(text(&answer).contains(title), "{}", text(&answer));
        assert!(life.contains(&answer.elapsed.as_secs()), "{title}: {:?}", answer.elapsed);
        assert!(!text(&answer).contains("late"));
    }
    let (mute, head_only) = tokio::join!(one("/mute"), one("/head-only"));
    assert_eq!(mute, Err(FetchError::TimedOut(Phase::FirstByte)));
    assert_eq!(head_only, Err(FetchError::TimedOut(Phase::Whole)), "no byte of the body");
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn head_and_range_requests_use_no_browser() {
    let lab = lab_with(Script::default().page("/", "<p>hello")).await;
    let fetch = renderer(&lab, patient());
    let head = ask(&fetch, FetchRequest::head(url("http://site.lab.test/"))).await.expect("a head");
    assert_eq!((head.status, head.content_length()), (200, Some(8)));
    let range = FetchRequest::get(url("http://site.lab.test/")).body(BodyLimit::Range(3));
    assert_eq!(ask(&fetch, range).await.expect("a part").body, "<p>");
    assert!(fetch.process_ids().is_empty());
    assert_eq!(fetch.counts(), RenderCounts::default());
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn sites_get_no_credentials_and_errors_are_mapped() {
    let site = Script::default()
        .on(
            "/secret",
            Reply::typed(401, "text/html", "<p>who are you")
                .with_header("www-authenticate", "Basic realm=\"x\""),
        )
        .on(
            "/short",
            Reply::Raw(vec![RawStep::Bytes(Bytes::from_static(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 99\r\n\r\n<p>half",
            ))]),
        )
        .on("/garbage", Reply::Raw(vec![RawStep::Bytes(Bytes::from_static(b"SSH-2.0-x\r\n\r\n"))]))
        .on("/reset", Reply::Raw(vec![RawStep::Reset]));
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    let one = async |path: &str| get(&fetch, &format!("http://site.lab.test{path}")).await;
    let secret = one("/secret").await.expect("an answer");
    assert_eq!(secret.status, 401);
    assert!(text(&secret).contains("who are you"));
    assert_eq!(one("/short").await, Err(FetchError::CutOff));
    assert_eq!(one("/garbage").await, Err(FetchError::Protocol));
    assert_eq!(one("/reset").await, Err(FetchError::CutOff));
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn every_page_is_visible_and_focused() {
    let page = "<body><script>
        const busy = setInterval(() => fetch('/busy'), 100);
        const frame = new Promise((yes) => requestAnimationFrame(() => yes('frame')));
        const seen = new Promise((yes) => new IntersectionObserver((all) => yes('seen')).observe(document.body));
        const idle = new Promise((yes) => requestIdleCallback(() => yes('idle')));
        Promise.all([frame, seen, idle]).then((all) => {
          document.body.append(`GOT ${all.concat(document.visibilityState, innerWidth).join()} END`);
          clearInterval(busy);
        });</script>";
    let lab = lab_with(Script::default().page("/", page)).await;
    let fetch = renderer(&lab, patient());
    let one = async || get(&fetch, "http://site.lab.test/").await.expect("a page");
    let (a, b, c, d) = tokio::join!(one(), one(), one(), one());
    for answer in [a, b, c, d] {
        assert!(
            text(&answer).contains("GOT frame,seen,idle,visible,1280 END"),
            "{}",
            text(&answer)
        );
    }
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn untrusted_certificate_is_a_tls_error() {
    let made = rcgen::generate_simple_self_signed(["secure.lab.test".to_owned()]).expect("a key");
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .expect("a certificate");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let names = format!("secure.lab.test={}", listener.local_addr().expect("it is bound"));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = acceptor.accept(stream).await;
        }
    });
    let names = NameTable::parse(&names).expect("a table");
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    let http = HttpFetch::new(HttpSettings { resolver, ..HttpSettings::default() });
    let fetch = RenderFetch::new(chromium(), patient(), http.expect("sound settings"));
    let answer = get(&fetch, "https://secure.lab.test/").await;
    assert_eq!(answer, Err(FetchError::Tls("cert authority invalid".to_owned())));
    let plain = get(&fetch, "http://secure.lab.test/").await;
    assert!(matches!(plain, Err(FetchError::Protocol | FetchError::CutOff)), "{plain:?}");
}
