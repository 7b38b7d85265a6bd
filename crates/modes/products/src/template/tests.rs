//! Learning, reading, keeping.

mod keeping;
mod lab;
mod learning;
