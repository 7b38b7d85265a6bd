//! Sites whose pages need scripts: for all content, for none, or for a part.
//!
//! All have the same pages. They differ in how much of them exists before a script has run.

use std::fmt::Write as _;

use super::filler::passage;
use crate::{Reply, Site, SiteTruth};

/// How a site uses scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scripted {
    /// Every page is the same empty shell; `/app.js` fetches `/data.json` and fills it.
    Shell,
    /// The pages are complete, and a script hydrates them. Rendering adds nothing.
    Prerendered,
    /// A `noscript` message, and a script that writes the page.
    NoscriptOnly,
    /// The pages are complete except for the ratings, which a script adds.
    Widget,
}

/// The paths and titles of the pages.
const PAGES: [(&str, &str); 8] = [
    ("/", "The lamp shop"),
    ("/lamps", "All lamps"),
    ("/lamps/1", "Lamp number one"),
    ("/lamps/2", "Lamp number two"),
    ("/lamps/3", "Lamp number three"),
    ("/about", "About the shop"),
    ("/contact", "Where to find us"),
    ("/deep/in/the/shop", "A page that only one other links to"),
];

/// Builds a page from its data: text, and links with real URLs whose clicks the script handles.
const APP: &str = include_str!("scripted/app.js");

/// Hydrates a complete page.
const HYDRATE: &str = "document.documentElement.dataset.ready = '1';\n";

/// Fills the part of a page that needs a script.
const RATINGS: &str =
    "document.getElementById('ratings').textContent = 'Four of five people like this lamp.';\n";

impl Scripted {
    pub const ALL: [Self; 4] = [Self::Shell, Self::Prerendered, Self::NoscriptOnly, Self::Widget];

    /// Whether its pages have no content unless they are rendered.
    #[must_use]
    pub fn needs_rendering(self) -> bool {
        match self {
            Self::Shell | Self::NoscriptOnly => true,
            Self::Prerendered | Self::Widget => false,
        }
    }

    /// The truth for a run that renders pages.
    #[must_use]
    pub fn truth_rendered(self) -> SiteTruth {
        SiteTruth::of_pages(PAGES.iter().map(|(path, _)| *path))
    }

    /// The title and the text of a complete page.
    #[must_use]
    pub fn content(path: &str) -> Option<(&'static str, &'static str)> {
        let number = PAGES.iter().position(|(known, _)| *known == path)?;
        Some((PAGES[number].1, passage(1 + number as u64 * 4_001, 700)))
    }

    fn page(self, number: usize) -> Reply {
        let (title, whole) = (PAGES[number].1, content_html(number));
        Reply::html(match self {
            Self::Shell => include_str!("scripted/shell.html").to_owned(),
            Self::Prerendered => format!(
                "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
                 <title>{title}</title><link rel=\"modulepreload\" href=\"/hydrate.js\"></head>\
                 <body><div id=\"app\">{whole}</div>\
                 <script id=\"state\" type=\"application/json\">{}</script>\
                 <script type=\"module\" src=\"/hydrate.js\"></script></body></html>\n",
                data()
            ),
            Self::NoscriptOnly => format!(
                "<!doctype html>\n<html lang=\"en\"><head><title>Lamps</title></head><body>\
                 <noscript>This shop does not work without JavaScript.</noscript>\
                 <script>document.title = {title:?}; \
                 document.body.insertAdjacentHTML('beforeend', {whole:?});</script></body></html>\n"
            ),
            Self::Widget => format!(
                "<!doctype html>\n<html lang=\"en\"><head><title>{title}</title></head>\
                 <body>{whole}<div id=\"ratings\"></div>\
                 <noscript>Ratings need JavaScript.</noscript>\
                 <script src=\"/ratings.js\" defer></script></body></html>\n"
            ),
        })
    }
}

/// The pages that a page links to.
fn links(number: usize) -> Vec<&'static str> {
    let to: &[usize] = match number {
        0 => &[1, 5, 6],
        1 => &[0, 2, 3, 4],
        4 => &[1, 7],
        _ => &[0],
    };
    to.iter().map(|to| PAGES[*to].0).collect()
}

fn content_html(number: usize) -> String {
    let (title, text) = Scripted::content(PAGES[number].0).unwrap_or_default();
    let mut html = format!("<h1>{title}</h1><p>{text}</p>");
    for to in links(number) {
        // Writing to a String cannot fail.
        let _ =
            write!(html, "<a href=\"{to}\">{}</a>", Scripted::content(to).unwrap_or_default().0);
    }
    html
}

/// All pages as JSON; their texts need no escaping.
fn data() -> String {
    let pages: Vec<String> = PAGES
        .iter()
        .enumerate()
        .map(|(number, (path, _))| {
            let (title, text) = Scripted::content(path).unwrap_or_default();
            format!(
                "{path:?}:{{\"title\":{title:?},\"text\":{text:?},\"links\":{:?}}}",
                links(number)
            )
        })
        .collect();
    format!("{{{}}}", pages.join(","))
}

impl Site for Scripted {
    fn answer(&self, path_and_query: &str) -> Reply {
        let path = path_and_query.split('?').next().unwrap_or_default();
        let script = |code| Reply::typed(200, "text/javascript", code);
        match (path, self) {
            ("/robots.txt", _) => Reply::text("User-agent: *\nDisallow:\n"),
            ("/app.js", Self::Shell) => script(APP),
            ("/data.json", Self::Shell) => Reply::typed(200, "application/json", data()),
            ("/hydrate.js", Self::Prerendered) => script(HYDRATE),
            ("/ratings.js", Self::Widget) => script(RATINGS),
            _ => match PAGES.iter().position(|(known, _)| *known == path) {
                Some(number) => self.page(number),
                None => Reply::status(404),
            },
        }
    }

    /// The truth for a run that runs no scripts.
    fn truth(&self) -> SiteTruth {
        if self.needs_rendering() {
            return SiteTruth::of_pages(["/"]);
        }
        self.truth_rendered()
    }
}
