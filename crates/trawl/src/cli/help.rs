//! Arguments of `trawl explain` and `trawl completions`.

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = "Codes occur in error responses of the API (code) and in failed jobs \
    (error.code). A code that is in both lists is explained for both. Without a code, all codes \
    are listed.\n\nExample:\n  trawl explain insufficient_credits")]
pub struct ExplainArgs {
    /// Error code, for example insufficient_credits
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
pub struct CompletionsArgs {
    /// Shell that the script is for
    #[arg(value_enum)]
    pub shell: Shell,
}
