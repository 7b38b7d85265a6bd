//! `/operator`: the whole service, for whoever runs it. Nobody else learns that it is there.

mod accounts;
mod audit;
mod queue;
mod refusals;
mod tab;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::{ConsoleState, Failure, Person};

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .merge(accounts::routes())
        .merge(queue::routes())
        .merge(refusals::routes())
        .merge(audit::routes())
}

/// A person who runs the service.
#[derive(Debug)]
struct Operator(Person);

impl Operator {
    fn of(person: Person) -> Result<Self, Failure> {
        if person.admin { Ok(Self(person)) } else { Err(Failure::NotFound) }
    }
}

impl FromRequestParts<ConsoleState> for Operator {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &ConsoleState) -> Result<Self, Failure> {
        Self::of(Person::from_request_parts(parts, state).await?)
    }
}
