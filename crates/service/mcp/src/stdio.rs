//! The tools on standard input and output, for an assistant that starts us as its child.

use axum::http::HeaderValue;
use client::Client;
use rmcp::ServiceExt;
use thiserror::Error;
use tokio::sync::watch;

use crate::assistant::Assistant;

/// Why the conversation with the assistant ended before its time.
#[derive(Debug, Error)]
pub enum StdioError {
    /// The key holds what cannot be sent.
    #[error("the key is none: it holds characters that no key has")]
    Key,
    /// The assistant did not speak the protocol.
    #[error("the assistant did not begin in the way of the protocol: {0}")]
    Beginning(String),
    /// It broke off.
    #[error("the conversation broke off: {0}")]
    BrokeOff(String),
}

/// Serves the tools over `client`, with the caller's key, until standard input ends.
///
/// # Errors
/// [`StdioError`] when the other side does not speak the protocol.
pub async fn serve_stdio(client: Client, key: Option<&str>) -> Result<(), StdioError> {
    let credential = key.map(|key| {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}"))?;
        value.set_sensitive(true);
        Ok(value)
    });
    let credential = credential
        .transpose()
        .map_err(|_: axum::http::header::InvalidHeaderValue| StdioError::Key)?;
    // Kept to the end: whoever waits is let go by the end of the process.
    let (_open, closing) = watch::channel(false);
    let assistant = Assistant::new(client, credential, closing);
    let serving = assistant
        .serve(rmcp::transport::stdio())
        .await
        .map_err(|error| StdioError::Beginning(error.to_string()))?;
    serving.waiting().await.map_err(|error| StdioError::BrokeOff(error.to_string()))?;
    Ok(())
}
