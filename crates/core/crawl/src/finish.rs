//! Finishes a URL: collects its links, determines its disposition, and releases URLs that waited
//! for it.

use contract::{LinkType, Millis, SkipReason, SkippedUrl};
use journal::{Cause, Fact, Finished, Outcome, Step, UrlId, UrlRole};
use markdown::MarkdownPage;
use page::{Page, SitemapFile};
use urls::{Fingerprint, LanguageTag};

use crate::disposition::{ContentPresence, Disposition, FinishedUrl};
use crate::item::{self, FinishedPage, ProductContext, weight};
use crate::languages::{LanguageEvidence, LanguageRule};
use crate::parsed_response::{ParsedResponse, ResponseContent};
use crate::site_crawl::SiteCrawl;
use crate::state::folder_key;
use crate::url_collector::{CollectedUrls, UrlCollector};
use crate::{discovery, sitemap_urls, skipped_row};

impl SiteCrawl {
    /// Finishes a URL and collects the links of its response.
    pub(crate) fn finish(
        &mut self,
        id: UrlId,
        outcome: Outcome,
        response: Option<ParsedResponse>,
        now: Millis,
    ) {
        if let Some(response) = &response
            && self.hold_for_canonical(id, &outcome, response)
        {
            return;
        }
        // Links of error pages are not followed.
        let content = match &response {
            Some(response) if outcome.is_success() => Some(&response.content),
            _ => None,
        };
        let role = self.state.frontier.role(id);
        let collected = match content {
            Some(ResponseContent::List(_, file)) if role.is_sitemap() => {
                self.read_list(id, Some(file))
            }
            _ if role.is_sitemap() => self.read_list(id, None),
            _ if role != UrlRole::Page || self.plan.scope.one_page => CollectedUrls::default(),
            Some(ResponseContent::Page(page)) => discovery::discover(self.collector(id), page),
            Some(ResponseContent::List(LinkType::Feed, file)) => {
                sitemap_urls::collect_feed(self.collector(id), file)
            }
            Some(ResponseContent::List(_, file)) if self.plan.reads_sitemaps() => {
                self.read_list(id, Some(file))
            }
            _ => CollectedUrls::default(),
        };
        self.finish_with(id, outcome, response, collected, now);
    }

    pub(crate) fn read_list(&self, id: UrlId, file: Option<&SitemapFile>) -> CollectedUrls {
        sitemap_urls::collect_sitemap(self.collector(id), file)
    }

    pub(crate) fn collector(&self, id: UrlId) -> UrlCollector<'_> {
        UrlCollector::new(&self.plan, &self.rule, &self.state, &self.languages, id)
    }

    pub(crate) fn finish_with(
        &mut self,
        id: UrlId,
        outcome: Outcome,
        mut response: Option<ParsedResponse>,
        collected: CollectedUrls,
        now: Millis,
    ) {
        let alias = self.redirect_aliases.remove(&id);
        let (mut language_accepted, mut language, mut text) = (true, None, None);
        if let Some(response) = &mut response
            && matches!(response.content, ResponseContent::Page(_))
            && outcome.is_success()
        {
            self.learn_language(id, response);
            language = self.language(id, response);
            language_accepted = self.accepts_language(id, response);
            // Moved, not copied: the text becomes the item.
            text = response.text.take();
        }
        let blocks = text.as_mut().map(|text| std::mem::take(&mut text.blocks));
        let response = response.as_ref();
        let page = match response.map(|response| &response.content) {
            Some(ResponseContent::Page(page)) if outcome.is_success() => Some(&**page),
            _ => None,
        };
        let product = response.and_then(ParsedResponse::product).filter(|_| page.is_some());
        let fingerprint =
            product.map(|product| self.product_fingerprint(id, product, language.as_ref()));
        let finished_page = FinishedPage {
            id,
            outcome: &outcome,
            response: response.map(|response| (&response.head, &response.content)),
            requested_url: alias.as_ref().map(|alias| alias.url.as_str()),
            alias_hops: alias.as_ref().map_or(&[], |alias| &alias.hops),
            text,
            product: product.zip(page).map(|(product, page)| ProductContext {
                product,
                translations: self.named_translations(id, page),
                template_id: response.and_then(|response| response.template_id.as_deref()),
            }),
            language: language.as_ref(),
            rendered: response.is_some_and(|response| response.rendered),
        };
        let content = match product {
            Some(product) => self.product_content(product, language.as_ref()),
            None => page.and_then(|page| content_of(page, finished_page.text.as_deref())),
        };
        let duplicate = page.and_then(|page| match &fingerprint {
            Some(fingerprint) => self.duplicate_product(id, page, content, fingerprint),
            None if self.plan.extracts_products() => None,
            None => self.duplicate(id, page, content),
        });
        let disposition = self.disposition(
            &finished_page,
            language_accepted,
            duplicate.map(|(_, reason)| reason),
        );
        let mut skipped = collected.skipped;
        let (mut delivered, mut charged) = (false, 0);
        match disposition {
            // A URL that was not fetched, or was blocked, adds nothing to the reported row.
            Disposition::Delivered { .. } if is_unseen(&outcome) && self.is_reported(id) => {}
            Disposition::Delivered { units } => {
                let item = item::item(&self.plan, &self.state, finished_page, content, now);
                self.pending_bytes += weight(&item);
                self.pending.items.push(item);
                (delivered, charged) = (true, units);
            }
            Disposition::Skipped(_) if self.is_reported(id) => {}
            Disposition::Skipped(reason) => {
                let frontier = &self.state.frontier;
                let known_by = if self.plan.scope.one_page { UrlId::START } else { id };
                let found_on = frontier.parent(known_by).map(|from| frontier.text(from).to_owned());
                let url = frontier.text(known_by).to_owned();
                let status = self.challenged.get(&id).copied();
                let row = SkippedUrl::unfetched(url, reason, found_on);
                skipped.push(skipped_row::answered(row, frontier.text(id), &finished_page, status));
            }
            Disposition::Unreported => {}
        }
        self.note_skip_reason(id, &outcome, disposition);
        let count = u32::try_from(skipped.len()).unwrap_or(u32::MAX);
        self.pending_bytes += skipped.iter().map(skipped_row::bytes).sum::<usize>();
        self.pending.skipped.append(&mut skipped);
        self.retries.forget(id);
        self.head_unsupported.remove(&id);
        self.challenged.remove(&id);
        let duplicate_of = match disposition {
            Disposition::Skipped(reason) => duplicate.filter(|(_, why)| *why == reason),
            Disposition::Delivered { .. } | Disposition::Unreported => None,
        };
        // In modes that deduplicate, only a delivered page can be the first URL of a content.
        // Duplicates teach the trap rules, except pages that declare a canonical page: they may be
        // the only links to it.
        let is_declared = fingerprint.is_some()
            && page.is_some_and(|page| self.delivered_canonical(id, page).is_some());
        let is_once = self.plan.delivers_text() || fingerprint.is_some();
        let content = content.filter(|content| {
            delivered || !is_once || (!is_declared && self.state.contents.contains_key(content))
        });
        self.apply(Step::Finished(Finished {
            id,
            outcome,
            found: collected.found,
            linked: collected.linked,
            rediscovered: collected.rediscovered,
            listed: collected.listed,
            refused: collected.refused,
            content,
            duplicate_of: duplicate_of.map(|(kept, _)| kept),
            translations: collected.translations,
            product: fingerprint.map(Box::new),
            delivered,
            units: charged,
            skipped: count,
        }));
        if let (true, Some(blocks)) = (delivered, blocks)
            && !blocks.is_empty()
            && let Some(version) = self.block_counter.record_page(blocks)
        {
            self.apply(Step::Learned(version));
        }
        let product_page = response.and_then(|response| response.product_page.as_ref());
        self.learn_template(
            product_page.and_then(|product_page| product_page.template_example.as_deref()),
        );
        self.release_waiting(id);
    }

    /// Records why pages are skipped while nothing was delivered, for the message of an empty run.
    fn note_skip_reason(&mut self, id: UrlId, outcome: &Outcome, disposition: Disposition) {
        let Disposition::Skipped(reason) = disposition else { return };
        if outcome.is_success()
            && self.state.results() == 0
            && self.state.frontier.role(id) == UrlRole::Page
            && !self.state.tail.0.failures.skip_reasons.contains(&reason)
        {
            self.apply(Step::Learned(Fact::SkippedFor { reason }));
        }
    }

    fn disposition(
        &self,
        finished_page: &FinishedPage<'_>,
        language_accepted: bool,
        duplicate_reason: Option<SkipReason>,
    ) -> Disposition {
        let (plan, state) = (&self.plan, &self.state);
        let finished = FinishedUrl {
            role: state.frontier.role(finished_page.id),
            outcome: finished_page.outcome,
            kind: finished_page.kind(state),
            language_accepted,
            indexable: finished_page.index(state).0,
            duplicate_reason,
            content_presence: self.content_presence(finished_page),
        };
        Disposition::of(plan, &finished)
    }

    fn content_presence(&self, finished_page: &FinishedPage<'_>) -> ContentPresence {
        match (finished_page.page(), finished_page.text.as_deref()) {
            _ if self.plan.extracts_products() => match finished_page.product {
                Some(_) => ContentPresence::Present,
                None => ContentPresence::Absent,
            },
            _ if !self.plan.delivers_text() => ContentPresence::NotRequested,
            (Some(page), Some(text)) if page::is_soft_404(page, text.word_count) => {
                ContentPresence::SoftNotFound
            }
            (_, Some(text)) if text.word_count > 0 && !text.markdown.trim().is_empty() => {
                ContentPresence::Present
            }
            _ => ContentPresence::Absent,
        }
    }

    /// The delivered page that this page duplicates, with the skip reason.
    fn duplicate(
        &self,
        id: UrlId,
        page: &Page,
        content: Option<u64>,
    ) -> Option<(UrlId, SkipReason)> {
        let folder = || self.delivered_folder(id, content?);
        if !self.plan.delivers_text() {
            return folder().map(|first| (first, SkipReason::SamePage));
        }
        self.delivered_canonical(id, page).or_else(|| {
            let first = folder().or_else(|| self.state.contents.get(&content?).copied())?;
            Some((first, SkipReason::Duplicate))
        })
    }

    /// The URL under which the same page was delivered: its folder, or the index file of its
    /// folder.
    fn delivered_folder(&self, id: UrlId, content: u64) -> Option<UrlId> {
        // Most contents are new, and the URL need not be parsed.
        self.state.contents.get(&content)?;
        let key = folder_key(&self.state.frontier.url(id)?)?;
        let (first, same) = self.state.delivered_folders.get(&key)?;
        (*same == content).then_some(*first)
    }

    /// Whether a URL was rejected and reported before it became known in another way.
    fn is_reported(&self, id: UrlId) -> bool {
        let key = urls::page_key(self.state.frontier.text(id));
        self.state.refused.contains(&Fingerprint::of_page_key(key).0)
    }

    /// Learns the languages of the site from a page.
    pub(crate) fn learn_language(&mut self, id: UrlId, response: &ParsedResponse) {
        let is_start = self.state.is_start(id);
        let main = self.with_evidence(id, response, |rule, evidence| {
            is_start.then(|| rule.main_language(evidence)).flatten()
        });
        if let Some(fact) = main {
            self.apply(Step::Learned(fact));
        }
        let learned = self.with_evidence(id, response, |rule, evidence| {
            rule.learned_fact(&self.state, is_start, evidence)
        });
        if let Some(fact) = learned {
            self.apply(Step::Learned(fact));
        }
    }

    /// The language of a page, if the run depends on languages.
    fn language(&self, id: UrlId, response: &ParsedResponse) -> Option<LanguageTag> {
        self.with_evidence(id, response, |rule, evidence| rule.language(evidence))
    }

    pub(crate) fn accepts_language(&self, id: UrlId, response: &ParsedResponse) -> bool {
        let accepts = self.with_evidence(id, response, |rule, evidence| {
            Some(rule.accepts_page(&self.state, evidence))
        });
        accepts.unwrap_or(true)
    }

    fn with_evidence<T>(
        &self,
        id: UrlId,
        response: &ParsedResponse,
        judge: impl FnOnce(&LanguageRule, &LanguageEvidence<'_>) -> Option<T>,
    ) -> Option<T> {
        let ResponseContent::Page(page) = &response.content else { return None };
        if !self.languages.is_active() {
            return None;
        }
        let url = self.state.frontier.url(id)?;
        let declared = self.state.translations.get(&id);
        let evidence =
            LanguageEvidence { url: &url, page, declared, detected: response.detected.as_ref() };
        judge(&self.languages, &evidence)
    }

    fn release_waiting(&mut self, id: UrlId) {
        if self.state.sitemaps_open == 0 && !self.waiting_for_sitemaps.is_empty() {
            let waited = std::mem::take(&mut self.waiting_for_sitemaps);
            self.release(&waited);
        }
        if self.state.is_start(id) {
            // A redirect target of the start URL waits for nothing either.
            let waited = std::mem::take(&mut self.waiting_for_start);
            self.release(&waited);
        }
        if let Some(waited) = self.waiting_for_folder.remove(&id) {
            self.release(&waited);
        }
        self.canonical_hold.finish(id);
    }
}

/// Whether the content of the URL is unknown.
fn is_unseen(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::NotRequested | Outcome::Failed(Cause::Protected))
}

/// The content hash of a page; `None` for empty pages, which are all alike. If the text is
/// delivered, only the text counts.
fn content_of(page: &Page, text: Option<&MarkdownPage>) -> Option<u64> {
    let (words, hash) = match text {
        Some(text) => (text.word_count, &text.content_hash),
        None => (page.word_count, &page.content_hash),
    };
    (words > 0).then(|| u64::from_str_radix(hash, 16).ok()).flatten()
}
