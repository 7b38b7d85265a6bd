//! What a page is about, in its own words: the names it goes by and its addresses. Data
//! about another product than the page's is told by it.

use hashbrown::HashSet;
use urls::CanonicalUrl;

/// How many names a page goes by at most.
const MAX_NAMES: usize = 6;

/// How many words of a name are compared.
const MAX_WORDS: usize = 64;

/// What a page is about.
#[derive(Debug, Default)]
pub(super) struct Subject {
    /// The heading first, then the titles.
    names: Vec<Name>,
    urls: Vec<String>,
    /// The last part of the page's own path.
    slug: Option<String>,
    site: Option<String>,
    /// Whether the page has a heading that is no title.
    pub has_heading: bool,
}

#[derive(Debug)]
struct Name {
    /// Its words in small letters, a space around each.
    spaced: String,
    words: HashSet<String>,
}

/// How surely something is about the page's product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// It says that it is about something else.
    Other,
    /// It does not say.
    Open,
    /// Some of its name agrees.
    Akin,
    Same,
}

impl Subject {
    pub fn new(url: &CanonicalUrl, canonical: Option<&CanonicalUrl>) -> Self {
        let mut subject = Self::default();
        for url in [Some(url), canonical].into_iter().flatten() {
            subject.urls.push(bare_address(url.as_str()).to_owned());
        }
        let path = bare_address(url.as_str());
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let last = last.split('.').next().unwrap_or_default();
        subject.slug = Some(last.to_ascii_lowercase()).filter(|slug| slug.len() > 2);
        subject
    }

    /// The name of the site is that of none of its pages.
    pub fn set_site(&mut self, name: &str) {
        self.site = Some(name.to_owned());
    }

    pub fn is_site(&self, name: &str) -> bool {
        self.site.as_ref().is_some_and(|site| site.eq_ignore_ascii_case(name))
    }

    pub fn add_name(&mut self, name: &str) {
        if self.names.len() < MAX_NAMES
            && let Some(name) = Name::of(name)
        {
            self.names.push(name);
        }
    }

    /// How surely a thing of this name is the page's.
    pub fn names_it(&self, name: &str) -> Likeness {
        let Some(name) = Name::of(name) else { return Likeness::Open };
        let likeness = |known: &Name| known.likeness(&name);
        self.names.iter().map(likeness).max().unwrap_or(Likeness::Open)
    }

    /// How surely a thing at this address is the page's.
    pub fn is_at(&self, address: &str) -> Likeness {
        let address = address.trim();
        if address.is_empty() || address.starts_with('#') {
            return Likeness::Open;
        }
        let bare = bare_address(address);
        let is_same = |known: &String| {
            known == bare || (bare.starts_with('/') && bare.len() > 2 && known.ends_with(bare))
        };
        if self.urls.iter().any(is_same) { Likeness::Same } else { Likeness::Other }
    }

    /// Whether the page's path ends in this part.
    pub fn has_slug(&self, slug: &str) -> bool {
        self.slug.as_ref().is_some_and(|known| known.eq_ignore_ascii_case(slug))
    }
}

impl Name {
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

    fn likeness(&self, other: &Self) -> Likeness {
        let (long, short) =
            if self.spaced.len() >= other.spaced.len() { (self, other) } else { (other, self) };
        if long.spaced == short.spaced {
            return Likeness::Same;
        }
        let is_unspaced = short.spaced.chars().any(is_unspaced);
        let needle = if is_unspaced { short.spaced.trim() } else { short.spaced.as_str() };
        let both = self.words.intersection(&other.words).count();
        let fewer = self.words.len().min(other.words.len()).max(1);
        // One word alone may be the name of a whole category.
        let is_enough = short.words.len() > 1 || 2 * short.spaced.len() >= long.spaced.len();
        match both {
            _ if long.spaced.contains(needle) && is_enough => Likeness::Same,
            // Most words, and not by one that two names share by chance.
            _ if both * 3 >= fewer * 2 && both > 1 => Likeness::Same,
            _ if both * 2 >= fewer && both > 0 => Likeness::Akin,
            _ => Likeness::Other,
        }
    }
}

/// Letters of scripts that are written without spaces.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// An address without scheme, query and fragment.
fn bare_address(address: &str) -> &str {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let address = &address[..end];
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let address = address.strip_prefix("//").unwrap_or(address);
    let address = address.strip_prefix("www.").unwrap_or(address);
    if address.len() > 1 { address.trim_end_matches('/') } else { address }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(names: &[&str]) -> Subject {
        let url = CanonicalUrl::parse("https://www.shop.test/p/blue-kettle.html?x=1");
        let mut subject = Subject::new(&url.expect("a URL"), None);
        names.iter().for_each(|name| subject.add_name(name));
        subject
    }

    #[test]
    fn a_product_is_known_by_its_name() {
        let subject = subject(&["Blue Kettle 2 l", "万年筆 あけぼの"]);
        for (name, likeness) in [
            ("Blue Kettle 2 l", Likeness::Same),
            ("Acme Blue Kettle, 2 l", Likeness::Same),
            ("blue kettle", Likeness::Same),
            ("Kettle", Likeness::Akin),
            ("Kettle Green", Likeness::Akin),
            ("Toaster", Likeness::Other),
            ("北斗 万年筆 あけぼの", Likeness::Same),
            ("はさみ", Likeness::Other),
            ("  ", Likeness::Open),
        ] {
            assert_eq!(subject.names_it(name), likeness, "{name}");
        }
    }

    #[test]
    fn and_by_its_address() {
        let subject = subject(&[]);
        assert_eq!(subject.is_at("http://shop.test/p/blue-kettle.html#a"), Likeness::Same);
        assert_eq!(subject.is_at("/p/blue-kettle.html"), Likeness::Same);
        assert_eq!(subject.is_at("/p/red-kettle.html"), Likeness::Other);
        assert!(subject.has_slug("Blue-Kettle"));
    }
}
