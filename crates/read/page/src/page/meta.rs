//! Values of `<meta>` and `lang`.

/// The URL of a refresh: `5; url=/next`.
pub(super) fn refresh_target(content: &str) -> Option<&str> {
    let rest = content.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_gap = |c: char| c.is_ascii_whitespace() || matches!(c, ';' | ',');
    let target = rest.strip_prefix(is_gap)?.trim_start_matches(is_gap);
    let address = match target.get(..3) {
        Some(key) if key.eq_ignore_ascii_case("url") => {
            // Without `=`, `url` is the beginning of the URL itself.
            target[3..].trim_start().strip_prefix('=').map_or(target, str::trim_start)
        }
        _ => target,
    };
    let address = match address.chars().next()? {
        quote @ ('"' | '\'') => address[1..].split(quote).next()?,
        _ => address,
    };
    Some(address.trim()).filter(|address| !address.is_empty())
}

/// A language tag, if the text could be one.
pub(super) fn language(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = (1..=35).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    fits.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_targets_are_parsed() {
        for (content, target) in [
            ("5; url=/next", Some("/next")),
            ("0;URL='/a b'", Some("/a b")),
            ("0, /next", Some("/next")),
            ("1.5;url = \"x", Some("x")),
            ("0;urls/a", Some("urls/a")),
            ("5", None),
            ("5;", None),
            ("x;url=/a", None),
            ("", None),
            (";url=''", None),
        ] {
            assert_eq!(refresh_target(content), target, "{content}");
        }
    }
}
