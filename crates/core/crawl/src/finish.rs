//! Finishes a URL: collects its links, determines its disposition, and releases URLs that waited
//! for it.

use contract::{LinkType, Millis, SkipReason, SkippedUrl};
use document::SitemapFile;
use journal::{Cause, Fact, Finished, Outcome, Step, UrlId, UrlRole};
use urls::{Fingerprint, LanguageTag};

use crate::crawl_mode::{ContentRecording, PageVerdict};
use crate::disposition::{Disposition, FinishedUrl};
use crate::engine_error::EngineError;
use crate::finished_page::FinishedPage;
use crate::languages::{LanguageEvidence, LanguageRule};
use crate::parsed_response::{ParsedResponse, ResponseContent};
use crate::site_crawl::SiteCrawl;
use crate::url_collector::{CollectedUrls, UrlCollector};
use crate::url_table::WaitList;
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
        let response = match response {
            Some(response) => match self.hold_for_canonical(id, &outcome, response) {
                Some(response) => Some(response),
                None => return,
            },
            None => None,
        };
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
            _ if role != UrlRole::Page || self.plan.scope.one_page || self.plan.is_listed() => {
                CollectedUrls::default()
            }
            Some(ResponseContent::Page(page)) => discovery::discover(self.collector(id), page),
            Some(ResponseContent::List(LinkType::Feed, file)) => {
                sitemap_urls::collect_feed(self.collector(id), file)
            }
            Some(ResponseContent::List(_, file)) if self.policy.reads_sitemaps(&self.plan) => {
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
        UrlCollector::new(
            &self.plan,
            self.policy,
            &self.rule,
            &self.state,
            &self.languages,
            &self.folder_limit,
            id,
        )
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
        let mut extracted = response.as_mut().and_then(|response| response.extracted.take());
        let mut kept = response.as_mut().and_then(|response| response.kept.take());
        let failed_action = response.as_mut().and_then(|response| response.failed_action.take());
        let failed_action =
            failed_action.filter(|_| outcome == Outcome::Failed(Cause::ActionFailed));
        let fetched_at = response.as_ref().and_then(|response| response.received_at).unwrap_or(now);
        let response = response.as_ref();
        let page = match response.map(|response| &response.content) {
            Some(ResponseContent::Page(page)) if outcome.is_success() => Some(&**page),
            _ => None,
        };
        let (mut language_accepted, mut language) = (true, None);
        if let (Some(_), Some(response)) = (page, response) {
            self.learn_language(id, response);
            language = self.language(id, response);
            language_accepted = self.accepts_language(id, response);
        }
        let finished_page = FinishedPage {
            id,
            outcome: &outcome,
            response: response.map(|response| (&response.head, &response.content)),
            requested_url: alias.as_ref().map(|alias| alias.url.as_str()),
            alias_hops: alias.as_ref().map_or(&[], |alias| &alias.hops),
            language: language.as_ref(),
            rendered: response.is_some_and(|response| response.rendered),
            canonical: page.and_then(|page| self.delivered_canonical(id, page)),
            state: &self.state,
            rule: &self.rule,
            languages: &self.languages,
            one_page: self.plan.scope.one_page,
        };
        let verdict =
            page.map(|page| self.mode.examine(&finished_page, page, extracted.as_deref()));
        let mut verdict = verdict.unwrap_or_default();
        if self.plan.is_listed() {
            // Each URL of a list has its own result.
            verdict.duplicate = None;
        }
        let disposition = self.disposition(&finished_page, language_accepted, &verdict);
        let mut skipped = collected.skipped;
        let (mut delivered, mut charged) = (false, 0);
        match disposition {
            // A URL that was not fetched, or was blocked, adds nothing to the reported row.
            Disposition::Delivered { .. } if is_unseen(&outcome) && self.is_reported(id) => {}
            Disposition::Delivered { units } => {
                let content = extracted.as_deref_mut().filter(|_| page.is_some());
                match self.mode.item(&finished_page, content, verdict.content, fetched_at) {
                    Some(item) => {
                        self.pending_bytes += item.memory_bytes();
                        // Delivered by `include_broken`: the files of the item say what failed.
                        if let (Some(kept), Some(failed)) = (&mut kept, &failed_action) {
                            kept.warnings.push(failed.to_string());
                        }
                        let has_files = page.is_some() || failed_action.is_some();
                        if let Some(kept) = kept.filter(|kept| has_files && !kept.is_empty()) {
                            self.pending_bytes += kept.memory_bytes();
                            self.pending.kept.push((self.pending.items.len(), kept));
                        }
                        self.pending.items.push(item);
                        (delivered, charged) = (true, units);
                    }
                    None => {
                        self.mode_error.get_or_insert(EngineError::MissingItem(id));
                    }
                }
            }
            Disposition::Skipped(_) if self.is_reported(id) => {}
            Disposition::Skipped(reason) => {
                let frontier = &self.state.frontier;
                let known_by = if self.plan.scope.one_page { UrlId::START } else { id };
                let found_on = frontier.parent(known_by).map(|from| frontier.text(from).to_owned());
                let url = frontier.text(known_by).to_owned();
                let status = self.challenged.get(&id).copied();
                let row = SkippedUrl::unfetched(url, reason, found_on);
                let row = skipped_row::answered(row, frontier.text(id), &finished_page, status);
                let failed_action = failed_action.map(|failed| *failed);
                let kept = kept.filter(|kept| failed_action.is_some() && !kept.files.is_empty());
                if let Some(kept) = kept {
                    self.pending_bytes += kept.memory_bytes();
                    let position = self.pending.skipped.len() + skipped.len();
                    self.pending.kept_of_skipped.push((position, kept));
                }
                skipped.push(SkippedUrl { failed_action, ..row });
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
        // A page that the filter leaves out replaces no other page with the same content.
        let excluded = disposition == Disposition::Skipped(SkipReason::Excluded);
        let verdict = if excluded { PageVerdict::default() } else { verdict };
        let duplicate_of = match disposition {
            Disposition::Skipped(reason) => verdict.duplicate.filter(|(_, why)| *why == reason),
            Disposition::Delivered { .. } | Disposition::Unreported => None,
        };
        let content = verdict.content.filter(|content| match verdict.recording {
            ContentRecording::Always => true,
            ContentRecording::DeliveredOrKnown => {
                delivered || self.state.contents.contains_key(content)
            }
            ContentRecording::Delivered => delivered,
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
            identity: verdict.identity,
            delivered,
            units: charged,
            skipped: count,
        }));
        let extracted = extracted.filter(|_| self.learns);
        let learned = extracted.and_then(|mut content| self.mode.learn(&mut *content, delivered));
        if let Some(fact) = learned {
            self.apply(Step::Learned(fact));
        }
        self.release_waiting(id);
    }

    /// Records why pages are skipped while nothing was delivered, for the message of an empty run.
    fn note_skip_reason(&mut self, id: UrlId, outcome: &Outcome, disposition: Disposition) {
        let Disposition::Skipped(reason) = disposition else { return };
        // The end of the run knows the filter, and commits have no place for its reason.
        if outcome.is_success()
            && reason != SkipReason::Excluded
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
        verdict: &PageVerdict,
    ) -> Disposition {
        let finished = FinishedUrl {
            role: self.state.frontier.role(finished_page.id),
            outcome: finished_page.outcome,
            kind: finished_page.kind(),
            language_accepted,
            indexable: finished_page.index().0,
            duplicate_reason: verdict.duplicate.map(|(_, reason)| reason),
            content_presence: verdict.presence,
            excluded: self.is_excluded(finished_page.id),
            too_deep: self.is_too_deep(finished_page.id),
        };
        Disposition::of(&self.plan, &self.policy, &finished)
    }

    /// Whether the filter by path leaves out a page of the run. Only the start page and its redirect
    /// targets are fetched nevertheless.
    fn is_excluded(&self, id: UrlId) -> bool {
        let frontier = &self.state.frontier;
        let known_by = if self.plan.scope.one_page { UrlId::START } else { id };
        frontier.role(id).is_internal()
            && !self.rule.filter().is_empty()
            && frontier.url(known_by).is_some_and(|url| !self.rule.passes_filter(&url))
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
        if self.state.sitemaps_open == 0 {
            self.release_list(WaitList::Sitemaps);
        }
        if self.state.is_start(id) {
            // A redirect target of the start URL waits for nothing either.
            self.release_list(WaitList::StartPage);
        }
        self.release_list(WaitList::Folder(id));
        self.canonical_hold.finish(id);
    }
}

/// Whether the content of the URL is unknown.
fn is_unseen(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::NotRequested | Outcome::Failed(Cause::Protected))
}
