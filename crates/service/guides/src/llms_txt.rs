//! `llms.txt` and `llms-full.txt` (<https://llmstxt.org>): the documentation for language models.

use std::fmt::Write;

use crate::page::with_base;
use crate::{DocsPage, Documentation};

const ABOUT: &str = "> Trawl is a website crawl service: a client starts a run over HTTP, follows its progress, and \
     reads the results as paged JSON or as a file. It collects links, sitemaps, page text as \
     Markdown, products of shops and contacts of companies.";

impl Documentation {
    /// The list of all pages with one line each; `base` is the public URL without a final slash.
    #[must_use]
    pub fn llms_txt(&self, base: &str) -> String {
        let mut text = format!("# Trawl\n\n{ABOUT}\n");
        for group in self.groups() {
            let _ = write!(text, "\n## {}\n\n", group.name);
            for page in self.pages_of(group) {
                let DocsPage { url, title, about, .. } = page;
                let _ = writeln!(text, "- [{title}]({base}{url}.md): {about}");
            }
        }
        let _ = write!(text, "\n## Optional\n\n- [OpenAPI document]({base}/openapi.json)\n");
        text
    }

    /// The text of all pages for users and operators, and of the operations of the API.
    #[must_use]
    pub fn llms_full_txt(&self, base: &str) -> String {
        let mut text = format!("# Trawl\n\n{ABOUT}\n");
        let guides = self.groups().iter().filter(|group| group.name != "Developing");
        let guides = guides.flat_map(|group| self.pages_of(group));
        let operations = self.tags().iter().flat_map(|tag| &tag.operations);
        let operations = operations.filter_map(|operation| self.page(&operation.url()));
        for page in guides.chain(operations) {
            let _ = write!(text, "\n---\n\nSource: {base}{}\n\n", page.url);
            text.push_str(with_base(&page.markdown, base).trim());
            text.push('\n');
        }
        text
    }
}
