//! The `Link` header (RFC 8288): `<address>; rel=next; type="text/html", <…>; …`.
//!
//! Parsed leniently: malformed links are skipped up to the next comma. Only quoted values with
//! escapes are copied.

use std::borrow::Cow;

/// One link of a `Link` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderLink<'h> {
    /// The target as written, possibly relative.
    pub address: &'h str,
    parameters: &'h str,
}

impl<'h> HeaderLink<'h> {
    /// The first value of a parameter: RFC 8288 ignores further ones.
    pub fn parameter(&self, name: &str) -> Option<Cow<'h, str>> {
        self.parameters(name).next()
    }

    /// All values of a parameter: `hreflang` may occur several times.
    pub fn parameters(&self, name: &str) -> impl Iterator<Item = Cow<'h, str>> {
        let mut rest = self.parameters;
        std::iter::from_fn(move || {
            while !rest.is_empty() {
                let (parameter, after) = rest.split_at(length_until(rest, b";"));
                rest = after.get(1..).unwrap_or_default();
                let (known, value) = parameter.split_once('=').unwrap_or((parameter, ""));
                if known.trim().eq_ignore_ascii_case(name) {
                    return Some(unquoted(value.trim()));
                }
            }
            None
        })
    }
}

/// The links of one header in their order.
pub fn links(value: &str) -> impl Iterator<Item = HeaderLink<'_>> {
    let mut rest = value;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
            if rest.is_empty() {
                return None;
            }
            let Some(inner) = rest.strip_prefix('<') else {
                rest = rest.get(length_until(rest, b",")..).unwrap_or_default();
                continue;
            };
            // Commas and semicolons within the brackets belong to the URL.
            let (address, after) = inner.split_once('>')?;
            let (parameters, next) = after.split_at(length_until(after, b","));
            rest = next;
            return Some(HeaderLink { address, parameters });
        }
    })
}

/// The length up to the first of the ASCII separators that is not in quotes. Quotes only begin
/// where a value does.
fn length_until(text: &str, separators: &[u8]) -> usize {
    let (mut quoted, mut escaped, mut value_begins) = (false, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if quoted {
            quoted = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if separators.contains(&byte) {
            return at;
        } else if !byte.is_ascii_whitespace() {
            quoted = value_begins && byte == b'"';
            value_begins = byte == b'=';
        }
    }
    text.len()
}

/// A value without its quotes and escapes.
fn unquoted(value: &str) -> Cow<'_, str> {
    let Some(inner) = value.strip_prefix('"') else { return Cow::Borrowed(value) };
    let plain = inner.find(['"', '\\']).unwrap_or(inner.len());
    if inner.as_bytes().get(plain) != Some(&b'\\') {
        return Cow::Borrowed(inner.get(..plain).unwrap_or_default());
    }
    let mut text = String::with_capacity(inner.len());
    let mut signs = inner.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '"' => break,
            '\\' => text.extend(signs.next()),
            other => text.push(other),
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Target and `rel` of every link.
    fn seen(value: &str) -> Vec<(&str, Option<String>)> {
        links(value)
            .map(|link| (link.address, link.parameter("rel").map(Cow::into_owned)))
            .collect()
    }

    #[test]
    fn link_header_is_split_into_links() {
        let rel = |text: &str| Some(text.to_owned());
        for (value, found) in [
            ("</a>; rel=next", vec![("/a", rel("next"))]),
            ("</a>;rel=next,</b>;rel=prev", vec![("/a", rel("next")), ("/b", rel("prev"))]),
            ("  <a> ; REL = \"next  last\" , <b>", vec![("a", rel("next  last")), ("b", None)]),
            ("</a,b;c>; rel=next", vec![("/a,b;c", rel("next"))]),
            ("</a>; title=\"x, <y>; rel=z\"; rel=up", vec![("/a", rel("up"))]),
            ("</a>; title=\"\\\"; rel=z\"; rel=up", vec![("/a", rel("up"))]),
            ("</a>; title=5\"; rel=up, </b>", vec![("/a", rel("up")), ("/b", None)]),
            ("</a>; rel=\"a\\b\\\"\"", vec![("/a", rel("ab\""))]),
            ("</a>; rel=one; rel=two", vec![("/a", rel("one"))]),
            ("</a>; rel", vec![("/a", rel(""))]),
            ("</a>; relation=x; xrel=y", vec![("/a", None)]),
            ("</a>;;; rel=next;", vec![("/a", rel("next"))]),
            ("<>; rel=self", vec![("", rel("self"))]),
            ("junk, </a>; rel=next", vec![("/a", rel("next"))]),
            ("</a>; title=a,b; rel=next, </c>", vec![("/a", None), ("/c", None)]),
            ("</a>; rel=\"next", vec![("/a", rel("next"))]),
            ("</a; rel=next", vec![]),
            ("/a; rel=next", vec![]),
            (",, ,", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(seen(value), found, "{value}");
        }
    }

    #[test]
    fn repeated_parameters_are_all_returned() {
        let link = links("</a>; hreflang=de; rel=alternate; HrefLang=\"fr\"").next().unwrap();
        assert_eq!(link.parameters("hreflang").collect::<Vec<_>>(), ["de", "fr"]);
        assert_eq!(link.parameters("type").next(), None);
    }

    proptest! {
        #[test]
        fn link_header_parsing_never_panics(value in "(<|>|;|,|=|\"|\\\\| |rel|type|[a-zü]){0,60}|\\PC{0,40}") {
            let found: Vec<_> = links(&value).collect();
            prop_assert!(found.len() <= value.matches('<').count());
            let kept: usize = found.iter().map(|l| l.address.len() + l.parameters.len()).sum();
            prop_assert!(kept <= value.len());
            for link in found {
                for value in link.parameters("rel").chain(link.parameters("")) {
                    prop_assert!(value.len() <= link.parameters.len());
                }
            }
        }

        #[test]
        fn quoted_values_round_trip(text in "[ -~]{0,30}", address in "[!-;=?-~]{0,20}") {
            let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
            let value = format!("<{address}>; title=\"{quoted}\"; rel=next, <x>");
            let found: Vec<_> = links(&value).collect();
            prop_assert_eq!(found.len(), 2);
            prop_assert_eq!(found[0].address, address);
            prop_assert_eq!(found[0].parameter("title").unwrap(), text);
            prop_assert_eq!(found[0].parameter("rel").unwrap(), "next");
        }
    }
}
