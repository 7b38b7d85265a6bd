//! Log lines: to standard error, with fields, in text or JSON.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// Tells of each request of an assistant as if it were a connection; who wants to know says so.
const QUIET: &str = "rmcp=warn";

/// Starts logging. A second start in one process changes nothing.
///
/// # Errors
/// [`ParseError`] when the filter is not one.
pub fn start(filter: &str, json: bool) -> Result<(), ParseError> {
    let filter = match filter.contains("rmcp") {
        true => filter.to_owned(),
        false => format!("{filter},{QUIET}"),
    };
    let filter = EnvFilter::builder().parse(filter)?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let started = if json { lines.json().try_init() } else { lines.try_init() };
    // Only a test that starts it twice ends up here.
    drop(started);
    Ok(())
}
