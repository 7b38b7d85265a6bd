//! Lenient JSON parser: trailing commas, comments, line breaks and unescaped quotes in strings,
//! unquoted keys, and the shorthands of minified scripts.

use hashbrown::HashMap;
use serde_json::{Map, Number, Value};

use crate::budget::{self, ScriptBudget};

/// Maximum depth; deeper values are skipped and become null.
const MAX_DEPTH: usize = 96;

/// Maximum number of parameters of a function.
const MAX_PARAMETERS: usize = 5_000;

/// Parses the value at byte `from`; returns it with its end.
pub fn value_at(text: &str, from: usize) -> Option<(Value, usize)> {
    try_value_at(text, from).ok()
}

/// Like `value_at`; the error is the byte up to which the text was read.
pub fn try_value_at(text: &str, from: usize) -> Result<(Value, usize), usize> {
    let mut parser = LenientParser::new(text, from);
    match parser.value(0) {
        Some(value) => Ok((value, parser.at)),
        None => Err(parser.at),
    }
}

/// Evaluates a function that only inserts its arguments into a literal, as Nuxt writes its state:
/// `(function(a,b){return {x:a,y:[b]}}(1,2))`, from its first parenthesis on. If it is no such
/// function, or exceeds the budget of a script, the error is the byte up to which the text was
/// read.
///
/// An argument that is used several times is copied for each use, so that the output is limited by
/// a [`ScriptBudget`].
pub fn evaluate_call(text: &str) -> Result<Value, usize> {
    let head = || {
        let (parameters, rest) = text.strip_prefix("(function(")?.split_once(')')?;
        let body = rest.trim_start().strip_prefix('{')?.trim_start().strip_prefix("return")?;
        Some((parameters, text.len() - body.len()))
    };
    let (parameters, from) = head().ok_or(0_usize)?;
    let (_, end) = try_value_at(text, from)?;
    // The arguments follow the closing braces of the body.
    let mut parser = LenientParser::new(text, end);
    while matches!(parser.peek(), Some(b';' | b'}' | b' ' | b'\n' | b')')) {
        parser.at += 1;
    }
    if !parser.eat(b'(') {
        return Err(parser.at);
    }
    let mut arguments = HashMap::new();
    for name in parameters.split(',').map(str::trim).take(MAX_PARAMETERS) {
        let Some(value) = parser.value(0) else { break };
        arguments.insert(name, BoundArgument { length: length(&value), value });
        parser.skip_whitespace();
        if !parser.eat(b',') {
            break;
        }
    }
    let read = parser.at;
    let mut parser = LenientParser { arguments, ..LenientParser::new(text, from) };
    parser.value(0).filter(|_| !parser.is_too_long).ok_or(read)
}

/// Approximate length of a value as JSON.
pub fn length(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        Value::String(text) => text.len() + 2,
        Value::Array(values) => 2 + values.iter().map(|value| length(value) + 1).sum::<usize>(),
        Value::Object(members) => object_length(members),
    }
}

/// Approximate length of an object as JSON.
pub fn object_length(members: &Map<String, Value>) -> usize {
    2 + members.iter().map(|(key, value)| key.len() + 4 + length(value)).sum::<usize>()
}

/// The argument of a function parameter.
#[derive(Debug)]
struct BoundArgument {
    value: Value,
    /// Approximate length as JSON.
    length: usize,
}

#[derive(Debug)]
struct LenientParser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    arguments: HashMap<&'t str, BoundArgument>,
    /// The bytes that arguments may still expand to.
    budget_left: ScriptBudget,
    /// The budget was exceeded; the result is incomplete.
    is_too_long: bool,
    /// Unquoted keys were read: the text is a script literal.
    has_bare_keys: bool,
}

impl<'t> LenientParser<'t> {
    fn new(text: &'t str, at: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at,
            arguments: HashMap::new(),
            budget_left: ScriptBudget::for_script(text.len()),
            is_too_long: false,
            has_bare_keys: false,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let is = self.peek() == Some(wanted);
        self.at += usize::from(is);
        is
    }

    /// Skips white space and comments.
    fn skip_whitespace(&mut self) {
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
        self.skip_whitespace();
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
            b'!' => self.minified_bool(),
            _ => self.identifier(),
        }
    }

    /// Whether another member precedes `close`, which is consumed. The end of the text closes
    /// everything.
    fn has_more(&mut self, close: u8) -> bool {
        self.skip_whitespace();
        while self.eat(b',') {
            self.skip_whitespace();
        }
        self.peek().is_some() && !self.eat(close)
    }

    /// Moves to the end of a member and skips its unparsed rest.
    fn skip_to_member_end(&mut self, close: u8) {
        self.skip_whitespace();
        if self.peek().is_some_and(|byte| byte != b',' && byte != close) {
            self.recover();
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut members = Map::new();
        while self.has_more(b'}') {
            let Some(key) = self.key() else { break };
            self.skip_whitespace();
            if !self.eat(b':') {
                break;
            }
            let Some(value) = self.value(depth + 1) else { break };
            members.insert(key, value);
            self.skip_to_member_end(b'}');
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
            self.skip_to_member_end(b']');
        }
        Some(Value::Array(values))
    }

    /// Error recovery: skips to the next position where a member may end.
    fn recover(&mut self) {
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
                self.has_bare_keys = true;
                let start = self.at;
                while self.peek().is_some_and(is_identifier_byte) {
                    self.at += 1;
                }
                self.text.get(start..self.at).filter(|key| !key.is_empty()).map(str::to_owned)
            }
        }
    }

    /// A string after its opening quote. An unescaped quote inside does not end it: a string in
    /// JSON is followed by a comma, a colon or a bracket.
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

    /// Whether the quote before the current position ends its string.
    fn ends_string(&self, quote: u8) -> bool {
        let mut rest = self.bytes[self.at..].iter().copied();
        let next = rest.by_ref().find(|byte| !byte.is_ascii_whitespace());
        match next {
            None | Some(b':' | b'}' | b']' | b';' | b')' | b'/' | b'<') => true,
            // A comma inside of the string is not followed by a key, value or bracket.
            Some(b',') => {
                let after = rest.by_ref().find(|byte| !byte.is_ascii_whitespace());
                match after {
                    // The next key, unquoted.
                    Some(byte) if self.has_bare_keys && is_identifier_byte(byte) => {
                        let mut name = rest.take(64).skip_while(|byte| is_identifier_byte(*byte));
                        name.find(|byte| !byte.is_ascii_whitespace()) == Some(b':')
                    }
                    Some(byte) if byte == quote => true,
                    Some(b'}' | b']' | b'{' | b'[' | b'-' | b'0'..=b'9' | b'"' | b'\'') | None => {
                        true
                    }
                    Some(byte) => quote != b'"' || matches!(byte, b't' | b'f' | b'n' | b'/'),
                }
            }
            // An unquoted key, or the end of an expression in a script.
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

    /// `!0` and `!1`, the booleans of minified scripts.
    fn minified_bool(&mut self) -> Option<Value> {
        let is = match self.bytes.get(self.at + 1)? {
            b'0' => true,
            b'1' => false,
            _ => return None,
        };
        self.at += 2;
        Some(Value::Bool(is))
    }

    fn identifier(&mut self) -> Option<Value> {
        let start = self.at;
        while self.peek().is_some_and(is_identifier_byte) {
            self.at += 1;
        }
        match self.text.get(start..self.at)? {
            "" => None,
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            // Other variables, functions and `undefined` have no static value.
            identifier => match self.arguments.get(identifier) {
                // A number or boolean is no longer than the parameter name.
                Some(argument)
                    if argument.length <= 4 || self.budget_left.bytes(argument.length) =>
                {
                    Some(argument.value.clone())
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

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | b'-' | b'.') || byte >= 0x80
}
