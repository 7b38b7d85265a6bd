//! Markdown of the documentation to HTML.
//!
//! The text is our own, so nothing is sanitised, but HTML in it is shown as text. The result has no
//! inline styles or scripts: the content security policy of the console forbids them.

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};

use crate::diagram;
use crate::page::DocsHeading;
use crate::search::SearchSection;
use crate::slug::Slugs;

/// The extensions of Markdown that the guides use.
pub(crate) const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_HEADING_ATTRIBUTES);

/// A page after rendering.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    pub title: String,
    pub html: String,
    /// The headings below the title.
    pub headings: Vec<DocsHeading>,
    /// The text of the page by heading, for the search.
    pub sections: Vec<SearchSection>,
}

/// Renders a page whose first heading is its title.
pub(crate) fn render(markdown: &str) -> Rendered {
    let events: Vec<Event<'_>> = Parser::new_ext(markdown, OPTIONS).collect();
    let mut renderer = Renderer::default();
    let mut shown = Vec::with_capacity(events.len() + 64);
    for (at, event) in events.iter().enumerate() {
        renderer.event(event, &events[at + 1..], &mut shown);
    }
    let mut rendered = renderer.rendered;
    html::push_html(&mut rendered.html, shown.into_iter());
    rendered
}

#[derive(Debug, Default)]
struct Renderer {
    rendered: Rendered,
    slugs: Slugs,
    code_blocks: usize,
    /// The text of the open diagram.
    diagram: Option<String>,
    is_in_head: bool,
    /// The anchor of the open heading; text belongs to the heading.
    heading: Option<HeadingLevel>,
}

impl Renderer {
    fn event<'a>(&mut self, event: &Event<'a>, rest: &[Event<'a>], shown: &mut Vec<Event<'a>>) {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) => {
                self.open_heading(*level, id.as_deref(), rest, shown);
            }
            Event::End(TagEnd::Heading(level)) => {
                if *level != HeadingLevel::H1 {
                    shown.push(raw("</a>"));
                }
                self.heading = None;
                shown.push(event.clone());
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(name)))
                if name.as_ref() == diagram::LANGUAGE =>
            {
                self.diagram = Some(String::new());
            }
            Event::Text(text) if self.diagram.is_some() => {
                self.text(text);
                self.diagram.get_or_insert_default().push_str(text);
            }
            Event::End(TagEnd::CodeBlock) if self.diagram.is_some() => {
                let text = self.diagram.take().unwrap_or_default();
                shown.push(raw(diagram::html(&text).unwrap_or_default()));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(name) if !name.is_empty() => name.as_ref(),
                    _ => "text",
                };
                let number = self.code_blocks;
                self.code_blocks += 1;
                shown.push(raw(format!(
                    "<div class=\"code\"><button type=\"button\" hidden data-copies=\"code-{number}\">\
                     Copy</button><pre id=\"code-{number}\" class=\"{language}\" tabindex=\"0\"><code>"
                )));
            }
            Event::End(TagEnd::CodeBlock) => {
                self.text(" ");
                shown.push(raw("</code></pre></div>\n"));
            }
            Event::Start(Tag::Table(alignments)) => {
                shown.push(raw(
                    "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">",
                ));
                // Alignment would become an inline style.
                let plain = vec![pulldown_cmark::Alignment::None; alignments.len()];
                shown.push(Event::Start(Tag::Table(plain)));
            }
            Event::End(TagEnd::Table) => {
                shown.push(event.clone());
                shown.push(raw("</div>\n"));
            }
            Event::Start(Tag::TableHead) | Event::End(TagEnd::TableHead) => {
                self.is_in_head = matches!(event, Event::Start(_));
                shown.push(event.clone());
            }
            Event::Start(Tag::TableCell) => {
                shown.push(event.clone());
                let is_empty = matches!(rest.first(), Some(Event::End(TagEnd::TableCell)));
                if self.is_in_head && is_empty {
                    shown.push(raw("<span class=\"hidden-label\">Row</span>"));
                }
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                self.text(text);
                shown.push(Event::Text(text.clone()));
            }
            Event::Text(text) | Event::Code(text) => {
                self.text(text);
                shown.push(event.clone());
            }
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell | TagEnd::TableRow) =>
            {
                self.text(" ");
                shown.push(event.clone());
            }
            other => shown.push(other.clone()),
        }
    }

    fn open_heading<'a>(
        &mut self,
        level: HeadingLevel,
        id: Option<&str>,
        rest: &[Event<'a>],
        shown: &mut Vec<Event<'a>>,
    ) {
        let text = heading_text(rest);
        self.heading = Some(level);
        let anchor = match id {
            Some(id) => self.slugs.unique(id.to_owned()),
            None => self.slugs.of(&text),
        };
        let start =
            |id| Event::Start(Tag::Heading { level, id, classes: Vec::new(), attrs: Vec::new() });
        if level == HeadingLevel::H1 {
            self.rendered.title = text;
            self.rendered.sections.push(SearchSection::default());
            shown.push(start(None));
            return;
        }
        self.rendered.sections.push(SearchSection::of(anchor.clone(), text.clone()));
        shown.push(start(Some(CowStr::from(anchor.clone()))));
        shown.push(raw(format!("<a href=\"#{anchor}\">")));
        self.rendered.headings.push(DocsHeading { level: level as u8, anchor, text });
    }

    /// Adds text to the section that is open.
    fn text(&mut self, text: &str) {
        if self.heading.is_none()
            && let Some(section) = self.rendered.sections.last_mut()
        {
            section.text.push_str(text);
        }
    }
}

fn raw<'a>(html: impl Into<CowStr<'a>>) -> Event<'a> {
    Event::Html(html.into())
}

/// The text up to the end of a heading.
fn heading_text(events: &[Event<'_>]) -> String {
    let of_heading =
        events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    of_heading
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_anchors_and_tables_no_styles() {
        let page = render(
            "# Title\n\nIntro\n\n## A `b`\n\n|  | x |\n|---|--:|\n| 1 | 2 |\n\n### C {#own}\n\ntext",
        );
        assert_eq!(page.title, "Title");
        let headings: Vec<_> = page
            .headings
            .iter()
            .map(|it| (it.level, it.anchor.as_str(), it.text.as_str()))
            .collect();
        assert_eq!(headings, [(2, "a-b", "A b"), (3, "own", "C")]);
        assert!(page.html.contains("<h2 id=\"a-b\"><a href=\"#a-b\">A <code>b</code></a></h2>"));
        assert!(!page.html.contains("style="), "{}", page.html);
        assert!(page.html.contains("<th><span class=\"hidden-label\">Row</span></th>"));
        let sections: Vec<_> = page.sections.iter().map(|it| it.text.trim().to_owned()).collect();
        assert_eq!(sections, ["Intro", "x 1 2", "text"]);
    }

    #[test]
    fn html_is_text_and_code_can_be_copied() {
        let page = render("# T\n\n<b>x</b> and\n\n```sh\na < b\n```\n");
        assert!(page.html.contains("&lt;b&gt;x&lt;/b&gt;"), "{}", page.html);
        assert!(page.html.contains("data-copies=\"code-0\""));
        assert!(
            page.html.contains("<pre id=\"code-0\" class=\"sh\" tabindex=\"0\"><code>a &lt; b\n")
        );
    }
}
