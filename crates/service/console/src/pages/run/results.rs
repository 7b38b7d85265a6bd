//! The results of a run, rendered by mode.

use contract::Mode;

use super::{RunPage, contacts, markdown_pages, products, url_table};
use crate::{ListQuery, PageResult};

pub(super) async fn show(run: RunPage, query: ListQuery) -> PageResult {
    match run.job.mode {
        Mode::Links | Mode::Sitemap => url_table::show(&run, &query).await,
        Mode::Markdown => markdown_pages::list(&run, &query).await,
        Mode::Products => products::show(&run, &query).await,
        Mode::Contacts => contacts::show(&run, &query).await,
    }
}
