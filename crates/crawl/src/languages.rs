//! Which pages are in the language that was asked for.

use contract::Options;
use journal::Fact;
use site::{CanonicalUrl, LanguageTag, marked_language_for};

use crate::RunState;

/// The wish for a language. Without one everything suits.
#[derive(Debug, Clone)]
pub(crate) struct LanguageRule {
    wanted: Option<LanguageTag>,
    region_aware: bool,
    strict: bool,
}

impl LanguageRule {
    pub fn of(options: &Options) -> Self {
        let wanted = options.preferred_language.as_deref();
        Self {
            wanted: wanted.and_then(|wanted| LanguageTag::parse(wanted).ok()),
            region_aware: options.region_aware,
            strict: options.strict_default_language,
        }
    }

    /// Whether a language was asked for at all.
    pub fn asks(&self) -> bool {
        self.wanted.is_some()
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

    /// An address without a region may lead to pages of any.
    fn may_serve(&self, tag: &LanguageTag) -> bool {
        let any_region = |wanted| tag.region().is_none() && tag.serves_without_region(wanted);
        self.suits(tag) || self.wanted.as_ref().is_some_and(any_region)
    }

    /// Whether a page suits that says of itself that it is in `language`.
    pub fn page_suits(&self, state: &RunState, url: &CanonicalUrl, language: Option<&str>) -> bool {
        if self.wanted.is_none() {
            return true;
        }
        let stated = language.and_then(|language| LanguageTag::parse(language).ok());
        let marked = self.marked(url);
        if self.strict {
            // Whatever it says of itself: without a marker it is a page of the default
            // language that found its way in.
            let by_address = marked.or_else(|| state.default_language.clone());
            return by_address.is_some_and(|tag| self.suits(&tag))
                && stated.is_none_or(|tag| self.suits(&tag));
        }
        stated.or(marked).is_none_or(|tag| self.suits(&tag))
    }

    /// What a page teaches about the languages of its site.
    pub fn lesson(
        &self,
        state: &RunState,
        url: &CanonicalUrl,
        is_start: bool,
        language: Option<&str>,
    ) -> Option<Fact> {
        self.wanted.as_ref()?;
        let stated = LanguageTag::parse(language?).ok()?;
        match self.marked(url) {
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
    /// language that was asked for.
    fn marked(&self, url: &CanonicalUrl) -> Option<LanguageTag> {
        marked_language_for(url, self.wanted.as_ref()?)
    }

    fn suits(&self, tag: &LanguageTag) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| {
            if self.region_aware { tag.serves(wanted) } else { tag.serves_without_region(wanted) }
        })
    }
}
