//! Nodes of a selection other than the texts of selected blocks.

use super::*;
use html::dom::Element;

fn selected(html: &str, element: Element) -> Vec<bool> {
    let dom = Dom::parse(html);
    let head = HeadFeatures::read(&dom, "https://northwind.test/blog/the-bridge");
    let content = select(&dom, &head, &RepeatedBlocks::default());
    let found = dom.descendants(NodeId::ROOT).filter(|id| dom.is(*id, element));
    found.map(|id| content.selection.contains(id)).collect()
}

fn article(inner: &str) -> String {
    let content = format!(
        "<main><article class=post><h1>The bridge</h1>{}{inner}{}</article></main>",
        prose("bridge"),
        prose("river bank")
    );
    site("The bridge", &content)
}

#[test]
fn images_between_selected_blocks_are_selected_and_others_are_not() {
    let html = article("<figure><img src=bridge.jpg></figure>");
    let html = html.replace("<ul><li><a href=/terms>", "<img src=seal.png><ul><li><a href=/terms>");
    assert_eq!(selected(&html, Element::Image), [true, false]);
}

#[test]
fn code_is_selected_as_a_whole() {
    let html = article(
        "<pre class=code><div><span>fn main() {</span></div><div>}</div><div>  // the end of all \
         that there is to say</div><div>);</div></pre>",
    );
    let dom = Dom::parse(&html);
    let head = HeadFeatures::read(&dom, "https://northwind.test/blog/the-bridge");
    let content = select(&dom, &head, &RepeatedBlocks::default());
    let pre = dom.find(NodeId::ROOT, Element::Pre).expect("a pre");
    let texts: Vec<_> = dom.descendants(pre).filter(|id| dom.kind(*id) == NodeKind::Text).collect();
    assert!(texts.len() >= 4);
    assert!(texts.iter().all(|id| content.selection.contains(*id)));
}

#[test]
fn rows_of_a_selected_table_are_complete() {
    let rows: String = (1..9)
        .map(|at| {
            format!(
                "<tr><td>{at}</td><td>a span of {at} hundred metres over the river and its \
                 meadows</td><td>–</td><td>opened in 19{at}4 by the mayor</td></tr>"
            )
        })
        .collect();
    let html = article(&format!(
        "<table><tr><th>No</th><th>What was built</th><th>?</th><th>When</th></tr>{rows}</table>"
    ));
    let cells = selected(&html, Element::Td);
    assert!(cells.iter().filter(|kept| **kept).count() >= 24, "{cells:?}");
}

#[test]
fn white_space_between_selected_blocks_is_selected() {
    let html =
        article("<div><span>One side of it</span> <span>and the other side of it</span></div>");
    let dom = Dom::parse(&html);
    let head = HeadFeatures::read(&dom, "https://northwind.test/blog/the-bridge");
    let content = select(&dom, &head, &RepeatedBlocks::default());
    let kept = dom.descendants(NodeId::ROOT).filter(|id| content.selection.contains(*id));
    let text: String = kept.map(|id| dom.text(id)).collect();
    assert!(text.contains("One side of it and the other"), "{text}");
}

#[test]
fn words_hash_ignores_layout_punctuation_and_case() {
    let hash = |html: &str| select_page("https://northwind.test/", html).content.words_hash;
    let plain = hash("<p>One text, two <b>lines</b>: Ä</p>");
    assert_eq!(plain, hash("<div>one</div><p>text two LINES<br>ä.</p>"));
    assert_ne!(plain, hash("<p>One test, two lines: Ä</p>"));
    assert_ne!(plain, hash("<p>Two lines, one text: Ä</p>"));
    let framed = article("<p>And a sentence about the toll that was paid there.</p>");
    assert_eq!(hash(&framed), hash(&framed.replace("/pricing>Pricing", "/prices>Prices")));
    assert_ne!(hash(&framed), hash(&framed.replace("toll", "tax")));
}
