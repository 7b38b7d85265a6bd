//! The renderer with a real Chromium over loopback sockets.

mod guard;
mod hostile;
mod isolation;
mod lifecycle;
mod pages;
mod processes;
mod redirects;
mod sandbox;
mod scripts;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use browser::{RenderFetch, RenderSettings};
use lab::{Lab, Reply, Site, SiteTruth};
use net::{
    Fetch as _, FetchError, FetchRequest, FetchResponse, HttpFetch, HttpSettings, NameTable,
    ResolverSettings,
};
use urls::CanonicalUrl;

/// Upper limit of a page in a test, far more than any needs.
const PATIENCE: Duration = Duration::from_secs(120);

/// The user agent of the tests.
const USER_AGENT: &str = "Trawl/test (+https://trawl.example/bot)";

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn chromium() -> PathBuf {
    RenderFetch::find(None).expect("no Chromium on this machine: scripts/test installs it")
}

/// A fetcher that resolves the names of the lab and allows no other private address.
fn http(lab: &Lab) -> HttpFetch {
    let names = NameTable::parse(&lab.name_table()).expect("a table");
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    let user_agent = USER_AGENT.to_owned();
    HttpFetch::new(HttpSettings { user_agent, resolver, ..HttpSettings::default() })
        .expect("sound settings")
}

/// Settings with generous timeouts. On a machine without unprivileged user namespaces, where
/// Chromium's sandbox does not work, the variable disables it.
fn patient() -> RenderSettings {
    RenderSettings {
        no_sandbox: std::env::var_os("TRAWL_CHROMIUM_NO_SANDBOX").is_some_and(|it| it == "1"),
        start: Duration::from_secs(90),
        reply: Duration::from_secs(30),
        page_life: Duration::from_secs(60),
        page_memory: 1 << 30,
        browser_memory: 8 << 30,
        browser_cores: 64.0,
        ..RenderSettings::default()
    }
}

fn renderer(lab: &Lab, settings: RenderSettings) -> RenderFetch {
    RenderFetch::new(chromium(), settings, http(lab))
}

async fn ask(fetch: &RenderFetch, request: FetchRequest) -> Result<FetchResponse, FetchError> {
    tokio::time::timeout(PATIENCE, fetch.fetch(request)).await.expect("a fetch never hangs")
}

async fn get(fetch: &RenderFetch, text: &str) -> Result<FetchResponse, FetchError> {
    ask(fetch, FetchRequest::get(url(text))).await
}

fn text(answer: &FetchResponse) -> &str {
    std::str::from_utf8(&answer.body).expect("UTF-8")
}

/// A site with fixed replies by path.
#[derive(Debug, Default)]
struct Script(HashMap<&'static str, Reply>);

impl Script {
    fn on(mut self, path: &'static str, reply: Reply) -> Self {
        self.0.insert(path, reply);
        self
    }

    fn page(self, path: &'static str, html: impl Into<String>) -> Self {
        self.on(path, Reply::html(html.into()))
    }
}

impl Site for Script {
    fn answer(&self, path_and_query: &str) -> Reply {
        self.0.get(path_and_query).cloned().unwrap_or_else(|| Reply::status(404))
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn lab_with(site: impl Site) -> Lab {
    let lab = Lab::start().await.expect("a port is free");
    lab.serve("site.lab.test", site);
    lab
}
