//! The protected tier: fetching sites behind bot protection through a proxy or the endpoint of a
//! provider, as the operator has configured it. The third option is the browser (crate `browser`).
//!
//! The guard checks every target before a request. A proxy opens tunnels to the checked address. An
//! endpoint gets the URL and resolves the name again, outside of the guard, so it must not run in a
//! private network. Nothing imitates a person, and no CAPTCHA is solved.

mod endpoint;
mod proxy;
mod tier_fetch;
mod unlocker;

pub use endpoint::Endpoint;
pub(crate) use proxy::TunnelRefusal;
pub use proxy::{Proxy, ProxyError};
pub use tier_fetch::{TierFetch, TierLimits};
pub use unlocker::{Unlocker, UnlockerError, UnlockerFetch};
