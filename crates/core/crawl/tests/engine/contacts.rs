//! Visits to domains: entry URLs, pages and records.

mod entry_urls;
mod many_domains;
mod outcomes;
mod pages;
mod visit_harness;
