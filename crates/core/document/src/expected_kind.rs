//! The kind of content that a path suggests.

use contract::LinkType;
use memchr::{memchr, memrchr};
use text::vocabulary::TermSet;
use text::word_set;

static IMAGES: TermSet = word_set!("image_extensions.txt");

static FILES: TermSet = word_set!("file_extensions.txt");

static OTHERS: TermSet = word_set!("other_extensions.txt");

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
    use super::*;

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
}
