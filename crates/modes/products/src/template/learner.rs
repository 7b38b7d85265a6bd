//! Learns the template of a site: selectors get votes, page after page.
//!
//! Memory is bounded, and the same examples in the same order give the same templates.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use super::example::TemplateExample;
use super::selector::SelectorKey;
use super::{ExtractionTemplate, TemplateEntry};
use crate::field::ProductField;

/// The first version is made after this many pages with structured data; each further version
/// after twice as many as the last.
const FIRST_VERSION_PAGES: u32 = 4;
/// The maximum number of selectors per field.
const MAX_SELECTORS: usize = 3_000;
/// The number of selectors per field in a template: the best one and its fallbacks.
const MAX_FALLBACKS: usize = 8;
/// The minimum number of hits of a selector in a template, and its minimum precision in percent.
const MIN_HITS: u32 = 2;
const MIN_PRECISION: u32 = 80;
/// How many of the last product pages decide whether the template still matches the site.
const WINDOW: usize = 16;

/// How often the value of a selector agreed with the data of a page.
#[derive(Debug, Clone, Copy, Default)]
struct SelectorVotes {
    /// Pages on which it gave the value.
    hits: u32,
    /// Pages on which it gave another value.
    misses: u32,
    /// Pages on which it gave a value and the data states none.
    extras: u32,
    /// The pages with a hit, one bit each, modulo 64.
    pages: u64,
}

/// Learns the template of a site while its pages are read.
#[derive(Debug, Default)]
pub struct TemplateLearner {
    votes: BTreeMap<u8, BTreeMap<SelectorKey, SelectorVotes>>,
    /// By field, the number of pages whose data states it.
    known: BTreeMap<u8, u32>,
    /// The number of pages with structured data since learning started over.
    pages: u32,
    /// The number of pages at which the next version is due.
    due: u32,
    current: Option<ExtractionTemplate>,
    /// For each of the last product pages, the percentage of fields that the template matched.
    fills: VecDeque<u32>,
    /// The mean of that percentage when the template was new.
    usual_fill: Option<u32>,
}

impl TemplateLearner {
    /// Continues with a current template. It stays current until twice as many pages as it was
    /// learned from have been seen, or until it no longer matches: a version of few pages does not
    /// replace one that an earlier run learned from many.
    #[must_use]
    pub fn after(template: Option<&ExtractionTemplate>) -> Self {
        let due = template.map_or(FIRST_VERSION_PAGES, |template| {
            template.pages.saturating_mul(2).max(FIRST_VERSION_PAGES)
        });
        Self { current: template.cloned(), due, ..Self::default() }
    }

    /// Learns from a page and returns a new version if one is due: after the first few pages, after
    /// twice as many pages as the last, or after the fill rate of the current version dropped.
    pub fn learn(&mut self, example: &TemplateExample) -> Option<ExtractionTemplate> {
        self.due = self.due.max(FIRST_VERSION_PAGES);
        self.track_fill_rate(example);
        if example.known == 0 {
            return None;
        }
        self.pages += 1;
        self.count(example);
        if self.pages < self.due {
            return None;
        }
        self.due = self.due.saturating_mul(2);
        let made = self.build();
        let is_known = |known: &ExtractionTemplate| known.entries == made.entries;
        if made.entries.is_empty() || self.current.as_ref().is_some_and(is_known) {
            return None;
        }
        (self.usual_fill, self.current) = (None, Some(made.clone()));
        self.fills.clear();
        Some(made)
    }

    /// Checks whether the page matches the current template, and starts over if too few of the last
    /// pages did.
    fn track_fill_rate(&mut self, example: &TemplateExample) {
        let Some(template) = &self.current else { return };
        let (mut fields, mut filled) = (0, 0);
        for selectors in template.entries.chunk_by(|a, b| a.field == b.field) {
            fields += 1;
            filled +=
                u32::from(selectors.iter().any(|entry| example.has_match(entry.key, entry.field)));
        }
        self.fills.push_back(filled * 100 / fields.max(1));
        if self.fills.len() < WINDOW {
            return;
        }
        let rate = self.fills.iter().sum::<u32>() / u32::try_from(WINDOW).unwrap_or(1);
        let usual = *self.usual_fill.get_or_insert(rate.max(50));
        self.fills.pop_front();
        if rate * 10 < usual * 6 {
            // The site has a new design: votes for the old one do not count any longer.
            self.votes.clear();
            self.known.clear();
            self.fills.clear();
            (self.pages, self.due, self.usual_fill) = (0, FIRST_VERSION_PAGES, None);
        }
    }

    fn count(&mut self, example: &TemplateExample) {
        let fields = u8::try_from(ProductField::ALL.len()).unwrap_or(u8::MAX);
        let page = 1 << (self.pages % 64);
        for field in 0..fields {
            let selectors = self.votes.entry(field).or_default();
            let knows = example.knows(field);
            *self.known.entry(field).or_default() += u32::from(knows);
            let right = |key: SelectorKey| example.right.binary_search(&(field, key)).is_ok();
            for (key, vote) in selectors.iter_mut() {
                if example.has_match(*key, field) && !right(*key) {
                    *(if knows { &mut vote.misses } else { &mut vote.extras }) += 1;
                }
            }
            let from = example.right.partition_point(|(other, _)| *other < field);
            for (_, key) in example.right[from..].iter().take_while(|(other, _)| *other == field) {
                if selectors.len() < MAX_SELECTORS || selectors.contains_key(key) {
                    let vote = selectors.entry(*key).or_default();
                    vote.hits += 1;
                    vote.pages |= page;
                }
            }
            if selectors.len() >= MAX_SELECTORS {
                // Selectors with a single hit are dropped first.
                selectors.retain(|_, vote| vote.hits >= MIN_HITS && vote.misses <= vote.hits);
            }
        }
    }

    /// The template of the current votes.
    fn build(&self) -> ExtractionTemplate {
        let mut entries = Vec::new();
        for (field, selectors) in &self.votes {
            let known = self.known.get(field).copied().unwrap_or_default();
            let mut ranked: Vec<(u32, SelectorKey, u64)> = selectors
                .iter()
                .filter_map(|(key, vote)| Some((vote.rank(known)?, *key, vote.pages)))
                .collect();
            ranked.sort_unstable_by_key(|(rank, key, _)| (Reverse(*rank), *key));
            let chosen = covering(&ranked).into_iter();
            entries.extend(chosen.map(|(rank, key)| TemplateEntry {
                field: *field,
                score: score_of(rank),
                key,
            }));
        }
        ExtractionTemplate { pages: self.pages, entries }
    }
}

/// The best selectors, chosen so that each one covers pages that the others do not: a shop may show
/// the same field in two ways. The remaining slots go to the next best selectors.
fn covering(ranked: &[(u32, SelectorKey, u64)]) -> Vec<(u32, SelectorKey)> {
    let mut chosen: Vec<(u32, SelectorKey)> = Vec::new();
    let mut covered = 0_u64;
    while chosen.len() < MAX_FALLBACKS {
        let gain = |pages: u64| (pages & !covered).count_ones();
        let best =
            ranked.iter().max_by_key(|(rank, key, pages)| (gain(*pages), *rank, Reverse(*key)));
        let Some((rank, key, pages)) = best.filter(|(.., pages)| gain(*pages) > 0) else { break };
        chosen.push((*rank, *key));
        covered |= pages;
    }
    let rest = ranked.iter().map(|(rank, key, _)| (*rank, *key));
    let rest: Vec<_> = rest.filter(|name| !chosen.contains(name)).take(MAX_FALLBACKS).collect();
    chosen.extend(rest);
    chosen.truncate(MAX_FALLBACKS);
    chosen.sort_by_key(|(rank, key)| (Reverse(*rank), *key));
    chosen
}

/// Scales a rank from 0 to 10,000 to a score from 0 to 255.
fn score_of(rank: u32) -> u8 {
    u8::try_from(rank * 255 / 10_000).unwrap_or(u8::MAX)
}

impl SelectorVotes {
    /// The rank of a selector from 0 to 10,000: 60 % precision, 40 % fill rate. `None` if it is below
    /// the minimum.
    fn rank(self, known: u32) -> Option<u32> {
        let wrong = self.misses * 4 + self.extras;
        let precision = self.hits * 4 * 1_000 / (self.hits * 4 + wrong + 1);
        let fill = (self.hits * 1_000 / known.max(1)).min(1_000);
        let is_good =
            self.hits >= MIN_HITS && self.hits * 4 * 100 >= (self.hits * 4 + wrong) * MIN_PRECISION;
        is_good.then_some(precision * 6 + fill * 4)
    }
}
