//! A line of inline content: pieces with white space collapsed as in a browser.
//!
//! White space and opening marks are held back until content follows: emphasis never begins or ends
//! with a space, and empty emphasis disappears.

use html::text::plain_run;

/// Signs of list items in texts.
const BULLETS: [char; 8] = ['•', '●', '▪', '■', '◦', '‣', '⁃', '○'];

/// Maximum nesting of the same mark.
const MAX_SAME: usize = 3;

/// Inline formatting of a run of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InlineMark {
    Strong,
    Em,
    Strike,
    Sup,
    Sub,
    /// A link by the index of its target.
    Link(usize),
}

impl InlineMark {
    /// Whether its delimiters are subject to flanking rules.
    pub fn is_emphasis(self) -> bool {
        matches!(self, Self::Strong | Self::Em | Self::Strike)
    }
}

/// A piece of a line. Ranges refer to the text of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InlinePiece {
    /// Text that is escaped on output.
    Text(usize, usize),
    /// The content of inline code.
    Code(usize, usize),
    /// Markdown that is written unchanged.
    Raw(usize, usize),
    /// A line break within a paragraph.
    Break,
    Open(InlineMark),
    Close(InlineMark),
    /// An opening mark that uses underscores.
    OpenUnder(InlineMark),
    CloseUnder(InlineMark),
    /// A piece that was dropped.
    Nothing,
}

/// White space that is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PendingSpace {
    None,
    Space,
    Break,
}

/// The line that is being built.
#[derive(Debug)]
pub(super) struct InlineLine {
    /// The texts of all pieces.
    pub text: String,
    pub pieces: Vec<InlinePiece>,
    gap: PendingSpace,
    /// Open marks, outermost first.
    open: Vec<InlineMark>,
    /// Number of innermost open marks without content yet.
    waiting: usize,
    pub words: u64,
}

impl InlineLine {
    pub fn new() -> Self {
        Self {
            text: String::new(),
            pieces: Vec::new(),
            gap: PendingSpace::None,
            open: Vec::new(),
            waiting: 0,
            words: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds white space or a line break.
    #[inline]
    pub fn gap(&mut self, gap: PendingSpace) {
        self.gap = self.gap.max(gap);
    }

    /// The white space before the next content.
    pub fn pending_gap(&self) -> PendingSpace {
        self.gap
    }

    pub fn is_marked(&self, mark: InlineMark) -> bool {
        self.open.contains(&mark)
    }

    pub fn is_in_link(&self) -> bool {
        self.open.iter().any(|mark| matches!(mark, InlineMark::Link(_)))
    }

    /// Opens a mark; nesting of the same mark has no effect.
    pub fn open(&mut self, mark: InlineMark) -> bool {
        !self.is_marked(mark) && self.open_within(mark)
    }

    /// Opens a mark, also within the same one. Returns whether the maximum nesting allows it.
    pub fn open_within(&mut self, mark: InlineMark) -> bool {
        let fits = self.open.iter().filter(|open| **open == mark).count() < MAX_SAME;
        if fits {
            self.open.push(mark);
            self.waiting += 1;
        }
        fits
    }

    /// Closes a mark; one without content leaves no trace.
    pub fn close(&mut self, mark: InlineMark) {
        let Some(at) = self.open.iter().rposition(|open| *open == mark) else { return };
        let first_waiting = self.open.len() - self.waiting;
        self.open.remove(at);
        if at >= first_waiting {
            self.waiting -= 1;
        } else {
            self.pieces.push(InlinePiece::Close(mark));
        }
    }

    /// Writes the white space and marks that were held back.
    fn flush_pending(&mut self) {
        let gap = std::mem::replace(&mut self.gap, PendingSpace::None);
        if !self.pieces.is_empty() {
            match gap {
                PendingSpace::None => {}
                PendingSpace::Space => self.extend_text(" "),
                PendingSpace::Break => self.pieces.push(InlinePiece::Break),
            }
        }
        for at in self.open.len() - self.waiting..self.open.len() {
            let mark = self.open[at];
            // A mark that was just closed is continued.
            if mark.is_emphasis() && self.pieces.last() == Some(&InlinePiece::Close(mark)) {
                self.pieces.pop();
            } else {
                self.pieces.push(InlinePiece::Open(mark));
            }
        }
        self.waiting = 0;
    }

    fn extend_text(&mut self, text: &str) {
        let from = self.text.len();
        self.text.push_str(text);
        let end = self.text.len();
        match self.pieces.last_mut() {
            Some(InlinePiece::Text(_, to)) if *to == from => *to = end,
            _ => self.pieces.push(InlinePiece::Text(from, end)),
        }
    }

    /// Drops a bullet that the page writes as text at the beginning of a list item.
    pub fn drop_bullet(&mut self) {
        let Some(InlinePiece::Text(from, to)) = self.pieces.first_mut() else { return };
        let text = self.text.get(*from..*to).unwrap_or_default();
        let Some(rest) = text.strip_prefix(BULLETS) else { return };
        let bare = rest.trim_start();
        // `•word` may be a word; alone, the sign is the bullet of the text after it.
        if bare.len() < rest.len() {
            *from = *to - bare.len();
        } else if rest.is_empty() && self.pieces.len() > 1 {
            self.pieces.remove(0);
        }
    }

    /// Appends text of the page.
    pub fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_whitespace() {
                // Much of an indented page is only this.
                self.gap(PendingSpace::Space);
                let rest = &bytes[at..];
                at += rest.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(rest.len());
                continue;
            }
            match special_char(bytes, at, byte) {
                SpecialChar::Space(length) => {
                    self.gap(PendingSpace::Space);
                    at += length;
                    continue;
                }
                SpecialChar::Nothing(length) => {
                    at += length;
                    continue;
                }
                SpecialChar::None => {}
            }
            let is_plain =
                |at: usize| matches!(special_char(bytes, at, bytes[at]), SpecialChar::None);
            let (end, more_words) = plain_run(bytes, at, &ORDINARY, odd_byte, is_plain);
            if self.pieces.is_empty() || self.gap != PendingSpace::None {
                self.words += 1;
            }
            self.words += more_words;
            if self.waiting > 0 || self.gap != PendingSpace::None || self.pieces.is_empty() {
                self.flush_pending();
            }
            self.extend_text(text.get(at..end).unwrap_or_default());
            at = end;
        }
    }

    /// Appends inline code with collapsed white space.
    pub fn push_code(&mut self, code: &str) {
        self.words += code.split(' ').filter(|word| !word.is_empty()).count() as u64;
        self.flush_pending();
        let from = self.text.len();
        self.text.push_str(code);
        self.pieces.push(InlinePiece::Code(from, self.text.len()));
    }

    /// Appends Markdown unchanged.
    pub fn push_raw(&mut self, markdown: &str) {
        self.flush_pending();
        let from = self.text.len();
        self.text.push_str(markdown);
        self.pieces.push(InlinePiece::Raw(from, self.text.len()));
    }

    /// Ends the line: open marks are closed and continue in the next one.
    pub fn end(&mut self) {
        self.gap = PendingSpace::None;
        let piece_buffer = self.open.len() - self.waiting;
        for at in (0..piece_buffer).rev() {
            self.pieces.push(InlinePiece::Close(self.open[at]));
        }
        self.waiting = self.open.len();
    }

    /// Resets the line; open marks stay open.
    pub fn clear(&mut self) {
        self.text.clear();
        self.pieces.clear();
        self.gap = PendingSpace::None;
        self.waiting = self.open.len();
    }
}

/// A character that is not written unchanged.
enum SpecialChar {
    /// White space with its length in bytes.
    Space(usize),
    /// An invisible character with its length in bytes.
    Nothing(usize),
    None,
}

/// Bytes that are not special and cannot begin a special character.
const ORDINARY: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = !matches!(byte as u8, 0..=0x20 | 0x7f | 0xc2 | 0xe1..=0xe3 | 0xee | 0xef);
        byte += 1;
    }
    table
};

#[inline]
fn special_char(bytes: &[u8], at: usize, byte: u8) -> SpecialChar {
    if ORDINARY[usize::from(byte)] {
        return SpecialChar::None;
    }
    match byte {
        b'\t'..=b'\r' | b' ' => SpecialChar::Space(1),
        0..=0x1f | 0x7f => SpecialChar::Nothing(1),
        0xc2 => match bytes.get(at + 1) {
            Some(0x85 | 0xa0) => SpecialChar::Space(2),
            // The soft hyphen and control characters.
            Some(0x80..=0x9f | 0xad) => SpecialChar::Nothing(2),
            _ => SpecialChar::None,
        },
        _ => match bytes.get(at..at + 3) {
            Some(
                [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf]
                | [0xe2, 0x81, 0x9f]
                | [0xe1, 0x9a, 0x80]
                | [0xe3, 0x80, 0x80],
            ) => SpecialChar::Space(3),
            // Zero-width characters that join nothing. Joiners and direction marks are kept because
            // they change the text.
            Some([0xe2, 0x80, 0x8b] | [0xe2, 0x81, 0xa0] | [0xef, 0xbb, 0xbf]) => {
                SpecialChar::Nothing(3)
            }
            // Private use characters are the icons of a font.
            Some([0xee, ..] | [0xef, 0x80..=0xa3, _]) => SpecialChar::Nothing(3),
            _ => SpecialChar::None,
        },
    }
}

/// 1 for bytes that are neither ordinary nor a space.
#[inline(always)]
fn odd_byte(byte: u8) -> u8 {
    u8::from(byte < 0x20)
        | u8::from(byte == 0x7f)
        | u8::from(byte == 0xc2)
        | u8::from(byte.wrapping_sub(0xe1) < 3)
        | u8::from(byte | 1 == 0xef)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_bytes_are_not_ordinary() {
        for byte in (0..=u8::MAX).filter(|byte| *byte != b' ') {
            assert_eq!(odd_byte(byte) == 1, !ORDINARY[usize::from(byte)], "{byte:#x}");
        }
    }

    #[test]
    fn words_of_long_lines_are_counted_correctly() {
        for text in ["one two three ", "eins \u{a0} zwei ", "a\u{ad}b  \u{2003}c "] {
            let (long, mut line) = (text.repeat(40), InlineLine::new());
            line.push(&long);
            let once = text.split_whitespace().count() as u64;
            assert_eq!(line.words, 40 * once);
        }
    }
}
