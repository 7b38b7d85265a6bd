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
fn icons_tooltips_and_texts_for_screen_readers_are_no_text() {
    let html = article(
        "<p>The toll was <span class=term>tuppence<span class=tooltiptext>Two old pence.</span>\
         </span> for a cart and its driver, <i class=material-icons>info</i> and half of it for \
         a horse <a href=/x>without one<span class=sr-only>(opens a window)</span></a>.</p>",
    );
    select_page("https://northwind.test/blog/the-bridge", &html)
        .has(&["tuppence", "for a cart", "half of it", "without one"])
        .has_none(&["Two old pence", "info", "opens a window"]);
}

#[test]
fn text_of_a_pop_up_is_not_part_of_the_sentence() {
    let html = article(
        "<p>The toll was tuppence<span role=tooltip>Two old pence.</span> for a cart and its \
         driver, and half of it for a horse<a href=#><div role=tooltip>Without its cart.</div></a> \
         of the miller.</p>",
    );
    select_page("https://northwind.test/blog/the-bridge", &html)
        .has(&["tuppence", "for a cart", "for a horse", "of the miller"])
        .has_none(&["Two old pence", "Without its cart"]);
}

#[test]
fn title_is_selected_also_above_a_long_table_of_contents() {
    let contents: String =
        (1..30).map(|at| format!("<li><a href=#s{at}>Span {at}</a></li>")).collect();
    let text: String = (1..9)
        .map(|at| {
            format!(
                "<p>The span number {at} was built of oak by men from the village, and carried \
                 the carts over the river until the flood of that year took its northern end.</p>"
            )
        })
        .collect();
    let html = site(
        "The oak bridge",
        &format!("<main><h1>The oak bridge</h1><nav><ul>{contents}</ul></nav>{text}</main>"),
    );
    select_page("https://northwind.test/blog/the-bridge", &html)
        .has(&["The oak bridge", "The span number 1"])
        .has_none(&["Span 17"]);
}

#[test]
fn nothing_is_lost_between_selected_siblings() {
    let html = article(
        "<div class=listing><pre>x = 1</pre></div><blockquote>Mind the gap.</blockquote>\
         <ul><li>Oak</li><li>Iron</li></ul><table><tr><th>Year</th><th>Carts</th></tr><tr>\
         <td>1870</td><td>12</td></tr></table><p>It cost nine pounds.</p>",
    );
    select_page("https://northwind.test/blog/the-bridge", &html)
        .has(&["x = 1", "Mind the gap", "Oak", "Iron", "Carts", "1870", "It cost nine pounds"])
        .has_none(&AROUND);
}

#[test]
fn short_main_without_boilerplate_is_kept_as_a_whole() {
    let html = site(
        "Install the pump driver",
        "<main><article><h1>Install the pump driver</h1><p>The driver needs a kernel of version \
         five or later.</p><pre><code>apt install pump-driver</code></pre><p>Load the module and \
         check that it answers.</p><pre><code>modprobe pump\npumpctl status</code></pre>\
         <blockquote>Do not unplug the pump while the firmware is written.</blockquote><p>A \
         restart is not needed.</p></article></main>",
    );
    let selected = select_page("https://northwind.test/docs/install", &html);
    selected
        .has(&["five or later", "apt install", "modprobe", "pumpctl status", "Do not unplug"])
        .has(&["A restart is not needed"])
        .has_none(&AROUND);
    assert_eq!(selected.content.warnings, []);
}

#[test]
fn title_is_selected_once_and_shortcodes_are_not() {
    let html = article("<p>[vc_row]</p><p>The toll was tuppence for a cart and its driver.</p>");
    let html = html.replace("<h1>The bridge</h1>", "<h1>The bridge</h1><h2>The bridge</h2>");
    let selected = select_page("https://northwind.test/blog/the-bridge", &html);
    selected.has(&["tuppence"]).has_none(&["vc_row"]);
    assert_eq!(selected.text.lines().filter(|line| *line == "The bridge").count(), 1);
}

#[test]
fn headings_without_their_text_are_dropped() {
    let links: String = (1..9)
        .map(|at| format!("<li><a href=/blog/{at}>Another story, number {at}</a></li>"))
        .collect();
    let html = article("<h2>The toll</h2><p>It was paid by all who crossed the river there.</p>");
    let html = html.replace(
        "</article>",
        &format!("<h2>Read these next</h2><ul class=related-posts>{links}</ul></article>"),
    );
    select_page("https://northwind.test/blog/the-bridge", &html)
        .has(&["The toll", "It was paid"])
        .has_none(&["Read these next", "Another story"]);
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
