//! CSS selectors of `options.include_selectors` and `options.exclude_selectors`.
//!
//! They are a part of CSS: names of elements, `*`, `.class`, `#id`, attributes, descendants, children
//! (`>`) and commas. Their number is bounded, so that the crate `page` matches them in a bounded time
//! per element. Everything else of CSS is an error that says so.

use std::fmt;

/// Maximum number of selectors in a list.
pub(crate) const MAX_SELECTORS: usize = 50;

/// Maximum length of a selector, in bytes.
const MAX_BYTES: usize = 200;

/// Why a text is no selector.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SelectorError {
    /// The character of the text where the error is, from 1.
    position: usize,
    message: &'static str,
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "is invalid at character {}: {}", self.position, self.message)
    }
}

/// Selectors, compiled. An element is selected if one of them matches it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CssSelectors {
    texts: Vec<String>,
    steps: Vec<SelectorStep>,
}

/// One element of a selector. The first step of a selector is its outermost element, the last one
/// is the element that is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorStep {
    pub place: StepPlace,
    /// Whether a selector ends with this step.
    pub is_last: bool,
    /// The name of the element in lower case; any element if there is none.
    pub element: Option<String>,
    /// Of its attributes, classes and ids among them.
    pub tests: Vec<AttributeTest>,
}

/// Where the element of a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepPlace {
    /// Anywhere: the first step of a selector.
    Anywhere,
    /// Within the element of the step before.
    Descendant,
    /// Directly within the element of the step before.
    Child,
}

/// A condition on an attribute of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeTest {
    /// The name of the attribute in lower case.
    pub name: String,
    pub operator: AttributeOperator,
    pub value: String,
}

/// How the value of an attribute is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeOperator {
    /// `[name]`: the element has the attribute.
    Exists,
    /// `[name=value]`: the whole value.
    Equals,
    /// `[name~=value]`: one of its words.
    HasWord,
    /// `[name|=value]`: the value, or it with a hyphen after it.
    HasLanguage,
    /// `[name^=value]`: the start of it.
    StartsWith,
    /// `[name$=value]`: the end of it.
    EndsWith,
    /// `[name*=value]`: any part of it.
    Contains,
}

impl AttributeOperator {
    /// The operator before `=`, and how it compares.
    const SIGNS: [(char, Self); 5] = [
        ('~', Self::HasWord),
        ('|', Self::HasLanguage),
        ('^', Self::StartsWith),
        ('$', Self::EndsWith),
        ('*', Self::Contains),
    ];
}

impl AttributeTest {
    /// Whether an attribute with this value passes.
    #[must_use]
    pub fn passes(&self, found: &str) -> bool {
        let value = self.value.as_str();
        match self.operator {
            AttributeOperator::Exists => true,
            AttributeOperator::Equals => found == value,
            AttributeOperator::HasWord => found.split_ascii_whitespace().any(|word| word == value),
            AttributeOperator::HasLanguage => found
                .strip_prefix(value)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
            // An empty value matches nothing (Selectors Level 4, 6.2).
            AttributeOperator::StartsWith => !value.is_empty() && found.starts_with(value),
            AttributeOperator::EndsWith => !value.is_empty() && found.ends_with(value),
            AttributeOperator::Contains => !value.is_empty() && found.contains(value),
        }
    }
}

impl CssSelectors {
    /// Maximum number of steps of all selectors of a list.
    pub const MAX_STEPS: usize = 256;

    /// Compiles selectors. Those that are invalid are left out: requests are checked before.
    #[must_use]
    pub fn new(texts: &[String]) -> Self {
        let mut steps = Vec::new();
        for text in texts {
            let Ok(more) = SelectorParser::parse(text) else { continue };
            if steps.len() + more.len() > Self::MAX_STEPS {
                break;
            }
            steps.extend(more);
        }
        Self { texts: texts.to_vec(), steps }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The selectors as they were written.
    #[must_use]
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The steps of all selectors, one selector after the other.
    #[must_use]
    pub fn steps(&self) -> &[SelectorStep] {
        &self.steps
    }
}

/// The errors of a list of selectors, each with the index of its entry.
pub(crate) fn selector_errors(texts: &[&str]) -> Vec<(usize, String)> {
    let (mut errors, mut steps) = (Vec::new(), 0);
    for (index, text) in texts.iter().enumerate() {
        if text.len() > MAX_BYTES {
            let message = format!("has {} bytes, more than {MAX_BYTES}", text.len());
            errors.push((index, message));
            continue;
        }
        match SelectorParser::parse(text) {
            Ok(more) => steps += more.len(),
            Err(error) => errors.push((index, error.to_string())),
        }
        if steps > CssSelectors::MAX_STEPS {
            let most = CssSelectors::MAX_STEPS;
            let message =
                format!("makes the list too large: its selectors name more than {most} elements");
            errors.push((index, message));
            break;
        }
    }
    errors
}

struct SelectorParser<'a> {
    text: &'a str,
    /// Byte offset of the next character.
    at: usize,
}

impl<'a> SelectorParser<'a> {
    fn parse(text: &'a str) -> Result<Vec<SelectorStep>, SelectorError> {
        let mut parser = Self { text, at: 0 };
        let mut steps = Vec::new();
        loop {
            parser.skip_space();
            parser.selector(&mut steps)?;
            if !parser.take(',') {
                break;
            }
        }
        match parser.peek() {
            None => Ok(steps),
            Some(_) => parser.fail("a name, .class, #id, [attribute], > or a comma is expected"),
        }
    }

    fn selector(&mut self, steps: &mut Vec<SelectorStep>) -> Result<(), SelectorError> {
        let mut place = StepPlace::Anywhere;
        loop {
            steps.push(self.step(place)?);
            let is_separated = self.skip_space();
            place = match self.peek() {
                Some('>') => {
                    self.at += 1;
                    self.skip_space();
                    StepPlace::Child
                }
                Some('+' | '~') => {
                    return self.fail("only descendants and children (>) are supported");
                }
                None | Some(',') => break,
                Some(_) if is_separated => StepPlace::Descendant,
                Some(_) => break,
            };
        }
        if let Some(last) = steps.last_mut() {
            last.is_last = true;
        }
        Ok(())
    }

    /// An element with its conditions.
    fn step(&mut self, place: StepPlace) -> Result<SelectorStep, SelectorError> {
        let start = self.at;
        let mut element = None;
        if !self.take('*') && self.peek().is_some_and(is_name) {
            element = Some(self.name()?.to_ascii_lowercase());
            // Trees keep the names of HTML elements only.
            if element.as_ref().is_some_and(|name| name.contains('-')) {
                self.at = start;
                return self.fail("custom elements are selected by .class, #id or [attribute]");
            }
        }
        let mut tests = Vec::new();
        loop {
            let (name, operator) = match self.peek() {
                Some('.') => ("class", AttributeOperator::HasWord),
                Some('#') => ("id", AttributeOperator::Equals),
                Some('[') => {
                    tests.push(self.attribute()?);
                    continue;
                }
                Some(':') => return self.fail("pseudo-classes are not supported"),
                Some('|') => return self.fail("namespaces are not supported"),
                _ => break,
            };
            self.at += 1;
            let value = self.name()?;
            tests.push(AttributeTest { name: name.to_owned(), operator, value });
        }
        if self.at == start {
            return self.fail("a name, *, .class, #id or [attribute] is expected");
        }
        Ok(SelectorStep { place, is_last: false, element, tests })
    }

    fn attribute(&mut self) -> Result<AttributeTest, SelectorError> {
        self.at += 1;
        self.skip_space();
        let name = self.name()?.to_ascii_lowercase();
        self.skip_space();
        let mut test =
            AttributeTest { name, operator: AttributeOperator::Exists, value: String::new() };
        if !self.take(']') {
            let signs = AttributeOperator::SIGNS.into_iter();
            let sign =
                signs.filter(|(sign, _)| self.peek() == Some(*sign)).map(|(_, it)| it).next();
            if sign.is_some() {
                self.at += 1;
            }
            if !self.take('=') {
                return self.fail("= or ] is expected");
            }
            self.skip_space();
            test.operator = sign.unwrap_or(AttributeOperator::Equals);
            test.value = match self.peek() {
                Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
                _ => self.name()?,
            };
            self.skip_space();
            if !self.take(']') {
                return self.fail("] is expected");
            }
        }
        Ok(test)
    }

    fn name(&mut self) -> Result<String, SelectorError> {
        let mut name = String::new();
        while let Some(next) = self.peek().filter(|next| is_name(*next)) {
            name.push(if next == '\\' { self.escaped()? } else { self.next(next) });
        }
        if name.is_empty() { self.fail("a name is expected") } else { Ok(name) }
    }

    fn quoted(&mut self, quote: char) -> Result<String, SelectorError> {
        self.at += 1;
        let mut value = String::new();
        loop {
            match self.peek() {
                None => return self.fail("the quotation mark at the end is missing"),
                Some(end) if end == quote => {
                    self.at += 1;
                    return Ok(value);
                }
                Some('\\') => value.push(self.escaped()?),
                Some(next) => value.push(self.next(next)),
            }
        }
    }

    /// The character of an escape: `\.`, or its code in up to six hexadecimal digits.
    fn escaped(&mut self) -> Result<char, SelectorError> {
        let start = self.at;
        self.at += 1;
        let rest = self.text[self.at..].bytes();
        let digits = rest.take(6).take_while(u8::is_ascii_hexdigit).count();
        if digits == 0 {
            return match self.peek() {
                Some(next) => Ok(self.next(next)),
                None => self.fail("a character is expected"),
            };
        }
        let code = u32::from_str_radix(&self.text[self.at..self.at + digits], 16).ok();
        self.at += digits;
        // A space ends the digits.
        self.take(' ');
        match code.and_then(char::from_u32).filter(|code| *code != '\0') {
            Some(code) => Ok(code),
            None => {
                self.at = start;
                self.fail("the escape is no character")
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Moves behind the next character.
    fn next(&mut self, next: char) -> char {
        self.at += next.len_utf8();
        next
    }

    fn take(&mut self, expected: char) -> bool {
        let is_next = self.peek() == Some(expected);
        if is_next {
            self.at += expected.len_utf8();
        }
        is_next
    }

    fn skip_space(&mut self) -> bool {
        let start = self.at;
        while let Some(space) = self.peek().filter(char::is_ascii_whitespace) {
            self.next(space);
        }
        self.at > start
    }

    fn fail<T>(&self, message: &'static str) -> Result<T, SelectorError> {
        let position = self.text[..self.at].chars().count() + 1;
        Err(SelectorError { position, message })
    }
}

/// Whether a name has this character; an escape begins with a backslash.
fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '-' | '_' | '\\')
        || !character.is_ascii()
}

#[cfg(test)]
mod tests;
