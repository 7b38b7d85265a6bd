//! Learning a template from lessons: names of places are voted on, page after page.
//!
//! What is kept is bounded, and the same lessons in the same order give the same templates.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use super::lesson::TemplateLesson;
use super::selector::Key;
use super::{Entry, Template};
use crate::field::Field;

/// The first version is made after so many pages whose data names values; each further one
/// after twice as many.
const FIRST: u32 = 4;
/// Names that are kept for one field.
const MAX_NAMES: usize = 3_000;
/// Names of a field in a template: the best, and what to fall back on.
const FALLBACKS: usize = 8;
/// A name has been right on at least so many pages, and in so many of a hundred cases.
const LEAST_HITS: u32 = 2;
const LEAST_PRECISION: u32 = 80;
/// How many of the last product pages tell whether the template still fits.
const WINDOW: usize = 16;

/// How a name has fared.
#[derive(Debug, Clone, Copy, Default)]
struct Vote {
    /// Pages on which it showed the value.
    hits: u32,
    /// Pages on which it showed something else.
    misses: u32,
    /// Pages on which it showed something where the data names nothing.
    extras: u32,
    /// The pages on which it was right, each a bit; after 64 pages they are counted anew.
    pages: u64,
}

/// Learns the template of a site while its pages are read.
#[derive(Debug, Default)]
pub struct TemplateLearner {
    votes: BTreeMap<u8, BTreeMap<Key, Vote>>,
    /// By field, pages whose data names it.
    known: BTreeMap<u8, u32>,
    /// Pages whose data names something, since the last beginning.
    pages: u32,
    /// When the next version is due.
    due: u32,
    in_force: Option<Template>,
    /// Of the last product pages, in how many of a hundred fields the template had a place.
    fills: VecDeque<u32>,
    /// The same when it was new.
    usual_fill: Option<u32>,
}

impl TemplateLearner {
    /// Goes on from a template that is in force. It stays so until twice as many pages as it
    /// was made of have been seen, or until it does not fit any more: what an earlier run
    /// learned of many pages gives way to no version of a few.
    #[must_use]
    pub fn after(template: Option<&Template>) -> Self {
        let due = template.map_or(FIRST, |template| template.pages.saturating_mul(2).max(FIRST));
        Self { in_force: template.cloned(), due, ..Self::default() }
    }

    /// Sees a page. Gives a new version when one is due: the first after a few pages, then
    /// when what it knows grew, or when the fill rate of the one in force falls.
    pub fn see(&mut self, lesson: &TemplateLesson) -> Option<Template> {
        if !lesson.is_product {
            return None;
        }
        self.due = self.due.max(FIRST);
        self.watch(lesson);
        if lesson.known == 0 {
            return None;
        }
        self.pages += 1;
        self.count(lesson);
        if self.pages < self.due {
            return None;
        }
        self.due = self.due.saturating_mul(2);
        let made = self.made();
        let is_known = |known: &Template| known.entries == made.entries;
        if made.entries.is_empty() || self.in_force.as_ref().is_some_and(is_known) {
            return None;
        }
        (self.usual_fill, self.in_force) = (None, Some(made.clone()));
        self.fills.clear();
        Some(made)
    }

    /// Looks whether the page has the places of the template in force, and begins anew when
    /// too few of the last pages had.
    fn watch(&mut self, lesson: &TemplateLesson) {
        let Some(template) = &self.in_force else { return };
        let (mut fields, mut filled) = (0, 0);
        for names in template.entries.chunk_by(|a, b| a.field == b.field) {
            fields += 1;
            filled += u32::from(names.iter().any(|entry| lesson.has_place(entry.key, entry.field)));
        }
        self.fills.push_back(filled * 100 / fields.max(1));
        if self.fills.len() < WINDOW {
            return;
        }
        let rate = self.fills.iter().sum::<u32>() / u32::try_from(WINDOW).unwrap_or(1);
        let usual = *self.usual_fill.get_or_insert(rate.max(50));
        self.fills.pop_front();
        if rate * 10 < usual * 6 {
            // The site has another face now: what was learned of the old one is in the way.
            self.votes.clear();
            self.known.clear();
            self.fills.clear();
            (self.pages, self.due, self.usual_fill) = (0, FIRST, None);
        }
    }

    fn count(&mut self, lesson: &TemplateLesson) {
        let fields = u8::try_from(Field::ALL.len()).unwrap_or(u8::MAX);
        let page = 1 << (self.pages % 64);
        for field in 0..fields {
            let names = self.votes.entry(field).or_default();
            let knows = lesson.knows(field);
            *self.known.entry(field).or_default() += u32::from(knows);
            let right = |key: Key| lesson.right.binary_search(&(field, key)).is_ok();
            for (key, vote) in names.iter_mut() {
                if lesson.has_place(*key, field) && !right(*key) {
                    *(if knows { &mut vote.misses } else { &mut vote.extras }) += 1;
                }
            }
            let from = lesson.right.partition_point(|(other, _)| *other < field);
            for (_, key) in lesson.right[from..].iter().take_while(|(other, _)| *other == field) {
                if names.len() < MAX_NAMES || names.contains_key(key) {
                    let vote = names.entry(*key).or_default();
                    vote.hits += 1;
                    vote.pages |= page;
                }
            }
            if names.len() >= MAX_NAMES {
                // Names that came but once make room for those that come again.
                names.retain(|_, vote| vote.hits >= LEAST_HITS && vote.misses <= vote.hits);
            }
        }
    }

    /// The template of what is known.
    fn made(&self) -> Template {
        let mut entries = Vec::new();
        for (field, names) in &self.votes {
            let known = self.known.get(field).copied().unwrap_or_default();
            let mut ranked: Vec<(u32, Key, u64)> = names
                .iter()
                .filter_map(|(key, vote)| Some((vote.rank(known)?, *key, vote.pages)))
                .collect();
            ranked.sort_unstable_by_key(|(rank, key, _)| (Reverse(*rank), *key));
            let chosen = covering(&ranked).into_iter();
            entries.extend(chosen.map(|(rank, key)| Entry {
                field: *field,
                score: share(rank),
                key,
            }));
        }
        Template { pages: self.pages, entries }
    }
}

/// The best names, so that each next one has something on pages where those before it have
/// not: a shop that shows the same in two ways needs both. What is left of the room goes to
/// the best of the rest.
fn covering(ranked: &[(u32, Key, u64)]) -> Vec<(u32, Key)> {
    let mut chosen: Vec<(u32, Key)> = Vec::new();
    let mut covered = 0_u64;
    while chosen.len() < FALLBACKS {
        let gain = |pages: u64| (pages & !covered).count_ones();
        let best =
            ranked.iter().max_by_key(|(rank, key, pages)| (gain(*pages), *rank, Reverse(*key)));
        let Some((rank, key, pages)) = best.filter(|(.., pages)| gain(*pages) > 0) else { break };
        chosen.push((*rank, *key));
        covered |= pages;
    }
    let rest = ranked.iter().map(|(rank, key, _)| (*rank, *key));
    let rest: Vec<_> = rest.filter(|name| !chosen.contains(name)).take(FALLBACKS).collect();
    chosen.extend(rest);
    chosen.truncate(FALLBACKS);
    chosen.sort_by_key(|(rank, key)| (Reverse(*rank), *key));
    chosen
}

/// A rank of ten thousand as a score of 255.
fn share(rank: u32) -> u8 {
    u8::try_from(rank * 255 / 10_000).unwrap_or(u8::MAX)
}

impl Vote {
    /// How good a name is, of ten thousand: mostly whether it is right, then how often it has
    /// something. None for one that is not good enough.
    fn rank(self, known: u32) -> Option<u32> {
        let wrong = self.misses * 4 + self.extras;
        let precision = self.hits * 4 * 1_000 / (self.hits * 4 + wrong + 1);
        let fill = (self.hits * 1_000 / known.max(1)).min(1_000);
        let is_good = self.hits >= LEAST_HITS
            && self.hits * 4 * 100 >= (self.hits * 4 + wrong) * LEAST_PRECISION;
        is_good.then_some(precision * 6 + fill * 4)
    }
}
