//! The operations under one prefix.

mod batch;
mod crawl;
mod job_errors;
mod job_snapshot;
mod job_status;
mod map;
mod page_content;
mod scrape;
mod team;
mod watch_job;

use std::sync::Arc;

use axum::Router;
use axum::http::{Method, Uri};
use axum::routing::{get, post};

use crate::FirecrawlState;
use crate::firecrawl_error::FirecrawlError;

/// All operations. Any other path is an error that says so.
pub(crate) fn operations(state: Arc<FirecrawlState>) -> Router {
    Router::new()
        .route("/scrape", post(scrape::scrape))
        .route("/batch/scrape", post(batch::start_batch))
        .route("/batch/scrape/{id}", get(job_status::batch_status).delete(job_status::cancel_batch))
        // The npm client of version 1 reads errors with DELETE.
        .route(
            "/batch/scrape/{id}/errors",
            get(job_errors::batch_errors).delete(job_errors::batch_errors),
        )
        .route("/crawl", post(crawl::start_crawl))
        .route("/crawl/active", get(crawl::active_crawls))
        .route("/crawl/ongoing", get(crawl::active_crawls))
        .route("/crawl/{id}", get(job_status::crawl_status).delete(job_status::cancel_crawl))
        .route("/crawl/{id}/errors", get(job_errors::crawl_errors).delete(job_errors::crawl_errors))
        .route("/map", post(map::map))
        .route("/team/credit-usage", get(team::credit_usage))
        .route("/team/queue-status", get(team::queue_status))
        .route("/concurrency-check", get(team::concurrency))
        .fallback(unsupported)
        .method_not_allowed_fallback(unsupported)
        .with_state(state)
}

async fn unsupported(method: Method, uri: Uri) -> FirecrawlError {
    FirecrawlError::unsupported(&format!("{method} {}", uri.path()))
}
