//! Saved pages of many real sites, served as one site.
//!
//! Every link of a page leads to another page of the site, by its text, so that a page keeps its
//! number of links and of distinct links. Two links at the end of each page make every page
//! reachable. What would send a crawler elsewhere or stop it is disabled: `base`, `link`, robots
//! and refresh in `meta`, `nofollow`.

use std::fs::File;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::Read;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use flate2::read::GzDecoder;
use lab::{Reply, Site, SiteTruth};
use memchr::{memchr, memmem};
use page::{HeaderSigns, PageHead, PageLimits, ProtectionEvidence};
use urls::CanonicalUrl;

use crate::site::{number_of, path};

/// Saved pages by their number.
#[derive(Debug)]
pub struct SavedPages(Vec<Bytes>);

impl SavedPages {
    /// The `.html.gz` files of a folder, by name. Challenges of bot protections are left out: a
    /// crawler does not deliver them.
    pub fn load(folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder).expect("a folder of saved pages");
        let mut files: Vec<PathBuf> = entries
            .map(|entry| entry.expect("a folder entry").path())
            .filter(|path| path.to_string_lossy().ends_with(".html.gz"))
            .collect();
        files.sort();
        let pages = files.iter().map(|file| {
            let mut html = Vec::new();
            let file = File::open(file).expect("a file");
            GzDecoder::new(file).read_to_end(&mut html).expect("a gzip file");
            html
        });
        let pages: Vec<Vec<u8>> = pages.filter(|html| !is_challenge(html)).collect();
        let count = pages.len();
        let linked = |(page, html): (usize, &Vec<u8>)| linked(html, page, count).into();
        Self(pages.iter().enumerate().map(linked).collect())
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }
}

fn is_challenge(html: &[u8]) -> bool {
    let url = CanonicalUrl::parse("http://site.test/").expect("a URL");
    let limits = PageLimits::default();
    let page = page::read_page(html, &PageHead::default(), &url, &limits);
    let evidence = ProtectionEvidence {
        status: 200,
        url: &url,
        location: None,
        headers: HeaderSigns::default(),
        body: html,
        text_chars: Some(page.text_chars),
    };
    page::detect_protection(&evidence).is_some()
}

impl Site for SavedPages {
    fn answer(&self, path_and_query: &str) -> Reply {
        let page = number_of(path_and_query.trim_start_matches('/'), self.0.len());
        match page {
            Some(page) => Reply::html(self.0[page].clone()),
            None => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// The page with links to the other pages.
fn linked(html: &[u8], page: usize, count: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(html.len() + 64);
    let mut at = 0;
    while let Some(open) = memchr(b'<', &html[at..]) {
        out.extend_from_slice(&html[at..=at + open]);
        at += open + 1;
        let Some(end) = memchr(b'>', &html[at..]) else { break };
        let tag = &html[at..at + end];
        let name = tag.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        match tag[..name].to_ascii_lowercase().as_slice() {
            b"a" | b"area" => link(tag, count, &mut out),
            b"base" | b"link" => disable(tag, &mut out),
            b"meta" if directs_crawlers(tag) => disable(tag, &mut out),
            _ => out.extend_from_slice(tag),
        }
        at += end;
    }
    out.extend_from_slice(&html[at..]);
    for next in [2 * page + 1, 2 * page + 2] {
        if next < count {
            out.extend_from_slice(format!("<a href=\"/{}\">Next</a>", path(next)).as_bytes());
        }
    }
    out
}

fn directs_crawlers(tag: &[u8]) -> bool {
    let tag = tag.to_ascii_lowercase();
    ["robots", "refresh", "bot\""].iter().any(|word| memmem::find(&tag, word.as_bytes()).is_some())
}

/// Writes the tag under a name that has no meaning.
fn disable(tag: &[u8], out: &mut Vec<u8>) {
    out.push(b'x');
    out.extend_from_slice(tag);
}

/// Writes the tag with links to pages of the site in `href`, also as a part of other names: a
/// search for `href="` finds those, too.
fn link(tag: &[u8], count: usize, out: &mut Vec<u8>) {
    let mut rest = tag;
    while let Some(name) = memmem::find(&rest.to_ascii_lowercase(), b"href=") {
        let start = name + "href=".len();
        let (value, after) = attribute_value(&rest[start..]);
        out.extend_from_slice(&rest[..start]);
        out.push(b'"');
        let is_page = !value.is_empty() && !value.starts_with(b"#") && !is_other_scheme(value);
        if is_page {
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(value);
            let target = usize::try_from(hash % count as u64).expect("a number of a page");
            out.push(b'/');
            out.extend_from_slice(path(target).as_bytes());
        } else {
            out.extend_from_slice(value);
        }
        out.push(b'"');
        rest = after;
    }
    match memmem::find(&rest.to_ascii_lowercase(), b"nofollow") {
        Some(at) => {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(&rest[at + "nofollow".len()..]);
        }
        None => out.extend_from_slice(rest),
    }
}

/// The value that a text begins with, without its quotes, and the text after it.
fn attribute_value(text: &[u8]) -> (&[u8], &[u8]) {
    match text {
        [quote @ (b'"' | b'\''), text @ ..] => {
            let end = memchr(*quote, text).unwrap_or(text.len());
            (&text[..end], text.get(end + 1..).unwrap_or_default())
        }
        _ => text.split_at(text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len())),
    }
}

/// Whether this is `mailto:`, `javascript:` or the like.
fn is_other_scheme(value: &[u8]) -> bool {
    let scheme = value.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = value[..scheme].to_ascii_lowercase();
    value.get(scheme) == Some(&b':') && !matches!(name.as_slice(), b"http" | b"https")
}
