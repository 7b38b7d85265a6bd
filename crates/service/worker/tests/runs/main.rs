//! Runs of real workers over a SQLite database and made-up sites.

mod bench;
mod eviction;
mod panics;
