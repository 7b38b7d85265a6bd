//! What a site asks of crawlers for one address: in a robots `<meta>`, or in the
//! `X-Robots-Tag` of an answer that may be no page at all.

use urls::Robots;

/// Words of an `X-Robots-Tag` that have a value of their own: what stands before
/// their colon is no crawler.
const WITH_VALUE: &[&str] =
    &["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wishes {
    pub noindex: bool,
    pub nofollow: bool,
}

impl Wishes {
    /// Adds the content of a robots `<meta>`.
    pub fn add(&mut self, content: &str) {
        for word in content.split(',') {
            self.add_word(word);
        }
    }

    /// Adds the value of an `X-Robots-Tag`. A crawler's name before a colon takes
    /// what follows for itself, up to the next name: proxies join headers by commas.
    pub fn add_tag(&mut self, value: &str) {
        let mut for_us = true;
        for part in value.split(',') {
            let word = match part.split_once(':') {
                Some((name, word)) if is_crawler(name.trim()) => {
                    for_us = is_ours(name.trim());
                    word
                }
                _ => part,
            };
            if for_us {
                self.add_word(word);
            }
        }
    }

    fn add_word(&mut self, word: &str) {
        let word = word.trim();
        let none = word.eq_ignore_ascii_case("none");
        self.noindex |= none || word.eq_ignore_ascii_case("noindex");
        self.nofollow |= none || word.eq_ignore_ascii_case("nofollow");
    }
}

/// Whether the `X-Robots-Tag` headers of an answer ask not to index it: for what
/// is no page and cannot say so itself.
#[must_use]
pub fn noindex(robots: &[String]) -> bool {
    let mut wishes = Wishes::default();
    robots.iter().for_each(|value| wishes.add_tag(value));
    wishes.noindex
}

/// Whether what stands before a colon names a crawler. The hours of a date do not:
/// they follow white space or a digit.
fn is_crawler(name: &str) -> bool {
    let begins = name == "*" || name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    begins
        && !name.contains(|c: char| c.is_whitespace())
        && !WITH_VALUE.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a crawler's name is ours, or everyone's. A version may follow it.
fn is_ours(name: &str) -> bool {
    let product = name.split('/').next().unwrap_or_default();
    product == "*" || product.eq_ignore_ascii_case(Robots::AGENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_add_up() {
        let mut wishes = Wishes::default();
        wishes.add("INDEX, NoFollow");
        assert_eq!(wishes, Wishes { noindex: false, nofollow: true });
        wishes.add("none");
        assert_eq!(wishes, Wishes { noindex: true, nofollow: true });
    }

    #[test]
    fn a_tag_may_be_for_one_crawler() {
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
            let mut wishes = Wishes::default();
            wishes.add_tag(value);
            assert_eq!(wishes, Wishes { noindex, nofollow }, "{value}");
        }
    }

    #[test]
    fn every_header_begins_anew() {
        let headers = |values: &[&str]| values.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
        assert!(!noindex(&[]));
        assert!(!noindex(&headers(&["googlebot: noindex", "nofollow"])));
        assert!(noindex(&headers(&["googlebot: nofollow", "noindex"])));
    }
}
