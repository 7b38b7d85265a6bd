//! A site that is hostile on purpose: one path a misdeed, each with what must
//! become of it. What lets wait stands apart, in `Tarpit`: it needs short times, and
//! what is here needs long ones to be told from it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;

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

/// A start page that links to every misdeed, with sound pages in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hostile {
    /// A service that nobody may be led to; some redirects try.
    pub secret: SocketAddr,
}

impl Default for Hostile {
    fn default() -> Self {
        // On loopback as well: where a guard fails, the request stays here.
        Self { secret: SocketAddr::from(([127, 0, 0, 77], 8080)) }
    }
}

/// A wait that outlasts every test; the lab ends it when it is dropped.
const AGES: Duration = Duration::from_secs(3600);

struct Deed {
    path: &'static str,
    reply: fn() -> Reply,
    becomes: Becomes,
}

/// What a run must make of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Becomes {
    /// A page with this title.
    Page(Option<&'static str>),
    Nothing(ExpectedSkip),
}

impl Deed {
    const fn page(path: &'static str, title: &'static str, reply: fn() -> Reply) -> Self {
        Self { path, reply, becomes: Becomes::Page(Some(title)) }
    }

    const fn untitled(path: &'static str, reply: fn() -> Reply) -> Self {
        Self { path, reply, becomes: Becomes::Page(None) }
    }

    const fn nothing(path: &'static str, why: ExpectedSkip, reply: fn() -> Reply) -> Self {
        Self { path, reply, becomes: Becomes::Nothing(why) }
    }
}

const DEEDS: [&[Deed]; 7] = [
    framing::DEEDS,
    bodies::DEEDS,
    heads::DEEDS,
    encodings::DEEDS,
    kinds::DEEDS,
    markup::DEEDS,
    texts::DEEDS,
];

/// Sound pages that the start page links to, one between every few misdeeds.
const FINE: usize = 12;

fn deeds() -> impl Iterator<Item = &'static Deed> {
    DEEDS.into_iter().flatten()
}

fn raw(text: &'static str) -> RawStep {
    RawStep::Bytes(Bytes::from_static(text.as_bytes()))
}

/// Exactly these bytes, then the end of the connection.
fn bytes(text: &'static [u8]) -> Reply {
    Reply::Raw(vec![RawStep::Bytes(Bytes::from_static(text)), RawStep::Close])
}

/// A page of this title, with a body of choice.
fn titled(title: &str, body: &str) -> String {
    format!("<!doctype html><title>{title}</title>{body}")
}

/// A link to a sound page that stands nowhere else: whoever reads a page to its
/// end finds it.
fn behind(name: &str) -> String {
    format!("<a href=\"/behind/{name}\">Behind</a>")
}

impl Hostile {
    /// The title of every page that is delivered.
    #[must_use]
    pub fn titles(&self) -> BTreeMap<String, Option<String>> {
        let own = deeds().filter_map(|deed| match &deed.becomes {
            Becomes::Page(title) => Some((deed.path.to_owned(), title.map(str::to_owned))),
            Becomes::Nothing(_) => None,
        });
        let sound = |path: String| {
            let title = Some(fine_title(&path));
            (path, title)
        };
        let mut titles: BTreeMap<_, _> = own.collect();
        titles.extend((1..=FINE).map(|number| sound(format!("/fine-{number}"))));
        titles.extend(markup::BEHIND.iter().map(|name| sound(format!("/behind/{name}"))));
        titles.extend(redirects::ENDS.iter().map(|path| sound((*path).to_owned())));
        titles.insert("/".to_owned(), Some("Hostile".to_owned()));
        titles
    }

    fn skipped(&self) -> BTreeMap<String, ExpectedSkip> {
        let own = deeds().filter_map(|deed| match &deed.becomes {
            Becomes::Page(_) => None,
            Becomes::Nothing(why) => Some((deed.path.to_owned(), why.clone())),
        });
        own.chain(redirects::truth()).collect()
    }

    fn start(&self) -> Reply {
        let mut html = titled("Hostile", "<h1>Hostile</h1><ul>\n");
        let own: Vec<String> = deeds()
            .map(|deed| deed.path.to_owned())
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
        if let Some(deed) = deeds().find(|deed| deed.path == path_and_query) {
            return (deed.reply)();
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
            delivered: self.titles().into_keys().map(|path| (path, 200)).collect(),
            skipped: self.skipped(),
            never: vec!["/never/".to_owned()],
        }
    }
}

#[cfg(test)]
mod tests;
