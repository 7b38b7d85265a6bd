//! Tests of product pages: quality on the lab shops, each source alone, and hostile pages.

mod bad_input;
mod goals;
mod layouts;
mod scoring;
mod sources;
