//! Detection of soft 404s: error pages with a status of success.

use document::Page;
use text::phrase_list;
use text::vocabulary::TermList;

/// A page with more words is no error page, whatever its title.
const MAX_WORDS: u64 = 150;

/// Titles of error pages in lower case.
static PHRASES: TermList = phrase_list!("error_titles.txt");

static NUMBER_PREFIXES: TermList = phrase_list!("error_number_prefixes.txt");
static NUMBER_SUFFIXES: TermList = phrase_list!("error_number_suffixes.txt");

/// Whether a page is an error page with a status of success. `words` is the word count of its text.
#[must_use]
pub fn is_soft_404(page: &Page, words: u64) -> bool {
    if words > MAX_WORDS {
        return false;
    }
    [&page.title, &page.h1].into_iter().flatten().any(|name| {
        let name = name.to_lowercase();
        is_404_title(&name) || PHRASES.iter().any(|phrase| name.contains(phrase))
    })
}

/// `404`, `404 - Acme`, `Error 404`, `404 not found`, but not `404 Main Street`.
fn is_404_title(name: &str) -> bool {
    let mut name = name.trim();
    let mut announced = false;
    while let Some(rest) = NUMBER_PREFIXES.iter().find_map(|word| name.strip_prefix(word)) {
        name = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        announced = true;
    }
    let Some(rest) = name.strip_prefix("404") else { return name == "not found" };
    if rest.starts_with(|c: char| c.is_alphanumeric()) {
        return false;
    }
    let next = rest.trim_start();
    announced
        || next.is_empty()
        || next.starts_with(|c: char| !c.is_alphanumeric())
        || NUMBER_SUFFIXES.iter().any(|word| next.starts_with(word))
}

#[cfg(test)]
mod tests {
    use urls::CanonicalUrl;

    use super::*;
    use crate::{PageHead, PageLimits};

    fn is_detected(html: &str, words: u64) -> bool {
        let url = CanonicalUrl::parse("https://site.test/x").expect("a URL");
        let page =
            crate::read_page(html.as_bytes(), &PageHead::default(), &url, &PageLimits::default());
        is_soft_404(&page, words)
    }

    #[test]
    fn error_titles_are_soft_404s() {
        for title in [
            "404",
            "404 - Acme",
            "Error 404 | Acme",
            "404 Not Found",
            "Acme: Page not found",
            "Seite nicht gefunden – Acme",
            "Oops! 404",
            "Not Found",
        ] {
            assert!(is_detected(&format!("<title>{title}</title>"), 20), "{title}");
            assert!(is_detected(&format!("<title>Acme</title><h1>{title}</h1>"), 20), "{title}");
        }
    }

    #[test]
    fn pages_about_errors_are_no_soft_404s() {
        for title in ["404 Main Street", "Peugeot 404", "4040 things", "How we found it", "Acme"] {
            assert!(!is_detected(&format!("<title>{title}</title>"), 20), "{title}");
        }
        assert!(
            !is_detected("<title>404 Not Found</title>", 900),
            "a manual explains it at length"
        );
    }
}
