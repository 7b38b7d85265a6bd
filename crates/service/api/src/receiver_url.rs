//! The URLs that events may be sent to, as far as this is known without network access.

use std::net::SocketAddr;

use contract::WebhookFormat;
use urls::{CanonicalUrl, Target, TargetRefusal};

use crate::ApiSettings;

/// Parses the URL of a receiver.
///
/// # Errors
/// The message for the client.
pub(crate) fn receiver_url(text: &str, settings: &ApiSettings) -> Result<CanonicalUrl, String> {
    let url = parse(text, settings, |name| settings.known_names.knows(name))?;
    if is_https(&url) {
        Ok(url)
    } else {
        Err("must begin with https://: events are never sent in the clear".to_owned())
    }
}

/// Parses the URL of the webhook of a job. Format `firecrawl` also takes local names and `http`, if
/// the operator allows networks for webhooks: [`check_plain_receiver`] has to check the addresses.
///
/// # Errors
/// The message for the client.
pub(crate) fn job_receiver_url(
    text: &str,
    format: WebhookFormat,
    settings: &ApiSettings,
) -> Result<CanonicalUrl, String> {
    if format != WebhookFormat::Firecrawl || !settings.webhook_networks.opens_any() {
        return receiver_url(text, settings);
    }
    parse(text, settings, |_| true)
}

pub(crate) fn is_https(url: &CanonicalUrl) -> bool {
    url.as_str().starts_with("https://")
}

/// Checks that all addresses of a receiver without TLS are in networks that the operator allows.
///
/// # Errors
/// The message for the client.
pub(crate) fn check_plain_receiver(
    url: &CanonicalUrl,
    addresses: &[SocketAddr],
    settings: &ApiSettings,
) -> Result<(), String> {
    if is_https(url) || addresses.iter().all(|at| settings.webhook_networks.opens(*at)) {
        return Ok(());
    }
    Err(format!(
        "must begin with https://: {} is outside of the networks to which events are sent in the clear",
        url.host()
    ))
}

fn parse(
    text: &str,
    settings: &ApiSettings,
    known: impl Fn(&str) -> bool,
) -> Result<CanonicalUrl, String> {
    Target::parse(text, &settings.webhook_networks, known).map_err(|refusal| match refusal {
        TargetRefusal::NotAbsolute => "must be absolute and begin with https://".to_owned(),
        TargetRefusal::Port(port) => {
            format!("port {port} is not delivered to; use 443 or a web port from 1024 up")
        }
        TargetRefusal::PrivateAddress(address) => private(&address),
        TargetRefusal::DeniedAddress(address) => denied(&address),
        TargetRefusal::SpecialUseName(name) => {
            format!("`{name}` is a name for local use; give a public one")
        }
        other @ (TargetRefusal::TooLong
        | TargetRefusal::Characters
        | TargetRefusal::Credentials
        | TargetRefusal::Host
        | TargetRefusal::NoPort
        | TargetRefusal::DisguisedAddress(_)
        | TargetRefusal::SingleLabel(_)) => other.to_string(),
    })
}

/// The message about a receiver in a network that the operator denies.
pub(crate) fn denied(address: &str) -> String {
    format!("this service does not deliver to {address}: its operator denies this network")
}

/// The message about a receiver without a public address.
pub(crate) fn private(address: &str) -> String {
    format!("the address {address} is not public; private and loopback addresses are refused")
}
