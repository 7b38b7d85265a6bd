//! What clients may have at a time, who may register applications, and who reads the metrics.

use std::net::SocketAddr;

use api::{MetricsAccess, OperatorToken, Registration};

use super::{Layers, SettingError};

/// A token of the operator's that is shorter could be guessed.
const SHORTEST_TOKEN: usize = 16;

/// What clients may have at a time, who may register applications, and who reads the metrics.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    pub address_per_minute: u32,
    pub address_connections: usize,
    pub address_listeners: usize,
    pub account_requests_in_flight: usize,
    pub account_exports: usize,
    pub account_comparisons: usize,
    pub registration: Registration,
    pub unapproved_applications: u32,
    pub metrics: MetricsAccess,
    /// Where the metrics have a listener of their own.
    pub metrics_listen: Option<SocketAddr>,
}

impl ClientSettings {
    pub(super) fn of(layers: &Layers) -> Result<Self, SettingError> {
        let metrics_listen: Option<SocketAddr> =
            layers.optional("metrics_listen", "an address with a port, as 127.0.0.1:9090")?;
        let metrics =
            token(layers, "metrics_token")?.map_or(MetricsAccess::Elsewhere, MetricsAccess::Token);
        if layers.text("registration") != "closed" {
            let problem = "it must be closed: this version has no sign-up; the operator creates \
                accounts with `trawl account create`. Registration of OAuth applications is \
                oauth_registration";
            return Err(layers.wrong("registration", problem));
        }
        Ok(Self {
            address_per_minute: layers.number("address_per_minute", 1..=1_000_000_000)?,
            address_connections: layers.number("address_connections", 0..=1_000_000)?,
            address_listeners: layers.number("address_listeners", 0..=1_000_000)?,
            account_requests_in_flight: layers.number("account_requests", 1..=1_000_000)?,
            account_exports: layers.number("account_exports", 1..=10_000)?,
            account_comparisons: layers.number("account_comparisons", 1..=10_000)?,
            registration: registration(layers)?,
            unapproved_applications: layers.number("oauth_unapproved", 1..=1_000_000)?,
            metrics,
            metrics_listen,
        })
    }
}

fn registration(layers: &Layers) -> Result<Registration, SettingError> {
    let token = token(layers, "oauth_registration_token")?;
    match (layers.text("oauth_registration"), token) {
        ("open", _) => Ok(Registration::Open),
        ("off", _) => Ok(Registration::Off),
        ("token", Some(token)) => Ok(Registration::Token(token)),
        ("token", None) => {
            let problem = "token needs a token: set oauth_registration_token as well";
            Err(layers.wrong("oauth_registration", problem))
        }
        _ => Err(layers.wrong("oauth_registration", "it is open, token or off")),
    }
}

fn token(layers: &Layers, key: &'static str) -> Result<Option<OperatorToken>, SettingError> {
    match layers.text(key) {
        "" => Ok(None),
        text if text.len() < SHORTEST_TOKEN => {
            Err(layers.wrong(key, format!("it must have at least {SHORTEST_TOKEN} characters")))
        }
        text => Ok(Some(OperatorToken::new(text))),
    }
}
