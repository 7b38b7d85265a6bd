//! Traces in the OpenTelemetry protocol (OTLP over HTTP, JSON).
//!
//! [`TraceLayer`] is a layer of `tracing` that records the spans of [`EXPORTED`]; [`TraceExporter`] sends
//! them to a collector. The trace of a job has an id that follows from that of the job, so that all
//! nodes that work on it, and all its deliveries, are one trace without a context that is passed on.
//!
//! All queues are bounded: a collector that is slow or gone loses spans, which a metric counts, and
//! never delays the service. To export another span, add its name to [`EXPORTED`].

mod otlp_json;
mod trace_exporter;
mod trace_layer;

pub use trace_exporter::{TraceExporter, TraceSettings};
pub use trace_layer::{EXPORTED, TraceLayer, is_traced};
