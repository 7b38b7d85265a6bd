//! What makes life easier for those who use a server, and for their assistants and shells.

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = "An assistant starts this as its child; nobody types into it. Standard \
    output carries nothing but the protocol, messages for people go to standard error. A server \
    also speaks the protocol over HTTP, at /mcp.\n\nExample, for an assistant that reads a JSON \
    configuration:\n  \
    {\"mcpServers\": {\"trawl\": {\"command\": \"trawl\", \"args\": [\"mcp\"],\n    \
    \"env\": {\"TRAWL_URL\": \"http://127.0.0.1:8080\", \"TRAWL_KEY\": \"key_live_…\"}}}}\n\n\
    A key for it: trawl key create --email YOU --source mcp")]
pub struct Mcp {
    /// Where the server is [default: its public_url of the settings]
    #[arg(long, value_name = "URL", env = "TRAWL_URL")]
    pub url: Option<String>,
    /// An API key; better given by the environment, where other users do not see it
    #[arg(long, value_name = "KEY", env = "TRAWL_KEY", hide_env_values = true)]
    pub key: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Codes stand in the error answers of a server (code) and in failed jobs \
    (error.code). Some words are in both lists; then both are told. Without a code all are \
    listed.\n\nExample:\n  trawl explain insufficient_credits")]
pub struct Explain {
    /// The code
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    bash: trawl completions bash > ~/.local/share/bash-completion/completions/trawl\n  \
    zsh: trawl completions zsh > \"${fpath[1]}/_trawl\"\n  \
    fish: trawl completions fish > ~/.config/fish/completions/trawl.fish\n  \
    elvish: trawl completions elvish >> ~/.config/elvish/rc.elv\n  \
    PowerShell: trawl completions powershell >> $PROFILE")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}
