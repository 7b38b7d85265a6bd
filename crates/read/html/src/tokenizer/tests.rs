//! Tokens of valid, malformed and hostile markup.

use proptest::prelude::*;

use super::*;

/// The tokens of a page in short form: text, `+element`, `-element`, `=raw`.
fn tokens(html: &str) -> Vec<String> {
    let mut tokenizer = Tokenizer::new(html);
    let mut tokens = Vec::new();
    while let Some(token) = tokenizer.next_token() {
        tokens.push(match token {
            HtmlToken::Text(text) => text.to_owned(),
            HtmlToken::Start(element) => format!("+{element:?}"),
            HtmlToken::End(element) => format!("-{element:?}"),
            HtmlToken::Raw(_, text) => format!("={text}"),
        });
    }
    tokens
}

fn values(html: &str, name: &str) -> Vec<String> {
    let mut tokenizer = Tokenizer::new(html);
    let mut values = Vec::new();
    while let Some(token) = tokenizer.next_token() {
        if matches!(token, HtmlToken::Start(_)) {
            values.extend(tokenizer.attribute(name).map(str::to_owned));
        }
    }
    values
}

#[test]
fn tags_are_distinguished_from_text() {
    for (html, expected) in [
        ("a<b>c</b>d", &["a", "+B", "c", "-B", "d"][..]),
        ("1 < 2 <3 <", &["1 < 2 <3 <"]),
        ("a</", &["a</"]),
        ("a</>b", &["a", "b"]),
        ("a</ x>b", &["a", "b"]),
        ("<A\nHREF=x>", &["+A"]),
        ("a<!doctype html>b<?php x ?>c", &["a", "b", "c"]),
        ("a<![CDATA[x>y]]>", &["a", "y]]>"]),
        ("<svg><![CDATA[<a>]]></svg>", &["+Svg", "-Svg"]),
        ("a<br", &["a"]),
        ("a<a href='x", &["a"]),
    ] {
        assert_eq!(tokens(html), expected, "{html}");
    }
}

#[test]
fn comments_end_by_the_rules_of_the_standard() {
    for (html, rest) in [
        ("<!-- <a> -->x", &["x"][..]),
        ("<!-->x", &["x"]),
        ("<!--->x", &["x"]),
        ("<!---->x", &["x"]),
        ("<!-- --!>x", &["x"]),
        ("<!-- -- > --->x", &["x"]),
        ("<!-- a <!-- b -->x", &["x"]),
        ("<!- a>x", &["x"]),
        ("<!-- a", &[]),
    ] {
        assert_eq!(tokens(html), rest, "{html}");
    }
}

#[test]
fn raw_text_contains_no_tags() {
    for (html, expected) in [
        ("<script>a<b</script>c", &["+Script", "=a<b", "-Script", "c"][..]),
        ("<SCRIPT>'</scripts>'</Script >c", &["+Script", "='</scripts>'", "-Script", "c"]),
        (
            "<script><!-- <script></script> --></script>x",
            &["+Script", "=<!-- <script></script> -->", "-Script", "x"],
        ),
        ("<script><!--></script>x", &["+Script", "=<!-->", "-Script", "x"]),
        ("<script><!-- </script>x", &["+Script", "=<!-- ", "-Script", "x"]),
        ("<style></style>x", &["+Style", "=", "-Style", "x"]),
        ("<style><a></style>x", &["+Style", "=<a>", "-Style", "x"]),
        ("<title>a<b></title>", &["+Title", "=a<b>", "-Title"]),
        ("<textarea></textarea><a>", &["+Textarea", "=", "-Textarea", "+A"]),
        ("<xmp><a></xmp>", &["+Xmp", "=<a>", "-Xmp"]),
        ("<iframe><a></iframe>", &["+Iframe", "=<a>", "-Iframe"]),
        ("<plaintext><a></plaintext>", &["+Plaintext", "=<a></plaintext>"]),
        ("<noscript><a></noscript>", &["+Noscript", "+A", "-Noscript"]),
        (
            "<noscript><iframe src=x /></noscript><p>a</p><iframe><b></iframe>",
            &[
                "+Noscript",
                "+Iframe",
                "=",
                "-Noscript",
                "+P",
                "a",
                "-P",
                "+Iframe",
                "=<b>",
                "-Iframe",
            ],
        ),
        (
            "<noscript><!-- <b></noscript><i><noscript><script>a</script></noscript>",
            &["+Noscript", "-Noscript", "+I", "+Noscript", "+Script", "=a", "-Script", "-Noscript"],
        ),
        ("<noscript><iframe>", &["+Noscript", "+Iframe", "="]),
        ("<svg><title/><a></svg>", &["+Svg", "+Title", "+A", "-Svg"]),
        ("<script>a", &["+Script", "=a"]),
    ] {
        assert_eq!(tokens(html), expected, "{html}");
    }
}

#[test]
fn attributes_are_parsed_in_every_syntax() {
    for (html, expected) in [
        ("<a href=\"x>y\">", &["x>y"][..]),
        ("<a href='x'>", &["x"]),
        ("<a href=x/y>", &["x/y"]),
        ("<a href = x>", &["x"]),
        ("<a HREF=x href=y>", &["x"]),
        ("<a/href=x/>", &["x/"]),
        ("<a title='a'href=x>", &["x"]),
        ("<a b\thref=x>", &["x"]),
        ("<a href>", &[""]),
        ("<a href=>", &[""]),
        ("<a =href=y href=x>", &["x"]),
        ("<a b=\"'\" href='\"'>", &["\""]),
        ("<a\u{a0}b href=x>", &["x"]),
        ("</a href=x>", &[]),
        ("<a href=\"x", &[]),
    ] {
        assert_eq!(values(html, "href"), expected, "{html}");
    }
}

#[test]
fn hostile_pages_are_tokenized_to_their_end() {
    let size = 200_000;
    for piece in [
        "<",
        "<a ",
        "<a href=",
        "<a href=\"",
        "<!-",
        "<!--",
        "-->",
        "<script>",
        "</script",
        "<script><!--",
        "<title>",
        "</",
        "<svg>",
        "<svg><![CDATA[",
        "a=b ",
        "&",
        "<a a a a ",
        "<a>",
    ] {
        let html = piece.repeat(size / piece.len());
        let mut tokenizer = Tokenizer::new(&html);
        while tokenizer.next_token().is_some() {}
        let html = format!("<a {html}");
        let mut tokenizer = Tokenizer::new(&html);
        while tokenizer.next_token().is_some() {}
        let html = format!("<a href='{html}'><script><!--<script>{html}");
        let mut tokenizer = Tokenizer::new(&html);
        while tokenizer.next_token().is_some() {}
    }
}

/// The tokenizer keeps no stack: an element inside of a hundred thousand others costs no more than
/// its token.
#[test]
fn nesting_depth_costs_no_memory() {
    let count = |html: &str| {
        let mut tokenizer = Tokenizer::new(html);
        let mut tokens = 0;
        while tokenizer.next_token().is_some() {
            tokens += 1;
        }
        (tokens, tokenizer.attributes.capacity())
    };
    for (piece, tokens) in [("<ul><li>", 2), ("<b><p>x", 3), ("<svg><math>", 2), ("<table>", 1)] {
        for depth in [1_000, 10_000, 100_000] {
            let (found, kept) = count(&piece.repeat(depth));
            assert_eq!(found, depth * tokens, "{piece}");
            assert_eq!(kept, 0, "{piece}");
        }
    }
    let (_, kept) = count(&format!("<a {}>", "b=c ".repeat(100_000)));
    assert!(kept <= 128, "{kept}");
}

#[test]
fn every_element_is_found_by_its_name_in_any_case() {
    for name in ["a", "h6", "img", "textarea", "blockquote", "FigCaption", "plaintext"] {
        let element = Element::named(name.as_bytes(), name.len());
        assert_eq!(element.name(), name.to_ascii_lowercase());
        let longer = format!("{name}> and more text");
        assert_eq!(Element::named(longer.as_bytes(), name.len()), element);
    }
    for name in ["", "h7", "h\x11", "{", "aa", "blockquotes", "textareas", "\u{e1}"] {
        assert_eq!(Element::named(name.as_bytes(), name.len()), Element::Other, "{name}");
    }
    assert_eq!(Element::named(b"IMAGE", 5), Element::Image);
    assert_eq!(Element::named(b"my-element-name-of-some-length", 30), Element::Custom);
}

/// Tokens with the values of three attributes.
fn tokens_and_values(mut tokenizer: Tokenizer<'_>) -> Vec<String> {
    std::iter::from_fn(|| {
        let token = tokenizer.next_token()?;
        let values = tokenizer.attribute_values(["a", "href", "x"]);
        assert_eq!(values[1], tokenizer.attribute("href"));
        Some(format!("{token:?} {} {} {values:?}", tokenizer.name(), tokenizer.is_closed()))
    })
    .collect()
}

proptest! {
    #[test]
    fn attributes_on_demand_equal_those_that_are_read(pieces in prop::collection::vec(prop_oneof![
        Just("<a ".to_owned()), Just(">".to_owned()), Just("=".to_owned()), Just("\"".to_owned()),
        Just("'".to_owned()), Just(" href=\"".to_owned()), Just("\" x='".to_owned()),
        Just("/".to_owned()), Just("</a a=b>".to_owned()), Just("<svg/>".to_owned()),
        "[ a=xü\n]{0,3}", "[a-z]{60,70}",
    ], 0..40), after in 0..80_usize) {
        let html = pieces.concat() + &" ".repeat(after);
        let on_demand = tokens_and_values(Tokenizer::with_attributes_on_demand(&html));
        prop_assert_eq!(on_demand, tokens_and_values(Tokenizer::new(&html)));
    }

    #[test]
    fn tokenizer_never_panics(pieces in prop::collection::vec(prop_oneof![
        Just("<".to_owned()), Just(">".to_owned()), Just("</".to_owned()), Just("<!--".to_owned()),
        Just("-->".to_owned()), Just("<a ".to_owned()), Just("=".to_owned()), Just("\"".to_owned()),
        Just("'".to_owned()), Just("<script>".to_owned()), Just("</script>".to_owned()),
        Just("<title>".to_owned()), Just("<svg>".to_owned()), Just("<![CDATA[".to_owned()),
        Just("/".to_owned()), ".{0,3}",
    ], 0..40)) {
        let html = pieces.concat();
        let mut tokenizer = Tokenizer::new(&html);
        let mut steps = 0;
        while tokenizer.next_token().is_some() {
            steps += 1;
            prop_assert!(steps <= 2 * html.len());
        }
    }
}
