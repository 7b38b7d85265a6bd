//! The URLs that events may be sent to, as far as this is known without network access.

use urls::{CanonicalUrl, Target, TargetRefusal};

use crate::ApiSettings;

/// Parses the URL of a receiver.
///
/// # Errors
/// The message for the client.
pub(crate) fn receiver_url(text: &str, settings: &ApiSettings) -> Result<CanonicalUrl, String> {
    let known = |name: &str| settings.known_names.knows(name);
    let url =
        Target::parse(text, &settings.webhook_networks, known).map_err(
            |refusal| match refusal {
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
            },
        )?;
    if url.as_str().starts_with("https://") {
        Ok(url)
    } else {
        Err("must begin with https://: events are never sent in the clear".to_owned())
    }
}

/// The message about a receiver in a network that the operator denies.
pub(crate) fn denied(address: &str) -> String {
    format!("this service does not deliver to {address}: its operator denies this network")
}

/// The message about a receiver without a public address.
pub(crate) fn private(address: &str) -> String {
    format!("the address {address} is not public; private and loopback addresses are refused")
}
