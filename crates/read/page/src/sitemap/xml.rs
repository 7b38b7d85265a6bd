//! The forms of a sitemap that are XML, read event by event.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use urls::CanonicalUrl;

use super::field::{Field, Part};
use super::{EVENT_STEPS, SitemapError, SitemapFile, SitemapKind, SitemapLimits};
use html::budget;

mod draft;

use draft::{Draft, Room};

/// The longest text of an element that is kept: no address or date is longer.
const MAX_TEXT: usize = 8 * 1024;

/// Reads a file, given as text that begins with `<`.
pub(super) fn read(
    text: &str,
    url: &CanonicalUrl,
    limits: &SitemapLimits,
) -> Result<SitemapFile, SitemapError> {
    let mut events = Reader::from_str(text);
    // Addresses with a bare `&` are a common mistake and plain in their meaning.
    events.config_mut().allow_dangling_amp = true;
    let mut walk: Option<Walk<'_>> = None;
    loop {
        // The walk ends with its root: an end, an error or a spent budget before that cuts it.
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
                walk = Some(Walk::new(SitemapFile::new(kind), url, limits));
                if matches!(event, Event::Empty(_)) {
                    break;
                }
            }
            (Some(walk), event) => {
                if walk.step(event) == Progress::Done {
                    break;
                }
            }
            // What stands before the root, a DTD among it, has no say.
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
enum Progress {
    More,
    /// The root has ended or a limit is reached.
    Done,
}

/// An element that is open, by the number of those around it.
#[derive(Debug, Clone, Copy)]
struct Open<T> {
    what: T,
    depth: usize,
}

/// Whether an entry is a page or a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Page,
    Child,
}

/// The way through a file.
#[derive(Debug)]
struct Walk<'a> {
    file: SitemapFile,
    limits: &'a SitemapLimits,
    /// Elements that are open below the root.
    depth: usize,
    entry: Option<Open<Entry>>,
    part: Option<Open<Part>>,
    field: Option<Open<Field>>,
    text: String,
    draft: Draft<'a>,
    room: Room,
}

impl<'a> Walk<'a> {
    fn new(file: SitemapFile, url: &'a CanonicalUrl, limits: &'a SitemapLimits) -> Self {
        Self {
            file,
            limits,
            depth: 0,
            entry: None,
            part: None,
            field: None,
            text: String::new(),
            draft: Draft::new(url),
            room: Room::new(limits),
        }
    }

    fn step(&mut self, event: &Event<'_>) -> Progress {
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                self.start(tag)
            }
            Event::Empty(tag) => {
                self.depth += 1;
                match self.start(tag) {
                    Progress::More => self.end(),
                    Progress::Done => Progress::Done,
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
                Progress::More
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => Progress::More,
            Event::Eof => Progress::Done,
        }
    }

    fn push(&mut self, text: &str) -> Progress {
        // One that is too long is cut behind the limit, where it is seen to be so.
        if self.field.is_some() && self.text.len() <= MAX_TEXT {
            let end = text.floor_char_boundary(MAX_TEXT + 1);
            self.text.push_str(text.get(..end).unwrap_or_default());
        }
        Progress::More
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Progress {
        let name = tag.name();
        let prefix = name.prefix().map_or("", |prefix| prefix.into_inner());
        let local = name.local_name().into_inner();
        let Some(entry) = self.entry else {
            return self.enter(local);
        };
        if self.field.is_some() {
            return Progress::More;
        }
        let part = match self.part {
            Some(part) if self.depth == part.depth + 1 => part.what,
            None if self.depth == entry.depth + 1 => Part::Page,
            // Deeper than anything that is read.
            Some(_) | None => return Progress::More,
        };
        let field = match self.file.kind {
            SitemapKind::UrlSet | SitemapKind::Index => Field::of_sitemap(part, prefix, local),
            SitemapKind::Rss => Field::of_rss(part, prefix, local),
            SitemapKind::Atom => Field::of_atom(part, prefix, local),
            SitemapKind::Text => None,
        };
        if let Some(field) = field {
            let no_address = field == Field::Permalink
                && attribute(tag, "isPermaLink").is_some_and(|value| value.trim() == "false");
            if !no_address {
                self.field = Some(Open { what: field, depth: self.depth });
                self.text.clear();
            }
        } else if part == Part::Page {
            self.extra(tag, prefix, local);
            let what = match local {
                "image" => Part::Image,
                "video" => Part::Video,
                _ => Part::Other,
            };
            self.part = Some(Open { what, depth: self.depth });
        }
        Progress::More
    }

    /// An element outside of all entries: the beginning of one, perhaps.
    fn enter(&mut self, local: &str) -> Progress {
        let what = match (self.file.kind, local) {
            (SitemapKind::UrlSet | SitemapKind::Index, "url") => Entry::Page,
            (SitemapKind::UrlSet | SitemapKind::Index, "sitemap") => Entry::Child,
            (SitemapKind::Rss, "item") | (SitemapKind::Atom, "entry") => Entry::Page,
            _ => return Progress::More,
        };
        let full = match what {
            Entry::Page => self.file.entries.len() >= self.limits.entries,
            Entry::Child => self.file.children.len() >= self.limits.children,
        };
        if full {
            self.file.truncated = true;
            return Progress::Done;
        }
        self.entry = Some(Open { what, depth: self.depth });
        Progress::More
    }

    /// What stands in attributes: alternates, and the links and media of feeds.
    fn extra(&mut self, tag: &BytesStart<'_>, prefix: &str, local: &str) {
        let get = |name| attribute(tag, name);
        match (self.file.kind, prefix, local) {
            (SitemapKind::UrlSet | SitemapKind::Index, _, "link") => {
                if get("rel").is_some_and(|rel| rel.trim().eq_ignore_ascii_case("alternate"))
                    && let (Some(language), Some(href)) = (get("hreflang"), get("href"))
                {
                    self.draft.alternate(&language, &href, &mut self.room);
                }
            }
            (SitemapKind::Atom, "" | "atom", "link") => {
                let Some(href) = get("href") else { return };
                match get("rel").as_deref().map(str::trim) {
                    None | Some("" | "alternate") => {
                        self.draft.field(Field::Address, &href, &mut self.room)
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
            self.draft.field(Field::Image, href, &mut self.room);
        } else if kind.starts_with("video") {
            self.draft.field(Field::Video, href, &mut self.room);
        }
    }

    fn end(&mut self) -> Progress {
        let depth = self.depth;
        if self.field.is_some_and(|open| open.depth == depth)
            && let Some(open) = self.field.take()
            && self.text.len() <= MAX_TEXT
        {
            self.draft.field(open.what, &self.text, &mut self.room);
        }
        if self.part.is_some_and(|open| open.depth == depth) {
            self.part = None;
        }
        if self.entry.is_some_and(|open| open.depth == depth)
            && let Some(open) = self.entry.take()
        {
            self.keep(open.what);
        }
        // Without an element to close, this is the end of the root.
        match depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                Progress::More
            }
            None => Progress::Done,
        }
    }

    fn keep(&mut self, entry: Entry) {
        match (self.draft.take(), entry) {
            (Some(done), Entry::Page) => self.file.entries.push(done),
            (Some(done), Entry::Child) => self.file.children.push(done.url),
            (None, _) => self.file.rejected = self.file.rejected.saturating_add(1),
        }
    }

    fn finish(mut self) -> SitemapFile {
        // Cut within an entry: what was whole by then still counts.
        if let Some(open) = self.entry.take() {
            self.file.truncated = true;
            if self.draft.has_address() {
                self.keep(open.what);
            }
        }
        self.file.truncated |= self.room.is_used_up();
        self.file
    }
}

/// What a reference stands for: XML's own five and numbers. Any other stays as
/// it is written, since only a DTD could say more.
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

/// The value of an attribute, with XML's own references resolved.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag
        .attributes()
        .with_checks(false)
        .filter_map(Result::ok)
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    // Half an address would be another one.
    let value = Some(&*found.value).filter(|value| value.len() <= MAX_TEXT)?;
    // Unknown references and bare `&` make it fail: then it is as it is written.
    Some(
        quick_xml::escape::unescape(value)
            .map_or_else(|_| value.replace("&amp;", "&"), Cow::into_owned),
    )
}
