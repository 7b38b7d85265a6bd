//! Links as references, and links without targets.

use super::*;

fn written_with(html: &str, links: MarkdownLinks) -> WrittenMarkdown {
    let dom = Dom::parse(html);
    let selection = NodeSelection::all_below(&dom, dom.body());
    write(&dom, &selection, 0, WriterTarget { base: &BaseUrl::none(), links })
}

const PAGE: &str = "<p>See <a href=/a title='The second'>one</a>, <a href=/b>two</a> and \
    <a href=/b>two again</a> [1].</p><table><tr><th>x<th>y<tr><td><a href='/c|d'>c</a><td>2</table>\
    <p><a href=https://o.test/>https://o.test/</a></p>";

#[test]
fn references_are_numbered_and_defined_once_at_the_end() {
    let found = written_with(PAGE, MarkdownLinks::Reference);
    assert_eq!(
        found.markdown,
        "See [one][1], [two][2] and [two again][2] \\[1].\n\n| x | y |\n| --- | --- |\n\
         | [c][3] | 2 |\n\n<https://o.test/>\n\n\
         [1]: /a \"The second\"\n[2]: /b\n[3]: /c|d\n"
    );
    assert_eq!(found.links, written_with(PAGE, MarkdownLinks::Inline).links);
    assert_eq!(found.words, written_with(PAGE, MarkdownLinks::Inline).words);
}

#[test]
fn links_without_targets_are_plain_text_and_still_listed() {
    let found = written_with(PAGE, MarkdownLinks::None);
    assert_eq!(
        found.markdown,
        "See one, two and two again [1].\n\n| x | y |\n| --- | --- |\n| c | 2 |\n\n\
         https://o.test/\n"
    );
    assert_eq!(found.links, written_with(PAGE, MarkdownLinks::Inline).links);
    let heading = written_with("<a href=/a><h2>Head</h2><p>Text</p></a>", MarkdownLinks::None);
    assert_eq!(heading.markdown, "## Head\n\nText\n");
    let numbered = written_with("<p><a href=/a>1. First</a></p>", MarkdownLinks::None);
    assert_eq!(numbered.markdown, "1\\. First\n");
}

#[test]
fn page_without_links_has_no_definitions() {
    assert_eq!(written_with("<p>a</p>", MarkdownLinks::Reference).markdown, "a\n");
}
