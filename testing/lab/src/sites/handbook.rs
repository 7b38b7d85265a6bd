//! A handbook whose pages have a text within one template: navigation, breadcrumbs, a cookie banner,
//! related pages, a newsletter box, a footer. The text of each page is known.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::filler::{mix, passage};
use crate::{ExpectedSkip, Reply, Site, SiteTruth};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handbook {
    /// How many chapters it has.
    pub chapters: usize,
    /// How many sections each of them has.
    pub sections: usize,
}

impl Default for Handbook {
    fn default() -> Self {
        Self { chapters: 4, sections: 6 }
    }
}

/// The main content of a page and its template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextTruth {
    /// The title of the page, without the name of the site.
    pub title: String,
    /// Parts of the main content, in order.
    pub text: Vec<String>,
    /// Parts of the template.
    pub around: Vec<String>,
}

/// Parts of the template of every page.
const AROUND: [&str; 5] = [
    "We use cookies to improve your visit to the handbook.",
    "Subscribe to our newsletter and never miss a chapter.",
    "Imprint and privacy of the handbook people.",
    "Share this page with your friends and colleagues.",
    "Search the whole handbook by keyword.",
];

const NOTES: &str = include_str!("handbook/notes.txt");
const CHANGES: &str = include_str!("handbook/changes.md");

/// The template of a page.
const PAGE: &str = include_str!("handbook/page.html");

impl Handbook {
    /// The text of each page, by path.
    #[must_use]
    pub fn texts(&self) -> BTreeMap<String, TextTruth> {
        let truth = |(chapter, section)| {
            let text = (0..4).map(|at| paragraph(chapter, section, at)).collect();
            let around = AROUND.map(str::to_owned).to_vec();
            (path(chapter, section), TextTruth { title: title(chapter, section), text, around })
        };
        self.sections().map(truth).collect()
    }

    /// Pages that are plain text, with their text.
    #[must_use]
    pub fn plain_texts() -> [(&'static str, &'static str); 2] {
        [("/notes.txt", NOTES.trim_ascii_end()), ("/changes.md", CHANGES.trim_ascii_end())]
    }

    fn sections(&self) -> impl Iterator<Item = (usize, usize)> {
        let sections = self.sections;
        (0..self.chapters).flat_map(move |chapter| (0..sections).map(move |at| (chapter, at)))
    }

    fn navigation(&self) -> String {
        let mut html = String::from("<nav class=\"sidebar\"><ul>");
        for (chapter, section) in self.sections() {
            // Writing to a String cannot fail.
            let _ = write!(
                html,
                "<li><a href=\"{}\">{}</a></li>",
                path(chapter, section),
                title(chapter, section)
            );
        }
        html.push_str("</ul></nav>");
        html
    }

    fn page(&self, title: &str, main: &str, related: &str) -> Reply {
        let around = AROUND.iter().enumerate();
        let html = around.fold(PAGE.to_owned(), |html, (number, text)| {
            html.replace(&format!("{{around_{number}}}"), text)
        });
        Reply::html(
            html.replace("{title}", title)
                .replace("{navigation}", &self.navigation())
                .replace("{main}", main)
                .replace("{related}", related),
        )
    }

    fn section(&self, chapter: usize, section: usize) -> Reply {
        let name = title(chapter, section);
        let text = |at| paragraph(chapter, section, at);
        let main = format!(
            "<h1>{name}</h1>\n<p>{}</p>\n<h2>In detail</h2>\n<p>{}</p>\n\
             <ul><li>{}</li></ul>\n<pre><code>let step_{section} = {chapter};</code></pre>\n\
             <table><tr><th>Part</th><th>Count</th></tr><tr><td>{name}</td><td>{section}</td>\
             </tr></table>\n<p>{}</p>",
            text(0),
            text(1),
            text(2),
            text(3)
        );
        let next = path(chapter, (section + 1) % self.sections.max(1));
        self.page(&name, &main, &format!("<a href=\"{next}\">Read on</a>"))
    }

    fn home(&self) -> Reply {
        let main = "<h1>Welcome</h1><p>This handbook tells how harbours are built, one chapter \
            after the other.</p><p><a href=\"/notes.txt\">Notes</a> <a href=\"/changes.md\">Changes\
            </a> <a href=\"/manual.pdf\">As a document</a> <a href=\"/moved-away\">Old</a> \
            <a href=\"/blank\">Blank</a></p>";
        self.page("Welcome", main, "")
    }

    fn find(&self, path_only: &str) -> Option<(usize, usize)> {
        self.sections().find(|(chapter, section)| path(*chapter, *section) == path_only)
    }
}

fn path(chapter: usize, section: usize) -> String {
    format!("/chapter-{chapter}/section-{section}")
}

fn title(chapter: usize, section: usize) -> String {
    format!("Chapter {} part {}", chapter + 1, section + 1)
}

fn paragraph(chapter: usize, section: usize, at: u64) -> String {
    let seed = mix(chapter as u64 * 1_000 + section as u64 * 10 + at);
    format!("{}.", passage(seed, 320))
}

impl Site for Handbook {
    fn answer(&self, path_and_query: &str) -> Reply {
        let path_only = path_and_query.split('?').next().unwrap_or_default();
        match path_only {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow:\n"),
            "/" => self.home(),
            "/notes.txt" => Reply::text(NOTES),
            "/changes.md" => Reply::typed(200, "text/markdown; charset=utf-8", CHANGES),
            "/manual.pdf" => Reply::typed(200, "application/pdf", "%PDF-1.4\n%%EOF\n"),
            // Pages with status 200 and no content: a soft 404 and an empty page.
            "/moved-away" => Reply::html(
                "<!doctype html><html lang=\"en\"><title>404 Not Found</title><h1>Page not \
                 found</h1><p>Nothing is here.</p>",
            ),
            "/blank" => Reply::html("<!doctype html><html lang=\"en\"><title>Blank</title>"),
            other => match self.find(other) {
                Some((chapter, section)) => self.section(chapter, section),
                None => Reply::status(404),
            },
        }
    }

    fn truth(&self) -> SiteTruth {
        let sections = self.sections().map(|(chapter, section)| path(chapter, section));
        let others = ["/", "/moved-away", "/blank"].map(str::to_owned);
        let files = ["/notes.txt", "/changes.md", "/manual.pdf"];
        SiteTruth {
            skipped: files.map(|path| (path.to_owned(), ExpectedSkip::File)).into(),
            ..SiteTruth::of_pages(sections.chain(others))
        }
    }
}
