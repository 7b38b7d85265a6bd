//! Outbound HTTP: DNS, the address guard, TLS, proxies, content decoding.
//!
//! Only this crate and `browser`, which uses its connector, open connections to sites. The guard
//! checks the address that is connected to, every answer is bounded in time and size, and no proxy
//! is taken from the environment. [`Fetch`] is the interface of all fetchers; [`HttpFetch`] is the
//! plain one, [`TierFetch`] and [`UnlockerFetch`] fetch through a provider.

mod answer;
mod authorities;
mod connector;
mod decoding;
mod dialer;
mod error;
mod fetch;
mod http;
mod names;
mod own_addresses;
mod post;
mod proxy_addresses;
mod request;
mod resolver;
mod resting;
mod tier;

pub use answer::Answer;
pub use authorities::tls;
pub use connector::{Connector, after};
pub use decoding::{Encoding, decode};
pub use dialer::{Link, Stream};
pub use error::{FetchError, Phase, ProviderFault, RenderFault, SetupError};
pub use fetch::Fetch;
pub use http::{HttpFetch, HttpSettings, failure_of, line_of};
pub use names::NameTable;
pub use own_addresses::OwnAddresses;
pub use post::{HttpPost, Post, Reply};
pub use request::{BodyLimit, Limits, Method, Request};
pub use resolver::{GuardedResolver, ResolverSettings};
pub use resting::Line;
pub use tier::{
    Endpoint, Proxy, ProxyError, TierFetch, TierLimits, Unlocker, UnlockerError, UnlockerFetch,
};
