//! Round trip: the HTML of every example of the CommonMark specification is written as Markdown,
//! rendered again, and compared with the original.
//!
//! The examples come with the sources of the renderer, which Cargo has downloaded. Both are
//! compared as trees with all attributes and collapsed white space. `is_skipped` skips two kinds
//! of examples: those with raw HTML, and those with an element without text.

use std::path::PathBuf;
use std::process::Command;

use urls::CanonicalUrl;

use super::*;
use crate::markdown_page::MarkdownPage;
use crate::repeated::RepeatedBlocks;
use html::dom::Element;
use page::{PageHead, PageLimits};

/// Minimum share of examples that round trip.
const SHARE: f64 = 0.97;

/// The same with content selection first, which splits the smallest pages.
const SHARE_OF_PAGES: f64 = 0.97;

struct Example {
    number: usize,
    markdown: String,
    html: String,
}

/// The folder of the renderer's sources.
fn sources() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let answer = Command::new("rustc").arg("-vV").output().expect("rustc");
    let about = String::from_utf8_lossy(&answer.stdout);
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).expect("a platform");
    let answer = Command::new(cargo)
        // Dependencies of other platforms were not downloaded.
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", host])
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo");
    let metadata: serde_json::Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let renderer = packages.iter().find(|package| package["name"] == "pulldown-cmark");
    let manifest = renderer.and_then(|found| found["manifest_path"].as_str()).expect("a path");
    PathBuf::from(manifest).parent().expect("a folder").to_owned()
}

fn examples() -> Vec<Example> {
    let path = sources().join("tests/suite/spec.rs");
    let suite = std::fs::read_to_string(path).expect("the examples");
    let examples = suite.split("let original = r##\"").skip(1);
    examples
        .enumerate()
        .map(|(at, text)| {
            let mut quoted = text.split("\"##;");
            let markdown = quoted.next().unwrap_or_default().to_owned();
            let html =
                quoted.next().and_then(|text| text.split_once("r##\"")).map(|(_, html)| html);
            Example { number: at + 1, markdown, html: html.unwrap_or_default().to_owned() }
        })
        .collect()
}

/// A tree as text, for comparison. URLs are resolved against `base`.
fn outline(html: &str, base: &BaseUrl) -> String {
    let dom = Dom::parse(html);
    let mut outline = Outline { dom: &dom, base, out: String::new() };
    outline.write(NodeId::ROOT, false);
    outline.out.trim_end().to_owned()
}

struct Outline<'o> {
    dom: &'o Dom<'o>,
    base: &'o BaseUrl,
    out: String,
}

impl Outline<'_> {
    fn write(&mut self, id: NodeId, in_pre: bool) {
        for child in self.dom.children(id) {
            match self.dom.kind(child) {
                NodeKind::Element(element) => self.element(child, element, in_pre),
                _ if in_pre => self.out.push_str(&self.dom.text(child)),
                _ => self.text(&self.dom.text(child)),
            }
        }
    }

    fn element(&mut self, id: NodeId, element: Element, in_pre: bool) {
        let name = element.name();
        if is_block(element) {
            self.trim();
        }
        self.out.push_str(&format!("<{name}"));
        for known in ["href", "src", "alt", "title", "start", "class"] {
            if let Some(value) = self.dom.attribute(id, known) {
                let is_address = matches!(known, "href" | "src");
                let url = UrlResolver::new(self.base, 0).resolve(&value);
                let value = url.filter(|_| is_address).unwrap_or_else(|| value.into_owned());
                self.out.push_str(&format!(" {known}={value}"));
            }
        }
        self.out.push('>');
        self.write(id, in_pre || element == Element::Pre);
        if is_block(element) && !in_pre && element != Element::Pre {
            self.trim();
        }
        self.out.push_str(&format!("</{name}>"));
    }

    fn trim(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
    }

    /// Text with collapsed white space.
    fn text(&mut self, text: &str) {
        for character in text.chars() {
            let space = character.is_ascii_whitespace();
            let doubled = self.out.ends_with([' ', '\n']) || self.out.is_empty();
            let leads = self.out.ends_with('>') && {
                let last = self.out.rfind('<').map_or("", |at| &self.out[at..]);
                let name = last.trim_matches(['<', '>', '/']);
                let name = name.split(' ').next().unwrap_or_default();
                is_block(Element::named(name.as_bytes(), name.len()))
            };
            if space && !doubled && !leads {
                self.out.push(' ');
            } else if !space {
                self.out.push(character);
            }
        }
    }
}

fn is_block(element: Element) -> bool {
    use Element as E;
    !matches!(element, E::A | E::Em | E::Strong | E::Code | E::Image)
}

/// Why an example is skipped.
fn is_skipped(example: &Example) -> Option<&'static str> {
    use pulldown_cmark::Event;
    let mut events = pulldown_cmark::Parser::new(&example.markdown);
    if events.any(|event| matches!(event, Event::Html(_) | Event::InlineHtml(_))) {
        return Some("raw HTML");
    }
    has_no_text(&example.html).then_some("no text")
}

/// Whether an element has neither text nor an image, rule or break. An item between two others may.
fn has_no_text(html: &str) -> bool {
    use Element as E;
    let dom = Dom::parse(html);
    let says = |id: NodeId| {
        matches!(dom.element(id), Some(E::Image | E::Hr | E::Br)) || !dom.text(id).trim().is_empty()
    };
    let is_between = |id: NodeId| {
        let items: Vec<_> =
            dom.parent(id).into_iter().flat_map(|list| dom.children(list)).collect();
        let holds = |items: &[NodeId]| items.iter().any(|item| dom.is(*item, E::Li));
        let (before, from) = items.split_at(items.partition_point(|item| *item < id));
        dom.is(id, E::Li) && holds(before) && holds(&from[1..])
    };
    dom.descendants(NodeId::ROOT)
        .filter(|id| dom.element(*id).is_some())
        .any(|id| !says(id) && !dom.descendants(id).any(says) && !is_between(id))
}

fn rendered(markdown: &str) -> String {
    let mut html = String::new();
    let parser = pulldown_cmark::Parser::new_ext(markdown, pulldown_cmark::Options::empty());
    pulldown_cmark::html::push_html(&mut html, parser);
    html
}

/// The share of the examples that are unchanged when the result of `written` is rendered.
fn round_trip_share(written: impl Fn(&str) -> String, base: &BaseUrl) -> f64 {
    let examples = examples();
    assert!(examples.len() > 600, "{} examples", examples.len());
    let (mut same, mut other, mut aside) = (0, Vec::new(), Vec::new());
    for example in &examples {
        let Example { number, html, .. } = example;
        if let Some(reason) = is_skipped(example) {
            aside.push((reason, *number));
            continue;
        }
        let markdown = written(html);
        let back = rendered(&markdown);
        if outline(&back, base) == outline(html, base) {
            same += 1;
        } else {
            other.push(*number);
            println!("-- example {number}\n{html}-- written\n{markdown}-- and back\n{back}");
        }
    }
    aside.sort_unstable();
    for reasons in aside.chunk_by(|a, b| a.0 == b.0) {
        let numbers: Vec<_> = reasons.iter().map(|(_, number)| number).collect();
        println!("left aside, {}: {} {numbers:?}", reasons[0].0, numbers.len());
    }
    let share = f64::from(same) / f64::from(same + i32::try_from(other.len()).unwrap_or(0));
    println!("{same} of {} come back, {share:.3}; not {other:?}", examples.len() - aside.len());
    share
}

#[test]
fn commonmark_examples_round_trip() {
    let share = round_trip_share(markdown, &BaseUrl::none());
    assert!(share >= SHARE, "{share}");
}

/// The round trip with content selection first, as in a run.
#[test]
fn commonmark_examples_round_trip_as_pages() {
    let url = CanonicalUrl::parse("https://example.com/page").expect("a URL");
    let page = |html: &str| {
        let (head, limits) = (PageHead::default(), PageLimits::default());
        let repeated = RepeatedBlocks::default();
        MarkdownPage::read(html.as_bytes(), &head, &url, &limits, &repeated).1.markdown
    };
    let share = round_trip_share(page, &BaseUrl::at(&url));
    assert!(share >= SHARE_OF_PAGES, "{share}");
}
