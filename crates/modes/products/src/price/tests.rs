//! Price texts of shops.

mod round_trip;
mod spellings;
