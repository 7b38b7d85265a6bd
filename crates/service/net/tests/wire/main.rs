//! The fetcher over real sockets on loopback: requests, refused addresses, limits and invalid
//! responses.

mod connections;
mod egress;
mod guard;
mod limits;
mod proxy;
mod responses;
mod tier;
mod tls;

use std::collections::HashMap;
use std::time::Duration;

use lab::{Lab, Reply, Site, SiteTruth};
use net::{
    Fetch as _, FetchError, FetchRequest, FetchResponse, HttpFetch, HttpSettings, ResolverSettings,
};
use urls::{AllowedNetworks, CanonicalUrl};

/// Upper limit of a request in a test, far more than any needs.
const PATIENCE: Duration = Duration::from_secs(60);

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Settings that allow all of loopback.
fn on_loopback() -> HttpSettings {
    let allowed = AllowedNetworks::parse("127.0.0.0/8").expect("a network");
    let resolver = ResolverSettings { allowed, ..ResolverSettings::default() };
    HttpSettings { user_agent: "Trawl/test".to_owned(), resolver, ..HttpSettings::default() }
}

async fn ask(fetch: &HttpFetch, request: FetchRequest) -> Result<FetchResponse, FetchError> {
    tokio::time::timeout(PATIENCE, fetch.fetch(request)).await.expect("a fetch never hangs")
}

/// Sends one GET with these settings.
async fn get(settings: HttpSettings, text: &str) -> Result<FetchResponse, FetchError> {
    let fetch = HttpFetch::new(settings).expect("sound settings");
    ask(&fetch, FetchRequest::get(url(text))).await
}

/// A site with fixed replies by path.
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
