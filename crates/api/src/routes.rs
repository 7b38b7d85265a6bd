//! The routes, a file each.

pub(crate) mod abort_job;
pub(crate) mod bot;
pub(crate) mod confirm_job;
pub(crate) mod create_job;
pub(crate) mod create_key;
pub(crate) mod docs;
pub(crate) mod end_session;
pub(crate) mod estimate;
pub(crate) mod get_account;
pub(crate) mod get_job;
pub(crate) mod get_metrics;
pub(crate) mod get_openapi;
pub(crate) mod get_results;
pub(crate) mod get_skipped;
pub(crate) mod get_usage;
pub(crate) mod healthz;
pub(crate) mod index;
pub(crate) mod list_jobs;
pub(crate) mod list_keys;
pub(crate) mod open_session;
pub(crate) mod readyz;
pub(crate) mod revoke_key;
