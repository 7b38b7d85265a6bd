//! robots.txt (RFC 9309).
//!
//! Only the rules for one agent are kept, in the order of precedence: the longest pattern first, `Allow`
//! before `Disallow`. Matching takes time in proportion to pattern and URL, for every pattern.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::CanonicalUrl;

mod line;
mod pattern;

use line::{RobotsLine, lines};
use pattern::Pattern;

/// Maximum number of rules. Every URL is matched against all of them, and real sites have fewer.
const MAX_RULES: usize = 10_000;

/// Maximum number of sitemaps: no crawl reads more.
const MAX_SITEMAPS: usize = 500;

/// Upper limit of `Crawl-delay`.
const MAX_DELAY_SECONDS: f64 = 86_400.0;

/// The rules of a robots.txt for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Robots {
    rules: Vec<RobotsRule>,
    crawl_delay_ms: Option<u64>,
    sitemaps: Vec<String>,
}

/// What the status of a response for robots.txt means (RFC 9309 §2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsStatus {
    /// The body has the rules.
    Rules,
    Redirect,
    /// 429: the rules are not known yet.
    RateLimited,
    /// The rules are not known, so that nothing may be requested.
    ServerError,
    /// Any other status: the site has no rules.
    NoRules,
}

impl RobotsStatus {
    #[must_use]
    pub fn of(status: u16) -> Self {
        match status {
            200 => Self::Rules,
            300..400 => Self::Redirect,
            429 => Self::RateLimited,
            500.. => Self::ServerError,
            _ => Self::NoRules,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RobotsRule {
    allow: bool,
    pattern: Pattern,
}

/// The rules of one group of agents.
#[derive(Default)]
struct RobotsGroup {
    seen: bool,
    rules: Vec<RobotsRule>,
    crawl_delay_ms: Option<u64>,
}

impl RobotsGroup {
    fn add(&mut self, line: &RobotsLine<'_>) {
        match line {
            RobotsLine::Allow(path) => self.rule(true, path),
            RobotsLine::Disallow(path) => self.rule(false, path),
            RobotsLine::CrawlDelay(text) => {
                let delay = delay_ms(text);
                self.crawl_delay_ms = self.crawl_delay_ms.max(delay);
            }
            RobotsLine::UserAgent(_) | RobotsLine::Sitemap(_) => {}
        }
    }

    fn rule(&mut self, allow: bool, path: &[u8]) {
        if self.rules.len() >= MAX_RULES {
            return;
        }
        if let Some(pattern) = Pattern::parse(path) {
            // A site that allows an index file means its folder as well.
            if let Some(folder) = pattern.folder_of_index().filter(|_| allow) {
                self.rules.push(RobotsRule { allow, pattern: folder });
            }
            self.rules.push(RobotsRule { allow, pattern });
        }
    }
}

impl Robots {
    /// Our product token in robots.txt.
    pub const AGENT: &str = "Trawl";

    /// Maximum bytes that are read; the rest is ignored.
    pub const MAX_BYTES: usize = 512 * 1024;

    /// Maximum number of redirects that are followed (RFC 9309 §2.3.1.2: at least five).
    pub const MAX_REDIRECTS: u8 = 5;

    /// Allows everything, for a site without robots.txt.
    #[must_use]
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// Allows nothing, for a site whose robots.txt is unreachable.
    #[must_use]
    pub fn disallow_all() -> Self {
        let rules = Pattern::parse(b"/").map(|pattern| RobotsRule { allow: false, pattern });
        Self { rules: rules.into_iter().collect(), ..Self::default() }
    }

    /// Memory of the rules in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let rules: usize =
            self.rules.iter().map(|rule| rule.pattern.len() + size_of::<RobotsRule>()).sum();
        let sitemaps: usize = self.sitemaps.iter().map(|url| url.len() + size_of::<String>()).sum();
        size_of::<Self>() + rules + sitemaps
    }

    /// Parses the rules for `agent`, given by its product token.
    #[must_use]
    pub fn parse(body: &[u8], agent: &str) -> Self {
        let (mut own, mut wildcard) = (RobotsGroup::default(), RobotsGroup::default());
        let mut sitemaps = Vec::new();
        // The groups of the current lines, and whether their rules have begun.
        let (mut for_own, mut for_wildcard, mut rules_begun) = (false, false, false);
        for line in lines(body, Self::MAX_BYTES) {
            match &line {
                RobotsLine::UserAgent(name) => {
                    if rules_begun {
                        (for_own, for_wildcard, rules_begun) = (false, false, false);
                    }
                    if line::is_wildcard(name) {
                        for_wildcard = true;
                        wildcard.seen = true;
                    } else if line::product_token(name).eq_ignore_ascii_case(agent.as_bytes()) {
                        for_own = true;
                        own.seen = true;
                    }
                    continue;
                }
                RobotsLine::Sitemap(url) => {
                    if let Ok(url) = std::str::from_utf8(url)
                        && sitemaps.len() < MAX_SITEMAPS
                        && !sitemaps.iter().any(|known| known == url)
                    {
                        sitemaps.push(url.to_owned());
                    }
                    continue;
                }
                RobotsLine::Allow(_) | RobotsLine::Disallow(_) => rules_begun = true,
                // Not part of the standard, so it must not separate agents from their rules.
                RobotsLine::CrawlDelay(_) => {}
            }
            if for_own {
                own.add(&line);
            }
            if for_wildcard {
                wildcard.add(&line);
            }
        }
        let group = if own.seen { own } else { wildcard };
        let mut rules = group.rules;
        rules.sort_by(|a, b| b.pattern.len().cmp(&a.pattern.len()).then(b.allow.cmp(&a.allow)));
        rules.dedup();
        Self { rules, crawl_delay_ms: group.crawl_delay_ms, sitemaps }
    }

    /// Whether the agent may fetch this URL.
    #[must_use]
    pub fn allows(&self, url: &CanonicalUrl) -> bool {
        if self.rules.is_empty() || url.path() == "/robots.txt" {
            return true;
        }
        self.deciding_rule(url).is_none_or(|rule| rule.allow)
    }

    /// The line that decides about a URL, in canonical spelling: `Disallow: /private/`. `None` if no
    /// rule matches, so that it is allowed.
    #[must_use]
    pub fn deciding_line(&self, url: &CanonicalUrl) -> Option<String> {
        let rule = self.deciding_rule(url).filter(|_| url.path() != "/robots.txt")?;
        let name = if rule.allow { "Allow" } else { "Disallow" };
        Some(format!("{name}: {}", rule.pattern.as_str()))
    }

    fn deciding_rule(&self, url: &CanonicalUrl) -> Option<&RobotsRule> {
        let path = pattern::matchable(url.path_and_query());
        self.rules.iter().find(|rule| rule.pattern.matches(&path))
    }

    /// The delay between two requests (`Crawl-delay`).
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay_ms.map(Duration::from_millis)
    }

    /// The URLs of sitemaps, as written.
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
