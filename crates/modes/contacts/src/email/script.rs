//! Evaluates the simple scripts that write addresses into a page.
//!
//! This is no JavaScript interpreter. It knows strings, numbers, arrays, assigned names,
//! concatenation and the few methods that obfuscate addresses. It returns the texts that
//! `document.write`, `innerHTML` and similar calls show, and skips everything else. Steps and
//! produced bytes are limited; values are shared, not copied.

use std::rc::Rc;

use hashbrown::HashMap;

use super::cipher;
use html::budget::{self, ScriptBudget};

mod strings;

/// Maximum size of a script in bytes.
const MAX_SCRIPT: usize = 32 * 1024;
/// Maximum evaluated values per script.
const MAX_STEPS: usize = 4_000;
/// Maximum length of a value in bytes.
const MAX_TEXT: usize = 4_000;
/// Maximum length in bytes of a value that is made from an array or a whole text.
const MAX_PRODUCED: usize = MAX_SCRIPT;
/// Maximum nesting of brackets.
const MAX_DEPTH: usize = 24;
/// Maximum length of a pattern in `replace`, in bytes.
const MAX_PATTERN: usize = 200;
/// Maximum texts per script.
const MAX_WRITTEN: usize = 40;

/// Functions and methods whose arguments become part of the page.
const SHOWING_CALLS: &str = "write writeln html text append prepend replaceWith insertAdjacentHTML \
                             before after createTextNode open setAttribute attr prop";

#[derive(Debug, Clone, PartialEq)]
enum ScriptValue {
    Text(Rc<String>),
    List(Rc<Vec<String>>),
    /// A value that cannot be evaluated.
    Unknown,
}

/// The texts with "@" that a script writes into the page.
pub(super) fn written_texts(source: &str) -> Vec<String> {
    let is_short = source.len() <= MAX_SCRIPT;
    let hints = ["@", "64", "x40", "%40", "join", "atob", "rot13", "commat", "mailto", "replace"];
    if !is_short || !hints.iter().any(|hint| source.contains(hint)) {
        return Vec::new();
    }
    let mut reader = ScriptReader {
        text: source,
        at: 0,
        names: HashMap::new(),
        written: Vec::new(),
        steps: MAX_STEPS,
        remaining: ScriptBudget::for_script(source.len()),
        has_rot13: source.contains("13") && source.contains("charCodeAt"),
        depth: 0,
    };
    reader.run();
    reader.written
}

struct ScriptReader<'s> {
    text: &'s str,
    at: usize,
    names: HashMap<&'s str, ScriptValue>,
    written: Vec<String>,
    steps: usize,
    /// Bytes that the script may still produce.
    remaining: ScriptBudget,
    /// The script contains a ROT13 function.
    has_rot13: bool,
    /// Current nesting of brackets.
    depth: usize,
}

impl<'s> ScriptReader<'s> {
    fn rest(&self) -> &'s str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            } else {
                return;
            }
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.skip_space();
        let is_there = self.rest().starts_with(sign);
        if is_there {
            self.at += sign.len();
        }
        is_there
    }

    fn name(&mut self) -> Option<&'s str> {
        self.skip_space();
        let rest = self.rest();
        let is_in = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        if !rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$')) {
            return None;
        }
        let end = rest.find(|c: char| !is_in(c)).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    fn run(&mut self) {
        while self.at < self.text.len() && self.steps > 0 && self.written.len() < MAX_WRITTEN {
            self.steps -= 1;
            let before = self.at;
            self.statement();
            if self.at == before {
                let step = self.rest().chars().next().map_or(1, char::len_utf8);
                self.at += step;
            }
        }
    }

    /// Reads an assignment or a call, or skips one token.
    fn statement(&mut self) {
        self.skip_space();
        if matches!(self.peek(), Some(b'"' | b'\'' | b'`' | b'[')) {
            self.sum();
            return;
        }
        let Some(mut name) = self.name() else { return };
        if matches!(name, "var" | "let" | "const" | "return") {
            let Some(next) = self.name() else { return };
            name = next;
        }
        let mut path = name;
        // a.b.c = …, a.b(…)
        while self.eat(".") {
            let Some(next) = self.name() else { return };
            path = next;
            if self.peek() == Some(b'(') {
                break;
            }
        }
        self.skip_space();
        let rest = self.rest();
        if rest.starts_with("+=") {
            self.at += 2;
            let added = self.sum();
            // Removing the value keeps its reference count at one, so that appending copies
            // only the new part.
            match (self.names.remove(path), added) {
                (Some(ScriptValue::Text(one)), ScriptValue::Text(other))
                    if one.len() + other.len() < MAX_TEXT =>
                {
                    let sum = self.joined(one, &other);
                    self.assign(path, sum);
                }
                (_, added) => self.assign(path, added),
            }
        } else if rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>") {
            self.at += 1;
            let value = self.sum();
            self.assign(path, value);
        } else if rest.starts_with('(') {
            let arguments = self.arguments();
            if SHOWING_CALLS.split(' ').any(|known| known == path) {
                for argument in &arguments {
                    self.write(argument);
                }
            }
        }
    }

    /// Assigns a value to a name. Assignments to properties that an element shows are recorded.
    fn assign(&mut self, name: &'s str, value: ScriptValue) {
        if matches!(
            name,
            "innerHTML" | "outerHTML" | "textContent" | "innerText" | "href" | "location" | "text"
        ) {
            self.write(&value);
        }
        if self.names.len() < 500 {
            self.names.insert(name, value);
        }
    }

    fn write(&mut self, value: &ScriptValue) {
        let ScriptValue::Text(text) = value else { return };
        if self.written.len() >= MAX_WRITTEN || !self.may_produce(text.len()) {
            return;
        }
        let text = html::entity::resolve(text, html::entity::EntityContext::Text).into_owned();
        if text.contains('@') {
            self.written.push(text);
        }
    }

    /// Whether a value of this size may be produced. Evaluation ends if not.
    fn may_produce(&mut self, bytes: usize) -> bool {
        let may = budget::steps(bytes / 8) && self.remaining.bytes(bytes);
        if !may {
            self.steps = 0;
        }
        may
    }

    /// A text of this size, if the budget allows it.
    fn produce_text(&mut self, bytes: usize, text: impl FnOnce() -> Option<String>) -> ScriptValue {
        let text = (bytes <= MAX_PRODUCED && self.may_produce(bytes)).then(text).flatten();
        text.map_or(ScriptValue::Unknown, |text| ScriptValue::Text(Rc::new(text)))
    }

    /// The concatenation of two texts.
    fn joined(&mut self, one: Rc<String>, other: &str) -> ScriptValue {
        let copied = if Rc::strong_count(&one) > 1 { one.len() } else { 0 };
        self.produce_text(copied + other.len(), || Some(Rc::unwrap_or_clone(one) + other))
    }

    fn arguments(&mut self) -> Vec<ScriptValue> {
        let mut values = Vec::new();
        if !self.eat("(") {
            return values;
        }
        while !self.eat(")") && self.at < self.text.len() && self.steps > 0 {
            let before = self.at;
            values.push(self.sum());
            self.eat(",");
            if self.at == before {
                // Unknown syntax: the rest of the call is skipped.
                break;
            }
        }
        values
    }

    /// Operands with `+` between them. One unknown operand makes the result unknown.
    fn sum(&mut self) -> ScriptValue {
        let mut sum = self.value();
        while self.steps > 0 {
            self.skip_space();
            if !self.rest().starts_with('+') || self.rest().starts_with("++") {
                break;
            }
            self.at += 1;
            self.steps = self.steps.saturating_sub(1);
            let next = self.value();
            sum = match (sum, next) {
                (ScriptValue::Text(one), ScriptValue::Text(other))
                    if one.len() + other.len() < MAX_TEXT =>
                {
                    self.joined(one, &other)
                }
                _ => ScriptValue::Unknown,
            };
        }
        sum
    }

    fn value(&mut self) -> ScriptValue {
        self.skip_space();
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 || self.depth >= MAX_DEPTH || !budget::steps(4) {
            return ScriptValue::Unknown;
        }
        self.depth += 1;
        let value = match self.peek() {
            Some(b'"' | b'\'' | b'`') => {
                self.string().map_or(ScriptValue::Unknown, |text| ScriptValue::Text(Rc::new(text)))
            }
            Some(b'[') => self.list(),
            Some(b'(') => {
                self.at += 1;
                let value = self.sum();
                self.eat(")");
                value
            }
            Some(b'0'..=b'9') => {
                let rest = self.rest();
                let end = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
                self.at += end;
                ScriptValue::Text(Rc::new(rest.get(..end).unwrap_or_default().to_owned()))
            }
            _ => self.named(),
        };
        let value = self.methods(value);
        self.depth -= 1;
        value
    }

    /// The value of a name, or of a call that returns text.
    fn named(&mut self) -> ScriptValue {
        let Some(name) = self.name() else { return ScriptValue::Unknown };
        let mut last = name;
        let from = self.at;
        while self.rest().starts_with('.') {
            self.at += 1;
            let Some(next) = self.name() else { break };
            last = next;
        }
        match last {
            "fromCharCode" => {
                let codes = self.arguments();
                let letters = codes.iter().map(|code| match code {
                    ScriptValue::Text(code) => number(code).and_then(char::from_u32),
                    ScriptValue::List(_) | ScriptValue::Unknown => None,
                });
                let text = letters.collect::<Option<String>>();
                text.map_or(ScriptValue::Unknown, |text| ScriptValue::Text(Rc::new(text)))
            }
            "atob" | "unescape" | "decodeURIComponent" | "decodeURI" | "rot13" | "str_rot13" => {
                let Some(ScriptValue::Text(code)) = self.arguments().into_iter().next() else {
                    return ScriptValue::Unknown;
                };
                self.produce_text(code.len(), || match last {
                    "atob" => cipher::base64(&code),
                    "rot13" | "str_rot13" => Some(cipher::rot13(&code)),
                    _ => Some(crate::decoded(&code).into_owned()),
                })
            }
            _ => {
                // The caller applies the methods of the value.
                match self.names.get(name).cloned() {
                    Some(value) if value != ScriptValue::Unknown => {
                        self.at = from;
                        value
                    }
                    _ => ScriptValue::Unknown,
                }
            }
        }
    }

    fn list(&mut self) -> ScriptValue {
        self.at += 1;
        let mut values = Vec::new();
        let mut is_known = true;
        while !self.eat("]") && self.at < self.text.len() && self.steps > 0 {
            let before = self.at;
            match self.sum() {
                ScriptValue::Text(text) => values.push(Rc::unwrap_or_clone(text)),
                ScriptValue::List(_) | ScriptValue::Unknown => is_known = false,
            }
            self.eat(",");
            if self.at == before {
                return ScriptValue::Unknown;
            }
        }
        if is_known { ScriptValue::List(Rc::new(values)) } else { ScriptValue::Unknown }
    }

    /// Applies the method calls after a value.
    fn methods(&mut self, mut value: ScriptValue) -> ScriptValue {
        while self.steps > 0 {
            let before = self.at;
            if !self.eat(".") {
                break;
            }
            let Some(method) = self.name() else {
                self.at = before;
                break;
            };
            self.steps -= 1;
            value = match (method, value) {
                ("join", ScriptValue::List(parts)) => {
                    let between = match self.arguments().into_iter().next() {
                        Some(ScriptValue::Text(between)) => between,
                        _ => Rc::new(",".to_owned()),
                    };
                    let bytes = parts.iter().map(|part| part.len() + between.len()).sum();
                    self.produce_text(bytes, || Some(parts.join(&between)))
                }
                ("reverse", ScriptValue::List(parts)) => {
                    self.arguments();
                    self.produce_list(parts.iter().map(String::len).sum(), parts.len(), || {
                        let mut parts = Rc::unwrap_or_clone(parts);
                        parts.reverse();
                        parts
                    })
                }
                ("split", ScriptValue::Text(text)) => match self.arguments().into_iter().next() {
                    Some(ScriptValue::Text(at)) if at.is_empty() => {
                        self.produce_list(text.len(), text.len(), || {
                            text.chars().map(String::from).collect()
                        })
                    }
                    Some(ScriptValue::Text(at)) => {
                        let parts = text.matches(at.as_str()).count() + 1;
                        self.produce_list(text.len(), parts, || {
                            text.split(at.as_str()).map(str::to_owned).collect()
                        })
                    }
                    _ => ScriptValue::Unknown,
                },
                ("concat", ScriptValue::Text(text)) => {
                    let mut whole = ScriptValue::Text(text);
                    for argument in self.arguments() {
                        whole = match (whole, argument) {
                            (ScriptValue::Text(one), ScriptValue::Text(more))
                                if one.len() + more.len() < MAX_TEXT =>
                            {
                                self.joined(one, &more)
                            }
                            (whole, _) => whole,
                        };
                    }
                    whole
                }
                ("replace" | "replaceAll", ScriptValue::Text(text)) => self.replaced(&text),
                ("toLowerCase" | "trim" | "toString", ScriptValue::Text(text)) => {
                    self.arguments();
                    ScriptValue::Text(text)
                }
                _ => ScriptValue::Unknown,
            };
        }
        value
    }

    /// An array of this size, if the budget allows it.
    fn produce_list(
        &mut self,
        bytes: usize,
        parts: usize,
        list: impl FnOnce() -> Vec<String>,
    ) -> ScriptValue {
        if !self.may_produce(bytes + parts) {
            return ScriptValue::Unknown;
        }
        ScriptValue::List(Rc::new(list()))
    }
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
