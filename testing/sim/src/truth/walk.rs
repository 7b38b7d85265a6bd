//! The walk itself: every URL that a run would meet, what it is and who leads to it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use contract::SkipReason;
use urls::CanonicalUrl;

use super::scope::{Nature, outside, repeats, suits};
use crate::abroad;
use crate::list::List;
use crate::page::{Page, Tie, TieKind};
use crate::place::{Kind, Trouble};
use crate::web::{QUERY, Web};
use crate::wish::DUPLICATES;

/// A chain of redirects longer than this leads nowhere.
const HOPS: usize = 10;

/// What a URL is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Page,
    /// An image or a file: only whether it is there.
    Check,
    External,
    Map,
    /// A place where a sitemap may be.
    Guess,
}

/// How a URL ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// A page, with this text.
    Read(usize),
    /// This status, and what stands there.
    Answered(u16, Nature),
    Redirected,
    Ring,
    Failed,
    Forbidden,
    Unasked,
    Skipped(SkipReason),
}

/// A URL that was met.
#[derive(Debug)]
pub(super) struct Node {
    pub url: CanonicalUrl,
    pub role: Role,
    pub is_start: bool,
    pub listed: bool,
    pub redirected_to: bool,
    /// Redirects in a row before it.
    pub hops: usize,
    pub linked_from: BTreeSet<String>,
    /// Where it leads, and in how many clicks.
    pub leads: Vec<(String, u32)>,
    pub end: Option<End>,
    pub language: Option<&'static str>,
    pub indexable: bool,
}

/// The walk over a web.
pub(super) struct Walk<'w> {
    pub web: &'w Web,
    pub site: CanonicalUrl,
    /// Everywhere that it was thought to be.
    pub sites: Vec<CanonicalUrl>,
    pub nodes: BTreeMap<String, Node>,
    /// Addresses that were not let in, and why not.
    pub refused: BTreeMap<String, BTreeSet<SkipReason>>,
    /// The language of pages whose address names none.
    pub default_language: Option<&'static str>,
    pub(super) listed: usize,
    pub(super) sought: BTreeSet<String>,
    pub(super) maps: VecDeque<String>,
    queue: VecDeque<String>,
}

impl<'w> Walk<'w> {
    /// Walks until there is nothing new.
    pub fn over(web: &'w Web) -> Self {
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
        let start = walk.enter(web.start.clone(), Role::Page);
        walk.node(&start).is_start = true;
        // Links that are only recorded come last: by then it is known whether anything else
        // leads there.
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
                    still.iter().for_each(|key| walk.node(key).end = Some(End::Unasked));
                } else {
                    recorded.extend(still);
                }
            }
        }
        walk
    }

    pub(super) fn node(&mut self, key: &str) -> &mut Node {
        self.nodes.get_mut(key).expect("it was entered")
    }

    pub(super) fn outside(&self, url: &CanonicalUrl) -> Option<SkipReason> {
        outside(&self.site, &self.web.wish.scope, url)
    }

    pub(super) fn normal(&self, url: CanonicalUrl) -> CanonicalUrl {
        if self.web.wish.scope.include_query_strings { url } else { url.without_query() }
    }

    fn is_only_recorded(&self, key: &str) -> bool {
        let Some(node) = self.nodes.get(key) else { return false };
        let asked = node.is_start || node.listed || node.redirected_to;
        !self.web.wish.options.discovery && !asked
    }

    fn follows_links(&self) -> bool {
        !(self.web.wish.options.sitemap_first && self.listed > 0)
    }

    /// Meets a URL, for the first time or again. Gives its key.
    pub(super) fn enter(&mut self, url: CanonicalUrl, role: Role) -> String {
        let key = url.page_key().to_owned();
        if !self.nodes.contains_key(&key) {
            let node = Node {
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
                Role::Map | Role::Guess => self.maps.push_back(key.clone()),
                Role::Page | Role::Check | Role::External => self.queue.push_back(key.clone()),
            }
        }
        key
    }

    /// Meets a URL that is let in as this, or not; whoever is known stays what it is.
    pub(super) fn meet(
        &mut self,
        url: CanonicalUrl,
        role: Result<Role, SkipReason>,
    ) -> Option<String> {
        // Somebody else may have come first, and have been refused.
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
            Role::Check | Role::External => self.check(url),
            Role::Page | Role::Map | Role::Guess => self.ask(key, &url),
        };
        self.node(key).end = Some(end);
    }

    /// Whether something is there, wherever its redirects lead.
    fn check(&self, mut url: CanonicalUrl) -> End {
        for _ in 0..=HOPS {
            if abroad::out_of_reach(url.bare_host()).is_some() {
                return End::Failed;
            }
            if !self.web.permits(&url) {
                return End::Forbidden;
            }
            let next = match self.web.shows(&url) {
                Some(Kind::Redirect { to, .. }) => url.join(to),
                Some(Kind::Queried(_)) if url.query().is_none() => url.join(QUERY),
                other => return simple(other).unwrap_or(End::Answered(200, Nature::Page)),
            };
            match next {
                Ok(next) if next != url => url = next,
                Ok(_) | Err(_) => return End::Ring,
            }
        }
        End::Ring
    }

    fn ask(&mut self, key: &str, url: &CanonicalUrl) -> End {
        let number = url.path().strip_prefix("/find-").and_then(|number| number.parse().ok());
        if number.is_some_and(|number: u32| number > DUPLICATES + 1) {
            return End::Skipped(SkipReason::PatternExhausted);
        }
        if !self.web.permits(url) {
            return End::Forbidden;
        }
        self.seek_sitemaps(url);
        let web = self.web;
        match web.shows(url) {
            Some(Kind::Redirect { to, .. }) => self.redirect(key, url, to),
            Some(Kind::Queried(page)) if url.query().is_none() => {
                if web.wish.scope.include_query_strings {
                    return self.redirect(key, url, QUERY);
                }
                let asked = url.join(QUERY).unwrap_or_else(|_| url.clone());
                self.read(key, &asked, page)
            }
            Some(Kind::Page(page) | Kind::Queried(page)) => self.read(key, url, page),
            Some(Kind::List(List::Feed(news))) => {
                if !web.wish.scope.one_page {
                    news.iter().for_each(|entry| self.hear(key, entry));
                }
                End::Answered(200, Nature::Feed)
            }
            other => simple(other).unwrap_or(End::Failed),
        }
    }

    fn redirect(&mut self, key: &str, url: &CanonicalUrl, to: &str) -> End {
        let (is_start, hops) = (self.node(key).is_start, self.node(key).hops);
        let Ok(target) = url.join(to).map(|target| self.normal(target)) else { return End::Failed };
        if hops >= HOPS {
            return End::Ring;
        }
        if is_start && self.outside(&target).is_some() {
            self.site = target.clone();
            self.sites.push(target.clone());
        }
        let leads_round = self.leads_round(target.clone());
        if self.outside(&target).is_none() {
            let nature = Nature::by_name(target.path());
            let role = match nature {
                Nature::File | Nature::Image if !is_start => {
                    match nature.unwanted(&self.web.wish) {
                        Some(reason) => {
                            self.refuse(&target, reason);
                            return End::Redirected;
                        }
                        None => Role::Check,
                    }
                }
                _ => Role::Page,
            };
            let target = self.enter(target, role);
            self.arrive(key, &target, is_start, hops);
        }
        if leads_round { End::Ring } else { End::Redirected }
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
            // The start page comes before all others, whoever named it first.
            self.queue.retain(|waiting| waiting != target);
            self.queue.push_front(target.to_owned());
        }
    }

    /// Whether redirects from here on have no end, or a far one.
    fn leads_round(&self, mut url: CanonicalUrl) -> bool {
        for _ in 0..HOPS {
            let next = match self.web.shows(&url) {
                Some(Kind::Redirect { to, .. }) => url.join(to),
                _ => return false,
            };
            match next {
                Ok(next) if self.web.permits(&next) => url = self.normal(next),
                Ok(_) | Err(_) => return false,
            }
        }
        true
    }

    fn read(&mut self, key: &str, asked: &CanonicalUrl, page: &Page) -> End {
        let own = [key, asked.page_key()];
        let mut ties: BTreeMap<String, (TieKind, CanonicalUrl)> = BTreeMap::new();
        let mut canonical = None;
        for Tie { kind, href } in &page.ties {
            let Ok(target) = asked.join(href) else { continue };
            if *kind == TieKind::Canonical {
                canonical = Some(target.clone());
            }
            // Who is tied to one address in several ways is tied in the strongest.
            let tie = ties.entry(target.to_string()).or_insert((*kind, target));
            tie.0 = tie.0.min(*kind);
        }
        let is_own = |canonical: &CanonicalUrl| own.contains(&canonical.page_key());
        let node = self.node(key);
        node.language = page.language;
        node.indexable = !page.noindex && canonical.as_ref().is_none_or(is_own);
        if node.is_start && !node.url.path().starts_with("/de/") {
            self.default_language = page.language;
        }
        if !self.web.wish.scope.one_page {
            for (kind, target) in ties.into_values() {
                self.tie(key, kind, target);
            }
        }
        End::Read(page.text)
    }

    /// Follows what a page is tied to.
    fn tie(&mut self, from: &str, kind: TieKind, target: CanonicalUrl) {
        let wish = &self.web.wish;
        let is_link = matches!(kind, TieKind::Anchor | TieKind::Feed | TieKind::Image);
        if kind == TieKind::Image && Nature::Image.unwanted(wish).is_some() {
            return;
        }
        let (url, role) = match self.outside(&target) {
            Some(_) if !is_link => return,
            Some(SkipReason::OutsideRoute) => {
                let target = self.normal(target);
                return self.refuse(&target, SkipReason::OutsideRoute);
            }
            Some(_) if wish.scope.include_external => (target, Ok(Role::External)),
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

    /// What a new URL of the site is asked for.
    fn role(&self, from: &str, kind: TieKind, url: &CanonicalUrl) -> Result<Role, SkipReason> {
        let wish = &self.web.wish;
        let of_start = self.nodes.get(from).is_some_and(|node| node.is_start);
        let nature = match kind {
            TieKind::Feed if of_start && self.follows_links() => Nature::Page,
            TieKind::Feed => Nature::Feed,
            TieKind::Image => Nature::Image,
            TieKind::Anchor | TieKind::Canonical | TieKind::Version(_) => {
                Nature::by_name(url.path())
            }
        };
        match nature {
            Nature::Page => {}
            Nature::Sitemap if wish.reads_sitemaps() => return Ok(Role::Map),
            other => return other.unwanted(wish).map_or(Ok(Role::Check), Err),
        }
        if !self.follows_links() {
            return Err(SkipReason::NotFollowed);
        }
        if let TieKind::Version(language) = kind
            && !self.may_suit(language)
        {
            return Err(SkipReason::Language);
        }
        if repeats(url.path()) { Err(SkipReason::RepeatingSegments) } else { Ok(Role::Page) }
    }

    pub(super) fn may_suit(&self, language: &str) -> bool {
        let options = &self.web.wish.options;
        let wanted = options.preferred_language.as_deref();
        wanted.is_none_or(|wanted| suits(language, wanted, options.region_aware))
    }

    /// Follows what a feed tells of.
    fn hear(&mut self, feed: &str, entry: &str) {
        let Some(url) = self.as_counted(entry) else { return };
        let wish = &self.web.wish;
        let role = match self.outside(&url) {
            Some(SkipReason::External | SkipReason::Subdomain) if wish.scope.include_external => {
                Ok(Role::External)
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

    /// A URL of a list, as a run counts it: what belongs to others keeps its query.
    pub(super) fn as_counted(&self, url: &str) -> Option<CanonicalUrl> {
        let url = self.site.join(url).ok()?;
        let is_foreign =
            matches!(self.outside(&url), Some(SkipReason::External | SkipReason::Subdomain));
        Some(if is_foreign { url } else { self.normal(url) })
    }

    /// What a URL is asked for that a list names.
    pub(super) fn listed_role(&self, url: &CanonicalUrl) -> Result<Role, SkipReason> {
        let nature = Nature::by_name(url.path());
        match nature.unwanted(&self.web.wish) {
            Some(reason) => Err(reason),
            None if nature == Nature::Page => Ok(Role::Page),
            None => Ok(Role::Check),
        }
    }
}

/// The end of what is neither a page nor a redirect; none for what is.
pub(super) fn simple(kind: Option<&Kind>) -> Option<End> {
    Some(match kind {
        None => End::Answered(404, Nature::Page),
        Some(Kind::File { content_type, .. }) => End::Answered(200, Nature::by_type(content_type)),
        Some(Kind::List(List::Feed(_))) => End::Answered(200, Nature::Feed),
        Some(Kind::List(_)) => End::Answered(200, Nature::Sitemap),
        Some(Kind::Broken(Trouble::Says { status, .. })) => End::Answered(*status, Nature::Page),
        Some(Kind::Broken(Trouble::Fails(_) | Trouble::Lost)) => End::Failed,
        Some(Kind::Page(_) | Kind::Queried(_) | Kind::Redirect { .. }) => return None,
    })
}
