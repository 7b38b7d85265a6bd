use super::*;

/// The texts of the blocks with the names of their containers.
fn blocks(html: &str) -> Vec<(&'static str, String)> {
    let dom = Dom::parse(html);
    let outline = Outline::of(&dom);
    let text = |block: &Block| {
        let texts = outline.block_texts(block).iter();
        let text: String = texts.map(|id| dom.text(*id).into_owned()).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let name = |block: &Block| outline.container(block.container).element.name();
    outline.blocks.iter().map(|block| (name(block), text(block))).collect()
}

fn hidden(html: &str) -> Vec<Hidden> {
    let dom = Dom::parse(html);
    let outline = Outline::of(&dom);
    outline.blocks.iter().map(|block| outline.container(block.container).hidden).collect()
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
fn inline_elements_side_by_side_are_blocks_of_their_own() {
    let found =
        blocks("<div><a href=/>one</a> <a href=/>two</a> <span>three <b>four</b></span></div>");
    assert_eq!(found, owned(&[("a", "one"), ("a", "two"), ("span", "three four")]));
    let paragraph = blocks("<p><a href=/>one</a> <a href=/>two</a></p>");
    assert_eq!(paragraph, owned(&[("p", "one two")]));
}

#[test]
fn what_shows_nothing_is_no_block() {
    let html = "<script>a</script><style>b</style><svg><text>c</text></svg><select><option>d</select>\
                <p>&nbsp;</p><p>…</p><template>e</template><p>f</p>";
    assert_eq!(blocks(html), owned(&[("p", "f")]));
}

#[test]
fn hidden_text_is_kept_and_marked() {
    let html = "<p>a</p><p hidden>b</p><div style='color:red; DISPLAY : none'><p>c</p></div>\
                <p aria-hidden=true>d</p><noscript><p>e</p></noscript>";
    let expected =
        [Hidden::No, Hidden::Attribute, Hidden::Style, Hidden::Listeners, Hidden::Scripts];
    assert_eq!(hidden(html), expected);
}

#[test]
fn text_behind_a_body_that_ended_early_is_read() {
    let html =
        "<html><head><div><title>t</title></head><body><p>one</p></div><p>two</p></body></html>";
    let found = blocks(html);
    assert_eq!(found, owned(&[("p", "one"), ("p", "two")]));
}

#[test]
fn texts_between_blocks_belong_to_none() {
    let dom = Dom::parse("<div><a href=/>one</a> – <a href=/>two</a></div>");
    let outline = Outline::of(&dom);
    assert_eq!(outline.texts.len(), 3);
    assert!(outline.blocks.iter().all(|block| outline.block_texts(block).len() <= 3));
}

#[test]
fn words_of_links_are_counted() {
    let dom = Dom::parse("<p>see <a href=/>the page</a> of <a name=x>ours</a></p>");
    let outline = Outline::of(&dom);
    let wording = outline.blocks[0].wording;
    assert_eq!((wording.words, wording.link_words), (5, 2));
}
