//! Numbered targets of links, written once at the end of the page.

use hashbrown::HashMap;

use super::render::push_destination;
use super::title;

/// The targets in the order of their first link.
#[derive(Debug, Default)]
pub(super) struct LinkReferences {
    numbers: HashMap<(String, Option<String>), usize>,
    /// The definitions as Markdown, a line each.
    definitions: String,
}

impl LinkReferences {
    /// The number of a target, from 1 up.
    pub fn number(&mut self, url: &str, link_title: Option<&str>) -> usize {
        let next = self.numbers.len() + 1;
        let key = (url.to_owned(), link_title.map(str::to_owned));
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.definitions.push_str(&format!("[{number}]: "));
            push_destination(&mut self.definitions, url, false);
            title::push(&mut self.definitions, link_title, false);
            self.definitions.push('\n');
        }
        number
    }

    /// Appends the definitions to a page that ends with a line feed.
    pub fn push_definitions(&self, out: &mut String) {
        if !self.definitions.is_empty() {
            out.push('\n');
            out.push_str(&self.definitions);
        }
    }
}
