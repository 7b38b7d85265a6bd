//! Webhooks through the binary: real receivers over TLS on loopback, good and bad.

mod crash;
mod events;
mod misdeeds;
mod retries;
mod scene;
mod verifiers;
