//! A server, a site to crawl and a webhook receiver.

use std::time::Duration;

use fixture::{ReceivedRequest, ReceiverBehavior, WebhookReceiver};
use lab::{Catalogue, Lab};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::database::{self, Kind};
use crate::server::{Server, Setup, wait_for};

/// A delay that leaves time for an abort.
const AGES: Duration = Duration::from_secs(600);

pub struct Scene {
    pub server: Server,
    pub key: String,
    pub receiver: WebhookReceiver,
    pub lab: Lab,
    pub setup: Setup,
    pub database: String,
    pub folder: TempDir,
}

/// A webhook endpoint with its secret.
pub struct Hook {
    pub id: String,
    pub secret: String,
}

impl Scene {
    /// Receivers under `*.hooks.test`, and a site whose runs wait to be aborted.
    pub async fn start(
        settings: &[(&str, &str)],
        manners: impl Fn(&ReceivedRequest) -> ReceiverBehavior + Send + Sync + 'static,
    ) -> Self {
        Self::over(Kind::Sqlite, |_| {}, settings, manners).await
    }

    pub async fn over(
        kind: Kind,
        sites: impl FnOnce(&Lab),
        settings: &[(&str, &str)],
        manners: impl Fn(&ReceivedRequest) -> ReceiverBehavior + Send + Sync + 'static,
    ) -> Self {
        let receiver = WebhookReceiver::start(&["*.hooks.test"], manners).await;
        let lab = Lab::start().await.expect("a port");
        lab.serve("slow.lab", Catalogue::plain(9));
        lab.with_latency("slow.lab", AGES);
        sites(&lab);
        let folder = tempfile::tempdir().expect("a folder");
        let database = database::fresh(kind).await;
        let names = format!("{},*.hooks.test={}", lab.name_table(), receiver.address);
        let mut setup = Setup::new(folder.path())
            .with("TRAWL_DATABASE", &database)
            .with("TRAWL_RESOLVE", names)
            .with("TRAWL_EXTRA_CA", receiver.authority().display())
            .with("TRAWL_ALLOW_WEBHOOK_NETWORKS", "127.0.0.1");
        for (name, value) in settings {
            setup = setup.with(name, value);
        }
        let mut server = Server::start(&setup).await;
        let key = server.first_key();
        Self { server, key, receiver, lab, setup, database, folder }
    }

    /// Creates an endpoint under `name` for these events.
    pub async fn hook(&self, name: &str, events: Value) -> Hook {
        self.hook_at(&format!("https://{name}.hooks.test/in?token=hush-{name}"), events).await
    }

    pub async fn hook_at(&self, url: &str, events: Value) -> Hook {
        let body = json!({"url": url, "events": events});
        let answer = self.server.post("/v1/webhooks", &self.key, &body).await;
        let status = answer.status();
        let answer: Value = answer.json().await.expect("JSON");
        assert_eq!(status, 201, "{answer}");
        let text = |name: &str| answer[name].as_str().expect("a text").to_owned();
        Hook { id: text("id"), secret: text("secret") }
    }

    /// Causes an event: creates and aborts a job.
    pub async fn abort_one(&self) -> String {
        let job = self.server.create(&self.key, "http://slow.lab/", json!({})).await;
        let path = format!("/v1/jobs/{job}/abort");
        let aborted = self.server.post(&path, &self.key, &json!({})).await;
        assert_eq!(aborted.status(), 200);
        job
    }

    pub async fn get(&self, path: &str) -> Value {
        self.server.get(path, &self.key).await
    }

    pub async fn patch(&self, hook: &Hook, body: &Value) -> Value {
        let path = format!("/v1/webhooks/{}", hook.id);
        let request = self.server.request(Method::PATCH, &path, &self.key).json(body);
        request.send().await.expect("an answer").json().await.expect("JSON")
    }

    /// The endpoint as the API shows it.
    pub async fn seen(&self, hook: &Hook) -> Value {
        let all = self.get("/v1/webhooks").await;
        let all = all.as_array().expect("a list");
        all.iter().find(|one| one["id"] == hook.id.as_str()).expect("the endpoint").clone()
    }

    /// The deliveries of the endpoint, newest first.
    pub async fn deliveries(&self, hook: &Hook) -> Vec<Value> {
        let page = self.get(&format!("/v1/webhooks/{}/deliveries?page_size=1000", hook.id)).await;
        page["items"].as_array().expect("items").clone()
    }

    /// Waits until the newest delivery of the endpoint has this state.
    pub async fn until(&self, hook: &Hook, state: &str) -> Value {
        wait_for(async || {
            let newest = self.deliveries(hook).await.into_iter().next()?;
            (newest["state"] == state).then_some(newest)
        })
        .await
    }

    /// Waits until the receiver has this many requests.
    pub async fn asked(&self, times: usize) -> Vec<ReceivedRequest> {
        wait_for(async || {
            let received = self.receiver.received();
            (received.len() >= times).then_some(received)
        })
        .await
    }

    /// All events of the account.
    pub async fn events(&self) -> Vec<Value> {
        let mut events: Vec<Value> = Vec::new();
        loop {
            let after = events.last().map(|event| event["id"].as_str().expect("an id").to_owned());
            let after = after.map(|id| format!("&after={id}")).unwrap_or_default();
            let page = self.get(&format!("/v1/events?page_size=3{after}")).await;
            events.extend(page["items"].as_array().expect("items").iter().cloned());
            if page["has_more"] == false {
                return events;
            }
        }
    }
}

/// The body of a delivery as JSON.
pub fn body_of(received: &ReceivedRequest) -> Value {
    serde_json::from_slice(&received.body).expect("JSON")
}
