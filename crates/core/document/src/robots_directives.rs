//! Robots directives for one URL: from a robots `<meta>`, or from the `X-Robots-Tag` of a response
//! that need not be a page.

use urls::Robots;

/// Directives of an `X-Robots-Tag` that have a value: the text before their colon is no crawler
/// name.
const WITH_VALUE: &[&str] =
    &["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// The directives that apply to this crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RobotsDirectives {
    pub noindex: bool,
    pub nofollow: bool,
}

impl RobotsDirectives {
    /// Adds the content of a robots `<meta>`.
    pub fn add_meta(&mut self, content: &str) {
        for directive in content.split(',') {
            self.add_directive(directive);
        }
    }

    /// Adds the value of an `X-Robots-Tag`. A crawler name before a colon scopes the directives
    /// after it, up to the next name: proxies join headers by commas.
    pub fn add_x_robots_tag(&mut self, value: &str) {
        let mut for_us = true;
        for part in value.split(',') {
            let directive = match part.split_once(':') {
                Some((name, directive)) if is_crawler(name.trim()) => {
                    for_us = is_ours(name.trim());
                    directive
                }
                _ => part,
            };
            if for_us {
                self.add_directive(directive);
            }
        }
    }

    fn add_directive(&mut self, directive: &str) {
        let directive = directive.trim();
        let none = directive.eq_ignore_ascii_case("none");
        self.noindex |= none || directive.eq_ignore_ascii_case("noindex");
        self.nofollow |= none || directive.eq_ignore_ascii_case("nofollow");
    }
}

/// Whether the `X-Robots-Tag` headers of a response contain `noindex`: for responses that are no
/// pages and have no `<meta>`.
#[must_use]
pub fn noindex(robots: &[String]) -> bool {
    let mut directives = RobotsDirectives::default();
    robots.iter().for_each(|value| directives.add_x_robots_tag(value));
    directives.noindex
}

/// Whether the text before a colon is a crawler name. The hours of a date are not: they follow
/// white space or a digit.
fn is_crawler(name: &str) -> bool {
    let begins = name == "*" || name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    begins
        && !name.contains(|c: char| c.is_whitespace())
        && !WITH_VALUE.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a crawler name is ours or `*`. A version may follow it.
fn is_ours(name: &str) -> bool {
    let product = name.split('/').next().unwrap_or_default();
    product == "*" || product.eq_ignore_ascii_case(Robots::AGENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_of_several_metas_accumulate() {
        let mut directives = RobotsDirectives::default();
        directives.add_meta("INDEX, NoFollow");
        assert_eq!(directives, RobotsDirectives { noindex: false, nofollow: true });
        directives.add_meta("none");
        assert_eq!(directives, RobotsDirectives { noindex: true, nofollow: true });
    }

    #[test]
    fn x_robots_tag_may_be_scoped_to_one_crawler() {
        for (value, noindex, nofollow) in [
            ("noindex", true, false),
            (" NoIndex , NOFOLLOW ", true, true),
            ("none", true, true),
            ("all", false, false),
            ("", false, false),
            ("noindexed", false, false),
            ("trawl: noindex", true, false),
            ("Trawl/1.0 : none", true, true),
            ("*: nofollow", false, true),
            ("trawl:noindex,nofollow", true, true),
            ("googlebot: noindex", false, false),
            ("googlebot: noindex, nofollow", false, false),
            ("trawler: noindex", false, false),
            ("nofollow, googlebot: noindex", false, true),
            ("googlebot: noindex, trawl: nofollow", false, true),
            ("trawl: nofollow, otherbot: noindex", false, true),
            ("max-snippet: 20, noindex", true, false),
            ("max-image-preview:large, nofollow", false, true),
            ("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", true, false),
            ("Unavailable_After: Friday, 25 Jun 2010 15:00:00 PST, nofollow", false, true),
            ("unavailable_after: 2010-06-25T15:00:00, noindex", true, false),
            ("googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", false, false),
            (":noindex", false, false),
        ] {
            let mut directives = RobotsDirectives::default();
            directives.add_x_robots_tag(value);
            assert_eq!(directives, RobotsDirectives { noindex, nofollow }, "{value}");
        }
    }

    #[test]
    fn crawler_scope_ends_with_its_header() {
        let headers = |values: &[&str]| values.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
        assert!(!noindex(&[]));
        assert!(!noindex(&headers(&["googlebot: noindex", "nofollow"])));
        assert!(noindex(&headers(&["googlebot: nofollow", "noindex"])));
    }
}
