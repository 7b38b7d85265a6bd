//! Runs over real sockets through hostile sites: each bad response affects its URL only, never the
//! run or other runs.

mod addresses;
mod bad_responses;
mod entries;
mod expectations;
mod harness;
mod robots;
