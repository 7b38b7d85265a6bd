//! Recognises print views by their URL: they have the same text as the normal page, which is preferred.
//! Only the order of a run depends on it, so that a wrong guess costs nothing.

use crate::CanonicalUrl;

/// Query parameters whose value indicates a print view.
const MEMBERS: &[&str] = &["action", "format", "layout", "mode", "output", "style", "view"];

/// Query parameters whose name indicates a print view.
const NAMES: &[&str] = &["print", "printable", "printview", "printer", "print_view"];

/// Whether a URL looks like that of a print view.
#[must_use]
pub fn is_print_view(url: &CanonicalUrl) -> bool {
    let is_print = |word: &str| {
        ["print", "printable", "printview", "print-view", "printer-friendly"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(word))
    };
    let mut segments = url.path().split('/').map(|segment| {
        let stem = segment.rsplit_once('.').map_or(segment, |(stem, _)| stem);
        let last = stem.rsplit_once(['-', '_', '.']).map_or(stem, |(_, last)| last);
        is_print(stem) || is_print(last)
    });
    let query = url.query().unwrap_or_default();
    segments.any(|is_print| is_print)
        || query.split('&').any(|member| {
            let (name, value) = member.split_once('=').unwrap_or((member, ""));
            let is = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(name));
            (is(NAMES) && !matches!(value, "0" | "no" | "false"))
                || (is(MEMBERS) && is_print(value))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn print_views_are_recognised_by_their_url() {
        for (path, is_print) in [
            ("/article/print", true),
            ("/print/article", true),
            ("/article-print.html", true),
            ("/article.print.html", true),
            ("/article?print=1", true),
            ("/article?id=7&view=print", true),
            ("/article?print", true),
            ("/article?print=0", false),
            ("/article", false),
            ("/blueprint", false),
            ("/printers/laser", false),
            ("/article?view=list", false),
        ] {
            let url = CanonicalUrl::parse(&format!("https://a.test{path}")).unwrap();
            assert_eq!(is_print_view(&url), is_print, "{path}");
        }
    }
}
