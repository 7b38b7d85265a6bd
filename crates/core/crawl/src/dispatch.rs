//! Dispatches a URL from the queue: it is fetched, finished without a fetch, or made to wait.

use std::time::Duration;

use contract::{Millis, SkipReason};
use journal::{Cause, Fact, Outcome, Step, UrlId, UrlRole, Via};
use urls::{Admission, CanonicalUrl, folder_of_index, is_print_view};

use crate::fetch_policy::check_robots;
use crate::site_crawl::SiteCrawl;
use crate::sitemap_urls;
use crate::url_table::{UrlState, WaitList, WaitReason};
use crate::{BodyNeed, ExtractRequest, FetchTask, FetchVia, Purpose};

/// How long robots.txt rules are valid.
const ROBOTS_HOLD: Duration = Duration::from_secs(24 * 60 * 60);

impl SiteCrawl {
    /// Returns a task for a URL; none if the URL is finished or has to wait.
    pub(crate) fn dispatch(&mut self, id: UrlId, now: Millis) -> Option<FetchTask> {
        if !self.urls.check(id, UrlState::Queued) {
            return None;
        }
        let url = match self.redirect_aliases.get(&id) {
            Some(alias) => alias.url.clone(),
            None => self.state.frontier.url(id)?,
        };
        let unfetchable = self.unfetchable.remove(&id);
        if let Some(cause) =
            unfetchable.or(self.plan.denylist.covers(&url).then_some(Cause::Blacklisted))
        {
            self.finish(id, Outcome::Failed(cause), None, now);
            return None;
        }
        if self.is_not_requested(id) {
            self.urls.record(id);
            return None;
        }
        if let Some(outcome) = self.skip_before_fetch(id, &url) {
            self.finish(id, outcome, None, now);
            return None;
        }
        let rules = match self.state.robots.get(url.origin()) {
            Some((rules, read_at)) if now.since(*read_at) < ROBOTS_HOLD => rules,
            None if self.state.tail.0.robots_bytes >= self.plan.ceilings.robots_bytes => {
                self.finish(id, Outcome::Skipped(SkipReason::FrontierLimit), None, now);
                return None;
            }
            _ => {
                self.urls.set(id, UrlState::Waiting(WaitReason::Robots));
                let task = self.pending_robots.wait(&url, id)?;
                self.robots_in_flight += 1;
                return Some(task);
            }
        };
        let gap = match check_robots(rules, &url) {
            Ok(gap) => gap,
            Err(cause) => {
                self.finish(id, Outcome::Failed(cause), None, now);
                return None;
            }
        };
        if self.must_wait(id, &url) {
            return None;
        }
        self.urls.set(id, UrlState::Fetching);
        self.fetch_queue.begin(&self.state.frontier, id);
        let need = self.need(id);
        let fetch_via = self.fetch_via(id, need);
        let extract = self.extract(need);
        let purpose = Purpose::Url { id, need };
        Some(FetchTask { url, purpose, visit: None, gap, fetch_via, extract })
    }

    fn extract(&self, need: BodyNeed) -> ExtractRequest {
        match need {
            BodyNeed::Page { .. } => ExtractRequest {
                extractor: self.mode.extractor(),
                language: self.languages.is_active(),
            },
            BodyNeed::Sitemap | BodyNeed::Head | BodyNeed::FirstBytes => ExtractRequest::default(),
        }
    }

    fn fetch_via(&self, id: UrlId, need: BodyNeed) -> FetchVia {
        // External URLs and sitemaps are never protected by the tier or rendered.
        match need {
            BodyNeed::Page { .. } if self.plan.protected => FetchVia::Tier,
            BodyNeed::Page { .. } if self.shell_pages.is_rendering(id) => FetchVia::Browser,
            _ => FetchVia::Plain,
        }
    }

    fn need(&self, id: UrlId) -> BodyNeed {
        match self.state.frontier.role(id) {
            UrlRole::Page => BodyNeed::Page { images: self.policy.reads_images(&self.plan) },
            UrlRole::Sitemap | UrlRole::SitemapGuess => BodyNeed::Sitemap,
            UrlRole::File | UrlRole::External if self.head_unsupported.contains(&id) => {
                BodyNeed::FirstBytes
            }
            UrlRole::File | UrlRole::External => BodyNeed::Head,
        }
    }

    /// Whether only links lead to a URL so far, and the run does not follow links.
    pub(crate) fn is_only_recorded(&self, id: UrlId) -> bool {
        let frontier = &self.state.frontier;
        let ways = frontier.ways(id);
        let by_links =
            ![Via::Start, Via::Sitemap, Via::Redirect].into_iter().any(|via| ways.has(via));
        by_links && !frontier.role(id).is_sitemap() && !self.plan.options.discovery
    }

    /// Whether a URL is not requested as far as is known: no redirect or sitemap leads to it, or it
    /// is too deep. That may change until the end of the run.
    pub(crate) fn is_not_requested(&self, id: UrlId) -> bool {
        self.is_only_recorded(id) || self.is_too_deep(id)
    }

    /// Whether a page is more than `max_depth` clicks from the start, on all paths known so far.
    /// Pages of a sitemap and other addresses of a page are not reached by clicks.
    pub(crate) fn is_too_deep(&self, id: UrlId) -> bool {
        let Some(max) = self.plan.options.max_depth else { return false };
        let frontier = &self.state.frontier;
        let ways = frontier.ways(id);
        let by_links_only =
            [Via::Start, Via::Sitemap, Via::Redirect, Via::Canonical, Via::Hreflang]
                .into_iter()
                .all(|via| !ways.has(via));
        by_links_only
            && frontier.role(id) == UrlRole::Page
            && frontier.depth(id).is_none_or(|depth| u64::from(depth) > max)
    }

    /// The outcome of a URL that is skipped before it is fetched.
    fn skip_before_fetch(&self, id: UrlId, url: &CanonicalUrl) -> Option<Outcome> {
        let frontier = &self.state.frontier;
        let role = frontier.role(id);
        if role.is_sitemap() {
            let foreign =
                matches!(self.rule.admits(url), Admission::External | Admission::Subdomain);
            return foreign.then_some(Outcome::Skipped(SkipReason::ForeignSitemap));
        }
        let ways = frontier.ways(id);
        if role != UrlRole::Page || ways.has(Via::Start) {
            return None;
        }
        let may_accept = self.languages.may_accept(&self.state, url)
            && self.languages.may_accept_declared(&self.state, id);
        if !may_accept {
            return Some(Outcome::Skipped(SkipReason::Language));
        }
        // URLs that the site lists itself are no trap.
        if ways.has(Via::Sitemap) {
            return None;
        }
        self.state.traps.judge_again(url).err().map(Outcome::Skipped)
    }

    /// Whether a URL has to wait. It is queued again when the reason is gone.
    fn must_wait(&mut self, id: UrlId, url: &CanonicalUrl) -> bool {
        if self.state.frontier.role(id).is_sitemap() || self.plan.is_listed() {
            return false;
        }
        self.search_sitemaps(url);
        if self.state.sitemaps_open > 0 {
            self.urls.wait(id, WaitList::Sitemaps);
            return true;
        }
        if self.state.is_start(id) {
            return false;
        }
        // The start page determines the language and the feeds of the site.
        let is_kept = self.shell_pages.holds_start()
            || self.state.start_chain().any(|at| self.canonical_hold.is_held(at));
        if !self.state.start_is_done() && !is_kept {
            self.urls.wait(id, WaitList::StartPage);
            return true;
        }
        // A normal page is preferred to its print view, so print views come last.
        if self.policy.deduplicates && !self.print_views_released && is_print_view(url) {
            self.urls.wait(id, WaitList::OtherPages);
            return true;
        }
        // Whether an index file is the same page as its folder is known after the folder is read.
        let folder = folder_of_index(url).and_then(|folder| self.state.frontier.find(&folder));
        match folder {
            Some(folder)
                if folder != id
                    && !self.state.frontier.is_finished(folder)
                    && !self.canonical_hold.is_held(folder)
                    && !self.is_not_requested(folder) =>
            {
                self.urls.wait(id, WaitList::Folder(folder));
                true
            }
            _ => false,
        }
    }

    /// Searches the sitemaps of the site, once its robots.txt is known.
    fn search_sitemaps(&mut self, url: &CanonicalUrl) {
        let origin = url.origin();
        if !self.policy.reads_sitemaps(&self.plan)
            || origin != self.rule.start().origin()
            || self.state.sitemaps_searched.contains(origin)
        {
            return;
        }
        let Some((rules, _)) = self.state.robots.get(origin) else { return };
        let found = sitemap_urls::initial_sitemaps(url, rules);
        let origin = origin.to_owned();
        self.apply(Step::Learned(Fact::SitemapsSearched { origin }));
        self.apply(Step::Seeded(found));
    }
}
