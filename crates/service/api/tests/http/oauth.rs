//! OAuth 2.1, as applications and thieves meet it.

mod authorization;
mod metadata;
mod registration;
mod scopes;
mod tokens;
