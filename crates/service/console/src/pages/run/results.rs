//! The results of a run, rendered by mode.

use axum::extract::State;
use contract::Mode;

use super::{RunPage, contacts, markdown_pages, products, url_table};
use crate::{ConsoleState, ListQuery, PageResult};

pub(super) async fn show(
    State(state): State<ConsoleState>,
    run: RunPage,
    query: ListQuery,
) -> PageResult {
    match run.job.mode {
        Mode::Links | Mode::Sitemap => url_table::show(&run, &state, &query).await,
        Mode::Markdown => markdown_pages::list(&run, &state, &query).await,
        Mode::Products => products::show(&run, &state, &query).await,
        Mode::Contacts => contacts::show(&run, &state, &query).await,
    }
}
