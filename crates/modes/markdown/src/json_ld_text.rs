//! The text of a page from its JSON-LD, for pages that show none.
//!
//! JavaScript shells often embed their text: a job, a recipe or an article as JSON-LD. It is
//! converted to HTML, so that it is processed like any other text. A bare description is ignored:
//! on labelled pages no text is right more often.

use serde_json::{Map, Value};

use super::metadata::main_text_rank;
use html::dom::{Dom, NodeId};
use html::entity::{EntityContext, resolve};
use html::structured::{self, ThingWalk, each};

/// Maximum bytes of generated HTML.
const MAX_BYTES: usize = 1 << 20;

/// Maximum number of objects.
const MAX_THINGS: usize = 2_000;

/// Maximum nesting of objects: a page, its question, the answers, their comments.
const MAX_DEPTH: usize = 4;

/// Properties with the text of an object, the most complete first.
const TEXT_PROPERTIES: [&str; 4] = ["articleBody", "text", "reviewBody", "description"];

/// Properties with lists that follow the text.
const LIST_PROPERTIES: [&str; 4] =
    ["recipeIngredient", "recipeInstructions", "responsibilities", "qualifications"];

/// Properties with objects that are part of the text.
const PART_PROPERTIES: [&str; 5] =
    ["mainEntity", "acceptedAnswer", "suggestedAnswer", "comment", "hasPart"];

/// The longest text of all objects that the page describes, as HTML.
pub(super) fn text(dom: &Dom<'_>) -> Option<String> {
    let values = structured::json_ld(dom, dom.descendants(NodeId::ROOT));
    let mut walk = ThingWalk::new(&values, (), MAX_THINGS);
    let mut things = MAX_THINGS;
    let mut longest = String::new();
    while let Some((thing, ())) = walk.next_thing() {
        if main_text_rank(thing) == 0 {
            walk.follow(thing.get("@graph"), ());
            continue;
        }
        let mut builder = JsonLdTextBuilder { html: String::new(), things };
        builder.add_thing(thing, 0);
        things = builder.things;
        if builder.html.len() > longest.len() {
            longest = builder.html;
        }
    }
    (!longest.is_empty()).then_some(longest)
}

/// Converts one object to HTML.
#[derive(Debug)]
struct JsonLdTextBuilder {
    html: String,
    /// Number of objects that may still be read.
    things: usize,
}

impl JsonLdTextBuilder {
    fn add_thing(&mut self, thing: &Map<String, Value>, depth: usize) {
        if self.things == 0 || depth > MAX_DEPTH {
            return;
        }
        self.things -= 1;
        // The name of the page itself is its title.
        if let Some(name) = thing.get("name").and_then(Value::as_str).filter(|_| depth > 0) {
            self.push(|html| {
                html.push_str("<h2>");
                push_escaped(html, &resolve(name, EntityContext::Text));
                html.push_str("</h2>");
            });
        }
        if let Some(text) =
            TEXT_PROPERTIES.iter().find_map(|key| thing.get(*key).and_then(Value::as_str))
        {
            self.text(text);
        }
        for key in LIST_PROPERTIES {
            self.list(thing.get(key), depth);
        }
        for key in PART_PROPERTIES {
            for part in each(thing.get(key)).iter().filter_map(Value::as_object) {
                self.add_thing(part, depth + 1);
            }
        }
    }

    fn list(&mut self, value: Option<&Value>, depth: usize) {
        let entries = match value {
            Some(Value::String(text)) => return self.text(text),
            Some(Value::Array(_) | Value::Object(_)) => each(value),
            Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => &[],
        };
        if entries.is_empty() || depth > MAX_DEPTH {
            return;
        }
        self.html.push_str("<ul>");
        for entry in entries {
            if self.things == 0 {
                break;
            }
            self.things -= 1;
            self.html.push_str("<li>");
            match entry {
                Value::String(text) => self.text(text),
                Value::Object(step) => {
                    let said = step.get("text").or_else(|| step.get("name"));
                    if let Some(text) = said.and_then(Value::as_str) {
                        self.text(text);
                    }
                    self.list(step.get("itemListElement"), depth + 1);
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
            }
            self.html.push_str("</li>");
        }
        self.html.push_str("</ul>");
    }

    /// A text that may be HTML, possibly escaped.
    fn text(&mut self, text: &str) {
        let text = resolve(text, EntityContext::Text);
        self.push(|html| {
            if is_markup(&text) {
                html.push_str("<div>");
                html.push_str(&text);
                html.push_str("</div>");
            } else {
                push_paragraphs(html, &text);
            }
        });
    }

    /// Appends to the HTML unless it is long enough.
    fn push(&mut self, write: impl FnOnce(&mut String)) {
        if self.html.len() < MAX_BYTES {
            write(&mut self.html);
        }
    }
}

fn is_markup(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| {
        let next = text.as_bytes().get(at + 1);
        next.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/')
    })
}

fn push_paragraphs(html: &mut String, text: &str) {
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        html.push_str("<p>");
        push_escaped(html, line);
        html.push_str("</p>");
    }
}

fn push_escaped(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '<' => html.push_str("&lt;"),
            '&' => html.push_str("&amp;"),
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> String {
        let html = format!("<script type='application/ld+json'>{json}</script>");
        text(&Dom::parse(&html)).unwrap_or_default()
    }

    #[test]
    fn json_ld_text_is_found_for_each_type() {
        for (json, expected) in [
            (
                r#"{"@type": "NewsArticle", "name": "N", "description": "short", "articleBody": "One.\n\nTwo & <3"}"#,
                "<p>One.</p><p>Two &amp; &lt;3</p>",
            ),
            (
                r#"{"@type": "JobPosting", "description": "&lt;p&gt;We seek&lt;/p&gt;", "qualifications": "Rust"}"#,
                "<div><p>We seek</p></div><p>Rust</p>",
            ),
            (
                r#"{"@graph": [{"@type": "WebSite", "description": "no"}, {"@type": "Recipe",
                    "recipeIngredient": ["Flour", "Salt"],
                    "recipeInstructions": [{"@type": "HowToSection", "name": "Dough",
                        "itemListElement": [{"text": "Mix."}]}]}]}"#,
                "<ul><li><p>Flour</p></li><li><p>Salt</p></li></ul>\
                 <ul><li><p>Dough</p><ul><li><p>Mix.</p></li></ul></li></ul>",
            ),
            (
                r#"{"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": "Why?",
                    "acceptedAnswer": {"@type": "Answer", "text": "So."}}]}"#,
                "<h2>Why?</h2><p>So.</p>",
            ),
            (r#"{"@type": "Organization", "description": "We are."}"#, ""),
            (r#"{"@type": "WebPage", "description": 7, "mainEntity": "x", "comment": [[{}]]}"#, ""),
            ("{", ""),
        ] {
            assert_eq!(of(json), expected, "{json}");
        }
    }

    #[test]
    fn circular_json_ld_is_limited() {
        let deep =
            r#"{"@type":"Question","text":"x","comment":"#.repeat(200) + "0" + &"}".repeat(200);
        assert_eq!(of(&deep).matches('x').count(), MAX_DEPTH + 1);
        let many = r#"{"@type":"Answer","text":"x"},"#.repeat(20_000);
        let wide = format!(r#"{{"@type":"Question","comment":[{}{{}}]}}"#, many);
        assert_eq!(of(&wide).matches('x').count(), MAX_THINGS - 1);
    }
}
