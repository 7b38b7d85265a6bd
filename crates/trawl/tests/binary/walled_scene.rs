//! A site behind a wall, as everybody sees it and as it is behind the wall; a server, and the
//! ways past the wall: a proxy whose tunnels end behind it, a provider that answers from there.

use lab::{Lab, Site, Tunnel};
use serde_json::Value;

use crate::server::{Server, Setup};

/// What the provider wants to see in `X-Key`.
pub const KEY: &str = "open-sesame";

/// Where the site is.
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
    /// The same name on both sides of the wall. The proxy is the way past it unless `settings`
    /// say otherwise; the first site inside also answers as the provider.
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

    /// A proxy whose tunnels end before the wall: it gets to see what everybody sees.
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

    /// The job when it stops for whatever reason.
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

    /// A number of `GET /metrics`, by its name and label as they are written there; 0 when
    /// nothing was counted yet.
    pub async fn metric(&self, name: &str) -> u64 {
        let text = self.server.metrics().await;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map_or(0, |number| number.parse().expect("a number"))
    }
}
