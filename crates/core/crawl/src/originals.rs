//! Pages that name another page as their original: the canonical one, or the version in the
//! run's language. The original is delivered in their place, whichever of them is met first.
//!
//! A page whose original is still to be read waits for it; when the original comes to
//! nothing, the page is delivered after all. What waits is not lasting: after a crash it is
//! asked for again.

use std::collections::{HashMap, HashSet, VecDeque};

use contract::{LinkType, Millis, SkipReason};
use journal::{Found, Outcome, Role, Step, Via};
use page::Page;
use urls::{Admission, CanonicalUrl, LanguageTag, folder_of_index};

use crate::engine::Crawl;
use crate::finishing::is_success;
use crate::reading::{Content, Reading};

/// What is kept of pages that wait, in bytes. Beyond it they are asked for once more.
const KEPT_BYTES: usize = 16 << 20;

/// Originals of originals are followed so far. A longer chain is a mistake.
const CHAIN: usize = 8;

/// A page that waits, with what was read of it, if that is kept.
type Held = (u32, Option<Box<Reading>>);

/// The pages that wait.
#[derive(Debug, Default)]
pub(crate) struct Originals {
    /// By original.
    waiting: HashMap<u32, Vec<Held>>,
    /// The original that a page waits for.
    waits_for: HashMap<u32, u32>,
    /// What is kept of them, in bytes.
    kept_bytes: usize,
    /// Pages whose originals are done with, in their order.
    ready: VecDeque<Held>,
    /// Pages that do not wait any more, whatever becomes of their originals.
    let_go: HashSet<u32>,
}

/// Another page that stands for a page.
pub(crate) struct Original {
    pub url: CanonicalUrl,
    via: Via,
    /// Why a page is left out when its original is delivered.
    pub reason: SkipReason,
}

impl Originals {
    fn hold(&mut self, original: u32, ordinal: u32, reading: &Reading) {
        let weight = weight(reading);
        let kept = (self.kept_bytes + weight <= KEPT_BYTES).then(|| Box::new(reading.clone()));
        self.kept_bytes += if kept.is_some() { weight } else { 0 };
        self.waiting.entry(original).or_default().push((ordinal, kept));
        self.waits_for.insert(ordinal, original);
    }

    /// Bytes of the pages that are kept.
    pub fn kept_bytes(&self) -> usize {
        self.kept_bytes
    }

    /// Whether a page waits for its original.
    pub fn is_held(&self, ordinal: u32) -> bool {
        self.waits_for.contains_key(&ordinal)
    }

    /// Whether whoever waits for `original` would in the end wait for `ordinal`, or for too
    /// long a chain.
    fn leads_to(&self, original: u32, ordinal: u32) -> bool {
        let mut chain = std::iter::successors(Some(original), |at| self.waits_for.get(at).copied());
        chain.by_ref().take(CHAIN).any(|at| at == ordinal) || chain.next().is_some()
    }

    /// An original is done with.
    pub fn finish(&mut self, original: u32) {
        for (ordinal, reading) in self.waiting.remove(&original).unwrap_or_default() {
            self.waits_for.remove(&ordinal);
            self.ready.push_back((ordinal, reading));
        }
    }

    /// Nothing else is left to be read: nobody waits any longer. Whether anybody did.
    pub fn let_all_go(&mut self) -> bool {
        let originals: Vec<_> = self.waiting.keys().copied().collect();
        self.let_go.extend(self.waits_for.keys());
        originals.iter().for_each(|original| self.finish(*original));
        !originals.is_empty()
    }
}

impl Crawl {
    /// The page that stands for another, as far as that says. Not every word is believed: a
    /// template that calls the home page the canonical address of all pages would leave
    /// nothing of its site.
    pub(crate) fn original(&self, ordinal: u32, page: &Page) -> Option<Original> {
        if !self.plan.delivers_once() || self.plan.scope.one_page {
            return None;
        }
        let own = self.state.frontier.url(ordinal)?;
        let canonical = page.canonical.as_ref().filter(|canonical| {
            let is_root = canonical.path() == "/" && canonical.query().is_none();
            let is_own_root = own.path() == "/"
                || folder_of_index(&own).is_some_and(|folder| folder.path() == "/");
            // Nor is a translation the canonical address where translations are kept apart.
            (!is_root || is_own_root) && !self.is_kept_translation(page, canonical)
        });
        let named = [
            (canonical, Via::Canonical, SkipReason::Duplicate),
            (self.languages.kept_version(page, &own), Via::Hreflang, SkipReason::Language),
        ];
        named.into_iter().find_map(|(url, via, reason)| {
            let url = url.filter(|url| self.rule.admits(url) == Admission::Inside)?;
            let url = self.rule.normalised(url).into_owned();
            (url.page_key() != own.page_key()).then_some(Original { url, via, reason })
        })
    }

    /// Whether a page calls an address its translation, and the run delivers that for itself.
    fn is_kept_translation(&self, page: &Page, url: &CanonicalUrl) -> bool {
        let named = page.alternates.iter().filter(|(_, other)| other.page_key() == url.page_key());
        let mut tags = named.filter_map(|(tag, _)| LanguageTag::parse(tag).ok());
        tags.any(|tag| self.languages.delivers_apart(&tag))
    }

    /// Holds a page back until its original is done with. Whether it waits.
    pub(crate) fn waits_for_original(
        &mut self,
        ordinal: u32,
        outcome: &Outcome,
        reading: &Reading,
    ) -> bool {
        let Content::Page(page) = &reading.content else { return false };
        if !is_success(outcome)
            || self.state.frontier.role(ordinal) != Role::Page
            || self.originals.let_go.contains(&ordinal)
            || (self.plan.seeks_products() && reading.product().is_none())
        {
            return false;
        }
        let Some(original) = self.original(ordinal, page) else { return false };
        if !self.suits(ordinal, reading) {
            // It is left out in any case.
            return false;
        }
        let at = match self.state.frontier.find(&original.url) {
            Some(at) => at,
            None if self.may_be_asked(&original.url) => {
                let at = self.next_ordinal();
                let found = Found::page(original.url.to_string(), original.via, None);
                self.take(Step::Seeded(vec![found]));
                at
            }
            None => return false,
        };
        let at = self.state.led_to(at);
        if self.state.frontier.is_finished(at)
            || self.is_only_recorded(at)
            || self.originals.leads_to(at, ordinal)
        {
            return false;
        }
        self.originals.hold(at, ordinal, reading);
        // Whoever waits for this page does not wait for its original as well: that may be
        // the one who waits.
        if self.state.is_start(ordinal) {
            self.learn_language(ordinal, reading);
            let waited = std::mem::take(&mut self.before_start);
            self.release(&waited);
        }
        if let Some(waited) = self.index_files.remove(&ordinal) {
            self.release(&waited);
        }
        true
    }

    /// Whether a page that nobody knows yet is one that the run asks for.
    fn may_be_asked(&self, url: &CanonicalUrl) -> bool {
        self.plan.options.discovery
            && self.state.follows_links(&self.plan)
            && matches!(self.plan.expected_kind(url.path()), LinkType::Page | LinkType::Other)
            && self.languages.may_suit(&self.state, url)
            && self.state.traps.judge(url).is_ok()
            && self.state.frontier.len() < self.plan.ceilings.urls
            && self.state.url_bytes() < self.plan.ceilings.url_bytes
    }

    /// Finishes the pages whose originals are done with. Whether there were any.
    pub(crate) fn settle_held(&mut self, now: Millis) -> bool {
        let mut any = false;
        while let Some((ordinal, reading)) = self.originals.ready.pop_front() {
            any = true;
            let Some(reading) = reading else {
                self.schedule.add_first(&self.state.frontier, ordinal);
                continue;
            };
            let kept = &mut self.originals.kept_bytes;
            *kept = kept.saturating_sub(weight(&reading));
            // One that is delivered after all takes a place; one that is left out takes none.
            if self.is_stood_for(ordinal, &reading) || self.has_room_beside(0) {
                let outcome = Outcome::Answered(reading.head.status);
                self.finish(ordinal, outcome, Some(*reading), now);
            } else {
                self.schedule.add_first(&self.state.frontier, ordinal);
            }
        }
        any
    }

    fn is_stood_for(&self, ordinal: u32, reading: &Reading) -> bool {
        match &reading.content {
            Content::Page(page) => self.delivered_original(ordinal, page).is_some(),
            _ => false,
        }
    }

    /// The page that was delivered in place of another that names its original, and why that
    /// one is left out.
    pub(crate) fn delivered_original(
        &self,
        ordinal: u32,
        page: &Page,
    ) -> Option<(u32, SkipReason)> {
        let original = self.original(ordinal, page)?;
        let at = self.state.frontier.find(&original.url)?;
        Some((self.state.delivered_for(at)?, original.reason))
    }
}

/// About how many bytes a reading takes.
fn weight(reading: &Reading) -> usize {
    let text = reading.text.as_ref().map_or(0, |text| {
        text.markdown.len() + 100 * (text.links.len() + text.images.len() + text.headings.len())
    });
    let links = match &reading.content {
        Content::Page(page) => page.links.len(),
        _ => 0,
    };
    let product = reading.product().map_or(0, |product| {
        let description = product.description.as_ref().map_or(0, String::len);
        let lists = product.images.len() + product.attributes.len() + 2 * product.variants.len();
        description + 200 * lists
    });
    2_000 + text + 200 * links + product
}
