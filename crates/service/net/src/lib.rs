//! Outbound HTTP: DNS, the address guard, TLS, proxies, content decoding.
//!
//! Only this crate and `browser`, which uses its connector, open connections to sites. The address
//! guard ([`GuardedResolver`]) checks every resolved address, and [`Connector`] connects to exactly
//! that address. Every response is limited in time and size, and no proxy is taken from the
//! environment.
//!
//! [`Fetch`] is the interface of all fetchers: one [`FetchRequest`] in, one [`FetchResponse`] or
//! [`FetchError`] out, redirects not followed. [`HttpFetch`] fetches directly, [`TierFetch`] and
//! [`UnlockerFetch`] through a provider; [`HttpPost`] sends webhooks and payments. To add
//! a fetcher, implement [`Fetch`]; [`TierFetch`] limits it.

mod connector;
mod cookie_jar;
mod deadline;
mod decoding;
mod dialer;
mod error;
mod fetch;
mod http;
mod idle_limit;
mod name_table;
mod own_addresses;
mod page_script;
mod post;
mod proxy_addresses;
mod request;
mod resolver;
mod response;
mod site_headers;
mod tier;
mod tls;

pub use connector::Connector;
pub use cookie_jar::{CookieJar, SiteCookie};
pub use deadline::deadline_after;
pub use decoding::{Encoding, decode};
pub use dialer::{ByteStream, DialedStream};
pub use error::{FetchError, FetchResult, Phase, ProviderFault, RenderFault, SetupError};
pub use fetch::Fetch;
pub use http::{ConnectionPool, HttpFetch, HttpSettings, connection_of, fetch_error};
pub use idle_limit::TrackedConn;
pub use name_table::NameTable;
pub use own_addresses::OwnAddresses;
pub use page_script::{FailedStep, LoginScope, PageScript, ScriptOutcome, ScriptStep, WaitFor};
pub use post::{HttpPost, Post, PostResponse};
pub use request::{BodyLimit, FetchMethod, FetchRequest, RequestLimits};
pub use resolver::{GuardedResolver, ResolverSettings};
pub use response::FetchResponse;
pub use site_headers::{SiteHeaders, credential_headers};
pub use tier::{
    Endpoint, Proxy, ProxyError, TierFetch, TierLimits, Unlocker, UnlockerError, UnlockerFetch,
};
pub use tls::{tls_connector, unverified_tls_connector};
