//! Charts of status codes, depths and types of the URLs of a run.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::RunPage;
use super::result_sample::{ResultSample, partial};
use super::tab::RunTab;
use super::url_row::{UrlRow, status_class, tone};
use crate::charts::{ChartBar, bars};
use crate::{ListQuery, PageResult};

pub(super) async fn show(run: RunPage) -> PageResult {
    let sample = ResultSample::<UrlRow>::of(&run).await?;
    let rows = &sample.items;
    let path = run.path("/results");
    let to = |name: &str, value: &str, shown: &str| {
        let query = ListQuery::default().with(name, value);
        html! { a href=(query.on(&path)) { (shown) } }
    };
    let statuses = counted(rows, |row| Some(row.status_code)).into_iter().map(|(code, value)| {
        let class = rows
            .iter()
            .find(|row| row.status_code == code)
            .map_or("none", |row| status_class(row.status_code));
        let shown = code.map_or_else(|| "no response".to_owned(), |code| code.to_string());
        ChartBar { label: to("status", class, &shown), value, tone: tone(class) }
    });
    let depths = counted(rows, |row| row.depth).into_iter().map(|(depth, value)| ChartBar {
        label: html! { (depth) @if depth == 1 { " click" } @else { " clicks" } },
        value,
        tone: "",
    });
    let kinds = counted(rows, |row| Some(row.kind)).into_iter().map(|(kind, value)| ChartBar {
        label: to("type", kind.as_str(), kind.as_str()),
        value,
        tone: "",
    });
    let content = html! {
        @if sample.is_partial() { (partial(&run, rows.len())) }
        div.columns {
            (chart("Status codes", &statuses.collect::<Vec<_>>()))
            (chart("Depth, in clicks from the start", &depths.collect::<Vec<_>>()))
            (chart("Kinds", &kinds.collect::<Vec<_>>()))
        }
    };
    Ok(run.tab(RunTab::Charts, &content))
}

fn chart(title: &str, content: &[ChartBar]) -> Markup {
    html! {
        section.panel {
            h2 { (title) }
            @if content.is_empty() { p.quiet { "No results." } } @else { (bars(content)) }
        }
    }
}

fn counted<K: Ord>(rows: &[UrlRow], key: impl Fn(&UrlRow) -> Option<K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for key in rows.iter().filter_map(key) {
        *counts.entry(key).or_insert(0) += 1;
    }
    counts
}
