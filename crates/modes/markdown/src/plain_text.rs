//! Plain text files that a site links to as pages. They are delivered unchanged because they have
//! no boilerplate. Markdown source also has headings.

use contract::{Extraction, ExtractionMethod, Heading, LinkType};
use xxhash_rust::xxh3::Xxh3;

use crate::markdown_page::MarkdownPage;
use crate::measure;
use html::charset;
use html::text::Collapsed;
use page::{Page, PageHead};

/// Maximum bytes of a text: 4 MiB are a thousand printed pages.
const TEXT_BYTES: usize = 4 << 20;

/// Maximum number of listed headings.
const HEADINGS: usize = 2_000;

/// Extensions of plain text files that are read as pages.
const ENDINGS: &[&str] = &["txt", "text", "md", "markdown", "mdown", "mkd"];

/// Whether a path has the extension of a plain text file.
#[must_use]
pub fn names_plain_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    // robots.txt is no text for readers.
    let is_rules = stem.eq_ignore_ascii_case("robots") && ending.eq_ignore_ascii_case("txt");
    !is_rules && ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// Whether a response is a plain text for readers.
#[must_use]
pub fn is_plain_text(content_type: Option<&str>, body_start: &[u8], path: &str) -> bool {
    let full = content_type.unwrap_or_default();
    let essence = full.split(';').next().unwrap_or_default().trim();
    let is = |kind: &str| essence.eq_ignore_ascii_case(kind);
    if is("text/markdown") || is("text/x-markdown") {
        return true;
    }
    let is_text = is("text/plain") && !body_start.iter().take(1_024).any(|byte| *byte == 0);
    is_text
        && match page::classify(content_type, body_start, path) {
            LinkType::Other => page::expected_kind(path) == LinkType::Page,
            LinkType::File => names_plain_text(path),
            LinkType::Page | LinkType::Image | LinkType::Feed | LinkType::Sitemap => false,
        }
}

/// Reads plain text into a page and its text.
#[must_use]
pub fn read_plain_text(body: &[u8], head: &PageHead<'_>, path: &str) -> (Page, MarkdownPage) {
    let decoded = charset::decode(body, head.content_type);
    let cut = decoded.floor_char_boundary(TEXT_BYTES);
    let text = lines(decoded.get(..cut).unwrap_or(&decoded));
    let mut warnings = Vec::new();
    if cut < decoded.len() {
        warnings.push(contract::ExtractionWarning::Truncated);
    }
    let headings = if is_markdown(head.content_type, path) { headings(&text) } else { Vec::new() };
    let title = headings.first().map(|heading| Collapsed::of(&heading.text, 1_024));
    let (word_count, content_hash) = words(&text);
    let page = Page {
        title: title.clone(),
        description: None,
        h1: None,
        canonical: None,
        alternates: Vec::new(),
        language: head.only_language().map(|language| language.trim().to_owned()),
        noindex: page::noindex(head.robots),
        nofollow: false,
        links: Vec::new(),
        anchors: String::new(),
        links_truncated: false,
        word_count,
        text_chars: text.chars().count() as u64,
        content_hash: content_hash.clone(),
    };
    let read = MarkdownPage {
        title,
        author: None,
        published_at: None,
        modified_at: None,
        word_count,
        token_estimate: measure::tokens(&text),
        headings,
        links: Vec::new(),
        images: Vec::new(),
        content_hash,
        extraction: Extraction { method: ExtractionMethod::PlainText, kept_ratio: 1.0, warnings },
        blocks: Vec::new(),
        markdown: text,
    };
    (page, read)
}

fn is_markdown(content_type: Option<&str>, path: &str) -> bool {
    let by_type = content_type.is_some_and(|kind| kind.contains("markdown"));
    by_type
        || path.rsplit_once('.').is_some_and(|(_, ending)| {
            ENDINGS[2..].iter().any(|known| known.eq_ignore_ascii_case(ending))
        })
}

/// The text with `
/// ` line ends and without trailing space.
fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.trim_end().split('\n') {
        out.push_str(line.strip_suffix('\r').unwrap_or(line));
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

/// The headings that begin with `#`, outside of fenced code.
fn headings(text: &str) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, Some(mark)) => fence = Some(mark),
            (None, None) => headings.extend(heading(line)),
        }
        if headings.len() >= HEADINGS {
            break;
        }
    }
    headings
}

fn heading(line: &str) -> Option<Heading> {
    let rest = line.trim_start_matches('#');
    let level =
        u8::try_from(line.len() - rest.len()).ok().filter(|level| (1..=6).contains(level))?;
    let text = rest.strip_prefix([' ', '\t'])?.trim();
    let text = text.trim_end_matches('#').trim_end();
    (!text.is_empty()).then(|| Heading { level, text: text.to_owned(), anchor: None })
}

/// The number of words, and a hash of them that does not depend on white space.
fn words(text: &str) -> (u64, String) {
    let (mut count, mut hash) = (0, Xxh3::new());
    for word in text.split_whitespace() {
        count += 1;
        hash.update(word.as_bytes());
        hash.update(b" ");
    }
    (count, format!("{:016x}", hash.digest()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, path: &str) -> MarkdownPage {
        read_plain_text(text.as_bytes(), &PageHead::default(), path).1
    }

    #[test]
    fn plain_text_is_recognised_by_type_and_content() {
        let plain = Some("text/plain; charset=utf-8");
        for (content_type, body, path, is_text) in [
            (plain, "words", "/notes", true),
            (plain, "words", "/notes.txt", true),
            (plain, "# words", "/README.md", true),
            (Some("text/markdown"), "# words", "/guide", true),
            (plain, "User-agent: *", "/robots.txt", false),
            (plain, "<!doctype html>", "/page", false),
            (plain, "a,b", "/table.csv", false),
            (plain, "let a", "/app.js", false),
            (plain, "\0\x01", "/core", false),
            (Some("text/html"), "words", "/a.txt", false),
            (Some("application/pdf"), "%PDF", "/a.txt", false),
            (None, "words", "/a.txt", false),
        ] {
            let detected = is_plain_text(content_type, body.as_bytes(), path);
            assert_eq!(detected, is_text, "{content_type:?} {path} {body:?}");
        }
    }

    #[test]
    fn plain_text_is_delivered_unchanged() {
        let page = read("One\r\n  two *three*\r\n\r\n# four\r\n", "/notes.txt");
        assert_eq!(page.markdown, "One\n  two *three*\n\n# four");
        assert_eq!((page.word_count, page.title), (5, None));
        assert_eq!(page.extraction.method, ExtractionMethod::PlainText);
        let other = read("One two\n*three*   #\nfour", "/copy.txt");
        assert_eq!(other.content_hash, page.content_hash, "white space does not count");
    }

    #[test]
    fn headings_of_markdown_source_are_listed() {
        let page = read("# Title #\ntext\n```\n# no heading\n```\n## Part two\n#no\n", "/a.md");
        let headings: Vec<_> =
            page.headings.iter().map(|heading| (heading.level, heading.text.as_str())).collect();
        assert_eq!(headings, [(1, "Title"), (2, "Part two")]);
        assert_eq!(page.title.as_deref(), Some("Title"));
    }
}
