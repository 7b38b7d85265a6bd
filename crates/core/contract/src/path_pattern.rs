//! Patterns of `scope.include_paths` and `scope.exclude_paths`: globs, and regular expressions
//! after `re:`.
//!
//! Each pattern is compiled to a complete DFA of bounded size, so that a match takes one table
//! lookup per byte, whatever the pattern and the URL. A pattern whose DFA would be larger is
//! rejected. Texts are canonical and therefore ASCII: other characters are percent-encoded.

use std::fmt;

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

/// Maximum number of patterns in a list.
pub(crate) const MAX_PATTERNS: usize = 100;

/// Maximum length of a pattern, in bytes.
const MAX_BYTES: usize = 512;

/// Maximum size of a compiled pattern, in bytes.
const COMPILED_BYTES: usize = 128 << 10;

/// Maximum size of all compiled patterns of a list, in bytes. It also bounds the time to compile a list
/// to about 0.15 s of CPU time in a release build.
const COMPILED_BYTES_OF_LIST: usize = 256 << 10;

/// Maximum memory while a pattern is compiled, in bytes. It also bounds the time: some small patterns
/// need many large states.
const COMPILER_BYTES: usize = 256 << 10;

/// Maximum nesting of groups in a regular expression.
const NESTING: u32 = 50;

/// The prefix of a regular expression.
const REGEX: &str = "re:";

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PatternError {
    /// The character of the text where the error is, from 1; none for the text as a whole.
    position: Option<usize>,
    message: String,
}

impl PatternError {
    fn whole(message: impl Into<String>) -> Self {
        Self { position: None, message: message.into() }
    }

    /// An error at a byte of `text`.
    fn at(text: &str, byte: usize, message: impl Into<String>) -> Self {
        let before = text.char_indices().take_while(|(at, _)| *at < byte).count();
        Self { position: Some(before + 1), message: message.into() }
    }

    fn too_large() -> Self {
        let kib = COMPILED_BYTES >> 10;
        Self::whole(format!(
            "is too large: compiled it exceeds {kib} KiB; use fewer repetitions and wildcards, or \
             several patterns"
        ))
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "is invalid at character {position}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// A compiled pattern of paths.
#[derive(Clone)]
pub struct PathPattern {
    text: String,
    dfa: dense::DFA<Vec<u32>>,
    /// A glob matches the whole path, with or without its query. A regular expression matches
    /// anywhere in path and query.
    is_glob: bool,
}

impl fmt::Debug for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PathPattern").field(&self.text).finish()
    }
}

impl PathPattern {
    fn parse(text: &str) -> Result<Self, PatternError> {
        if text.len() > MAX_BYTES {
            return Err(PatternError::whole(format!("must not be longer than {MAX_BYTES} bytes")));
        }
        let (regex, is_glob) = match text.strip_prefix(REGEX) {
            Some("") => return Err(PatternError::whole("must have an expression after re:")),
            Some(regex) => {
                check_regex(text, regex)?;
                (regex.to_owned(), false)
            }
            None => (glob_as_regex(text)?, true),
        };
        let start = if is_glob { StartKind::Anchored } else { StartKind::Unanchored };
        let dfa = dense::Builder::new()
            .configure(
                dense::Config::new()
                    .start_kind(start)
                    .dfa_size_limit(Some(COMPILED_BYTES))
                    .determinize_size_limit(Some(COMPILER_BYTES)),
            )
            .syntax(syntax::Config::new().unicode(false).utf8(false).nest_limit(NESTING))
            .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(COMPILER_BYTES)))
            .build(&regex)
            // The syntax is checked above, so that the size is the only cause left.
            .map_err(|_| PatternError::too_large())?;
        Ok(Self { text: text.to_owned(), dfa, is_glob })
    }

    /// The pattern as the client wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the pattern matches a canonical path with its query: `/list?page=2`.
    #[must_use]
    pub fn matches(&self, path_and_query: &str) -> bool {
        if self.has_match(path_and_query) {
            return true;
        }
        match path_and_query.split_once('?') {
            Some((path, _)) if self.is_glob => self.has_match(path),
            Some(_) | None => false,
        }
    }

    fn has_match(&self, text: &str) -> bool {
        let anchored = if self.is_glob { Anchored::Yes } else { Anchored::No };
        let input = Input::new(text).anchored(anchored).earliest(true);
        // Only a word boundary of Unicode makes a search fail, and those are off.
        matches!(self.dfa.try_search_fwd(&input), Ok(Some(_)))
    }
}

/// Compiles a list of patterns. Invalid ones are left out; a list of a request has none.
#[must_use]
pub fn path_patterns(texts: &[String]) -> Vec<PathPattern> {
    texts.iter().filter_map(|text| PathPattern::parse(text).ok()).collect()
}

/// The errors of a list of patterns, each with the index of its entry.
pub(crate) fn path_pattern_errors(texts: &[&str]) -> Vec<(usize, String)> {
    let (mut errors, mut compiled_bytes) = (Vec::new(), 0);
    for (index, text) in texts.iter().enumerate() {
        match PathPattern::parse(text) {
            Ok(pattern) => compiled_bytes += pattern.dfa.memory_usage(),
            Err(error) => {
                let is_too_large = error == PatternError::too_large();
                errors.push((index, error.to_string()));
                if is_too_large {
                    // Compiling takes time: the first pattern of this size is enough.
                    break;
                }
            }
        }
        if compiled_bytes > COMPILED_BYTES_OF_LIST {
            let kib = COMPILED_BYTES_OF_LIST >> 10;
            let message = format!(
                "makes the list too large: compiled, its patterns exceed {kib} KiB together; use \
                 fewer or shorter ones"
            );
            errors.push((index, message));
            break;
        }
    }
    errors
}

/// Checks the syntax of the regular expression after `re:` in `text`.
fn check_regex(text: &str, regex: &str) -> Result<(), PatternError> {
    let offset = text.len() - regex.len();
    if let Some((at, other)) = regex.char_indices().find(|(_, c)| !c.is_ascii()) {
        let message = format!(
            "URLs are matched percent-encoded; write {} instead of {other}",
            percent_encoded(other)
        );
        return Err(PatternError::at(text, offset + at, message));
    }
    let parser = regex_syntax::ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .nest_limit(NESTING)
        .build()
        .parse(regex);
    let (at, message) = match parser {
        Ok(_) => return Ok(()),
        Err(regex_syntax::Error::Parse(error)) => {
            (error.span().start.offset, error.kind().to_string())
        }
        Err(regex_syntax::Error::Translate(error)) => {
            (error.span().start.offset, error.kind().to_string())
        }
        Err(other) => (0, other.to_string()),
    };
    Err(PatternError::at(text, offset + at, message))
}

fn percent_encoded(character: char) -> String {
    let mut buffer = [0; 4];
    let bytes = character.encode_utf8(&mut buffer).bytes();
    bytes.map(|byte| format!("%{byte:02X}")).collect()
}

/// Translates a glob: `*` is anything but `/`, `**` anything, `?` one character but `/`, and `\`
/// takes the next character literally. `/**` at the end also matches the folder itself, and `/**/`
/// also a single `/`. A glob without a leading `/` matches in any folder.
fn glob_as_regex(glob: &str) -> Result<String, PatternError> {
    if glob.is_empty() {
        return Err(PatternError::whole("must not be empty"));
    }
    if glob.contains("://") {
        return Err(PatternError::whole(
            "must be a path such as /blog/**, without scheme and host",
        ));
    }
    let mut regex = String::from("(?s-u)");
    let mut rest = glob;
    let mut is_at_segment = false;
    if !glob.starts_with('/') {
        regex.push_str("/(?:.*/)?");
        is_at_segment = true;
    }
    while let Some(first) = rest.chars().next() {
        if rest == "/**" {
            regex.push_str("(?:/.*)?");
            break;
        }
        if is_at_segment && let Some(after) = rest.strip_prefix("**/") {
            regex.push_str("(?:.*/)?");
            rest = after;
            continue;
        }
        is_at_segment = first == '/';
        if let Some(after) = rest.strip_prefix("**") {
            regex.push_str(".*");
            rest = after;
            continue;
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        match first {
            '*' => regex.push_str("[^/]*"),
            '?' => regex.push_str("[^/]"),
            '\\' => {
                let Some(literal) = rest.chars().next() else {
                    let at = glob.len() - 1;
                    return Err(PatternError::at(glob, at, "a character must follow the \\"));
                };
                rest = rest.get(literal.len_utf8()..).unwrap_or_default();
                push_literal(&mut regex, literal);
            }
            '%' => match encoded_byte(rest) {
                Some(byte) => {
                    rest = rest.get(2..).unwrap_or_default();
                    push_byte(&mut regex, byte);
                }
                None => push_encoded(&mut regex, b'%'),
            },
            '#' => {
                let at = glob.len() - rest.len() - 1;
                return Err(PatternError::at(glob, at, "URLs are matched without a fragment"));
            }
            other => push_literal(&mut regex, other),
        }
    }
    regex.push_str(r"\z");
    Ok(regex)
}

/// The byte of the two hexadecimal digits at the beginning of a text.
fn encoded_byte(text: &str) -> Option<u8> {
    let digits = text.get(..2).filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()))?;
    u8::from_str_radix(digits, 16).ok()
}

fn push_literal(regex: &mut String, literal: char) {
    let mut buffer = [0; 4];
    for byte in literal.encode_utf8(&mut buffer).bytes() {
        // As in canonical URLs.
        if b"/?!$&'()*+,;=:@".contains(&byte) {
            push_escaped(regex, byte);
        } else {
            push_byte(regex, byte);
        }
    }
}

/// Adds a byte that was percent-encoded, or must be unless it is unreserved.
fn push_byte(regex: &mut String, byte: u8) {
    if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        push_escaped(regex, byte);
    } else {
        push_encoded(regex, byte);
    }
}

fn push_encoded(regex: &mut String, byte: u8) {
    regex.push_str(&format!("%{byte:02X}"));
}

fn push_escaped(regex: &mut String, byte: u8) {
    if regex_syntax::is_meta_character(char::from(byte)) {
        regex.push('\\');
    }
    regex.push(char::from(byte));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let compiled = PathPattern::parse(pattern).expect("a pattern");
        for path in matching {
            assert!(compiled.matches(path), "{pattern} matches {path}");
        }
        for path in others {
            assert!(!compiled.matches(path), "{pattern} does not match {path}");
        }
    }

    #[test]
    fn globs_match_whole_paths_with_or_without_query() {
        check(
            "/blog/**",
            &["/blog", "/blog/", "/blog/a", "/blog/a/b.html", "/blog?page=2", "/blog/a?b=/c"],
            &["/", "/blogs", "/de/blog/a"],
        );
        check("/blog/*", &["/blog/a", "/blog/", "/blog/a?b=1"], &["/blog", "/blog/a/b"]);
        check("/a?c", &["/abc", "/a?c", "/abc?x"], &["/a/c", "/ac", "/abbc"]);
        check("/a/**/z", &["/a/z", "/a/b/z", "/a/b/c/z"], &["/az", "/a/bz"]);
        check("/a**z", &["/az", "/a/b/z"], &["/a/b"]);
        check("*.pdf", &["/x.pdf", "/a/b/x.pdf", "/x.pdf?v=2"], &["/x.pdf/a", "/xpdf"]);
        check("**", &["/", "/a/b?c"], &[]);
        check("*", &["/", "/a", "/a/b"], &[]);
        check("tags/**", &["/tags/a", "/a/tags/b"], &["/mytags/a"]);
        check(r"/list\?page=*", &["/list?page=2"], &["/list", "/listspage=2"]);
        check(r"/\*", &["/*"], &["/a"]);
    }

    #[test]
    fn globs_are_percent_encoded_like_canonical_urls() {
        check("/über uns/*", &["/%C3%BCber%20uns/a"], &["/uber uns/a"]);
        check("/%c3%bc/%7ea", &["/%C3%BC/~a"], &["/%c3%bc/~a"]);
        check("/a.b(c)+[1]", &["/a.b(c)+%5B1%5D"], &["/aXb(c)+%5B1%5D"]);
        check("/100%", &["/100%25"], &["/100"]);
    }

    #[test]
    fn regular_expressions_match_anywhere_unless_anchored() {
        check(r"re:/\d{4}/\d\d/", &["/2024/05/a", "/blog/2024/05/"], &["/24/05/"]);
        check(r"re:^/p/\d+$", &["/p/1"], &["/p/1/a", "/x/p/1", "/p/1?a"]);
        check("re:(?i)/BLOG", &["/blog", "/Blog"], &["/b"]);
        check(r"re:[?&]sort=", &["/a?sort=x", "/a?b=1&sort=x"], &["/a"]);
        check(r"re:\bshop\b", &["/shop", "/my-shop/a"], &["/workshop"]);
    }

    #[test]
    fn errors_name_the_character_and_the_cause() {
        let errors = |text: &str| path_pattern_errors(&["/a", text]);
        for (text, part) in [
            ("re:/a(b", "is invalid at character 6: unclosed group"),
            ("re:a**[", "is invalid at character 7: unclosed character class"),
            ("re:/a\\p{L}", "is invalid at character 6: Unicode"),
            ("re:/ü", "is invalid at character 5: URLs are matched percent-encoded; write %C3%BC"),
            ("re:(?=a)", "is invalid at character 4: look-around"),
            ("re:", "must have an expression"),
            ("", "must not be empty"),
            ("/a\\", "is invalid at character 3: a character must follow"),
            ("/a#b", "is invalid at character 3: URLs are matched without a fragment"),
            ("https://example.com/**", "without scheme and host"),
            ("re:(a|b)*a(a|b){40}", "is too large"),
            ("re:a{1000}{1000}", "is too large"),
            (&"a".repeat(513), "must not be longer than 512 bytes"),
        ] {
            let found = errors(text);
            let [(1, message)] = found.as_slice() else { panic!("{text}: {found:?}") };
            assert!(message.contains(part), "{text}: {message}");
        }
        assert_eq!(errors(&"/a*".repeat(170)), [], "a long glob fits");
    }

    #[test]
    fn list_is_limited_as_a_whole() {
        let large = format!("re:{}", "[a-z][b-y]*".repeat(40));
        let texts = vec![large.as_str(); 100];
        let errors = path_pattern_errors(&texts);
        let [(index, message)] = errors.as_slice() else { panic!("{errors:?}") };
        assert!(*index > 1 && message.contains("too large"), "{index}: {message}");
    }
}
