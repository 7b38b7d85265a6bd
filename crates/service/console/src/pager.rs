//! Pagination of lists.

use maud::{Markup, html};

use crate::ListQuery;
use crate::number_format::{count, number};

/// Position in a list and its total.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pager<'a> {
    path: &'a str,
    query: &'a ListQuery,
    page: u64,
    page_size: u64,
    total: u64,
    things: (&'a str, &'a str),
}

impl<'a> Pager<'a> {
    /// The links of a page: its number, its size and the total of items. `things` is the singular
    /// and plural of the items.
    pub fn new(
        path: &'a str,
        query: &'a ListQuery,
        (page, page_size, total): (u64, u64, u64),
        things: (&'a str, &'a str),
    ) -> Self {
        Self { path, query, page, page_size, total, things }
    }

    pub fn show(&self) -> Markup {
        let before = (self.page - 1).saturating_mul(self.page_size);
        let shown = self.total.saturating_sub(before).min(self.page_size);
        self.show_items(before, shown)
    }

    /// For lists whose pages may have fewer than `page_size` items: this page has `shown` items
    /// after `before` others.
    pub fn show_items(&self, before: u64, shown: u64) -> Markup {
        let (first_shown, last_shown) = (before.saturating_add(1), before.saturating_add(shown));
        let last = if last_shown < self.total { self.page + 1 } else { self.page };
        let to = |page: u64| self.query.with("page", page).on(self.path);
        html! {
            nav.pager aria-label="Pages" {
                @if self.page > 1 { a.button href=(to(self.page - 1)) rel="prev" { "Previous" } }
                @if self.page < last { a.button href=(to(self.page + 1)) rel="next" { "Next" } }
                span {
                    @if first_shown <= last_shown && last > 1 {
                        (number(first_shown)) "–" (number(last_shown)) " of "
                    }
                    (count(self.total, self.things.0, self.things.1))
                }
            }
        }
    }
}

/// Links to the previous and next page of a list without a total, newest first.
pub(crate) fn newer_and_older(path: &str, query: &ListQuery, page: u64, has_more: bool) -> Markup {
    let to = |page: u64| query.with("page", page).on(path);
    html! {
        nav.pager aria-label="Pages" {
            @if page > 1 { a.button href=(to(page - 1)) rel="prev" { "Newer" } }
            @if has_more { a.button href=(to(page + 1)) rel="next" { "Older" } }
        }
    }
}

/// The page number of a query; 1 if it is missing or invalid.
pub(crate) fn page_of(query: &ListQuery) -> u64 {
    query.get("page").and_then(|page| page.parse().ok()).filter(|page| *page > 0).unwrap_or(1)
}

/// The page size of a query, within bounds.
pub(crate) fn page_size_of(query: &ListQuery, default: u64, most: u64) -> u64 {
    let asked = query.get("page_size").and_then(|size| size.parse().ok()).unwrap_or(default);
    asked.clamp(1, most.max(1))
}
