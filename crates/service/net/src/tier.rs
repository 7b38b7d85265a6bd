//! Ways past bot protection, as the operator has set them up: a proxy, or the endpoint of a
//! provider. A browser is one as well, and lives next door.
//!
//! The guard judges every target before it is handed over. A proxy is asked for the judged
//! address. A provider's endpoint is told the URL and resolves its name again: nothing here can
//! keep it from a private network of its own, so it must not stand in one. Nothing pretends to be
//! a person, and no CAPTCHA is solved.

mod limited;
mod proxy;
mod unlocker;

pub use limited::{TierFetch, TierLimits};
pub(crate) use proxy::TunnelRefusal;
pub use proxy::{Proxy, ProxyError};
pub use unlocker::{Endpoint, Unlocker, UnlockerError, UnlockerFetch};
