//! Which texts are redacted and which are kept.

mod kept;
mod lab;
mod redacted;
