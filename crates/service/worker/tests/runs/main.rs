//! Runs of workers over a SQLite database and simulated sites.

mod eviction;
mod harness;
mod panics;
