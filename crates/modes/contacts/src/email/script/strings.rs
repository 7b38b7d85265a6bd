//! String and pattern literals of scripts.

use super::{MAX_PATTERN, MAX_TEXT, ScriptReader, ScriptValue, cipher};

impl ScriptReader<'_> {
    /// A regular expression literal, if it is plain text.
    pub(super) fn pattern(&mut self) -> Option<String> {
        let rest = self.rest().get(1..)?;
        let mut text = String::new();
        let mut chars = rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => text.extend(chars.next().map(|(_, c)| c)),
                '/' => {
                    self.at += 1 + at + 1;
                    let flags = self.rest().bytes().take_while(u8::is_ascii_lowercase).count();
                    self.at += flags;
                    return Some(text);
                }
                '\n' => return None,
                c => text.push(c),
            }
            if at > MAX_PATTERN {
                return None;
            }
        }
        None
    }

    /// Skips to the end of the current call.
    pub(super) fn leave_call(&mut self) {
        let mut depth = 1_usize;
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'"' | b'\'' => {
                    self.string();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// A string literal with its escapes resolved.
    pub(super) fn string(&mut self) -> Option<String> {
        let rest = self.rest();
        let mut chars = rest.char_indices();
        let (_, quote) = chars.next()?;
        let mut text = String::new();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += at + 1;
                    return Some(text);
                }
                '\\' => match chars.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    kind @ ('x' | 'u') => {
                        let mut code = String::new();
                        let length = if kind == 'x' { 2 } else { 4 };
                        for _ in 0..length {
                            code.extend(chars.next().map(|(_, c)| c));
                        }
                        text.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                    }
                    c => text.push(c),
                },
                c => text.push(c),
            }
            if text.len() > MAX_TEXT {
                break;
            }
        }
        self.at = self.text.len();
        None
    }

    /// Evaluates `replace` with two strings or with a pattern and a string.
    pub(super) fn replaced(&mut self, text: &str) -> ScriptValue {
        if !self.eat("(") {
            return ScriptValue::Unknown;
        }
        self.skip_space();
        let what = if self.peek() == Some(b'/') { self.pattern() } else { self.string() };
        self.eat(",");
        self.skip_space();
        if matches!(self.peek(), Some(b'"' | b'\'' | b'`')) {
            let by = self.string();
            self.eat(")");
            return match (what, by) {
                (Some(what), Some(by)) if !what.is_empty() => {
                    let bytes = text.len() + text.matches(&what).count() * by.len();
                    self.produce_text(bytes, || {
                        Some(text.replace(&what, &by)).filter(|text| text.len() < MAX_TEXT)
                    })
                }
                _ => ScriptValue::Unknown,
            };
        }
        // A callback that shifts each letter by 13.
        let is_letters = what.is_some_and(|what| what.to_ascii_lowercase().contains("a-z"));
        self.leave_call();
        if is_letters && self.has_rot13 {
            self.produce_text(text.len(), || Some(cipher::rot13(text)))
        } else {
            ScriptValue::Unknown
        }
    }
}
