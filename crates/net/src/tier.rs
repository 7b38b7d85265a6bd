//! Ways past bot protection, as the operator has set them up: a proxy, or the endpoint of a
//! provider. A browser is one as well, and lives next door.
//!
//! Whoever carries a request for us resolves names by himself; so the guard judges every
//! target before it is handed over. Nothing here pretends to be a person, and no CAPTCHA is
//! solved.

mod limited;
mod proxy;
mod unlocker;

pub use limited::{TierFetch, TierLimits};
pub use proxy::{Proxy, ProxyError};
pub use unlocker::{Endpoint, Unlocker, UnlockerError, UnlockerFetch};
