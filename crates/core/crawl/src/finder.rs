//! Gathers what a page or a sitemap brings: URLs that are new, ways to those that are known,
//! and what is not let in.

use std::collections::{HashMap, HashSet};

use contract::{LinkType, SkipReason, SkippedUrl};
use journal::{Found, Listed, Role, Via, Way};
use urls::{Admission, CanonicalUrl, Fingerprint, LanguageTag, ScopeRule};

use crate::languages::LanguageRule;
use crate::{Frontier, Plan, RunState};

/// How many refused addresses are remembered, so that each is reported once. Beyond them
/// refusals are not reported any more: no site decides how much memory a run takes.
const REFUSALS: usize = 200_000;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Finds {
    pub found: Vec<Found>,
    pub linked: Vec<u32>,
    pub ways: Vec<Way>,
    pub listed: Vec<Listed>,
    pub refused: Vec<u64>,
    pub skipped: Vec<SkippedUrl>,
    /// Pages that were called translations, with their languages.
    pub translations: Vec<(u32, LanguageTag)>,
    /// The ways that stand in `ways`.
    noted: HashSet<(u32, Via)>,
}

impl Finds {
    /// A known URL was met again, on `from`: worth a note when the way is new, or shorter, or
    /// may become so. What is linked stands in `linked` anyway.
    pub fn meet(
        &mut self,
        frontier: &Frontier,
        ordinal: u32,
        via: Via,
        from: u32,
        anchor: impl FnOnce() -> Option<Box<str>>,
    ) {
        let is_news = !frontier.ways(ordinal).has(via)
            || frontier.is_nearer(ordinal, via, from)
            || (via != Via::Link && frontier.may_come_nearer(from));
        if is_news && self.noted.insert((ordinal, via)) {
            self.ways.push(Way { ordinal, via, anchor: anchor() });
        }
    }
}

/// A link as the run sees it.
pub(crate) struct Lead<'a> {
    pub url: &'a CanonicalUrl,
    pub via: Via,
    pub anchor: &'a str,
    pub nofollow: bool,
}

pub(crate) struct Finder<'a> {
    pub plan: &'a Plan,
    pub rule: &'a ScopeRule,
    pub state: &'a RunState,
    pub languages: &'a LanguageRule,
    /// The URL whose answer is read.
    pub source: u32,
    finds: Finds,
    new: HashMap<Box<str>, u32>,
    /// Bytes of what was found so far, as the frontier will count them.
    new_bytes: usize,
    refused: HashSet<u64>,
    /// The pages that stand in `translations`.
    translated: HashSet<u32>,
}

impl<'a> Finder<'a> {
    pub fn new(
        plan: &'a Plan,
        rule: &'a ScopeRule,
        state: &'a RunState,
        languages: &'a LanguageRule,
        source: u32,
    ) -> Self {
        let (finds, new) = (Finds::default(), HashMap::new());
        let (refused, translated) = (HashSet::new(), HashSet::new());
        let new_bytes = 0;
        Self { plan, rule, state, languages, source, finds, new, new_bytes, refused, translated }
    }

    pub fn into_finds(mut self) -> Finds {
        self.finds.linked.sort_unstable();
        self.finds.linked.dedup();
        self.finds
    }

    /// The ordinal of a URL that is known, or was found a moment ago.
    pub fn known(&self, url: &CanonicalUrl) -> Option<u32> {
        self.state.frontier.find(url).or_else(|| self.known_since(url))
    }

    /// The ordinal of a URL that was found a moment ago.
    pub fn known_since(&self, url: &CanonicalUrl) -> Option<u32> {
        self.new.get(url.page_key()).copied()
    }

    /// A known URL was met again.
    pub fn meet(&mut self, ordinal: u32, lead: &Lead<'_>) {
        self.finds.meet(&self.state.frontier, ordinal, lead.via, self.source, || anchor(lead));
    }

    /// Enters a URL that is not known, and gives its ordinal. Beyond the ceilings of the run
    /// it is skipped instead.
    pub fn enter(&mut self, role: Role, lead: &Lead<'_>) -> Option<u32> {
        let bytes = lead.url.as_str().len() + lead.anchor.len();
        if !self.has_room_for(bytes) {
            self.refuse(lead.url, SkipReason::FrontierLimit);
            return None;
        }
        self.new_bytes += bytes;
        let count = u32::try_from(self.finds.found.len()).unwrap_or(u32::MAX);
        let ordinal = self.state.frontier.next_ordinal().saturating_add(count);
        self.new.insert(lead.url.page_key().into(), ordinal);
        self.finds.noted.insert((ordinal, lead.via));
        self.finds.found.push(Found {
            url: lead.url.to_string(),
            via: lead.via,
            role,
            anchor: anchor(lead),
            nofollow: lead.nofollow,
        });
        Some(ordinal)
    }

    fn has_room_for(&self, bytes: usize) -> bool {
        let ceilings = &self.plan.ceilings;
        let urls = self.state.frontier.len() + self.finds.found.len();
        let url_bytes = self.state.url_bytes() + self.new_bytes + bytes;
        urls < ceilings.urls && url_bytes <= ceilings.url_bytes
    }

    /// A URL that does not belong to the run: looked at where that was asked for, else left
    /// out. Gives its ordinal.
    pub fn leave(&mut self, lead: &Lead<'_>, admission: Admission) -> Option<u32> {
        let reason = outside(admission)?;
        if !matches!(admission, Admission::External | Admission::Subdomain) {
            self.refuse(&self.rule.normalised(lead.url), reason);
            return None;
        }
        if let Some(known) = self.known(lead.url) {
            // Where the site was before it moved.
            self.meet(known, lead);
            return Some(known);
        }
        if !self.plan.scope.include_external {
            self.refuse(lead.url, reason);
            return None;
        }
        self.enter(Role::External, lead)
    }

    /// The page links to this URL.
    pub fn link(&mut self, ordinal: u32) {
        if ordinal != self.source {
            self.finds.linked.push(ordinal);
        }
    }

    /// A page is called a translation of another. The first word on it counts.
    pub fn translate(&mut self, ordinal: u32, tag: LanguageTag) {
        if !self.state.translations.contains_key(&ordinal) && self.translated.insert(ordinal) {
            self.finds.translations.push((ordinal, tag));
        }
    }

    /// A sitemap lists this URL.
    pub fn list(&mut self, mut listed: Listed) {
        let bytes = listed.listing.as_ref().map_or(0, |listing| listing.bytes());
        if !self.has_room_for(bytes) {
            listed.listing = None;
        } else {
            self.new_bytes += bytes;
        }
        self.finds.listed.push(listed);
    }

    /// How many URLs of this role were found so far.
    pub fn count(&self, is: impl Fn(Role) -> bool) -> usize {
        self.finds.found.iter().filter(|found| is(found.role)).count()
    }

    /// Whether a sitemap listed anything yet.
    pub fn has_listed(&self) -> bool {
        !self.finds.listed.is_empty()
    }

    /// An address that is not let in; reported once in a run.
    pub fn refuse(&mut self, url: &CanonicalUrl, reason: SkipReason) {
        let fingerprint = Fingerprint::of(url).0;
        if self.state.refused.contains(&fingerprint)
            || self.state.refused.len() + self.refused.len() >= REFUSALS
            || !self.refused.insert(fingerprint)
        {
            return;
        }
        self.finds.refused.push(fingerprint);
        let found_on = Some(self.state.frontier.text(self.source).to_owned());
        self.finds.skipped.push(SkippedUrl::unfetched(url.to_string(), reason, found_on));
    }
}

fn anchor(lead: &Lead<'_>) -> Option<Box<str>> {
    Some(lead.anchor).filter(|anchor| !anchor.is_empty()).map(Into::into)
}

/// Why a URL that the rule does not admit is left out.
fn outside(admission: Admission) -> Option<SkipReason> {
    match admission {
        Admission::Inside => None,
        Admission::OutsideRoute => Some(SkipReason::OutsideRoute),
        Admission::Subdomain => Some(SkipReason::Subdomain),
        Admission::External => Some(SkipReason::External),
    }
}

/// Whether the run delivers what is no page, and why not.
pub(crate) fn wanted(plan: &Plan, kind: LinkType) -> Result<(), SkipReason> {
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
