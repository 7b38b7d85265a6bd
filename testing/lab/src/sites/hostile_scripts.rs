//! A site that does to a browser what pages do to browsers, one page a misdeed.
//!
//! To plain HTTP its pages are harmless shells. To a renderer each is a test: it must come
//! back in its time with its limits kept, and whatever a page reaches for and gets, it
//! reports to `/stolen/…`, which nobody may ever ask for. A page shows its text first.

use std::fmt::Write as _;
use std::time::Duration;

use bytes::Bytes;

use crate::{ExpectedSkip, RawStep, Reply, Site, SiteTruth};

/// A start page that links to every misdeed, and to one page that is fine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostileScripts {
    /// A page of another host, where some pages send their reader.
    pub elsewhere: String,
    /// Host and port on a private network, where something may listen.
    pub private: String,
}

impl Default for HostileScripts {
    fn default() -> Self {
        Self {
            elsewhere: "http://elsewhere.test/landing".to_owned(),
            // On loopback: where a guard fails, the request stays here.
            private: "127.0.0.77:8080".to_owned(),
        }
    }
}

/// Every misdeed: its path, and the script of its page. `PRIVATE` and `ELSEWHERE` stand for
/// what the site was told; `got(what)` reports a success.
const MISDEEDS: [(&str, &str); 20] = [
    ("/endless-loop", "for (;;) {}"),
    ("/endless-timers", "const again = () => { setTimeout(again); setTimeout(again) }; again()"),
    ("/endless-memory", "const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1))"),
    ("/endless-history", "for (let n = 0; ; n++) history.pushState({}, '', '?step=' + n)"),
    ("/endless-reload", "location.reload()"),
    (
        "/thousand-windows",
        "for (let n = 0; n < 1000; n++) if (open('/fine?window=' + n)) got('window')",
    ),
    (
        "/huge-dom",
        "for (let n = 0; n < 2000000; n++) \
         document.body.appendChild(document.createElement('p')).textContent = 'More ' + n",
    ),
    (
        "/never-loads",
        "const image = new Image(); image.src = '/drip'; document.body.append(image); fetch('/drip')",
    ),
    (
        "/leaves-by-late-meta",
        "document.head.insertAdjacentHTML('beforeend', \
         '<meta http-equiv=refresh content=\"0; url=ELSEWHERE\">')",
    ),
    ("/leaves-by-script", "location.href = 'ELSEWHERE'"),
    (
        "/leaves-for-a-file",
        "fetch('file:///etc/passwd').then(() => got('file')); \
         const frame = document.createElement('iframe'); frame.src = 'file:///etc/passwd'; \
         document.body.append(frame); location.href = 'file:///etc/passwd'",
    ),
    ("/leaves-for-a-private-host", "location.href = 'http://PRIVATE/secret'"),
    (
        "/asks-for-metadata",
        "fetch('http://169.254.169.254/latest/meta-data/', {mode: 'no-cors'})\
         .then(() => got('metadata'))",
    ),
    (
        "/asks-a-private-host",
        "fetch('http://PRIVATE/secret', {mode: 'no-cors'}).then(() => got('private')); \
         const image = new Image(); image.onload = () => got('image'); \
         image.src = 'http://PRIVATE/pixel.png'; \
         const frame = document.createElement('iframe'); frame.src = 'http://PRIVATE/frame'; \
         document.body.append(frame)",
    ),
    ("/asks-by-redirect", "fetch('/to-private', {mode: 'no-cors'}).then(() => got('redirect'))"),
    (
        "/asks-by-socket",
        "for (const to of ['ws://PRIVATE/', 'ws://10.0.0.1/']) \
         new WebSocket(to).onopen = () => got('socket')",
    ),
    (
        "/downloads",
        "const link = document.createElement('a'); link.href = '/file.bin'; link.download = 'x'; \
         document.body.append(link); link.click(); location.href = '/file.bin'",
    ),
    (
        "/dialogs",
        "onbeforeunload = (event) => { event.preventDefault(); return 'Stay' }; \
         for (let n = 0; n < 1000; n++) { alert('Hello'); confirm('Sure?'); prompt('Name?') }",
    ),
    (
        "/service-worker",
        "navigator.serviceWorker.register('/worker.js').then(() => got('service-worker'))",
    ),
    ("/prints", "for (;;) print()"),
];

/// The page that leaves without any script.
const BY_META: &str = "/leaves-by-meta";
const FINE: &str = "/fine";

/// What every misdeed shows before it begins.
const TEXT: &str = "Text that stands here before anything else happens.";

/// Answers whatever a page asks for from then on, and remembers that for good.
const WORKER: &str =
    "addEventListener('fetch', (event) => event.respondWith(new Response('Mine')))\n";

impl HostileScripts {
    /// The path of every misdeed.
    pub fn misdeeds() -> impl Iterator<Item = &'static str> {
        MISDEEDS.iter().map(|(path, _)| *path).chain([BY_META])
    }

    fn misdeed(&self, path: &str) -> Option<Reply> {
        if path == BY_META {
            let refresh =
                format!("<meta http-equiv=\"refresh\" content=\"0; url={}\">", self.elsewhere);
            return Some(page(path, &refresh, &format!("<p>{TEXT}</p>")));
        }
        let (_, script) = MISDEEDS.iter().find(|(known, _)| *known == path)?;
        let script = script.replace("PRIVATE", &self.private).replace("ELSEWHERE", &self.elsewhere);
        Some(page(
            path,
            "",
            &format!(
                "<div id=\"app\"></div><noscript>Mischief needs JavaScript.</noscript><script>\n\
                 document.getElementById('app').innerHTML = '<h1>{path}</h1><p>{TEXT}</p>';\n\
                 const got = (what) => fetch('/stolen/' + what);\n{script}\n</script>"
            ),
        ))
    }
}

fn page(title: &str, head: &str, body: &str) -> Reply {
    Reply::html(format!(
        "<!doctype html>\n<html lang=\"en\"><head><title>{title}</title>{head}</head>\
         <body>{body}</body></html>\n"
    ))
}

fn start() -> Reply {
    let mut links = String::new();
    for path in [FINE].into_iter().chain(HostileScripts::misdeeds()) {
        // Writing to a String cannot fail.
        let _ = writeln!(links, "<li><a href=\"{path}\">{path}</a></li>");
    }
    page("Mischief", "", &format!("<h1>Mischief</h1><ul>{links}</ul>"))
}

impl Site for HostileScripts {
    fn answer(&self, path_and_query: &str) -> Reply {
        match path_and_query.split('?').next().unwrap_or_default() {
            "/" => start(),
            "/robots.txt" => Reply::text("User-agent: *\nDisallow:\n"),
            FINE => page("Fine", "", "<h1>Fine</h1><p>Nothing happens here.</p>"),
            "/worker.js" => Reply::typed(200, "text/javascript", WORKER),
            "/to-private" => Reply::redirect(302, format!("http://{}/secret", self.private)),
            "/file.bin" => Reply::typed(200, "application/octet-stream", vec![7; 64 * 1024])
                .with_header("content-disposition", "attachment; filename=\"x.bin\""),
            "/drip" => Reply::Raw(vec![
                RawStep::Bytes(Bytes::from_static(
                    b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n",
                )),
                RawStep::Forever(Bytes::from_static(b"."), Duration::from_millis(100)),
            ]),
            path => self.misdeed(path).unwrap_or_else(|| Reply::status(404)),
        }
    }

    fn truth(&self) -> SiteTruth {
        let pages = ["/", FINE].into_iter().chain(Self::misdeeds());
        SiteTruth {
            delivered: pages.map(|path| (path.to_owned(), 200)).collect(),
            skipped: [(self.elsewhere.clone(), ExpectedSkip::External)].into(),
            never: vec!["/stolen/".to_owned()],
        }
    }
}
