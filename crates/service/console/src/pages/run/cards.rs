//! A page of results as cards.

use maud::{Markup, html};
use serde::de::DeserializeOwned;

use super::RunPage;
use crate::pager::{Pager, page_of, page_size_of};
use crate::{ListQuery, PageResult};

const PAGE_SIZE: u64 = 60;

/// The cards of the requested page; `things` is the singular and plural of the items.
pub(super) async fn cards<T: DeserializeOwned>(
    run: &RunPage,
    query: &ListQuery,
    things: (&'static str, &'static str),
    card: fn(&T) -> Markup,
) -> PageResult<Markup> {
    let size = page_size_of(query, PAGE_SIZE, run.user.state.settings.page_size_max);
    let page = page_of(query);
    let found = run.results::<T>(page, size).await?;
    let path = run.path("/results");
    Ok(html! {
        @if found.items.is_empty() { p.empty { "No results." } }
        div.cards { @for item in &found.items { (card(item)) } }
        (Pager::new(&path, query, (page, size, found.total), things)
            .show_items(found.offset, found.items.len() as u64))
    })
}
