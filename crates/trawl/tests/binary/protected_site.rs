//! A protected site with two views: with challenges for direct requests, without them for the
//! protected tier; and the tiers: a proxy and an unlocker.

use lab::{Lab, Site, Tunnel};
use serde_json::Value;

use crate::server::{Server, Setup};

/// The key that the unlocker expects in `X-Key`.
pub const KEY: &str = "open-sesame";

/// The start URL of the site.
pub const START: &str = "http://walled.lab/";

pub struct Scene {
    pub server: Server,
    pub key: String,
    pub tunnel: Tunnel,
    pub outside: Lab,
    pub inside: Lab,
    pub setup: Setup,
    pub folder: tempfile::TempDir,
}

impl Scene {
    /// The same host with and without protection. The proxy is the protected tier unless
    /// `settings` say otherwise; the first unprotected site is also the unlocker.
    pub async fn between(
        outside_site: impl Site,
        inside_site: impl Site,
        settings: &[(&str, &str)],
    ) -> Self {
        let outside = Lab::start().await.expect("a port");
        let inside = Lab::start().await.expect("a port");
        outside.serve("walled.lab", outside_site);
        inside.serve("walled.lab", inside_site);
        let tunnel = Tunnel::start(inside.address(), None).await.expect("a proxy");
        Self::with_tunnel(outside, inside, tunnel, settings).await
    }

    /// A proxy that gets the protected view too.
    pub async fn before(site: impl Site, settings: &[(&str, &str)]) -> Self {
        let outside = Lab::start().await.expect("a port");
        let inside = Lab::start().await.expect("a port");
        outside.serve("walled.lab", site);
        let tunnel = Tunnel::start(outside.address(), None).await.expect("a proxy");
        Self::with_tunnel(outside, inside, tunnel, settings).await
    }

    async fn with_tunnel(
        outside: Lab,
        inside: Lab,
        tunnel: Tunnel,
        settings: &[(&str, &str)],
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let endpoint = format!("http://{}/fetch?url={{url}} | X-Key: {KEY}", inside.address());
        let mut setup = Setup::new(folder.path())
            .with("TRAWL_RESOLVE", outside.name_table())
            .with("TRAWL_RETRY_MS", 10)
            .with("TRAWL_PROTECTED_TIER", "proxy")
            .with("TRAWL_PROTECTED_PROXY", format!("http://{}", tunnel.address()))
            .with("TRAWL_PROTECTED_UNLOCKER", endpoint);
        for (name, value) in settings {
            setup = setup.with(name, value);
        }
        let mut server = Server::start(&setup).await;
        let key = server.first_key();
        Self { server, key, tunnel, outside, inside, setup, folder }
    }

    pub async fn start(&self, more: Value) -> String {
        self.server.create(&self.key, START, more).await
    }

    /// Waits until the job stops for any reason.
    pub async fn stop(&self, job: &str) -> Value {
        let stops = ["awaiting_confirmation", "completed", "failed", "paused"];
        self.server.wait(&self.key, job, &stops).await
    }

    pub async fn end(&self, job: &str) -> Value {
        self.server.wait(&self.key, job, &["completed", "failed", "aborted"]).await
    }

    pub async fn confirm(&self, job: &str, body: &Value) -> (u16, Value) {
        let answer = self.server.post(&format!("/v1/jobs/{job}/confirm"), &self.key, body).await;
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    pub async fn credits(&self) -> i64 {
        self.server.get("/v1/account", &self.key).await["credits"].as_i64().expect("a number")
    }

    /// A value of `GET /metrics` by name and labels; 0 if it is missing.
    pub async fn metric(&self, name: &str) -> u64 {
        let text = self.server.metrics().await;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map_or(0, |number| number.parse().expect("a number"))
    }
}
