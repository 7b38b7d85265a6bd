//! Webhooks: real receivers over TLS on loopback, good and bad.

mod bad_receivers;
mod crash;
mod events;
mod firecrawl_crawls;
pub mod harness;
mod of_jobs;
mod retries;
mod verifiers;
