//! All outbound traffic: HTTP, names, the browser, and the guard over addresses.
//!
//! Nothing else in the service opens a connection to a site. What is connected
//! to was judged in the same breath, every answer has its bounds in time and
//! size, and no proxy is taken from the environment.

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
mod render;
mod request;
mod resolver;
mod resting;
mod tier;
mod under_way;

pub use answer::Answer;
pub use authorities::tls;
pub use decoding::{Encoding, decode};
pub use error::{FetchError, Phase, ProviderFault, RenderFault, SetupError};
pub use fetch::Fetch;
pub use http::{HttpFetch, HttpSettings};
pub use names::NameTable;
pub use own_addresses::OwnAddresses;
pub use post::{HttpPost, Post, Reply};
pub use render::{RenderCounts, RenderFetch, RenderSettings};
pub use request::{BodyLimit, Limits, Method, Request};
pub use resolver::{GuardedResolver, ResolverSettings};
pub use tier::{
    Endpoint, Proxy, ProxyError, TierFetch, TierLimits, Unlocker, UnlockerError, UnlockerFetch,
};
