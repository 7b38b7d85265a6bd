//! Results of `links` and `sitemap`: a table that is sorted and filtered by links and a form,
//! without script.

use std::cmp::Ordering;

use contract::{FetchFault, ItemFiles, LinkType};
use maud::{Markup, html};
use serde::Deserialize;

use super::RunPage;
use super::item_files::item_files;
use super::result_sample::{ResultSample, partial};
use super::tab::RunTab;
use crate::link::link_as;
use crate::number_format::number;
use crate::pager::{Pager, page_of, page_size_of};
use crate::pages::runs::choice;
use crate::{ListQuery, PageResult};

const PAGE_SIZE: u64 = 100;

/// The members of a URL that the table shows.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct UrlRow {
    pub url: String,
    pub title: Option<String>,
    #[serde(rename = "type")]
    pub kind: LinkType,
    pub status_code: Option<u16>,
    pub error: Option<FetchFault>,
    pub depth: Option<u32>,
    pub inlinks: u64,
    pub external: bool,
    pub orphan: bool,
    pub indexable: Option<bool>,
    pub duplicate_of: Option<String>,
    #[serde(default)]
    pub files: Option<ItemFiles>,
}

/// The column that the table is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SortColumn {
    Url,
    Kind,
    Status,
    Depth,
    Inlinks,
}

impl SortColumn {
    const ALL: [Self; 5] = [Self::Url, Self::Kind, Self::Status, Self::Depth, Self::Inlinks];

    /// Its name in the query, its title, and its CSS class: numbers are right-aligned, less
    /// important columns need a wide screen.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Url => ("url", "URL", "url"),
            Self::Kind => ("type", "Type", "wide"),
            Self::Status => ("status", "Status", "number"),
            Self::Depth => ("depth", "Depth", "number"),
            Self::Inlinks => ("inlinks", "Inlinks", "number"),
        }
    }

    fn compare(self, a: &UrlRow, b: &UrlRow) -> Ordering {
        match self {
            Self::Url => a.url.cmp(&b.url),
            Self::Kind => a.kind.cmp(&b.kind),
            Self::Status => a.status_code.cmp(&b.status_code),
            Self::Depth => a.depth.cmp(&b.depth),
            Self::Inlinks => a.inlinks.cmp(&b.inlinks),
        }
    }
}

/// Sorting and filters of the table.
struct UrlTableQuery<'a> {
    query: &'a ListQuery,
    column: Option<SortColumn>,
    descending: bool,
}

impl<'a> UrlTableQuery<'a> {
    fn of(query: &'a ListQuery) -> Self {
        let column = query
            .get("sort")
            .and_then(|word| SortColumn::ALL.into_iter().find(|column| column.names().0 == word));
        Self { query, column, descending: query.get("order") == Some("desc") }
    }

    /// Whether the API pages can be shown unchanged.
    fn is_plain(&self) -> bool {
        self.column.is_none() && FILTERS.iter().all(|name| self.query.get(name).is_none())
    }

    fn admits(&self, row: &UrlRow) -> bool {
        let matches =
            |name: &str, holds: &dyn Fn(&str) -> bool| self.query.get(name).is_none_or(holds);
        matches("status", &|word| status_class(row) == word)
            && matches("type", &|word| row.kind.as_str() == word)
            && matches("q", &|text| {
                let text = text.to_lowercase();
                let title = row.title.as_deref().unwrap_or_default();
                row.url.to_lowercase().contains(&text) || title.to_lowercase().contains(&text)
            })
    }

    fn sort(&self, rows: &mut [UrlRow]) {
        if let Some(column) = self.column {
            // A stable sort keeps equal rows in the order of discovery.
            rows.sort_by(|a, b| {
                let order = column.compare(a, b);
                if self.descending { order.reverse() } else { order }
            });
        }
    }

    /// The query that sorts by a column; a second click reverses the order.
    fn by(&self, column: SortColumn) -> ListQuery {
        let turn = self.column == Some(column) && !self.descending;
        let order = if turn { "desc" } else { "asc" };
        self.query.with("page", "").with("sort", column.names().0).with("order", order)
    }

    fn aria_sort(&self, column: SortColumn) -> Option<&'static str> {
        (self.column == Some(column)).then_some(if self.descending {
            "descending"
        } else {
            "ascending"
        })
    }
}

const FILTERS: [&str; 3] = ["q", "status", "type"];

/// The class of the status, such as `2xx`; `none` without a response.
pub(super) fn status_class(row: &UrlRow) -> &'static str {
    match row.status_code {
        Some(200..300) => "2xx",
        Some(300..400) => "3xx",
        Some(400..500) => "4xx",
        Some(500..) => "5xx",
        Some(..200) | None => "none",
    }
}

pub(super) fn tone(class: &str) -> &'static str {
    match class {
        "2xx" => "good",
        "3xx" => "",
        "4xx" | "5xx" => "bad",
        _ => "warn",
    }
}

pub(super) async fn show(run: &RunPage, query: &ListQuery) -> PageResult {
    let wanted = UrlTableQuery::of(query);
    let (page, size) =
        (page_of(query), page_size_of(query, PAGE_SIZE, run.user.state.settings.page_size_max));
    let (items, total, seen) = if wanted.is_plain() {
        let found = run.results::<UrlRow>(page, size).await?;
        (found.items, found.total, None)
    } else {
        let mut sample = ResultSample::<UrlRow>::of(run).await?;
        let seen = sample.is_partial().then_some(sample.items.len());
        sample.items.retain(|row| wanted.admits(row));
        wanted.sort(&mut sample.items);
        let total = sample.items.len() as u64;
        let skipped = usize::try_from((page - 1).saturating_mul(size)).unwrap_or(usize::MAX);
        let kept = usize::try_from(size).unwrap_or(usize::MAX);
        (sample.items.into_iter().skip(skipped).take(kept).collect(), total, seen)
    };
    let path = run.path("/results");
    let content = html! {
        (filters(&wanted, &path))
        @if let Some(seen) = seen { (partial(run, seen)) }
        (table(&wanted, &path, &items))
        (Pager::new(&path, query, (page, size, total), ("URL", "URLs")).show())
    };
    Ok(run.tab(RunTab::Results, &content))
}

fn filters(wanted: &UrlTableQuery<'_>, path: &str) -> Markup {
    let query = wanted.query;
    let classes = ["2xx", "3xx", "4xx", "5xx", "none"];
    let kinds = LinkType::ALL.iter().map(|kind| kind.as_str());
    html! {
        form.filters method="get" action=(path) {
            div.field {
                label for="q" { "URL or title contains" }
                input id="q" name="q" type="search" value=(query.get("q").unwrap_or_default());
            }
            (choice(query, "status", "Status", classes.into_iter(), |class| match class {
                "none" => "no response".to_owned(),
                class => class.to_owned(),
            }))
            (choice(query, "type", "Type", kinds, str::to_owned))
            @for name in ["sort", "order"] {
                @if let Some(value) = query.get(name) { input type="hidden" name=(name) value=(value); }
            }
            button type="submit" { "Filter" }
            @if !wanted.is_plain() { a href=(path) { "As found" } }
        }
    }
}

fn table(wanted: &UrlTableQuery<'_>, path: &str, items: &[UrlRow]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="URLs" {
            @if items.is_empty() {
                p.empty { "No results." }
            } @else {
                table {
                    thead { tr {
                        @for column in SortColumn::ALL {
                            @let (_, title, class) = column.names();
                            th scope="col" class=(class)
                                aria-sort=[wanted.aria_sort(column)] {
                                a href=(wanted.by(column).on(path)) {
                                    (title)
                                    @if let Some(order) = wanted.aria_sort(column) {
                                        span aria-hidden="true" { @if order == "ascending" { " ↑" } @else { " ↓" } }
                                    }
                                }
                            }
                        }
                        th.wide scope="col" { "Notes" }
                    } }
                    (rows(items))
                }
            }
        }
    }
}

fn rows(items: &[UrlRow]) -> Markup {
    html! {
        tbody {
            @for row in items {
                tr {
                    td.url {
                        (link_as(&row.url, &row.url))
                        @if let Some(title) = &row.title { br; span.hint { (title) } }
                        @if row.files.is_some() { br; (item_files(row.files.as_ref())) }
                    }
                    td.wide { (row.kind) }
                    td.number { (status_of(row)) }
                    td.number { @if let Some(depth) = row.depth { (depth) } }
                    td.number { (number(row.inlinks)) }
                    td.wide { (notes(row)) }
                }
            }
        }
    }
}

fn status_of(row: &UrlRow) -> Markup {
    let tone = match tone(status_class(row)) {
        "good" => "chip good",
        "bad" => "chip bad",
        "warn" => "chip warn",
        _ => "chip",
    };
    html! {
        @match (row.status_code, row.error) {
            (Some(code), _) => span class=(tone) { (code) },
            (None, Some(fault)) => span class=(tone) { (fault.as_str().replace('_', " ")) },
            (None, None) => span.quiet { "–" },
        }
    }
}

fn notes(row: &UrlRow) -> Markup {
    html! {
        @if row.external { span.chip { "external" } " " }
        @if row.orphan { span.chip.warn { "orphan" } " " }
        @if row.indexable == Some(false) { span.chip { "not indexable" } " " }
        @if row.duplicate_of.is_some() { span.chip { "duplicate" } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(url: &str, status: Option<u16>, inlinks: u64) -> UrlRow {
        let value = json!({
            "url": url, "title": "A <title>", "type": "page", "status_code": status, "error": null,
            "depth": 1, "inlinks": inlinks, "external": false, "orphan": false,
            "indexable": true, "duplicate_of": null,
        });
        serde_json::from_value(value).expect("a row")
    }

    #[test]
    fn rows_are_sorted_and_filtered() {
        let mut all = vec![
            row("http://a/2", Some(200), 5),
            row("http://a/1", None, 9),
            row("http://b/", Some(404), 5),
        ];
        let query = ListQuery::parse("sort=inlinks&order=desc");
        let wanted = UrlTableQuery::of(&query);
        wanted.sort(&mut all);
        let order: Vec<_> = all.iter().map(|row| row.url.as_str()).collect();
        assert_eq!(order, ["http://a/1", "http://a/2", "http://b/"]);
        assert_eq!(wanted.by(SortColumn::Inlinks).on(""), "?sort=inlinks&order=asc");
        let left = |query: &str| {
            let query = ListQuery::parse(query);
            let wanted = UrlTableQuery::of(&query);
            all.iter().filter(|row| wanted.admits(row)).count()
        };
        assert_eq!(left("status=4xx"), 1);
        assert_eq!(left("status=none"), 1);
        assert_eq!(left("q=TITLE&type=page"), 3);
        assert_eq!(left("q=nowhere"), 0);
    }

    #[test]
    fn url_data_is_escaped() {
        let mut hostile = row("javascript:alert(1)", Some(200), 0);
        hostile.title = Some("</td><script>alert(1)</script>".to_owned());
        let shown = rows(&[hostile]).into_string();
        assert!(!shown.contains("href") && !shown.contains("<script"), "{shown}");
    }
}
