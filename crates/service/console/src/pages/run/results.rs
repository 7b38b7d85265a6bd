//! The results of a run, in the shape of its mode.

use axum::extract::State;
use axum::response::Response;
use contract::Mode;

use super::{Run, contacts, inventory, products, texts};
use crate::{ConsoleState, Failure, Query};

pub(super) async fn show(
    State(state): State<ConsoleState>,
    run: Run,
    query: Query,
) -> Result<Response, Failure> {
    match run.job.mode {
        Mode::Links | Mode::Sitemap => inventory::show(&run, &state, &query).await,
        Mode::Markdown => texts::list(&run, &state, &query).await,
        Mode::Products => products::show(&run, &state, &query).await,
        Mode::Contacts => contacts::show(&run, &state, &query).await,
    }
}
