//! A value of a result in a table.

use contract::{ColumnKind, ExportColumn, Millis};
use maud::{Markup, html};
use serde_json::Value;

use super::result_items::values_at;
use super::url_row::{status_class, tone};
use crate::link::{is_web, link_as};
use crate::number_format::{number, time};

/// How much of a column is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellSize {
    pub values: usize,
    /// Maximum characters of a text.
    pub chars: usize,
}

/// The size of a cell of the table.
pub(super) const IN_TABLE: CellSize = CellSize { values: 3, chars: 120 };

/// The size of a value on the page of one result.
pub(super) const IN_DETAIL: CellSize = CellSize { values: 100, chars: 2_000 };

/// The first values of a column.
pub(super) fn cell(item: &Value, column: &ExportColumn, size: CellSize) -> Markup {
    let values = values_at(item, column.path);
    let more = values.len().saturating_sub(size.values);
    html! {
        @for (place, value) in values.iter().take(size.values).enumerate() {
            @if place > 0 { ", " }
            (shown(column, value, size.chars))
        }
        @if more > 0 { " +" (more) }
    }
}

fn shown(column: &ExportColumn, value: &Value, chars: usize) -> Markup {
    let text = value.as_str();
    match (column.name, column.kind) {
        ("status_code", _) => {
            let status = value.as_u64().and_then(|status| u16::try_from(status).ok());
            html! { span class={ "chip " (tone(status_class(status))) } { (plain(value, chars)) } }
        }
        ("availability" | "status", _) => state(text.unwrap_or_default()),
        ("extraction.warnings", _) => {
            html! { span.chip.warn { (text.unwrap_or_default().replace('_', " ")) } }
        }
        (_, ColumnKind::Truth) => {
            html! { @if value == &Value::Bool(true) { "yes" } @else { "no" } }
        }
        (_, ColumnKind::Integer) => match value.as_i64() {
            Some(value) => html! { (number(value)) },
            None => html! { (plain(value, chars)) },
        },
        (_, ColumnKind::Moment) => match text.and_then(Millis::parse_w3c) {
            Some(at) if text.is_some_and(|text| text.contains('T')) => time(at),
            _ => html! { (plain(value, chars)) },
        },
        (_, ColumnKind::Text | ColumnKind::Real | ColumnKind::Decimal) => match text {
            Some(url) if is_web(url) => link_as(url, &cut(url, chars)),
            Some(text) => html! { (cut(text, chars)) },
            None => html! { (plain(value, chars)) },
        },
    }
}

/// A state of an item as a coloured label.
fn state(word: &str) -> Markup {
    let tone = match word {
        "found" | "in_stock" => "good",
        "partial" | "preorder" | "backorder" => "warn",
        "blocked" | "unreachable" | "out_of_stock" | "discontinued" => "bad",
        _ => "",
    };
    html! { span class={ "chip " (tone) } { (word.replace('_', " ")) } }
}

fn plain(value: &Value, chars: usize) -> String {
    cut(&value.as_str().map_or_else(|| value.to_string(), str::to_owned), chars)
}

/// The beginning of a long text.
fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use contract::export_columns;
    use serde_json::json;

    use super::*;

    const COLUMNS: &[ExportColumn] = export_columns![
        "url" 60, "status_code" 10 integer, "emails"."value" 30 list, "words" 8 integer,
        "fetched_at" 20 moment,
    ];

    #[test]
    fn values_are_escaped_cut_and_formatted() {
        let item = json!({
            "url": "javascript:alert(1)", "status_code": 404, "words": 12345,
            "emails": [{"value": "<b>"}, {"value": "b"}, {"value": "c"}],
            "fetched_at": "2026-11-15T10:00:00.000Z",
        });
        let cells: Vec<_> = COLUMNS
            .iter()
            .map(|column| cell(&item, column, CellSize { values: 2, chars: 120 }).into_string())
            .collect();
        assert_eq!(cells[0], "javascript:alert(1)");
        assert_eq!(cells[1], "<span class=\"chip bad\">404</span>");
        assert_eq!(cells[2], "&lt;b&gt;, b +1");
        assert_eq!(cells[3], "12,345");
        assert!(cells[4].starts_with("<time datetime="), "{}", cells[4]);
        let long = json!({"url": "x".repeat(500)});
        let shown = cell(&long, &COLUMNS[0], IN_TABLE).into_string();
        assert_eq!(shown.chars().count(), IN_TABLE.chars + 1);
    }
}
