//! The results of all modes as a table that is ordered by links, without script.

use contract::Mode;
use maud::{Markup, html};
use serde_json::Value;

use super::RunPage;
use super::item_files::item_files;
use super::result_cell::{IN_TABLE, cell};
use super::result_items::{ShownItems, values_at};
use super::result_view::{ModeView, ResultsView, heading, is_number};
use crate::ListQuery;
use crate::link::is_web;

/// The table of the shown items.
pub(super) fn show(run: &RunPage, view: &ResultsView<'_>, shown: &ShownItems) -> Markup {
    let path = run.path("/results");
    html! {
        div.scroll tabindex="0" role="region" aria-label="Results" {
            table {
                caption.hidden-label { "Results of the run" }
                thead { tr {
                    @for (place, column) in view.columns.iter().enumerate() {
                        @let order = view.sort.filter(|(sorted, _)| sorted == column);
                        @let order = order.map(|(_, descends)| if descends { "descending" } else { "ascending" });
                        th scope="col" class=(class(column, place)) aria-sort=[order] {
                            a href=(view.by(column).on(&path)) {
                                (heading(column))
                                @match order {
                                    Some("ascending") => span aria-hidden="true" { " ↑" },
                                    Some(_) => span aria-hidden="true" { " ↓" },
                                    None => {}
                                }
                            }
                        }
                    }
                } }
                tbody {
                    @for (number, item) in (shown.offset + 1..).zip(&shown.items) {
                        (row(run, view, item, shown.is_positioned.then_some(number)))
                    }
                }
            }
        }
    }
}

/// Numbers are aligned to the right; columns after the third need a wide screen.
fn class(column: &contract::ExportColumn, place: usize) -> &'static str {
    match (is_number(column), place) {
        (_, 0) => "url",
        (true, 1..=3) => "number",
        (true, _) => "number wide",
        (false, 1..=3) => "",
        (false, _) => "wide",
    }
}

fn row(run: &RunPage, view: &ResultsView<'_>, item: &Value, number: Option<u64>) -> Markup {
    html! {
        tr {
            @for (place, column) in view.columns.iter().enumerate() {
                td class=(class(column, place)) {
                    @if place == 0 {
                        (key_cell(run, view.mode, item, number))
                    } @else if column.name == "status_code" && values_at(item, column.path).is_empty() {
                        (no_status(item))
                    } @else {
                        (cell(item, column, IN_TABLE))
                    }
                }
            }
        }
    }
}

/// Title and key of an item, with links to its page here and at the site.
fn key_cell(run: &RunPage, mode: Mode, item: &Value, number: Option<u64>) -> Markup {
    let key = key_of(mode, item);
    let title = title_of(mode, item);
    let (shown, hint) = match title {
        Some(title) if mode.lists_urls() => (key, Some(title)),
        Some(title) => (title, Some(key)),
        None => (key, None),
    };
    let url = if mode.visits_domains() { format!("https://{key}/") } else { key.to_owned() };
    html! {
        a href=(detail_path(run, key, number)) { (shown) }
        @if is_web(&url) {
            " "
            a.outside href=(url) rel="noopener noreferrer nofollow" target="_blank"
                aria-label={ "Open " (url) } { "↗" }
        }
        @if let Some(hint) = hint { br; span.hint { (hint) } }
        (notes(item))
        @if let Some(files) = item.get("files") {
            @let files = serde_json::from_value(files.clone()).ok();
            @if files.is_some() { br; (item_files(files.as_ref())) }
        }
    }
}

/// The key of an item: its URL or domain.
pub(super) fn key_of(mode: Mode, item: &Value) -> &str {
    item.get(registry::item_schema(mode).comparison.key).and_then(Value::as_str).unwrap_or_default()
}

/// The title of an item, if it has one.
pub(super) fn title_of(mode: Mode, item: &Value) -> Option<&str> {
    let title = values_at(item, ModeView::of(mode).title).into_iter().next()?;
    title.as_str().map(str::trim).filter(|title| !title.is_empty())
}

/// The page of an item: by its position if that is known.
fn detail_path(run: &RunPage, key: &str, number: Option<u64>) -> String {
    match number {
        Some(number) => run.path(&format!("/results/{number}")),
        None => ListQuery::default().with("key", key).on(&run.path("/result")),
    }
}

/// Why there is no status: the failure, or nothing was requested.
fn no_status(item: &Value) -> Markup {
    html! {
        @match item.get("error").and_then(Value::as_str) {
            Some(error) => span.chip.warn { (error.replace('_', " ")) },
            None => span.quiet { "–" },
        }
    }
}

fn notes(item: &Value) -> Markup {
    let is = |name: &str, value: bool| item.get(name) == Some(&Value::Bool(value));
    let has = |name: &str| item.get(name).is_some_and(|value| !value.is_null());
    html! {
        @if is("external", true) { " " span.chip { "external" } }
        @if is("orphan", true) { " " span.chip.warn { "orphan" } }
        @if is("indexable", false) { " " span.chip { "not indexable" } }
        @if has("duplicate_of") { " " span.chip { "duplicate" } }
    }
}
