//! XML sitemaps and feeds, parsed event by event.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use urls::CanonicalUrl;

use super::field::{EntryPart, SitemapField};
use super::{EVENT_STEPS, SitemapError};
use document::{SitemapFile, SitemapKind, SitemapLimits};
use html::budget;

mod entry_builder;

use entry_builder::{EntryBuilder, ExtrasBudget};

/// Maximum length of an element's text: no URL or date is longer.
const MAX_TEXT: usize = 8 * 1024;

/// Reads a file, given as text that begins with `<`.
pub(super) fn read(
    text: &str,
    url: &CanonicalUrl,
    limits: &SitemapLimits,
) -> Result<SitemapFile, SitemapError> {
    let mut events = Reader::from_str(text);
    // A bare `&` in a URL is a common mistake with an obvious meaning.
    events.config_mut().allow_dangling_amp = true;
    let mut walk: Option<SitemapParser<'_>> = None;
    loop {
        // The walk ends with its root; the end of the file, an error or an empty budget truncates
        // it.
        let next = events.read_event().ok();
        let next = next.filter(|event| !matches!(event, Event::Eof) && budget::steps(EVENT_STEPS));
        let Some(event) = next else {
            let walk = walk.as_mut().ok_or(SitemapError::NotSitemap)?;
            walk.file.truncated = true;
            break;
        };
        match (&mut walk, &event) {
            (None, Event::Start(root) | Event::Empty(root)) => {
                let kind = kind_of(root).ok_or(SitemapError::NotSitemap)?;
                walk = Some(SitemapParser::new(SitemapFile::new(kind), url, limits));
                if matches!(event, Event::Empty(_)) {
                    break;
                }
            }
            (Some(walk), event) => {
                if walk.step(event) == ParseProgress::Done {
                    break;
                }
            }
            // Content before the root, such as a DTD, is ignored.
            (None, _) => {}
        }
    }
    Ok(walk.ok_or(SitemapError::NotSitemap)?.finish())
}

fn kind_of(root: &BytesStart<'_>) -> Option<SitemapKind> {
    match root.local_name().as_ref() {
        "urlset" => Some(SitemapKind::UrlSet),
        "sitemapindex" => Some(SitemapKind::Index),
        "rss" | "RDF" => Some(SitemapKind::Rss),
        "feed" => Some(SitemapKind::Atom),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParseProgress {
    More,
    /// The root has ended or a limit is reached.
    Done,
}

/// An open element with its depth.
#[derive(Debug, Clone, Copy)]
struct AtDepth<T> {
    value: T,
    depth: usize,
}

/// Whether an entry is a page or a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    Page,
    Child,
}

/// The state of parsing a file.
#[derive(Debug)]
struct SitemapParser<'a> {
    file: SitemapFile,
    limits: &'a SitemapLimits,
    /// Number of open elements below the root.
    depth: usize,
    entry: Option<AtDepth<EntryKind>>,
    part: Option<AtDepth<EntryPart>>,
    field: Option<AtDepth<SitemapField>>,
    text: String,
    entry_builder: EntryBuilder<'a>,
    extras_budget: ExtrasBudget,
}

impl<'a> SitemapParser<'a> {
    fn new(file: SitemapFile, url: &'a CanonicalUrl, limits: &'a SitemapLimits) -> Self {
        Self {
            file,
            limits,
            depth: 0,
            entry: None,
            part: None,
            field: None,
            text: String::new(),
            entry_builder: EntryBuilder::new(url),
            extras_budget: ExtrasBudget::new(limits),
        }
    }

    fn step(&mut self, event: &Event<'_>) -> ParseProgress {
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                self.start(tag)
            }
            Event::Empty(tag) => {
                self.depth += 1;
                match self.start(tag) {
                    ParseProgress::More => self.end(),
                    ParseProgress::Done => ParseProgress::Done,
                }
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.push(text),
            Event::CData(text) => self.push(text),
            Event::GeneralRef(reference) => {
                if self.field.is_some() {
                    let spelled = resolved(reference);
                    self.push(&spelled);
                }
                ParseProgress::More
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {
                ParseProgress::More
            }
            Event::Eof => ParseProgress::Done,
        }
    }

    fn push(&mut self, text: &str) -> ParseProgress {
        // A text that is too long is cut just beyond the limit, so that it can be recognised.
        if self.field.is_some() && self.text.len() <= MAX_TEXT {
            let end = text.floor_char_boundary(MAX_TEXT + 1);
            self.text.push_str(text.get(..end).unwrap_or_default());
        }
        ParseProgress::More
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> ParseProgress {
        let name = tag.name();
        let prefix = name.prefix().map_or("", |prefix| prefix.into_inner());
        let local = name.local_name().into_inner();
        let Some(entry) = self.entry else {
            return self.enter(local);
        };
        if self.field.is_some() {
            return ParseProgress::More;
        }
        let part = match self.part {
            Some(part) if self.depth == part.depth + 1 => part.value,
            None if self.depth == entry.depth + 1 => EntryPart::Page,
            // Deeper than any element that is read.
            Some(_) | None => return ParseProgress::More,
        };
        let field = match self.file.kind {
            SitemapKind::UrlSet | SitemapKind::Index => {
                SitemapField::of_sitemap(part, prefix, local)
            }
            SitemapKind::Rss => SitemapField::of_rss(part, prefix, local),
            SitemapKind::Atom => SitemapField::of_atom(part, prefix, local),
            SitemapKind::Text => None,
        };
        if let Some(field) = field {
            let ignores_permalink = field == SitemapField::Permalink
                && attribute(tag, "isPermaLink").is_some_and(|value| value.trim() == "false");
            if !ignores_permalink {
                self.field = Some(AtDepth { value: field, depth: self.depth });
                self.text.clear();
            }
        } else if part == EntryPart::Page {
            self.attribute_values(tag, prefix, local);
            let value = match local {
                "image" => EntryPart::Image,
                "video" => EntryPart::Video,
                _ => EntryPart::Other,
            };
            self.part = Some(AtDepth { value, depth: self.depth });
        }
        ParseProgress::More
    }

    /// An element outside of all entries, which may begin one.
    fn enter(&mut self, local: &str) -> ParseProgress {
        let value = match (self.file.kind, local) {
            (SitemapKind::UrlSet | SitemapKind::Index, "url") => EntryKind::Page,
            (SitemapKind::UrlSet | SitemapKind::Index, "sitemap") => EntryKind::Child,
            (SitemapKind::Rss, "item") | (SitemapKind::Atom, "entry") => EntryKind::Page,
            _ => return ParseProgress::More,
        };
        let full = match value {
            EntryKind::Page => self.file.entries.len() >= self.limits.entries,
            EntryKind::Child => self.file.children.len() >= self.limits.children,
        };
        if full {
            self.file.truncated = true;
            return ParseProgress::Done;
        }
        self.entry = Some(AtDepth { value, depth: self.depth });
        ParseProgress::More
    }

    /// Values in attributes: alternates, and the links and media of feeds.
    fn attribute_values(&mut self, tag: &BytesStart<'_>, prefix: &str, local: &str) {
        let get = |name| attribute(tag, name);
        match (self.file.kind, prefix, local) {
            (SitemapKind::UrlSet | SitemapKind::Index, _, "link") => {
                if get("rel").is_some_and(|rel| rel.trim().eq_ignore_ascii_case("alternate"))
                    && let (Some(language), Some(href)) = (get("hreflang"), get("href"))
                {
                    self.entry_builder.alternate(&language, &href, &mut self.extras_budget);
                }
            }
            (SitemapKind::Atom, "" | "atom", "link") => {
                let Some(href) = get("href") else { return };
                match get("rel").as_deref().map(str::trim) {
                    None | Some("" | "alternate") => {
                        self.entry_builder.field(SitemapField::Url, &href, &mut self.extras_budget)
                    }
                    Some("enclosure") => self.medium(&get("type").unwrap_or_default(), &href),
                    Some(_) => {}
                }
            }
            (SitemapKind::Rss, _, "enclosure") | (_, "media", "content") => {
                if let Some(href) = get("url") {
                    let kind = get("type").or_else(|| get("medium")).unwrap_or_default();
                    self.medium(&kind, &href);
                }
            }
            _ => {}
        }
    }

    fn medium(&mut self, kind: &str, href: &str) {
        if kind.starts_with("image") {
            self.entry_builder.field(SitemapField::Image, href, &mut self.extras_budget);
        } else if kind.starts_with("video") {
            self.entry_builder.field(SitemapField::Video, href, &mut self.extras_budget);
        }
    }

    fn end(&mut self) -> ParseProgress {
        let depth = self.depth;
        if self.field.is_some_and(|open| open.depth == depth)
            && let Some(open) = self.field.take()
            && self.text.len() <= MAX_TEXT
        {
            self.entry_builder.field(open.value, &self.text, &mut self.extras_budget);
        }
        if self.part.is_some_and(|open| open.depth == depth) {
            self.part = None;
        }
        if self.entry.is_some_and(|open| open.depth == depth)
            && let Some(open) = self.entry.take()
        {
            self.keep(open.value);
        }
        // Without an open element, this is the end of the root.
        match depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                ParseProgress::More
            }
            None => ParseProgress::Done,
        }
    }

    fn keep(&mut self, entry: EntryKind) {
        match (self.entry_builder.take(), entry) {
            (Some(done), EntryKind::Page) => self.file.entries.push(done),
            (Some(done), EntryKind::Child) => self.file.children.push(done.url),
            (None, _) => self.file.rejected = self.file.rejected.saturating_add(1),
        }
    }

    fn finish(mut self) -> SitemapFile {
        // Truncated within an entry: its complete fields still count.
        if let Some(open) = self.entry.take() {
            self.file.truncated = true;
            if self.entry_builder.has_url() {
                self.keep(open.value);
            }
        }
        self.file.truncated |= self.extras_budget.is_exhausted();
        self.file
    }
}

/// The character of a reference: the five of XML and numbers. Others are kept as written, because
/// only a DTD could define them.
fn resolved(reference: &BytesRef<'_>) -> Cow<'static, str> {
    match reference.resolve_char_ref() {
        Ok(Some('\0')) | Err(_) => Cow::Borrowed("\u{fffd}"),
        Ok(Some(character)) => Cow::Owned(character.to_string()),
        Ok(None) => match resolve_predefined_entity(reference) {
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(format!("&{};", &**reference)),
        },
    }
}

/// The value of an attribute with its XML references resolved.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag
        .attributes()
        .with_checks(false)
        .filter_map(Result::ok)
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    // A truncated URL would be a different one.
    let value = Some(&*found.value).filter(|value| value.len() <= MAX_TEXT)?;
    // Unknown references and a bare `&` are errors: the value is then kept as written.
    Some(
        quick_xml::escape::unescape(value)
            .map_or_else(|_| value.replace("&amp;", "&"), Cow::into_owned),
    )
}
