//! URLs of links: absolute, without tracking parameters, with their fragment.

use std::fmt::Write as _;

use urls::CanonicalUrl;

use html::dom::{Dom, Element, NodeId};
use html::url_budget::UrlBudget;

/// Maximum length of a fragment, and of a URL of another scheme.
const MAX_FREE_BYTES: usize = 2_048;

/// Schemes that lead nowhere outside of the browser.
const DEAD_SCHEMES: &[&str] =
    &["javascript", "data", "vbscript", "about", "blob", "file", "view-source", "chrome"];

/// The base URL of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    url: Option<CanonicalUrl>,
}

impl BaseUrl {
    /// The `<base>` of the page at `url`, or `url` itself.
    pub fn of(dom: &Dom<'_>, url: &CanonicalUrl) -> Self {
        let named = dom
            .descendants(NodeId::ROOT)
            .take_while(|id| !dom.is(*id, Element::Body))
            .filter(|id| dom.is(*id, Element::Base))
            .find_map(|id| dom.attribute(id, "href"));
        let url = named.and_then(|href| url.join(&href).ok()).unwrap_or_else(|| url.clone());
        Self { url: Some(url) }
    }

    /// The fragment of a link within the page.
    pub fn fragment<'h>(&self, href: &'h str) -> Option<&'h str> {
        let (page, fragment) = href.split_once('#')?;
        let is_own = || self.url.as_ref().is_some_and(|url| url.as_str() == page);
        (page.is_empty() || is_own()).then_some(fragment)
    }

    /// The base of a page at `url` without a `<base>`.
    #[cfg(test)]
    pub fn at(url: &CanonicalUrl) -> Self {
        Self { url: Some(url.clone()) }
    }

    /// No base: URLs are not resolved.
    #[cfg(test)]
    pub const fn none() -> Self {
        Self { url: None }
    }
}

/// Resolves URLs within the [`UrlBudget`] of the page.
#[derive(Debug)]
pub(super) struct UrlResolver<'b> {
    pub base: &'b BaseUrl,
    budget: UrlBudget,
    /// Some URLs were dropped because the budget is exhausted.
    pub exhausted: bool,
}

impl<'b> UrlResolver<'b> {
    pub fn new(base: &'b BaseUrl, page_bytes: usize) -> Self {
        Self { base, budget: UrlBudget::for_page(page_bytes), exhausted: false }
    }

    /// The URL to write; `None` if it leads nowhere.
    pub fn resolve(&mut self, href: &str) -> Option<String> {
        let href = href.trim_matches(|c: char| c <= ' ');
        if href.is_empty() {
            return None;
        }
        let scheme = scheme(href);
        if scheme.is_some_and(|name| DEAD_SCHEMES.iter().any(|bad| bad.eq_ignore_ascii_case(name)))
        {
            return None;
        }
        let (url, fragment) = href.split_once('#').unwrap_or((href, ""));
        let mut written = match (&self.base.url, scheme) {
            (Some(base), None) => {
                self.spend(base.as_str(), url)?;
                if url.is_empty() {
                    base.as_str().to_owned()
                } else {
                    base.join(url).ok()?.in_order_of(url)
                }
            }
            (Some(_), Some("http" | "https" | "HTTP" | "HTTPS")) => {
                self.spend("", url)?;
                CanonicalUrl::parse(url).ok()?.in_order_of(url)
            }
            (Some(_), Some(_)) | (None, _) if url.len() <= MAX_FREE_BYTES => percent_encoded(url),
            (Some(_), Some(_)) | (None, _) => return None,
        };
        if !fragment.is_empty() && fragment.len() <= MAX_FREE_BYTES {
            // A text fragment describes how a visitor came to the page.
            let fragment = fragment.split(":~:").next().unwrap_or_default();
            if !fragment.is_empty() {
                written.push('#');
                written.push_str(&percent_encoded(fragment));
            }
        }
        Some(written).filter(|written| !written.is_empty())
    }

    fn spend(&mut self, base: &str, url: &str) -> Option<()> {
        let spent = self.budget.spend(base, url);
        self.exhausted |= spent.is_none();
        spent
    }
}

/// The scheme of a URL; `None` if it is relative.
fn scheme(href: &str) -> Option<&str> {
    let (name, _) = href.split_once(':')?;
    let sound = name.len() <= 32
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    sound.then_some(name)
}

/// Percent-encodes characters that are not allowed in a URL.
fn percent_encoded(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\0'..=' ' | '"' | '<' | '>' | '`' | '\\' | '\u{7f}' => {
                // Writing to a String cannot fail.
                let _ = write!(written, "%{:02X}", u32::from(character));
            }
            _ => written.push(character),
        }
    }
    written
}
