//! A URL whose turn has come: asked for, given up, or made to wait for something.

use std::time::Duration;

use contract::{Millis, SkipReason};
use journal::{Cause, Fact, Outcome, Role, Step, Via};
use urls::{Admission, CanonicalUrl, folder_of_index, is_print_view};

use crate::engine::Crawl;
use crate::listing;
use crate::{Means, Purpose, Study, Task, Want};

/// The longest pause between two requests that a robots.txt may ask for.
const CRAWL_DELAY_AT_MOST: Duration = Duration::from_secs(10);

/// How long rules hold.
const ROBOTS_HOLD: Duration = Duration::from_secs(24 * 60 * 60);

impl Crawl {
    /// A task for a URL, unless it is finished or has to wait first.
    pub(crate) fn dispatch(&mut self, ordinal: u32, now: Millis) -> Option<Task> {
        if self.state.frontier.is_finished(ordinal) {
            return None;
        }
        let url = match self.respelled.get(&ordinal) {
            Some(spelling) => spelling.url.clone(),
            None => self.state.frontier.url(ordinal)?,
        };
        let hopeless = self.hopeless.remove(&ordinal);
        if let Some(cause) =
            hopeless.or(self.plan.denylist.covers(&url).then_some(Cause::Blacklisted))
        {
            self.finish(ordinal, Outcome::Failed(cause), None, now);
            return None;
        }
        if self.is_only_recorded(ordinal) {
            self.recorded.insert(ordinal);
            return None;
        }
        if let Some(outcome) = self.given_up(ordinal, &url) {
            self.finish(ordinal, outcome, None, now);
            return None;
        }
        let rules = match self.state.robots.get(url.origin()) {
            Some((rules, read_at)) if now.since(*read_at) < ROBOTS_HOLD => rules,
            None if self.state.later.0.robots_bytes >= self.plan.ceilings.robots_bytes => {
                self.finish(ordinal, Outcome::Skipped(SkipReason::FrontierLimit), None, now);
                return None;
            }
            _ => {
                let task = self.robots.wait(&url, ordinal)?;
                self.robots_under_way += 1;
                return Some(task);
            }
        };
        if !rules.allows(&url) {
            self.finish(ordinal, Outcome::Failed(Cause::Robots), None, now);
            return None;
        }
        let gap = rules.crawl_delay().map(|delay| delay.min(CRAWL_DELAY_AT_MOST));
        if self.has_to_wait(ordinal, &url) {
            return None;
        }
        self.schedule.begin(&self.state.frontier, ordinal);
        let want = self.want(ordinal);
        let means = self.means(ordinal, want);
        let study = self.study(want);
        let purpose = Purpose::Url { ordinal, want };
        Some(Task { url, purpose, visit: None, gap, means, study })
    }

    fn study(&self, want: Want) -> Study {
        match want {
            Want::Page { .. } => Study {
                text: self.plan.delivers_text().then(|| self.repeated.clone()),
                product: self.product_study(),
                language: self.languages.asks(),
                contacts: false,
            },
            Want::Sitemap | Want::Head | Want::FirstBytes => Study::default(),
        }
    }

    fn means(&self, ordinal: u32, want: Want) -> Means {
        // What belongs to others, and the site's own lists, are asked for as ever.
        match want {
            Want::Page { .. } if self.plan.protected => Means::Tier,
            Want::Page { .. } if self.shells.is_rendering(ordinal) => Means::Browser,
            _ => Means::Plain,
        }
    }

    fn want(&self, ordinal: u32) -> Want {
        match self.state.frontier.role(ordinal) {
            Role::Page => Want::Page { images: self.plan.reads_images() },
            Role::Sitemap | Role::SitemapGuess => Want::Sitemap,
            Role::File | Role::External if self.headless.contains(&ordinal) => Want::FirstBytes,
            Role::File | Role::External => Want::Head,
        }
    }

    /// Whether nothing but links led to a URL so far, and those are not followed.
    pub(crate) fn is_only_recorded(&self, ordinal: u32) -> bool {
        let frontier = &self.state.frontier;
        let ways = frontier.ways(ordinal);
        let by_links =
            ![Via::Start, Via::Sitemap, Via::Redirect].into_iter().any(|via| ways.has(via));
        by_links && !frontier.role(ordinal).is_sitemap() && !self.plan.options.discovery
    }

    /// How a URL ends that is not asked for.
    fn given_up(&self, ordinal: u32, url: &CanonicalUrl) -> Option<Outcome> {
        let frontier = &self.state.frontier;
        let role = frontier.role(ordinal);
        if role.is_sitemap() {
            let foreign =
                matches!(self.rule.admits(url), Admission::External | Admission::Subdomain);
            return foreign.then_some(Outcome::Skipped(SkipReason::ForeignSitemap));
        }
        let ways = frontier.ways(ordinal);
        if role != Role::Page || ways.has(Via::Start) {
            return None;
        }
        let may_suit = self.languages.may_suit(&self.state, url)
            && self.languages.may_suit_as_declared(&self.state, ordinal);
        if !may_suit {
            return Some(Outcome::Skipped(SkipReason::Language));
        }
        // What the site lists itself is no trap.
        if ways.has(Via::Sitemap) {
            return None;
        }
        self.state.traps.judge_again(url).err().map(Outcome::Skipped)
    }

    /// Whether something else comes first. Whoever waits is called again.
    fn has_to_wait(&mut self, ordinal: u32, url: &CanonicalUrl) -> bool {
        if self.state.frontier.role(ordinal).is_sitemap() {
            return false;
        }
        self.seek_sitemaps(url);
        if self.state.sitemaps_open > 0 {
            self.before_sitemaps.push(ordinal);
            return true;
        }
        if self.state.is_start(ordinal) {
            return false;
        }
        // The start page tells the language and the feeds of its site.
        let is_kept = self.shells.keep_start_page()
            || self.state.start_chain().any(|at| self.originals.is_held(at));
        if !self.state.start_is_done() && !is_kept {
            self.before_start.push(ordinal);
            return true;
        }
        // A page for readers is better than the same page for paper: that comes last.
        if self.plan.delivers_once() && !self.print_views_go && is_print_view(url) {
            self.print_views.push(ordinal);
            return true;
        }
        // An index file is the same page as its folder, or not: that shows when the folder
        // is known.
        let folder = folder_of_index(url).and_then(|folder| self.state.frontier.find(&folder));
        match folder {
            Some(folder)
                if folder != ordinal
                    && !self.state.frontier.is_finished(folder)
                    && !self.originals.is_held(folder)
                    && !self.is_only_recorded(folder) =>
            {
                self.index_files.entry(folder).or_default().push(ordinal);
                true
            }
            _ => false,
        }
    }

    /// Looks for the sitemaps of the site, once its rules are known.
    fn seek_sitemaps(&mut self, url: &CanonicalUrl) {
        let origin = url.origin();
        if !self.plan.reads_sitemaps()
            || origin != self.rule.start().origin()
            || self.state.sought.contains(origin)
        {
            return;
        }
        let Some((rules, _)) = self.state.robots.get(origin) else { return };
        let found = listing::places(url, rules);
        let origin = origin.to_owned();
        self.take(Step::Learned(Fact::SitemapsSought { origin }));
        self.take(Step::Seeded(found));
    }
}
