//! The console over real HTTP, without a browser: what it answers to whom, and what it refuses.
//! How its pages look and work in a browser is tested with the binary, in `crates/trawl`.

mod account;
mod authorizing;
mod content_negotiation;
mod forms;
mod harness;
mod operator;
mod policy;
mod signing_in;
mod waiting;
