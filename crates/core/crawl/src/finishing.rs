//! A URL that is done with: what it brought, what becomes of it, and who waited for it.

use contract::{LinkType, Millis, SkipReason, SkippedUrl};
use journal::{Cause, Fact, Finished, Outcome, Role, Step};
use markdown::MarkdownPage;
use page::{Page, SitemapFile};
use urls::{Fingerprint, LanguageTag};

use crate::engine::Crawl;
use crate::fate::{Ended, Fate, Substance};
use crate::finder::{Finder, Finds};
use crate::item::{self, Sale, Sight, weight};
use crate::languages::{Evidence, LanguageRule};
use crate::reading::{Content, Reading};
use crate::state::door;
use crate::{discovery, listing, skip_row};

impl Crawl {
    /// Finishes a URL, with whatever its answer brings.
    pub(crate) fn finish(
        &mut self,
        ordinal: u32,
        outcome: Outcome,
        reading: Option<Reading>,
        now: Millis,
    ) {
        if let Some(reading) = &reading
            && self.waits_for_original(ordinal, &outcome, reading)
        {
            return;
        }
        // An error page leads nowhere that the site's own pages do not.
        let content = match &reading {
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
        mut reading: Option<Reading>,
        finds: Finds,
        now: Millis,
    ) {
        let spelling = self.respelled.remove(&ordinal);
        let (mut suits, mut language, mut text) = (true, None, None);
        if let Some(reading) = &mut reading
            && matches!(reading.content, Content::Page(_))
            && is_success(&outcome)
        {
            self.learn_language(ordinal, reading);
            language = self.language(ordinal, reading);
            suits = self.suits(ordinal, reading);
            // Not a copy: it becomes the item.
            text = reading.text.take();
        }
        let blocks = text.as_mut().map(|text| std::mem::take(&mut text.blocks));
        let reading = reading.as_ref();
        let page = match reading.map(|reading| &reading.content) {
            Some(Content::Page(page)) if is_success(&outcome) => Some(&**page),
            _ => None,
        };
        let product = reading.and_then(Reading::product).filter(|_| page.is_some());
        let mark = product.map(|product| self.product_mark(ordinal, product, language.as_ref()));
        let sight = Sight {
            ordinal,
            outcome: &outcome,
            answer: reading.map(|reading| (&reading.head, &reading.content)),
            asked_at: spelling.as_ref().map(|spelling| spelling.url.as_str()),
            respellings: spelling.as_ref().map_or(&[], |spelling| &spelling.hops),
            text,
            product: product.zip(page).map(|(product, page)| Sale {
                product,
                translations: self.named_translations(ordinal, page),
                template_id: reading.and_then(|reading| reading.template_id.as_deref()),
            }),
            language: language.as_ref(),
            rendered: reading.is_some_and(|reading| reading.rendered),
        };
        let content = match product {
            Some(product) => self.product_content(product, language.as_ref()),
            None => page.and_then(|page| content_of(page, sight.text.as_deref())),
        };
        let stands_for = page.and_then(|page| match &mark {
            Some(mark) => self.twin(ordinal, page, content, mark),
            None if self.plan.seeks_products() => None,
            None => self.stands_for(ordinal, page, content),
        });
        let fate = self.fate(&sight, suits, stands_for.map(|(_, reason)| reason));
        let mut skipped = finds.skipped;
        let (mut delivered, mut charged) = (false, 0);
        match fate {
            // What was not even asked for, or stayed behind a wall, is no better than what
            // was reported.
            Fate::Delivered { .. } if is_unseen(&outcome) && self.is_told(ordinal) => {}
            Fate::Delivered { units } => {
                let item = item::item(&self.plan, &self.state, sight, content, now);
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
                let status = self.challenged.get(&ordinal).copied();
                let row = SkippedUrl::unfetched(url, reason, found_on);
                skipped.push(skip_row::answered(row, frontier.text(ordinal), &sight, status));
            }
            Fate::Silent => {}
        }
        self.note_left_out(ordinal, &outcome, fate);
        let count = u32::try_from(skipped.len()).unwrap_or(u32::MAX);
        self.open_bytes += skipped.iter().map(skip_row::bytes).sum::<usize>();
        self.open.skipped.append(&mut skipped);
        self.retries.forget(ordinal);
        self.headless.remove(&ordinal);
        self.challenged.remove(&ordinal);
        let duplicate_of = match fate {
            Fate::LeftOut(reason) => stands_for.filter(|(_, why)| *why == reason),
            Fate::Delivered { .. } | Fate::Silent => None,
        };
        // Where a text or a product is delivered once, only what was delivered can be its first
        // place. What lists say tells of traps. So does what is sold again, but not by a page
        // that names the better one: such pages may be all that leads there.
        let is_declared = mark.is_some()
            && page.is_some_and(|page| self.delivered_original(ordinal, page).is_some());
        let is_once = self.plan.delivers_text() || mark.is_some();
        let content = content.filter(|content| {
            delivered || !is_once || (!is_declared && self.state.contents.contains_key(content))
        });
        self.take(Step::Finished(Finished {
            ordinal,
            outcome,
            found: finds.found,
            linked: finds.linked,
            ways: finds.ways,
            listed: finds.listed,
            refused: finds.refused,
            content,
            duplicate_of: duplicate_of.map(|(kept, _)| kept),
            translations: finds.translations,
            product: mark.map(Box::new),
            delivered,
            units: charged,
            skipped: count,
        }));
        if let (true, Some(blocks)) = (delivered, blocks)
            && !blocks.is_empty()
            && let Some(version) = self.repeats.see(blocks)
        {
            self.take(Step::Learned(version));
        }
        let goods = reading.and_then(|reading| reading.goods.as_ref());
        self.learn_template(goods.and_then(|goods| goods.template_example.as_deref()));
        self.call_whoever_waited(ordinal);
    }

    /// Notes why pages that answered are left out, as long as nothing was delivered: a run that
    /// ends so has to say what happened to them.
    fn note_left_out(&mut self, ordinal: u32, outcome: &Outcome, fate: Fate) {
        let Fate::LeftOut(reason) = fate else { return };
        if is_success(outcome)
            && self.state.results() == 0
            && self.state.frontier.role(ordinal) == Role::Page
            && !self.state.later.0.ends.left_out.contains(&reason)
        {
            self.take(Step::Learned(Fact::LeftOut { reason }));
        }
    }

    fn fate(&self, sight: &Sight<'_>, suits: bool, stood_for: Option<SkipReason>) -> Fate {
        let (plan, state) = (&self.plan, &self.state);
        let ended = Ended {
            role: state.frontier.role(sight.ordinal),
            outcome: sight.outcome,
            kind: sight.kind(state),
            suits,
            indexable: sight.index(state).0,
            stood_for,
            substance: self.substance(sight),
        };
        Fate::of(plan, &ended)
    }

    fn substance(&self, sight: &Sight<'_>) -> Substance {
        match (sight.page(), sight.text.as_deref()) {
            _ if self.plan.seeks_products() => match sight.product {
                Some(_) => Substance::Some,
                None => Substance::None,
            },
            _ if !self.plan.delivers_text() => Substance::Unasked,
            (Some(page), Some(text)) if page::is_soft_404(page, text.word_count) => {
                Substance::Missing
            }
            (_, Some(text)) if text.word_count > 0 && !text.markdown.trim().is_empty() => {
                Substance::Some
            }
            _ => Substance::None,
        }
    }

    /// The page that was delivered already and stands for this one, and why.
    fn stands_for(
        &self,
        ordinal: u32,
        page: &Page,
        content: Option<u64>,
    ) -> Option<(u32, SkipReason)> {
        let door = || self.delivered_as_folder_or_file(ordinal, content?);
        if !self.plan.delivers_text() {
            return door().map(|first| (first, SkipReason::SamePage));
        }
        self.delivered_original(ordinal, page).or_else(|| {
            let first = door().or_else(|| self.state.contents.get(&content?).copied())?;
            Some((first, SkipReason::Duplicate))
        })
    }

    /// Under what URL the page was delivered already: as the folder whose index file it is,
    /// or as the index file of the folder that it is.
    fn delivered_as_folder_or_file(&self, ordinal: u32, content: u64) -> Option<u32> {
        // Mostly a text is new, and the address need not be looked at.
        self.state.contents.get(&content)?;
        let door = door(&self.state.frontier.url(ordinal)?)?;
        let (first, same) = self.state.doors.get(&door)?;
        (*same == content).then_some(*first)
    }

    /// Whether an address was not let in at first, and was reported then. It came to be known
    /// in another way.
    fn is_told(&self, ordinal: u32) -> bool {
        let key = urls::page_key(self.state.frontier.text(ordinal));
        self.state.refused.contains(&Fingerprint::of_page_key(key).0)
    }

    /// Learns what a page tells about the languages of its site.
    pub(crate) fn learn_language(&mut self, ordinal: u32, reading: &Reading) {
        let is_start = self.state.is_start(ordinal);
        let main = self.judge_by(ordinal, reading, |rule, evidence| {
            is_start.then(|| rule.main_language(evidence)).flatten()
        });
        if let Some(fact) = main {
            self.take(Step::Learned(fact));
        }
        let lesson = self.judge_by(ordinal, reading, |rule, evidence| {
            rule.lesson(&self.state, is_start, evidence)
        });
        if let Some(fact) = lesson {
            self.take(Step::Learned(fact));
        }
    }

    /// The language of a page, where languages matter.
    fn language(&self, ordinal: u32, reading: &Reading) -> Option<LanguageTag> {
        self.judge_by(ordinal, reading, |rule, evidence| rule.language(evidence))
    }

    pub(crate) fn suits(&self, ordinal: u32, reading: &Reading) -> bool {
        let suits = self.judge_by(ordinal, reading, |rule, evidence| {
            Some(rule.page_suits(&self.state, evidence))
        });
        suits.unwrap_or(true)
    }

    fn judge_by<T>(
        &self,
        ordinal: u32,
        reading: &Reading,
        judge: impl FnOnce(&LanguageRule, &Evidence<'_>) -> Option<T>,
    ) -> Option<T> {
        let Content::Page(page) = &reading.content else { return None };
        if !self.languages.asks() {
            return None;
        }
        let url = self.state.frontier.url(ordinal)?;
        let declared = self.state.translations.get(&ordinal);
        let evidence = Evidence { url: &url, page, declared, spoken: reading.spoken.as_ref() };
        judge(&self.languages, &evidence)
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
        self.originals.finish(ordinal);
    }
}

/// Nobody knows what is there.
fn is_unseen(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Unasked | Outcome::Failed(Cause::Protected))
}

pub(crate) fn is_success(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Answered(200..300))
}

/// The hash of what a page says; nothing when it says nothing, for all empty pages are alike.
/// Where the text is delivered, what stands around it does not count.
fn content_of(page: &Page, text: Option<&MarkdownPage>) -> Option<u64> {
    let (words, hash) = match text {
        Some(text) => (text.word_count, &text.content_hash),
        None => (page.word_count, &page.content_hash),
    };
    (words > 0).then(|| u64::from_str_radix(hash, 16).ok()).flatten()
}
