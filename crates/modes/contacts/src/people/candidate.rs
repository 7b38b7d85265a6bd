//! Names on a page that may be those of people, with their positions.

use super::name::{PersonName, fold};
use super::segment::{LineSegment, SegmentKind, segments};
use crate::address;
use crate::visible_text::{VisibleText, Zone};
use html::dom::NodeId;

/// Maximum names per page.
const MAX_NAMES: usize = 1_500;

/// A name that may be a person's, with its position.
#[derive(Debug)]
pub(super) struct NameCandidate {
    pub line: usize,
    pub from: usize,
    pub node: NodeId,
    pub name: PersonName,
    /// Folded name, to compare with other candidates.
    pub key: String,
}

pub(super) type LineSegments = Vec<LineSegment>;

/// The name candidates of a page, and the segments of all lines.
pub(super) fn candidates(page: &VisibleText<'_, '_>) -> (Vec<LineSegments>, Vec<NameCandidate>) {
    let mut segments_by_line = Vec::with_capacity(page.lines.len());
    let mut found = Vec::new();
    for (number, line) in page.lines.iter().enumerate() {
        let read =
            !matches!(line.zone, Zone::Form | Zone::Notice | Zone::Nav) && found.len() < MAX_NAMES;
        let cut = if read { segments(line) } else { Vec::new() };
        for segment in &cut {
            if let SegmentKind::Name(name) = &segment.kind
                && !is_in_address(&line.text, segment.from, &name.name)
            {
                let key = fold(&name.name);
                found.push(NameCandidate {
                    line: number,
                    from: segment.from,
                    node: line.node_at(segment.from),
                    name: name.clone(),
                    key,
                });
            }
        }
        segments_by_line.push(cut);
    }
    (segments_by_line, found)
}

/// Whether a name candidate is a district or a town: "…, 124 - Bela Vista, São Paulo".
fn is_in_address(text: &str, from: usize, name: &str) -> bool {
    from > 0
        && text.bytes().filter(u8::is_ascii_digit).count() >= 4
        && address::find_in_text(text)
            .iter()
            .any(|address| address.raw.split(", ").skip(1).any(|part| part == name))
}
