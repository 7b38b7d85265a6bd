//! Renders the pieces of a line as Markdown.

use std::fmt::Write as _;

use contract::{MarkdownLinks, TextLink};

use super::code::longest_backticks;
use super::escape::{self, EscapeContext, LineStart};
use super::flanking;
use super::line::{InlineMark, InlinePiece};
use super::link::LinkTarget;
use super::{InlineContext, MarkdownWriter, title};

impl MarkdownWriter<'_, '_> {
    /// Appends the current line to `out` and starts a new one.
    pub(super) fn render_line(&mut self) {
        self.line.end();
        flanking::fix_emphasis(&self.line.text, &mut self.line.pieces, &mut self.piece_buffer);
        let mut pieces = std::mem::take(&mut self.line.pieces);
        let mut start = self.out.len();
        let in_item = self.blocks.is_in_item();
        let mut line_start = LineStart { is_first: true, in_item, with_link: false };
        let tildes = memchr::memchr(b'~', self.line.text.as_bytes()).is_some_and(|at| {
            self.line.text[at + 1..].contains('~')
                || pieces.contains(&InlinePiece::Open(InlineMark::Strike))
        });
        let mut place = EscapeContext {
            in_cell: self.inside == InlineContext::Cell,
            in_link: false,
            link_follows: false,
            tildes,
            dollars: self.has_math,
            references: self.link_style == MarkdownLinks::Reference,
        };
        let is_linked = self.link_style != MarkdownLinks::None;
        let mut link: Option<usize> = None;
        for at in 0..pieces.len() {
            match pieces[at] {
                InlinePiece::Text(from, to) => {
                    let next =
                        pieces[at + 1..].iter().find(|piece| **piece != InlinePiece::Nothing);
                    place.link_follows =
                        is_linked && matches!(next, Some(InlinePiece::Open(InlineMark::Link(_))));
                    escape::push(&mut self.out, &self.line.text[from..to], place);
                }
                InlinePiece::Code(from, to) => {
                    // Two adjacent runs of backticks would be one.
                    if at > 0 && matches!(pieces[at - 1], InlinePiece::Code(..)) {
                        self.out.push_str("<!-- -->");
                    }
                    push_code(&mut self.out, &self.line.text[from..to], place.in_cell);
                }
                InlinePiece::Raw(from, to) => self.out.push_str(&self.line.text[from..to]),
                InlinePiece::Break => {
                    match self.inside {
                        InlineContext::Cell => self.out.push_str("<br>"),
                        InlineContext::Heading => self.out.push(' '),
                        InlineContext::Flow => {
                            self.guard_line(start, line_start);
                            self.out.push_str("\\\n");
                            self.push_prefix();
                            start = self.out.len();
                            line_start =
                                LineStart { is_first: false, in_item: false, with_link: false };
                        }
                    };
                }
                InlinePiece::Open(InlineMark::Link(target)) => {
                    if let Some(end) = self.autolink(&pieces[at..], target) {
                        for piece in &mut pieces[at..at + end] {
                            *piece = InlinePiece::Nothing;
                        }
                        continue;
                    }
                    link = Some(at);
                    if is_linked {
                        place.in_link = true;
                        line_start.with_link |= self.out.len() == start;
                        self.out.push('[');
                    }
                }
                InlinePiece::Close(InlineMark::Link(target)) => {
                    place.in_link = false;
                    let target = self.targets.get_mut(target).map(std::mem::take);
                    let target = target.unwrap_or_default();
                    let text = self.link_text(&target, &pieces[link.take().unwrap_or(at)..at]);
                    let title = target.title.as_deref().filter(|title| title::adds(title, &text));
                    match self.link_style {
                        MarkdownLinks::Inline => {
                            self.out.push_str("](");
                            push_destination(&mut self.out, &target.url, place.in_cell);
                            title::push(&mut self.out, title, place.in_cell);
                            self.out.push(')');
                        }
                        MarkdownLinks::Reference => {
                            let number = self.references.number(&target.url, title);
                            // Writing to a String cannot fail.
                            let _ = write!(self.out, "][{number}]");
                        }
                        MarkdownLinks::None => {}
                    }
                    self.links.push(TextLink { url: target.url, text });
                }
                InlinePiece::Open(mark) | InlinePiece::Close(mark) => {
                    let opens = matches!(pieces[at], InlinePiece::Open(_));
                    self.out.push_str(match (mark, opens) {
                        (InlineMark::Strong, _) => "**",
                        (InlineMark::Em, _) => "*",
                        (InlineMark::Strike, _) => "~~",
                        (InlineMark::Sup, true) => "<sup>",
                        (InlineMark::Sup, false) => "</sup>",
                        (InlineMark::Sub, true) => "<sub>",
                        (InlineMark::Sub, false) => "</sub>",
                        (InlineMark::Link(_), _) => "",
                    });
                }
                InlinePiece::OpenUnder(mark) | InlinePiece::CloseUnder(mark) => {
                    self.out.push_str(if mark == InlineMark::Strong { "__" } else { "_" });
                }
                InlinePiece::Nothing => {}
            }
        }
        match self.inside {
            InlineContext::Flow => self.guard_line(start, line_start),
            InlineContext::Heading | InlineContext::Cell => {}
        }
        self.line.pieces = pieces;
        self.line.clear();
    }

    fn guard_line(&mut self, from: usize, start: LineStart) {
        if let Some((at, signs)) = escape::line_start_escape(&self.out[from..], start) {
            self.out.insert_str(from + at, signs);
        }
    }

    /// Writes a link whose text is its URL as an autolink. Returns the number of pieces it takes.
    fn autolink(&mut self, pieces: &[InlinePiece], target: usize) -> Option<usize> {
        let [_, InlinePiece::Text(from, to), InlinePiece::Close(_), ..] = *pieces else {
            return None;
        };
        let LinkTarget { url, title, .. } = self.targets.get(target)?;
        let has_title = title.as_deref().is_some_and(|title| title::adds(title, url));
        let is_linked = self.link_style != MarkdownLinks::None;
        if self.line.text[from..to] != *url || has_title || !is_autolink(url) || !is_linked {
            return None;
        }
        self.out.push('<');
        self.out.push_str(url);
        self.out.push('>');
        let url = self.targets.get_mut(target).map(std::mem::take)?.url;
        self.links.push(TextLink { text: url.clone(), url });
        Some(3)
    }

    fn link_text(&self, target: &LinkTarget, pieces: &[InlinePiece]) -> String {
        let text = self.plain(pieces);
        let holds_images = pieces.iter().any(|piece| matches!(piece, InlinePiece::Raw(..)));
        if !text.trim().is_empty() || !holds_images {
            return text;
        }
        // The alternative text of an image is the text of its link.
        let images = self.images.get(target.images..).unwrap_or_default();
        images.iter().find_map(|image| image.alt.clone()).unwrap_or_default()
    }

    /// The text of the current line without marks.
    pub(super) fn plain_line(&self) -> String {
        self.plain(&self.line.pieces)
    }

    fn plain(&self, pieces: &[InlinePiece]) -> String {
        let mut text = String::new();
        for piece in pieces {
            match *piece {
                InlinePiece::Text(from, to) | InlinePiece::Code(from, to) => {
                    text.push_str(&self.line.text[from..to]);
                }
                InlinePiece::Break => text.push(' '),
                _ => {}
            }
        }
        text
    }
}

/// Whether a URL can be written as an autolink.
fn is_autolink(url: &str) -> bool {
    let sound = url.split_once(':').is_some_and(|(scheme, _)| (2..=32).contains(&scheme.len()));
    sound && !url.bytes().any(|byte| byte <= b' ' || matches!(byte, b'<' | b'>' | b'|' | b'\\'))
}

/// Appends inline code between enough backticks.
pub(super) fn push_code(out: &mut String, code: &str, in_cell: bool) {
    let spaced = code.starts_with('`')
        || code.ends_with('`')
        || (code.starts_with(' ') && code.ends_with(' ') && !code.trim().is_empty());
    let ticks = longest_backticks(code) + 1;
    let fence = |out: &mut String| out.extend(std::iter::repeat_n('`', ticks));
    fence(out);
    if spaced {
        out.push(' ');
    }
    if in_cell && code.contains('|') {
        out.push_str(&code.replace('|', "\\|"));
    } else {
        out.push_str(code);
    }
    if spaced {
        out.push(' ');
    }
    fence(out);
}

/// Appends a link destination with the escapes that it needs.
pub(super) fn push_destination(out: &mut String, url: &str, in_cell: bool) {
    let mut depth = 0_i32;
    let balanced = url.bytes().all(|byte| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        (0..=16).contains(&depth)
    }) && depth == 0;
    let odd = |byte: u8| match byte {
        b'(' | b')' => !balanced,
        b'|' => in_cell,
        b'&' | b'\\' | b'<' | b'>' | b' ' => true,
        _ => false,
    };
    if !url.bytes().any(odd) {
        out.push_str(url);
        return;
    }
    for (at, character) in url.char_indices() {
        match character {
            '(' if !balanced => out.push_str("\\("),
            ')' if !balanced => out.push_str("\\)"),
            '|' if in_cell => out.push_str("%7C"),
            '&' if escape::is_reference(&url.as_bytes()[at + 1..]) => out.push_str("&amp;"),
            '\\' => out.push_str("%5C"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            ' ' => out.push_str("%20"),
            _ => out.push(character),
        }
    }
}
