//! The HTTP API: one file per resource, one error shape.
//!
//! A handler authenticates the caller (`caller`), reads and validates the request (`body`, `query`,
//! `path`), calls `store`, and returns a type of `contract`. Every error is an `ApiError`, which
//! `request_context` renders as a [`contract::Problem`] with the request id. [`serve`] is the HTTP
//! server with its limits, [`openapi`] the document of all routes, `progress_hub` the fan-out of
//! live progress.
//!
//! To add a route: write a handler with its `#[utoipa::path]` in the file of its resource in
//! `routes/`, and add it to `described_routes` in `router.rs`. Give the schemas of its bodies an
//! example in `openapi/examples.json`. Errors that every such route has are added to the document;
//! the others are listed in `x-problems`.

mod address;
mod api_error;
mod archived_pages;
mod body;
mod caller;
mod compression;
mod credential_limits;
mod explanation;
mod file_lengths;
mod guarded_body;
mod item_files;
mod keyed_limit;
mod keyed_lock;
mod metrics;
mod oauth;
mod openapi;
mod operator_token;
mod path;
mod progress;
mod progress_hub;
mod query;
mod query_names;
mod receiver_url;
mod request_context;
mod request_policy;
mod result_query;
mod result_stream;
mod router;
mod routes;
mod serve;
mod settings;
mod state;
mod stored_filter;
mod token_bucket;

pub use archived_pages::{archive_subject, archived_pages};
pub use compression::compressed;
pub use explanation::{ExplainError, explain_url};
pub use metrics::{Metrics, MetricsError, report_queue};
pub use operator_token::OperatorToken;
pub use progress::{ProgressReader, ProgressSnapshot};
pub use progress_hub::StreamLimits;
pub use router::{openapi, router, router_with};
pub use routes::pages::answer_forwarded_pages;
pub use routes::service::{health_router, metrics_router};
pub use serve::{
    CertificateFacts, ConnectionLimits, ServerListener, ServerTls, ServerTlsError, SocketInUse,
    serve,
};
pub use settings::{ApiSettings, Inbound, MetricsAccess, Registration};
pub use state::ApiState;
