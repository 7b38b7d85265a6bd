//! The pages, a room each.

mod sign_in;

use axum::Router;

use crate::ConsoleState;

/// Every page.
pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().merge(sign_in::routes())
}
