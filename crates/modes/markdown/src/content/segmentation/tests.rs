//! Segmentation of pages into text blocks.

use super::*;

/// The texts of the blocks with the names of their containers.
fn blocks(html: &str) -> Vec<(&'static str, String)> {
    let dom = Dom::parse(html);
    let segmentation = Segmentation::of(&dom);
    let text = |block: &TextBlock| {
        let texts = segmentation.block_texts(block).iter();
        let text: String = texts.map(|id| dom.text(*id).into_owned()).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let name = |block: &TextBlock| segmentation.container(block.container).element.name();
    segmentation.blocks.iter().map(|block| (name(block), text(block))).collect()
}

fn hidden(html: &str) -> Vec<HiddenBy> {
    let dom = Dom::parse(html);
    let segmentation = Segmentation::of(&dom);
    segmentation.blocks.iter().map(|block| segmentation.container(block.container).hidden).collect()
}

fn owned(expected: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    expected.iter().map(|(name, text)| (*name, (*text).to_owned())).collect()
}

#[test]
fn blocks_end_at_block_elements_and_line_breaks() {
    let found = blocks("<p>one <b>two</b> three</p><div>four<br>five</div><pre>a\nb<br>c</pre>");
    let expected = [("p", "one two three"), ("div", "four"), ("div", "five"), ("pre", "a bc")];
    assert_eq!(found, owned(&expected));
}

#[test]
fn sibling_inline_elements_are_separate_blocks() {
    let found =
        blocks("<div><a href=/>one</a> <a href=/>two</a> <span>three <b>four</b></span></div>");
    assert_eq!(found, owned(&[("a", "one"), ("a", "two"), ("span", "three four")]));
    let paragraph = blocks("<p><a href=/>one</a> <a href=/>two</a></p>");
    assert_eq!(paragraph, owned(&[("p", "one two")]));
}

#[test]
fn elements_without_visible_text_are_no_blocks() {
    let html = "<script>a</script><style>b</style><svg><text>c</text></svg><select><option>d</select>\
                <p>&nbsp;</p><p>…</p><template>e</template><p>f</p>";
    assert_eq!(blocks(html), owned(&[("p", "f")]));
}

#[test]
fn hidden_text_is_kept_and_marked() {
    let html = "<p>a</p><p hidden>b</p><div style='color:red; DISPLAY : none'><p>c</p></div>\
                <p aria-hidden=true>d</p><noscript><p>e</p></noscript>";
    let expected =
        [HiddenBy::No, HiddenBy::Attribute, HiddenBy::Style, HiddenBy::Aria, HiddenBy::Noscript];
    assert_eq!(hidden(html), expected);
}

#[test]
fn text_after_an_early_end_of_body_is_read() {
    let html =
        "<html><head><div><title>t</title></head><body><p>one</p></div><p>two</p></body></html>";
    let found = blocks(html);
    assert_eq!(found, owned(&[("p", "one"), ("p", "two")]));
}

#[test]
fn blank_texts_between_blocks_belong_to_no_block() {
    let dom = Dom::parse("<div><a href=/>one</a> – <a href=/>two</a></div>");
    let segmentation = Segmentation::of(&dom);
    assert_eq!(segmentation.texts.len(), 3);
    assert!(segmentation.blocks.iter().all(|block| segmentation.block_texts(block).len() <= 3));
}

#[test]
fn link_words_are_counted() {
    let dom = Dom::parse("<p>see <a href=/>the page</a> of <a name=x>ours</a></p>");
    let segmentation = Segmentation::of(&dom);
    let stats = segmentation.blocks[0].stats;
    assert_eq!((stats.words, stats.link_words), (5, 2));
}
