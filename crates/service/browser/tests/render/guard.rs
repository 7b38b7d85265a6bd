//! The address guard applies to every request of a page.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use browser::RenderFetch;
use lab::{DnsReply, Lab, NameServer, Reply};
use net::{FetchError, HttpFetch, HttpSettings, NameTable, ResolverSettings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use urls::AllowedNetworks;

use crate::{Script, chromium, get, lab_with, patient, processes, renderer, text};

/// A loopback service that counts TCP connections and UDP packets on the same port.
struct LoopbackService {
    address: SocketAddr,
    contacts: Arc<AtomicUsize>,
}

impl LoopbackService {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let socket = UdpSocket::bind(address).await.expect("the port is free");
        let contacts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&contacts);
        tokio::spawn(async move {
            let mut packet = [0; 2048];
            loop {
                tokio::select! {
                    _ = listener.accept() => {}
                    _ = socket.recv_from(&mut packet) => {}
                }
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { address, contacts }
    }

    fn contacts(&self) -> usize {
        self.contacts.load(Ordering::SeqCst)
    }
}

/// A page that tries every method to reach `host` and reports the outcomes.
fn intruder(host: &str) -> String {
    format!(
        r#"<!DOCTYPE html><body>
        <link rel=preconnect href="http://{host}/"><link rel=dns-prefetch href="http://{host}/">
        <link rel=prefetch href="http://{host}/prefetch"><link rel=stylesheet href="http://{host}/css">
        <link rel=preload as=script href="http://{host}/preload"><link rel=modulepreload href="http://{host}/m">
        <script type=speculationrules>{{"prefetch": [{{"urls": ["http://{host}/s"], "eagerness": "immediate"}}],
        "prerender": [{{"urls": ["http://{host}/r"], "eagerness": "immediate"}}]}}</script>
        <script src="http://{host}/script"></script><img src="http://{host}/image">
        <iframe src="http://{host}/frame"></iframe><iframe src="file:///etc/passwd"></iframe>
        <object data="http://{host}/object"></object><embed src="http://{host}/embed">
        <video src="http://{host}/video"></video>
        <script>
        const tried = [];
        const busy = setInterval(() => fetch('/busy'), 100);
        const report = (what, outcome) => tried.push(what + ': ' + outcome);
        const attempt = (what, promise) =>
          promise.then((x) => report(what, 'reached ' + x), () => report(what, 'refused'));
        const event = (target) => new Promise((yes, no) => {{
          target.onopen = () => yes('open'); target.onmessage = (e) => yes(e.data);
          target.onerror = target.onclose = no; setTimeout(no, 5000);
        }});
        const code = (body) => URL.createObjectURL(new Blob([body], {{type: 'text/javascript'}}));
        const worker = (body) => event(new Worker(code(body))).then(
          (said) => {{ if (said !== 'reached') throw said; return said }});
        Promise.all([
          attempt('fetch', fetch('http://{host}/fetch', {{mode: 'no-cors'}})),
          attempt('redirect', fetch('/away', {{mode: 'no-cors'}})),
          attempt('post', fetch('http://{host}/post', {{mode: 'no-cors', method: 'POST', body: 'x'}})),
          attempt('socket', event(new WebSocket('ws://{host}/socket'))),
          attempt('secure socket', event(new WebSocket('wss://{host}/socket'))),
          attempt('https', fetch('https://{host}/https', {{mode: 'no-cors'}})),
          attempt('events', event(new EventSource('http://{host}/events'))),
          attempt('worker', worker(`fetch('http://{host}/worker', {{mode: 'no-cors'}})
            .then(() => postMessage('reached'), () => postMessage('refused'))`)),
          attempt('worker script', worker(`importScripts('http://{host}/import'); postMessage('reached')`)),
          attempt('module', import('http://{host}/module')),
          attempt('file', fetch('file:///etc/passwd')),
          attempt('transport', Promise.resolve().then(() => new WebTransport('https://{host}/t').ready)),
          attempt('peer', new Promise((yes, no) => {{
            const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:{host}'}},
              {{urls: ['turn:{host}?transport=tcp', 'turn:{host}?transport=udp'], username: 'u', credential: 'p'}}]}});
            peer.onicecandidate = (e) => e.candidate ? yes(e.candidate.candidate) : no();
            peer.createDataChannel('x');
            peer.createOffer().then((offer) => peer.setLocalDescription(offer));
            setTimeout(no, 5000);
          }})),
        ]).then(() => {{
          navigator.sendBeacon('http://{host}/beacon', 'x');
          window.open('http://{host}/window');
          document.body.append('TRI' + 'ED ' + tried.sort().join('; ') + ' END');
          clearInterval(busy);
        }});
        const form = document.createElement('form');
        form.action = 'http://{host}/form'; form.method = 'post'; form.target = 'f';
        const frame = document.createElement('iframe');
        frame.name = 'f'; document.body.append(frame, form); form.submit();
        </script>"#
    )
}

fn tried(html: &str) -> &str {
    html.split("TRIED ").nth(1).and_then(|rest| rest.split(" END").next()).unwrap_or(html)
}

/// Asserts that every attempt failed.
fn all_refused(html: &str) {
    let tried: Vec<&str> = tried(html).split("; ").collect();
    assert_eq!(tried.len(), 13, "{tried:?}");
    assert!(tried.iter().all(|outcome| outcome.ends_with(": refused")), "{tried:?}");
    assert!(!html.contains("root:"), "a local file was read");
}

/// A site whose page tries to reach `host`, also under a name that browsers treat as secure.
async fn home_of_intruder(host: &str) -> Lab {
    let site = || {
        Script::default()
            .page("/", intruder(host))
            .on("/away", Reply::redirect(302, format!("http://{host}/redirected")))
    };
    let lab = lab_with(site()).await;
    lab.serve("localhost", site());
    lab
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_cannot_reach_loopback_services() {
    let neighbour = LoopbackService::start().await;
    let lab = home_of_intruder(&neighbour.address.to_string()).await;
    let fetch = renderer(&lab, patient());
    for page in ["http://site.lab.test/", "http://localhost/"] {
        let answer = get(&fetch, page).await.expect("a page");
        all_refused(text(&answer));
    }
    assert_eq!(neighbour.contacts(), 0);
}

/// Verifies that the attempts of the test above would succeed.
#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_reaches_an_allowed_loopback_service() {
    let neighbour = LoopbackService::start().await;
    let lab = home_of_intruder(&neighbour.address.to_string()).await;
    let resolver = ResolverSettings {
        names: NameTable::parse(&lab.name_table()).expect("a table"),
        allowed: AllowedNetworks::parse(&neighbour.address.to_string()).expect("a network"),
        ..ResolverSettings::default()
    };
    let http = HttpFetch::new(HttpSettings { resolver, ..HttpSettings::default() });
    let fetch = RenderFetch::new(chromium(), patient(), http.expect("sound settings"));
    get(&fetch, "http://localhost/").await.expect("a page");
    assert!(neighbour.contacts() > 3, "{}", neighbour.contacts());
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_cannot_reach_metadata_services() {
    let lab = home_of_intruder("169.254.169.254").await;
    let answer = get(&renderer(&lab, patient()), "http://localhost/").await.expect("a page");
    all_refused(text(&answer));
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn names_are_resolved_and_checked_by_the_guard_not_by_the_browser() {
    let neighbour = LoopbackService::start().await;
    let host = format!("private.example:{}", neighbour.address.port());
    let lab = home_of_intruder(&host).await;
    let port = lab.address().port();
    let page = format!(
        "<script>fetch('http://other.example:{port}/data').then(async (answer) =>
         document.body.append(await answer.text()))</script>"
    );
    lab.serve("friend.example", Script::default().page("/", page));
    let data = Reply::text("found").with_header("access-control-allow-origin", "*");
    lab.serve("other.example", Script::default().on("/data", data));
    let server = NameServer::start(|name, _| match name {
        "nowhere.example" => DnsReply::NoSuchName,
        _ => DnsReply::Addresses(vec![[127, 0, 0, 1].into()]),
    })
    .await
    .expect("a port");
    // Only the lab is allowed on loopback, under any name.
    let resolver = ResolverSettings {
        allowed: AllowedNetworks::parse(&lab.address().to_string()).expect("a network"),
        dns_server: Some(server.address),
        ..ResolverSettings::default()
    };
    let http = HttpFetch::new(HttpSettings { resolver, ..HttpSettings::default() });
    let fetch = RenderFetch::new(chromium(), patient(), http.expect("sound settings"));
    let answer = get(&fetch, &format!("http://site.lab.test:{port}/")).await.expect("a page");
    all_refused(text(&answer));
    let friend = get(&fetch, &format!("http://friend.example:{port}/")).await.expect("a page");
    assert!(text(&friend).contains("found"), "{}", text(&friend));
    let refused = FetchError::AddressRefused([127, 0, 0, 1].into());
    for (page, expected) in [
        (format!("http://{host}/"), refused.clone()),
        (format!("http://{}/", neighbour.address), refused.clone()),
        ("http://site.lab.test:25/".to_owned(), refused),
        ("http://nowhere.example/".to_owned(), FetchError::NameNotFound),
    ] {
        assert_eq!(get(&fetch, &page).await, Err(expected), "{page}");
    }
    assert_eq!(neighbour.contacts(), 0);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn name_table_applies_to_requests_of_pages() {
    let page = "<script>Promise.all([
        fetch('http://other.lab.test/data').then((answer) => answer.text()),
        fetch('http://blocked.lab.test:25/').catch(() => 'no such port'),
      ]).then((all) => document.body.append(all.join()))</script>";
    let lab = lab_with(Script::default().page("/", page)).await;
    let data = Reply::text("data").with_header("access-control-allow-origin", "*");
    lab.serve("other.lab.test", Script::default().on("/data", data));
    let names = format!("{},*.lab.test={}", lab.name_table(), lab.address());
    let resolver = ResolverSettings {
        names: NameTable::parse(&names).expect("a table"),
        ..ResolverSettings::default()
    };
    let http = HttpFetch::new(HttpSettings { resolver, ..HttpSettings::default() });
    let fetch = RenderFetch::new(chromium(), patient(), http.expect("sound settings"));
    let answer = get(&fetch, "http://site.lab.test/").await.expect("a page");
    assert!(text(&answer).contains("data,no such port"), "{}", text(&answer));
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn guard_proxy_rejects_clients_without_its_secret() {
    let lab = lab_with(Script::default().page("/", "<p>hello")).await;
    let scratch = tempfile::tempdir().expect("a folder");
    let settings =
        browser::RenderSettings { scratch: Some(scratch.path().to_owned()), ..patient() };
    let fetch = renderer(&lab, settings);
    get(&fetch, "http://site.lab.test/").await.expect("a page");
    lab.clear_requests();
    let browser = processes::under(scratch.path());
    let arguments = browser.iter().flat_map(|process| &process.arguments);
    let proxy = arguments
        .filter_map(|argument| argument.strip_prefix("--proxy-server=http://"))
        .next()
        .expect("a proxy");
    for request in [
        "GET http://site.lab.test/ HTTP/1.1\r\nhost: site.lab.test\r\nconnection: close\r\n\r\n",
        "GET http://site.lab.test/ HTTP/1.1\r\nhost: site.lab.test\r\nconnection: close\r\n\
         proxy-authorization: Basic dHJhd2w6\r\n\r\n",
        "CONNECT site.lab.test:80 HTTP/1.1\r\nhost: site.lab.test:80\r\nconnection: close\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(proxy).await.expect("it listens");
        stream.write_all(request.as_bytes()).await.expect("it hears");
        let mut answer = String::new();
        let reading = stream.read_to_string(&mut answer);
        let _ = tokio::time::timeout(Duration::from_secs(60), reading).await.expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 407 "), "{request}: {answer}");
    }
    assert!(lab.requests().is_empty());
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browser_uses_the_egress_proxy_to_the_checked_address() {
    let page = "<p id=state>before</p><script>fetch('/data').then((answer) => answer.text())
        .then((data) => document.getElementById('state').textContent = data);</script>";
    let lab = lab_with(Script::default()).await;
    let site = Script::default().page("/", page).on("/data", Reply::text("from the site"));
    lab.serve("public.example", site);
    let tunnel = lab::Tunnel::start(lab.address(), None).await.expect("a proxy");
    let names = NameTable::parse("public.example=93.184.216.34").expect("a table");
    let settings = HttpSettings {
        resolver: ResolverSettings { names, ..ResolverSettings::default() },
        egress: Some(format!("http://{}", tunnel.address()).parse().expect("a proxy")),
        ..HttpSettings::default()
    };
    let http = HttpFetch::new(settings).expect("sound settings");
    let fetch = RenderFetch::new(chromium(), patient(), http);
    let answer = get(&fetch, "http://public.example/").await.expect("a page");
    assert!(text(&answer).contains("from the site"), "{}", text(&answer));
    let asked = tunnel.targets();
    assert!(!asked.is_empty() && asked.iter().all(|it| it == "93.184.216.34:80"), "{asked:?}");
}
