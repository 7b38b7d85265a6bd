//! The HTML tokenizer.
//!
//! It reads the text once from left to right without backtracking, in linear time on any input.
//! Comments, raw text and malformed markup are recognised by the rules of the HTML standard.

use memchr::{memchr, memmem};

use crate::budget;

mod attribute;
mod element;
mod element_set;
mod raw_text;

pub use attribute::Attribute;
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
    /// Processes the token that the tokenizer has just read.
    fn token(&mut self, token: HtmlToken<'a>, tokenizer: &Tokenizer<'a>);
}

/// A sink that ignores all tokens.
impl TokenSink<'_> for () {
    fn token(&mut self, _token: HtmlToken<'_>, _scanner: &Tokenizer<'_>) {}
}

/// A pull tokenizer over a decoded page.
#[derive(Debug)]
pub struct Tokenizer<'a> {
    text: &'a str,
    at: usize,
    attributes: Vec<Attribute<'a>>,
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
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            attributes: Vec::new(),
            name: (0, 0),
            raw: None,
            foreign: 0,
            closed: false,
            noscript_end: 0,
        }
    }

    /// The unresolved value of an attribute of the last start tag. The first of several with the
    /// same name counts.
    #[inline]
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        let found = self.attributes.iter().find(|known| known.name.eq_ignore_ascii_case(name));
        found.map(|attribute| attribute.value)
    }

    /// All attributes of the last start tag, values unresolved.
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

    fn start_tag(&mut self, start: usize) -> Option<HtmlToken<'a>> {
        let name_end = self.name_end(start + 1);
        self.name = (start + 1, name_end);
        let element = Element::named(&self.text.as_bytes()[start + 1..], name_end - start - 1);
        let tag = attribute::read(self.text, name_end, &mut self.attributes);
        let Some(tag) = tag else {
            // A tag that is truncated by the end of the page is dropped.
            self.at = self.text.len();
            return None;
        };
        self.at = tag.end;
        self.closed = tag.self_closing && (self.is_foreign() || element.is_foreign_root());
        if element.is_raw() && !self.closed {
            self.raw = Some(element);
        } else if element == Element::Noscript && self.noscript_end <= start {
            self.noscript_end = raw_text::noscript_end(self.text.as_bytes(), self.at);
        }
        if element.is_foreign_root() && !tag.self_closing {
            self.foreign += 1;
        }
        Some(HtmlToken::Start(element))
    }

    fn end_tag(&mut self, start: usize) -> Option<HtmlToken<'a>> {
        let bytes = self.text.as_bytes();
        if !bytes.get(start + 2).is_some_and(u8::is_ascii_alphabetic) {
            return self.skip_past_bracket(start);
        }
        let name_end = self.name_end(start + 2);
        self.name = (start + 2, name_end);
        let element = Element::named(&bytes[start + 2..], name_end - start - 2);
        let tag = match bytes.get(name_end) {
            Some(b'>') => Some(name_end + 1),
            _ => attribute::read(self.text, name_end, &mut self.attributes).map(|tag| tag.end),
        };
        self.attributes.clear();
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

    #[inline]
    fn name_end(&self, from: usize) -> usize {
        let rest = &self.text.as_bytes()[from..];
        let length = rest
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
            .unwrap_or(rest.len());
        from + length
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

/// The next `<`, which mostly is the first byte because tags follow each other.
#[inline]
fn next_bracket(bytes: &[u8]) -> Option<usize> {
    if bytes.first() == Some(&b'<') { Some(0) } else { memchr(b'<', bytes) }
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
