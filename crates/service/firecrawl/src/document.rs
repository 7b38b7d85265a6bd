//! Documents: pages in the form of Firecrawl.

use contract::{Credits, MarkdownItem, Millis, PageAnswer};
use serde::Serialize;

use crate::scrape_format::ScrapeFormat;

/// A page, with the parts that were asked for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FirecrawlDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_html: Option<String>,
    /// A link to a picture of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<String>>,
    pub metadata: DocumentMetadata,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// What is known about a page besides its content. Unknown values are omitted.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentMetadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    robots: Option<String>,
    #[serde(rename = "sourceURL")]
    source_url: String,
    /// The URL after redirects.
    url: String,
    status_code: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scrape_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proxy_used: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_at: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credits_used: Option<Credits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl FirecrawlDocument {
    /// The document of an item of a run.
    pub fn of_item(item: MarkdownItem, formats: &[ScrapeFormat]) -> Self {
        let has = |format| formats.contains(&format);
        let links =
            has(ScrapeFormat::Links).then(|| distinct(item.links.into_iter().map(|link| link.url)));
        let images = has(ScrapeFormat::Images)
            .then(|| distinct(item.images.into_iter().map(|image| image.url)));
        let metadata = DocumentMetadata {
            title: item.title,
            description: item.description,
            language: item.language,
            author: item.author,
            published_time: item.published_at,
            modified_time: item.modified_at,
            canonical_url: item.canonical_url,
            url: item.final_url.unwrap_or_else(|| item.url.clone()),
            source_url: item.url,
            status_code: item.status_code,
            ..DocumentMetadata::default()
        };
        let markdown = has(ScrapeFormat::Markdown).then_some(item.markdown);
        Self {
            markdown,
            html: None,
            raw_html: None,
            screenshot: None,
            links,
            images,
            metadata,
            warning: None,
        }
    }

    /// A page that was read at once, without its HTML; `source` is the URL as the request has it.
    pub fn of_page(
        page: PageAnswer<MarkdownItem>,
        source: String,
        formats: &[ScrapeFormat],
    ) -> Option<Self> {
        let mut document = Self::of_item(page.item?, formats);
        if let Some(links) = page.links {
            document.links = Some(distinct(links.into_iter().map(|link| link.url)));
        }
        document.warn(page.warnings);
        document.screenshot = page.screenshot.map(|file| file.url);
        let of_item = document.metadata;
        let known = page.metadata?;
        let robots = [("noindex", known.noindex), ("nofollow", known.nofollow)];
        let robots: Vec<_> =
            robots.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect();
        document.metadata = DocumentMetadata {
            title: known.title.or(of_item.title),
            description: known.description.or(of_item.description),
            language: known.language.or(of_item.language),
            canonical_url: known.canonical_url.or(of_item.canonical_url),
            robots: (!robots.is_empty()).then(|| robots.join(", ")),
            source_url: source,
            url: known.final_url,
            status_code: known.status_code,
            content_type: known.content_type,
            scrape_id: Some(page.page_id.to_string()),
            proxy_used: Some(if page.protected { "stealth" } else { "basic" }),
            cache_state: Some(if page.cached { "hit" } else { "miss" }),
            cached_at: page.cached.then_some(page.fetched_at),
            credits_used: Some(page.credits_used),
            ..of_item
        };
        Some(document)
    }

    /// Adds warnings after those that it has.
    pub fn warn(&mut self, warnings: impl IntoIterator<Item = String>) {
        let all: Vec<_> = self.warning.take().into_iter().chain(warnings).collect();
        self.warning = (!all.is_empty()).then(|| all.join("; "));
    }

    /// A page that the site answered with an error: without content, and free.
    pub fn of_error(source: String, status_code: u16, message: String) -> Self {
        let metadata = DocumentMetadata {
            url: source.clone(),
            source_url: source,
            status_code,
            credits_used: Some(Credits(0)),
            error: Some(message.clone()),
            ..DocumentMetadata::default()
        };
        Self {
            markdown: Some(String::new()),
            html: None,
            raw_html: None,
            screenshot: None,
            links: None,
            images: None,
            metadata,
            warning: Some(message),
        }
    }
}

/// Each URL once, in order.
fn distinct(urls: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    urls.filter(|url| seen.insert(url.clone())).collect()
}
