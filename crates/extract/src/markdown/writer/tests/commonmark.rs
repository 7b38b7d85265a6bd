//! There and back: the HTML of every example of the CommonMark specification is written as
//! Markdown, rendered again, and has to be what it was.
//!
//! The examples come with the sources of the renderer that is used, wherever Cargo keeps
//! them. Both are compared as trees, white space as a browser shows it. Left aside are
//! the examples whose HTML Markdown has no form for, by `has_no_form`. Two things are left
//! out on purpose and not compared: the titles of links, and emphasis within emphasis of
//! the same kind.

use std::path::PathBuf;
use std::process::Command;

use super::*;
use crate::dom::Element;

/// The share of examples that come back as they were.
const SHARE: f64 = 0.97;

struct Example {
    number: usize,
    html: String,
}

/// Where the sources of the renderer are.
fn sources() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let answer = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--manifest-path"])
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
    let texts = suite.split("let expected = r##\"").skip(1);
    texts
        .enumerate()
        .map(|(at, text)| Example {
            number: at + 1,
            html: text.split("\"##;").next().unwrap_or_default().to_owned(),
        })
        .collect()
}

/// A tree as text: what two renderings of one document have in common.
fn outline(html: &str) -> String {
    fn is_block(element: Element) -> bool {
        !matches!(
            element,
            Element::A | Element::Em | Element::Strong | Element::Code | Element::Image
        )
    }
    fn write(dom: &Dom<'_>, id: NodeId, in_pre: bool, out: &mut String) {
        for child in dom.children(id) {
            match dom.kind(child) {
                Kind::Element(element) => {
                    let name = element.name();
                    let repeated = matches!(element, Element::Em | Element::Strong)
                        && dom.ancestors(child).any(|above| dom.is(above, element));
                    if repeated {
                        write(dom, child, in_pre, out);
                        continue;
                    }
                    if is_block(element) {
                        out.truncate(out.trim_end_matches(' ').len());
                    }
                    out.push_str(&format!("<{name}"));
                    for known in ["href", "src", "alt", "start", "class"] {
                        if let Some(value) = dom.attribute(child, known) {
                            out.push_str(&format!(" {known}={value}"));
                        }
                    }
                    out.push('>');
                    write(dom, child, in_pre || element == Element::Pre, out);
                    if is_block(element) && !in_pre && element != Element::Pre {
                        out.truncate(out.trim_end_matches(' ').len());
                    }
                    out.push_str(&format!("</{name}>"));
                }
                _ if in_pre => out.push_str(&dom.text(child)),
                _ => {
                    for character in dom.text(child).chars() {
                        let space = character.is_whitespace();
                        let doubled = out.ends_with([' ', '\n']) || out.is_empty();
                        let leads = out.ends_with('>') && {
                            let last = out.rfind('<').map_or("", |at| &out[at..]);
                            let name = last.trim_matches(['<', '>', '/']);
                            let name = name.split(' ').next().unwrap_or_default();
                            is_block(Element::named(name.as_bytes()))
                        };
                        if space && !doubled && !leads {
                            out.push(' ');
                        } else if !space {
                            out.push(character);
                        }
                    }
                }
            }
        }
    }
    let dom = Dom::parse(html);
    let mut out = String::new();
    write(&dom, NodeId::ROOT, false, &mut out);
    out.trim_end().to_owned()
}

/// Why an example is left aside: its HTML was written as such, or holds what is empty, which
/// is dropped on purpose.
fn has_no_form(html: &str) -> Option<&'static str> {
    use Element as E;
    let dom = Dom::parse(html);
    if html.trim().is_empty() {
        return Some("no content");
    }
    if html.contains("<!") || html.contains("<?") {
        return Some("raw HTML: not an element");
    }
    for id in dom.descendants(NodeId::ROOT) {
        match dom.kind(id) {
            Kind::Text
                if dom.parent(id) == Some(NodeId::ROOT) && !dom.text(id).trim().is_empty() =>
            {
                return Some("raw HTML: text outside of any block");
            }
            Kind::Element(element) => {
                let known = matches!(
                    element,
                    E::P | E::H1
                        | E::H2
                        | E::H3
                        | E::H4
                        | E::H5
                        | E::H6
                        | E::Blockquote
                        | E::Ul
                        | E::Ol
                        | E::Li
                        | E::Pre
                        | E::Code
                        | E::Em
                        | E::Strong
                        | E::A
                        | E::Image
                        | E::Hr
                        | E::Br
                );
                if dom.parent(id) == Some(NodeId::ROOT) && element.is_inline() {
                    return Some("raw HTML: text outside of any block");
                }
                if !known {
                    return Some("raw HTML: an element that Markdown does not have");
                }
                let attributes = ["href", "src", "alt", "title", "start", "class"];
                if dom.attributes(id).iter().any(|found| !attributes.contains(&found.name)) {
                    return Some("raw HTML: an attribute that Markdown does not have");
                }
                let empty = dom.inner_text(id).trim().is_empty()
                    && !dom
                        .descendants(id)
                        .any(|below| matches!(dom.element(below), Some(E::Image | E::Hr | E::Br)));
                if empty && !matches!(element, E::Image | E::Hr | E::Br) {
                    return Some("an empty element");
                }
                let nowhere = element == E::A && dom.raw_attribute(id, "href") == Some("");
                if nowhere || element == E::Image && dom.raw_attribute(id, "src") == Some("") {
                    return Some("a link to nowhere");
                }
            }
            _ => {}
        }
    }
    None
}

fn rendered(markdown: &str) -> String {
    let mut html = String::new();
    let parser = pulldown_cmark::Parser::new_ext(markdown, pulldown_cmark::Options::empty());
    pulldown_cmark::html::push_html(&mut html, parser);
    html
}

#[test]
fn the_examples_of_the_specification_come_back_as_they_were() {
    let examples = examples();
    assert!(examples.len() > 600, "{} examples", examples.len());
    let (mut same, mut other, mut aside) = (0, Vec::new(), Vec::new());
    for Example { number, html } in &examples {
        if let Some(reason) = has_no_form(html) {
            aside.push((reason, *number));
            continue;
        }
        let markdown = markdown(html);
        let back = rendered(&markdown);
        if outline(&back) == outline(html) {
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
    assert!(share >= SHARE, "{share}");
}
