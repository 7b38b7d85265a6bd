//! Tests of learning, reading and encoding templates.

mod encoding;
mod lab;
mod learning;
