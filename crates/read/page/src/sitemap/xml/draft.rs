//! An entry while it is being read.

use urls::{CanonicalUrl, LanguageTag};

use crate::sitemap::field::{self, Field};
use crate::sitemap::{SitemapEntry, SitemapLimits};

/// How much room images, films and alternates have left. Short relative
/// addresses become long ones, so what they grow to is counted, not what stood
/// in the file.
#[derive(Debug)]
pub(super) struct Room {
    bytes: usize,
    each: usize,
    used_up: bool,
}

impl Room {
    pub(super) fn new(limits: &SitemapLimits) -> Self {
        Self { bytes: limits.bytes, each: limits.extras, used_up: false }
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.used_up
    }

    fn add<T>(&mut self, list: &mut Vec<T>, item: T, length: usize) {
        match self.bytes.checked_sub(length).filter(|_| list.len() < self.each) {
            Some(left) => {
                self.bytes = left;
                list.push(item);
            }
            None => self.used_up = true,
        }
    }
}

/// What has been read of an entry.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    /// What relative addresses are relative to.
    base: &'a CanonicalUrl,
    address: Option<CanonicalUrl>,
    permalink: Option<CanonicalUrl>,
    changed: Option<String>,
    published: Option<String>,
    frequency: Option<String>,
    priority: Option<String>,
    images: Vec<String>,
    videos: Vec<String>,
    alternates: Vec<(String, CanonicalUrl)>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(base: &'a CanonicalUrl) -> Self {
        Self {
            base,
            address: None,
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

    /// Takes the value of a field; where a field stands twice, the first counts.
    pub(super) fn field(&mut self, field: Field, text: &str, room: &mut Room) {
        match field {
            Field::Address => self.address = self.address.take().or_else(|| self.resolve(text)),
            Field::Permalink => {
                // An identity is an address only when it is a whole one.
                self.permalink = self.permalink.take().or_else(|| CanonicalUrl::parse(text).ok());
            }
            Field::Changed => self.changed = self.changed.take().or_else(|| field::date(text)),
            Field::Published => {
                self.published = self.published.take().or_else(|| field::date(text));
            }
            Field::Frequency => {
                self.frequency = self.frequency.take().or_else(|| field::frequency(text));
            }
            Field::Priority => {
                self.priority = self.priority.take().or_else(|| field::priority(text));
            }
            Field::Image => {
                if let Some(url) = self.resolve(text).map(String::from) {
                    let length = url.len();
                    room.add(&mut self.images, url, length);
                }
            }
            Field::Video => {
                if let Some(url) = self.resolve(text).map(String::from) {
                    let length = url.len();
                    room.add(&mut self.videos, url, length);
                }
            }
        }
    }

    pub(super) fn alternate(&mut self, language: &str, href: &str, room: &mut Room) {
        let language = match language.trim() {
            default if default.eq_ignore_ascii_case("x-default") => "x-default".to_owned(),
            tag => match LanguageTag::parse(tag) {
                Ok(tag) => tag.into(),
                Err(_) => return,
            },
        };
        if let Some(url) = self.resolve(href) {
            let length = language.len() + url.as_str().len();
            room.add(&mut self.alternates, (language, url), length);
        }
    }

    fn resolve(&self, text: &str) -> Option<CanonicalUrl> {
        let text = text.trim();
        if text.is_empty() { None } else { self.base.join(text).ok() }
    }

    pub(super) fn has_address(&self) -> bool {
        self.address.is_some() || self.permalink.is_some()
    }

    /// The entry, if it has an address. The draft is empty then.
    pub(super) fn take(&mut self) -> Option<SitemapEntry> {
        let done = std::mem::replace(self, Self::new(self.base));
        Some(SitemapEntry {
            url: done.address.or(done.permalink)?,
            lastmod: done.changed.or(done.published),
            changefreq: done.frequency,
            priority: done.priority,
            images: done.images,
            videos: done.videos,
            alternates: done.alternates,
        })
    }
}
