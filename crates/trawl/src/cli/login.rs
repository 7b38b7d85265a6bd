//! Arguments of `trawl login` and `trawl logout`.

use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "Without --key the key is read from TRAWL_KEY or from standard input; on a \
    terminal it is asked for and not shown. It is saved in ~/.config/trawl/credentials.json, which \
    only this user can read. Several servers can be saved; the last one is the default.\n\n\
    Examples:\n  \
    trawl login\n  \
    trawl login --url https://trawl.example.com\n  \
    trawl login < key.txt"
)]
pub struct LoginArgs {
    /// URL of the server [env: TRAWL_URL] [default: public_url of the settings]
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// API key; other users of this machine can see it while the command runs
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "The key stays valid; `trawl key revoke` or the console revokes it.")]
pub struct LogoutArgs {
    /// URL of the server [default: that of the last login]
    #[arg(long, value_name = "URL", conflicts_with = "all")]
    pub url: Option<String>,
    /// Delete the keys of all servers
    #[arg(long)]
    pub all: bool,
}
