//! String literals of source files, and the names of settings in them.

use std::collections::BTreeSet;

/// The names of settings that cannot be confused with other words: with an underscore, and not a
/// member of the API.
pub fn setting_names(settings: &str, interface: &[String]) -> BTreeSet<String> {
    let is_name = |name: &str| {
        name.contains('_') && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    };
    let names = settings.lines().filter_map(|line| line.split_once(" = "));
    let names = names.map(|(name, _)| name).filter(|name| is_name(name));
    let members: BTreeSet<_> = interface
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':'))
        .map(|(name, _)| name)
        .collect();
    names.filter(|name| !members.contains(name)).map(str::to_owned).collect()
}

/// The first of these names in a text of several words. A text of one word is the name of a member.
pub fn named<'n>(text: &str, names: &'n BTreeSet<String>) -> Option<&'n str> {
    if !text.trim().contains(' ') {
        return None;
    }
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.find_map(|word| names.get(word)).map(String::as_str)
}

/// The string literals of a source without those of log events, which only operators read.
pub fn client_literals(code: &str) -> Vec<&str> {
    literals(code).into_iter().filter(|literal| !literal.is_logged).map(|it| it.text).collect()
}

/// A string literal of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal<'c> {
    pub text: &'c str,
    /// The line on which it starts, counted from 1.
    pub line: usize,
    /// Whether it is part of a log event.
    pub is_logged: bool,
}

/// All string literals of a source, as they are written there.
pub fn literals(code: &str) -> Vec<Literal<'_>> {
    let literal = |at: usize, text, is_logged| {
        let line = code.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        Literal { text, line, is_logged }
    };
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    // Depth of parentheses inside of a log event.
    let mut logged = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        match rest[0] {
            b'/' if rest.starts_with(b"//") => at = end_of(bytes, at, b"\n"),
            b'r' if !follows_name(bytes, at) && raw_quote(rest).is_some() => {
                let quote = raw_quote(rest).unwrap_or_default();
                let mut closing = vec![b'"'];
                closing.resize(quote, b'#');
                let end = end_of(bytes, at + quote + 1, &closing);
                let text = &code[at + quote + 1..end - closing.len()];
                found.push(literal(at, text, logged > 0));
                at = end;
            }
            b'"' => {
                let length = plain_length(&rest[1..]);
                found.push(literal(at, &code[at + 1..at + 1 + length], logged > 0));
                at += length + 2;
            }
            b'\'' => at += char_length(&code[at..]),
            b't' if !follows_name(bytes, at) && log_event(rest).is_some() => {
                at += log_event(rest).unwrap_or_default();
                logged = 1;
            }
            b'(' if logged > 0 => (logged, at) = (logged + 1, at + 1),
            b')' if logged > 0 => (logged, at) = (logged - 1, at + 1),
            _ => at += 1,
        }
    }
    found
}

/// The offset after the next `closing`, or the end of the text.
fn end_of(bytes: &[u8], from: usize, closing: &[u8]) -> usize {
    let found = bytes[from..].windows(closing.len()).position(|window| window == closing);
    found.map_or(bytes.len(), |found| from + found + closing.len())
}

fn follows_name(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

/// The offset of the quote in `r"` or `r#"`.
fn raw_quote(rest: &[u8]) -> Option<usize> {
    let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
    (rest.get(1 + hashes) == Some(&b'"')).then_some(1 + hashes)
}

fn plain_length(rest: &[u8]) -> usize {
    let mut length = 0;
    while length < rest.len() && rest[length] != b'"' {
        length += if rest[length] == b'\\' { 2 } else { 1 };
    }
    length
}

/// The length of a character literal such as `'"'`; 1 for a lifetime.
fn char_length(rest: &str) -> usize {
    let mut signs = rest.char_indices().skip(1);
    match (signs.next(), signs.next()) {
        (Some((_, '\\')), Some((escaped, _))) => {
            let end = rest[escaped + 1..].find('\'');
            end.map_or(1, |end| escaped + 1 + end + 1)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1,
    }
}

/// The length of the start of a log event, such as `tracing::warn!(`.
fn log_event(rest: &[u8]) -> Option<usize> {
    let name = rest.strip_prefix(b"tracing::")?;
    let length = name.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    name[length..].starts_with(b"!(").then_some(9 + length + 2)
}

#[test]
fn literals_are_found_without_comments() {
    let code = r####"
        // a "comment"
        fn f<'a>(c: char) -> &'a str {
            tracing::warn!(cause = "x", "turn on behind_proxy ({})", g("y"));
            if c == '"' || c == '\'' { "one \" two" } else { r#"three "four""# }
        }
    "####;
    assert_eq!(client_literals(code), ["one \\\" two", "three \"four\""]);
    let lines: Vec<_> = literals(code).iter().map(|literal| literal.line).collect();
    assert_eq!(lines, [4, 4, 4, 5, 5]);
    let names = setting_names("a_b = 1\nlisten = 2\nc_d = 3\n", &["    pub c_d: u64,".to_owned()]);
    assert_eq!(names, BTreeSet::from(["a_b".to_owned()]));
    assert_eq!(named("set a_b to 1", &names), Some("a_b"));
    assert_eq!(named("a_b", &names), None, "a member");
    assert_eq!(named("set xa_b to 1", &names), None);
}
