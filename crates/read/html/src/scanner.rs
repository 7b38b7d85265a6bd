//! The HTML tokenizer, as far as a reader without a tree needs it.
//!
//! It goes through the text once, from left to right, and never looks back:
//! time is linear on any input. Comments, raw text and broken markup are told
//! apart by the rules of the HTML standard.

use memchr::{memchr, memmem};

use crate::budget;

mod attribute;
mod element;
mod raw_text;

pub use attribute::Attribute;
pub use element::Element;

/// What the scanner comes upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// Text, its character references not yet resolved.
    Text(&'a str),
    /// An element begins; its attributes can be asked for until the next token.
    Start(Element),
    /// An element ends.
    End(Element),
    /// The content of an element that holds no markup, as it stands.
    Raw(Element, &'a str),
}

/// Somebody who goes through a page along with the scanner.
pub trait Tokens<'a> {
    /// Takes what the scanner has just come upon.
    fn token(&mut self, token: Token<'a>, scanner: &Scanner<'a>);
}

/// Nobody.
impl Tokens<'_> for () {
    fn token(&mut self, _token: Token<'_>, _scanner: &Scanner<'_>) {}
}

/// Goes through a text.
#[derive(Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
    attributes: Vec<Attribute<'a>>,
    /// Where the name of the last tag begins and ends.
    name: (usize, usize),
    /// The element just begun holds no markup.
    raw: Option<Element>,
    /// How deep in `svg` or `math` we are: other rules apply there.
    foreign: usize,
    /// The element just begun ended itself.
    closed: bool,
    /// Where the `noscript` ends that we are in, or the last that we were in; 0 before the first.
    /// For a browser all of it is one text, so that nothing that begins inside lasts beyond it.
    noscript_end: usize,
}

impl<'a> Scanner<'a> {
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

    /// The raw value of an attribute of the element just begun. The first of
    /// several with one name counts.
    #[inline]
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        let found = self.attributes.iter().find(|known| known.name.eq_ignore_ascii_case(name));
        found.map(|attribute| attribute.value)
    }

    /// All attributes of the element just begun, as they stand there.
    pub fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    /// Whether the element just begun ends at once: `<path/>` does in a drawing.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The name of the element just begun or ended, as it is written.
    pub fn name(&self) -> &'a str {
        self.slice(self.name.0, self.name.1)
    }

    /// Whether we are inside a drawing or a formula.
    #[inline]
    pub fn is_foreign(&self) -> bool {
        self.foreign > 0
    }

    #[inline]
    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The next token; `None` at the end.
    pub fn next(&mut self) -> Option<Token<'a>> {
        if let Some(element) = self.raw.take() {
            let start = self.at;
            self.at = raw_text::end(self.within_noscript(), start, element);
            return Some(Token::Raw(element, self.slice(start, self.at)));
        }
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            budget::steps(1);
            let start = self.at;
            let markup = self.find_markup(start);
            if markup > start {
                self.at = markup;
                return Some(Token::Text(self.slice(start, markup)));
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

    /// The page, or as much of it as there is up to the end of the `noscript` that we are in.
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
                // `</` at the very end is text.
                Some(b'/') if at + 2 < bytes.len() => return at,
                _ => at += 1,
            }
        }
        bytes.len()
    }

    fn start_tag(&mut self, start: usize) -> Option<Token<'a>> {
        let name_end = self.name_end(start + 1);
        self.name = (start + 1, name_end);
        let element = Element::named(&self.text.as_bytes()[start + 1..], name_end - start - 1);
        let tag = attribute::read(self.text, name_end, &mut self.attributes);
        let Some(tag) = tag else {
            // A tag that the end of the page cuts off is none.
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
        Some(Token::Start(element))
    }

    fn end_tag(&mut self, start: usize) -> Option<Token<'a>> {
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
        Some(Token::End(element))
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

    /// A comment, a doctype, a CDATA section, or something odd that is skipped alike.
    fn skip_declaration(&mut self, start: usize) -> Option<Token<'a>> {
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

    fn skip_past_bracket(&mut self, start: usize) -> Option<Token<'a>> {
        let rest = &self.text.as_bytes()[start..];
        self.at = memchr(b'>', rest).map_or(self.text.len(), |end| start + end + 1);
        None
    }
}

/// Where the next `<` is. Mostly right here: a tag follows a tag.
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
