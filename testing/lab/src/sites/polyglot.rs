//! A site in three languages, with correct or wrong language markers of one kind.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{Reply, Site, SiteTruth};

/// How a site declares the language of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    /// By `hreflang` on every page.
    Hreflang,
    /// By `lang` of the document.
    Document,
    /// By `Content-Language`.
    Header,
    /// By the first segment of the path.
    Path,
    /// By a parameter of the query.
    Query,
    /// Not at all: only the text shows the language.
    Text,
    /// Every document declares English; `hreflang` is correct.
    LyingDocument,
    /// Every document declares English; the path is correct.
    LyingDocumentPath,
    /// Every `Content-Language` header is English; `lang` is correct.
    LyingHeader,
    /// Every path starts with `/en/`; `lang` is correct.
    LyingPath,
}

impl Marking {
    pub const ALL: [Self; 10] = [
        Self::Hreflang,
        Self::Document,
        Self::Header,
        Self::Path,
        Self::Query,
        Self::Text,
        Self::LyingDocument,
        Self::LyingDocumentPath,
        Self::LyingHeader,
        Self::LyingPath,
    ];

    fn has_hreflang(self) -> bool {
        matches!(self, Self::Hreflang | Self::LyingDocument)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Polyglot {
    pub marking: Marking,
    /// The language of the start page, as an index into [`Polyglot::LANGUAGES`].
    pub home: usize,
}

/// Pages in each language.
const PAGES: usize = 4;

/// A line for each page, language by language.
const TEXTS: &str = include_str!("polyglot/texts.txt");

impl Polyglot {
    /// The languages, in the order of their numbers.
    pub const LANGUAGES: [&str; 3] = ["en", "de", "fr"];

    /// An English site with this kind of marker.
    #[must_use]
    pub fn new(marking: Marking) -> Self {
        Self { marking, home: 0 }
    }

    /// The language of each page, by path and query.
    #[must_use]
    pub fn languages(&self) -> BTreeMap<String, &'static str> {
        let home = (self.path(self.home, 0), Self::LANGUAGES[self.home]);
        let pages = all_pages()
            .map(|(language, page)| (self.path(language, page), Self::LANGUAGES[language]));
        pages.chain([home]).collect()
    }

    fn path(&self, language: usize, page: usize) -> String {
        if (language, page) == (self.home, 0) {
            return "/".to_owned();
        }
        let tag = Self::LANGUAGES[language];
        // A number without relation to the language.
        let number = 100 + page * 3 + (language + page) % 3;
        match self.marking {
            Marking::Path | Marking::LyingDocumentPath => format!("/{tag}/page-{page}"),
            Marking::Query => format!("/page-{page}?lang={tag}"),
            Marking::LyingPath => format!("/en/item-{number}"),
            _ => format!("/item-{number}"),
        }
    }

    fn page(&self, language: usize, page: usize) -> Reply {
        let tag = Self::LANGUAGES[language];
        let lang = match self.marking {
            Marking::Document | Marking::LyingHeader | Marking::LyingPath => {
                format!(" lang=\"{tag}\"")
            }
            Marking::LyingDocument | Marking::LyingDocumentPath => " lang=\"en\"".to_owned(),
            Marking::Hreflang
            | Marking::Header
            | Marking::Path
            | Marking::Query
            | Marking::Text => String::new(),
        };
        let mut html = format!("<!doctype html>\n<html{lang}><head><meta charset=\"utf-8\">");
        if self.marking.has_hreflang() {
            for (other, tag) in Self::LANGUAGES.iter().enumerate() {
                // Writing to a String cannot fail.
                let _ = write!(
                    html,
                    "<link rel=\"alternate\" hreflang=\"{tag}\" href=\"{}\">",
                    self.path(other, page)
                );
            }
        }
        let text = TEXTS.lines().nth(language * PAGES + page).unwrap_or_default();
        let _ =
            write!(html, "<title>{}</title></head><body>", &text[..text.find(' ').unwrap_or(0)]);
        let _ = write!(html, "<main><p>{text}</p></main><ul>");
        for (other, at) in all_pages() {
            let _ = write!(html, "<li><a href=\"{}\">{at}</a></li>", self.path(other, at));
        }
        html.push_str("</ul></body></html>\n");
        let reply = Reply::html(html);
        match self.marking {
            Marking::Header => reply.with_header("content-language", tag),
            Marking::LyingHeader => reply.with_header("content-language", "en"),
            _ => reply,
        }
    }
}

/// The number of the language and the number of each page.
fn all_pages() -> impl Iterator<Item = (usize, usize)> {
    let languages = 0..Polyglot::LANGUAGES.len();
    languages.flat_map(|language| (0..PAGES).map(move |page| (language, page)))
}

impl Site for Polyglot {
    fn answer(&self, path_and_query: &str) -> Reply {
        if path_and_query == "/robots.txt" {
            return Reply::text("User-agent: *\nDisallow:\n");
        }
        match all_pages().find(|(language, page)| self.path(*language, *page) == path_and_query) {
            Some((language, page)) => self.page(language, page),
            None => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::of_pages(self.languages().into_keys().filter(|path| !path.contains('?')))
    }
}
