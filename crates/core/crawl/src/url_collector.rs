//! Collects what a page or a sitemap contributes: new URLs, known URLs that were found again, and
//! rejected URLs.

use std::collections::{HashMap, HashSet};

use contract::{LinkType, SkipReason, SkippedUrl};
use document::SitemapLimits;
use journal::{DiscoveredUrl, ListedUrl, Rediscovery, UrlId, UrlRole, Via};
use urls::{Admission, CanonicalUrl, Fingerprint, LanguageTag, ScopeRule};

use crate::folder_limit::FolderLimit;
use crate::languages::LanguageRule;
use crate::mode_policy::ModePolicy;
use crate::{CrawlPlan, Frontier, RunState};

/// Maximum number of rejected URLs that are remembered, so that each is reported once. Further
/// rejections are not reported, so that memory is bounded.
const MAX_REJECTED: usize = 200_000;

/// What a response contributed.
#[derive(Debug, Default)]
pub(crate) struct CollectedUrls {
    pub found: Vec<DiscoveredUrl>,
    pub linked: Vec<UrlId>,
    pub rediscovered: Vec<Rediscovery>,
    pub listed: Vec<ListedUrl>,
    pub refused: Vec<u64>,
    pub skipped: Vec<SkippedUrl>,
    /// Pages that were declared as translations, with their languages.
    pub translations: Vec<(UrlId, LanguageTag)>,
    /// The pairs of URL and way that are in `rediscovered`.
    noted: HashSet<(UrlId, Via)>,
}

impl CollectedUrls {
    /// Records that a known URL was found again on `from`, if the way is new, or makes it closer to
    /// the start, or may do so later. Links are in `linked` in any case.
    pub fn note_known(
        &mut self,
        frontier: &Frontier,
        id: UrlId,
        via: Via,
        from: UrlId,
        anchor: impl FnOnce() -> Option<Box<str>>,
    ) {
        let is_news = !frontier.ways(id).has(via)
            || frontier.is_closer(id, via, from)
            || (via != Via::Link && frontier.may_get_closer(from));
        if is_news && self.noted.insert((id, via)) {
            self.rediscovered.push(Rediscovery { id, via, anchor: anchor() });
        }
    }
}

/// A link that may become a URL of the run.
pub(crate) struct LinkCandidate<'a> {
    pub url: &'a CanonicalUrl,
    pub via: Via,
    pub anchor: &'a str,
    pub nofollow: bool,
}

pub(crate) struct UrlCollector<'a> {
    pub plan: &'a CrawlPlan,
    pub policy: ModePolicy,
    pub rule: &'a ScopeRule,
    pub state: &'a RunState,
    pub languages: &'a LanguageRule,
    folder_limit: &'a FolderLimit,
    /// The URL whose response is read.
    pub source: UrlId,
    collected: CollectedUrls,
    new: HashMap<Box<str>, UrlId>,
    /// Bytes of the new URLs, as the frontier will count them.
    new_bytes: usize,
    /// New pages by the key of their folder, if the run limits them.
    new_in_folder: HashMap<u64, u64>,
    refused: HashSet<u64>,
    /// The pages that are in `translations`.
    translated: HashSet<UrlId>,
}

impl<'a> UrlCollector<'a> {
    pub fn new(
        plan: &'a CrawlPlan,
        policy: ModePolicy,
        rule: &'a ScopeRule,
        state: &'a RunState,
        languages: &'a LanguageRule,
        folder_limit: &'a FolderLimit,
        source: UrlId,
    ) -> Self {
        let (collected, new) = (CollectedUrls::default(), HashMap::new());
        let (refused, translated) = (HashSet::new(), HashSet::new());
        let new_bytes = 0;
        Self {
            plan,
            policy,
            rule,
            state,
            languages,
            folder_limit,
            source,
            collected,
            new,
            new_bytes,
            new_in_folder: HashMap::new(),
            refused,
            translated,
        }
    }

    pub fn finish(mut self) -> CollectedUrls {
        self.collected.linked.sort_unstable();
        self.collected.linked.dedup();
        self.collected
    }

    /// The id of a URL that is in the frontier or was just added.
    pub fn known(&self, url: &CanonicalUrl) -> Option<UrlId> {
        self.state.frontier.find(url).or_else(|| self.known_since(url))
    }

    /// The id of a URL that was just added.
    pub fn known_since(&self, url: &CanonicalUrl) -> Option<UrlId> {
        self.new.get(url.page_key()).copied()
    }

    /// Records that a known URL was found again.
    pub fn note_known(&mut self, id: UrlId, candidate: &LinkCandidate<'_>) {
        self.collected
            .note_known(&self.state.frontier, id, candidate.via, self.source, || anchor(candidate));
    }

    /// Whether a URL of the site passes the filter by path.
    pub fn check_filter(&self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        if self.rule.passes_filter(url) { Ok(()) } else { Err(SkipReason::Excluded) }
    }

    /// Adds a new URL and returns its id. Beyond the limits of the run it is skipped as
    /// `frontier_limit` or `folder_limit`.
    pub fn add(&mut self, role: UrlRole, candidate: &LinkCandidate<'_>) -> Option<UrlId> {
        let bytes = candidate.url.as_str().len() + candidate.anchor.len();
        if !self.has_room_for(bytes) {
            self.reject(candidate.url, SkipReason::FrontierLimit);
            return None;
        }
        if role == UrlRole::Page
            && let Some(key) = self.folder_limit.key(candidate.url.as_str())
        {
            let uncounted = self.new_in_folder.entry(key).or_default();
            if !self.folder_limit.has_room(key, *uncounted) {
                self.reject(candidate.url, SkipReason::FolderLimit);
                return None;
            }
            *uncounted += 1;
        }
        self.new_bytes += bytes;
        let id = self.state.frontier.next_id().plus(self.collected.found.len());
        self.new.insert(candidate.url.page_key().into(), id);
        self.collected.noted.insert((id, candidate.via));
        self.collected.found.push(DiscoveredUrl {
            url: candidate.url.to_string(),
            via: candidate.via,
            role,
            anchor: anchor(candidate),
            nofollow: candidate.nofollow,
        });
        Some(id)
    }

    fn has_room_for(&self, bytes: usize) -> bool {
        let ceilings = &self.plan.ceilings;
        let urls = self.state.frontier.len() + self.collected.found.len();
        let url_bytes = self.state.url_bytes() + self.new_bytes + bytes;
        urls < ceilings.urls && url_bytes <= ceilings.url_bytes
    }

    /// Adds an external URL if those are checked, otherwise skips it. Returns its id.
    pub fn add_outside(
        &mut self,
        candidate: &LinkCandidate<'_>,
        admission: Admission,
    ) -> Option<UrlId> {
        let reason = outside_reason(admission)?;
        if !matches!(admission, Admission::External | Admission::Subdomain) {
            self.reject(&self.rule.normalised(candidate.url), reason);
            return None;
        }
        if let Some(known) = self.known(candidate.url) {
            // A URL of the site before it moved.
            self.note_known(known, candidate);
            return Some(known);
        }
        if !self.plan.scope.include_external {
            self.reject(candidate.url, reason);
            return None;
        }
        self.add(UrlRole::External, candidate)
    }

    /// Records a link to a URL.
    pub fn link(&mut self, id: UrlId) {
        if id != self.source {
            self.collected.linked.push(id);
        }
    }

    /// Records the declared language of a page. The first declaration counts.
    fn translate(&mut self, id: UrlId, tag: LanguageTag) {
        if !self.state.translations.contains_key(&id) && self.translated.insert(id) {
            self.collected.translations.push((id, tag));
        }
    }

    /// Records the declared languages of known pages, because some pages do not declare their own.
    pub fn note_translations(&mut self, alternates: &[(String, CanonicalUrl)]) {
        let parsed = alternates.iter().filter_map(|(tag, url)| {
            let tag = LanguageTag::parse(tag).ok()?;
            Some((self.rule.normalised(url).into_owned(), tag))
        });
        // A page that serves several languages is recorded with the accepted one.
        let (accepted, others): (Vec<_>, Vec<_>) =
            parsed.partition(|(_, tag)| self.languages.accepts(tag));
        for (url, tag) in accepted.into_iter().chain(others) {
            match self.known(&url) {
                Some(id) if id != self.source => self.translate(id, tag),
                _ => {}
            }
        }
    }

    /// Whether one more sitemap file may be read.
    pub fn check_sitemap_limit(&self) -> Result<(), SkipReason> {
        let known = self.state.sitemap_files as usize + self.count(UrlRole::is_sitemap);
        if known < SitemapLimits::default().files { Ok(()) } else { Err(SkipReason::SitemapLimit) }
    }

    /// Records a sitemap entry.
    pub fn list(&mut self, mut listed: ListedUrl) {
        let bytes = listed.metadata.as_ref().map_or(0, |metadata| metadata.bytes());
        if !self.has_room_for(bytes) {
            listed.metadata = None;
        } else {
            self.new_bytes += bytes;
        }
        self.collected.listed.push(listed);
    }

    /// Number of new URLs with such a role.
    pub fn count(&self, is: impl Fn(UrlRole) -> bool) -> usize {
        self.collected.found.iter().filter(|found| is(found.role)).count()
    }

    pub fn has_listed(&self) -> bool {
        !self.collected.listed.is_empty()
    }

    /// Skips a URL; it is reported once per run.
    pub fn reject(&mut self, url: &CanonicalUrl, reason: SkipReason) {
        let fingerprint = Fingerprint::of(url).0;
        if self.state.refused.contains(&fingerprint)
            || self.state.refused.len() + self.refused.len() >= MAX_REJECTED
            || !self.refused.insert(fingerprint)
        {
            return;
        }
        self.collected.refused.push(fingerprint);
        let found_on = Some(self.state.frontier.text(self.source).to_owned());
        self.collected.skipped.push(SkippedUrl::unfetched(url.to_string(), reason, found_on));
    }
}

fn anchor(candidate: &LinkCandidate<'_>) -> Option<Box<str>> {
    Some(candidate.anchor).filter(|anchor| !anchor.is_empty()).map(Into::into)
}

/// Why a URL outside the scope is skipped.
fn outside_reason(admission: Admission) -> Option<SkipReason> {
    match admission {
        Admission::Inside => None,
        Admission::OutsideRoute => Some(SkipReason::OutsideRoute),
        Admission::Subdomain => Some(SkipReason::Subdomain),
        Admission::External => Some(SkipReason::External),
    }
}

/// Whether the run delivers this kind of content; the error is the skip reason.
pub(crate) fn check_wanted(plan: &CrawlPlan, kind: LinkType) -> Result<(), SkipReason> {
    match kind {
        LinkType::Page => Ok(()),
        LinkType::Image if plan.scope.include_images => Ok(()),
        LinkType::Image => Err(SkipReason::Image),
        _ if plan.scope.include_files => Ok(()),
        LinkType::File | LinkType::Feed | LinkType::Sitemap | LinkType::Other => {
            Err(SkipReason::File)
        }
    }
}
