//! robots.txt by RFC 9309.
//!
//! Only what applies to one agent is kept, in the order in which it decides:
//! the longest pattern first, allowing before forbidding. Matching takes time
//! in proportion to pattern and address, whatever the pattern.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::CanonicalUrl;

mod line;
mod pattern;

use line::{Line, lines};
use pattern::Pattern;

/// How many rules are kept. Every address is held against all of them, and no
/// site in earnest has as many.
const MAX_RULES: usize = 10_000;

/// How many sitemaps are kept: no crawl reads more.
const MAX_SITEMAPS: usize = 500;

/// The longest delay that is kept: nobody means more than a day.
const MAX_DELAY_SECONDS: f64 = 86_400.0;

/// What a robots.txt says to one agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Robots {
    rules: Vec<Rule>,
    crawl_delay_ms: Option<u64>,
    sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Rule {
    allow: bool,
    pattern: Pattern,
}

/// What was collected for one kind of agent.
#[derive(Default)]
struct Group {
    seen: bool,
    rules: Vec<Rule>,
    crawl_delay_ms: Option<u64>,
}

impl Group {
    fn add(&mut self, line: &Line<'_>) {
        match line {
            Line::Allow(path) => self.rule(true, path),
            Line::Disallow(path) => self.rule(false, path),
            Line::CrawlDelay(text) => {
                let delay = delay_ms(text);
                self.crawl_delay_ms = self.crawl_delay_ms.max(delay);
            }
            Line::UserAgent(_) | Line::Sitemap(_) => {}
        }
    }

    fn rule(&mut self, allow: bool, path: &[u8]) {
        if self.rules.len() >= MAX_RULES {
            return;
        }
        if let Some(pattern) = Pattern::parse(path) {
            // Sites that open an index file mean the folder that shows it.
            if let Some(folder) = pattern.folder_of_index().filter(|_| allow) {
                self.rules.push(Rule { allow, pattern: folder });
            }
            self.rules.push(Rule { allow, pattern });
        }
    }
}

impl Robots {
    /// The name by which robots.txt knows us.
    pub const AGENT: &str = "Trawl";

    /// What is read of a robots.txt; the rest of a longer one is not rules.
    pub const MAX_BYTES: usize = 512 * 1024;

    /// Everything is allowed, as when a site has no robots.txt.
    #[must_use]
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// Nothing is allowed, as when a site cannot say what is.
    #[must_use]
    pub fn disallow_all() -> Self {
        let rules = Pattern::parse(b"/").map(|pattern| Rule { allow: false, pattern });
        Self { rules: rules.into_iter().collect(), ..Self::default() }
    }

    /// Bytes of memory that the rules take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let rules: usize =
            self.rules.iter().map(|rule| rule.pattern.len() + size_of::<Rule>()).sum();
        let sitemaps: usize = self.sitemaps.iter().map(|url| url.len() + size_of::<String>()).sum();
        size_of::<Self>() + rules + sitemaps
    }

    /// Reads what a file says to `agent`, given by its product token.
    #[must_use]
    pub fn parse(body: &[u8], agent: &str) -> Self {
        let (mut own, mut anyones) = (Group::default(), Group::default());
        let mut sitemaps = Vec::new();
        // Whom the lines at hand are for, and whether their rules have begun.
        let (mut for_own, mut for_anyone, mut rules_begun) = (false, false, false);
        for line in lines(body, Self::MAX_BYTES) {
            match &line {
                Line::UserAgent(name) => {
                    if rules_begun {
                        (for_own, for_anyone, rules_begun) = (false, false, false);
                    }
                    if line::is_anyone(name) {
                        for_anyone = true;
                        anyones.seen = true;
                    } else if line::product_token(name).eq_ignore_ascii_case(agent.as_bytes()) {
                        for_own = true;
                        own.seen = true;
                    }
                    continue;
                }
                Line::Sitemap(url) => {
                    if let Ok(url) = std::str::from_utf8(url)
                        && sitemaps.len() < MAX_SITEMAPS
                        && !sitemaps.iter().any(|known| known == url)
                    {
                        sitemaps.push(url.to_owned());
                    }
                    continue;
                }
                Line::Allow(_) | Line::Disallow(_) => rules_begun = true,
                // Not of the standard, so it must not part agents from their rules.
                Line::CrawlDelay(_) => {}
            }
            if for_own {
                own.add(&line);
            }
            if for_anyone {
                anyones.add(&line);
            }
        }
        let group = if own.seen { own } else { anyones };
        let mut rules = group.rules;
        rules.sort_by(|a, b| b.pattern.len().cmp(&a.pattern.len()).then(b.allow.cmp(&a.allow)));
        rules.dedup();
        Self { rules, crawl_delay_ms: group.crawl_delay_ms, sitemaps }
    }

    /// Whether the agent may ask for this address.
    #[must_use]
    pub fn allows(&self, url: &CanonicalUrl) -> bool {
        if self.rules.is_empty() || url.path() == "/robots.txt" {
            return true;
        }
        let path = pattern::matchable(url.path_and_query());
        self.rules.iter().find(|rule| rule.pattern.matches(&path)).is_none_or(|rule| rule.allow)
    }

    /// The pause between two requests that the site asks for.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay_ms.map(Duration::from_millis)
    }

    /// The sitemaps that the site names, as they were written.
    #[must_use]
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

fn delay_ms(text: &[u8]) -> Option<u64> {
    let seconds: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    let sensible = seconds.is_finite() && seconds >= 0.0;
    sensible
        .then(|| Duration::from_secs_f64(seconds.min(MAX_DELAY_SECONDS)).as_millis())?
        .try_into()
        .ok()
}

#[cfg(test)]
mod tests;
