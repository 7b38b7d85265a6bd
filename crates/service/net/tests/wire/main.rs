//! The fetcher over real sockets on loopback: what it asks, what it refuses,
//! and what it makes of answers that are wrong.

mod answers;
mod connections;
mod egress;
mod guard;
mod limits;
mod proxy;
mod tier;
mod tls;

use std::collections::HashMap;
use std::time::Duration;

use lab::{Lab, Reply, Site, SiteTruth};
use net::{Answer, Fetch as _, FetchError, HttpFetch, HttpSettings, Request, ResolverSettings};
use urls::{AllowedNetworks, CanonicalUrl};

/// No request of a test may take longer; far more than any of them needs.
const PATIENCE: Duration = Duration::from_secs(60);

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Settings that may reach all of loopback.
fn on_loopback() -> HttpSettings {
    let allowed = AllowedNetworks::parse("127.0.0.0/8").expect("a network");
    let resolver = ResolverSettings { allowed, ..ResolverSettings::default() };
    HttpSettings { user_agent: "Trawl/test".to_owned(), resolver, ..HttpSettings::default() }
}

async fn ask(fetch: &HttpFetch, request: Request) -> Result<Answer, FetchError> {
    tokio::time::timeout(PATIENCE, fetch.fetch(request)).await.expect("a fetch never hangs")
}

/// One GET with these settings.
async fn get(settings: HttpSettings, text: &str) -> Result<Answer, FetchError> {
    let fetch = HttpFetch::new(settings).expect("sound settings");
    ask(&fetch, Request::get(url(text))).await
}

/// A site of fixed replies.
#[derive(Debug, Default)]
struct Script(HashMap<&'static str, Reply>);

impl Script {
    fn on(mut self, path: &'static str, reply: Reply) -> Self {
        self.0.insert(path, reply);
        self
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
