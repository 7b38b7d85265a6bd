//! A site with duplicate pages under several URLs: canonical links in all directions, print views,
//! index files, first pages of lists, equal texts. The groups of duplicates are known.

use std::fmt::Write as _;

use super::filler::{mix, passage};
use crate::{Reply, Site, SiteTruth};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Copies;

/// URLs of the same page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// The URL that is delivered, if the site declares it; otherwise any of `others`.
    pub kept: Option<&'static str>,
    pub others: &'static [&'static str],
}

/// A page: its path, the number of its text, and its declared canonical URL.
type CopyPage = (&'static str, u64, Option<&'static str>);

const PAGES: &[CopyPage] = &[
    ("/", 1, None),
    // The canonical page is found after its copy.
    ("/article-old", 2, Some("/z/article")),
    ("/z/article", 3, None),
    // The canonical page is found before its copy.
    ("/lamp", 4, None),
    ("/z/lamp-variant", 5, Some("/lamp")),
    // A chain of canonical links.
    ("/chain-1", 6, Some("/chain-2")),
    ("/chain-2", 7, Some("/chain-3")),
    ("/chain-3", 8, None),
    // A cycle of canonical links.
    ("/circle-1", 9, Some("/circle-2")),
    ("/circle-2", 10, Some("/circle-1")),
    // No page links to the canonical page.
    ("/draft", 11, Some("/final")),
    ("/final", 12, None),
    // Canonical pages that cannot be delivered.
    ("/elsewhere", 13, Some("http://outside.test/elsewhere")),
    ("/lost", 14, Some("/no-such-page")),
    ("/kept-back", 15, Some("/private/page")),
    ("/template-1", 16, Some("/")),
    ("/template-2", 17, Some("/")),
    // The same text.
    ("/report", 18, None),
    ("/report/print", 18, None),
    ("/twin-1", 19, None),
    ("/twin-2", 19, None),
    ("/folder/", 20, None),
    ("/folder/index.html", 20, None),
    ("/list", 21, None),
    ("/list?page=1", 21, None),
    ("/list?page=2", 22, None),
    // A third page beside a folder and its index file.
    ("/annex", 23, None),
    ("/house/", 23, None),
    ("/house/index.html", 23, None),
];

const GROUPS: &[Group] = &[
    Group { kept: Some("/z/article"), others: &["/article-old"] },
    Group { kept: Some("/lamp"), others: &["/z/lamp-variant"] },
    Group { kept: Some("/chain-3"), others: &["/chain-1", "/chain-2"] },
    Group { kept: None, others: &["/circle-1", "/circle-2"] },
    Group { kept: Some("/final"), others: &["/draft"] },
    Group { kept: None, others: &["/report", "/report/print"] },
    Group { kept: None, others: &["/twin-1", "/twin-2"] },
    Group { kept: None, others: &["/folder/", "/folder/index.html"] },
    Group { kept: None, others: &["/list", "/list?page=1"] },
    Group { kept: None, others: &["/annex", "/house/", "/house/index.html"] },
];

/// Pages whose canonical URL cannot be delivered in their place.
const ALONE: &[&str] = &["/elsewhere", "/lost", "/kept-back", "/template-1", "/template-2"];

impl Copies {
    /// The groups of duplicates. Each group is delivered once.
    #[must_use]
    pub fn groups(self) -> &'static [Group] {
        GROUPS
    }

    /// Pages that declare a canonical URL and are delivered themselves.
    #[must_use]
    pub fn alone(self) -> &'static [&'static str] {
        ALONE
    }
}

fn page((path, text, canonical): CopyPage) -> Reply {
    let mut html = String::from("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    if let Some(canonical) = canonical {
        // Writing to a String cannot fail.
        let _ = write!(html, "<link rel=\"canonical\" href=\"{canonical}\">");
    }
    let text = passage(mix(text), 700);
    let _ = write!(html, "<title>Page</title></head><body><main><p>");
    if path.ends_with("/print") || path == "/twin-2" {
        // The same words with other markup.
        let _ = write!(html, "<b>{}</b>", text.replace(' ', "\n "));
    } else {
        html.push_str(text);
    }
    html.push_str("</p></main>");
    if path == "/" {
        html.push_str("<nav>");
        // No page links to the first one, and the home page does not link to itself.
        for (other, ..) in PAGES.iter().filter(|(other, ..)| !matches!(*other, "/" | "/final")) {
            let _ = write!(html, "<a href=\"{other}\"></a>");
        }
        html.push_str("</nav>");
    }
    html.push_str("</body></html>\n");
    Reply::html(html)
}

impl Site for Copies {
    fn answer(&self, path_and_query: &str) -> Reply {
        if path_and_query == "/robots.txt" {
            return Reply::text("User-agent: *\nDisallow: /private/\n");
        }
        match PAGES.iter().find(|(path, ..)| *path == path_and_query) {
            Some(found) => page(*found),
            None => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        let paths = PAGES.iter().map(|(path, ..)| *path).filter(|path| !path.contains('?'));
        SiteTruth::of_pages(paths)
    }
}
