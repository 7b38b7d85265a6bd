//! Renders Markdown of crawled pages as sanitised HTML.

use std::collections::HashSet;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use maud::{Markup, PreEscaped};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Heading level of the surrounding page.
const AROUND: usize = 2;

/// Allows text structure and links to the web. Images are removed, because they would reveal the
/// reader to other servers, as well as ids and styles.
static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags = "a b blockquote br code dd del dl dt em h3 h4 h5 h6 hr i li ol p pre s strong \
        sub sup table tbody td th thead tr ul";
    let mut builder = Builder::empty();
    builder
        .tags(tags.split(' ').collect())
        .add_tag_attributes("a", ["href"])
        .add_tag_attributes("ol", ["start"])
        .add_tag_attributes("th", ["scope"])
        .clean_content_tags(HashSet::from(["script", "style"]))
        .url_schemes(HashSet::from(["http", "https"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .set_tag_attribute_value("a", "target", "_blank");
    builder
});

/// The rendered text. Its headings continue those of the page without skipping a level.
pub(crate) fn rendered(markdown: &str) -> Markup {
    let mut level = AROUND;
    let mut opened = HeadingLevel::H3;
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).map(|event| match event {
        Event::Start(Tag::Heading { level: said, .. }) => {
            level = (said as usize + AROUND).clamp(AROUND + 1, 6).min(level + 1);
            opened = HeadingLevel::try_from(level).unwrap_or(HeadingLevel::H6);
            Event::Start(Tag::Heading {
                level: opened,
                id: None,
                classes: Vec::new(),
                attrs: Vec::new(),
            })
        }
        Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(opened)),
        // HTML inside of the Markdown is shown as text.
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    });
    let mut text = String::new();
    html::push_html(&mut text, events);
    PreEscaped(SANITISER.clean(&text).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_structure_is_rendered() {
        let shown =
            rendered("# One\n\n### Two\n\n| a | b |\n|---|---|\n| 1 | [x](https://a.test/) |");
        let shown = shown.into_string();
        assert!(shown.contains("<h3>One</h3>") && shown.contains("<h4>Two</h4>"), "{shown}");
        assert!(shown.contains("<table>") && shown.contains("href=\"https://a.test/\""));
        assert!(shown.contains("rel=\"noopener noreferrer nofollow\""));
    }

    #[test]
    fn hostile_markdown_is_sanitised() {
        for hostile in [
            "<script>alert(1)</script>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "<javascript:alert(1)>",
            "![x](https://evil.test/pixel.png)",
            "<img src=x onerror=alert(1)>",
            "<a href=\"https://a.test\" onclick=\"alert(1)\">x</a>",
            "<iframe src=https://evil.test></iframe>",
            "<form action=https://evil.test><input name=password></form>",
            "<style>body{display:none}</style>",
            "<svg onload=alert(1)>",
            "[x](//evil.test/)",
            "| <script>alert(1)</script> |\n|---|\n| <b onmouseover=alert(1)>x</b> |",
        ] {
            let shown = rendered(hostile).into_string();
            for forbidden in [
                "<script",
                "href=\"javascript",
                "href=\"data",
                "<img",
                "<iframe",
                "<form",
                "<input",
                "<style",
                "<svg",
                "<b ",
                "href=\"//",
                "href=\"/",
                "<a href=\"https://a.test\" on",
            ] {
                assert!(!shown.to_lowercase().contains(forbidden), "{hostile}: {shown}");
            }
        }
    }
}
