//! Interpretation of `rel` and `type` of a `<link>` or `Link` header.

use document::LinkKind;

/// The kind of a link by its `rel` and `type`; `None` if it leads to no page and no feed: style
/// sheets, icons, resource hints, APIs.
pub(super) fn kind(rel: &str, content_type: Option<&str>) -> Option<LinkKind> {
    if has_word(rel, "canonical") {
        Some(LinkKind::Canonical)
    } else if has_word(rel, "next") || has_word(rel, "prev") || has_word(rel, "previous") {
        Some(LinkKind::Pagination)
    } else if has_word(rel, "alternate") && !has_word(rel, "stylesheet") {
        let content_type = content_type.unwrap_or_default().trim();
        if content_type.is_empty() || contains_word(content_type, "html") {
            Some(LinkKind::Alternate)
        } else if contains_word(content_type, "rss") || contains_word(content_type, "atom") {
            Some(LinkKind::Feed)
        } else {
            // APIs such as oEmbed.
            None
        }
    } else if has_word(rel, "amphtml") {
        Some(LinkKind::Alternate)
    } else {
        None
    }
}

/// Whether `hreflang` applies to a link of this kind.
pub(super) fn takes_hreflang(rel: &str, kind: LinkKind) -> bool {
    // Some pages link to themselves as `rel="canonical alternate"`.
    kind == LinkKind::Alternate || (kind == LinkKind::Canonical && has_word(rel, "alternate"))
}

/// Whether a white-space separated list contains a word.
pub(super) fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether a text contains a word in any case.
fn contains_word(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rel_and_type_give_the_link_kind() {
        use LinkKind::{Alternate, Canonical, Feed, Pagination};
        for (rel, content_type, expected) in [
            ("canonical", None, Some(Canonical)),
            ("x Canonical", Some("text/html"), Some(Canonical)),
            ("next", None, Some(Pagination)),
            ("nofollow PREV", None, Some(Pagination)),
            ("previous", None, Some(Pagination)),
            ("alternate", None, Some(Alternate)),
            ("alternate", Some(" Text/HTML; charset=utf-8"), Some(Alternate)),
            ("alternate", Some("application/xhtml+xml"), Some(Alternate)),
            ("alternate", Some("application/RSS+xml"), Some(Feed)),
            ("home alternate", Some("application/atom+xml"), Some(Feed)),
            ("alternate", Some("application/json"), None),
            ("AmpHTML", None, Some(Alternate)),
            ("alternate stylesheet", None, None),
            ("stylesheet", None, None),
            ("preload", None, None),
            ("preconnect", None, None),
            ("dns-prefetch", None, None),
            ("shortcut icon", None, None),
            ("https://api.w.org/", None, None),
            ("shortlink", None, None),
            ("", None, None),
        ] {
            assert_eq!(kind(rel, content_type), expected, "{rel} {content_type:?}");
        }
    }
}
