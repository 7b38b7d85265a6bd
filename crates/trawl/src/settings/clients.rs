//! Limits of API clients, registration of OAuth applications, access to metrics.

use std::net::SocketAddr;

use api::{ApiSettings, Inbound, MetricsAccess, OperatorToken, Registration};

use super::{Layers, SettingError};

/// Minimum characters of an operator token; shorter ones could be guessed.
const MIN_TOKEN_CHARS: usize = 16;

/// Limits of API clients, registration of OAuth applications, access to metrics.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// Settings of the API that depend on no other setting.
    pub api: ApiSettings,
    pub unapproved_applications: u32,
    /// Address of a separate listener for metrics.
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
            return Err(layers.invalid("registration", problem));
        }
        let inbound = Inbound {
            header_timeout: layers.millis("header_ms", 1)?,
            keep_alive: layers.millis("keep_alive_ms", 1)?,
            body_timeout: layers.millis("body_ms", 1)?,
            address_connections: layers.number("address_connections", 0..=1_000_000)?,
            ..Inbound::default()
        };
        let api = ApiSettings {
            address_per_minute: layers.number("address_per_minute", 1..=1_000_000_000)?,
            address_listeners: layers.number("address_listeners", 0..=1_000_000)?,
            account_requests_in_flight: layers.number("account_requests", 1..=1_000_000)?,
            account_exports: layers.number("account_exports", 1..=10_000)?,
            account_comparisons: layers.number("account_comparisons", 1..=10_000)?,
            account_pages: layers.number("account_pages", 1..=10_000)?,
            registration: registration(layers)?,
            metrics,
            inbound,
            ..ApiSettings::default()
        };
        let unapproved_applications = layers.number("oauth_unapproved", 1..=1_000_000)?;
        Ok(Self { api, unapproved_applications, metrics_listen })
    }
}

fn registration(layers: &Layers) -> Result<Registration, SettingError> {
    let token = token(layers, "oauth_registration_token")?;
    match (layers.text("oauth_registration"), token) {
        ("open", _) => Ok(Registration::Open),
        ("off", _) => Ok(Registration::Off),
        ("token", Some(token)) => Ok(Registration::Token(token)),
        ("token", None) => {
            let problem = "the value token requires oauth_registration_token";
            Err(layers.invalid("oauth_registration", problem))
        }
        _ => Err(layers.invalid("oauth_registration", "it must be open, token or off")),
    }
}

fn token(layers: &Layers, key: &'static str) -> Result<Option<OperatorToken>, SettingError> {
    match layers.text(key) {
        "" => Ok(None),
        text if text.len() < MIN_TOKEN_CHARS => {
            Err(layers.invalid(key, format!("it must have at least {MIN_TOKEN_CHARS} characters")))
        }
        text => Ok(Some(OperatorToken::new(text))),
    }
}
