//! Block elements and their content.

use urls::CanonicalUrl;

use super::{BaseUrl, Dom, NodeId, NodeSelection, WriterTarget, check, write, written};

#[test]
fn heading_levels_have_no_gaps() {
    check(&[
        (
            "<h2>a</h2><h4>b</h4><h3>c</h3><h6>d</h6><h1>e</h1>",
            "## a\n\n### b\n\n### c\n\n#### d\n\n# e",
        ),
        ("<h1><b>a</b></h1>", "# a"),
        ("<h1>a<br>b #</h1>", "# a b \\#"),
        ("<h1 id=x>a <a class=headerlink href=#x>¶</a></h1>", "# a"),
        ("<h1></h1>a", "a"),
        ("<h1>a<p>b<ul><li>c</ul>", "a\n\nb\n\n- c"),
    ]);
    let headings = written("<h2 id=x>a <b>b</b></h2>").headings;
    assert_eq!(headings.len(), 1);
    assert_eq!((headings[0].level, &*headings[0].text), (2, "a b"));
    assert_eq!(headings[0].anchor.as_deref(), Some("x"));
}

#[test]
fn lists_nest_and_keep_their_numbering() {
    check(&[
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n  - c\n- d"),
        ("<ul><li><p>a</p><li><p>b</p></ul>", "- a\n\n- b"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1) b"),
        ("<ol><li>a<li value=5>b<li>c</ol>", "1. a\n5) b\n6) c"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
        ("<ul><li>a<ul></ul><li></ul>", "- a"),
        ("<ul><li><li>a<li><li>b<li><li></ul>", "- a\n-\n- b"),
        ("<ul><li>a<li><svg></svg><li>b<li class=divider><li>c</ul>", "- a\n- b\n- c"),
        ("<ol><li>a<li><img src=data:x><li>b</ol>", "1. a\n3) b"),
        ("<ul><li>a</li><ul><li>b</ul></ul>", "- a\n  - b"),
        (
            "<ul><li><input type=checkbox checked>a<li><input type=checkbox> b</ul>",
            "- [x] a\n- [ ] b",
        ),
        ("<ul><li>[x] a</ul>", "- \\[x] a"),
        ("<ul><li><div>a</div><div>b</div></ul>", "- a\n\n  b"),
        ("<li>a<li>b", "- a\n- b"),
        ("<ol start=-1><li>a</ol>", "- a"),
        ("<dl><dt>T<dd>d<dd>e<dt>U<dd>f</dl>", "**T**\n- d\n- e\n\n**U**\n- f"),
    ]);
}

#[test]
fn quotes_rules_and_details_are_written() {
    check(&[
        ("<blockquote>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"),
        ("<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"),
        ("<blockquote></blockquote>a<hr>b", "a\n\n---\n\nb"),
        ("<blockquote><pre>a\n\nb</pre></blockquote>", "> ```\n> a\n>\n> b\n> ```"),
        ("<details><summary>S</summary>a</details>", "**S**\n\na"),
        ("<figure><img src=a.png alt=A><figcaption>C</figcaption></figure>", "![A](a.png)\n\nC"),
    ]);
}

#[test]
fn code_blocks_keep_white_space() {
    check(&[
        ("<pre>\n a\n\n\tb \n</pre>", "```\n a\n\n\tb \n```"),
        ("<pre><code class=language-rust>fn x() {}</code></pre>", "```rust\nfn x() {}\n```"),
        ("<div class=highlight-source-js><pre>a</pre></div>", "```js\na\n```"),
        ("<pre class='brush: js; x'>a<br>b</pre>", "```js\na\nb\n```"),
        ("<pre>a```b</pre>", "````\na```b\n````"),
        ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"),
        ("<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", "```\na\nb\n```"),
        (
            "<table><tr><td class=gutter><pre>1\n2</pre><td class=code><pre>a\nb</pre></table>",
            "```\na\nb\n```",
        ),
        ("<ul><li><pre>a\nb</pre></ul>", "- ```\n  a\n  b\n  ```"),
        ("<pre><x-k>fn</x-k> <x-n>a</x-n>()\n<x-k>b</x-k></pre>", "```\nfn a()\nb\n```"),
        ("<pre><x-l class=line>a</x-l><x-l class=line>b</x-l></pre>", "```\na\nb\n```"),
        ("<pre class=kit-code-rust><code>a</code></pre>", "```rust\na\n```"),
        ("<pre class='rust example'>a</pre>", "```rust\na\n```"),
        ("<pre class='c-block the-go'>a</pre>", "```\na\n```"),
    ]);
}

#[test]
fn data_tables_are_written_and_layout_tables_unwrapped() {
    check(&[
        (
            "<table><tr><th>a<th>b<tr><td>1|2<td>x<br>y</table>",
            "| a | b |\n| --- | --- |\n| 1\\|2 | x<br>y |",
        ),
        (
            "<table><tr><td>a<td>b<tr><td>c<td>d</table>",
            "| | |\n| --- | --- |\n| a | b |\n| c | d |",
        ),
        (
            "<table><caption>C</caption><tr><th colspan=2>a<th>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
            "C\n\n| a | | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| | 4 | 5 |",
        ),
        ("<table><tr><td><h2>a</h2><td>b<tr><td>c</table>", "## a\n\nb\n\nc"),
        ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
        ("<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd"),
        (
            "<table><tr><th align=right>a<th style='text-align: center'>b<tr><td><p>1</p><td><ul><li>x<li>y</ul></table>",
            "| a | b |\n| ---: | :---: |\n| 1 | x<br>y |",
        ),
    ]);
}

#[test]
fn unselected_cells_keep_their_columns() {
    let html =
        "<table><tr><th>name<th>size<th>price<tr><td>a<td>1<td>10<tr><td>b<td>2<td>20</table>";
    let dom = Dom::parse(html);
    let mut selection = NodeSelection::none(&dom);
    for id in dom.descendants(NodeId::ROOT) {
        let text = dom.raw_text(id);
        if !text.is_empty() && !["size", "1", "20"].contains(&text) {
            selection.add(&dom, id);
        }
    }
    assert_eq!(
        write(&dom, &selection, 0, WriterTarget::inline(&BaseUrl::none())).markdown,
        "| name | | price |\n| --- | --- | --- |\n| a | | 10 |\n| b | 2 | |\n"
    );
}

#[test]
fn header_rows_are_recognised_without_header_cells() {
    check(&[
        (
            "<table><tr><td><b>a</b><td><b>b</b><tr><td>1<td>2</table>",
            "| **a** | **b** |\n| --- | --- |\n| 1 | 2 |",
        ),
        (
            "<table><tr><td>a<td>b<td>c<tr><td>x<td>1<td>y<tr><td>z<td>2<td>w</table>",
            "| a | b | c |\n| --- | --- | --- |\n| x | 1 | y |\n| z | 2 | w |",
        ),
        // Properties with values, and rows that have names, have no header row.
        (
            "<table><tr><td>a<td>x<tr><td>b<td>1<tr><td>c<td>2</table>",
            "| | |\n| --- | --- |\n| a | x |\n| b | 1 |\n| c | 2 |",
        ),
        (
            "<table><tr><th>a<td>b<td>c<tr><th>x<td>1<td>2<tr><th>y<td>3<td>4</table>",
            "| | | |\n| --- | --- | --- |\n| a | b | c |\n| x | 1 | 2 |\n| y | 3 | 4 |",
        ),
        (
            "<table><tr><th colspan=2>All<tr><th>a<th>b<tr><td>1<td>2</table>",
            "All\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
    ]);
}

#[test]
fn formulas_are_written_as_tex() {
    check(&[
        (
            "a <math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>",
            "a $x^2$",
        ),
        ("a <script type=math/tex>x_1</script> costs $5", "a $x_1$ costs \\$5"),
        ("<p>a<script type='math/tex; mode=display'>x</script>b", "a\n\n$$x$$\n\nb"),
        (
            "<span class=katex><span class=katex-mathml><math><annotation encoding=application/x-tex>y</annotation></math></span><span class=katex-html>y</span></span>",
            "$y$",
        ),
        ("<math><mi>x</mi><mo>=</mo><mn>1</mn></math>", "$x=1$"),
        ("a <math display=block alttext=''><mi>x</mi></math> b", "a\n\n$$x$$\n\nb"),
        ("<p>one <math><mi>x</mi></math> two <MATH><mn>2</mn></MATH>", "one $x$ two $2$"),
        ("<math><mi>x</mi><mo>=</mo> never ended", "x= never ended"),
        ("<math></math>a", "a"),
    ]);
}

#[test]
fn presentation_mathml_is_converted_to_tex() {
    let tex = |markup: &str| format!("<p>a <math>{markup}</math> b");
    let cases = [
        ("<mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>", "mc^{2}"),
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac>", "\\frac{1}{2}"),
        ("<mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac>", "{n \\atop k}"),
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", "\\sqrt{a+b}"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
        ("<msub><mi>x</mi><mrow><mi>i</mi><mo>,</mo><mi>j</mi></mrow></msub>", "x_{i,j}"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x_{1}^{2}"),
        ("<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>", "{ab}^{2}"),
        ("<msup><mi>f</mi><mo>&#x2032;</mo></msup><mi>x</mi>", "f'x"),
        (
            "<munderover><mo>&sum;</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
            "\\sum_{i=1}^{n}i",
        ),
        (
            "<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>",
            "\\lim_{x\\to0}",
        ),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "\\overline{x}"),
        ("<mover><mi>v</mi><mo>→</mo></mover>", "\\vec{v}"),
        ("<mi>α</mi><mi>x</mi><mo>≤</mo><mi>β</mi>", "\\alpha x\\le\\beta"),
        ("<mi>sin</mi><mo>&ApplyFunction;</mo><mi>x</mi>", "\\sin x"),
        ("<mi>rate</mi><mo>=</mo><mn>5</mn><mo>%</mo>", "\\mathrm{rate}=5\\%"),
        ("<mi>x</mi><mtext> if &amp; only if </mtext>", "x\\text{ if \\& only if }"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
        ("<mfenced open='{' close='}' separators='|'><mi>a</mi><mi>b</mi></mfenced>", "\\{a|b\\}"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
            "\\begin{matrix} 1 & 2 \\\\ 3 \\end{matrix}",
        ),
        (
            "<mmultiscripts><mi>C</mi><none/><mo>+</mo><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>",
            "{}_{6}^{14}C^{+}",
        ),
        ("<semantics><mi>y</mi><annotation-xml><ci>z</ci></annotation-xml></semantics>", "y"),
        // An element with missing children is replaced by its content.
        ("<msup><mi>x</mi></msup><mfrac><mn>1</mn></mfrac>", "x1"),
        ("<mstyle><unknown><mi>x</mi></unknown></mrow></mstyle>", "x"),
    ];
    let pages: Vec<_> =
        cases.iter().map(|(markup, written)| (tex(markup), format!("a ${written}$ b"))).collect();
    let cases: Vec<_> =
        pages.iter().map(|(page, written)| (page.as_str(), written.as_str())).collect();
    check(&cases);
}

#[test]
fn footnotes_are_written_at_the_end() {
    check(&[(
        "<p>a<sup><a href=#fn1>1</a></sup>.</p><ol><li id=fn1><p>n <a href=#fnref1>↩</a></p></ol>",
        "a[^1].\n\n[^1]: n",
    )]);
}

#[test]
fn footnotes_are_recognised_by_the_address_of_the_page() {
    let url = CanonicalUrl::parse("https://a.test/p").expect("a URL");
    let dom = Dom::parse(
        "<p>a<a class=footnote-anchor id=footnote-anchor-1 href=https://a.test/p#footnote-1>1</a>.</p>\
         <div class=footnote><a class=footnote-number id=footnote-1 \
         href=https://a.test/p#footnote-anchor-1>1</a><div>n</div></div>",
    );
    let selection = NodeSelection::all_below(&dom, dom.body());
    let base = BaseUrl::at(&url);
    let written = write(&dom, &selection, 0, WriterTarget::inline(&base));
    assert_eq!(written.markdown, "a[^1].\n\n[^1]: n\n");
}

#[test]
fn references_to_missing_notes_and_signs_without_a_target_are_dropped() {
    check(&[
        ("a<sup><a href=#fn1>1</a></sup> b", "a b"),
        ("a<a class=footnote href=#x>*</a> b", "a b"),
        ("<ol><li><b><a href=#cite_ref-4>^</a></b> n</ol>", "1. n"),
        ("a <a href=#>×</a> <a href=javascript:f()>ⓘ</a> b", "a b"),
        ("<a href=https://a.test/x>★</a>", "[★](https://a.test/x)"),
        ("a [<a href=#ref1 rel=footnote>1</a>] b", "a [[1](#ref1)] b"),
        ("see <a href=#top>the top</a>", "see [the top](#top)"),
    ]);
}

#[test]
fn bullets_in_the_text_of_items_are_dropped() {
    check(&[
        (
            "<ul><li>• a<li><b>b</b> • c<li><span>●</span> <b>d</b><li>•e<li>•</ul>",
            "- a\n- **b** • c\n- **d**\n- •e\n- •",
        ),
        ("<p>• a</p>", "• a"),
    ]);
}

#[test]
fn line_numbers_in_a_cell_beside_their_code_are_dropped() {
    check(&[
        (
            "<table><tr><td><pre>1\n2\n3</pre></td><td><pre>a\nb\nc</pre></td></tr></table>",
            "```\na\nb\nc\n```",
        ),
        ("<pre>4294967295\n1</pre>", "```\n4294967295\n1\n```"),
        (
            "<table><tr><td><pre>1\n3</pre></td><td><pre>a</pre></td></tr></table>",
            "```\n1\n3\n```\n\n```\na\n```",
        ),
    ]);
}

#[test]
fn image_is_written_once_for_all_widths_of_the_window() {
    check(&[
        ("<div><img src=/a.png alt=A><img src=/a.png alt=A></div>", "![A](/a.png)"),
        ("<ul><li><img src=/a.png><li><img src=/a.png></ul>", "- ![](/a.png)\n- ![](/a.png)"),
    ]);
}

#[test]
fn non_text_elements_are_omitted() {
    check(&[
        ("a<button>b</button><select><option>c</select><textarea>d</textarea>", "a"),
        ("<h3><button>Q</button></h3>", "### Q"),
        ("a<template>b</template>c", "ac"),
        ("<x-y><template shadowrootmode=open><p>b</p></template></x-y>", "b"),
        ("<script>a</script><style>b</style>c", "c"),
    ]);
}
