//! The reference walk: every URL that a run would find, its role and its links.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use contract::SkipReason;
use urls::CanonicalUrl;

use super::scope::{ContentKind, is_filtered_out, outside, repeats, suits};
use crate::external_hosts;
use crate::fake_web::FakeWeb;
use crate::hosts::QUERY;
use crate::requested_run::DUPLICATES;
use crate::resource::{ResourceKind, SimFailure};
use crate::sim_page::{SimLink, SimLinkKind, SimPage};
use crate::url_list::UrlList;

/// A longer chain of redirects is a failure.
const HOPS: usize = 10;

/// What a URL is requested for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkRole {
    Page,
    /// An image or a file: only its existence is checked.
    Check,
    External,
    Map,
    /// A well-known location of a sitemap.
    Guess,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// A page with this text.
    Read(usize),
    /// A status and the kind of content.
    Answered(u16, ContentKind),
    Redirected,
    RedirectLoop,
    Failed,
    Forbidden,
    NotRequested,
    Skipped(SkipReason),
}

#[derive(Debug)]
pub(super) struct WalkNode {
    pub url: CanonicalUrl,
    pub role: WalkRole,
    pub is_start: bool,
    pub listed: bool,
    pub redirected_to: bool,
    /// Redirects in a row before it.
    pub hops: usize,
    pub linked_from: BTreeSet<String>,
    /// Its links, with the number of clicks.
    pub leads: Vec<(String, u32)>,
    pub end: Option<WalkEnd>,
    pub language: Option<&'static str>,
    pub indexable: bool,
}

pub(super) struct ReferenceWalk<'w> {
    pub web: &'w FakeWeb,
    pub site: CanonicalUrl,
    /// Every URL that the site was at.
    pub sites: Vec<CanonicalUrl>,
    pub nodes: BTreeMap<String, WalkNode>,
    /// Rejected URLs, with the reasons.
    pub refused: BTreeMap<String, BTreeSet<SkipReason>>,
    /// The language of pages whose URL names none.
    pub default_language: Option<&'static str>,
    pub(super) listed: usize,
    pub(super) sought: BTreeSet<String>,
    pub(super) maps: VecDeque<String>,
    queue: VecDeque<String>,
}

impl<'w> ReferenceWalk<'w> {
    /// Walks until nothing new is found.
    pub fn over(web: &'w FakeWeb) -> Self {
        let mut walk = Self {
            web,
            site: web.start.clone(),
            sites: vec![web.start.clone()],
            nodes: BTreeMap::new(),
            refused: BTreeMap::new(),
            default_language: None,
            listed: 0,
            sought: BTreeSet::new(),
            maps: VecDeque::new(),
            queue: VecDeque::new(),
        };
        let start = walk.enter(web.start.clone(), WalkRole::Page);
        walk.node(&start).is_start = true;
        // Links that are only recorded come last, when it is known whether anything else leads
        // there.
        let mut recorded = VecDeque::new();
        while let Some(key) = walk.queue.pop_front() {
            if walk.is_only_recorded(&key) {
                recorded.push_back(key);
            } else {
                walk.visit(&key);
                walk.read_sitemaps();
            }
            if walk.queue.is_empty() {
                let (still, asked): (Vec<_>, Vec<_>) =
                    recorded.drain(..).partition(|key| walk.is_only_recorded(key));
                walk.queue.extend(asked);
                if walk.queue.is_empty() {
                    still.iter().for_each(|key| walk.node(key).end = Some(WalkEnd::NotRequested));
                } else {
                    recorded.extend(still);
                }
            }
        }
        walk
    }

    pub(super) fn node(&mut self, key: &str) -> &mut WalkNode {
        self.nodes.get_mut(key).expect("the node exists")
    }

    pub(super) fn outside(&self, url: &CanonicalUrl) -> Option<SkipReason> {
        outside(&self.site, &self.web.requested.scope, url)
    }

    pub(super) fn normal(&self, url: CanonicalUrl) -> CanonicalUrl {
        if self.web.requested.scope.include_query_strings { url } else { url.without_query() }
    }

    fn is_only_recorded(&self, key: &str) -> bool {
        let Some(node) = self.nodes.get(key) else { return false };
        let asked = node.is_start || node.listed || node.redirected_to;
        !self.web.requested.options.discovery && !asked
    }

    fn follows_links(&self) -> bool {
        !(self.web.requested.options.sitemap_first && self.listed > 0)
    }

    /// Adds a URL, or finds it. Returns its key.
    pub(super) fn enter(&mut self, url: CanonicalUrl, role: WalkRole) -> String {
        let key = url.page_key().to_owned();
        if !self.nodes.contains_key(&key) {
            let node = WalkNode {
                url,
                role,
                is_start: false,
                listed: false,
                redirected_to: false,
                hops: 0,
                linked_from: BTreeSet::new(),
                leads: Vec::new(),
                end: None,
                language: None,
                indexable: true,
            };
            self.nodes.insert(key.clone(), node);
            match role {
                WalkRole::Map | WalkRole::Guess => self.maps.push_back(key.clone()),
                WalkRole::Page | WalkRole::Check | WalkRole::External => {
                    self.queue.push_back(key.clone())
                }
            }
        }
        key
    }

    /// Adds a URL with this role, or rejects it; a known URL keeps its role.
    pub(super) fn meet(
        &mut self,
        url: CanonicalUrl,
        role: Result<WalkRole, SkipReason>,
    ) -> Option<String> {
        // It may have been rejected before it became known.
        if let Err(reason) = role {
            self.refuse(&url, reason);
        }
        match (self.nodes.contains_key(url.page_key()), role) {
            (true, _) => Some(url.page_key().to_owned()),
            (false, Ok(role)) => Some(self.enter(url, role)),
            (false, Err(_)) => None,
        }
    }

    pub(super) fn refuse(&mut self, url: &CanonicalUrl, reason: SkipReason) {
        self.refused.entry(url.page_key().to_owned()).or_default().insert(reason);
    }

    fn visit(&mut self, key: &str) {
        let (url, role) = {
            let node = self.node(key);
            (node.url.clone(), node.role)
        };
        let end = match role {
            WalkRole::Check | WalkRole::External => self.check(url),
            WalkRole::Page | WalkRole::Map | WalkRole::Guess => self.ask(key, &url),
        };
        self.node(key).end = Some(end);
    }

    /// Checks whether a URL exists, wherever it redirects.
    fn check(&self, mut url: CanonicalUrl) -> WalkEnd {
        for _ in 0..=HOPS {
            if external_hosts::out_of_reach(url.bare_host()).is_some() {
                return WalkEnd::Failed;
            }
            if !self.web.allows(&url) {
                return WalkEnd::Forbidden;
            }
            let next = match self.web.shows(&url) {
                Some(ResourceKind::Redirect { to, .. }) => url.join(to),
                Some(ResourceKind::Queried(_)) if url.query().is_none() => url.join(QUERY),
                other => {
                    return simple(other).unwrap_or(WalkEnd::Answered(200, ContentKind::Page));
                }
            };
            match next {
                Ok(next) if next != url => url = next,
                Ok(_) | Err(_) => return WalkEnd::RedirectLoop,
            }
        }
        WalkEnd::RedirectLoop
    }

    fn ask(&mut self, key: &str, url: &CanonicalUrl) -> WalkEnd {
        let number = url.path().strip_prefix("/find-").and_then(|number| number.parse().ok());
        if number.is_some_and(|number: u32| number > DUPLICATES + 1) {
            return WalkEnd::Skipped(SkipReason::PatternExhausted);
        }
        if !self.web.allows(url) {
            return WalkEnd::Forbidden;
        }
        self.seek_sitemaps(url);
        let web = self.web;
        match web.shows(url) {
            Some(ResourceKind::Redirect { to, .. }) => self.redirect(key, url, to),
            Some(ResourceKind::Queried(page)) if url.query().is_none() => {
                if web.requested.scope.include_query_strings {
                    return self.redirect(key, url, QUERY);
                }
                let asked = url.join(QUERY).unwrap_or_else(|_| url.clone());
                self.read(key, &asked, page)
            }
            Some(ResourceKind::Page(page) | ResourceKind::Queried(page)) => {
                self.read(key, url, page)
            }
            Some(ResourceKind::UrlList(UrlList::Feed(news))) => {
                if !web.requested.scope.one_page {
                    news.iter().for_each(|entry| self.follow_feed_entry(key, entry));
                }
                WalkEnd::Answered(200, ContentKind::Feed)
            }
            other => simple(other).unwrap_or(WalkEnd::Failed),
        }
    }

    fn redirect(&mut self, key: &str, url: &CanonicalUrl, to: &str) -> WalkEnd {
        let (is_start, hops) = (self.node(key).is_start, self.node(key).hops);
        let Ok(target) = url.join(to).map(|target| self.normal(target)) else {
            return WalkEnd::Failed;
        };
        if hops >= HOPS {
            return WalkEnd::RedirectLoop;
        }
        if is_start && self.outside(&target).is_some() {
            self.site = target.clone();
            self.sites.push(target.clone());
        }
        let leads_round = self.leads_round(target.clone());
        if self.outside(&target).is_none() {
            if !is_start
                && self.node(key).role == WalkRole::Page
                && let Err(reason) = self.check_filter(&target)
            {
                // A known URL keeps its role.
                if self.meet(target.clone(), Err(reason)).is_none() {
                    return if leads_round { WalkEnd::RedirectLoop } else { WalkEnd::Redirected };
                }
            }
            let content = ContentKind::by_name(target.path());
            let role = match content {
                ContentKind::File | ContentKind::Image if !is_start => {
                    match content.unwanted(&self.web.requested) {
                        Some(reason) => {
                            self.refuse(&target, reason);
                            return WalkEnd::Redirected;
                        }
                        None => WalkRole::Check,
                    }
                }
                _ => WalkRole::Page,
            };
            let target = self.enter(target, role);
            self.arrive(key, &target, is_start, hops);
        }
        if leads_round { WalkEnd::RedirectLoop } else { WalkEnd::Redirected }
    }

    fn arrive(&mut self, key: &str, target: &str, is_start: bool, hops: usize) {
        let node = self.node(target);
        node.redirected_to = true;
        node.is_start |= is_start;
        if node.end.is_none() && node.hops == 0 {
            node.hops = hops + 1;
        }
        self.node(key).leads.push((target.to_owned(), 0));
        if is_start && self.queue.iter().any(|waiting| waiting == target) {
            // The start page is read before all others.
            self.queue.retain(|waiting| waiting != target);
            self.queue.push_front(target.to_owned());
        }
    }

    /// Whether the redirects from here are a loop or too long a chain.
    fn leads_round(&self, mut url: CanonicalUrl) -> bool {
        for _ in 0..HOPS {
            let next = match self.web.shows(&url) {
                Some(ResourceKind::Redirect { to, .. }) => url.join(to),
                _ => return false,
            };
            match next {
                Ok(next) if self.web.allows(&next) => url = self.normal(next),
                Ok(_) | Err(_) => return false,
            }
        }
        true
    }

    fn read(&mut self, key: &str, asked: &CanonicalUrl, page: &SimPage) -> WalkEnd {
        let own = [key, asked.page_key()];
        let mut links: BTreeMap<String, (SimLinkKind, CanonicalUrl)> = BTreeMap::new();
        let mut canonical = None;
        for SimLink { kind, href } in &page.links {
            let Ok(target) = asked.join(href) else { continue };
            if *kind == SimLinkKind::Canonical {
                canonical = Some(target.clone());
            }
            // If several links lead to one URL, the strongest counts.
            let link = links.entry(target.to_string()).or_insert((*kind, target));
            link.0 = link.0.min(*kind);
        }
        let is_own = |canonical: &CanonicalUrl| own.contains(&canonical.page_key());
        let node = self.node(key);
        node.language = page.language;
        node.indexable = !page.noindex && canonical.as_ref().is_none_or(is_own);
        if node.is_start && !node.url.path().starts_with("/de/") {
            self.default_language = page.language;
        }
        if !self.web.requested.scope.one_page {
            for (kind, target) in links.into_values() {
                self.link(key, kind, target);
            }
        }
        WalkEnd::Read(page.text)
    }

    /// Follows a link of a page.
    fn link(&mut self, from: &str, kind: SimLinkKind, target: CanonicalUrl) {
        let requested = &self.web.requested;
        let is_link = matches!(kind, SimLinkKind::Anchor | SimLinkKind::Feed | SimLinkKind::Image);
        if kind == SimLinkKind::Image && ContentKind::Image.unwanted(requested).is_some() {
            return;
        }
        let (url, role) = match self.outside(&target) {
            Some(_) if !is_link => return,
            Some(SkipReason::OutsideRoute) => {
                let target = self.normal(target);
                return self.refuse(&target, SkipReason::OutsideRoute);
            }
            Some(_) if requested.scope.include_external => (target, Ok(WalkRole::External)),
            Some(reason) => (target, Err(reason)),
            None => {
                let role = self.role(from, kind, &target);
                (self.normal(target), role)
            }
        };
        let Some(target) = self.meet(url, role) else { return };
        if is_link && target != from {
            self.node(&target).linked_from.insert(from.to_owned());
        }
        self.node(from).leads.push((target, u32::from(is_link)));
    }

    /// What a new URL of the site is requested for.
    fn role(
        &self,
        from: &str,
        kind: SimLinkKind,
        url: &CanonicalUrl,
    ) -> Result<WalkRole, SkipReason> {
        let requested = &self.web.requested;
        let of_start = self.nodes.get(from).is_some_and(|node| node.is_start);
        let content = match kind {
            SimLinkKind::Feed if of_start && self.follows_links() => ContentKind::Page,
            SimLinkKind::Feed => ContentKind::Feed,
            SimLinkKind::Image => ContentKind::Image,
            SimLinkKind::Anchor | SimLinkKind::Canonical | SimLinkKind::Version(_) => {
                ContentKind::by_name(url.path())
            }
        };
        if content == ContentKind::Sitemap && requested.reads_sitemaps() {
            return Ok(WalkRole::Map);
        }
        self.check_filter(url)?;
        match content {
            ContentKind::Page => {}
            other => return other.unwanted(requested).map_or(Ok(WalkRole::Check), Err),
        }
        if !self.follows_links() {
            return Err(SkipReason::NotFollowed);
        }
        if let SimLinkKind::Version(language) = kind
            && !self.may_suit(language)
        {
            return Err(SkipReason::Language);
        }
        if repeats(url.path()) { Err(SkipReason::RepeatingSegments) } else { Ok(WalkRole::Page) }
    }

    pub(super) fn check_filter(&self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        match is_filtered_out(&self.web.requested.scope, url) {
            true => Err(SkipReason::Excluded),
            false => Ok(()),
        }
    }

    pub(super) fn may_suit(&self, language: &str) -> bool {
        let options = &self.web.requested.options;
        let wanted = options.preferred_language.as_deref();
        wanted.is_none_or(|wanted| suits(language, wanted, options.region_aware))
    }

    /// Follows an entry of a feed.
    fn follow_feed_entry(&mut self, feed: &str, entry: &str) {
        let Some(url) = self.normalised_entry(entry) else { return };
        let requested = &self.web.requested;
        let role = match self.outside(&url) {
            Some(SkipReason::External | SkipReason::Subdomain)
                if requested.scope.include_external =>
            {
                Ok(WalkRole::External)
            }
            Some(reason) => Err(reason),
            None => self.listed_role(&url).and_then(|role| match self.follows_links() {
                true => Ok(role),
                false => Err(SkipReason::NotFollowed),
            }),
        };
        let Some(target) = self.meet(url, role) else { return };
        self.node(feed).leads.push((target, 1));
    }

    /// A listed URL as a run counts it: external URLs keep their query.
    pub(super) fn normalised_entry(&self, url: &str) -> Option<CanonicalUrl> {
        let url = self.site.join(url).ok()?;
        let is_foreign =
            matches!(self.outside(&url), Some(SkipReason::External | SkipReason::Subdomain));
        Some(if is_foreign { url } else { self.normal(url) })
    }

    /// What a listed URL is requested for.
    pub(super) fn listed_role(&self, url: &CanonicalUrl) -> Result<WalkRole, SkipReason> {
        let content = ContentKind::by_name(url.path());
        self.check_filter(url)?;
        match content.unwanted(&self.web.requested) {
            Some(reason) => Err(reason),
            None if content == ContentKind::Page => Ok(WalkRole::Page),
            None => Ok(WalkRole::Check),
        }
    }
}

/// The end of a resource that is neither a page nor a redirect.
pub(super) fn simple(kind: Option<&ResourceKind>) -> Option<WalkEnd> {
    Some(match kind {
        None => WalkEnd::Answered(404, ContentKind::Page),
        Some(ResourceKind::File { content_type, .. }) => {
            WalkEnd::Answered(200, ContentKind::by_type(content_type))
        }
        Some(ResourceKind::UrlList(UrlList::Feed(_))) => WalkEnd::Answered(200, ContentKind::Feed),
        Some(ResourceKind::UrlList(_)) => WalkEnd::Answered(200, ContentKind::Sitemap),
        Some(ResourceKind::Broken(SimFailure::Status { status, .. })) => {
            WalkEnd::Answered(*status, ContentKind::Page)
        }
        Some(ResourceKind::Broken(SimFailure::Cause(_) | SimFailure::NoResponse)) => {
            WalkEnd::Failed
        }
        Some(ResourceKind::Page(_) | ResourceKind::Queried(_) | ResourceKind::Redirect { .. }) => {
            return None;
        }
    })
}
