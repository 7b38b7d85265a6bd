//! Addresses that only lead deeper: calendars, session ids, growing paths,
//! facets, and patterns under which nothing new was found.
//!
//! What an address itself gives away is judged by a `TrapRule`; what shows only
//! over many of them by a `TrapWatch`, whose state follows from the calls made
//! and nothing else, and is bounded whatever the site does.

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

/// Where patience ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrapRule {
    /// Segments of a path.
    pub depth: usize,
    /// How often one segment may stand in a path.
    pub same_segment: usize,
    /// Bytes of an address.
    pub url_bytes: usize,
    /// The first and the last year that a calendar may show.
    pub years: (u16, u16),
    /// Pages of one calendar.
    pub calendar_pages: u32,
    /// Pages of one archive by date: blogs and newspapers have thousands.
    pub archive_pages: u32,
    /// Combinations of known filters under one path.
    pub facets: usize,
    /// Duplicates after which a pattern that gave nothing else is given up.
    pub duplicates: u32,
    /// The same for a whole folder.
    pub folder_duplicates: u32,
    /// How many patterns are watched.
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
    /// The rule for a run in this year: calendars may look three years ahead.
    #[must_use]
    pub fn in_year(year: u16) -> Self {
        Self { years: (1800, year.saturating_add(3)), ..Self::default() }
    }

    /// Judges what an address gives away by itself.
    ///
    /// # Errors
    ///
    /// The reason to leave it out.
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

/// Watches a run for traps.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TrapWatch {
    rule: TrapRule,
    calendars: Calendars,
    facets: Facets,
    patterns: Patterns,
}

impl TrapWatch {
    /// A watch that has seen nothing.
    #[must_use]
    pub fn new(rule: TrapRule) -> Self {
        Self { rule, ..Self::default() }
    }

    /// Whether an address that was not met before is worth keeping. Changes
    /// nothing: what is kept must be told by [`Self::admit`].
    ///
    /// # Errors
    ///
    /// The reason to leave it out.
    pub fn judge(&self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        self.rule.judge(url)?;
        self.calendars.judge(url, &self.rule)?;
        self.facets.judge(url, &self.rule)?;
        self.judge_again(url)
    }

    /// Whether an address that was kept is still worth asking for.
    ///
    /// # Errors
    ///
    /// [`SkipReason::PatternExhausted`], when others like it were all duplicates.
    pub fn judge_again(&self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        self.patterns.judge(url, &self.rule)
    }

    /// Whether an address that a sitemap lists is worth keeping. A list is finite and of the
    /// site's own making, so that only what the address itself gives away counts against it.
    ///
    /// # Errors
    ///
    /// The reason to leave it out.
    pub fn judge_listed(&self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        self.rule.judge(url)
    }

    /// An address was kept.
    pub fn admit(&mut self, url: &CanonicalUrl) {
        self.calendars.admit(url, &self.rule);
        self.facets.admit(url, &self.rule);
    }

    /// A page was read: it was new, or the same as one before.
    pub fn learn(&mut self, url: &CanonicalUrl, duplicate: bool) {
        self.patterns.learn(url, duplicate, &self.rule);
    }

    /// Judges an address and, unless it is a trap, keeps it.
    ///
    /// # Errors
    ///
    /// The reason to leave it out.
    pub fn offer(&mut self, url: &CanonicalUrl) -> Result<(), SkipReason> {
        self.judge(url)?;
        self.admit(url);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
