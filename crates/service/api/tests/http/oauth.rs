//! OAuth 2.1: registration, authorization, tokens and attacks on them.

mod authorization;
mod metadata;
mod registration;
mod scopes;
mod tokens;
