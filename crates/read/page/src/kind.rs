//! Classifies responses: page, image, file, feed, sitemap.
//!
//! A specific `Content-Type` decides; where it is missing or generic (`text/plain`,
//! `application/octet-stream`, XML), the first bytes of the body decide.

use contract::LinkType;
use memchr::{memchr, memrchr};
use text::vocabulary::{TermList, TermSet};
use text::{word_list, word_set};

mod sniff;

static IMAGES: TermSet = word_set!("image_extensions.txt");

static FILES: TermSet = word_set!("file_extensions.txt");

static OTHERS: TermSet = word_set!("other_extensions.txt");

/// Media types of downloads, besides audio and video.
static FILE_TYPES: TermList = word_list!("file_types.txt");

/// The type of a response by its header and the beginning of its body.
#[must_use]
pub fn classify(content_type: Option<&str>, body_start: &[u8], path: &str) -> LinkType {
    let full = content_type.unwrap_or_default();
    let essence = full.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        // Many servers send feeds and sitemaps as HTML.
        "text/html" | "application/xhtml+xml" => match sniff::kind(body_start) {
            Some(kind @ (LinkType::Feed | LinkType::Sitemap)) => kind,
            // No HTML has both the signature of an image or archive and NUL bytes.
            Some(kind @ (LinkType::Image | LinkType::File)) if sniff::is_binary(body_start) => kind,
            _ => LinkType::Page,
        },
        "application/rss+xml" | "application/atom+xml" | "application/feed+json" => LinkType::Feed,
        "text/xml" | "application/xml" | "application/rdf+xml" => {
            sniff::kind(body_start).unwrap_or(LinkType::Other)
        }
        "text/plain" => match sniff::kind(body_start).unwrap_or_else(|| expected_kind(path)) {
            LinkType::Page if sniff::kind(body_start).is_none() => LinkType::Other,
            kind => kind,
        },
        "application/octet-stream"
        | "binary/octet-stream"
        | "application/force-download"
        | "application/x-download" => sniff::kind(body_start).unwrap_or_else(|| by_name(path)),
        "application/gzip" | "application/x-gzip" => by_name(path),
        kind if kind.starts_with("image/") => LinkType::Image,
        kind if FILE_TYPES.iter().any(|known| kind.starts_with(known)) => LinkType::File,
        kind if kind.contains('/') && kind != "*/*" && !kind.starts_with("unknown/") => {
            LinkType::Other
        }
        _ => sniff::kind(body_start).unwrap_or_else(|| match expected_kind(path) {
            // Without evidence for a page, it is not taken for one.
            LinkType::Page => LinkType::Other,
            kind => kind,
        }),
    }
}

/// A file, unless its extension is more specific.
fn by_name(path: &str) -> LinkType {
    match expected_kind(path) {
        kind @ (LinkType::Image | LinkType::Sitemap | LinkType::Feed) => kind,
        LinkType::Page | LinkType::File | LinkType::Other => LinkType::File,
    }
}

/// The expected type of a URL that was not requested, by its extension.
#[must_use]
pub fn expected_kind(path: &str) -> LinkType {
    let name = memrchr(b'/', path.as_bytes()).and_then(|at| path.get(at + 1..)).unwrap_or(path);
    if memchr(b'.', name.as_bytes()).is_none() {
        return LinkType::Page;
    }
    let name = name.to_ascii_lowercase();
    let Some((stem, ending)) = name.rsplit_once('.') else { return LinkType::Page };
    let unpacked = if ending == "gz" { stem } else { name.as_str() };
    if unpacked.ends_with(".xml") && unpacked.contains("sitemap") {
        return LinkType::Sitemap;
    }
    if IMAGES.contains(ending) {
        LinkType::Image
    } else if matches!(ending, "rss" | "atom" | "rdf")
        || matches!(name.as_str(), "feed.xml" | "rss.xml" | "atom.xml")
    {
        LinkType::Feed
    } else if name == "robots.txt" || OTHERS.contains(ending) {
        LinkType::Other
    } else if FILES.contains(ending) {
        LinkType::File
    } else {
        LinkType::Page
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn specific_content_type_decides() {
        use LinkType as L;
        for (content_type, body, path, kind) in [
            (Some("text/html; charset=utf-8"), &b""[..], "/a.pdf", L::Page),
            (Some("TEXT/HTML"), b"plain", "/", L::Page),
            (Some("application/xhtml+xml"), b"<?xml version='1.0'?><html>", "/", L::Page),
            (Some("text/html"), b"<?xml version='1.0'?>\n<!-- x --><urlset>", "/s.xml", L::Sitemap),
            (Some("text/html"), b"<rss version=2>", "/feed", L::Feed),
            (Some("text/html"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "/", L::Image),
            (Some("text/html"), b"PK\x03\x04\x14\0", "/", L::File),
            (Some("text/html"), b"BMW and others", "/", L::Page),
            (Some("text/html"), b"<svg>\0", "/", L::Page),
            (Some("image/svg+xml"), b"<svg>", "/a", L::Image),
            (Some("application/rss+xml"), b"", "/feed", L::Feed),
            (Some("text/xml"), b"\xef\xbb\xbf <?xml?><sitemapindex xmlns=x>", "/s", L::Sitemap),
            (Some("application/xml"), b"<feed xmlns='http://www.w3.org/2005/Atom'>", "/", L::Feed),
            (Some("application/xml"), b"<x/>", "/", L::Other),
            (Some("application/pdf"), b"", "/", L::File),
            (
                Some("application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
                b"",
                "/",
                L::File,
            ),
            (Some("video/mp4"), b"", "/", L::File),
            (Some("application/json"), b"{}", "/", L::Other),
            (Some("text/css"), b"", "/", L::Other),
            (Some("application/x-gzip"), b"\x1f\x8b", "/sitemap.xml.gz", L::Sitemap),
            (Some("application/gzip"), b"\x1f\x8b", "/a.gz", L::File),
        ] {
            assert_eq!(classify(content_type, body, path), kind, "{content_type:?} {path}");
        }
    }

    #[test]
    fn generic_content_type_falls_back_to_sniffing() {
        use LinkType as L;
        for (content_type, body, path, kind) in [
            (None, &b"<!DOCTYPE html><p>"[..], "/", L::Page),
            (Some("text/plain"), b" \n<!doctype HTML>", "/", L::Page),
            (Some("text/plain"), b"<!-- c --><html>", "/", L::Page),
            (Some("application/octet-stream"), b"<html>", "/", L::Page),
            (Some("application/octet-stream"), b"\x89PNG\r\n\x1a\n", "/", L::Image),
            (Some("application/octet-stream"), b"\0\x01", "/get", L::File),
            (Some("text/plain"), b"words", "/notes", L::Other),
            (Some("text/plain"), b"words", "/notes.txt", L::File),
            (Some("text/plain"), b"User-agent: *", "/robots.txt", L::Other),
            (Some("text/plain"), b"<abc>", "/x", L::Other),
            (None, b"%PDF-1.7", "/", L::File),
            (None, b"RIFF\0\0\0\0WEBPVP8", "/", L::Image),
            (None, b"", "/", L::Other),
            (None, b"", "/a.jpg", L::Image),
            (Some(""), b"<html", "/", L::Page),
            (Some("nonsense"), b"<body>", "/", L::Page),
        ] {
            assert_eq!(
                classify(content_type, body, path),
                kind,
                "{content_type:?} {path} {body:?}"
            );
        }
    }

    #[test]
    fn expected_kind_follows_the_extension() {
        use LinkType as L;
        for (path, kind) in [
            ("/", L::Page),
            ("/a/b", L::Page),
            ("/a.html", L::Page),
            ("/index.PHP", L::Page),
            ("/v1.2", L::Page),
            ("/john.doe", L::Page),
            ("/a.b/c", L::Page),
            ("/photo.JPG", L::Image),
            ("/a.pdf", L::File),
            ("/a.tar.gz", L::File),
            ("/feed.rss", L::Feed),
            ("/sitemap.xml", L::Sitemap),
            ("/post-sitemap2.xml.gz", L::Sitemap),
            ("/data.xml", L::Other),
            ("/style.css", L::Other),
            ("/robots.txt", L::Other),
        ] {
            assert_eq!(expected_kind(path), kind, "{path}");
        }
    }

    proptest! {
        #[test]
        fn classify_never_panics(content_type: Option<String>, body: Vec<u8>, path: String) {
            let _ = classify(content_type.as_deref(), &body, &path);
        }
    }
}
