//! The service over HTTP: one file a route, one shape for every refusal.
//!
//! Nothing is decided here that another room decides: a request is read, judged for
//! its form and handed on; the answer is dressed. Whatever comes in, there is an
//! answer with a request id or a closed connection.

mod address;
mod attend;
mod audience;
mod body;
mod bucket;
mod caller;
mod compression;
mod exporting;
mod fault;
mod file_lengths;
mod held_body;
mod limits;
mod metrics;
mod oauth;
mod openapi;
mod operator_token;
mod path;
mod progress;
mod query;
mod query_names;
mod router;
mod routes;
mod scheduling;
mod serve;
mod settings;
mod shares;
mod state;

pub use audience::Seats;
pub use compression::compressed;
pub use exporting::{ExportFailure, format_of, write_results};
pub use metrics::{Metrics, MetricsError};
pub use openapi::openapi;
pub use operator_token::OperatorToken;
pub use progress::{Look, ProgressWatch};
pub use router::{router, router_with};
pub use routes::get_metrics::metrics_router;
pub use serve::serve;
pub use settings::{ApiSettings, Inbound, MetricsAccess, Registration};
pub use state::ApiState;
