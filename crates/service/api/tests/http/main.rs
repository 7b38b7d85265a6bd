//! Tests of the API over TCP connections with a real store. Every response is checked against the
//! OpenAPI document.

mod abort_job;
mod api_keys;
mod assistants;
mod audit;
mod authentication;
mod auto_top_up;
mod changes;
mod compression;
mod confirm_job;
mod connections;
mod contacts;
mod create_job;
mod deliveries;
mod document;
mod estimate;
mod harness;

mod events;
mod exports;
mod get_account;
mod get_job;
mod get_results;
mod get_skipped;
mod get_usage;
mod http_errors;
mod ledger;
mod limits;
mod list_jobs;
mod markdown;
mod oauth;
mod outage;
mod products;
mod quotas;
mod rate_limits;
mod schedules;
mod secrets;
mod service;
mod session;
mod unknown_parameters;
mod watch_job;
mod webhooks;
