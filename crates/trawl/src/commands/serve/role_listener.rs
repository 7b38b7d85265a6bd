//! The address of a server in each role, and what it prints about it.

use std::io;

use super::super::announce;
use super::listeners::Listeners;
use crate::cli::{ServeArgs, ServeRole};
use crate::settings::Settings;

/// Listens for the API, or for health and metrics of a node without one. Such a node runs also if the
/// address is in use, unless a flag names it: nodes on one machine may share their settings.
pub(super) async fn listen_as(
    args: &ServeArgs,
    settings: &Settings,
) -> anyhow::Result<Option<Listeners>> {
    match Listeners::open(settings).await {
        Ok(listeners) => Ok(Some(listeners)),
        Err(error)
            if !args.role.has_api() && args.listen.is_none() && is_address_in_use(&error) =>
        {
            tracing::warn!(
                listen = %settings.listening,
                "the address is in use: this node serves no health checks and metrics; choose another \
                 address with --listen or TRAWL_LISTEN"
            );
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn is_address_in_use(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::AddrInUse)
}

/// Prints what the process does, its addresses, and whether it has a browser.
pub(super) fn announce_role(
    role: ServeRole,
    settings: &Settings,
    listeners: Option<&Listeners>,
    has_browser: bool,
) {
    let url = &settings.public_url;
    let mut text = match role {
        ServeRole::All | ServeRole::Api => {
            format!("Trawl listens on {url}\nConsole: {url}/  Documentation: {url}/docs\n")
        }
        ServeRole::Worker => "Trawl runs workers, without an API\n".to_owned(),
        ServeRole::Notify => {
            "Trawl sends webhooks and starts schedules, without an API\n".to_owned()
        }
    };
    if let Some(listeners) = listeners {
        match role.has_api() {
            true if listeners.addresses.len() > 1 => {
                text.push_str(&format!("Sockets: {}\n", listeners.shown()));
            }
            true => {}
            false => {
                let scheme = if listeners.tls.is_some() { "https" } else { "http" };
                if let Some(address) = listeners.addresses.first() {
                    text.push_str(&format!(
                        "Health: {scheme}://{address}/readyz  Metrics: {scheme}://{address}/metrics\n"
                    ));
                }
            }
        }
    }
    if matches!(role, ServeRole::All | ServeRole::Worker) {
        text.push_str(match has_browser {
            true => "Browser: Chromium (`trawl doctor` checks it)\n",
            false => "Browser: none, pages that need JavaScript are not rendered\n",
        });
    }
    announce(&text);
}
