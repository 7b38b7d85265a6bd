//! How webhooks are delivered, and what their secrets are sealed under.

use std::time::Duration;

use net::{HttpSettings, ResolverSettings};
use notify::{NotifierSettings, RetrySchedule};
use store::SecretKey;
use urls::{AllowedNetworks, DeniedNetworks};

use super::{Layers, SettingError, Settings};

/// Of an answer no more is read: its status says what there is to know.
const ANSWER_BYTES: usize = 16 * 1024;

/// A shorter lease means that another node takes over sooner; a longer one has no use.
const LONGEST_LEASE: Duration = Duration::from_secs(30);

/// Shorter secret keys can be guessed.
pub const SHORTEST_KEY: usize = 32;

/// How webhooks are delivered.
#[derive(Debug, Clone)]
pub struct WebhookSettings {
    /// Networks that may be reached beyond public addresses.
    pub networks: AllowedNetworks,
    pub retries: RetrySchedule,
    pub timeout: Duration,
    pub secret_key: Option<SecretKey>,
}

impl WebhookSettings {
    pub(super) fn of(layers: &Layers) -> Result<Self, SettingError> {
        Ok(Self {
            networks: layers
                .checked("allow_webhook_networks", AllowedNetworks::parse)?
                .denying(layers.checked("deny_networks", DeniedNetworks::parse)?),
            retries: layers.checked("webhook_retries", RetrySchedule::parse)?,
            timeout: layers.millis("webhook_timeout_ms", 1)?,
            secret_key: match layers.text("secret_key") {
                "" => None,
                key if key.chars().count() < SHORTEST_KEY => {
                    let length = key.chars().count();
                    return Err(layers.wrong(
                        "secret_key",
                        format!(
                            "it has {length} characters and needs at least {SHORTEST_KEY}; make \
                             one with `openssl rand -hex 32`. Webhook secrets that are encrypted \
                             with the old key cannot be decrypted with a new one: remove those \
                             endpoints with the release before, and create them again"
                        ),
                    ));
                }
                key => Some(SecretKey::new(key)),
            },
        })
    }
}

impl Settings {
    /// How webhook endpoints are spoken to.
    #[must_use]
    pub fn receivers(&self) -> HttpSettings {
        let WebhookSettings { networks, timeout, .. } = &self.webhooks;
        HttpSettings {
            resolver: ResolverSettings {
                allowed: networks.clone(),
                // A client chooses whom it names: the operator's table vouches for nobody here.
                check_name_table: true,
                ..self.http().resolver
            },
            connect: self.connect.min(*timeout),
            first_byte: *timeout,
            whole: *timeout,
            body_bytes: ANSWER_BYTES,
            // Drop by drop is as good as any other way, as long as it ends in time.
            bytes_per_second: 0,
            ..self.http()
        }
    }

    /// How this node delivers.
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
