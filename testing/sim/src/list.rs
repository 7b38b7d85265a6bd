//! The sitemaps and feeds of the fake web, and how they are written.

use std::fmt::Write as _;

/// A sitemap, an index of sitemaps, or a feed.
#[derive(Debug, Clone)]
pub(crate) enum List {
    Urls(Vec<Entry>),
    /// One address a line.
    Lines(Vec<String>),
    Index(Vec<String>),
    Feed(Vec<String>),
}

/// A line of a sitemap.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub url: String,
    /// A translation of the page, and its language.
    pub version: Option<(&'static str, String)>,
}

impl List {
    /// The list as a crawler gets it, with its content type.
    pub fn written(&self) -> (&'static str, String) {
        let mut text = String::new();
        match self {
            Self::Urls(entries) => {
                for Entry { url, version } in entries {
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
