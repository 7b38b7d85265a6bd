//! Decides which pages are in an accepted language.
//!
//! The language of a page is taken from, in this order: hreflang, the document, the header, the
//! URL, the text. Templates that declare one language on every page are common, so the text decides
//! where document and URL disagree.

use contract::Options;
use document::Page;
use journal::{Fact, UrlId};
use urls::{CanonicalUrl, LanguageTag, marked_language, marked_language_for};

use crate::RunState;
use crate::mode_policy::ModePolicy;

/// The languages that a run accepts. Without a preference every language is accepted.
#[derive(Debug, Clone)]
pub(crate) struct LanguageRule {
    wanted: Option<LanguageTag>,
    /// The client prefers no language: the language of the start page is used.
    by_start: bool,
    region_aware: bool,
    strict: bool,
    /// Translations are merged into one item, unless languages are delivered separately.
    merges_translations: bool,
    /// Pages are delivered in every language, separately.
    every: bool,
}

/// What indicates the language of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LanguageEvidence<'a> {
    pub url: &'a CanonicalUrl,
    pub page: &'a Page,
    /// What other pages declare by hreflang.
    pub declared: Option<&'a LanguageTag>,
    /// The language detected from its text, if that was requested.
    pub detected: Option<&'a LanguageTag>,
}

impl LanguageEvidence<'_> {
    /// The languages that the page declares for itself by hreflang. A page that declares several
    /// languages declares none.
    fn own_alternates(&self) -> Vec<LanguageTag> {
        let own = self.page.alternates.iter().filter(|(_, url)| is_same(url, self.url));
        let tags: Vec<_> = own.filter_map(|(tag, _)| LanguageTag::parse(tag).ok()).collect();
        match tags.first() {
            Some(first) if tags.iter().all(|tag| tag.language() == first.language()) => tags,
            _ => Vec::new(),
        }
    }

    /// The languages that the page is judged to be in; several only if they differ in their
    /// regions. `marked` is the language that its URL names.
    fn judged(&self, marked: Option<LanguageTag>) -> Vec<LanguageTag> {
        let own = self.own_alternates();
        if !own.is_empty() {
            return own;
        }
        if let Some(declared) = self.declared {
            return vec![declared.clone()];
        }
        let stated = self.page.language.as_deref().and_then(|tag| LanguageTag::parse(tag).ok());
        let tag = match (stated, marked) {
            (Some(stated), Some(marked)) if stated.language() != marked.language() => {
                let sides_with_address =
                    self.detected.is_some_and(|detected| detected.language() == marked.language());
                Some(if sides_with_address { marked } else { stated })
            }
            (stated, marked) => stated.or(marked).or_else(|| self.detected.cloned()),
        };
        tag.into_iter().collect()
    }
}

impl LanguageRule {
    pub fn of(policy: &ModePolicy, options: &Options, state: &RunState) -> Self {
        let merges_translations = policy.merges_translations;
        let every = options.all_languages && policy.deduplicates;
        let region_aware = options.region_aware;
        let preferred = options.preferred_language.as_deref().filter(|_| !every);
        let preferred = preferred.and_then(|tag| LanguageTag::parse(tag).ok());
        // Contents are delivered once; an inventory lists all URLs.
        let by_start = preferred.is_none() && !every && policy.deduplicates;
        let main = state.main_language.as_ref().filter(|_| by_start);
        // Regions of the start page's language are delivered separately, and none is skipped.
        let main = main.map(|tag| match merges_translations && region_aware {
            true => tag.without_region(),
            false => tag.clone(),
        });
        Self {
            wanted: preferred.or(main),
            by_start,
            region_aware,
            strict: options.strict_default_language,
            merges_translations,
            every,
        }
    }

    /// Whether the run depends on languages at all.
    pub fn is_active(&self) -> bool {
        self.wanted.is_some() || self.by_start || self.merges_translations || self.every
    }

    /// The part of an item's identity that separates languages; empty unless languages or regions
    /// are delivered separately.
    pub fn language_key<'t>(&self, language: Option<&'t LanguageTag>) -> &'t str {
        match language {
            Some(tag) if self.every || self.region_aware => tag.as_str(),
            _ => "",
        }
    }

    /// Whether a translation into this language is delivered separately.
    pub fn delivers_separately(&self, tag: &LanguageTag) -> bool {
        self.every || (self.region_aware && self.accepts(tag))
    }

    /// Whether a page that is declared to be in this language is requested. `x-default` and invalid
    /// tags declare nothing.
    pub fn accepts_declared(&self, language: &str) -> bool {
        LanguageTag::parse(language).map_or(true, |tag| self.accepts(&tag))
    }

    /// Whether an unread page may be accepted. A language in the URL counts only after a page has
    /// confirmed it: `/it/` may be the Italian part of a site, or its IT department.
    pub fn may_accept(&self, state: &RunState, url: &CanonicalUrl) -> bool {
        if state.language_marks.is_empty() {
            return true;
        }
        match self.marked(url) {
            Some(tag) => self.may_serve(&tag) || !state.language_marks.contains(&tag),
            None => true,
        }
    }

    /// Whether a page that others declare as a translation may be accepted.
    pub fn may_accept_declared(&self, state: &RunState, id: UrlId) -> bool {
        state.translations.get(&id).is_none_or(|tag| self.may_serve(tag))
    }

    /// Whether pages below a URL with this language may be accepted: a URL without a region may
    /// lead to pages of any region.
    fn may_serve(&self, tag: &LanguageTag) -> bool {
        let any_region = |wanted| tag.region().is_none() && tag.serves_without_region(wanted);
        self.accepts(tag) || self.wanted.as_ref().is_some_and(any_region)
    }

    /// The language of a page, as far as known.
    pub fn language(&self, evidence: &LanguageEvidence<'_>) -> Option<LanguageTag> {
        evidence.judged(self.marked(evidence.url)).into_iter().next()
    }

    /// Whether a page that was read is accepted.
    pub fn accepts_page(&self, state: &RunState, evidence: &LanguageEvidence<'_>) -> bool {
        if self.wanted.is_none() {
            return true;
        }
        let marked = self.marked(evidence.url);
        let any_suits =
            |tags: &[LanguageTag]| tags.is_empty() || tags.iter().any(|tag| self.accepts(tag));
        if self.strict {
            // In strict mode a page without a language in its URL is in the default language,
            // whatever it declares.
            let by_address = marked.or_else(|| state.default_language.clone());
            return by_address.is_some_and(|tag| self.accepts(&tag))
                && any_suits(&evidence.judged(None));
        }
        any_suits(&evidence.judged(marked))
    }

    /// The version of a page that the run delivers instead: the same page in the run's language, or
    /// in the region that comes first. Only if the client prefers no language; a client that prefers
    /// one gets all texts in it, but each product once. A page that is not among its own alternates
    /// has them from a template that links the home pages everywhere.
    pub fn preferred_version<'p>(
        &self,
        page: &'p Page,
        own: &CanonicalUrl,
    ) -> Option<&'p CanonicalUrl> {
        let wanted = self.wanted.as_ref().filter(|_| self.by_start || self.merges_translations)?;
        let mut own_tags = page.alternates.iter().filter(|(_, url)| is_same(url, own)).peekable();
        own_tags.peek()?;
        let is_separate = |(tag, _): &(String, CanonicalUrl)| {
            LanguageTag::parse(tag).is_ok_and(|tag| self.delivers_separately(&tag))
        };
        if self.merges_translations && own_tags.any(is_separate) {
            return None;
        }
        let tags = page.alternates.iter().filter_map(|(tag, url)| {
            let tag = LanguageTag::parse(tag).ok()?;
            self.accepts(&tag).then_some((tag, url))
        });
        let versions: Vec<_> = tags.collect();
        let exact = versions.iter().find(|(tag, _)| tag == wanted);
        let (_, kept) = exact.or_else(|| versions.first())?;
        (!is_same(kept, own)).then_some(*kept)
    }

    /// The language that the run keeps, if the start page determines it.
    pub fn main_language(&self, evidence: &LanguageEvidence<'_>) -> Option<Fact> {
        if !self.by_start || self.wanted.is_some() {
            return None;
        }
        let tag = self.language(evidence)?;
        Some(Fact::MainLanguage { tag })
    }

    /// What a page teaches about the languages of the site.
    pub fn learned_fact(
        &self,
        state: &RunState,
        is_start: bool,
        evidence: &LanguageEvidence<'_>,
    ) -> Option<Fact> {
        self.wanted.as_ref()?;
        let stated = evidence.judged(None).into_iter().next()?;
        match self.marked(evidence.url) {
            None if is_start && state.default_language.is_none() => {
                Some(Fact::DefaultLanguage { tag: stated })
            }
            Some(tag)
                if tag.language() == stated.language() && !state.language_marks.contains(&tag) =>
            {
                Some(Fact::LanguageMark { tag })
            }
            _ => None,
        }
    }

    /// The language that a URL names. An ambiguous word counts if it may be the preferred language.
    fn marked(&self, url: &CanonicalUrl) -> Option<LanguageTag> {
        match &self.wanted {
            Some(wanted) => marked_language_for(url, wanted),
            None => marked_language(url),
        }
    }

    pub fn accepts(&self, tag: &LanguageTag) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| {
            if self.region_aware { tag.serves(wanted) } else { tag.serves_without_region(wanted) }
        })
    }
}

fn is_same(a: &CanonicalUrl, b: &CanonicalUrl) -> bool {
    a.page_key() == b.page_key()
}

/// The language of a single page, without a run that knows its site. `detected` detects it from the
/// text; it is called only if nothing else declares the language.
#[must_use]
pub fn language_of_page(
    url: &CanonicalUrl,
    page: &Page,
    detected: impl FnOnce() -> Option<LanguageTag>,
) -> Option<LanguageTag> {
    let detected = if needs_language_detection(page, url) { detected() } else { None };
    let evidence = LanguageEvidence { url, page, declared: None, detected: detected.as_ref() };
    evidence.judged(marked_language(url)).into_iter().next()
}

/// Whether the language has to be detected from the text: nothing declares it, or document and URL
/// disagree.
#[must_use]
pub fn needs_language_detection(page: &Page, url: &CanonicalUrl) -> bool {
    let is_own =
        |(tag, own): &(String, CanonicalUrl)| is_same(own, url) && LanguageTag::parse(tag).is_ok();
    if page.alternates.iter().any(is_own) {
        return false;
    }
    let stated = page.language.as_deref().and_then(|tag| LanguageTag::parse(tag).ok());
    match (stated, marked_language(url)) {
        (Some(stated), Some(marked)) => stated.language() != marked.language(),
        (Some(_), None) => false,
        (None, _) => true,
    }
}
