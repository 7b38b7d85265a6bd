//! The layout of the documentation: search, list of pages, headings of the page.

use axum::http::{HeaderValue, header};
use axum::response::Response;
use guides::{API_REFERENCE, DOCS_HOME, DocsPage, Documentation, MAX_QUERY_CHARS};
use maud::{Markup, html};

use crate::assets::{COPY_JS, DOCS_CSS};
use crate::{ConsolePage, ConsoleUser, Section};

/// Levels of headings that the list of a page has.
const LISTED_LEVELS: u8 = 3;

/// Maximum headings of that list: more of them show their parts only.
const LISTED_HEADINGS: usize = 40;

/// What the bar above a page shows.
pub(super) struct PageSettings<'a> {
    pub title: &'a str,
    /// The group of the page; `None` for the first page and the search.
    pub group: Option<&'a str>,
    /// The words of the search field.
    pub query: &'a str,
}

/// A page in the layout of the console.
pub(super) fn docs_page(
    user: Option<&ConsoleUser>,
    settings: &PageSettings<'_>,
    content: &Markup,
) -> Response {
    let title = settings.title;
    let page = match user {
        Some(user) => ConsolePage::of(user, title),
        None => ConsolePage::public(title),
    };
    let page = page.at(Section::Docs).style(DOCS_CSS).script(COPY_JS);
    let mut response = page.show(html! { (bar(settings)) (content) });
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept, cookie"));
    response
}

fn bar(settings: &PageSettings<'_>) -> Markup {
    html! {
        div.docs-bar {
            @if let Some(group) = settings.group {
                p { a href=(DOCS_HOME) { "Documentation" } " › " (group) }
            }
            form role="search" method="get" action="/docs/search" {
                label.hidden-label for="q" { "Search the documentation" }
                input #q type="search" name="q" value=(settings.query) maxlength=(MAX_QUERY_CHARS)
                    placeholder="Search the documentation" autocomplete="off";
                button type="submit" { "Search" }
            }
        }
    }
}

fn entry(url: &str, name: &str, here: &str) -> Markup {
    html! { li { a href=(url) aria-current=[(url == here).then_some("page")] { (name) } } }
}

/// The list of all pages.
pub(super) fn page_list(all: &Documentation, here: &str) -> Markup {
    html! {
        nav.docs-list aria-label="Documentation" {
            @for group in all.groups() {
                p { (group.name) }
                ul { @for page in all.pages_of(group) { (entry(&page.url, &page.title, here)) } }
            }
        }
    }
}

/// The list of all operations.
pub(super) fn operation_list(all: &Documentation, here: &str) -> Markup {
    html! {
        nav.docs-list aria-label="API reference" {
            p { "Reference" }
            ul {
                (entry(API_REFERENCE, "All operations", here))
                (entry(contract::ERRORS_PAGE, "Error codes", here))
            }
            @for tag in all.tags() {
                p { (tag.name) }
                ul {
                    @for operation in &tag.operations {
                        (entry(&operation.url(), &operation.summary, here))
                    }
                }
            }
        }
    }
}

/// The headings of a page.
pub(super) fn heading_list(page: &DocsPage) -> Markup {
    let levels = page.headings.iter().filter(|heading| heading.level <= LISTED_LEVELS).count();
    let deepest = if levels > LISTED_HEADINGS { 2 } else { LISTED_LEVELS };
    html! {
        nav.docs-part aria-label="On this page" {
            ul {
                @for heading in page.headings.iter().filter(|heading| heading.level <= deepest) {
                    li { a.deeper[heading.level > 2] href={ "#" (heading.anchor) } { (heading.text) } }
                }
            }
        }
    }
}
