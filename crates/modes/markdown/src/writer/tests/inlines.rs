//! Inline content.

use super::check;

#[test]
fn custom_elements_within_text_do_not_break_it() {
    check(&[
        ("<p>a <x-y>b</x-y> c</p>", "a b c"),
        ("<h2>a <x-y>b</x-y></h2>", "## a b"),
        ("<x-y>a</x-y><x-y>b</x-y>", "a\n\nb"),
        (
            "<h2>On <mjx-container><mjx-math></mjx-math><mjx-assistive-mml><math><mi>x</mi></math>\
             </mjx-assistive-mml></mjx-container> alone</h2>",
            "## On $x$ alone",
        ),
    ]);
}

#[test]
fn icons_and_lost_references_are_omitted() {
    check(&[
        ("<p>\u{e8b6} a\u{f0ad} b</p>", "a b"),
        ("<p>a<sup><a href=#note-1>[1]</a></sup> b</p>", "a b"),
        (
            "<p>a<sup>2</sup> <sup><a href=#the-long-story>see below</a></sup></p>",
            "a<sup>2</sup> <sup>[see below](#the-long-story)</sup>",
        ),
    ]);
}

#[test]
fn emphasis_renders_in_every_position() {
    check(&[
        ("<p>a <b>b</b> c</p>", "a **b** c"),
        ("<p>a<b> b </b>c</p>", "a **b** c"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b>a</b><i>b</i>", "**a**_b_"),
        ("<i>a</i><b>b</b>", "_a_**b**"),
        ("<b>a<strong>b</strong></b>", "**ab**"),
        ("x<b>(y)</b>z", "x(**y**)z"),
        ("これは<b>「重要」</b>です", "これは「**重要**」です"),
        ("<b>Note:</b>text", "**Note**:text"),
        ("<b> </b>a<i></i>", "a"),
        ("<i><b>a</b> b</i>", "_**a** b_"),
        ("<s>a</s> <del>b</del>", "~~a~~ ~~b~~"),
        ("<b><code>x</code></b>y", "`x`y"),
        ("<b>a<p>b</p>c</b>", "**a**\n\n**b**\n\n**c**"),
        (
            "<u>a</u> <mark>b</mark> x<sup>2</sup> H<sub>2</sub>O",
            "a b x<sup>2</sup> H<sub>2</sub>O",
        ),
    ]);
}

#[test]
fn text_is_escaped_only_where_needed() {
    check(&[
        ("*a* _b_ `c`", "\\*a\\* \\_b\\_ \\`c\\`"),
        ("snake_case 2 * 3 [x] a|b #1", "snake_case 2 * 3 [x] a|b #1"),
        ("# a", "\\# a"),
        ("1. a", "1\\. a"),
        ("1.5 a", "1.5 a"),
        ("- a", "\\- a"),
        ("&gt; a", "\\> a"),
        ("a &amp;amp; b &amp; c", "a \\&amp; b & c"),
        ("a &lt;b&gt; 1 &lt; 2", "a \\<b> 1 < 2"),
        ("a<br>---", "a\\\n\\---"),
        ("a<br>===", "a\\\n\\==="),
        ("[a](b)", "[a\\](b)"),
        ("!<a href=/x>a</a>", "\\![a](/x)"),
        ("1<b>.</b> a", "1\\. a"),
        ("~a~ ~5", "\\~a\\~ \\~5"),
        ("~5 a", "~5 a"),
        ("C:\\dir \\*", "C:\\dir \\\\\\*"),
    ]);
}

#[test]
fn white_space_collapses_as_in_browsers() {
    check(&[
        (" a \n b&nbsp;&nbsp;c ", "a b c"),
        ("a&shy;b\u{200b}c\u{feff}d", "abcd"),
        ("a\u{200f}ב\u{202b}x", "a\u{200f}ב\u{202b}x"),
        ("<bdo dir=rtl>abc</bdo>", "\u{202e}abc\u{202c}"),
        ("a<br>b", "a\\\nb"),
        ("a<br><br>b<br>", "a\n\nb"),
        ("<span>a</span> <span>b</span>", "a b"),
        ("<div>a</div>b<div>c</div>", "a\n\nb\n\nc"),
    ]);
}

#[test]
fn nested_emphasis_alternates_delimiters() {
    check(&[
        ("<em>a <em>b</em></em>", "*a _b_*"),
        ("<strong>a <strong>b</strong> c</strong>", "**a __b__ c**"),
        ("<strong><strong>a</strong></strong>", "**__a__**"),
        ("<em>a<em>b</em>c</em>", "*abc*"),
        ("<strong><b>a</b></strong> <em><i>b</i></em>", "**a** *b*"),
        ("<dl><dt><strong>a</strong><dd>b</dl>", "**a**\n- b"),
        ("a<em><strong>b</strong></em>c", "a***b***c"),
        ("a<b><i>b</i></b> c", "a***b*** c"),
    ]);
}

#[test]
fn titles_that_repeat_the_text_are_omitted() {
    check(&[
        ("<a href=/x title='More of it'>a</a>", "[a](/x \"More of it\")"),
        ("<a href=/x title='A!'>an a</a>", "[an a](/x)"),
        ("<a href=/x title='\"q\" \\ &amp;amp;'>a</a>", "[a](/x \"\\\"q\\\" \\ \\&amp;\")"),
        ("<img src=a.png alt=A title='a'>", "![A](a.png)"),
        ("<img src=a.png alt=A title='B\n\nC'>", "![A](a.png \"B C\")"),
    ]);
}

#[test]
fn links_without_a_target_become_text() {
    check(&[
        ("<a href=/x>a</a>", "[a](/x)"),
        ("<a href=' /x(1 '> a </a>b", "[a](/x\\(1) b"),
        ("<a href='javascript:x()'>a</a> <a href=''>b</a> <a>c</a>", "a b c"),
        ("<a href=https://a.b/>https://a.b/</a>", "<https://a.b/>"),
        ("<a href=/x></a>a", "a"),
        ("<a href=/x><b>a</b></a>", "[**a**](/x)"),
        ("<a href=/x>a]b</a>", "[a\\]b](/x)"),
        ("<a href=/x><h3>T</h3><p>d</p></a>", "### [T](/x)\n\nd"),
        ("<a href=/x><img src=i.png><h3>T</h3><p>d</p></a>", "![](i.png)\n\n### [T](/x)\n\nd"),
        ("<a href=/x><p>a</p><p>b</p></a>", "[a](/x)\n\nb"),
        ("t <a href=/x><div>a</div></a>", "t\n\n[a](/x)"),
        ("<a href='mailto:a@b.c'>m</a>", "[m](mailto:a@b.c)"),
        ("<code><a href=/x>f()</a></code>", "[`f()`](/x)"),
        ("<a href=/x><code>a]: b</code></a>", "[<!-- [ -->`a]: b`](/x)"),
        ("a<br><a href=/x><code>]:</code></a>", "a\\\n[`]:`](/x)"),
    ]);
}

#[test]
fn inline_code_keeps_its_backticks() {
    check(&[
        ("<code>a</code>", "`a`"),
        ("<code>a`b</code>", "``a`b``"),
        ("<code>`</code>", "`` ` ``"),
        ("a<code> b </code>c", "a`  b  `c"),
        ("a <code> b</code>", "a `b`"),
        ("a<code>\n  b\n</code>c", "a `b` c"),
        ("<code>a</code><code>b</code>", "`a`<!-- -->`b`"),
    ]);
}

#[test]
fn lazily_loaded_images_have_their_final_url() {
    check(&[
        ("<img src=a.png alt='A [b]'>", "![A \\[b\\]](a.png)"),
        ("<img src=data:image/gif;base64,R0 data-src=a.png>", "![](a.png)"),
        ("<img src=/blank.gif srcset='s.png 1x, b.png 2x'>", "![](b.png)"),
        ("<img src=data:image/gif;base64,R0>a", "a"),
        ("<img src=lazy.gif><noscript><img src=a.png alt=x></noscript>", "![x](a.png)"),
        ("<img data-src=b.png><noscript><img src=a.png></noscript>", "![](b.png)"),
        ("<picture><source srcset=a.webp><img alt=x></picture>", "![x](a.webp)"),
        ("<img class=emoji alt=😀 src=x.svg>", "😀"),
        ("<img src=t.gif width=1 height=1>", ""),
        ("<a href=/x><img src=a.png alt=A></a>", "[![A](a.png)](/x)"),
    ]);
}
