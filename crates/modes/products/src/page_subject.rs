//! The subject of a page: its names and URLs. It distinguishes data about the product of the page
//! from data about other products.

use hashbrown::HashSet;
use urls::CanonicalUrl;

/// The maximum number of names of a page.
const MAX_NAMES: usize = 6;

/// How many words of a name are compared.
const MAX_WORDS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct PageSubject {
    /// The heading first, then the titles.
    names: Vec<NameTokens>,
    urls: Vec<String>,
    /// The last segment of the path, without its extension.
    slug: Option<String>,
    site: Option<String>,
    /// Whether the page has a main heading, apart from its title.
    pub has_heading: bool,
}

#[derive(Debug)]
struct NameTokens {
    /// The words in lower case, with a space around each.
    spaced: String,
    words: HashSet<String>,
}

/// How well a name or URL matches the subject of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SubjectMatch {
    /// It belongs to something else.
    Different,
    /// It has no name or URL to compare.
    Unknown,
    /// At least half of the words agree.
    Partial,
    Same,
}

impl PageSubject {
    pub fn new(url: &CanonicalUrl, canonical: Option<&CanonicalUrl>) -> Self {
        let mut subject = Self::default();
        for url in [Some(url), canonical].into_iter().flatten() {
            subject.urls.push(bare_url(url.as_str()).to_owned());
        }
        let path = bare_url(url.as_str());
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let last = last.split('.').next().unwrap_or_default();
        subject.slug = Some(last.to_ascii_lowercase()).filter(|slug| slug.len() > 2);
        subject
    }

    /// Sets the name of the site, which is not the name of a product.
    pub fn set_site(&mut self, name: &str) {
        self.site = Some(name.to_owned());
    }

    pub fn is_site(&self, name: &str) -> bool {
        self.site.as_ref().is_some_and(|site| site.eq_ignore_ascii_case(name))
    }

    pub fn add_name(&mut self, name: &str) {
        if self.names.len() < MAX_NAMES
            && let Some(name) = NameTokens::of(name)
        {
            self.names.push(name);
        }
    }

    /// How well this name matches the names of the page.
    pub fn match_name(&self, name: &str) -> SubjectMatch {
        let Some(name) = NameTokens::of(name) else { return SubjectMatch::Unknown };
        let compare = |known: &NameTokens| known.compare(&name);
        self.names.iter().map(compare).max().unwrap_or(SubjectMatch::Unknown)
    }

    /// How well this URL matches the URLs of the page.
    pub fn match_url(&self, url: &str) -> SubjectMatch {
        let url = url.trim();
        if url.is_empty() || url.starts_with('#') {
            return SubjectMatch::Unknown;
        }
        let bare = bare_url(url);
        let is_same = |known: &String| {
            known == bare || (bare.starts_with('/') && bare.len() > 2 && known.ends_with(bare))
        };
        if self.urls.iter().any(is_same) { SubjectMatch::Same } else { SubjectMatch::Different }
    }

    /// Whether the path of the page ends in this segment.
    pub fn has_slug(&self, slug: &str) -> bool {
        self.slug.as_ref().is_some_and(|known| known.eq_ignore_ascii_case(slug))
    }
}

impl NameTokens {
    fn of(name: &str) -> Option<Self> {
        let mut words = HashSet::new();
        let mut spaced = String::from(" ");
        for word in name.split(|letter: char| !letter.is_alphanumeric()).take(MAX_WORDS) {
            if word.is_empty() {
                continue;
            }
            let word = word.to_lowercase();
            spaced.push_str(&word);
            spaced.push(' ');
            if word.chars().any(is_unspaced) {
                let letters: Vec<char> = word.chars().collect();
                words.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
                words.extend((letters.len() == 1).then_some(word));
            } else {
                words.insert(word);
            }
        }
        (spaced.len() > 1).then_some(Self { spaced, words })
    }

    fn compare(&self, other: &Self) -> SubjectMatch {
        let (long, short) =
            if self.spaced.len() >= other.spaced.len() { (self, other) } else { (other, self) };
        if long.spaced == short.spaced {
            return SubjectMatch::Same;
        }
        let is_unspaced = short.spaced.chars().any(is_unspaced);
        let needle = if is_unspaced { short.spaced.trim() } else { short.spaced.as_str() };
        let both = self.words.intersection(&other.words).count();
        let fewer = self.words.len().min(other.words.len()).max(1);
        // A single word may be the name of a category.
        let is_enough = short.words.len() > 1 || 2 * short.spaced.len() >= long.spaced.len();
        match both {
            _ if long.spaced.contains(needle) && is_enough => SubjectMatch::Same,
            // Most words agree, and more than one.
            _ if both * 3 >= fewer * 2 && both > 1 => SubjectMatch::Same,
            _ if both * 2 >= fewer && both > 0 => SubjectMatch::Partial,
            _ => SubjectMatch::Different,
        }
    }
}

/// Letters of scripts that are written without spaces.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// A URL without scheme, `www.`, query and fragment.
fn bare_url(url: &str) -> &str {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = &url[..end];
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let url = url.strip_prefix("//").unwrap_or(url);
    let url = url.strip_prefix("www.").unwrap_or(url);
    if url.len() > 1 { url.trim_end_matches('/') } else { url }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(names: &[&str]) -> PageSubject {
        let url = CanonicalUrl::parse("https://www.shop.test/p/blue-kettle.html?x=1");
        let mut subject = PageSubject::new(&url.expect("a URL"), None);
        names.iter().for_each(|name| subject.add_name(name));
        subject
    }

    #[test]
    fn names_are_matched_with_the_names_of_the_page() {
        let subject = subject(&["Blue Kettle 2 l", "万年筆 あけぼの"]);
        for (name, expected) in [
            ("Blue Kettle 2 l", SubjectMatch::Same),
            ("Acme Blue Kettle, 2 l", SubjectMatch::Same),
            ("blue kettle", SubjectMatch::Same),
            ("Kettle", SubjectMatch::Partial),
            ("Kettle Green", SubjectMatch::Partial),
            ("Toaster", SubjectMatch::Different),
            ("北斗 万年筆 あけぼの", SubjectMatch::Same),
            ("はさみ", SubjectMatch::Different),
            ("  ", SubjectMatch::Unknown),
        ] {
            assert_eq!(subject.match_name(name), expected, "{name}");
        }
    }

    #[test]
    fn urls_are_matched_with_the_url_of_the_page() {
        let subject = subject(&[]);
        assert_eq!(subject.match_url("http://shop.test/p/blue-kettle.html#a"), SubjectMatch::Same);
        assert_eq!(subject.match_url("/p/blue-kettle.html"), SubjectMatch::Same);
        assert_eq!(subject.match_url("/p/red-kettle.html"), SubjectMatch::Different);
        assert!(subject.has_slug("Blue-Kettle"));
    }
}
