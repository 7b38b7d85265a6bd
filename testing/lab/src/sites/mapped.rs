//! A site with sitemaps of every form: an index with a loop, gzip, plain text, languages, images,
//! orphans, and an entry of another host.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::broken::gzip;
use crate::{Reply, Site, SiteTruth};

/// The site. It has to know its origin, because sitemaps contain absolute URLs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    /// Scheme, host and port, as `http://mapped.lab.test:8080`.
    pub origin: String,
}

/// The content of the sitemaps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SitemapTruth {
    /// The sitemap files, by path.
    pub files: Vec<String>,
    /// Every page of the sitemaps, with its `lastmod`.
    pub pages: BTreeMap<String, Option<String>>,
    /// The pages that no page links to.
    pub orphans: Vec<String>,
    pub images: BTreeMap<String, Vec<String>>,
    pub alternates: BTreeMap<String, Vec<(String, String)>>,
    /// Pages that are linked, and in no sitemap.
    pub unlisted: Vec<String>,
    /// URLs of other sites, which must be ignored.
    pub foreign: Vec<String>,
}

const LASTMOD: &str = "2024-05-01T10:00:00+00:00";

/// In the gzipped urlset, with `lastmod`. The last one is an orphan.
const DATED: [&str; 4] = ["/", "/en/", "/de/", "/orphan-dated"];
/// In the text file. The last one is an orphan.
const LISTED: [&str; 2] = ["/plain", "/orphan-listed"];
/// In the feed; an orphan.
const NEWS: &str = "/orphan-news";
const UNLISTED: &str = "/unlisted";
const FOREIGN: &str = "http://outside.test/not-ours";

const FILES: [&str; 5] =
    ["/sitemap_main.xml", "/maps/pages.xml.gz", "/maps/list.txt", "/maps/loop.xml", "/feed.xml"];

impl Mapped {
    /// The site under this origin.
    #[must_use]
    pub fn new(origin: impl Into<String>) -> Self {
        Self { origin: origin.into() }
    }

    /// The truth for a reader of its sitemaps.
    #[must_use]
    pub fn sitemap_truth(&self) -> SitemapTruth {
        let dated = DATED.map(|path| (path.to_owned(), Some(LASTMOD.to_owned())));
        let listed = LISTED.map(|path| (path.to_owned(), None));
        let news = (NEWS.to_owned(), Some("2024-05-02T08:00:00Z".to_owned()));
        let languages = |own: &str| {
            let both =
                [("de", "/de/"), ("en", "/en/")].map(|(tag, path)| (tag.into(), path.into()));
            (own.to_owned(), both.to_vec())
        };
        SitemapTruth {
            files: FILES.map(str::to_owned).to_vec(),
            pages: dated.into_iter().chain(listed).chain([news]).collect(),
            orphans: vec!["/orphan-dated".into(), "/orphan-listed".into(), NEWS.into()],
            images: BTreeMap::from([("/".into(), vec!["/cover.png".into(), "/back.png".into()])]),
            alternates: BTreeMap::from([languages("/de/"), languages("/en/")]),
            unlisted: vec![UNLISTED.into()],
            foreign: vec![FOREIGN.into()],
        }
    }

    fn index(&self, children: &[&str]) -> Reply {
        let mut xml = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
        );
        for child in children {
            // Writing to a String cannot fail.
            let _ = writeln!(xml, "<sitemap><loc>{}{child}</loc></sitemap>", self.origin);
        }
        xml.push_str("</sitemapindex>\n");
        Reply::typed(200, "application/xml", xml)
    }

    fn pages(&self) -> Reply {
        let origin = &self.origin;
        let mut xml = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\" \
             xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
        );
        for path in DATED {
            let _ = write!(xml, "<url><loc>{origin}{path}</loc><lastmod>{LASTMOD}</lastmod>");
            if matches!(path, "/de/" | "/en/") {
                for tag in ["de", "en"] {
                    let _ = write!(
                        xml,
                        "<xhtml:link rel=\"alternate\" hreflang=\"{tag}\" href=\"{origin}/{tag}/\"/>"
                    );
                }
            }
            for image in ["/cover.png", "/back.png"].iter().filter(|_| path == "/") {
                let _ = write!(
                    xml,
                    "<image:image><image:loc>{origin}{image}</image:loc></image:image>"
                );
            }
            xml.push_str("</url>\n");
        }
        let _ = write!(xml, "<url><loc>{FOREIGN}</loc></url></urlset>");
        // A gzip file without a content encoding: only its first bytes show it.
        Reply::typed(200, "application/octet-stream", gzip(xml.as_bytes()))
    }

    fn list(&self) -> Reply {
        Reply::text(format!("\u{feff}{0}{1}\r\n{0}{2}\r\n", self.origin, LISTED[0], LISTED[1]))
    }

    fn feed(&self) -> Reply {
        let item = format!(
            "<item><link>{}{NEWS}</link><pubDate>Thu, 02 May 2024 08:00:00 GMT</pubDate></item>",
            self.origin
        );
        let rss =
            format!("<rss version=\"2.0\"><channel><title>News</title>{item}</channel></rss>");
        Reply::typed(200, "application/rss+xml", rss)
    }
}

fn page(path: &str, links: &[&str]) -> Reply {
    let mut html = format!("<!doctype html><title>{path}</title><h1>The page {path}</h1>\n");
    for link in links {
        let _ = writeln!(html, "<a href=\"{link}\">{link}</a>");
    }
    Reply::html(html)
}

impl Site for Mapped {
    fn answer(&self, path_and_query: &str) -> Reply {
        match path_and_query {
            "/robots.txt" => Reply::text(format!(
                "User-agent: *\nDisallow:\nSitemap: {}/sitemap_main.xml\n",
                self.origin
            )),
            "/sitemap_main.xml" => self.index(&FILES[1..]),
            // Refers to the index that refers to it, and to itself.
            "/maps/loop.xml" => self.index(&["/sitemap_main.xml", "/maps/loop.xml"]),
            "/maps/pages.xml.gz" => self.pages(),
            "/maps/list.txt" => self.list(),
            "/feed.xml" => self.feed(),
            "/" => page("/", &["/en/", "/de/", "/plain", UNLISTED]),
            path if DATED.contains(&path) || LISTED.contains(&path) => page(path, &["/"]),
            path if path == NEWS || path == UNLISTED => page(path, &["/"]),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth {
            never: vec!["/not-ours".to_owned()],
            ..SiteTruth::of_pages(["/", "/en/", "/de/", "/plain", UNLISTED])
        }
    }
}
