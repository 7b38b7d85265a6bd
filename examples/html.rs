//! Prints the title and the links of a page.
//!
//!     cargo run --example html -- examples/page.html

use std::io::Read;

use anyhow::Context;
use html::charset;
use html::dom::{Dom, Element, NodeId};
use html::prose;

/// Maximum bytes of a printed text.
const TEXT_BYTES: usize = 200;

fn main() -> anyhow::Result<()> {
    let body = read_input()?;
    // Bytes become text first. A server may name the encoding in its `Content-Type` header, which
    // would be the second argument; otherwise the page says it or it is detected.
    let text = charset::decode(&body, None);
    // Parsing never fails: like a browser, the parser repairs invalid HTML. Nodes are numbers, and
    // the DOM answers questions about them.
    let dom = Dom::parse(&text);
    if let Some(title) = dom.find(NodeId::ROOT, Element::Title) {
        println!("{}\n", prose::line(&dom, title, TEXT_BYTES));
    }
    for node in dom.descendants(NodeId::ROOT).filter(|node| dom.is(*node, Element::A)) {
        // Values of attributes have their character references resolved: `&amp;` is `&`.
        if let Some(href) = dom.attribute(node, "href") {
            println!("{href}\t{}", prose::line(&dom, node, TEXT_BYTES));
        }
    }
    Ok(())
}

/// Reads the file of the first argument, or standard input.
fn read_input() -> anyhow::Result<Vec<u8>> {
    if let Some(path) = std::env::args_os().nth(1) {
        return std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()));
    }
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body).context("cannot read the input")?;
    Ok(body)
}
