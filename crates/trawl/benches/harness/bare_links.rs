//! A minimal link extractor: a search for `<a href="` and `Url::join`.

use memchr::{memchr, memmem};
use url::Url;

/// The URLs of `<a href="…">` on the same host.
pub fn links(page: &[u8], base: &Url) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(tag) = memchr(b'<', &page[at..]) {
        at += tag + 1;
        let Some(end) = memchr(b'>', &page[at..]) else { break };
        let tag = &page[at..at + end];
        at += end + 1;
        if !matches!(tag, [b'a' | b'A', b' ' | b'\n' | b'\t', ..]) {
            continue;
        }
        let Some(value) = memmem::find(tag, b"href=\"").map(|at| &tag[at + 6..]) else { continue };
        let Some(end) = memchr(b'"', value) else { continue };
        let Ok(href) = std::str::from_utf8(&value[..end]) else { continue };
        if let Ok(mut url) = base.join(href)
            && url.host_str() == base.host_str()
        {
            url.set_fragment(None);
            found.push(url.into());
        }
    }
    found
}
