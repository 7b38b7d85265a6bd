//! Automatic purchases of credits (recharges) when a balance is low.
//!
//! A [`Recharger`] opens recharges for accounts below their threshold and charges them through
//! [`Stripe`]. A recharge is stored before the provider is called, and its id is the provider's
//! idempotency key: with any number of retries, nodes and crashes the provider charges once and the
//! credits are granted once.
//!
//! To add a payment provider: return a `ChargeOutcome` for each of its responses, as `stripe.rs`
//! does. `recharger.rs` decides how a recharge continues after each outcome.

mod recharger;
mod stripe;

pub use recharger::{Recharger, RechargerSettings};
pub use stripe::{Stripe, StripeKey};
