//! The reference of the filter by path: a recursive matcher, written from the documentation of the
//! patterns. The fuzz target `path_filters` includes this file.

/// Whether a glob with a leading `/` matches a whole text.
fn glob_matches(glob: &[u8], text: &[u8]) -> bool {
    // At the end, `/**` is also the folder itself.
    if glob == b"/**" && text.is_empty() {
        return true;
    }
    // Between slashes, `**` is any number of folders.
    if glob.starts_with(b"/**/") {
        let mut slashes = (0..text.len()).filter(|at| text[*at] == b'/');
        return text.first() == Some(&b'/')
            && slashes.any(|at| glob_matches(&glob[3..], &text[at..]));
    }
    match glob {
        [] => text.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=text.len()).any(|at| glob_matches(rest, &text[at..])),
        [b'*', rest @ ..] => {
            let end = text.iter().position(|byte| *byte == b'/').unwrap_or(text.len());
            (0..=end).any(|at| glob_matches(rest, &text[at..]))
        }
        [b'?', rest @ ..] => match text {
            [byte, text @ ..] => *byte != b'/' && glob_matches(rest, text),
            [] => false,
        },
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => match text {
            [byte, text @ ..] => byte == literal && glob_matches(rest, text),
            [] => false,
        },
    }
}

/// Whether a regular expression of characters, `.`, `*` after one of them, `^` and `$` matches
/// anywhere in a text.
fn regex_matches(regex: &[u8], text: &[u8]) -> bool {
    match regex.strip_prefix(b"^") {
        Some(rest) => regex_here(rest, text),
        None => (0..=text.len()).any(|at| regex_here(regex, &text[at..])),
    }
}

fn regex_here(regex: &[u8], text: &[u8]) -> bool {
    let is_one = |pattern: u8, byte: u8| pattern == b'.' || pattern == byte;
    match regex {
        [] => true,
        [b'$'] => text.is_empty(),
        [one, b'*', rest @ ..] => {
            let most = text.iter().take_while(|byte| is_one(*one, **byte)).count();
            (0..=most).any(|count| regex_here(rest, &text[count..]))
        }
        [one, rest @ ..] => match text {
            [byte, text @ ..] => is_one(*one, *byte) && regex_here(rest, text),
            [] => false,
        },
    }
}

fn pattern_matches(pattern: &str, path_and_query: &str) -> bool {
    if let Some(regex) = pattern.strip_prefix("re:") {
        return regex_matches(regex.as_bytes(), path_and_query.as_bytes());
    }
    // Without a leading slash, in any folder.
    let glob = if pattern.starts_with('/') { pattern.to_owned() } else { format!("/**/{pattern}") };
    let path = path_and_query.split('?').next().unwrap_or_default();
    [path_and_query, path].iter().any(|text| glob_matches(glob.as_bytes(), text.as_bytes()))
}

/// Whether a path with its query passes a filter.
pub fn passes(include: &[String], exclude: &[String], path: &str) -> bool {
    let any = |patterns: &[String]| patterns.iter().any(|pattern| pattern_matches(pattern, path));
    !any(exclude) && (include.is_empty() || any(include))
}
