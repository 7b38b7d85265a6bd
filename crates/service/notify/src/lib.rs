//! Webhook deliveries: sign, send, retry.
//!
//! Each event is stored with one delivery per subscribed endpoint. A [`Notifier`] leases endpoints,
//! sends their due deliveries concurrently, and stores the outcomes. A dead or slow receiver delays
//! only its own deliveries: each endpoint has a concurrency window, and degraded endpoints share a
//! separate pool of slots.
//!
//! A webhook of a job can have another format than that of the API, for example that of Firecrawl: the
//! binary gives the notifier its [`DeliveryFormat`]. The engine is the same for all formats.
//!
//! [`RetrySchedule`] holds the pauses between attempts, [`Signature`] the HMAC header. To change
//! what an attempt sends, see `sender.rs`; every attempt runs in a `delivery` span.

mod delivery_format;
mod endpoint_window;
mod message;
mod notifier;
mod retry_schedule;
mod sender;
mod signature;

pub use delivery_format::{DeliveryFormat, RenderedDelivery, ReportedJob};
pub use notifier::{Notifier, NotifierSettings};
pub use retry_schedule::{RetrySchedule, RetryScheduleError};
pub use signature::Signature;
