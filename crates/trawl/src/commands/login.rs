//! `trawl login` and `trawl logout`: saves and deletes the API keys of servers.

use std::io::{self, BufRead as _, IsTerminal, Read as _, Write as _};

use anyhow::Context;
use contract::Account;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use url::Url;

use super::Exit;
use super::connection::{ServerConnection, client_of, server_url, variable};
use crate::cli::{GlobalArgs, LoginArgs, LogoutArgs};
use crate::credentials::{Credentials, server_name};
use crate::exit::fail;
use crate::printing::{counted, outln};

/// Maximum bytes of a key on standard input.
const MAX_KEY_BYTES: u64 = 4_096;

pub async fn run(global: &GlobalArgs, args: LoginArgs) -> anyhow::Result<Exit> {
    let mut saved = Credentials::load()?;
    let url = server_name(&server_url(global, args.url.as_deref(), &saved)?);
    let client = client_of(global, &url)?;
    warn_if_unencrypted(&url);
    let key = match args.key.or_else(|| variable("TRAWL_KEY")) {
        Some(key) => key,
        None => read_key(&url)?,
    };
    if key.is_empty() || key.contains(|c: char| c.is_whitespace() || c.is_control()) {
        fail!(
            Usage,
            "the API key is empty or contains white space; it begins with key_live_ or key_test_"
        );
    }
    let server = ServerConnection::with_key(client, url, key.clone());
    let account: Account = server.get("/v1/account").await?;
    saved.add(&server.url, key);
    let path = saved.save()?;
    let credits = u64::try_from(account.credits.0).unwrap_or_default();
    outln!("Logged in to {} with {}", server.url, counted(credits, "credit", "credits"));
    eprintln!("trawl: the key is saved in {}", path.display());
    Ok(Exit::Done)
}

pub fn logout(args: &LogoutArgs) -> anyhow::Result<Exit> {
    let mut saved = Credentials::load()?;
    let url = match (&args.url, args.all) {
        (_, true) => None,
        (Some(url), false) => Some(url.clone()),
        (None, false) => match saved.default_server() {
            Some(url) => Some(url.to_owned()),
            None => fail!(Nothing, "there is no saved login"),
        },
    };
    let removed = saved.remove(url.as_deref());
    if removed.is_empty() {
        fail!(Nothing, "there is no saved login for {}", url.as_deref().unwrap_or("any server"));
    }
    saved.save()?;
    for server in removed {
        outln!("Logged out of {server}; the key stays valid until it is revoked");
    }
    Ok(Exit::Done)
}

fn warn_if_unencrypted(url: &str) {
    let Ok(parsed) = Url::parse(url) else { return };
    let is_here = match parsed.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    if parsed.scheme() == "http" && !is_here {
        eprintln!(
            "trawl: warning: the connection to {url} is not encrypted; others can read the key"
        );
    }
}

/// The key from standard input; a terminal is asked and does not show it.
fn read_key(url: &str) -> anyhow::Result<String> {
    let input = io::stdin();
    let mut line = String::new();
    if input.is_terminal() {
        eprint!("API key for {url}: ");
        io::stderr().flush()?;
        let hidden = HiddenInput::start();
        input.lock().take(MAX_KEY_BYTES).read_line(&mut line).context("cannot read the key")?;
        drop(hidden);
        eprintln!();
    } else {
        let read = input.lock().take(MAX_KEY_BYTES).read_line(&mut line);
        read.context("cannot read the key from standard input")?;
    }
    Ok(line.trim().to_owned())
}

/// Turns the echo of the terminal off until it is dropped.
struct HiddenInput(Option<Termios>);

impl HiddenInput {
    fn start() -> Self {
        let Ok(before) = tcgetattr(io::stdin()) else { return Self(None) };
        let mut without = before.clone();
        without.local_modes.remove(LocalModes::ECHO);
        let changed = tcsetattr(io::stdin(), OptionalActions::Flush, &without);
        Self(changed.is_ok().then_some(before))
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // The terminal was changed by the same call before.
            let _ = tcsetattr(io::stdin(), OptionalActions::Flush, before);
        }
    }
}
