//! The limits of a key, as flags.

use clap::Args;
use contract::{Credits, Millis, Mode, OauthScope};
use store::LimitChange;
use urls::canonical_network;

/// What a key may do at most. Without any of these it carries the whole account.
#[derive(Debug, Clone, Default, Args)]
pub struct KeyLimits {
    /// What the key may do, as jobs:read; several times for several scopes
    #[arg(long = "scope", value_name = "SCOPE", value_parser = scope)]
    scopes: Vec<OauthScope>,
    /// When the key expires: a date, or an ISO 8601 date-time
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    expires: Option<Millis>,
    /// A network that the key may be used from, as 192.0.2.0/24; several times for several
    #[arg(long = "network", value_name = "CIDR", value_parser = network)]
    networks: Vec<String>,
    /// A mode that the key may start jobs in; several times for several
    #[arg(long = "mode", value_name = "MODE", value_parser = mode)]
    modes: Vec<Mode>,
    /// Credits that its jobs may spend on one day (UTC)
    #[arg(long, value_name = "CREDITS", value_parser = clap::value_parser!(i64).range(1..))]
    daily_credits: Option<i64>,
    /// Credits that its jobs may spend in all
    #[arg(long, value_name = "CREDITS", value_parser = clap::value_parser!(i64).range(1..))]
    total_credits: Option<i64>,
}

impl KeyLimits {
    /// The limits of a new key.
    pub fn change(&self) -> LimitChange {
        let mut scopes = self.scopes.clone();
        scopes.sort_unstable();
        scopes.dedup();
        LimitChange {
            scopes: Some(scopes),
            expires_at: Some(self.expires),
            networks: Some(self.networks.clone()),
            modes: Some(self.modes.clone()),
            daily_credits: Some(self.daily_credits.map(Credits)),
            total_credits: Some(self.total_credits.map(Credits)),
        }
    }

    /// When the key expires.
    pub fn expires(&self) -> Option<Millis> {
        self.expires
    }
}

fn scope(word: &str) -> Result<OauthScope, String> {
    word.parse::<OauthScope>().map_err(|_| format!("one of {}", words(OauthScope::ALL)))
}

fn mode(word: &str) -> Result<Mode, String> {
    word.parse::<Mode>().map_err(|_| format!("one of {}", words(Mode::ALL)))
}

fn network(text: &str) -> Result<String, String> {
    canonical_network(text).ok_or_else(|| "an address or a network, as 192.0.2.0/24".to_owned())
}

fn instant(text: &str) -> Result<Millis, String> {
    Millis::parse_iso(text).ok_or_else(|| "a date, as 2027-01-31, or a date-time".to_owned())
}

fn words<T: std::fmt::Display>(all: &[T]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
