//! Settings of payments and automatic top-up.

use std::time::Duration;

use billing::{RechargerSettings, StripeKey};
use contract::CreditPrice;
use net::HttpSettings;
use url::Url;
use urls::AllowedNetworks;

use super::{Layers, SettingError, Settings};

const STRIPE_URL: &str = "https://api.stripe.com";

/// Maximum bytes of a response of the provider.
const RESPONSE_BYTES: usize = 256 * 1024;

/// Maximum pause after failed purchases.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(24 * 60 * 60);

/// Time that a lease exceeds the request timeout.
const SLACK: Duration = Duration::from_secs(30);

/// Payment provider and its timeouts.
#[derive(Debug, Clone)]
pub struct PaymentSettings {
    /// `None` if only the operator grants credits.
    pub stripe: Option<StripeSettings>,
    pub timeout: Duration,
    pub retry: Duration,
    pub back_off: Duration,
}

/// Access to Stripe and the price of credits.
#[derive(Debug, Clone)]
pub struct StripeSettings {
    pub key: StripeKey,
    pub url: String,
    /// The port in `url`, or the default one.
    pub port: u16,
    pub price: CreditPrice,
}

impl PaymentSettings {
    pub(super) fn of(layers: &Layers) -> Result<Self, SettingError> {
        Ok(Self {
            stripe: match layers.text("payment_provider") {
                "none" => None,
                "stripe" => Some(StripeSettings::of(layers)?),
                _ => return Err(layers.invalid("payment_provider", "it must be none or stripe")),
            },
            timeout: layers.millis("payment_timeout_ms", 1)?,
            retry: layers.millis("payment_retry_ms", 1)?,
            back_off: layers.millis("payment_back_off_ms", 1)?,
        })
    }
}

impl StripeSettings {
    fn of(layers: &Layers) -> Result<Self, SettingError> {
        let key = StripeKey::new(layers.text("stripe_key")).ok_or_else(|| {
            layers.invalid("stripe_key", "Stripe needs its secret key, which begins with sk_")
        })?;
        let url = layers.text("stripe_url").trim_end_matches('/').to_owned();
        let parsed = Url::parse(&url).ok().filter(|url| url.scheme() == "https");
        let Some(port) = parsed.and_then(|url| url.port_or_known_default()) else {
            return Err(layers.invalid("stripe_url", "it must be a URL that begins with https://"));
        };
        let per_thousand = layers.number("credit_price", 0..=99_999_999)?;
        if per_thousand == 0 {
            let problem = "a payment provider needs a price: that of 1,000 credits, in cents";
            return Err(layers.invalid("credit_price", problem));
        }
        let currency = layers.text("currency").to_lowercase();
        if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Err(layers.invalid("currency", "it must have three letters, as eur"));
        }
        Ok(Self { key, url, port, price: CreditPrice { per_thousand, currency } })
    }
}

impl Settings {
    /// HTTP settings for the payment provider.
    #[must_use]
    pub fn payment_http(&self, stripe: &StripeSettings) -> HttpSettings {
        let PaymentSettings { timeout, .. } = self.payments;
        let mut http = HttpSettings {
            connect: self.connect.min(timeout),
            first_byte: timeout,
            whole: timeout,
            body_bytes: RESPONSE_BYTES,
            bytes_per_second: 0,
            ..self.http()
        };
        let allowed = if stripe.url == STRIPE_URL {
            AllowedNetworks::none()
        } else {
            // The operator chose this host: it may be in a private network.
            AllowedNetworks::everywhere(stripe.port)
        };
        http.resolver.allowed = allowed.denying(self.denied.clone());
        http
    }

    /// Settings of automatic top-up.
    #[must_use]
    pub fn recharger(&self, stripe: &StripeSettings) -> RechargerSettings {
        let PaymentSettings { timeout, retry, back_off, .. } = self.payments;
        RechargerSettings {
            price: stripe.price.clone(),
            poll: Duration::from_secs(1).min(retry),
            lease: timeout + SLACK,
            retry,
            back_off,
            longest_back_off: LONGEST_BACK_OFF.max(back_off),
            drain: Duration::from_secs(5),
        }
    }
}
