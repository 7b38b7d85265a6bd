//! Results of `markdown`: a list of pages, and each page rendered next to its source.

use axum::extract::Path;
use contract::{ExtractionWarning, MarkdownItem};
use maud::{Markup, html};

use super::RunPage;
use super::item_files::item_files;
use super::tab::RunTab;
use crate::link::link;
use crate::markdown::rendered;
use crate::number_format::number;
use crate::pager::{Pager, page_of, page_size_of};
use crate::{ListQuery, PageError, PageResult};

const PAGE_SIZE: u64 = 100;

pub(super) async fn list(run: &RunPage, query: &ListQuery) -> PageResult {
    let size = page_size_of(query, PAGE_SIZE, run.user.state.settings.page_size_max);
    let page = page_of(query);
    let found = run.results::<MarkdownItem>(page, size).await?;
    let path = run.path("/results");
    let first = found.offset.saturating_add(1);
    let content = html! {
        (crate::table(
            "Pages",
            "Page, Words:number, Tokens:number, Language, Notes:wide",
            (first..).zip(&found.items),
            |(place, item)| row(run, place, item),
            &html! { "No results." },
        ))
        (Pager::new(&path, query, (page, size, found.total), ("page", "pages"))
            .show_items(found.offset, found.items.len() as u64))
    };
    Ok(run.tab(RunTab::Results, &content))
}

fn row(run: &RunPage, place: u64, item: &MarkdownItem) -> Markup {
    html! {
        tr {
            td.url {
                a href=(run.path(&format!("/results/{place}"))) {
                    (item.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&item.url))
                }
                br; span.hint { (item.url) }
                @if item.files.is_some() { br; (item_files(item.files.as_deref())) }
            }
            td.number { (number(item.word_count)) }
            td.number { (number(item.token_estimate)) }
            td { (item.language.as_deref().unwrap_or("–")) }
            td.wide { (notes(&item.extraction.warnings)) }
        }
    }
}

fn notes(warnings: &[ExtractionWarning]) -> Markup {
    html! {
        @for warning in warnings {
            span.chip.warn { (warning.as_str().replace('_', " ")) } " "
        }
    }
}

/// One page: the rendered text next to its Markdown.
pub(super) async fn show(run: RunPage, Path((_, place)): Path<(String, String)>) -> PageResult {
    let place: u64 = place.parse().map_err(|_| PageError::NotFound)?;
    let found = run.results::<MarkdownItem>(place.max(1), 1).await?;
    let item = found.items.into_iter().next().ok_or(PageError::NotFound)?;
    let content = html! {
        h2 { (item.title.as_deref().unwrap_or("Untitled")) }
        p { (link(&item.url)) }
        p.quiet {
            (number(item.word_count)) " words · about " (number(item.token_estimate)) " tokens · "
            "extracted by " (item.extraction.method.as_str().replace('_', " ")) " "
            (notes(&item.extraction.warnings))
        }
        @if item.files.is_some() { p { (item_files(item.files.as_deref())) } }
        div.both {
            section.rendered aria-label="Rendered text" tabindex="0" { (rendered(&item.markdown)) }
            section aria-label="Source" {
                pre tabindex="0" { (item.markdown) }
            }
        }
        nav.pager aria-label="Pages" {
            @if place > 1 { a.button href=(run.path(&format!("/results/{}", place - 1))) rel="prev" { "Previous" } }
            @if place < found.total { a.button href=(run.path(&format!("/results/{}", place + 1))) rel="next" { "Next" } }
            span { (number(place)) " of " (number(found.total)) }
            a href=(run.path("/results")) { "All pages" }
        }
    };
    Ok(run.tab(RunTab::Results, &content))
}
