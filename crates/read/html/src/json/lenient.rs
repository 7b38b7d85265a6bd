//! A reader of JSON that forgives: trailing commas, comments, line ends and bare quotes in
//! texts, names without quotes, and the shorthands of scripts that were made small.

use hashbrown::HashMap;
use serde_json::{Map, Number, Value};

use crate::budget::{self, ScriptBudget};

/// How deep values nest; what is deeper is read over.
const MAX_DEPTH: usize = 96;

/// How many names a function is given.
const MAX_NAMES: usize = 5_000;

/// The value that begins at a place of a text, and where it ends.
pub fn value_at(text: &str, from: usize) -> Option<(Value, usize)> {
    try_value_at(text, from).ok()
}

/// The same; when no value begins there, how far the text was read to know.
pub fn try_value_at(text: &str, from: usize) -> Result<(Value, usize), usize> {
    let mut reader = Reader::new(text, from);
    match reader.value(0) {
        Some(value) => Ok((value, reader.at)),
        None => Err(reader.at),
    }
}

/// What a function gives that does nothing but put values into their places:
/// `(function(a,b){return {x:a,y:[b]}}(1,2))`, from its first bracket on. When it is no such
/// function, or gives more than a script may, how far the text was read to know.
///
/// A value that stands in several places is copied into each of them: how much that gives is
/// bounded, for the text that asks for it is not.
pub fn called(text: &str) -> Result<Value, usize> {
    let head = || {
        let (names, rest) = text.strip_prefix("(function(")?.split_once(')')?;
        let body = rest.trim_start().strip_prefix('{')?.trim_start().strip_prefix("return")?;
        Some((names, text.len() - body.len()))
    };
    let (names, from) = head().ok_or(0_usize)?;
    let (_, end) = try_value_at(text, from)?;
    // The values that it is called with follow its last bracket.
    let mut reader = Reader::new(text, end);
    while matches!(reader.peek(), Some(b';' | b'}' | b' ' | b'\n' | b')')) {
        reader.at += 1;
    }
    if !reader.takes(b'(') {
        return Err(reader.at);
    }
    let mut words = HashMap::new();
    for name in names.split(',').map(str::trim).take(MAX_NAMES) {
        let Some(value) = reader.value(0) else { break };
        words.insert(name, Word { length: length(&value), value });
        reader.gap();
        if !reader.takes(b',') {
            break;
        }
    }
    let read = reader.at;
    let mut reader = Reader { words, ..Reader::new(text, from) };
    reader.value(0).filter(|_| !reader.is_too_long).ok_or(read)
}

/// About how long a value is, written as JSON.
pub fn length(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        Value::String(text) => text.len() + 2,
        Value::Array(values) => 2 + values.iter().map(|value| length(value) + 1).sum::<usize>(),
        Value::Object(members) => object_length(members),
    }
}

/// The same of an object.
pub fn object_length(members: &Map<String, Value>) -> usize {
    2 + members.iter().map(|(key, value)| key.len() + 4 + length(value)).sum::<usize>()
}

/// What a word of a script stands for.
#[derive(Debug)]
struct Word {
    value: Value,
    /// How long it is, as JSON.
    length: usize,
}

#[derive(Debug)]
struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    words: HashMap<&'t str, Word>,
    /// What words may still expand to.
    left: ScriptBudget,
    /// Words would have expanded to more than that.
    is_too_long: bool,
    /// Names have stood without quotes: it is a script that writes so.
    bare: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, at: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at,
            words: HashMap::new(),
            left: ScriptBudget::for_script(text.len()),
            is_too_long: false,
            bare: false,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn takes(&mut self, wanted: u8) -> bool {
        let is = self.peek() == Some(wanted);
        self.at += usize::from(is);
        is
    }

    /// Reads over white space and comments.
    fn gap(&mut self) {
        while let Some(byte) = self.peek() {
            let rest = &self.bytes[self.at..];
            if byte.is_ascii_whitespace() || byte == 0 {
                self.at += 1;
            } else if rest.starts_with(b"\xef\xbb\xbf") {
                self.at += 3;
            } else if rest.starts_with(b"\xc2\xa0") {
                self.at += 2;
            } else if rest.starts_with(b"/*") {
                self.skip_past(b"*/");
            } else if rest.starts_with(b"<!--") {
                self.skip_past(b"-->");
            } else if rest.starts_with(b"//") {
                self.skip_past(b"\n");
            } else {
                return;
            }
        }
    }

    fn skip_past(&mut self, end: &[u8]) {
        let rest = &self.bytes[self.at..];
        let found = memchr::memmem::find(rest, end);
        self.at += found.map_or(rest.len(), |found| found + end.len());
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if !budget::steps(4) {
            return None;
        }
        self.gap();
        match self.peek()? {
            b'{' | b'[' if depth >= MAX_DEPTH => {
                self.skip_brackets();
                Some(Value::Null)
            }
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            quote @ (b'"' | b'\'' | b'`') => {
                self.at += 1;
                Some(Value::String(self.string(quote)))
            }
            b'-' | b'+' | b'.' | b'0'..=b'9' => Some(self.number()),
            b'!' => self.short_truth(),
            _ => self.word(),
        }
    }

    /// Whether another member stands before `close`, which is taken. The end of the text ends
    /// what it cuts off.
    fn has_more(&mut self, close: u8) -> bool {
        self.gap();
        while self.takes(b',') {
            self.gap();
        }
        self.peek().is_some() && !self.takes(close)
    }

    /// Goes to where a member ends, past what is left of it.
    fn settle(&mut self, close: u8) {
        self.gap();
        if self.peek().is_some_and(|byte| byte != b',' && byte != close) {
            self.resume();
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut members = Map::new();
        while self.has_more(b'}') {
            let Some(key) = self.key() else { break };
            self.gap();
            if !self.takes(b':') {
                break;
            }
            let Some(value) = self.value(depth + 1) else { break };
            members.insert(key, value);
            self.settle(b'}');
        }
        (!members.is_empty() || self.bytes.get(self.at.wrapping_sub(1)) == Some(&b'}'))
            .then_some(Value::Object(members))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut values = Vec::new();
        while self.has_more(b']') {
            let Some(value) = self.value(depth + 1) else { break };
            values.push(value);
            self.settle(b']');
        }
        Some(Value::Array(values))
    }

    /// After a value comes something that cannot be: on to where a member may end.
    fn resume(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b',' | b'}' | b']' if depth == 0 => return,
                b'(' | b'{' | b'[' => depth += 1,
                b')' | b'}' | b']' => depth = depth.saturating_sub(1),
                quote @ (b'"' | b'\'' | b'`') => {
                    self.at += 1;
                    self.skip_string(quote);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn skip_brackets(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                quote @ (b'"' | b'\'') => self.skip_string(quote),
                _ => {}
            }
        }
    }

    fn skip_string(&mut self, quote: u8) {
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'\\' {
                self.at += 1;
            } else if byte == quote {
                return;
            }
        }
        self.at = self.bytes.len();
    }

    fn key(&mut self) -> Option<String> {
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                Some(self.string(quote))
            }
            _ => {
                self.bare = true;
                let start = self.at;
                while self.peek().is_some_and(is_of_word) {
                    self.at += 1;
                }
                self.text.get(start..self.at).filter(|key| !key.is_empty()).map(str::to_owned)
            }
        }
    }

    /// A text, from just behind its quote. A bare quote within it does not end it: what
    /// follows a text in JSON is a comma, a colon or a bracket.
    fn string(&mut self, quote: u8) -> String {
        let mut text = String::new();
        loop {
            let start = self.at;
            let rest = &self.bytes[start..];
            let Some(found) = memchr::memchr2(quote, b'\\', rest) else {
                text.push_str(self.text.get(start..).unwrap_or_default());
                self.at = self.bytes.len();
                return text;
            };
            text.push_str(self.text.get(start..start + found).unwrap_or_default());
            self.at = start + found + 1;
            if rest[found] == b'\\' {
                self.escape(&mut text);
            } else if self.ends_string(quote) {
                return text;
            } else {
                text.push(char::from(quote));
            }
        }
    }

    /// Whether the quote that was just read ends its text.
    fn ends_string(&self, quote: u8) -> bool {
        let mut rest = self.bytes[self.at..].iter().copied();
        let next = rest.by_ref().find(|byte| !byte.is_ascii_whitespace());
        match next {
            None | Some(b':' | b'}' | b']' | b';' | b')' | b'/' | b'<') => true,
            // A comma may belong to the text: then no name, value or bracket follows it.
            Some(b',') => {
                let after = rest.by_ref().find(|byte| !byte.is_ascii_whitespace());
                match after {
                    // The next name, without quotes.
                    Some(byte) if self.bare && is_of_word(byte) => {
                        let mut name = rest.take(64).skip_while(|byte| is_of_word(*byte));
                        name.find(|byte| !byte.is_ascii_whitespace()) == Some(b':')
                    }
                    Some(byte) if byte == quote => true,
                    Some(b'}' | b']' | b'{' | b'[' | b'-' | b'0'..=b'9' | b'"' | b'\'') | None => {
                        true
                    }
                    Some(byte) => quote != b'"' || matches!(byte, b't' | b'f' | b'n' | b'/'),
                }
            }
            // A name without quotes, or the end of an expression in a script.
            Some(_) => quote != b'"',
        }
    }

    fn escape(&mut self, text: &mut String) {
        let Some(letter) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) else {
            return;
        };
        self.at += letter.len_utf8();
        match letter {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' | 'f' | 'v' | '\n' => {}
            'u' => text.push(self.unicode()),
            'x' => text.push(self.hex(2).and_then(char::from_u32).unwrap_or('\u{fffd}')),
            other => text.push(other),
        }
    }

    fn unicode(&mut self) -> char {
        let Some(first) = self.hex(4) else { return '\u{fffd}' };
        if (0xd800..0xdc00).contains(&first) && self.bytes[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            match self.hex(4) {
                Some(second) if (0xdc00..0xe000).contains(&second) => {
                    let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                    return char::from_u32(code).unwrap_or('\u{fffd}');
                }
                _ => self.at = back,
            }
        }
        char::from_u32(first).unwrap_or('\u{fffd}')
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.text.get(self.at..self.at + digits)?;
        let code = u32::from_str_radix(text, 16).ok()?;
        self.at += digits;
        Some(code)
    }

    fn number(&mut self) -> Value {
        let start = self.at;
        while self.peek().is_some_and(|byte| {
            byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
        }) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let text = text.trim_start_matches('+');
        let strict = serde_json::from_str::<Number>(text).ok();
        let number = strict.or_else(|| text.parse().ok().and_then(Number::from_f64));
        number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
    }

    /// `!0` and `!1`, as scripts that were made small write them.
    fn short_truth(&mut self) -> Option<Value> {
        let is = match self.bytes.get(self.at + 1)? {
            b'0' => true,
            b'1' => false,
            _ => return None,
        };
        self.at += 2;
        Some(Value::Bool(is))
    }

    fn word(&mut self) -> Option<Value> {
        let start = self.at;
        while self.peek().is_some_and(is_of_word) {
            self.at += 1;
        }
        match self.text.get(start..self.at)? {
            "" => None,
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            // Any other variable, a function, `undefined`: only a browser would know.
            word => match self.words.get(word) {
                // A number or a truth is no longer than its name.
                Some(word) if word.length <= 4 || self.left.bytes(word.length) => {
                    Some(word.value.clone())
                }
                Some(_) => {
                    self.is_too_long = true;
                    None
                }
                None => Some(Value::Null),
            },
        }
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | b'-' | b'.') || byte >= 0x80
}
