//! The routes, one file per resource.

pub(crate) mod account;
pub(crate) mod api_keys;
pub(crate) mod applications;
pub(crate) mod auto_top_up;
pub(crate) mod create_job;
pub(crate) mod deliveries;
pub(crate) mod estimate;
pub(crate) mod explain;
pub(crate) mod exports;
pub(crate) mod jobs;
pub(crate) mod lists;
pub(crate) mod map_urls;
pub(crate) mod oauth_authorization;
pub(crate) mod oauth_metadata;
pub(crate) mod oauth_tokens;
pub(crate) mod page_files;
pub(crate) mod pages;
pub(crate) mod previews;
pub(crate) mod read_results;
pub(crate) mod register_application;
pub(crate) mod results;
pub(crate) mod schedules;
pub(crate) mod service;
pub(crate) mod sessions;
pub(crate) mod watch_job;
pub(crate) mod webhooks;
