//! Content sniffing: the type of a body by its first bytes.

use contract::LinkType;
use memchr::{memchr, memmem};
use text::vocabulary::TermList;
use text::word_list;

/// Elements that a page may begin with.
static HTML: TermList = word_list!("first_elements.txt");

const IMAGES: &[&[u8]] =
    &[b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"BM", b"\0\0\x01\0", b"II*\0", b"MM\0*"];

const FILES: &[&[u8]] = &[
    b"%PDF-",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"Rar!",
    b"7z\xbc\xaf",
    b"\xd0\xcf\x11\xe0",
    b"{\\rtf",
    b"ID3",
    b"OggS",
    b"fLaC",
    b"\x1aE\xdf\xa3",
    b"%!PS",
    b"MZ",
];

/// The type that the beginning of a body shows; `None` if unknown.
pub(super) fn kind(body: &[u8]) -> Option<LinkType> {
    if let Some(root) = root_element(body) {
        return root_kind(root);
    }
    let begins = |known: &[&[u8]]| known.iter().any(|magic| body.starts_with(magic));
    match body {
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(LinkType::Image),
        [b'R', b'I', b'F', b'F', _, _, _, _, ..] => Some(LinkType::File),
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => Some(LinkType::Image),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some(LinkType::File),
        _ if begins(IMAGES) => Some(LinkType::Image),
        _ if begins(FILES) => Some(LinkType::File),
        _ => None,
    }
}

/// Whether a body is binary: it has NUL bytes and does not begin with markup.
pub(super) fn is_binary(body: &[u8]) -> bool {
    let beginning = body.get(..512).unwrap_or(body);
    root_element(body).is_none() && memchr(0, beginning).is_some()
}

fn root_kind(root: &[u8]) -> Option<LinkType> {
    let is = |name: &[u8]| name.eq_ignore_ascii_case(root);
    if is(b"urlset") || is(b"sitemapindex") {
        Some(LinkType::Sitemap)
    } else if is(b"rss") || is(b"feed") || is(b"rdf:rdf") {
        Some(LinkType::Feed)
    } else if is(b"svg") {
        Some(LinkType::Image)
    } else if HTML.iter().any(|name| is(name.as_bytes())) {
        Some(LinkType::Page)
    } else {
        None
    }
}

/// The name of the first element after declarations and comments; `html` for its doctype. `None` if
/// this is no markup.
fn root_element(body: &[u8]) -> Option<&[u8]> {
    let mut rest = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    while let Some(inside) = rest.strip_prefix(b"<") {
        let end = if inside.starts_with(b"!--") {
            memmem::find(inside, b"-->")? + 3
        } else if inside.get(..8).is_some_and(|word| word.eq_ignore_ascii_case(b"!doctype")) {
            let name = inside[8..].trim_ascii_start();
            if name.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"html")) {
                return Some(b"html");
            }
            memchr(b'>', inside)? + 1
        } else if inside.starts_with(b"?") {
            memchr(b'>', inside)? + 1
        } else {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
            let length = inside.iter().position(ends).unwrap_or(inside.len());
            return Some(&inside[..length]).filter(|name| !name.is_empty());
        };
        rest = inside.get(end..)?.trim_ascii_start();
    }
    None
}
