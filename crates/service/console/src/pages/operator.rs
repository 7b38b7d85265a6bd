//! `/operator`: pages of the operator. Other users get 404.

mod account;
mod account_retention;
mod accounts;
mod audit;
mod password;
mod queue;
mod refusals;
mod settings;
mod tab;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::{ConsoleState, ConsoleUser, PageError, PageResult};

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .merge(accounts::routes())
        .merge(account::routes())
        .merge(settings::routes())
        .merge(queue::routes())
        .merge(refusals::routes())
        .merge(audit::routes())
}

/// A user with the operator role.
#[derive(Debug)]
struct Operator(ConsoleUser);

impl Operator {
    fn of(user: ConsoleUser) -> PageResult<Self> {
        if user.admin { Ok(Self(user)) } else { Err(PageError::NotFound) }
    }
}

impl FromRequestParts<ConsoleState> for Operator {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &ConsoleState) -> PageResult<Self> {
        Self::of(ConsoleUser::from_request_parts(parts, state).await?)
    }
}
