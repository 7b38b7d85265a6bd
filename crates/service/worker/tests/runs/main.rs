//! Runs of workers over a SQLite database and simulated sites.

mod eviction;
mod golden;
mod harness;
mod lab_sites;
mod newer_release;
mod panics;
mod postgres_copy;
