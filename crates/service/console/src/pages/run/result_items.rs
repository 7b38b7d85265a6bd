//! Reads the results that a page shows.

use std::cmp::Ordering;

use contract::{ColumnKind, ExportColumn, ResultsPage};
use serde_json::Value;

use super::RunPage;
use super::result_view::{ResultsView, ViewKind};
use crate::pager::{page_of, page_size_of};
use crate::{ListQuery, PageResult};

/// Maximum selected items that are ordered and counted; an export has all of them.
const MAX_ITEMS: usize = 10_000;

/// Maximum bytes of these items, approximately.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Maximum requests for a selection: each examines at most 20,000 items.
const MAX_REQUESTS: usize = 20;

/// The items of a page of results.
#[derive(Debug)]
pub(super) struct ShownItems {
    pub items: Vec<Value>,
    /// Number of selected items before the first one.
    pub offset: u64,
    /// Number of selected items, as far as they were counted.
    pub total: u64,
    pub page: u64,
    pub page_size: u64,
    /// Whether there are selected items that were not counted.
    pub is_partial: bool,
    /// The cursor of the next page, for pages of a selection in another form than the table.
    pub next: Option<String>,
    /// Whether `offset` is the position among all results of the run.
    pub is_positioned: bool,
}

/// Reads the page that the view requests.
pub(super) async fn shown(run: &RunPage, view: &ResultsView<'_>) -> PageResult<ShownItems> {
    let default = match view.kind {
        ViewKind::Table => 100,
        ViewKind::Cards => 60,
        ViewKind::Json => 10,
    };
    let page = page_of(view.query);
    let page_size = page_size_of(view.query, default, run.user.state.settings.page_size_max);
    let is_table = view.kind == ViewKind::Table;
    let fields = if is_table { view.fields() } else { String::new() };
    // Cards and JSON keep the order of discovery.
    if view.is_plain() || (!is_table && view.selects_all()) {
        let asked = ListQuery::default().with("page", page).with("page_size", page_size);
        let found = read(run, &asked.with("fields", fields)).await?;
        return Ok(ShownItems {
            items: found.items,
            offset: found.offset,
            total: found.total,
            page,
            page_size,
            is_partial: false,
            next: None,
            is_positioned: true,
        });
    }
    if !is_table {
        let cursor = view.query.get("cursor").unwrap_or_default();
        let asked = view.api_query().with("page_size", page_size).with("cursor", cursor);
        let found = read(run, &asked).await?;
        return Ok(ShownItems {
            total: found.items.len() as u64,
            items: found.items,
            offset: 0,
            page: 1,
            page_size,
            is_partial: found.has_more,
            next: found.next_cursor.filter(|_| found.has_more),
            is_positioned: false,
        });
    }
    let (mut items, is_partial) = selected(run, view, &fields).await?;
    if let Some((column, descends)) = view.sort {
        sort(&mut items, column, descends);
    }
    let offset = (page - 1).saturating_mul(page_size);
    let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
    let kept = usize::try_from(page_size).unwrap_or(usize::MAX);
    Ok(ShownItems {
        total: items.len() as u64,
        items: items.into_iter().skip(skipped).take(kept).collect(),
        offset,
        page,
        page_size,
        is_partial,
        next: None,
        is_positioned: false,
    })
}

async fn read(run: &RunPage, asked: &ListQuery) -> PageResult<ResultsPage<Value>> {
    Ok(run.api().get(&asked.on(&run.api_path("/results"))).await?)
}

/// The selected items in the order of discovery, and whether there are more of them.
async fn selected(
    run: &RunPage,
    view: &ResultsView<'_>,
    fields: &str,
) -> PageResult<(Vec<Value>, bool)> {
    let size = run.user.state.settings.page_size_max.clamp(1, 1_000);
    let asked = view.api_query().with("page_size", size).with("fields", fields);
    let (mut items, mut bytes, mut cursor) = (Vec::new(), 0, String::new());
    for _ in 0..MAX_REQUESTS {
        let found = read(run, &asked.with("cursor", &cursor)).await?;
        bytes += found.items.iter().map(bytes_of).sum::<usize>();
        items.extend(found.items);
        let next = found.next_cursor.filter(|_| found.has_more);
        let Some(next) = next else { return Ok((items, false)) };
        if items.len() >= MAX_ITEMS || bytes >= MAX_BYTES {
            break;
        }
        cursor = next;
    }
    items.truncate(MAX_ITEMS);
    Ok((items, true))
}

/// The approximate size of a value in memory.
fn bytes_of(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(members) => members.iter().map(bytes_of).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len() + bytes_of(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    inside + std::mem::size_of::<Value>()
}

/// The result with this position, counted from 1, and the number of all results.
pub(super) async fn at(run: &RunPage, place: u64) -> PageResult<(Option<Value>, u64)> {
    let found = read(run, &ListQuery::default().with("page", place).with("page_size", 1)).await?;
    Ok((found.items.into_iter().next(), found.total))
}

/// The result with this key.
pub(super) async fn with_key(run: &RunPage, key: &str) -> PageResult<Option<Value>> {
    let name = registry::item_schema(run.job.mode).comparison.key;
    let asked = ListQuery::default().with(&format!("filter[{name}]"), key).with("page_size", 1);
    let mut cursor = String::new();
    for _ in 0..MAX_REQUESTS {
        let found = read(run, &asked.with("cursor", &cursor)).await?;
        if let Some(item) = found.items.into_iter().next() {
            return Ok(Some(item));
        }
        match found.next_cursor.filter(|_| found.has_more) {
            Some(next) => cursor = next,
            None => break,
        }
    }
    Ok(None)
}

/// The values at a path of an item, with those of all members of lists on it.
pub(super) fn values_at<'i>(item: &'i Value, path: &[&str]) -> Vec<&'i Value> {
    match (item, path) {
        (Value::Array(members), _) => {
            members.iter().flat_map(|member| values_at(member, path)).collect()
        }
        (Value::Object(members), [name, rest @ ..]) => {
            members.get(*name).map_or_else(Vec::new, |member| values_at(member, rest))
        }
        (Value::Null, _) | (_, [_, ..]) => Vec::new(),
        (value, []) => vec![value],
    }
}

/// Orders items by their first value of a column; items without a value are last. Equal items keep
/// the order of discovery.
fn sort(items: &mut [Value], column: &ExportColumn, descends: bool) {
    items.sort_by_cached_key(|item| {
        let value = values_at(item, column.path).into_iter().next();
        SortKey { value: value.map(|value| sort_value(column.kind, value)), descends }
    });
}

fn sort_value(kind: ColumnKind, value: &Value) -> SortValue {
    match kind {
        ColumnKind::Integer | ColumnKind::Real | ColumnKind::Decimal => {
            let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
            SortValue::Number(number.unwrap_or(f64::NAN))
        }
        ColumnKind::Truth => SortValue::Number(f64::from(u8::from(value == &Value::Bool(true)))),
        ColumnKind::Text | ColumnKind::Moment => {
            SortValue::Text(value.as_str().map(str::to_lowercase).unwrap_or_default())
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum SortValue {
    Number(f64),
    Text(String),
}

/// The place of an item in the order of a column.
#[derive(Debug, Clone, PartialEq)]
struct SortKey {
    value: Option<SortValue>,
    descends: bool,
}

impl Eq for SortKey {}

impl PartialOrd for SortKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SortKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = match (&self.value, &other.value) {
            (Some(SortValue::Number(a)), Some(SortValue::Number(b))) => a.total_cmp(b),
            (Some(SortValue::Text(a)), Some(SortValue::Text(b))) => a.cmp(b),
            (Some(SortValue::Number(_)), Some(SortValue::Text(_))) => Ordering::Less,
            (Some(SortValue::Text(_)), Some(SortValue::Number(_))) => Ordering::Greater,
            // Without a value: last in both directions.
            (Some(_), None) => return Ordering::Less,
            (None, Some(_)) => return Ordering::Greater,
            (None, None) => return Ordering::Equal,
        };
        if self.descends { order.reverse() } else { order }
    }
}

#[cfg(test)]
mod tests {
    use contract::export_columns;
    use serde_json::json;

    use super::*;

    const COLUMNS: &[ExportColumn] =
        export_columns!["url" 60, "price" 10 decimal, "emails"."value" 30 list];

    #[test]
    fn items_are_ordered_by_value_and_those_without_are_last() {
        let items = [
            json!({"url": "b", "price": "10.50", "emails": []}),
            json!({"url": "A", "price": null, "emails": [{"value": "x"}, {"value": "a"}]}),
            json!({"url": "c", "price": "9.90", "emails": [{"value": "B"}]}),
        ];
        let ordered = |column: usize, descends: bool| {
            let mut items = items.clone();
            sort(&mut items, &COLUMNS[column], descends);
            items.map(|item| item["url"].as_str().expect("a text").to_owned())
        };
        assert_eq!(ordered(0, false), ["A", "b", "c"]);
        assert_eq!(ordered(1, false), ["c", "b", "A"]);
        assert_eq!(ordered(1, true), ["b", "c", "A"]);
        assert_eq!(ordered(2, false), ["c", "A", "b"]);
    }
}
