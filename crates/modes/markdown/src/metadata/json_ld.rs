//! Metadata from JSON-LD.
//!
//! Only the page and its main entity count.

use serde_json::{Map, Value};

use html::structured::{ThingWalk, is_a, types};
use html::text::Collapsed;

/// Maximum number of objects in total.
const MAX_THINGS: usize = 2_000;

const MAX_NAME: usize = 512;

/// The JSON-LD of a page.
#[derive(Debug, Default)]
pub(super) struct JsonLd {
    pages: Vec<DescribedThing>,
    /// Names by `@id`: authors are often references.
    names: Vec<(String, String)>,
    /// Names of the site and its publisher.
    pub sites: Vec<String>,
}

/// The metadata of one object.
#[derive(Debug, Default)]
struct DescribedThing {
    rank: u8,
    headline: Option<String>,
    authors: Vec<Author>,
    published: Option<String>,
    modified: Option<String>,
}

#[derive(Debug)]
enum Author {
    Named(String),
    Identified(String),
}

impl JsonLd {
    pub fn of(values: &[Value]) -> Self {
        let mut json_ld = Self::default();
        let mut walk = ThingWalk::new(values, (), MAX_THINGS);
        while let Some((thing, ())) = walk.next_thing() {
            json_ld.thing(thing);
            for key in ["mainEntity", "mainEntityOfPage", "@graph"] {
                walk.follow(thing.get(key), ());
            }
        }
        json_ld
    }

    fn thing(&mut self, thing: &Map<String, Value>) {
        let name = text(thing.get("name"));
        if let (Some(name), Some(id)) = (&name, text(thing.get("@id"))) {
            self.names.push((id, name.clone()));
        }
        if is_a(thing, &["WebSite"]) {
            self.sites.extend(name.clone());
        }
        let publisher = thing.get("publisher").and_then(Value::as_object);
        self.sites.extend(publisher.and_then(|publisher| text(publisher.get("name"))));
        let rank = main_text_rank(thing);
        if rank == 0 {
            return;
        }
        let mut authors = Vec::new();
        for key in ["author", "creator"] {
            if authors.is_empty() {
                read_authors(thing.get(key), &mut authors);
            }
        }
        self.pages.push(DescribedThing {
            rank,
            headline: text(thing.get("headline")).or(name.filter(|_| rank < 3)),
            authors,
            published: text(thing.get("datePublished")).or_else(|| text(thing.get("uploadDate"))),
            modified: text(thing.get("dateModified")),
        });
    }

    /// The first value among the objects, those that are most likely the text of the page first.
    fn first_value<'s, T>(&'s self, of: impl Fn(&'s DescribedThing) -> Option<T>) -> Option<T> {
        (1..=3)
            .rev()
            .find_map(|rank| self.pages.iter().filter(|page| page.rank == rank).find_map(&of))
    }

    pub fn headlines(&self) -> impl Iterator<Item = &str> {
        let ranked = |rank| self.pages.iter().filter(move |page| page.rank == rank);
        (1..=3).rev().flat_map(ranked).filter_map(|page| page.headline.as_deref())
    }

    pub fn published(&self) -> Option<&str> {
        self.first_value(|page| page.published.as_deref())
    }

    pub fn modified(&self) -> Option<&str> {
        self.first_value(|page| page.modified.as_deref())
    }

    /// The names of the authors.
    pub fn authors(&self) -> Vec<String> {
        let named = |author: &Author| match author {
            Author::Named(name) => Some(name.clone()),
            Author::Identified(id) => {
                self.names.iter().find(|(known, _)| known == id).map(|(_, name)| name.clone())
            }
        };
        self.first_value(|page| {
            let names: Vec<_> = page.authors.iter().filter_map(named).collect();
            (!names.is_empty()).then_some(names)
        })
        .unwrap_or_default()
    }
}

/// How likely an object is the text of the page: from 0 (not at all) to 3.
pub(crate) fn main_text_rank(thing: &Map<String, Value>) -> u8 {
    types(thing).map(rank).max().unwrap_or(0)
}

fn rank(kind: &str) -> u8 {
    match kind {
        "Recipe" | "HowTo" | "Report" | "Review" | "Course" | "JobPosting" => 3,
        _ if kind.ends_with("Article") || kind.ends_with("Posting") => 3,
        "QAPage" | "Question" | "VideoObject" | "PodcastEpisode" | "Book" | "Event" => 2,
        "CreativeWork" | "Product" | "Dataset" | "SoftwareApplication" | "MedicalWebPage" => 2,
        _ if kind.ends_with("Page") => 1,
        _ => 0,
    }
}

fn read_authors(value: Option<&Value>, authors: &mut Vec<Author>) {
    match value {
        Some(Value::String(name)) => authors.push(Author::Named(clean(name))),
        Some(Value::Object(thing)) => {
            let name = match thing.get("name") {
                Some(Value::Array(names)) => text(names.first()),
                other => text(other),
            };
            let id = text(thing.get("@id"));
            authors.extend(name.map(Author::Named).or(id.map(Author::Identified)));
        }
        Some(Value::Array(values)) => {
            for value in values.iter().take(16).filter(|value| !value.is_array()) {
                read_authors(Some(value), authors);
            }
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => {}
    }
}

/// A string with its character references resolved.
fn text(value: Option<&Value>) -> Option<String> {
    value?.as_str().map(clean).filter(|text| !text.is_empty())
}

fn clean(text: &str) -> String {
    Collapsed::of(&html::entity::resolve(text, html::entity::EntityContext::Text), MAX_NAME)
}
