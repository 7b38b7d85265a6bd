//! Logging to standard error with structured fields, as text or JSON.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// `rmcp` logs every request of an assistant at info level. A filter that names it overrides this.
const RMCP_LEVEL: &str = "rmcp=warn";

/// Starts logging. A second call in the same process has no effect.
///
/// # Errors
/// [`ParseError`] when the filter is invalid.
pub fn start(filter: &str, json: bool) -> Result<(), ParseError> {
    let filter = match filter.contains("rmcp") {
        true => filter.to_owned(),
        false => format!("{filter},{RMCP_LEVEL}"),
    };
    let filter = EnvFilter::builder().parse(filter)?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let started = if json { lines.json().try_init() } else { lines.try_init() };
    // Fails only if logging is already started, as in tests.
    drop(started);
    Ok(())
}
