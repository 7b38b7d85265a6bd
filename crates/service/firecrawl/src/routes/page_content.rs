//! The files of pages, which this service serves itself.

use client::ApiCall;
use contract::{ItemFiles, MarkdownItem, PageFile};
use runtime::off_runtime;
use url::Url;

use crate::document::FirecrawlDocument;
use crate::firecrawl_error::FirecrawlResult;
use crate::firecrawl_session::FirecrawlSession;
use crate::scrape_format::ScrapeFormat;

/// Maximum bytes of the HTML in an answer, unless its first document has more.
const MAX_HTML_BYTES: u64 = 10 << 20;

/// The text of a file of a page.
pub(super) async fn content(
    session: &FirecrawlSession,
    file: Option<PageFile>,
) -> FirecrawlResult<Option<String>> {
    let Some(file) = file else { return Ok(None) };
    let Ok(url) = Url::parse(&file.url) else { return Ok(None) };
    let public = Url::parse(&session.state.settings.public_url).ok();
    // The public URL may have a path, which the routes of this process do not have.
    let prefix = public.as_ref().map_or("", |url| url.path().trim_end_matches('/'));
    let path = url.path().strip_prefix(prefix).unwrap_or(url.path());
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let answer = session.send(ApiCall::get(&format!("{path}{query}"))).await?;
    answer.check()?;
    Ok(Some(off_runtime(|| String::from_utf8_lossy(&answer.body).into_owned())))
}

/// The documents of items with their HTML: the first ones, up to the maximum of an answer.
pub(super) async fn documents(
    session: &FirecrawlSession,
    items: Vec<MarkdownItem>,
    formats: &[ScrapeFormat],
) -> Vec<FirecrawlDocument> {
    let mut documents = Vec::with_capacity(items.len());
    let mut bytes = 0;
    for mut item in items {
        let ItemFiles { html, raw_html, screenshot, warnings } =
            item.files.take().map_or_else(ItemFiles::default, |files| *files);
        let html = html.filter(|_| formats.contains(&ScrapeFormat::Html));
        let raw_html = raw_html.filter(|_| formats.contains(&ScrapeFormat::RawHtml));
        bytes += [&html, &raw_html].into_iter().flatten().map(|file| file.bytes).sum::<u64>();
        if bytes > MAX_HTML_BYTES && !documents.is_empty() {
            break;
        }
        let mut document = FirecrawlDocument::of_item(item, formats);
        document.screenshot = screenshot.map(|file| file.url);
        document.warn(warnings);
        for (file, member) in [(html, &mut document.html), (raw_html, &mut document.raw_html)] {
            match content(session, file).await {
                Ok(text) => *member = text,
                // For example, it was erased after the items were read. The other documents are
                // there.
                Err(error) => tracing::warn!(%error, "a file of a page could not be read"),
            }
        }
        documents.push(document);
    }
    documents
}
