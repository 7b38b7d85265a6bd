//! Settings of webhook delivery and of the key that encrypts webhook secrets.

use std::time::Duration;

use net::{HttpSettings, ResolverSettings};
use notify::{NotifierSettings, RetrySchedule};
use store::SecretKey;
use urls::{AllowedNetworks, DeniedNetworks};

use super::{Layers, SettingError, Settings};

/// Maximum bytes of a response: only its status is used.
const RESPONSE_BYTES: usize = 16 * 1024;

/// Maximum lease of an endpoint: with a shorter lease another node takes over sooner.
const LONGEST_LEASE: Duration = Duration::from_secs(30);

/// Minimum characters of the secret key; shorter ones could be guessed.
pub const SHORTEST_KEY: usize = 32;

/// Networks, retries and timeout of webhook deliveries.
#[derive(Debug, Clone)]
pub struct WebhookSettings {
    /// Networks allowed besides public addresses.
    pub networks: AllowedNetworks,
    pub retries: RetrySchedule,
    pub timeout: Duration,
    pub secret_key: Option<SecretKey>,
    /// The key to which `trawl secret rotate` changes.
    pub next_secret_key: Option<SecretKey>,
}

impl WebhookSettings {
    pub(super) fn of(layers: &Layers) -> Result<Self, SettingError> {
        Ok(Self {
            networks: layers
                .checked("allow_webhook_networks", AllowedNetworks::parse)?
                .denying(layers.checked("deny_networks", DeniedNetworks::parse)?),
            retries: layers.checked("webhook_retries", RetrySchedule::parse)?,
            timeout: layers.millis("webhook_timeout_ms", 1)?,
            secret_key: key_of(layers, "secret_key")?,
            next_secret_key: key_of(layers, "next_secret_key")?,
        })
    }
}

/// A key of the settings; `None` if the setting is empty.
fn key_of(layers: &Layers, name: &'static str) -> Result<Option<SecretKey>, SettingError> {
    match layers.text(name) {
        "" => Ok(None),
        key if key.chars().count() < SHORTEST_KEY => {
            let length = key.chars().count();
            Err(layers.invalid(
                name,
                format!(
                    "it has {length} characters and needs at least {SHORTEST_KEY}; make one with \
                     `openssl rand -hex 32`. Webhook secrets that are encrypted with the old key \
                     cannot be decrypted with a new one: remove those endpoints with the release \
                     before, and create them again"
                ),
            ))
        }
        key => Ok(Some(SecretKey::new(key))),
    }
}

impl Settings {
    /// HTTP settings for webhook endpoints.
    #[must_use]
    pub fn webhook_http(&self) -> HttpSettings {
        let WebhookSettings { networks, timeout, .. } = &self.webhooks;
        HttpSettings {
            resolver: ResolverSettings {
                allowed: networks.clone(),
                // Clients choose these hosts: addresses from the operator's name table are checked
                // too.
                check_name_table: true,
                ..self.http().resolver
            },
            connect: self.connect.min(*timeout),
            first_byte: *timeout,
            whole: *timeout,
            body_bytes: RESPONSE_BYTES,
            // Jobs in the format of Firecrawl have receivers without TLS in the operator's network.
            plain_to_allowed: true,
            // No minimum transfer rate: the timeout limits the response.
            bytes_per_second: 0,
            ..self.http()
        }
    }

    /// Settings of the webhook sender.
    #[must_use]
    pub fn notifier(&self) -> NotifierSettings {
        NotifierSettings {
            retries: self.webhooks.retries.clone(),
            timeout: self.webhooks.timeout,
            lease: self.lease.min(LONGEST_LEASE),
            ..NotifierSettings::default()
        }
    }
}
