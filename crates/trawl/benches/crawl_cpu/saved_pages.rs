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

use crate::site::{number_of, path};

/// The pages by number.
#[derive(Debug)]
pub struct SavedPages(Vec<Bytes>);

impl SavedPages {
    /// The `.html.gz` files of a folder, by name.
    pub fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder of saved pages");
        let mut files: Vec<PathBuf> = entries
            .map(|entry| entry.expect("a folder entry").path())
            .filter(|path| path.to_string_lossy().ends_with(".html.gz"))
            .collect();
        files.sort();
        assert!(!files.is_empty(), "no .html.gz files in {}", folder.display());
        files
    }

    pub fn load(folder: &Path) -> Self {
        let files = Self::files(folder);
        let count = files.len();
        let pages = files.iter().enumerate().map(|(page, file)| {
            let mut html = Vec::new();
            let file = File::open(file).expect("a file");
            GzDecoder::new(file).read_to_end(&mut html).expect("a gzip file");
            linked(&html, page, count).into()
        });
        Self(pages.collect())
    }
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

/// Writes the tag with a link to a page of the site.
fn link(tag: &[u8], count: usize, out: &mut Vec<u8>) {
    let lower = tag.to_ascii_lowercase();
    let href = memmem::find_iter(&lower, b"href=")
        .find(|&at| at > 0 && lower[at - 1].is_ascii_whitespace())
        .map(|at| at + "href=".len());
    let Some(start) = href else { return out.extend_from_slice(tag) };
    let (value, rest) = match lower.get(start) {
        Some(quote @ (b'"' | b'\'')) => {
            let text = &tag[start + 1..];
            let end = memchr(*quote, text).unwrap_or(text.len());
            (&text[..end], text.get(end + 1..).unwrap_or_default())
        }
        _ => {
            let text = &tag[start..];
            let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
            text.split_at(end)
        }
    };
    out.extend_from_slice(&tag[..start]);
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
    match memmem::find(&rest.to_ascii_lowercase(), b"nofollow") {
        Some(at) => {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(&rest[at + "nofollow".len()..]);
        }
        None => out.extend_from_slice(rest),
    }
}

/// Whether this is `mailto:`, `javascript:` or the like.
fn is_other_scheme(value: &[u8]) -> bool {
    let scheme = value.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = value[..scheme].to_ascii_lowercase();
    value.get(scheme) == Some(&b':') && !matches!(name.as_slice(), b"http" | b"https")
}
