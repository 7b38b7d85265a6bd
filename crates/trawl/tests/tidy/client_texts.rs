//! The texts of a source file that a client may see, and the names of settings in them.

use std::collections::BTreeSet;

/// The names of settings that no other text has a use for: with an underscore, and not a member
/// of the interface as well.
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

/// The first of these names in a text that consists of several words: a text of one word is the
/// name of a member.
pub fn named<'n>(text: &str, names: &'n BTreeSet<String>) -> Option<&'n str> {
    if !text.trim().contains(' ') {
        return None;
    }
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.find_map(|word| names.get(word)).map(String::as_str)
}

/// The string literals of a source, without those of log events, which operators read.
pub fn literals(code: &str) -> Vec<&str> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    // How deep in the parentheses of a log event.
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
                if logged == 0 {
                    found.push(&code[at + quote + 1..end - closing.len()]);
                }
                at = end;
            }
            b'"' => {
                let length = plain_length(&rest[1..]);
                if logged == 0 {
                    found.push(&code[at + 1..at + 1 + length]);
                }
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

/// The place behind the next `closing`; the end of the text without one.
fn end_of(bytes: &[u8], from: usize, closing: &[u8]) -> usize {
    let found = bytes[from..].windows(closing.len()).position(|window| window == closing);
    found.map_or(bytes.len(), |found| from + found + closing.len())
}

fn follows_name(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

/// The place of the quote in `r"` or `r#"`.
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

/// The length of a character such as `'"'`; 1 for the sign of a lifetime.
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

/// The length of `tracing::warn!(`.
fn log_event(rest: &[u8]) -> Option<usize> {
    let name = rest.strip_prefix(b"tracing::")?;
    let length = name.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    name[length..].starts_with(b"!(").then_some(9 + length + 2)
}

#[test]
fn texts_are_found_and_comments_and_log_events_are_not() {
    let code = r####"
        // a "comment"
        fn f<'a>(c: char) -> &'a str {
            tracing::warn!(cause = "x", "turn on behind_proxy ({})", g("y"));
            if c == '"' || c == '\'' { "one \" two" } else { r#"three "four""# }
        }
    "####;
    assert_eq!(literals(code), ["one \\\" two", "three \"four\""]);
    let names = setting_names("a_b = 1\nlisten = 2\nc_d = 3\n", &["    pub c_d: u64,".to_owned()]);
    assert_eq!(names, BTreeSet::from(["a_b".to_owned()]));
    assert_eq!(named("set a_b to 1", &names), Some("a_b"));
    assert_eq!(named("a_b", &names), None, "a member");
    assert_eq!(named("set xa_b to 1", &names), None);
}
