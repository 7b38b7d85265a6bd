//! OAuth 2.1, as applications and thieves meet it.

mod asking;
mod metadata;
mod reach;
mod registering;
mod tokens;
