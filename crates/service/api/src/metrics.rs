//! Metrics in the text format of Prometheus.
//!
//! Labels have a bounded set of values: routes, methods, statuses, modes. Never a key, an account
//! or a URL.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use store::Store;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

const REQUESTS: &str = "trawl_http_requests_total";
const SECONDS: &str = "trawl_http_request_seconds";

/// How often measurements are aggregated into their buckets.
const UPKEEP: Duration = Duration::from_secs(5);

/// Interval of counting the shards that wait for a worker.
const QUEUE_EVERY: Duration = Duration::from_secs(5);

const BUCKETS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// The metrics recorder could not be installed.
#[derive(Debug, Error)]
#[error("failed to install the metrics recorder: {0}")]
pub struct MetricsError(#[from] BuildError);

/// The metrics recorder of this process.
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
}

runtime::partial_debug!(Metrics);

impl Metrics {
    /// Installs the recorder for `metrics::counter!` and the other macros. Once per process.
    ///
    /// # Errors
    /// [`MetricsError`] if a recorder is installed already.
    pub fn install() -> Result<Self, MetricsError> {
        let handle = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), BUCKETS)?
            .install_recorder()?;
        describe();
        Ok(Self { handle })
    }

    /// Aggregates measurements for as long as it is polled. Without it they would accumulate
    /// between two requests of `GET /metrics`.
    pub async fn upkeep(&self) {
        let mut ticks = tokio::time::interval(UPKEEP);
        loop {
            ticks.tick().await;
            self.handle.run_upkeep();
        }
    }

    pub(crate) fn render(&self) -> String {
        self.handle.run_upkeep();
        self.handle.render()
    }
}

fn describe() {
    describe_counter!(REQUESTS, "requests by route, method and status");
    describe_histogram!(SECONDS, "seconds from the request headers to the response headers");
    describe_counter!("trawl_runs_total", "runs that ended or parked, by status");
    describe_counter!("trawl_pages_total", "pages fetched");
    describe_counter!("trawl_bytes_total", "bytes received from sites");
    describe_counter!(
        "trawl_forwarded_pages_total",
        "page calls forwarded to the node that has their host, by outcome: answered, read_here, \
         declined, timed_out"
    );
    describe_counter!("trawl_commits_total", "commits written to run logs");
    describe_counter!("trawl_credits_total", "credits charged");
    describe_counter!("trawl_deliveries_total", "attempts at webhook deliveries, by outcome");
    describe_gauge!(
        "trawl_clock_ahead_seconds",
        "how far the clock of this node is ahead of the database's; negative if it is behind"
    );
    describe_counter!("trawl_jobs_purged_total", "finished jobs deleted after their retention");
    describe_gauge!(
        "trawl_purged_at",
        "last complete deletion of expired data, or the start of the node, in seconds since 1970"
    );
    describe_histogram!("trawl_commit_seconds", "time to store a commit, with retries");
    describe_histogram!(
        "trawl_pool_wait_seconds",
        "wait for a database connection, by pool: read, write, upkeep; timeouts are included"
    );
    describe_gauge!("trawl_data_free_bytes", "free space on the disk of the data folder");
    describe_histogram!("trawl_host_wait_seconds", "wait of a request for its host's pace");
    describe_counter!("trawl_leases_lost_total", "runs whose lease another node took over");
    describe_counter!("trawl_lease_failures_total", "renewals of leases that failed");
    describe_counter!("trawl_mails_total", "attempts to send e-mails, by outcome");
    describe_counter!("trawl_trace_spans_total", "spans for the collector of traces, by outcome");
    describe_gauge!(
        "trawl_tls_certificate_expires",
        "end of the certificate in use, in seconds since 1970"
    );
    describe_gauge!("trawl_queue", "shards waiting for a worker");
    describe_gauge!(
        "trawl_queue_ready",
        "shards that a worker with a free slot could start now; at most 1,000 are counted"
    );
    describe_counter!(
        "trawl_tier_requests_total",
        "requests of the protected tier, by outcome: ok, challenged, provider_down, failed"
    );
    describe_gauge!("trawl_tier_requests_under_way", "requests of the protected tier in flight");
    describe_counter!("trawl_blocked_pages_total", "pages blocked by bot protection");
    describe_counter!(
        "trawl_rendered_pages_total",
        "pages rendered by the browser, by outcome: ok, failed, crashed, hung, refused, \
         browser_gone, no_browser"
    );
    describe_gauge!("trawl_browsers", "running browsers");
    describe_gauge!("trawl_browser_tabs", "open browser tabs");
}

/// Reports the length of the queue, in every role: workers may be scaled to zero.
pub async fn report_queue(store: Store, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Ok(ready) = store.count_ready_shards().await {
            #[expect(clippy::cast_precision_loss, reason = "at most a thousand")]
            gauge!("trawl_queue_ready").set(ready as f64);
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(QUEUE_EVERY) => {}
        }
    }
}

/// The method as a label; `other` for non-standard methods.
pub(crate) fn method(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

/// Counts a response and records its duration.
pub(crate) fn record_response(
    route: &str,
    method: &'static str,
    status: StatusCode,
    took: Duration,
) {
    let route = route.to_owned();
    let status = status.as_u16().to_string();
    counter!(REQUESTS, "route" => route.clone(), "method" => method, "status" => status)
        .increment(1);
    histogram!(SECONDS, "route" => route, "method" => method).record(took.as_secs_f64());
}
