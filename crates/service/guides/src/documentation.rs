//! All pages with their groups.

use std::collections::HashMap;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::Value;

use crate::openapi_document::{ApiOperation, ApiTag};
use crate::reference::{self, ApiReference};
use crate::render::{OPTIONS, render};
use crate::repository_links::LinkedPage;
use crate::search::{SearchHit, SearchIndex};
use crate::sources::{LIST, SOURCES, address};
use crate::{API_REFERENCE, DOCS_HOME, DocsPage, error_codes, repository_links};

/// A group of the navigation and the addresses of its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocsGroup {
    pub name: String,
    pages: Vec<usize>,
}

/// The documentation of a service.
#[derive(Debug)]
pub struct Documentation {
    pages: Vec<DocsPage>,
    by_url: HashMap<String, usize>,
    groups: Vec<DocsGroup>,
    tags: Vec<ApiTag>,
    index: SearchIndex,
}

/// A row of the list of pages.
struct ListedPage {
    group: String,
    /// The path of the file in the repository.
    path: String,
    about: String,
}

impl Documentation {
    /// The documentation of a service with this OpenAPI document.
    #[must_use]
    pub fn new(openapi: &Value) -> Self {
        let mut made = Self {
            pages: Vec::new(),
            by_url: HashMap::new(),
            groups: Vec::new(),
            tags: Vec::new(),
            index: SearchIndex::default(),
        };
        for listed in listed_pages() {
            let Some((path, text)) = SOURCES.iter().find(|(path, _)| *path == listed.path) else {
                continue;
            };
            let page = made.add_file(path, text, listed.about);
            made.group(&listed.group).pages.push(page);
        }
        for (path, text) in SOURCES {
            if !made.by_url.contains_key(&address(path)) {
                made.add_file(path, text, String::new());
            }
        }
        let errors = made.add(
            contract::ERRORS_PAGE.to_owned(),
            error_codes::markdown(),
            "each error code with its meaning and remedy".to_owned(),
        );
        let ApiReference { tags, index, pages } = reference::of(openapi);
        let index = made.add(
            API_REFERENCE.to_owned(),
            index,
            "every operation with its parameters, fields and an example, to be tried out"
                .to_owned(),
        );
        made.group("Reference").pages.extend([index, errors]);
        for (url, markdown) in pages {
            made.add(url, markdown, String::new());
        }
        made.tags = tags;
        // References come before the pages for developers.
        made.groups.sort_by_key(|group| group.name == "Developing");
        made
    }

    fn add_file(&mut self, path: &str, text: &str, about: String) -> usize {
        let page_of = |path: &str| {
            let (_, text) = SOURCES.iter().find(|(known, _)| *known == path)?;
            let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
            Some(LinkedPage { address: address(path), title })
        };
        let markdown = repository_links::to_pages(text, path, page_of);
        self.add(address(path), markdown, about)
    }

    fn add(&mut self, url: String, markdown: String, about: String) -> usize {
        let rendered = render(&markdown);
        let number = self.pages.len();
        self.index.add(&rendered.title, rendered.sections);
        self.by_url.insert(url.clone(), number);
        let (title, html, headings) = (rendered.title, rendered.html, rendered.headings);
        self.pages.push(DocsPage { url, title, about, markdown, html, headings });
        number
    }

    fn group(&mut self, name: &str) -> &mut DocsGroup {
        let found = self.groups.iter().position(|group| group.name == name);
        let found = found.unwrap_or_else(|| {
            self.groups.push(DocsGroup { name: name.to_owned(), pages: Vec::new() });
            self.groups.len() - 1
        });
        &mut self.groups[found]
    }

    /// The page at an address. Names of files in capitals are accepted.
    #[must_use]
    pub fn page(&self, url: &str) -> Option<&DocsPage> {
        let url = url.trim_end_matches('/');
        let found = self.by_url.get(url).or_else(|| self.by_url.get(&url.to_lowercase()));
        found.map(|number| &self.pages[*number])
    }

    /// All pages, also those that no group has.
    #[must_use]
    pub fn pages(&self) -> &[DocsPage] {
        &self.pages
    }

    /// The groups of the navigation.
    #[must_use]
    pub fn groups(&self) -> &[DocsGroup] {
        &self.groups
    }

    /// The pages of a group in order.
    pub fn pages_of(&self, group: &DocsGroup) -> impl Iterator<Item = &DocsPage> {
        group.pages.iter().map(|number| &self.pages[*number])
    }

    /// The operations of the API by their subject.
    #[must_use]
    pub fn tags(&self) -> &[ApiTag] {
        &self.tags
    }

    /// The operation whose page has this address.
    #[must_use]
    pub fn operation(&self, url: &str) -> Option<&ApiOperation> {
        let mut operations = self.tags.iter().flat_map(|tag| &tag.operations);
        operations.find(|operation| operation.url() == url)
    }

    /// The parts of pages that have all words of a query, the best first.
    #[must_use]
    pub fn search(&self, query: &str) -> Vec<SearchHit<'_>> {
        self.index.search(query, &self.pages)
    }
}

/// The rows of `docs/README.md`: the link of the first cell, the text of the second.
fn listed_pages() -> Vec<ListedPage> {
    let list = SOURCES.iter().find(|(path, _)| *path == LIST).map_or("", |(_, text)| text);
    let mut rows: Vec<ListedPage> = Vec::new();
    // The number of the open cell; `None` outside of rows.
    let (mut group, mut is_heading, mut cell) = (String::new(), false, None);
    for event in Parser::new_ext(list, OPTIONS) {
        match event {
            Event::Start(Tag::Heading { .. }) => (group, is_heading) = (String::new(), true),
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Start(Tag::TableRow) => cell = Some(0),
            Event::End(TagEnd::TableRow) => cell = None,
            Event::End(TagEnd::TableCell) => cell = cell.map(|cell| cell + 1),
            Event::Start(Tag::Link { dest_url, .. }) if cell == Some(0) => {
                let path = repository_links::joined(LIST, &dest_url);
                rows.push(ListedPage { group: group.clone(), path, about: String::new() });
            }
            Event::Text(text) if is_heading => group.push_str(&text),
            Event::Text(text) | Event::Code(text) if cell == Some(1) => {
                if let Some(row) = rows.last_mut() {
                    row.about.push_str(&text);
                }
            }
            _ => {}
        }
    }
    rows.retain(|row| address(&row.path) != DOCS_HOME);
    rows
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_page_is_in_the_list_and_has_a_title() {
        let all = Documentation::new(&json!({}));
        let listed: Vec<_> = all.groups().iter().flat_map(|group| all.pages_of(group)).collect();
        for page in all.pages() {
            assert!(!page.title.is_empty(), "{} has no title", page.url);
            let is_part = page.url == DOCS_HOME || page.url.starts_with("/docs/integrations/");
            let is_listed = listed.iter().any(|listed| listed.url == page.url);
            assert!(is_listed || is_part, "docs/README.md does not list {}", page.url);
        }
        assert!(listed.iter().all(|page| !page.about.is_empty()));
        let groups: Vec<_> = all.groups().iter().map(|group| group.name.as_str()).collect();
        assert_eq!(
            groups,
            ["Using the service", "Operating the service", "Reference", "Developing"]
        );
    }

    #[test]
    fn headings_skip_no_level() {
        for page in Documentation::new(&json!({})).pages() {
            let mut before = 1;
            for heading in &page.headings {
                assert!(heading.level <= before + 1, "{}: {}", page.url, heading.text);
                before = heading.level;
            }
        }
    }

    #[test]
    fn search_finds_the_guide_of_a_subject() {
        let all = Documentation::new(&json!({}));
        for (query, url) in [
            ("webhooks", "/docs/webhooks"),
            ("robots.txt", "/docs/crawling"),
            ("xlsx", "/docs/exports"),
            ("insufficient_credits", "/docs/errors"),
        ] {
            let hits = all.search(query);
            assert!(hits.iter().any(|hit| hit.page.url == url), "{query}: {hits:?}");
        }
        assert!(all.search("zzyzx").is_empty());
    }
}
