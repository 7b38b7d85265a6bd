//! The sitemaps and feeds of the fake web, and their text.

use std::fmt::Write as _;

/// A sitemap, an index of sitemaps, or a feed.
#[derive(Debug, Clone)]
pub(crate) enum UrlList {
    Urls(Vec<UrlListEntry>),
    /// A text sitemap with one URL per line.
    Lines(Vec<String>),
    Index(Vec<String>),
    Feed(Vec<String>),
}

/// An entry of a sitemap.
#[derive(Debug, Clone)]
pub(crate) struct UrlListEntry {
    pub url: String,
    /// A translation of the page, with its language.
    pub version: Option<(&'static str, String)>,
}

impl UrlList {
    /// The content type and the text of the list.
    pub fn written(&self) -> (&'static str, String) {
        let mut text = String::new();
        match self {
            Self::Urls(entries) => {
                for UrlListEntry { url, version } in entries {
                    let _ = write!(text, "<url><loc>{url}</loc>");
                    if let Some((language, href)) = version {
                        let _ = write!(
                            text,
                            "<xhtml:link rel='alternate' hreflang='{language}' href='{href}'/>"
                        );
                    }
                    text.push_str("</url>");
                }
                let space = "xmlns:xhtml='http://www.w3.org/1999/xhtml'";
                ("application/xml", format!("<urlset {space}>{text}</urlset>"))
            }
            Self::Lines(urls) => ("text/plain", urls.join("\n")),
            Self::Index(urls) => {
                for url in urls {
                    let _ = write!(text, "<sitemap><loc>{url}</loc></sitemap>");
                }
                ("text/xml", format!("<sitemapindex>{text}</sitemapindex>"))
            }
            Self::Feed(urls) => {
                for url in urls {
                    let _ = write!(text, "<item><link>{url}</link></item>");
                }
                let text = format!("<rss><channel>{text}</channel></rss>");
                ("application/rss+xml", text)
            }
        }
    }
}
