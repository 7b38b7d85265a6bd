//! The MCP server on standard input and output, for an assistant that starts it as a child
//! process.

use axum::http::HeaderValue;
use client::Client;
use rmcp::ServiceExt;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::server::McpServer;

/// Why the connection to the assistant failed.
#[derive(Debug, Error)]
pub enum StdioError {
    /// The API key contains characters that a header cannot.
    #[error("the API key is invalid: it contains characters that no key has")]
    Key,
    /// The initialization of the protocol failed.
    #[error("MCP initialization failed: {0}")]
    Handshake(String),
    /// The connection ended with an error.
    #[error("the MCP connection failed: {0}")]
    Disconnected(String),
}

/// Serves the tools over `client`, with the caller's key, until standard input ends.
///
/// # Errors
/// [`StdioError`] when the other side violates the protocol.
pub async fn serve_stdio(client: Client, key: Option<&str>) -> Result<(), StdioError> {
    let credential = key.map(|key| {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}"))?;
        value.set_sensitive(true);
        Ok(value)
    });
    let credential = credential
        .transpose()
        .map_err(|_: axum::http::header::InvalidHeaderValue| StdioError::Key)?;
    // Never cancelled: waiting tools end with the process.
    let server = McpServer::new(client, credential, CancellationToken::new());
    let serving = server
        .serve(rmcp::transport::stdio())
        .await
        .map_err(|error| StdioError::Handshake(error.to_string()))?;
    serving.waiting().await.map_err(|error| StdioError::Disconnected(error.to_string()))?;
    Ok(())
}
