//! Status codes, depths and kinds of the URLs of a run, as charts.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use super::Run;
use super::inventory::{Row, status_class, tone};
use super::survey::{Survey, partial};
use super::tab::Tab;
use crate::charts::{Bar, bars};
use crate::{ConsoleState, Failure, Query};

pub(super) async fn show(State(state): State<ConsoleState>, run: Run) -> Result<Response, Failure> {
    let survey = Survey::<Row>::of(&run, &state).await?;
    let rows = &survey.items;
    let path = run.path("/results");
    let to = |name: &str, value: &str, shown: &str| {
        let query = Query::default().with(name, value);
        html! { a href=(query.on(&path)) { (shown) } }
    };
    let statuses = counted(rows, |row| Some(row.status_code)).into_iter().map(|(code, value)| {
        let class = rows.iter().find(|row| row.status_code == code).map_or("none", status_class);
        let shown = code.map_or_else(|| "no answer".to_owned(), |code| code.to_string());
        Bar { label: to("status", class, &shown), value, tone: tone(class) }
    });
    let depths = counted(rows, |row| row.depth).into_iter().map(|(depth, value)| Bar {
        label: html! { (depth) @if depth == 1 { " click" } @else { " clicks" } },
        value,
        tone: "",
    });
    let kinds = counted(rows, |row| Some(row.kind)).into_iter().map(|(kind, value)| Bar {
        label: to("type", kind.as_str(), kind.as_str()),
        value,
        tone: "",
    });
    let content = html! {
        @if survey.is_partial() { (partial(&run, rows.len())) }
        div.columns {
            (chart("Status codes", &statuses.collect::<Vec<_>>()))
            (chart("Depth, in clicks from the start", &depths.collect::<Vec<_>>()))
            (chart("Kinds", &kinds.collect::<Vec<_>>()))
        }
    };
    Ok(run.tab(Tab::Charts, &state, &content))
}

fn chart(title: &str, content: &[Bar]) -> Markup {
    html! {
        section.panel {
            h2 { (title) }
            @if content.is_empty() { p.quiet { "Nothing here." } } @else { (bars(content)) }
        }
    }
}

fn counted<K: Ord>(rows: &[Row], key: impl Fn(&Row) -> Option<K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for key in rows.iter().filter_map(key) {
        *counts.entry(key).or_insert(0) += 1;
    }
    counts
}
