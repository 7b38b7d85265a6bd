//! What `<meta>`, `rel` and `lang` say, as values.

/// What a page asks of crawlers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Wishes {
    pub(super) noindex: bool,
    pub(super) nofollow: bool,
}

impl Wishes {
    /// Adds the content of a robots `<meta>`.
    pub(super) fn add(&mut self, content: &str) {
        for word in content.split(',').map(str::trim) {
            let none = word.eq_ignore_ascii_case("none");
            self.noindex |= none || word.eq_ignore_ascii_case("noindex");
            self.nofollow |= none || word.eq_ignore_ascii_case("nofollow");
        }
    }
}

/// Whether a list of words, parted by white space, has one of them.
pub(super) fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

/// The address of a refresh: `5; url=/next`.
pub(super) fn refresh_target(content: &str) -> Option<&str> {
    let rest = content.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_gap = |c: char| c.is_ascii_whitespace() || matches!(c, ';' | ',');
    let target = rest.strip_prefix(is_gap)?.trim_start_matches(is_gap);
    let address = match target.get(..3) {
        Some(key) if key.eq_ignore_ascii_case("url") => {
            // Without its sign, `url` is the beginning of the address itself.
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

/// A language tag, when it could be one.
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
    fn refreshes_are_read() {
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

    #[test]
    fn wishes_add_up() {
        let mut wishes = Wishes::default();
        wishes.add("INDEX, NoFollow");
        assert_eq!(wishes, Wishes { noindex: false, nofollow: true });
        wishes.add("none");
        assert_eq!(wishes, Wishes { noindex: true, nofollow: true });
    }
}
