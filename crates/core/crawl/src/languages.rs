//! Which pages are in the language that is wanted.
//!
//! What is said of a page's language is believed in this order: hreflang, the document, the
//! header, the address, the text itself. A template that says one language on every page is
//! common, so that the text is asked where document and address disagree.

use contract::{Mode, Options};
use journal::Fact;
use markdown::MarkdownPage;
use page::Page;
use urls::{CanonicalUrl, LanguageTag, marked_language, marked_language_for};

use crate::RunState;

/// The wish for a language. Without one everything suits.
#[derive(Debug, Clone)]
pub(crate) struct LanguageRule {
    wanted: Option<LanguageTag>,
    /// Nobody asked: the language is that of the start.
    by_start: bool,
    region_aware: bool,
    strict: bool,
    /// Products are delivered, each once unless languages are kept apart.
    products: bool,
    /// Pages or products in every language are delivered, each for itself.
    every: bool,
}

/// What there is to tell the language of a page by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub url: &'a CanonicalUrl,
    pub page: &'a Page,
    /// What other pages call it.
    pub declared: Option<&'a LanguageTag>,
    /// What its text is written in, where that was asked.
    pub spoken: Option<&'a LanguageTag>,
}

impl Evidence<'_> {
    /// What the page says of itself by hreflang. One that serves several languages says
    /// nothing.
    fn own_alternates(&self) -> Vec<LanguageTag> {
        let own = self.page.alternates.iter().filter(|(_, url)| is_same(url, self.url));
        let tags: Vec<_> = own.filter_map(|(tag, _)| LanguageTag::parse(tag).ok()).collect();
        match tags.first() {
            Some(first) if tags.iter().all(|tag| tag.language() == first.language()) => tags,
            _ => Vec::new(),
        }
    }

    /// The languages that the page is judged to be in: several only where they differ in
    /// their regions. `marked` is what its address names.
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
                    self.spoken.is_some_and(|spoken| spoken.language() == marked.language());
                Some(if sides_with_address { marked } else { stated })
            }
            (stated, marked) => stated.or(marked).or_else(|| self.spoken.cloned()),
        };
        tag.into_iter().collect()
    }
}

impl LanguageRule {
    pub fn of(mode: Mode, options: &Options, state: &RunState) -> Self {
        let products = mode == Mode::Products;
        let every = options.all_languages && matches!(mode, Mode::Markdown | Mode::Products);
        let region_aware = options.region_aware;
        let preferred = options.preferred_language.as_deref().filter(|_| !every);
        let preferred = preferred.and_then(|tag| LanguageTag::parse(tag).ok());
        // Whoever reads the text wants every page once; whoever makes an inventory, all of them.
        let by_start =
            preferred.is_none() && !every && matches!(mode, Mode::Markdown | Mode::Products);
        let main = state.main_language.as_ref().filter(|_| by_start);
        // The regions of the start's language are kept apart, and none of them is left out.
        let main = main.map(|tag| match products && region_aware {
            true => tag.without_region(),
            false => tag.clone(),
        });
        Self {
            wanted: preferred.or(main),
            by_start,
            region_aware,
            strict: options.strict_default_language,
            products,
            every,
        }
    }

    /// Whether a language matters at all.
    pub fn asks(&self) -> bool {
        self.wanted.is_some() || self.by_start || self.products || self.every
    }

    /// What keeps a product from being folded into one of another language: nothing, unless
    /// languages or regions are kept apart.
    pub fn apart<'t>(&self, language: Option<&'t LanguageTag>) -> &'t str {
        match language {
            Some(tag) if self.every || self.region_aware => tag.as_str(),
            _ => "",
        }
    }

    /// Whether a translation into this language is delivered for itself.
    pub fn delivers_apart(&self, tag: &LanguageTag) -> bool {
        self.every || (self.region_aware && self.suits(tag))
    }

    /// Whether a page that was declared to be in this language is worth asking for.
    /// `x-default` and what is no language declare nothing.
    pub fn suits_declared(&self, language: &str) -> bool {
        LanguageTag::parse(language).map_or(true, |tag| self.suits(&tag))
    }

    /// Whether a page that was not read yet may suit. An address that names another language
    /// is believed once such an address has been seen to tell the truth: `/it/` may be the
    /// Italian part of a site, or its IT department.
    pub fn may_suit(&self, state: &RunState, url: &CanonicalUrl) -> bool {
        if state.language_marks.is_empty() {
            return true;
        }
        match self.marked(url) {
            Some(tag) => self.may_serve(&tag) || !state.language_marks.contains(&tag),
            None => true,
        }
    }

    /// Whether a page that other pages call a translation may suit.
    pub fn may_suit_as_declared(&self, state: &RunState, ordinal: u32) -> bool {
        state.translations.get(&ordinal).is_none_or(|tag| self.may_serve(tag))
    }

    /// An address without a region may lead to pages of any.
    fn may_serve(&self, tag: &LanguageTag) -> bool {
        let any_region = |wanted| tag.region().is_none() && tag.serves_without_region(wanted);
        self.suits(tag) || self.wanted.as_ref().is_some_and(any_region)
    }

    /// The language of a page, as far as it can be told.
    pub fn language(&self, evidence: &Evidence<'_>) -> Option<LanguageTag> {
        evidence.judged(self.marked(evidence.url)).into_iter().next()
    }

    /// Whether a page suits.
    pub fn page_suits(&self, state: &RunState, evidence: &Evidence<'_>) -> bool {
        if self.wanted.is_none() {
            return true;
        }
        let marked = self.marked(evidence.url);
        let any_suits =
            |tags: &[LanguageTag]| tags.is_empty() || tags.iter().any(|tag| self.suits(tag));
        if self.strict {
            // Whatever it says of itself: without a marker it is a page of the default
            // language that found its way in.
            let by_address = marked.or_else(|| state.default_language.clone());
            return by_address.is_some_and(|tag| self.suits(&tag))
                && any_suits(&evidence.judged(None));
        }
        any_suits(&evidence.judged(marked))
    }

    /// The version of a page that the run keeps in its place: the same page in the run's
    /// language, or in the region that comes first. Only where nobody asked for a language:
    /// who asks for one gets all texts that are in it, but each product once. A page that is not
    /// among its own versions has them from a template that names the home page everywhere.
    pub fn kept_version<'p>(&self, page: &'p Page, own: &CanonicalUrl) -> Option<&'p CanonicalUrl> {
        let wanted = self.wanted.as_ref().filter(|_| self.by_start || self.products)?;
        let mut own_tags = page.alternates.iter().filter(|(_, url)| is_same(url, own)).peekable();
        own_tags.peek()?;
        let stands_apart = |(tag, _): &(String, CanonicalUrl)| {
            LanguageTag::parse(tag).is_ok_and(|tag| self.delivers_apart(&tag))
        };
        if self.products && own_tags.any(stands_apart) {
            return None;
        }
        let tags = page.alternates.iter().filter_map(|(tag, url)| {
            let tag = LanguageTag::parse(tag).ok()?;
            self.suits(&tag).then_some((tag, url))
        });
        let versions: Vec<_> = tags.collect();
        let exact = versions.iter().find(|(tag, _)| tag == wanted);
        let (_, kept) = exact.or_else(|| versions.first())?;
        (!is_same(kept, own)).then_some(*kept)
    }

    /// The language that the run keeps, where the start has to tell it.
    pub fn main_language(&self, evidence: &Evidence<'_>) -> Option<Fact> {
        if !self.by_start || self.wanted.is_some() {
            return None;
        }
        let tag = self.language(evidence)?;
        Some(Fact::MainLanguage { tag })
    }

    /// What a page teaches about the languages of its site.
    pub fn lesson(
        &self,
        state: &RunState,
        is_start: bool,
        evidence: &Evidence<'_>,
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

    /// The language that an address names. A word of many meanings counts when it may be the
    /// language that is wanted.
    fn marked(&self, url: &CanonicalUrl) -> Option<LanguageTag> {
        match &self.wanted {
            Some(wanted) => marked_language_for(url, wanted),
            None => marked_language(url),
        }
    }

    pub fn suits(&self, tag: &LanguageTag) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| {
            if self.region_aware { tag.serves(wanted) } else { tag.serves_without_region(wanted) }
        })
    }
}

/// Whether two addresses are one page.
fn is_same(a: &CanonicalUrl, b: &CanonicalUrl) -> bool {
    a.page_key() == b.page_key()
}

/// The language of a page by itself, without a run that knows its site.
#[must_use]
pub fn page_language(url: &CanonicalUrl, page: &Page, text: &MarkdownPage) -> Option<LanguageTag> {
    language_of_page(url, page, || page::detect_language(&text.markdown))
}

/// The same, where `spoken` tells what the text is written in. It is asked only where nothing
/// else speaks.
#[must_use]
pub fn language_of_page(
    url: &CanonicalUrl,
    page: &Page,
    spoken: impl FnOnce() -> Option<LanguageTag>,
) -> Option<LanguageTag> {
    let spoken = if needs_text(page, url) { spoken() } else { None };
    let evidence = Evidence { url, page, declared: None, spoken: spoken.as_ref() };
    evidence.judged(marked_language(url)).into_iter().next()
}

/// Whether the text has to be asked for the language of a page: nothing else says it, or
/// the document and the address disagree.
pub(crate) fn needs_text(page: &Page, url: &CanonicalUrl) -> bool {
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
