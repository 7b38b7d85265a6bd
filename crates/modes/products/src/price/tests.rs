//! Prices as shops spell them.

mod spellings;
mod written;
