//! Crawler traps: calendars, session ids, growing paths, facets, and patterns that yield only
//! duplicates.
//!
//! A [`TrapRule`] checks a single URL. A [`TrapWatch`] detects traps over many URLs; its state is a pure
//! function of the calls, and bounded for every site.

use contract::SkipReason;
use serde::{Deserialize, Serialize};

use crate::CanonicalUrl;
use crate::session;

mod calendar;
mod facet;
mod path;
mod pattern;

use calendar::Calendars;
use facet::Facets;
use pattern::Patterns;

/// Limits of trap detection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrapRule {
    /// Maximum segments of a path.
    pub depth: usize,
    /// Maximum occurrences of one segment in a path.
    pub same_segment: usize,
    /// Maximum bytes of a URL.
    pub url_bytes: usize,
    /// First and last year of a calendar.
    pub years: (u16, u16),
    /// Maximum pages of one calendar.
    pub calendar_pages: u32,
    /// Maximum pages of one archive by date: blogs and newspapers have thousands.
    pub archive_pages: u32,
    /// Maximum combinations of known filters of one path.
    pub facets: usize,
    /// A URL pattern with this many duplicates and nothing new is exhausted.
    pub duplicates: u32,
    /// The same limit for a whole folder.
    pub folder_duplicates: u32,
    /// Maximum number of tracked patterns.
    pub patterns: usize,
}

impl Default for TrapRule {
    fn default() -> Self {
        Self {
            depth: 32,
            same_segment: 3,
            url_bytes: 2_048,
            years: (1800, 2100),
            calendar_pages: 400,
            archive_pages: 20_000,
            facets: 50,
            duplicates: 25,
            folder_duplicates: 200,
            patterns: 10_000,
        }
    }
}

impl TrapRule {
    /// The rule for a run in this year: calendars may reach three years ahead.
    #[must_use]
    pub fn in_year(year: u16) -> Self {
        Self { years: (1800, year.saturating_add(3)), ..Self::default() }
    }

    /// Checks a single URL without history.
    ///
    /// # Errors
    ///
    /// The reason to skip it.
    pub fn judge(&self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        if url.as_str().len() > self.url_bytes {
            return Err(SkipReason::UrlTooLong);
        }
        path::judge(url.path(), self)?;
        if url.path().split('/').any(session::is_session_segment) {
            return Err(SkipReason::SessionId);
        }
        Ok(())
    }
}

/// Detects the traps of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TrapWatch {
    rule: TrapRule,
    calendars: Calendars,
    facets: Facets,
    patterns: Patterns,
}

impl TrapWatch {
    #[must_use]
    pub fn new(rule: TrapRule) -> Self {
        Self { rule, ..Self::default() }
    }

    /// Checks a newly found URL. Does not change the state: call [`Self::admit`] for a URL that is kept.
    ///
    /// # Errors
    ///
    /// The reason to skip it.
    pub fn judge(&self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        self.rule.judge(url)?;
        self.calendars.judge(url, &self.rule)?;
        self.facets.judge(url, &self.rule)?;
        self.judge_again(url)
    }

    /// Checks a known URL again before it is fetched.
    ///
    /// # Errors
    ///
    /// [`SkipReason::PatternExhausted`] if similar URLs were all duplicates.
    pub fn judge_again(&self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        self.patterns.judge(url, &self.rule)
    }

    /// Checks a URL of a sitemap. A sitemap is finite and made by the site, so that only the URL itself
    /// is checked.
    ///
    /// # Errors
    ///
    /// The reason to skip it.
    pub fn judge_listed(&self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        self.rule.judge(url)
    }

    pub fn admit(&mut self, url: &CanonicalUrl) {
        self.calendars.admit(url, &self.rule);
        self.facets.admit(url, &self.rule);
    }

    /// Records whether a read page was new or a duplicate.
    pub fn learn(&mut self, url: &CanonicalUrl, duplicate: bool) {
        self.patterns.learn(url, duplicate, &self.rule);
    }

    /// Checks a URL and records it unless it is a trap.
    ///
    /// # Errors
    ///
    /// The reason to skip it.
    pub fn offer(&mut self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        self.judge(url)?;
        self.admit(url);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
