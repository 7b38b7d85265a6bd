//! A URL that is done with: what it brought, what becomes of it, and who waited for it.

use contract::{LinkType, Millis, SkippedUrl};
use extract::{Page, SitemapFile};
use journal::{Cause, Finished, Outcome, Role, Step};
use site::{CanonicalUrl, Fingerprint, folder_of_index};

use crate::engine::{Crawl, weight};
use crate::fate::{Ended, Fate};
use crate::finder::{Finder, Finds};
use crate::item::{self, Sight};
use crate::reading::{Content, Reading};
use crate::{discovery, listing};

impl Crawl {
    /// Finishes a URL, with whatever its answer brings.
    pub(crate) fn finish(
        &mut self,
        ordinal: u32,
        outcome: Outcome,
        reading: Option<&Reading>,
        now: Millis,
    ) {
        // An error page leads nowhere that the site's own pages do not.
        let content = match reading {
            Some(reading) if is_success(&outcome) => Some(&reading.content),
            _ => None,
        };
        let role = self.state.frontier.role(ordinal);
        let finds = match content {
            Some(Content::List(_, file)) if role.is_sitemap() => {
                self.read_list(ordinal, Some(file))
            }
            _ if role.is_sitemap() => self.read_list(ordinal, None),
            _ if role != Role::Page || self.plan.scope.one_page => Finds::default(),
            Some(Content::Page(page)) => discovery::discover(self.finder(ordinal), page),
            Some(Content::List(LinkType::Feed, file)) => {
                listing::follow(self.finder(ordinal), file)
            }
            Some(Content::List(_, file)) if self.plan.reads_sitemaps() => {
                self.read_list(ordinal, Some(file))
            }
            _ => Finds::default(),
        };
        self.finish_with(ordinal, outcome, reading, finds, now);
    }

    pub(crate) fn read_list(&self, ordinal: u32, file: Option<&SitemapFile>) -> Finds {
        listing::read(self.finder(ordinal), file)
    }

    pub(crate) fn finder(&self, ordinal: u32) -> Finder<'_> {
        Finder::new(&self.plan, &self.rule, &self.state, &self.languages, ordinal)
    }

    pub(crate) fn finish_with(
        &mut self,
        ordinal: u32,
        outcome: Outcome,
        reading: Option<&Reading>,
        finds: Finds,
        now: Millis,
    ) {
        let spelling = self.respelled.remove(&ordinal);
        let sight = Sight {
            ordinal,
            outcome: &outcome,
            answer: reading.map(|reading| (&reading.head, &reading.content)),
            asked_at: spelling.as_ref().map(|spelling| spelling.url.as_str()),
            respellings: spelling.as_ref().map_or(&[], |spelling| &spelling.hops),
        };
        let page = sight.page().filter(|_| is_success(&outcome));
        self.learn_language(ordinal, page);
        let content = page.and_then(content_of);
        let fate = self.fate(&sight, page, content);
        let mut skipped = finds.skipped;
        let (mut delivered, mut charged) = (false, 0);
        match fate {
            // What was not even asked for, or stayed behind a wall, is no better than what
            // was reported.
            Fate::Delivered { .. } if is_unseen(&outcome) && self.is_told(ordinal) => {}
            Fate::Delivered { units } => {
                let item = item::item(&self.plan, &self.state, &sight, content, now);
                self.open_bytes += weight(&item);
                self.open.items.push(item);
                (delivered, charged) = (true, units);
            }
            Fate::LeftOut(_) if self.is_told(ordinal) => {}
            Fate::LeftOut(reason) => {
                let frontier = &self.state.frontier;
                let known_by = if self.plan.scope.one_page { 0 } else { ordinal };
                let found_on = frontier.parent(known_by).map(|from| frontier.text(from).to_owned());
                let url = frontier.text(known_by).to_owned();
                skipped.push(SkippedUrl { url, reason, found_on });
            }
            Fate::Silent => {}
        }
        let count = u32::try_from(skipped.len()).unwrap_or(u32::MAX);
        self.open_bytes += skipped.iter().map(|skipped| skipped.url.len() + 64).sum::<usize>();
        self.open.skipped.append(&mut skipped);
        self.retries.forget(ordinal);
        self.headless.remove(&ordinal);
        self.take(Step::Finished(Finished {
            ordinal,
            outcome,
            found: finds.found,
            linked: finds.linked,
            ways: finds.ways,
            listed: finds.listed,
            refused: finds.refused,
            content,
            delivered,
            units: charged,
            skipped: count,
        }));
        self.call_whoever_waited(ordinal);
    }

    fn fate(&self, sight: &Sight<'_>, page: Option<&Page>, content: Option<u64>) -> Fate {
        let (plan, state) = (&self.plan, &self.state);
        let url = state.frontier.url(sight.ordinal);
        let suits = match (page, &url) {
            (Some(page), Some(url)) => {
                self.languages.page_suits(state, url, page.language.as_deref())
            }
            _ => true,
        };
        let same_page = match (content, &url) {
            (Some(content), Some(url)) => self.is_delivered_as_folder_or_file(url, content),
            _ => false,
        };
        let ended = Ended {
            role: state.frontier.role(sight.ordinal),
            outcome: sight.outcome,
            kind: sight.kind(state),
            suits,
            indexable: sight.index(state).0,
            same_page,
        };
        Fate::of(plan, &ended)
    }

    /// Whether the page was delivered already: as the folder whose index file it is, or as
    /// the index file of the folder that it is.
    fn is_delivered_as_folder_or_file(&self, url: &CanonicalUrl, content: u64) -> bool {
        let Some(ordinal) = self.state.contents.get(&content) else { return false };
        let Some(first) = self.state.frontier.url(*ordinal) else { return false };
        let is_index_of = |file: &CanonicalUrl, folder: &CanonicalUrl| {
            folder_of_index(file).is_some_and(|of| of.page_key() == folder.page_key())
        };
        // A folder may be left out because it calls its index file canonical.
        (is_index_of(url, &first) || is_index_of(&first, url))
            && self.state.delivered.contains(ordinal)
    }

    /// Whether an address was not let in at first, and was reported then. It came to be known
    /// in another way.
    fn is_told(&self, ordinal: u32) -> bool {
        let key = site::page_key(self.state.frontier.text(ordinal));
        self.state.refused.contains(&Fingerprint::of_page_key(key).0)
    }

    fn learn_language(&mut self, ordinal: u32, page: Option<&Page>) {
        let Some(page) = page.filter(|_| self.languages.asks()) else { return };
        let language = page.language.as_deref();
        let is_start = self.state.is_start(ordinal);
        let lesson = self
            .state
            .frontier
            .url(ordinal)
            .and_then(|url| self.languages.lesson(&self.state, &url, is_start, language));
        if let Some(fact) = lesson {
            self.take(Step::Learned(fact));
        }
    }

    fn call_whoever_waited(&mut self, ordinal: u32) {
        if self.state.sitemaps_open == 0 && !self.before_sitemaps.is_empty() {
            let waited = std::mem::take(&mut self.before_sitemaps);
            self.release(&waited);
        }
        if self.state.is_start(ordinal) {
            // Who is where the start leads to waits for nobody.
            let waited = std::mem::take(&mut self.before_start);
            self.release(&waited);
        }
        if let Some(waited) = self.index_files.remove(&ordinal) {
            self.release(&waited);
        }
    }
}

/// Whether a page is one of the site.
/// Nobody knows what is there.
fn is_unseen(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Unasked | Outcome::Failed(Cause::Protected))
}

fn is_success(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Answered(200..300))
}

/// The hash of what a page says; nothing when it says nothing, for all empty pages are alike.
fn content_of(page: &Page) -> Option<u64> {
    (page.word_count > 0).then(|| u64::from_str_radix(&page.content_hash, 16).ok()).flatten()
}
