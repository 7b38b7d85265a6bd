//! The console over real HTTP, without a browser. The browser tests are in `crates/trawl`.

mod account;
mod confirm;
mod docs;
mod forms;
mod harness;
mod new_password;
mod oauth_consent;
mod operator;
mod read_and_map;
mod response_headers;
mod runs;
mod sign_in;
mod welcome;
