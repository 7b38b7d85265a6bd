//! The shutdown of the HTTP server, as requests see it.

use tokio_util::sync::CancellationToken;

/// Cancelled when the server shuts down: responses without an end stop then. An extension of every
/// request, also of the calls that a handler makes in process for it.
#[derive(Debug, Clone)]
pub struct ServerShutdown(pub CancellationToken);
