//! Why a URL was delivered, skipped or never found: what the state of a run knows of it, and what
//! the rules of the run say about it now.

use contract::{RuleCheck, UrlRule};
use journal::{UrlId, Via};
use urls::{Admission, CanonicalUrl, FilteredBy, ScopeRule};

use crate::folder_limit::FolderLimit;
use crate::{CrawlMode, CrawlPlan, RunState};

/// What a run knows of a URL that it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundUrl {
    /// The page or sitemap where it was found first; `None` for the start URL.
    pub found_on: Option<String>,
    /// Clicks from the start page.
    pub depth: Option<u32>,
    pub is_finished: bool,
    pub is_delivered: bool,
    /// The page that is delivered in its place.
    pub replaced_by: Option<String>,
}

/// The rules of a run with what is known of it.
#[derive(Debug)]
pub struct UrlExplainer<'a> {
    plan: &'a CrawlPlan,
    /// Without the log of the run, only the rules of its request are known.
    state: Option<&'a RunState>,
    rule: ScopeRule,
}

impl<'a> UrlExplainer<'a> {
    #[must_use]
    pub fn new(plan: &'a CrawlPlan, mode: &dyn CrawlMode, state: Option<&'a RunState>) -> Self {
        let rule = match state {
            Some(state) => state.scope_rule(plan),
            None => ScopeRule::new(plan.start.clone(), plan.scope.clone()),
        };
        Self { plan, state, rule: mode.scope_rule(rule) }
    }

    /// The URL as the run identifies it. URLs outside of the site keep their query.
    #[must_use]
    pub fn identified(&self, url: CanonicalUrl) -> CanonicalUrl {
        match self.rule.admits(&url) {
            Admission::Inside | Admission::OutsideRoute => self.rule.normalise(url),
            Admission::Subdomain | Admission::External => url,
        }
    }

    /// What the run knows of a URL; `None` if it has not found it.
    #[must_use]
    pub fn find(&self, url: &CanonicalUrl) -> Option<FoundUrl> {
        let state = self.state?;
        let frontier = state.frontier();
        let id = frontier.find(url)?;
        let text = |id: UrlId| frontier.text(id).to_owned();
        let replaced_by = state.delivered_for(id).filter(|other| *other != id).map(text);
        Some(FoundUrl {
            found_on: frontier.parent(id).map(text),
            depth: frontier.depth(id),
            is_finished: frontier.is_finished(id),
            is_delivered: frontier.is_delivered(id),
            replaced_by,
        })
    }

    /// The rules of the run, applied to a URL.
    #[must_use]
    pub fn checks(&self, url: &CanonicalUrl) -> Vec<RuleCheck> {
        let mut checks = vec![self.scope(url), self.filter(url)];
        checks.extend(self.depth(url));
        checks.extend(self.folder(url));
        checks.push(self.trap(url));
        checks.push(self.robots_check(url));
        checks
    }

    fn scope(&self, url: &CanonicalUrl) -> RuleCheck {
        let admission = self.rule.admits(url);
        let matched = match admission {
            Admission::Inside => None,
            Admission::OutsideRoute if self.plan.scope.one_page => Some("one_page"),
            Admission::OutsideRoute => Some("specific_route"),
            Admission::Subdomain => Some("a subdomain of the start host"),
            Admission::External => Some("another site"),
        };
        check(UrlRule::Scope, admission == Admission::Inside, matched.map(str::to_owned))
    }

    fn filter(&self, url: &CanonicalUrl) -> RuleCheck {
        let (passes, matched) = match self.rule.filter().check(url.path_and_query()) {
            Ok(pattern) => (true, pattern.map(|pattern| format!("include_paths: {pattern}"))),
            Err(FilteredBy::Excluded(pattern)) => {
                (false, Some(format!("exclude_paths: {pattern}")))
            }
            Err(FilteredBy::NotIncluded) => (false, None),
        };
        check(UrlRule::Filter, passes, matched)
    }

    /// The limit of clicks, as far as the paths to the URL are known.
    fn depth(&self, url: &CanonicalUrl) -> Option<RuleCheck> {
        let max = self.plan.options.max_depth?;
        let known = self.state.and_then(|state| {
            let frontier = state.frontier();
            let id = frontier.find(url)?;
            let by_sitemap = frontier.ways(id).has(Via::Sitemap);
            Some(by_sitemap || frontier.depth(id).is_some_and(|depth| u64::from(depth) <= max))
        });
        let matched = Some(format!("max_depth {max}"));
        Some(RuleCheck { rule: UrlRule::Depth, passes: known, matched })
    }

    fn folder(&self, url: &CanonicalUrl) -> Option<RuleCheck> {
        let max = self.plan.options.max_pages_per_folder?;
        let passes = self.state.map(|state| {
            let frontier = state.frontier();
            let limit = FolderLimit::new(Some(max), frontier);
            frontier.find(url).is_some()
                || limit.key(url.as_str()).is_none_or(|key| limit.has_room(key, 0))
        });
        let matched = Some(format!("max_pages_per_folder {max}"));
        Some(RuleCheck { rule: UrlRule::Folder, passes, matched })
    }

    fn trap(&self, url: &CanonicalUrl) -> RuleCheck {
        let judged = match self.state {
            // A known URL is counted in its pattern already.
            Some(state) if state.frontier().find(url).is_some() => state.traps.judge_listed(url),
            Some(state) => state.traps.judge(url),
            None => self.plan.traps.judge(url),
        };
        check(UrlRule::Trap, judged.is_ok(), judged.err().map(|reason| reason.to_string()))
    }

    /// The rules of robots.txt alone: the only ones that a run over a list applies.
    #[must_use]
    pub fn robots_check(&self, url: &CanonicalUrl) -> RuleCheck {
        let rules = self.state.and_then(|state| state.robots.get(url.origin()));
        match rules {
            Some((rules, _)) => check(UrlRule::Robots, rules.allows(url), rules.deciding_line(url)),
            None => RuleCheck { rule: UrlRule::Robots, passes: None, matched: None },
        }
    }
}

fn check(rule: UrlRule, passes: bool, matched: Option<String>) -> RuleCheck {
    RuleCheck { rule, passes: Some(passes), matched }
}
