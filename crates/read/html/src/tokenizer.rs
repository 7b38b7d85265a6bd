//! The HTML tokenizer.
//!
//! It reads the text once from left to right without backtracking, in linear time on any input.
//! Comments, raw text and malformed markup are recognised by the rules of the HTML standard.

use memchr::{memchr, memmem};

use crate::budget;
use crate::byte_block::{Vector, find_near};

mod attribute;
mod element;
mod element_set;
mod raw_text;

pub use attribute::Attribute;
use attribute::{Attributes, Tag};
pub use element::Element;
pub use element_set::ElementSet;

/// A start tag, end tag or text of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HtmlToken<'a> {
    /// Text whose character references are not resolved yet.
    Text(&'a str),
    /// A start tag; its attributes are available until the next token.
    Start(Element),
    /// An end tag, or the end of a self-closing foreign element.
    End(Element),
    /// The content of a raw text element such as `script`.
    Raw(Element, &'a str),
}

/// A consumer of tokens that reads a page in the same pass as others.
pub trait TokenSink<'a> {
    /// Whether it needs the attributes of all tags.
    const READS_ATTRIBUTES: bool = true;

    /// Processes the token that the tokenizer has just read.
    fn token(&mut self, token: HtmlToken<'a>, tokenizer: &Tokenizer<'a>);
}

/// A sink that ignores all tokens.
impl TokenSink<'_> for () {
    const READS_ATTRIBUTES: bool = false;

    fn token(&mut self, _token: HtmlToken<'_>, _scanner: &Tokenizer<'_>) {}
}

/// A pull tokenizer over a decoded page.
#[derive(Debug)]
pub struct Tokenizer<'a> {
    text: &'a str,
    at: usize,
    /// The attributes of the last start tag, unless they are parsed on demand.
    attributes: Vec<Attribute<'a>>,
    on_demand: bool,
    /// Where the attributes of the last start tag begin, if they are parsed on demand; `None` after
    /// an end tag.
    unread: Option<usize>,
    /// Byte range of the name of the last tag.
    name: (usize, usize),
    /// The raw text element whose content comes next.
    raw: Option<Element>,
    /// Depth in `svg` or `math`, where other rules apply.
    foreign: usize,
    /// The last start tag was self-closing.
    closed: bool,
    /// End of the current or last `noscript`; 0 before the first. A browser reads its content as
    /// one text, so that no token in it extends beyond its end.
    noscript_end: usize,
}

impl<'a> Tokenizer<'a> {
    /// A tokenizer that parses the attributes of all tags.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            attributes: Vec::new(),
            on_demand: false,
            unread: None,
            name: (0, 0),
            raw: None,
            foreign: 0,
            closed: false,
            noscript_end: 0,
        }
    }

    /// A tokenizer that parses attributes when [`Self::attribute`] asks for them: most tags are read
    /// by name only. [`Self::attributes`] is empty.
    pub fn with_attributes_on_demand(text: &'a str) -> Self {
        Self { on_demand: true, ..Self::new(text) }
    }

    /// The unresolved value of an attribute of the last start tag. The first of several with the
    /// same name counts.
    #[inline]
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        let [value] = self.attribute_values([name]);
        value
    }

    /// The unresolved values of several attributes of the last start tag, read in one pass.
    #[inline]
    pub fn attribute_values<const N: usize>(&self, names: [&str; N]) -> [Option<&'a str>; N] {
        if let Some(from) = self.unread {
            find_values(Attributes::new(self.text, from), names)
        } else {
            find_values(self.attributes.iter().copied(), names)
        }
    }

    /// All attributes of the last start tag, values unresolved; none if they are parsed on demand.
    pub fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    /// Whether the last start tag closes itself: `<path/>` does in `svg`.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The name of the last tag as written.
    pub fn name(&self) -> &'a str {
        self.slice(self.name.0, self.name.1)
    }

    /// Whether the position is inside of `svg` or `math`.
    #[inline]
    pub fn is_foreign(&self) -> bool {
        self.foreign > 0
    }

    #[inline]
    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The next token; `None` at the end.
    #[inline]
    pub fn next_token(&mut self) -> Option<HtmlToken<'a>> {
        if let Some(element) = self.raw.take() {
            let start = self.at;
            self.at = raw_text::end(self.within_noscript(), start, element);
            return Some(HtmlToken::Raw(element, self.slice(start, self.at)));
        }
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            budget::steps(1);
            let start = self.at;
            let markup = self.find_markup(start);
            if markup > start {
                self.at = markup;
                return Some(HtmlToken::Text(self.slice(start, markup)));
            }
            let token = match bytes.get(start + 1) {
                Some(b'!') => self.skip_declaration(start),
                Some(b'/') => self.end_tag(start),
                Some(b'?') => self.skip_past_bracket(start),
                _ => self.start_tag(start),
            };
            if token.is_some() {
                return token;
            }
        }
        None
    }

    /// The page up to the end of the current `noscript`, or all of it.
    fn within_noscript(&self) -> &'a [u8] {
        let bytes = self.text.as_bytes();
        let is_inside = self.noscript_end > 0 && self.at <= self.noscript_end;
        if is_inside { &bytes[..self.noscript_end] } else { bytes }
    }

    /// Where the next markup begins; a `<` that begins none is text.
    #[inline]
    fn find_markup(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(found) = bytes.get(at..).and_then(next_bracket) {
            at += found;
            match bytes.get(at + 1) {
                Some(b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z') => return at,
                // `</` at the end of the page is text.
                Some(b'/') if at + 2 < bytes.len() => return at,
                _ => at += 1,
            }
        }
        bytes.len()
    }

    #[inline(always)]
    fn start_tag(&mut self, start: usize) -> Option<HtmlToken<'a>> {
        let bytes = self.text.as_bytes();
        let (element, name_end) = self.tag_name(start + 1);
        let tag = if bytes.get(name_end) == Some(&b'>') {
            self.attributes.clear();
            self.unread = None;
            Some(Tag { end: name_end + 1, self_closing: false })
        } else if self.on_demand {
            self.unread = Some(name_end);
            attribute::tag_end(bytes, name_end)
        } else {
            attribute::read(self.text, name_end, &mut self.attributes)
        };
        let Some(tag) = tag else {
            // A tag that is truncated by the end of the page is dropped.
            self.at = bytes.len();
            return None;
        };
        self.at = tag.end;
        self.closed = tag.self_closing && (self.is_foreign() || element.is_foreign_root());
        if element.changes_rules() {
            self.change_rules(element, start, tag.self_closing);
        }
        Some(HtmlToken::Start(element))
    }

    /// Sets the rules for the content of the element whose start tag was read.
    fn change_rules(&mut self, element: Element, start: usize, self_closing: bool) {
        if element.is_raw() && !self.closed {
            self.raw = Some(element);
        } else if element == Element::Noscript && self.noscript_end <= start {
            self.noscript_end = raw_text::noscript_end(self.text.as_bytes(), self.at);
        }
        if element.is_foreign_root() && !self_closing {
            self.foreign += 1;
        }
    }

    #[inline(always)]
    fn end_tag(&mut self, start: usize) -> Option<HtmlToken<'a>> {
        let bytes = self.text.as_bytes();
        if !bytes.get(start + 2).is_some_and(u8::is_ascii_alphabetic) {
            return self.skip_past_bracket(start);
        }
        let (element, name_end) = self.tag_name(start + 2);
        self.attributes.clear();
        self.unread = None;
        let tag = match bytes.get(name_end) {
            Some(b'>') => Some(name_end + 1),
            _ => attribute::any_tag_end(bytes, name_end).map(|tag| tag.end),
        };
        let Some(end) = tag else {
            self.at = bytes.len();
            return None;
        };
        self.at = end;
        if element.is_foreign_root() {
            self.foreign = self.foreign.saturating_sub(1);
        }
        Some(HtmlToken::End(element))
    }

    /// Reads the name at `from`: its element and where it ends.
    #[inline(always)]
    fn tag_name(&mut self, from: usize) -> (Element, usize) {
        let rest = &self.text.as_bytes()[from..];
        let length = name_length(rest);
        self.name = (from, from + length);
        (Element::named(rest, length), from + length)
    }

    /// Skips a comment, doctype, CDATA section or bogus comment.
    fn skip_declaration(&mut self, start: usize) -> Option<HtmlToken<'a>> {
        let rest = &self.text.as_bytes()[start..];
        if rest.starts_with(b"<!--") {
            self.at = start + comment_length(&self.within_noscript()[start..]);
            None
        } else if self.is_foreign() && rest.starts_with(b"<![CDATA[") {
            self.at = memmem::find(rest, b"]]>").map_or(self.text.len(), |end| start + end + 3);
            None
        } else {
            self.skip_past_bracket(start)
        }
    }

    fn skip_past_bracket(&mut self, start: usize) -> Option<HtmlToken<'a>> {
        let rest = &self.text.as_bytes()[start..];
        self.at = memchr(b'>', rest).map_or(self.text.len(), |end| start + end + 1);
        None
    }
}

/// The values of the attributes with these names.
#[inline]
fn find_values<'a, const N: usize>(
    attributes: impl Iterator<Item = Attribute<'a>>,
    names: [&str; N],
) -> [Option<&'a str>; N] {
    let mut values = [None; N];
    let mut missing = N;
    for attribute in attributes {
        for (name, value) in names.iter().zip(&mut values) {
            if value.is_none() && attribute.name.eq_ignore_ascii_case(name) {
                *value = Some(attribute.value);
                missing -= 1;
            }
        }
        if missing == 0 {
            break;
        }
    }
    values
}

/// The next `<`, which mostly is the first byte because tags follow each other.
#[inline]
fn next_bracket(bytes: &[u8]) -> Option<usize> {
    if bytes.first() == Some(&b'<') { Some(0) } else { find_near(b'<', bytes) }
}

/// The length of the tag name that `bytes` begin with.
#[inline]
fn name_length(bytes: &[u8]) -> usize {
    let ends = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    if let Some(first) = bytes.first_chunk() {
        let first = Vector::load(first);
        // Also finds control characters, which are part of a name.
        let found = first.equal_either(b'/', b'>') | first.between(0, b' ');
        let length = found.trailing_zeros() as usize;
        if bytes.get(length).is_some_and(|byte| found != 0 && ends(*byte)) {
            return length;
        }
    }
    bytes.iter().position(|byte| ends(*byte)).unwrap_or(bytes.len())
}

/// The length of the comment that `text` begins with.
fn comment_length(text: &[u8]) -> usize {
    let inside = &text[4..];
    if inside.starts_with(b">") {
        return 5;
    }
    if inside.starts_with(b"->") {
        return 6;
    }
    let mut at = 4;
    while let Some(found) = memmem::find(&text[at..], b"--") {
        at += found;
        match text.get(at + 2..) {
            Some([b'>', ..]) => return at + 3,
            Some([b'!', b'>', ..]) => return at + 4,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests;
