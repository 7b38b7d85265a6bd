//! Flags that select a server and the API key for it.

use clap::Args;

/// The server that a command uses. Without these flags, see `commands/connection.rs`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Server")]
pub struct ServerFlags {
    /// URL of the server [env: TRAWL_URL] [default: that of `trawl login`]
    #[arg(long = "url", id = "server_url", value_name = "URL", global = true)]
    pub url: Option<String>,
    /// API key; prefer `trawl login` or the environment, which other users cannot see [env:
    /// TRAWL_KEY]
    #[arg(long = "key", id = "server_key", value_name = "KEY", global = true)]
    pub key: Option<String>,
}
