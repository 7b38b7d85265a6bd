//! Protections that redirect to a host of the vendor.

use urls::CanonicalUrl;

use document::{ProtectionKind, ProtectionMarker, Vendor};

/// The protection that a redirect from `url` to `location` leads to.
pub(super) fn marker(url: &CanonicalUrl, location: &str) -> Option<ProtectionMarker> {
    let target = url.join(location).ok()?;
    let (vendor, kind, site) = if target.host() == "validate.perfdrive.com" {
        (Vendor::Radware, ProtectionKind::Challenge, "perfdrive.com")
    } else if target.host().ends_with(".queue-it.net") {
        (Vendor::QueueIt, ProtectionKind::WaitingRoom, "queue-it.net")
    } else {
        return None;
    };
    // Redirects within the site of the vendor are ordinary.
    let from = url.host().strip_suffix(site);
    let at_home = from.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    (!at_home).then_some(ProtectionMarker { vendor, kind })
}
