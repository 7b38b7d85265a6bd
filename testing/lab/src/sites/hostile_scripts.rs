//! A site whose scripts attack a browser, one page per attack.
//!
//! Without scripts its pages are harmless shells. A renderer must return each page in time and
//! within its limits. A page that reaches something forbidden reports it to `/stolen/…`, which must
//! never be requested. Every page shows its text before the attack.

use std::fmt::Write as _;
use std::time::Duration;

use bytes::Bytes;

use crate::{ExpectedSkip, RawStep, Reply, Site, SiteTruth};

/// A start page that links to every attack and to one valid page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostileScripts {
    /// A page of another host, to which some pages navigate.
    pub elsewhere: String,
    /// Host and port on a private network, where a server may listen.
    pub private: String,
}

impl Default for HostileScripts {
    fn default() -> Self {
        Self {
            elsewhere: "http://elsewhere.test/landing".to_owned(),
            // On loopback: if a guard fails, the request stays on this machine.
            private: "127.0.0.77:8080".to_owned(),
        }
    }
}

/// Lines of an attack's path and the script of its page. `PRIVATE` and `ELSEWHERE` are replaced by the
/// fields of the site; `got(what)` reports a success.
const ATTACKS: &str = include_str!("hostile_scripts/attacks.tsv");

/// The page that navigates away without a script.
const BY_META: &str = "/leaves-by-meta";
const FINE: &str = "/fine";

/// The text of every page before its attack.
const TEXT: &str = "Text that stands here before anything else happens.";

/// A service worker that responds to all later requests of a page.
const WORKER: &str =
    "addEventListener('fetch', (event) => event.respondWith(new Response('Mine')))\n";

impl HostileScripts {
    /// The path of every attack.
    pub fn attacks() -> impl Iterator<Item = &'static str> {
        scripts().map(|(path, _)| path).chain([BY_META])
    }

    fn attack(&self, path: &str) -> Option<Reply> {
        if path == BY_META {
            let refresh =
                format!("<meta http-equiv=\"refresh\" content=\"0; url={}\">", self.elsewhere);
            return Some(page(path, &refresh, &format!("<p>{TEXT}</p>")));
        }
        let (_, script) = scripts().find(|(known, _)| *known == path)?;
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

/// The path of each attack by a script, with its script.
fn scripts() -> impl Iterator<Item = (&'static str, &'static str)> {
    ATTACKS.lines().filter_map(|line| line.split_once('\t'))
}

fn page(title: &str, head: &str, body: &str) -> Reply {
    Reply::html(format!(
        "<!doctype html>\n<html lang=\"en\"><head><title>{title}</title>{head}</head>\
         <body>{body}</body></html>\n"
    ))
}

fn start() -> Reply {
    let mut links = String::new();
    for path in [FINE].into_iter().chain(HostileScripts::attacks()) {
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
            path => self.attack(path).unwrap_or_else(|| Reply::status(404)),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth {
            skipped: [(self.elsewhere.clone(), ExpectedSkip::External)].into(),
            never: vec!["/stolen/".to_owned()],
            ..SiteTruth::of_pages(["/", FINE].into_iter().chain(Self::attacks()))
        }
    }
}
