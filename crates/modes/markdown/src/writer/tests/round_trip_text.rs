//! Property tests: a renderer shows the same text as the page.

use proptest::prelude::*;
use pulldown_cmark::{Options, Parser, html::push_html};

use super::*;
use html::dom::Element;
use html::text::Collapsed;

/// The text of a page with white space at every line end.
fn visible(html: &str) -> String {
    let dom = Dom::parse(html);
    let mut text = Collapsed::new(usize::MAX);
    let mut ends: Vec<NodeId> = Vec::new();
    for id in dom.descendants(NodeId::ROOT) {
        while ends.pop_if(|end| *end <= id).is_some() {
            text.gap();
        }
        match dom.element(id) {
            Some(Element::Br) => text.gap(),
            Some(element) if !element.is_inline() && element != Element::Other => {
                text.gap();
                ends.push(dom.end(id));
            }
            Some(_) => {}
            None => text.push(&dom.text(id)),
        }
    }
    text.take()
}

fn rendered(markdown: &str) -> String {
    let options = Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    let mut out = String::new();
    push_html(&mut out, Parser::new_ext(markdown, options));
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn rendered_inlines_show_the_text_of_the_page(
        soup in "(<b>|</b>|<i>|</i>|<s>|</s>|<sup>|</sup>|<code>|</code>|<a href=/x>|</a>|<br>|<p>|[*_~`!#+=:.|()1-]|\\[|\\]|-|\\\\|&lt;|&gt;|&amp;|amp;|[abx]| |\u{201c}|。|語){0,24}"
    ) {
        let markdown = markdown(&soup);
        prop_assert_eq!(visible(&rendered(&markdown)), visible(&soup), "{}", markdown);
    }

    #[test]
    fn rendered_blocks_show_the_text_of_the_page(
        soup in "(<ul>|</ul>|<ol>|</ol>|<ol start=7>|<li>|<blockquote>|</blockquote>|<p>|<div>|</div>|<h2>|</h2>|<h4>|</h4>|<dl>|<dt>|<dd>|</dl>|<pre>|</pre>|<b>|</b>|[#>+*-] ?|1\\. |a|x y| ){0,24}"
    ) {
        let markdown = markdown(&soup);
        prop_assert_eq!(visible(&rendered(&markdown)), visible(&soup), "{}", markdown);
    }

    #[test]
    fn writer_never_panics(
        soup in "(</?(p|div|a|b|i|li|ul|ol|table|tr|td|th|pre|code|h1|h3|dl|dt|dd|blockquote|math|script|sup|img|br|details|summary|template|figure|noscript)( (href|src|id|class|start|colspan|rowspan)=(#a|a|9|-1|99999|language-x))?>|x|&amp;|\\|| |\n|\0){0,60}"
    ) {
        let found = written(&soup);
        let markdown = &found.markdown;
        prop_assert!(markdown.is_empty() || markdown.ends_with('\n') && !markdown.ends_with("\n\n"));
        prop_assert!(markdown.len() <= 64 * soup.len() + 64, "{}", markdown.len());
        let levels: Vec<_> = found.headings.iter().map(|heading| heading.level).collect();
        prop_assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    }
}
