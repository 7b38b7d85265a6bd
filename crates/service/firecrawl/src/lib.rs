//! The operations of Firecrawl that its clients use, on top of this service's own API.
//!
//! Each operation becomes calls of the API in this process ([`client::Client`]) with the caller's
//! credential, so that permissions, limits, charges and politeness are those of the API. The crate
//! has no access to the store. [`router`] serves `/v2` and `/firecrawl/v2`, and `/firecrawl/v1` for
//! old clients. `docs/firecrawl.md` is its documentation. The webhook of a crawl is that of its job, in
//! a format whose bodies [`delivery`] writes for the notifier.
//!
//! Every field of a request is in a table of `request_field`, which says whether it has an effect;
//! all others are errors. To add a field: its row there and in the documentation, and the code in
//! `scrape_options`, `crawl_request` or the file of its route in `routes/`. A mapped field that no
//! code reads is rejected as unknown.

mod crawl_request;
mod document;
mod firecrawl_error;
mod firecrawl_session;
mod job_origin;
mod page_actions;
mod request_body;
mod request_field;
mod routes;
mod scrape_format;
mod scrape_options;
mod webhook;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use client::Client;
use contract::Credits;

pub use webhook::{SIGNATURE_HEADER, SignedBody, delivery};

#[derive(Debug, Clone)]
pub struct FirecrawlSettings {
    /// Public URL of the service, without a slash at its end.
    pub public_url: String,
    /// Maximum bytes of a body; `body_timeout` is the time in which it must arrive.
    pub body_bytes: usize,
    pub body_timeout: Duration,
    /// The rate of a page at a protected site, which `proxy: "auto"` accepts.
    pub protected_rate: Credits,
    /// Days for which results are kept.
    pub results_days: u32,
}

/// The version of Firecrawl's API that a client speaks. The requests are the same; some responses
/// differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirecrawlVersion {
    V1,
    V2,
}

/// The state of the routes under one prefix.
#[derive(Debug)]
pub(crate) struct FirecrawlState {
    pub client: Client,
    pub settings: FirecrawlSettings,
    /// The path before the operations, as `/v2`.
    pub prefix: &'static str,
    pub version: FirecrawlVersion,
}

/// The prefixes of the operations. `/v1` is the API of this service.
const PREFIXES: [(&str, FirecrawlVersion); 3] = [
    ("/v2", FirecrawlVersion::V2),
    ("/firecrawl/v2", FirecrawlVersion::V2),
    ("/firecrawl/v1", FirecrawlVersion::V1),
];

/// The operations under all prefixes, over those of `client`.
pub fn router(client: &Client, settings: &FirecrawlSettings) -> Router {
    PREFIXES.into_iter().fold(Router::new(), |router, (prefix, version)| {
        let state =
            FirecrawlState { client: client.clone(), settings: settings.clone(), prefix, version };
        router.nest(prefix, routes::operations(Arc::new(state)))
    })
}
