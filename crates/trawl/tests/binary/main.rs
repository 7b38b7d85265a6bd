//! The binary as people meet it: started for real, asked over HTTP, killed at any
//! instant. PostgreSQL comes from `TRAWL_TEST_POSTGRES`, which `scripts/test` sets.

mod accounts;
mod administration;
mod batches;
mod comfort;
mod console;
mod contacts;
mod crash;
mod crawling;
mod database;
mod dns;
mod egress;
mod exporting;
mod extracting;
mod finding;
mod isolation;
mod law;
mod mcp;
mod oauth;
mod outage;
mod quickstarts;
mod reading;
mod rendering;
mod samples;
mod scheduling;
mod selling;
mod server;
mod serving;
mod starting;
mod stopping;
mod top_up;
mod walled_scene;
mod walls;
mod watching;
mod webhooks;
