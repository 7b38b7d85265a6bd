//! Makes emphasis render: CommonMark delimiters must be left- or right-flanking.
//!
//! An opening delimiter must not be between a letter and punctuation, a closing one not between
//! punctuation and a letter. In that case the punctuation is moved out of the emphasis; if that is
//! not possible, the emphasis is dropped and the text stays.

use super::line::{InlineMark, InlinePiece};

/// The class of a character next to a delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FlankingClass {
    Space,
    Punctuation,
    Letter,
}

/// Emphasis that has been opened.
#[derive(Debug, Clone, Copy)]
struct OpenEmphasis {
    mark: InlineMark,
    /// Its index among the pieces; `None` if it was dropped.
    at: Option<usize>,
    /// The character class before it.
    before: FlankingClass,
    under: bool,
}

/// Rewrites the emphasis in `pieces` so that it renders. `done` is a buffer.
pub(super) fn fix_emphasis(text: &str, pieces: &mut Vec<InlinePiece>, done: &mut Vec<InlinePiece>) {
    let emphasised =
        |piece: &InlinePiece| matches!(piece, InlinePiece::Open(mark) if mark.is_emphasis());
    if !pieces.iter().any(emphasised) {
        return;
    }
    done.clear();
    let mut settling = EmphasisFixer { text, done, opened_emphasis: Vec::new() };
    let mut at = 0;
    while at < pieces.len() {
        at = match pieces[at] {
            InlinePiece::Open(mark) if mark.is_emphasis() => settling.begin(pieces, at),
            InlinePiece::Close(mark) if mark.is_emphasis() => settling.end(pieces, at),
            piece => {
                settling.done.push(piece);
                at + 1
            }
        };
    }
    // Texts on both sides of a dropped mark are merged and escaped as a whole.
    pieces.clear();
    for piece in done.drain(..) {
        match (pieces.last_mut(), piece) {
            (_, InlinePiece::Nothing) => {}
            (Some(InlinePiece::Text(_, to)), InlinePiece::Text(from, end)) if *to == from => {
                *to = end
            }
            _ => pieces.push(piece),
        }
    }
}

struct EmphasisFixer<'s> {
    text: &'s str,
    done: &'s mut Vec<InlinePiece>,
    opened_emphasis: Vec<OpenEmphasis>,
}

impl EmphasisFixer<'_> {
    /// Processes a run of opening marks at `at`. Returns the index to continue at.
    fn begin(&mut self, pieces: &mut [InlinePiece], at: usize) -> usize {
        let run = pieces[at..]
            .iter()
            .take_while(|piece| matches!(piece, InlinePiece::Open(mark) if mark.is_emphasis()))
            .count();
        let next = at + run;
        let mut before = self.last_side();
        let mut fits = true;
        if before == FlankingClass::Letter
            && self.first_side(pieces, next) == FlankingClass::Punctuation
        {
            fits = false;
            if let Some(InlinePiece::Text(from, to)) = pieces.get(next).copied() {
                let text = &self.text[from..to];
                let rest = text.trim_start_matches(|c: char| c == ' ' || is_punctuation(c));
                let moved = to - rest.len();
                if moved > from && !rest.is_empty() {
                    self.done.push(InlinePiece::Text(from, moved));
                    pieces[next] = InlinePiece::Text(moved, to);
                    before = self.last_side();
                    fits = true;
                }
            }
        }
        let opened = &pieces[at..next];
        // Between letters only asterisks open emphasis, and three of them open both kinds.
        let (em, strong) =
            (InlinePiece::Open(InlineMark::Em), InlinePiece::Open(InlineMark::Strong));
        let is_triple = (opened == [em, strong] || opened == [strong, em])
            && before == FlankingClass::Letter
            && self.first_side(pieces, next) == FlankingClass::Letter
            && self.opened_emphasis.iter().all(|opened_emphasis| opened_emphasis.at.is_none());
        let mut under = self.begins_under(opened);
        for (piece, following) in opened.iter().zip(&pieces[at + 1..=next.min(pieces.len() - 1)]) {
            let InlinePiece::Open(mark) = *piece else { continue };
            let takes_turns = matches!(mark, InlineMark::Strong | InlineMark::Em);
            let is_under = takes_turns && under && !is_triple;
            under ^= takes_turns;
            // An underscore between letters is no delimiter.
            let reads_as_letter = is_under && self.last_side() == FlankingClass::Letter;
            // A different delimiter after it counts as punctuation.
            let mixed = matches!(following, InlinePiece::Open(other) if other.is_emphasis())
                && self.last_side() == FlankingClass::Letter;
            let kept = fits && !reads_as_letter && (!mixed || is_triple);
            let index = kept.then_some(self.done.len());
            self.opened_emphasis.push(OpenEmphasis { mark, at: index, before, under: is_under });
            if kept {
                self.done.push(if is_under { InlinePiece::OpenUnder(mark) } else { *piece });
            }
        }
        next
    }

    /// Whether the first of a run of opening marks uses underscores. Delimiters alternate from
    /// there, because two equal ones side by side would be read as one.
    fn begins_under(&self, opened: &[InlinePiece]) -> bool {
        let marks = opened.iter().filter_map(|piece| match piece {
            InlinePiece::Open(mark) if matches!(mark, InlineMark::Strong | InlineMark::Em) => {
                Some(*mark)
            }
            _ => None,
        });
        let Some(first) = marks.clone().next() else { return false };
        let around = self
            .opened_emphasis
            .iter()
            .rfind(|opened_emphasis| opened_emphasis.mark == first && opened_emphasis.at.is_some());
        if let Some(around) = around {
            return !around.under;
        }
        if self.ends_with_sign() {
            return !self.ends_with_underscore();
        }
        // Strong text uses asterisks.
        let is_mixed = marks.clone().any(|mark| mark != first);
        is_mixed
            && marks
                .clone()
                .position(|mark| mark == InlineMark::Strong)
                .is_some_and(|at| at % 2 == 1)
    }

    /// Processes a run of closing marks at `at`. Returns the index to continue at.
    fn end(&mut self, pieces: &mut [InlinePiece], at: usize) -> usize {
        let run = pieces[at..]
            .iter()
            .take_while(|piece| matches!(piece, InlinePiece::Close(mark) if mark.is_emphasis()))
            .count();
        let next = at + run;
        let after = self.first_side(pieces, next);
        let mut moved = None;
        let mut fits = true;
        if after == FlankingClass::Letter && self.last_side() == FlankingClass::Punctuation {
            fits = false;
            if let Some(InlinePiece::Text(from, to)) = self.done.last().copied() {
                let text = &self.text[from..to];
                let rest = text.trim_end_matches(|c: char| c == ' ' || is_punctuation(c));
                if !rest.is_empty() && rest.len() < text.len() {
                    let cut = from + rest.len();
                    if let Some(last) = self.done.last_mut() {
                        *last = InlinePiece::Text(from, cut);
                    }
                    moved = Some(InlinePiece::Text(cut, to));
                    fits = true;
                }
            }
        }
        let sign_follows = moved.is_none()
            && matches!(pieces.get(next), Some(InlinePiece::Open(m)) if m.is_emphasis());
        let after = if moved.is_some() { FlankingClass::Punctuation } else { after };
        for piece in &pieces[at..next] {
            let InlinePiece::Close(mark) = *piece else { continue };
            self.end_one(mark, fits, after, sign_follows);
        }
        self.done.extend(moved);
        next
    }

    fn end_one(&mut self, mark: InlineMark, fits: bool, after: FlankingClass, sign_follows: bool) {
        let Some(index) =
            self.opened_emphasis.iter().rposition(|opened_emphasis| opened_emphasis.mark == mark)
        else {
            return;
        };
        let mut opened_emphasis = self.opened_emphasis.remove(index);
        let Some(opened) = opened_emphasis.at else { return };
        if mark == InlineMark::Em && sign_follows && !opened_emphasis.under {
            opened_emphasis.under = true;
            // An underscore between letters is no delimiter.
            if opened_emphasis.before == FlankingClass::Letter || self.ends_with_underscore() {
                self.done[opened] = InlinePiece::Nothing;
                return;
            }
            self.done[opened] = InlinePiece::OpenUnder(mark);
        }
        // A different delimiter before it counts as punctuation.
        let mixed = after == FlankingClass::Letter
            && self.ends_with_sign()
            && !(self.ends_with_star() && matches!(mark, InlineMark::Strong | InlineMark::Em));
        if !fits || mixed || (opened_emphasis.under && after == FlankingClass::Letter) {
            self.done[opened] = InlinePiece::Nothing;
            return;
        }
        self.done.push(if opened_emphasis.under {
            InlinePiece::CloseUnder(mark)
        } else {
            InlinePiece::Close(mark)
        });
    }

    fn last(&self) -> Option<InlinePiece> {
        self.done.iter().rev().copied().find(|piece| *piece != InlinePiece::Nothing)
    }

    fn ends_with_sign(&self) -> bool {
        match self.last() {
            Some(InlinePiece::Close(mark)) => mark.is_emphasis(),
            Some(InlinePiece::CloseUnder(_)) => true,
            _ => false,
        }
    }

    fn ends_with_star(&self) -> bool {
        matches!(self.last(), Some(InlinePiece::Close(InlineMark::Strong | InlineMark::Em)))
    }

    fn ends_with_underscore(&self) -> bool {
        matches!(self.last(), Some(InlinePiece::CloseUnder(_)))
    }

    /// The class of the last written character.
    fn last_side(&self) -> FlankingClass {
        match self.last() {
            None | Some(InlinePiece::Break) => FlankingClass::Space,
            Some(InlinePiece::Text(from, to)) => {
                self.text[from..to].chars().next_back().map_or(FlankingClass::Space, side)
            }
            Some(_) => FlankingClass::Punctuation,
        }
    }

    /// The class of the first character after an index.
    fn first_side(&self, pieces: &[InlinePiece], at: usize) -> FlankingClass {
        match pieces.get(at) {
            None | Some(InlinePiece::Break) => FlankingClass::Space,
            Some(InlinePiece::Text(from, to)) => {
                self.text[*from..*to].chars().next().map_or(FlankingClass::Space, side)
            }
            Some(_) => FlankingClass::Punctuation,
        }
    }
}

fn side(character: char) -> FlankingClass {
    if character.is_whitespace() {
        FlankingClass::Space
    } else if is_punctuation(character) {
        FlankingClass::Punctuation
    } else {
        FlankingClass::Letter
    }
}

/// Punctuation and symbols of the most common scripts.
pub(super) fn is_punctuation(character: char) -> bool {
    match character {
        '\0'..='\u{7f}' => character.is_ascii_punctuation(),
        '\u{a1}'..='\u{bf}' | '\u{d7}' | '\u{f7}' => !character.is_alphanumeric(),
        '\u{37e}' | '\u{387}' | '\u{55a}'..='\u{55f}' | '\u{589}' | '\u{58a}' => true,
        '\u{5be}' | '\u{5c0}' | '\u{5c3}' | '\u{5f3}' | '\u{5f4}' => true,
        '\u{60c}' | '\u{60d}' | '\u{61b}'..='\u{61f}' | '\u{66a}'..='\u{66d}' | '\u{6d4}' => true,
        '\u{964}' | '\u{965}' | '\u{e3f}' | '\u{e4f}' | '\u{e5a}' | '\u{e5b}' => true,
        '\u{1361}'..='\u{1368}' | '\u{17d4}'..='\u{17db}' => true,
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{207a}'..='\u{207e}' => true,
        '\u{208a}'..='\u{208e}' | '\u{20a0}'..='\u{20cf}' => true,
        '\u{2100}'..='\u{2bff}' => !character.is_alphanumeric(),
        '\u{2e00}'..='\u{2e7f}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3020}' => true,
        '\u{3030}' | '\u{303d}' | '\u{30a0}' | '\u{30fb}' => true,
        '\u{fd3e}' | '\u{fd3f}' | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe6b}' => true,
        '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' => true,
        '\u{ff5b}'..='\u{ff65}' | '\u{ffe0}'..='\u{ffee}' | '\u{1f000}'..='\u{1faff}' => true,
        _ => false,
    }
}
