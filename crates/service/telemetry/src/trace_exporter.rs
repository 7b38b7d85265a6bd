//! Sends spans to a collector in batches.

use std::path::PathBuf;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};
use client::{ApiCall, ApiResponse, Client, ClientSetupError};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::otlp_json::export_request;
use crate::trace_layer::{EndedSpan, TraceLayer};

/// Spans that wait for the exporter; further ones are dropped.
const QUEUE: usize = 4_096;

/// Maximum spans of a request, and the longest time that a span waits for one.
const BATCH: usize = 512;
const EVERY: Duration = Duration::from_secs(5);

/// Timeout of a request, pauses before it is repeated, and the time that a shutdown waits.
const TIMEOUT: Duration = Duration::from_secs(10);
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];
const FLUSH: Duration = Duration::from_secs(3);

/// Minimum time between two log lines about a collector that fails.
const LOG_EVERY: Duration = Duration::from_secs(600);

/// Where traces are sent.
#[derive(Clone)]
pub struct TraceSettings {
    /// The URL of the collector; `/v1/traces` is added to its path.
    pub endpoint: String,
    /// Headers of each request, for example with a credential.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The part of traces that is sampled, from 0 to 1.
    pub ratio: f64,
    /// PEM file of additional certificate authorities.
    pub extra_ca: Option<PathBuf>,
    /// Attributes of this process, as `service.name`.
    pub resource: Vec<(&'static str, String)>,
}

runtime::partial_debug!(TraceSettings, endpoint, ratio);

/// Sends ended spans to the collector.
#[derive(Debug)]
pub struct TraceExporter {
    ended: mpsc::Receiver<EndedSpan>,
    client: Client,
    settings: TraceSettings,
    logged_at: Option<Instant>,
}

impl TraceExporter {
    /// The exporter, and the layer that records its spans.
    ///
    /// # Errors
    /// [`ClientSetupError`] if the endpoint is invalid.
    pub fn new(settings: TraceSettings) -> Result<(TraceLayer, Self), ClientSetupError> {
        let client = Client::over_http(&settings.endpoint, settings.extra_ca.as_deref())?;
        let (sender, ended) = mpsc::channel(QUEUE);
        let layer = TraceLayer::new(sender, settings.ratio);
        Ok((layer, Self { ended, client, settings, logged_at: None }))
    }

    /// Sends spans until `shutdown` is cancelled, then those that are queued, for a short time.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            let is_open = tokio::select! {
                is_open = self.fill(&mut batch) => is_open,
                () = shutdown.cancelled() => break,
            };
            tokio::select! {
                () = self.send(&batch) => {}
                () = shutdown.cancelled() => break,
            }
            batch.clear();
            if !is_open {
                return;
            }
        }
        // The spans that have ended until now.
        let flushed = timeout(FLUSH, async {
            loop {
                while batch.len() < BATCH
                    && let Ok(span) = self.ended.try_recv()
                {
                    batch.push(span);
                }
                if batch.is_empty() {
                    return;
                }
                self.send(&batch).await;
                batch.clear();
            }
        });
        let _ = flushed.await;
    }

    /// Waits for a full batch, or for [`EVERY`] after its first span. False if no layer is left.
    async fn fill(&mut self, batch: &mut Vec<EndedSpan>) -> bool {
        let Some(first) = self.ended.recv().await else { return false };
        batch.push(first);
        let rest = async {
            while batch.len() < BATCH {
                match self.ended.recv().await {
                    Some(span) => batch.push(span),
                    None => return false,
                }
            }
            true
        };
        timeout(EVERY, rest).await.unwrap_or(true)
    }

    /// Sends a batch; repeats what may succeed later. A failure loses the batch.
    async fn send(&mut self, batch: &[EndedSpan]) {
        if batch.is_empty() {
            return;
        }
        let body = export_request(&self.settings.resource, batch);
        let mut pauses = PAUSES.into_iter();
        let cause = loop {
            let cause = match timeout(TIMEOUT, self.post(&body)).await {
                Ok(Ok(())) => {
                    self.logged_at = None;
                    count("sent", batch.len());
                    return;
                }
                Ok(Err(SendFailure { cause, can_repeat: false })) => break cause,
                Ok(Err(SendFailure { cause, can_repeat: true })) => cause,
                Err(_) => format!("no response within {} s", TIMEOUT.as_secs()),
            };
            match pauses.next() {
                Some(pause) => tokio::time::sleep(pause).await,
                None => break cause,
            }
        };
        count("failed", batch.len());
        if self.logged_at.is_none_or(|at| at.elapsed() >= LOG_EVERY) {
            self.logged_at = Some(Instant::now());
            tracing::warn!(
                cause,
                "cannot send traces to the collector; they are lost until it answers"
            );
        }
    }

    async fn post(&self, body: &serde_json::Value) -> Result<(), SendFailure> {
        let mut call = ApiCall::post("/v1/traces").json(body);
        for (name, value) in &self.settings.headers {
            call = call.header(name.clone(), value.clone());
        }
        let response = ApiResponse::of(self.client.open(call).await).await;
        let response =
            response.map_err(|error| SendFailure { cause: error.to_string(), can_repeat: true })?;
        if response.status.is_success() {
            return Ok(());
        }
        // The codes that the protocol names.
        let can_repeat = matches!(response.status.as_u16(), 429 | 502 | 503 | 504);
        Err(SendFailure {
            cause: format!("the collector answered {}", response.status),
            can_repeat,
        })
    }
}

/// Why a request to the collector failed.
struct SendFailure {
    cause: String,
    can_repeat: bool,
}

fn count(outcome: &'static str, spans: usize) {
    metrics::counter!("trawl_trace_spans_total", "outcome" => outcome).increment(spans as u64);
}
