//! Arguments of `trawl mcp`.

use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "An assistant starts this command as a child process. Standard output carries \
    only the protocol; messages for people go to standard error. A server also provides MCP over \
    HTTP, at /mcp.\n\nExample, for an assistant that reads a JSON \
    configuration:\n  \
    {\"mcpServers\": {\"trawl\": {\"command\": \"trawl\", \"args\": [\"mcp\"],\n    \
    \"env\": {\"TRAWL_URL\": \"http://127.0.0.1:8080\", \"TRAWL_KEY\": \"key_live_…\"}}}}\n\n\
    Create a key for it: trawl key create --email YOU --source mcp"
)]
pub struct McpArgs {
    /// URL of the server [default: that of `trawl login`, else public_url of the settings]
    #[arg(long, value_name = "URL", env = "TRAWL_URL")]
    pub url: Option<String>,
    /// API key; prefer `trawl login` or the environment, which other users cannot see
    #[arg(long, value_name = "KEY", env = "TRAWL_KEY", hide_env_values = true)]
    pub key: Option<String>,
}
