//! The fields of an entry: element names and validation.

use super::date;

/// The change frequencies of sitemaps.org.
const FREQUENCIES: [&str; 7] =
    ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"];

/// The field that the text of an element belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SitemapField {
    /// `<loc>` or the link of a feed item.
    Url,
    /// The id of a feed item, which may be its URL.
    Permalink,
    /// Time of the last change.
    Changed,
    /// Time of publication, used if no change is given.
    Published,
    Frequency,
    Priority,
    Image,
    Video,
}

/// The part of an entry that contains an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryPart {
    Page,
    Image,
    Video,
    /// An extension that is not read, such as news.
    Other,
}

impl SitemapField {
    /// The field of an element of a sitemap. Prefixes are arbitrary in XML; the usual ones help if
    /// an extension is misplaced.
    pub(super) fn of_sitemap(part: EntryPart, prefix: &str, name: &str) -> Option<Self> {
        match (part, prefix, name) {
            (EntryPart::Image, _, "loc") | (EntryPart::Page, "image", "loc") => Some(Self::Image),
            (EntryPart::Video, _, "content_loc" | "player_loc")
            | (EntryPart::Page, "video", "content_loc" | "player_loc") => Some(Self::Video),
            (EntryPart::Page, "video" | "news" | "xhtml" | "mobile", _) => None,
            (EntryPart::Page, _, "loc") => Some(Self::Url),
            (EntryPart::Page, _, "lastmod") => Some(Self::Changed),
            (EntryPart::Page, _, "changefreq") => Some(Self::Frequency),
            (EntryPart::Page, _, "priority") => Some(Self::Priority),
            (EntryPart::Page | EntryPart::Image | EntryPart::Video | EntryPart::Other, ..) => None,
        }
    }

    /// The field of an element of an RSS item.
    pub(super) fn of_rss(part: EntryPart, prefix: &str, name: &str) -> Option<Self> {
        match (part, prefix, name) {
            // `atom:link` has its URL in an attribute, and mostly a different one.
            (EntryPart::Page, "" | "rss", "link") => Some(Self::Url),
            (EntryPart::Page, "" | "rss", "guid") => Some(Self::Permalink),
            (EntryPart::Page, "" | "rss", "pubDate") => Some(Self::Published),
            (EntryPart::Page, "dc", "date") => Some(Self::Published),
            (EntryPart::Page, "dcterms", "modified") | (EntryPart::Page, "atom", "updated") => {
                Some(Self::Changed)
            }
            _ => None,
        }
    }

    /// The field of an element of an Atom entry.
    pub(super) fn of_atom(part: EntryPart, prefix: &str, name: &str) -> Option<Self> {
        match (part, prefix, name) {
            (EntryPart::Page, "" | "atom", "updated") => Some(Self::Changed),
            (EntryPart::Page, "" | "atom", "published") => Some(Self::Published),
            _ => None,
        }
    }
}

/// A date in W3C or RFC 822 format.
pub(super) fn date(text: &str) -> Option<String> {
    date::w3c(text).or_else(|| date::rfc822(text))
}

pub(super) fn frequency(text: &str) -> Option<String> {
    let word = text.trim();
    FREQUENCIES.iter().find(|known| known.eq_ignore_ascii_case(word)).map(|known| (*known).into())
}

/// A number from 0.0 to 1.0 with one to three decimals.
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
    fn invalid_field_values_are_dropped() {
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
