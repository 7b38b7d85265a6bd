//! Builds an entry while it is being parsed.

use urls::{CanonicalUrl, LanguageTag};

use crate::sitemap::field::{self, SitemapField};
use document::{SitemapEntry, SitemapLimits};

/// The bytes left for images, videos and alternates. Relative URLs become longer when they are
/// resolved, so that the resolved length is counted.
#[derive(Debug)]
pub(super) struct ExtrasBudget {
    bytes: usize,
    each: usize,
    exhausted: bool,
}

impl ExtrasBudget {
    pub(super) fn new(limits: &SitemapLimits) -> Self {
        Self { bytes: limits.bytes, each: limits.extras, exhausted: false }
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    fn add<T>(&mut self, list: &mut Vec<T>, item: T, length: usize) {
        match self.bytes.checked_sub(length).filter(|_| list.len() < self.each) {
            Some(left) => {
                self.bytes = left;
                list.push(item);
            }
            None => self.exhausted = true,
        }
    }
}

/// The values of an entry that were read so far.
#[derive(Debug)]
pub(super) struct EntryBuilder<'a> {
    /// The base of relative URLs.
    base: &'a CanonicalUrl,
    url: Option<CanonicalUrl>,
    permalink: Option<CanonicalUrl>,
    changed: Option<String>,
    published: Option<String>,
    frequency: Option<String>,
    priority: Option<String>,
    images: Vec<String>,
    videos: Vec<String>,
    alternates: Vec<(String, CanonicalUrl)>,
}

impl<'a> EntryBuilder<'a> {
    pub(super) fn new(base: &'a CanonicalUrl) -> Self {
        Self {
            base,
            url: None,
            permalink: None,
            changed: None,
            published: None,
            frequency: None,
            priority: None,
            images: Vec::new(),
            videos: Vec::new(),
            alternates: Vec::new(),
        }
    }

    /// Sets a field; the first value counts.
    pub(super) fn field(
        &mut self,
        field: SitemapField,
        text: &str,
        extras_budget: &mut ExtrasBudget,
    ) {
        match field {
            SitemapField::Url => self.url = self.url.take().or_else(|| self.resolve(text)),
            SitemapField::Permalink => {
                // An id is a URL only if it is absolute.
                self.permalink = self.permalink.take().or_else(|| CanonicalUrl::parse(text).ok());
            }
            SitemapField::Changed => {
                self.changed = self.changed.take().or_else(|| field::date(text))
            }
            SitemapField::Published => {
                self.published = self.published.take().or_else(|| field::date(text));
            }
            SitemapField::Frequency => {
                self.frequency = self.frequency.take().or_else(|| field::frequency(text));
            }
            SitemapField::Priority => {
                self.priority = self.priority.take().or_else(|| field::priority(text));
            }
            SitemapField::Image => {
                if let Some(url) = self.resolve(text).map(String::from) {
                    let length = url.len();
                    extras_budget.add(&mut self.images, url, length);
                }
            }
            SitemapField::Video => {
                if let Some(url) = self.resolve(text).map(String::from) {
                    let length = url.len();
                    extras_budget.add(&mut self.videos, url, length);
                }
            }
        }
    }

    pub(super) fn alternate(
        &mut self,
        language: &str,
        href: &str,
        extras_budget: &mut ExtrasBudget,
    ) {
        let language = match language.trim() {
            default if default.eq_ignore_ascii_case("x-default") => "x-default".to_owned(),
            tag => match LanguageTag::parse(tag) {
                Ok(tag) => tag.into(),
                Err(_) => return,
            },
        };
        if let Some(url) = self.resolve(href) {
            let length = language.len() + url.as_str().len();
            extras_budget.add(&mut self.alternates, (language, url), length);
        }
    }

    fn resolve(&self, text: &str) -> Option<CanonicalUrl> {
        let text = text.trim();
        if text.is_empty() { None } else { self.base.join(text).ok() }
    }

    pub(super) fn has_url(&self) -> bool {
        self.url.is_some() || self.permalink.is_some()
    }

    /// The entry if it has a URL. The builder is empty then.
    pub(super) fn take(&mut self) -> Option<SitemapEntry> {
        let done = std::mem::replace(self, Self::new(self.base));
        Some(SitemapEntry {
            url: done.url.or(done.permalink)?,
            lastmod: done.changed.or(done.published),
            changefreq: done.frequency,
            priority: done.priority,
            images: done.images,
            videos: done.videos,
            alternates: done.alternates,
        })
    }
}
