//! End-to-end tests of the binary: real processes, HTTP, signals and kills. Tests that need
//! PostgreSQL or another program are ignored; `scripts/test` sets everything up and runs them.

mod accounts;
mod administration;
mod batches;
mod bot_protection;
mod completions_and_explain;
mod console;
mod contact_runs;
mod crash;
mod crawl_command;
mod database;
mod database_outage;
mod discovery;
mod dns;
mod egress;
mod exports;
mod extract_command;
mod isolation;
mod markdown_runs;
mod mcp;
mod oauth;
mod opt_outs;
mod pages;
mod product_runs;
mod progress;
mod protected_site;
mod protected_stop;
mod quickstarts;
mod rendering;
mod runs;
mod samples;
mod schedules;
mod server;
mod startup;
mod top_up;
mod webhooks;
