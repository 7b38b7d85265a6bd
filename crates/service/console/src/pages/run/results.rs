//! The results of a run: the first page that it shows, while results arrive and afterwards.

use axum::response::Response;
use contract::{Mode, ProductItem};
use maud::{Markup, html};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::result_items::{ShownItems, shown};
use super::result_sample::partial;
use super::result_view::{ModeView, ResultsView, STATUS_CLASSES, ViewKind, heading};
use super::tab::RunTab;
use super::{RunPage, contacts, products, result_table};
use crate::number_format::{count, number};
use crate::page_middleware::POLICY_WITH_PICTURES;
use crate::pager::Pager;
use crate::pages::runs::choice;
use crate::{FormErrors, ListQuery, PageResult};

pub(super) async fn show(run: RunPage, query: ListQuery) -> PageResult {
    page(&run, &query, &FormErrors::default()).await
}

/// The results with errors of an action on the run.
pub(super) async fn page(
    run: &RunPage,
    query: &ListQuery,
    form_errors: &FormErrors,
) -> PageResult<Response> {
    let view = ResultsView::of(run.job.mode, query);
    let shown = shown(run, &view).await?;
    let content = html! {
        (filters(run, &view))
        (toolbar(run, &view, &shown))
        // The script reloads this part while the run continues, unless that reads many pages.
        div #results data-refresh[!run.job.status.is_final() && view.is_plain()] {
            @if shown.is_partial && shown.next.is_none() {
                (partial(run, usize::try_from(shown.total).unwrap_or(usize::MAX)))
            }
            @if shown.items.is_empty() {
                p.empty { (nothing(run, &view)) }
            } @else {
                (items(run, &view, &shown))
            }
            (pager(run, &view, &shown))
        }
    };
    let content = run.layout(RunTab::Results, form_errors, &content);
    let mut page = run.page(RunTab::Results);
    if run.job.mode == Mode::Products && view.kind == ViewKind::Cards {
        page = page.policy(POLICY_WITH_PICTURES);
    }
    Ok(page.show(content))
}

fn nothing(run: &RunPage, view: &ResultsView<'_>) -> Markup {
    html! {
        @if !view.selects_all() {
            "No results match. " a href=(run.path("/results")) { "Show all" } "."
        } @else if run.job.status.is_final() {
            "No results. " a href=(run.path("/skipped")) { "Skipped URLs" } " have the reasons."
        } @else {
            "No results yet. They appear here as they arrive."
        }
    }
}

fn items(run: &RunPage, view: &ResultsView<'_>, shown: &ShownItems) -> Markup {
    match (view.kind, run.job.mode) {
        (ViewKind::Cards, Mode::Products) => {
            let items = read::<ProductItem>(&shown.items);
            html! { div.cards { @for item in &items { (products::card(item)) } } }
        }
        (ViewKind::Cards, Mode::Contacts) => contacts::cards(&read(&shown.items)),
        (ViewKind::Cards | ViewKind::Table, _) => result_table::show(run, view, shown),
        (ViewKind::Json, _) => html! {
            @for item in &shown.items {
                pre.request.json tabindex="0" {
                    (serde_json::to_string_pretty(item).unwrap_or_default())
                }
            }
        },
    }
}

fn read<T: DeserializeOwned>(items: &[Value]) -> Vec<T> {
    items.iter().filter_map(|item| serde_json::from_value(item.clone()).ok()).collect()
}

fn pager(run: &RunPage, view: &ResultsView<'_>, shown: &ShownItems) -> Markup {
    let path = run.path("/results");
    let things = ModeView::of(run.job.mode).things;
    html! {
        @if view.kind != ViewKind::Table && !view.selects_all() {
            nav.pager aria-label="Pages" {
                @if view.query.get("cursor").is_some() {
                    a.button href=(view.query.with("cursor", "").on(&path)) { "First page" }
                }
                @if let Some(next) = &shown.next {
                    a.button href=(view.query.with("cursor", next).on(&path)) rel="next" { "Next" }
                }
                span { (count(shown.items.len() as u64, things.0, things.1)) " on this page" }
            }
        } @else {
            (Pager::new(&path, view.query, (shown.page, shown.page_size, shown.total), things)
                .show_items(shown.offset, shown.items.len() as u64))
        }
    }
}

/// Search, filters and columns.
fn filters(run: &RunPage, view: &ResultsView<'_>) -> Markup {
    let path = run.path("/results");
    let query = view.query;
    let spaced = |word: &str| word.replace(['_', '.'], " ");
    html! {
        form.filters method="get" action=(path) {
            div.field {
                label for="q" { "Search" }
                input id="q" name="q" type="search" maxlength="200"
                    value=(query.get("q").unwrap_or_default());
            }
            @if view.has_status() {
                (choice(query, "status", "Status", STATUS_CLASSES.into_iter(), |class| match class {
                    "none" => "no response".to_owned(),
                    class => class.to_owned(),
                }))
            }
            @for (name, values) in view.facets() {
                @let label = view.choices().find(|column| column.name == name).map(heading);
                (choice(query, name, &label.unwrap_or_default(), values.iter().copied(), spaced))
            }
            @for name in ["view", "sort", "order"] {
                @if let Some(value) = query.get(name) { input type="hidden" name=(name) value=(value); }
            }
            button type="submit" { "Filter" }
            @if !view.is_plain() { a.button.plain href=(path) { "As found" } }
            @if view.kind == ViewKind::Table { (columns(view)) }
        }
    }
}

fn columns(view: &ResultsView<'_>) -> Markup {
    html! {
        details.more.columns-choice {
            summary { "Columns" }
            div.ticks {
                @for column in view.choices().skip(1) {
                    @let id = format!("col-{}", column.name);
                    div.tick {
                        input id=(id) name="col" type="checkbox" value=(column.name)
                            checked[view.columns.contains(&column)];
                        label for=(id) { (heading(column)) }
                    }
                }
            }
            button type="submit" { "Show these columns" }
        }
    }
}

/// The forms of the page, and the export of what is shown.
fn toolbar(run: &RunPage, view: &ResultsView<'_>, shown: &ShownItems) -> Markup {
    let path = run.path("/results");
    let things = ModeView::of(run.job.mode).things;
    html! {
        div.toolbar {
            nav.views aria-label="View" {
                @for kind in ResultsView::kinds(run.job.mode) {
                    @let (name, title) = kind.names();
                    @let to = view.query.with("view", name).with("page", "").with("cursor", "");
                    a href=(to.on(&path)) aria-current=[(*kind == view.kind).then_some("true")] { (title) }
                }
            }
            @if view.selects_all() {
                span.quiet { (count(run.job.counts.results, things.0, things.1)) }
            } @else if view.kind == ViewKind::Table {
                span.quiet {
                    (number(shown.total)) " of "
                    (count(run.job.counts.results, things.0, things.1)) " match"
                }
            }
            form.export method="post" action=(run.path("/exports")) {
                (run.user.form_token())
                input type="hidden" name="selection" value=(view.query.on(""));
                label for="export-format" { "Export" }
                select id="export-format" name="format" {
                    @for format in super::exports::formats(run) {
                        option value=(format) { (format) }
                    }
                }
                button type="submit" {
                    @if view.selects_all() { "Download all" } @else { "Download the selection" }
                }
            }
        }
    }
}
