//! A hostile site: one path per attack, each with its expected outcome. Slow responses are in
//! [`Tarpit`]: tests of them need short timeouts, tests of this site long ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;

use bytes::Bytes;

use crate::reply::{LONG_PAUSE, raw};
use crate::{ExpectedSkip, RawStep, Reply, Site, SiteTruth};

mod bodies;
mod encodings;
mod framing;
mod heads;
mod kinds;
mod markup;
mod redirects;
mod tarpit;
mod texts;

pub use tarpit::Tarpit;

/// A start page that links to every attack, with valid pages in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hostile {
    /// A private service to which some pages redirect; it must get no request.
    pub secret: SocketAddr,
}

impl Default for Hostile {
    fn default() -> Self {
        // On loopback: if a guard fails, the request stays on this machine.
        Self { secret: SocketAddr::from(([127, 0, 0, 77], 8080)) }
    }
}

struct HostileCase {
    path: &'static str,
    reply: fn() -> Reply,
    expected: ExpectedResult,
}

/// The expected outcome of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ExpectedResult {
    /// A page with this title.
    Page(Option<&'static str>),
    Skipped(ExpectedSkip),
}

impl HostileCase {
    const fn page(path: &'static str, title: &'static str, reply: fn() -> Reply) -> Self {
        Self { path, reply, expected: ExpectedResult::Page(Some(title)) }
    }

    const fn untitled(path: &'static str, reply: fn() -> Reply) -> Self {
        Self { path, reply, expected: ExpectedResult::Page(None) }
    }

    const fn skipped(path: &'static str, why: ExpectedSkip, reply: fn() -> Reply) -> Self {
        Self { path, reply, expected: ExpectedResult::Skipped(why) }
    }
}

const CASES: [&[HostileCase]; 7] = [
    framing::CASES,
    bodies::CASES,
    heads::CASES,
    encodings::CASES,
    kinds::CASES,
    markup::CASES,
    texts::CASES,
];

/// Valid pages that the start page links to, one between every few attacks.
const FINE: usize = 12;

fn cases() -> impl Iterator<Item = &'static HostileCase> {
    CASES.into_iter().flatten()
}

/// These bytes, then the end of the connection.
fn bytes(text: &'static [u8]) -> Reply {
    Reply::Raw(vec![RawStep::Bytes(Bytes::from_static(text)), RawStep::Close])
}

/// A page with this title and body.
fn titled(title: &str, body: &str) -> String {
    format!("<!doctype html><title>{title}</title>{body}")
}

/// A link to a valid page that no other page links to: found only if the page is read to its end.
fn behind(name: &str) -> String {
    format!("<a href=\"/behind/{name}\">Behind</a>")
}

impl Hostile {
    /// The title of every page that is delivered.
    #[must_use]
    pub fn titles(&self) -> BTreeMap<String, Option<String>> {
        let own = cases().filter_map(|case| match &case.expected {
            ExpectedResult::Page(title) => Some((case.path.to_owned(), title.map(str::to_owned))),
            ExpectedResult::Skipped(_) => None,
        });
        let sound = |path: String| (path.clone(), Some(fine_title(&path)));
        let mut titles: BTreeMap<_, _> = own.collect();
        titles.extend((1..=FINE).map(|number| sound(format!("/fine-{number}"))));
        titles.extend(markup::BEHIND.split(' ').map(|name| sound(format!("/behind/{name}"))));
        titles.extend(redirects::ENDS.iter().map(|path| sound((*path).to_owned())));
        titles.insert("/".to_owned(), Some("Hostile".to_owned()));
        titles
    }

    fn skipped(&self) -> BTreeMap<String, ExpectedSkip> {
        let own = cases().filter_map(|case| match &case.expected {
            ExpectedResult::Page(_) => None,
            ExpectedResult::Skipped(why) => Some((case.path.to_owned(), why.clone())),
        });
        own.chain(redirects::truth()).collect()
    }

    fn start(&self) -> Reply {
        let mut html = titled("Hostile", "<h1>Hostile</h1><ul>\n");
        let own: Vec<String> = cases()
            .map(|case| case.path.to_owned())
            .chain(redirects::truth().map(|(path, _)| path))
            .chain(redirects::INSIDE.iter().map(|(path, _)| (*path).to_owned()))
            .collect();
        let every = own.len() / FINE;
        for (number, path) in own.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = writeln!(html, "<li><a href=\"{path}\">{path}</a></li>");
            if number % every == 0 && number / every < FINE {
                let fine = number / every + 1;
                let _ = writeln!(html, "<li><a href=\"/fine-{fine}\">Fine {fine}</a></li>");
            }
        }
        Reply::html(html)
    }
}

fn fine_title(path: &str) -> String {
    format!("Fine: {path}")
}

fn fine(path: &str) -> Reply {
    Reply::html(titled(&fine_title(path), "<h1>Fine</h1><a href=\"/\">Back</a>"))
}

impl Site for Hostile {
    fn answer(&self, path_and_query: &str) -> Reply {
        if path_and_query == "/" {
            return self.start();
        }
        if path_and_query == "/robots.txt" {
            return Reply::text("User-agent: *\nDisallow:\n");
        }
        if let Some(case) = cases().find(|case| case.path == path_and_query) {
            return (case.reply)();
        }
        if let Some(reply) = redirects::answer(path_and_query, self.secret) {
            return reply;
        }
        if self.titles().contains_key(path_and_query) {
            return fine(path_and_query);
        }
        Reply::status(404)
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth {
            skipped: self.skipped(),
            never: vec!["/never/".to_owned()],
            ..SiteTruth::of_pages(self.titles().into_keys())
        }
    }
}

#[cfg(test)]
mod tests;
