//! Logging to standard error with structured fields, as text or JSON.

use std::io::IsTerminal;

use telemetry::{TraceLayer, is_traced};
use tracing_subscriber::filter::{ParseError, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// `rmcp` logs every request of an assistant at info level. A filter that names it overrides this.
const RMCP_LEVEL: &str = "rmcp=warn";

/// Starts logging. A second call in the same process has no effect.
///
/// # Errors
/// [`ParseError`] when the filter is invalid.
pub fn start(filter: &str, json: bool) -> Result<(), ParseError> {
    let filter = parse(filter)?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let started = if json { lines.json().try_init() } else { lines.try_init() };
    // Fails only if logging is already started, as in tests.
    drop(started);
    Ok(())
}

/// Starts logging, and recording of traces.
///
/// # Errors
/// [`ParseError`] when the filter is invalid.
pub fn start_with_traces(filter: &str, json: bool, traces: TraceLayer) -> Result<(), ParseError> {
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let filter = parse(filter)?;
    let lines = if json {
        lines.json().with_filter(filter).boxed()
    } else {
        lines.with_filter(filter).boxed()
    };
    let traces = traces.with_filter(filter_fn(is_traced));
    drop(tracing_subscriber::registry().with(lines).with(traces).try_init());
    Ok(())
}

fn parse(filter: &str) -> Result<EnvFilter, ParseError> {
    let filter = match filter.contains("rmcp") {
        true => filter.to_owned(),
        false => format!("{filter},{RMCP_LEVEL}"),
    };
    EnvFilter::builder().parse(filter)
}
