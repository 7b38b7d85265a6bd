//! The search: every part of every page, found by words.
//!
//! A linear scan of some hundred kilobytes takes about a millisecond. The query is bounded in
//! characters and words, the answer in hits.

use crate::DocsPage;

/// Maximum characters of a query; the others are ignored.
pub const MAX_QUERY_CHARS: usize = 200;

/// Maximum words of a query.
const MAX_WORDS: usize = 8;

/// Maximum hits of an answer, and of one page in it.
const MAX_HITS: usize = 20;
const MAX_HITS_OF_PAGE: usize = 3;

/// Characters of an excerpt before and after the first word that was found.
const BEFORE: usize = 60;
const AFTER: usize = 160;

/// A part of a page: from one heading to the next.
#[derive(Debug, Clone, Default)]
pub(crate) struct SearchSection {
    /// Empty for the text before the first heading.
    pub anchor: String,
    pub heading: String,
    pub text: String,
}

impl SearchSection {
    pub fn of(anchor: String, heading: String) -> Self {
        Self { anchor, heading, text: String::new() }
    }
}

/// A part of a page that has all words of a query.
#[derive(Debug, Clone)]
pub struct SearchHit<'d> {
    pub page: &'d DocsPage,
    /// The address of the part.
    pub url: String,
    /// Empty for the text before the first heading.
    pub heading: &'d str,
    pub excerpt: String,
}

/// A section with its text in lower case.
#[derive(Debug)]
struct IndexedSection {
    page: usize,
    anchor: String,
    heading: String,
    text: String,
    folded: String,
}

/// The index of all pages.
#[derive(Debug, Default)]
pub(crate) struct SearchIndex {
    sections: Vec<IndexedSection>,
    titles: Vec<String>,
}

impl SearchIndex {
    /// Adds the sections of the next page.
    pub fn add(&mut self, title: &str, sections: Vec<SearchSection>) {
        let page = self.titles.len();
        self.titles.push(title.to_lowercase());
        self.sections.extend(sections.into_iter().map(|section| {
            let text = section.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let folded = format!("{} {text}", section.heading).to_lowercase();
            IndexedSection { page, anchor: section.anchor, heading: section.heading, text, folded }
        }));
    }

    /// The best parts for a query, in order; `pages` are those that were added.
    pub fn search<'d>(&'d self, query: &str, pages: &'d [DocsPage]) -> Vec<SearchHit<'d>> {
        let query: String = query.chars().take(MAX_QUERY_CHARS).collect::<String>().to_lowercase();
        let words: Vec<&str> = query.split_whitespace().take(MAX_WORDS).collect();
        if words.is_empty() {
            return Vec::new();
        }
        let scored = self.sections.iter().filter_map(|section| {
            let score = self.score(section, &words)?;
            Some((score, section))
        });
        let mut scored: Vec<_> = scored.collect();
        // Stable: equal parts keep the order of the pages.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let mut of_page = vec![0_usize; self.titles.len()];
        let mut hits = Vec::new();
        for (_, section) in scored {
            let Some(page) = pages.get(section.page) else { continue };
            of_page[section.page] += 1;
            if of_page[section.page] > MAX_HITS_OF_PAGE {
                continue;
            }
            let hash = if section.anchor.is_empty() { "" } else { "#" };
            hits.push(SearchHit {
                page,
                url: format!("{}{hash}{}", page.url, section.anchor),
                heading: &section.heading,
                excerpt: excerpt(&section.text, &words),
            });
            if hits.len() == MAX_HITS {
                break;
            }
        }
        hits
    }

    /// How well a section fits; `None` if neither it nor the title of its page has one of the words.
    fn score(&self, section: &IndexedSection, words: &[&str]) -> Option<usize> {
        let title = &self.titles[section.page];
        let heading = section.heading.to_lowercase();
        let mut score = 0;
        let mut is_in_section = false;
        for word in words {
            let found = section.folded.matches(word).take(3).count();
            let in_title = title.contains(word);
            if found == 0 && !in_title {
                return None;
            }
            is_in_section |= found > 0;
            score += found;
            score += if heading.contains(word) { 6 } else { 0 };
            // The start of a page represents its title.
            score += if in_title { if section.anchor.is_empty() { 10 } else { 2 } } else { 0 };
        }
        (is_in_section || section.anchor.is_empty()).then_some(score)
    }
}

/// The text around the first word that is found.
fn excerpt(text: &str, words: &[&str]) -> String {
    let folded = text.to_lowercase();
    let found = words.iter().filter_map(|word| folded.find(word)).min().unwrap_or(0);
    // Lower case may have other lengths: count characters of the folded text.
    let found = folded[..found].chars().count();
    let start = found.saturating_sub(BEFORE);
    let mut signs = text.chars().skip(start);
    let mut shown: String = signs.by_ref().take(BEFORE + AFTER).collect();
    if start > 0 {
        shown = format!("… {}", shown.split_once(' ').map_or(shown.as_str(), |(_, rest)| rest));
    }
    if signs.next().is_some() {
        let whole = shown.rsplit_once(' ').map_or(shown.as_str(), |(start, _)| start).to_owned();
        shown = whole + " …";
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(title: &str) -> DocsPage {
        DocsPage {
            url: format!("/docs/{}", title.to_lowercase()),
            title: title.to_owned(),
            about: String::new(),
            markdown: String::new(),
            html: String::new(),
            headings: Vec::new(),
        }
    }

    fn section(heading: &str, text: &str) -> SearchSection {
        SearchSection {
            text: text.to_owned(),
            ..SearchSection::of(heading.to_lowercase(), heading.to_owned())
        }
    }

    #[test]
    fn titles_and_headings_come_before_text() {
        let pages = [page("Exports"), page("Webhooks")];
        let mut index = SearchIndex::default();
        index.add("Exports", vec![section("", "Files."), section("Links", "A webhooks word.")]);
        index.add(
            "Webhooks",
            vec![section("", "Events."), section("Signature", "HMAC of the body.")],
        );
        let urls = |query: &str| -> Vec<String> {
            index.search(query, &pages).into_iter().map(|hit| hit.url).collect()
        };
        assert_eq!(urls("webhooks"), ["/docs/webhooks", "/docs/exports#links"]);
        assert_eq!(urls("HMAC body"), ["/docs/webhooks#signature"]);
        assert_eq!(urls("webhooks hmac"), ["/docs/webhooks#signature"]);
        assert!(urls("hmac files").is_empty() && urls("  ").is_empty());
    }

    #[test]
    fn query_and_answer_are_bounded() {
        let pages = [page("A")];
        let mut index = SearchIndex::default();
        index.add("A", (0..50).map(|n| section(&format!("Part {n}"), "word")).collect());
        assert_eq!(index.search("word", &pages).len(), MAX_HITS_OF_PAGE);
        let long = format!("word {}", "x".repeat(1_000_000));
        assert!(index.search(&long, &pages).is_empty());
        let text = format!("{} İneedle {}", "a ".repeat(500), "b ".repeat(500));
        let shown = excerpt(&text, &["needle"]);
        assert!(shown.contains("needle") && shown.chars().count() < 240, "{shown}");
    }
}
