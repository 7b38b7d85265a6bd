//! The values of an entry: which element holds which, and what is allowed in it.

use super::date;

/// The seven words of sitemaps.org.
const FREQUENCIES: [&str; 7] =
    ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"];

/// What the text of an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// The address of the page.
    Address,
    /// The identity of an item of a feed, which may be its address.
    Permalink,
    /// When it changed.
    Changed,
    /// When it came out, which counts when no change is told.
    Published,
    Frequency,
    Priority,
    Image,
    Video,
}

/// In what part of an entry an element stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Page,
    Image,
    Video,
    /// Something that is not read, such as news.
    Other,
}

impl Field {
    /// The field that an element of a sitemap holds. Prefixes are free in XML;
    /// the usual ones help where an extension stands in the wrong place.
    pub(super) fn of_sitemap(part: Part, prefix: &str, name: &str) -> Option<Self> {
        match (part, prefix, name) {
            (Part::Image, _, "loc") | (Part::Page, "image", "loc") => Some(Self::Image),
            (Part::Video, _, "content_loc" | "player_loc")
            | (Part::Page, "video", "content_loc" | "player_loc") => Some(Self::Video),
            (Part::Page, "video" | "news" | "xhtml" | "mobile", _) => None,
            (Part::Page, _, "loc") => Some(Self::Address),
            (Part::Page, _, "lastmod") => Some(Self::Changed),
            (Part::Page, _, "changefreq") => Some(Self::Frequency),
            (Part::Page, _, "priority") => Some(Self::Priority),
            (Part::Page | Part::Image | Part::Video | Part::Other, ..) => None,
        }
    }

    /// The field that an element of an RSS item holds.
    pub(super) fn of_rss(part: Part, prefix: &str, name: &str) -> Option<Self> {
        match (part, prefix, name) {
            // `atom:link` holds its address in an attribute, and mostly another one.
            (Part::Page, "" | "rss", "link") => Some(Self::Address),
            (Part::Page, "" | "rss", "guid") => Some(Self::Permalink),
            (Part::Page, "" | "rss", "pubDate") => Some(Self::Published),
            (Part::Page, "dc", "date") => Some(Self::Published),
            (Part::Page, "dcterms", "modified") | (Part::Page, "atom", "updated") => {
                Some(Self::Changed)
            }
            _ => None,
        }
    }

    /// The field that an element of an Atom entry holds.
    pub(super) fn of_atom(part: Part, prefix: &str, name: &str) -> Option<Self> {
        match (part, prefix, name) {
            (Part::Page, "" | "atom", "updated") => Some(Self::Changed),
            (Part::Page, "" | "atom", "published") => Some(Self::Published),
            _ => None,
        }
    }
}

/// A date in either of the two ways.
pub(super) fn date(text: &str) -> Option<String> {
    date::w3c(text).or_else(|| date::mail(text))
}

pub(super) fn frequency(text: &str) -> Option<String> {
    let word = text.trim();
    FREQUENCIES.iter().find(|known| known.eq_ignore_ascii_case(word)).map(|known| (*known).into())
}

/// A number from 0.0 to 1.0, with one to three digits behind the point.
pub(super) fn priority(text: &str) -> Option<String> {
    let text = text.trim();
    let sound = (1..=20).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = if sound { text.parse().ok()? } else { return None };
    if !(0.0..=1.0).contains(&value) {
        return None;
    }
    let mut spelled = format!("{value:.3}");
    while spelled.ends_with('0') && !spelled.ends_with(".0") {
        spelled.pop();
    }
    Some(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_the_rules_are_none() {
        for (text, spelled) in [
            ("0.5", Some("0.5")),
            (" 1 ", Some("1.0")),
            ("1.000", Some("1.0")),
            (".85", Some("0.85")),
            ("0", Some("0.0")),
            ("0.123456", Some("0.123")),
            ("1.1", None),
            ("-0.1", None),
            ("1e-1", None),
            ("0,5", None),
            ("NaN", None),
            ("high", None),
            (".", None),
            ("", None),
        ] {
            assert_eq!(priority(text).as_deref(), spelled, "{text}");
        }
        assert_eq!(frequency(" Daily\n").as_deref(), Some("daily"));
        assert_eq!(frequency("sometimes"), None);
    }
}
