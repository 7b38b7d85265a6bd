//! The URLs of a run as a tree of paths.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::RunPage;
use super::result_sample::{ResultSample, partial};
use super::tab::RunTab;
use super::url_row::{UrlRow, status_class, tone};
use crate::PageResult;
use crate::link::link_as;
use crate::number_format::number;

/// Maximum depth of the tree; deeper paths are joined.
const MAX_LEVELS: usize = 12;

/// Maximum entries shown per folder.
const MAX_ENTRIES: usize = 200;

/// Levels that are expanded initially.
const OPEN_LEVELS: usize = 2;

/// A folder, a page, or both.
#[derive(Debug, Default)]
struct PathNode {
    below: BTreeMap<String, PathNode>,
    page: Option<UrlRow>,
    /// Number of pages in this folder and below.
    pages: u64,
}

impl PathNode {
    fn add(&mut self, mut path: impl Iterator<Item = String>, row: UrlRow) {
        self.pages += 1;
        match path.next() {
            Some(name) => self.below.entry(name).or_default().add(path, row),
            None => self.page = Some(row),
        }
    }
}

/// Host and folders; segments beyond the maximum depth are joined.
fn path_of(url: &str) -> Vec<String> {
    let Ok(parsed) = url::Url::parse(url) else { return vec![url.to_owned()] };
    let host = parsed.host_str().unwrap_or_default().to_owned();
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split_once('/').map_or("", |(_, path)| path);
    let folders = rest.splitn(MAX_LEVELS, '/').filter(|name| !name.is_empty());
    std::iter::once(host).chain(folders.map(str::to_owned)).collect()
}

pub(super) async fn show(run: RunPage) -> PageResult {
    let sample = ResultSample::<UrlRow>::of(&run).await?;
    let (seen, is_partial) = (sample.items.len(), sample.is_partial());
    let mut root = PathNode::default();
    for row in sample.items {
        root.add(path_of(&row.url).into_iter(), row);
    }
    let content = html! {
        @if is_partial { (partial(&run, seen)) }
        section.panel aria-label="The site as a tree" {
            @if root.below.is_empty() { p.empty { "No results." } }
            ul.tree { (entries(&root, 0)) }
        }
    };
    Ok(run.tab(RunTab::Tree, &content))
}

/// The parts of a name in their natural order: `page-2` comes before `page-10`.
fn natural(name: &str) -> Vec<(u64, &str)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest[text..].find(|c: char| !c.is_ascii_digit());
        let end = digits.map_or(rest.len(), |digits| text + digits);
        // A longer number counts as its text.
        parts.push((0, &rest[..text]));
        parts.push((rest[text..end].parse().unwrap_or(u64::MAX), &rest[text..end]));
        rest = &rest[end..];
    }
    parts
}

fn entries(node: &PathNode, level: usize) -> Markup {
    let mut names: Vec<_> = node.below.iter().collect();
    names.sort_by_cached_key(|(name, _)| natural(name));
    html! {
        @for (name, below) in names.into_iter().take(MAX_ENTRIES) {
            li {
                @if below.below.is_empty() {
                    span.leaf { (entry(name, below)) }
                } @else {
                    details open[level < OPEN_LEVELS] {
                        summary { (name) " " span.quiet { (number(below.pages)) } }
                        ul {
                            // A link inside of a summary cannot be reached separately by keyboard.
                            @if below.page.is_some() { li { span.leaf { (entry("/", below)) } } }
                            (entries(below, level + 1))
                        }
                    }
                }
            }
        }
        @if node.below.len() > MAX_ENTRIES {
            li.quiet { "… and " (number((node.below.len() - MAX_ENTRIES) as u64)) " more" }
        }
    }
}

fn entry(name: &str, node: &PathNode) -> Markup {
    html! {
        @match &node.page {
            Some(row) => {
                (link_as(&row.url, name))
                @let class = status_class(row.status_code);
                @if class != "2xx" {
                    " " span class={ "chip " (tone(class)) } {
                        @match row.status_code { Some(code) => (code), None => "no response" }
                    }
                }
            }
            None => (name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_in_their_order() {
        let mut names = ["10", "2", "page-10", "page-2", "a", "", "1x", "page"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["", "1x", "2", "10", "a", "page", "page-2", "page-10"]);
    }

    #[test]
    fn url_is_split_into_host_and_folders() {
        assert_eq!(path_of("https://a.test/docs/x/?q=1"), ["a.test", "docs", "x", "?q=1"]);
        assert_eq!(path_of("https://a.test/"), ["a.test"]);
        assert_eq!(path_of("nonsense"), ["nonsense"]);
        let deep = format!("https://a.test/{}", "f/".repeat(5_000));
        assert!(path_of(&deep).len() <= MAX_LEVELS + 1);
    }
}
