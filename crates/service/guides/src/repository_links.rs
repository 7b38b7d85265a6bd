//! Links between files of the repository, turned into links between pages.
//!
//! A link to a file that is no page, such as source code, becomes its text. A link with the name of a
//! file as its text gets the title of the page.

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use crate::render::OPTIONS;

/// The page of a file, as a link needs it.
#[derive(Debug)]
pub(crate) struct LinkedPage<'a> {
    pub address: String,
    pub title: &'a str,
}

/// The Markdown of the file `path`, with the addresses of pages in its links. `page_of` has the
/// page of a file.
pub(crate) fn to_pages<'a>(
    markdown: &str,
    path: &str,
    page_of: impl Fn(&str) -> Option<LinkedPage<'a>>,
) -> String {
    let mut rewritten = String::with_capacity(markdown.len() + 256);
    let mut copied = 0;
    for (event, range) in Parser::new_ext(markdown, OPTIONS).into_offset_iter() {
        let Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. }) = event else {
            continue;
        };
        let source = &markdown[range.clone()];
        let (file, anchor) = dest_url.split_once('#').unwrap_or((&*dest_url, ""));
        if file.is_empty() || file.starts_with('/') || file.contains("://") {
            continue;
        }
        let Some(end) = source.rfind(&format!("]({dest_url}")) else { continue };
        rewritten.push_str(&markdown[copied..range.start]);
        match page_of(&joined(path, file)) {
            Some(LinkedPage { address, title }) => {
                let text = &source[1..end];
                let is_file_name = text.ends_with(".md") && !text.contains(' ');
                let text = if is_file_name { title } else { text };
                let hash = if anchor.is_empty() { "" } else { "#" };
                rewritten.push_str(&format!("[{text}]({address}{hash}{anchor})"));
            }
            None => rewritten.push_str(&source[1..end]),
        }
        copied = range.end;
    }
    rewritten.push_str(&markdown[copied..]);
    rewritten
}

/// The path of a link from the root of the repository.
pub(crate) fn joined(path: &str, link: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_and_others_become_text() {
        let page_of = |path: &str| {
            let page = LinkedPage { address: format!("/docs/{path}"), title: "Title" };
            path.ends_with(".md").then_some(page)
        };
        for (markdown, expected) in [
            ("See [a](b.md).", "See [a](/docs/docs/b.md)."),
            ("[a](../x/b.md#part), [c](c.md)", "[a](/docs/x/b.md#part), [c](/docs/docs/c.md)"),
            ("[../x/b.md](../x/b.md)", "[Title](/docs/x/b.md)"),
            ("[`a`](../src/a.rs) is code", "`a` is code"),
            ("[a](https://a.test/b.md) [b](#c)", "[a](https://a.test/b.md) [b](#c)"),
            ("`[a](b.md)`", "`[a](b.md)`"),
        ] {
            assert_eq!(to_pages(markdown, "docs/here.md", page_of), expected);
        }
    }
}
