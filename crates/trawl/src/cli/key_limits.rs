//! Limits of an API key as command-line flags.

use clap::Args;
use contract::{Credits, Millis, Mode, OauthScope};
use store::LimitChange;
use urls::canonical_network;

/// Limits of an API key. Without any, the key has all rights of its account.
#[derive(Debug, Clone, Default, Args)]
pub struct KeyLimits {
    /// Scope of the key, for example jobs:read; repeat for more
    #[arg(long = "scope", value_name = "SCOPE", value_parser = scope)]
    scopes: Vec<OauthScope>,
    /// Expiry of the key: a date or an ISO 8601 date-time
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    expires: Option<Millis>,
    /// Network that may use the key, for example 192.0.2.0/24; repeat for more
    #[arg(long = "network", value_name = "CIDR", value_parser = network)]
    networks: Vec<String>,
    /// Mode in which the key may start jobs; repeat for more
    #[arg(long = "mode", value_name = "MODE", value_parser = mode)]
    modes: Vec<Mode>,
    /// Maximum credits of its jobs per day (UTC)
    #[arg(long, value_name = "CREDITS", value_parser = clap::value_parser!(i64).range(1..))]
    daily_credits: Option<i64>,
    /// Maximum credits of its jobs in total
    #[arg(long, value_name = "CREDITS", value_parser = clap::value_parser!(i64).range(1..))]
    total_credits: Option<i64>,
}

impl KeyLimits {
    /// The limits as a change of a new key.
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
