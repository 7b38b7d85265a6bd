//! Buying credits when a balance runs low: ask the payment provider, grant or tell, back off.
//!
//! A purchase is a row of the store before anybody is asked, and its id is the provider's
//! idempotency key. However often it is asked about, by however many nodes, and whoever dies
//! in between: the provider takes the money once, and the credits are granted once.

mod recharger;
mod stripe;

pub use recharger::{Recharger, RechargerSettings};
pub use stripe::{Stripe, StripeKey};
