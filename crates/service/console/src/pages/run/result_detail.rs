//! One result with all its values, and as JSON.

use axum::extract::Path;
use contract::MarkdownItem;
use maud::{Markup, html};
use serde_json::Value;

use super::item_files::item_files;
use super::result_cell::{IN_DETAIL, cell};
use super::result_items::{at, values_at, with_key};
use super::result_table::{key_of, title_of};
use super::result_view::{ModeView, heading};
use super::tab::RunTab;
use super::{RunPage, markdown_pages};
use crate::link::link;
use crate::number_format::number;
use crate::{ListQuery, PageError, PageResult};

/// Maximum bytes of the JSON that the page shows.
const MAX_JSON_BYTES: usize = 256 * 1024;

/// The result with the position of the path, counted from 1.
pub(super) async fn by_number(
    run: RunPage,
    Path((_, place)): Path<(String, String)>,
) -> PageResult {
    let place: u64 = place.parse().map_err(|_| PageError::NotFound)?;
    let (item, total) = at(&run, place.max(1)).await?;
    let item = item.ok_or(PageError::NotFound)?;
    let nav = html! {
        nav.pager aria-label="Results" {
            @if place > 1 { a.button href=(run.path(&format!("/results/{}", place - 1))) rel="prev" { "Previous" } }
            @if place < total { a.button href=(run.path(&format!("/results/{}", place + 1))) rel="next" { "Next" } }
            span { (number(place)) " of " (number(total)) }
            a.button href=(run.path("/results")) { "All results" }
        }
    };
    Ok(run.tab(RunTab::Results, &html! { (content(&run, &item)) (nav) }))
}

/// The result with the URL or domain `key` of the query.
pub(super) async fn by_key(run: RunPage, query: ListQuery) -> PageResult {
    let key = query.get("key").ok_or(PageError::NotFound)?;
    let item = with_key(&run, key).await?.ok_or(PageError::NotFound)?;
    let nav = html! {
        nav.pager aria-label="Results" { a.button href=(run.path("/results")) { "All results" } }
    };
    Ok(run.tab(RunTab::Results, &html! { (content(&run, &item)) (nav) }))
}

fn content(run: &RunPage, item: &Value) -> Markup {
    let mode = run.job.mode;
    let key = key_of(mode, item);
    let columns = registry::item_schema(mode).item_columns().iter();
    // The text of a page is shown below.
    let columns = columns.filter(|column| column.name != "markdown");
    html! {
        h2 { (title_of(mode, item).unwrap_or(key)) }
        p { (link(key)) }
        @if let Some(files) = item.get("files") {
            p { (item_files(serde_json::from_value(files.clone()).ok().as_ref())) }
        }
        @if ModeView::of(mode).has_text {
            @if let Ok(page) = serde_json::from_value::<MarkdownItem>(item.clone()) {
                (markdown_pages::text(&page))
            }
        }
        section.panel aria-labelledby="values-title" {
            h2 #values-title { "Values" }
            dl.pairs {
                @for column in columns.filter(|column| !values_at(item, column.path).is_empty()) {
                    dt { (heading(column)) }
                    dd { (cell(item, column, IN_DETAIL)) }
                }
            }
        }
        (json(item))
    }
}

fn json(item: &Value) -> Markup {
    let text = serde_json::to_string_pretty(item).unwrap_or_default();
    html! {
        section.panel aria-labelledby="json-title" {
            div.copyline {
                h2 #json-title { "JSON" }
                button type="button" data-copies="json" hidden { "Copy" }
            }
            @if text.len() <= MAX_JSON_BYTES {
                pre.request tabindex="0" #json { (text) }
            } @else {
                p.quiet { "This result is too large to be shown here; an export has it." }
            }
        }
    }
}
