//! `/docs`: the guides, the error codes and the reference of the API.
//!
//! Pages need no session. A client that accepts `text/markdown`, or asks for the address with
//! `.md`, gets the Markdown of the page.

mod layout;
mod try_out;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use client::{ApiCall, RequestOrigin};
use guides::{API_REFERENCE, DOCS_HOME, DocsPage, Documentation, MAX_QUERY_CHARS};
use maud::{Markup, PreEscaped, html};
use tower_http::compression::CompressionLayer;

use crate::accept_header::{prefers_markdown, wants_page};
use crate::{ConsoleState, ConsoleUser, FormFields, ListQuery, PageError, PageResult};
use layout::{PageSettings, docs_page};

/// Markdown changes with a release only.
const FIVE_MINUTES: &str = "public, max-age=300";

pub(crate) fn routes() -> Router<ConsoleState> {
    // Texts without a token may be compressed (see `assets.rs`).
    let texts = Router::new()
        .route("/llms.txt", get(llms_txt))
        .route("/llms-full.txt", get(llms_full_txt))
        .layer(CompressionLayer::new());
    Router::new()
        .route("/docs", get(home))
        .route("/docs/", get(home))
        .route("/docs/search", get(search))
        .route("/docs/{*path}", get(page).post(send))
        .merge(texts)
}

/// A user if there is one: the documentation is public, also while the database is unavailable.
type Visitor = PageResult<ConsoleUser>;

async fn home(
    State(state): State<ConsoleState>,
    headers: HeaderMap,
    visitor: Visitor,
) -> PageResult {
    let all = state.documentation().await?;
    if prefers_markdown(&headers) {
        let list = all.page(DOCS_HOME).ok_or(PageError::NotFound)?;
        return Ok(markdown(list, &state));
    }
    let settings = PageSettings { title: "Documentation", group: None, query: "" };
    Ok(docs_page(visitor.ok().as_ref(), &settings, &home_content(all)))
}

fn home_content(all: &Documentation) -> Markup {
    let door = |url: &str, name: &str, about: &str| {
        html! {
            div.panel {
                h2 { a href=(url) { (name) } }
                p { (about) }
            }
        }
    };
    html! {
        h1 { "Documentation" }
        div.docs-doors {
            (door("/docs/getting-started", "Getting started", "From the first start to results in five minutes."))
            (door(API_REFERENCE, "API reference", "Every operation, with a form that sends it."))
            (door("/docs/mcp", "AI assistants", "The tools of the MCP server."))
            (door(contract::ERRORS_PAGE, "Error codes", "What each code means, and what to do."))
        }
        div.docs-groups {
            @for group in all.groups() {
                section.docs-group {
                    h2 { (group.name) }
                    ul {
                        @for page in all.pages_of(group) {
                            li { a href=(page.url) { (page.title) } span { (page.about) } }
                        }
                    }
                }
            }
        }
        p.docs-end {
            "For language models: " a href="/llms.txt" { "llms.txt" } ", "
            a href="/llms-full.txt" { "llms-full.txt" }
            ". Every page is Markdown with " code { ".md" } " after its address."
        }
    }
}

async fn search(
    State(state): State<ConsoleState>,
    visitor: Visitor,
    query: ListQuery,
) -> PageResult {
    let asked: String = query.get("q").unwrap_or_default().chars().take(MAX_QUERY_CHARS).collect();
    let hits = state.documentation().await?.search(&asked);
    let settings = PageSettings { title: "Search", group: None, query: &asked };
    let content = html! {
            h1 { "Search the documentation" }
            p role="status" {
                @if asked.trim().is_empty() {
                    "Enter one or more words."
                } @else if hits.is_empty() {
                    "No page has all of these words: " b { (asked) }
                } @else {
                    (hits.len()) (if hits.len() == 1 { " place" } else { " places" })
                    " found for " b { (asked) }
                }
            }
            ul.docs-hits {
                @for hit in &hits {
                    li {
                        a href=(hit.url) {
                            (hit.page.title) @if !hit.heading.is_empty() { " › " (hit.heading) }
                        }
                        p { (hit.excerpt) }
                    }
                }
            }
    };
    Ok(docs_page(visitor.ok().as_ref(), &settings, &content))
}

async fn page(
    State(state): State<ConsoleState>,
    headers: HeaderMap,
    uri: Uri,
    visitor: Visitor,
) -> PageResult {
    let all = state.documentation().await?;
    let (address, is_file) = address(uri.path());
    let Some(page) = all.page(&address) else {
        if wants_page(&headers) {
            return Err(PageError::NotFound);
        }
        // Programs get the error of the API.
        return Ok(state.client.open(ApiCall::get(uri.path())).await);
    };
    if is_file || prefers_markdown(&headers) {
        return Ok(markdown(page, &state));
    }
    let user = visitor.ok();
    let form = all
        .operation(&page.url)
        .map(|operation| try_out::form(operation, user.as_ref(), &FormFields::default(), None));
    Ok(guide(all, page, user.as_ref(), form.as_ref()))
}

/// Sends an operation of the reference from the form of its page.
async fn send(
    State(state): State<ConsoleState>,
    origin: RequestOrigin,
    uri: Uri,
    visitor: Visitor,
    fields: FormFields,
) -> PageResult {
    let all = state.documentation().await?;
    let page = all.page(uri.path()).ok_or(PageError::NotFound)?;
    let operation = all.operation(&page.url).ok_or_else(|| {
        let message = "this page does not accept the request method";
        PageError::rejected(StatusCode::METHOD_NOT_ALLOWED, message)
    })?;
    let user = visitor.ok();
    let outcome = try_out::send(&state, operation, user.as_ref(), &origin, &fields).await?;
    let form = try_out::form(operation, user.as_ref(), &fields, Some(&outcome));
    Ok(guide(all, page, user.as_ref(), Some(&form)))
}

/// The page with its text, and `more` after it.
fn guide(
    all: &Documentation,
    page: &DocsPage,
    user: Option<&ConsoleUser>,
    more: Option<&Markup>,
) -> Response {
    let group = all.groups().iter().find(|group| all.pages_of(group).any(|it| it.url == page.url));
    let is_reference = page.url.starts_with(API_REFERENCE);
    let settings = PageSettings {
        title: &page.title,
        group: group.map(|group| group.name.as_str()).or(is_reference.then_some("API reference")),
        query: "",
    };
    let content = html! {
        div.docs.parted[page.headings.len() > 2] {
            @if is_reference { (layout::operation_list(all, &page.url)) } @else { (layout::page_list(all, &page.url)) }
            div {
                article.guide { (PreEscaped(&page.html)) }
                @if let Some(more) = more { (more) }
                p.docs-end { a href={ (page.url) ".md" } { "This page as Markdown" } }
            }
            @if page.headings.len() > 2 { (layout::heading_list(page)) }
        }
    };
    docs_page(user, &settings, &content)
}

fn markdown(page: &DocsPage, state: &ConsoleState) -> Response {
    text(page.markdown_at(&state.settings.public_url), "text/markdown; charset=utf-8")
}

fn text(body: String, kind: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static(FIVE_MINUTES)),
        (header::VARY, HeaderValue::from_static("accept")),
    ];
    (headers, body).into_response()
}

async fn llms_txt(State(state): State<ConsoleState>) -> PageResult {
    let all = state.documentation().await?;
    Ok(text(all.llms_txt(&state.settings.public_url), "text/plain; charset=utf-8"))
}

async fn llms_full_txt(State(state): State<ConsoleState>) -> PageResult {
    let all = state.documentation().await?;
    Ok(text(all.llms_full_txt(&state.settings.public_url), "text/plain; charset=utf-8"))
}

/// The address of a page, and whether its Markdown file is meant: `/docs/spec/README.md` is that of
/// `/docs/spec`.
fn address(path: &str) -> (String, bool) {
    let Some(file) = path.strip_suffix(".md") else { return (path.to_owned(), false) };
    let folder = file.rsplit_once('/').filter(|(_, name)| name.eq_ignore_ascii_case("readme"));
    (folder.map_or(file, |(folder, _)| folder).to_owned(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md_addresses_are_the_pages_of_their_files() {
        for (path, page, is_file) in [
            ("/docs/webhooks", "/docs/webhooks", false),
            ("/docs/webhooks.md", "/docs/webhooks", true),
            ("/docs/spec/README.md", "/docs/spec", true),
            ("/docs/README.md", "/docs", true),
        ] {
            assert_eq!(address(path), (page.to_owned(), is_file), "{path}");
        }
    }
}
