//! Traces of a job, sent to a collector over HTTP.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use fixture::{ReceiverBehavior, WebhookReceiver};
use lab::{Catalogue, Lab};
use serde_json::{Value, json};

use crate::server::{Server, Setup, wait_for};

/// Spans that a collector has accepted, and its next answer.
#[derive(Clone)]
struct Collector {
    spans: Arc<Mutex<Vec<Value>>>,
    status: Arc<Mutex<StatusCode>>,
    url: String,
}

impl Collector {
    async fn start(status: StatusCode) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let collector = Self { spans: Arc::default(), status: Arc::new(Mutex::new(status)), url };
        let router = Router::new().route("/v1/traces", post(accept)).with_state(collector.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        collector
    }

    fn spans(&self) -> Vec<Value> {
        self.spans.lock().expect("no panic").clone()
    }
}

async fn accept(
    State(collector): State<Collector>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> StatusCode {
    let status = *collector.status.lock().expect("no panic");
    if status.is_success() {
        assert_eq!(headers["x-tenant"], "ops");
        let resource = body["resourceSpans"][0]["resource"]["attributes"].to_string();
        assert!(resource.contains("service.name") && resource.contains("trawl"), "{resource}");
        let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().expect("spans");
        collector.spans.lock().expect("no panic").extend(spans.iter().cloned());
    }
    status
}

/// The text of an attribute of a span.
fn attribute<'s>(span: &'s Value, name: &str) -> Option<&'s str> {
    let attributes = span["attributes"].as_array()?;
    let found = attributes.iter().find(|attribute| attribute["key"] == name)?;
    found["value"]["stringValue"].as_str()
}

#[tokio::test(flavor = "multi_thread")]
async fn trace_of_a_job_has_its_claim_fetches_reads_commits_and_deliveries() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("one.lab", Catalogue::plain(12));
    let collector = Collector::start(StatusCode::OK).await;
    let receiver = WebhookReceiver::start(&["hook.test"], |_| ReceiverBehavior::Status(200)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let resolve = format!("{},hook.test={}", lab.name_table(), receiver.address);
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", resolve)
        .with("TRAWL_ALLOW_WEBHOOK_NETWORKS", "127.0.0.1")
        .with("TRAWL_EXTRA_CA", receiver.authority().display())
        .with("TRAWL_OTLP_ENDPOINT", &collector.url)
        .with("TRAWL_OTLP_HEADERS", "x-tenant=ops");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let webhook = json!({"webhook": {"url": "https://hook.test/", "events": ["job.completed"]}});
    let job = server.create(&key, "http://one.lab/", webhook).await;
    server.wait(&key, &job, &["completed"]).await;
    let find = |name: &str, id: &str| {
        let spans = collector.spans();
        spans.into_iter().find(|span| span["name"] == name && attribute(span, "job.id") == Some(id))
    };
    let delivery = wait_for(async || find("delivery", &job)).await;
    assert!(server.terminate().success());
    let trace = &delivery["traceId"];
    let spans = collector.spans();
    let of_job: Vec<_> = spans.iter().filter(|span| span["traceId"] == *trace).collect();
    let names: BTreeSet<_> = of_job.iter().filter_map(|span| span["name"].as_str()).collect();
    for name in ["job", "shard", "claim", "fetch", "read", "commit", "delivery"] {
        assert!(names.contains(name), "no span {name} in {names:?}");
    }
    let job_span = of_job.iter().find(|span| span["name"] == "job").expect("a span");
    assert!(attribute(job_span, "account.id").is_some_and(|id| id.starts_with("acc_")));
    let fetches: Vec<_> = of_job.iter().filter(|span| span["name"] == "fetch").collect();
    assert!(fetches.len() >= 12, "{}", fetches.len());
    assert!(fetches.iter().all(|span| attribute(span, "host") == Some("one.lab")));
    assert!(fetches.iter().all(|span| attribute(span, "url").is_none()), "no URL");
    let ids: BTreeSet<_> = of_job.iter().map(|span| span["spanId"].to_string()).collect();
    assert_eq!(ids.len(), of_job.len(), "each span once");
    for span in &of_job {
        let parent = &span["parentSpanId"];
        assert!(parent.is_null() || ids.contains(&parent.to_string()), "a lost parent: {span}");
        let time = |name: &str| span[name].as_str().and_then(|time| time.parse::<u64>().ok());
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"));
    }
    let requests = spans.iter().filter(|span| span["name"] == "request");
    assert!(requests.into_iter().any(|span| attribute(span, "http.route") == Some("/v1/jobs")));
}

#[tokio::test(flavor = "multi_thread")]
async fn collector_that_fails_or_hangs_does_not_disturb_the_service() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("one.lab", Catalogue::plain(12));
    let failing = Collector::start(StatusCode::INTERNAL_SERVER_ERROR).await;
    // Accepts connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent_url = format!("http://{}", silent.local_addr().expect("an address"));
    for endpoint in [failing.url.as_str(), &silent_url, "http://127.0.0.1:1"] {
        let folder = tempfile::tempdir().expect("a folder");
        let setup = Setup::new(folder.path())
            .with("TRAWL_RESOLVE", lab.name_table())
            .with("TRAWL_OTLP_ENDPOINT", endpoint);
        let mut server = Server::start(&setup).await;
        let key = server.first_key();
        let job = server.create(&key, "http://one.lab/", json!({})).await;
        let ended = server.wait(&key, &job, &["completed", "failed"]).await;
        assert_eq!(ended["status"], "completed", "{endpoint}");
        if endpoint == failing.url {
            wait_for(async || {
                let metrics = server.metrics().await;
                metrics.contains("trawl_trace_spans_total{outcome=\"failed\"}").then_some(())
            })
            .await;
            let logged = server.logged.lock().expect("no panic").clone();
            assert_eq!(logged.matches("cannot send traces").count(), 1, "{logged}");
        }
        assert!(server.terminate().success(), "{endpoint}");
    }
    drop(silent);
}
