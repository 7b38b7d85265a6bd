//! Parts of a page that concern third parties.
//!
//! Headings and labels in eight languages introduce web agencies, hosts, photographers,
//! authorities, arbitrators, insurers, partners and customers. Values below such a heading or
//! after such a label are theirs. A company that is named just before a value is recorded, so
//! that the aggregator can compare it with the identity of the company.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::legal;
use super::page_view::PageView;
use super::visible_text::{TextLine, VisibleText, Zone};
use html::dom::Element;
use text::vocabulary::{self, TermList, TermSet};

mod directory;

pub(crate) use directory::is_other_site;

/// Maximum distance in lines between a value and the company named before it.
const MAX_DISTANCE: usize = 6;
/// Maximum length of a label in bytes.
const MAX_LABEL: usize = 90;

static THIRD_PARTY_MATCHER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    vocabulary::longest_matcher(vocabulary::entries(term_file!("third_party/phrases.txt")))
});
static OWN_MATCHER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    vocabulary::longest_matcher(vocabulary::entries(term_file!("third_party/own_phrases.txt")))
});

/// Byte offset at which a text begins to introduce third parties.
pub(crate) fn third_party_start(text: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let finder = THIRD_PARTY_MATCHER.as_ref()?;
    finder.find_iter(&lower).find_map(|hit| {
        let before = lower.get(..hit.start()).and_then(|head| head.chars().next_back());
        let after = lower.get(hit.end()..).and_then(|rest| rest.chars().next());
        let word = lower.get(hit.start()..hit.end()).unwrap_or_default();
        let begins = before.is_none_or(|c| !c.is_alphabetic())
            || WORD_ENDS.iter().any(|end| word.ends_with(end));
        // A short word must match as a whole.
        let ends = word.len() > 10 || after.is_none_or(|c| !c.is_alphabetic());
        (begins && ends).then_some(hit.start().min(text.len()))
    })
}

fn is_own_heading(text: &str) -> bool {
    let lower = text.to_lowercase();
    OWN_MATCHER.as_ref().is_some_and(|own| {
        own.find_iter(&lower).any(|hit| {
            let before = lower.get(..hit.start()).and_then(|head| head.chars().next_back());
            before.is_none_or(|c| !c.is_alphabetic())
        })
    })
}

/// Which lines of a page concern third parties.
#[derive(Debug)]
pub(crate) struct ThirdPartyParts {
    /// For each line the byte offset from which it concerns third parties.
    from: Vec<usize>,
    /// For each line the company that was named last, with its line and byte offset.
    named: Vec<Option<(usize, usize, String)>>,
}

impl ThirdPartyParts {
    /// `host` is that of the site, without `www.`.
    pub fn of(page: &PageView<'_, '_>, host: &str) -> Self {
        let count = page.lines.len();
        let mut third_parties = Self { from: vec![usize::MAX; count], named: vec![None; count] };
        third_parties.by_headings(page);
        third_parties.by_labels(page);
        third_parties.names(page);
        for line in directory::lines(page, host).into_iter().flatten() {
            third_parties.from[line] = 0;
        }
        third_parties
    }

    /// Whether a position concerns third parties.
    pub fn is_third_party(&self, line: usize, at: usize) -> bool {
        self.from.get(line).is_some_and(|from| *from <= at)
    }

    /// The company that was named before a position, in its line or just before.
    pub fn named(&self, line: usize, at: usize) -> Option<&str> {
        let (named_in, offset, name) = self.named.get(line)?.as_ref()?;
        (*named_in < line || *offset <= at).then_some(name.as_str())
    }

    fn by_headings(&mut self, page: &VisibleText<'_, '_>) {
        // Each heading is evaluated once: a page has many lines under few headings.
        let is_introduction: Vec<Option<bool>> = page
            .lines
            .iter()
            .map(|line| {
                line.level
                    .map(|_| line.text.len() < MAX_LABEL && third_party_start(&line.text).is_some())
            })
            .collect();
        for (number, line) in page.lines.iter().enumerate() {
            let mut at = Some(number).filter(|_| line.level.is_some()).or(line.heading);
            let mut steps = 0;
            while let Some(heading) = at.filter(|_| steps < 8) {
                let Some(above) = page.lines.get(heading) else { break };
                if is_introduction.get(heading).copied().flatten() == Some(true) {
                    self.from[number] = 0;
                    break;
                }
                if is_own_heading(&above.text) {
                    break;
                }
                at = above.heading.filter(|next| *next < heading);
                steps += 1;
            }
            if line.zone == Zone::Quote || has_third_party_class(page, line) {
                self.from[number] = 0;
            }
        }
    }

    fn by_labels(&mut self, page: &VisibleText<'_, '_>) {
        for number in 0..page.lines.len() {
            let Some(line) = page.lines.get(number) else { continue };
            let head = line.text.get(..line.text.floor_char_boundary(400)).unwrap_or_default();
            let Some(at) = third_party_start(head) else { continue };
            self.from[number] = self.from[number].min(at);
            let is_label = at < 40
                && line.text.len() < MAX_LABEL
                && (line.text.trim_end().ends_with(':')
                    || !line.text.bytes().any(|byte| byte.is_ascii_digit()));
            if is_label {
                self.mark_below(page, number, line);
            }
        }
    }

    /// Marks the lines below a label: the rest of its block, or the next block.
    fn mark_below(&mut self, page: &VisibleText<'_, '_>, number: usize, label: &TextLine) {
        let next = page.lines.get(number + 1);
        let Some(block) = next.map(|line| line.node) else { return };
        // A heading is followed by its own section, see `by_headings`.
        if label.level.is_some() && next.is_some_and(|line| line.heading != Some(number)) {
            return;
        }
        let is_inside = block == label.node;
        if !is_inside && label.ends_with_break {
            return;
        }
        // A sentence in a separate block is no label.
        if !is_inside
            && !label.text.trim_end().ends_with(':')
            && label.text.split_whitespace().count() > 5
        {
            return;
        }
        for (at, line) in page.lines.iter().enumerate().skip(number + 1).take(9) {
            let is_same = line.node == block;
            if !is_same
                || (line.level.is_some() && !is_inside)
                || is_own_heading(&line.text)
                || line.follows_gap
            {
                break;
            }
            if line.zone != label.zone {
                break;
            }
            self.from[at] = 0;
        }
    }

    fn names(&mut self, page: &VisibleText<'_, '_>) {
        let mut last: Option<(usize, usize, String, Option<usize>)> = None;
        for (number, line) in page.lines.iter().enumerate() {
            if let Some(found) = legal::find_names(&line.text).into_iter().next() {
                last = Some((number, found.from, found.name, line.heading));
            }
            if let Some((at, offset, name, heading)) = &last
                && number - at <= MAX_DISTANCE
                && (line.heading == *heading || line.heading == Some(*at))
            {
                self.named[number] = Some((*at, *offset, name.clone()));
            }
        }
    }
}

static WORD_ENDS: TermList = phrase_list!("third_party/word_ends.txt");
static THIRD_PARTY_CLASSES: TermSet = word_set!("third_party/classes.txt");

/// Whether the classes around a line indicate third parties.
fn has_third_party_class(page: &VisibleText<'_, '_>, line: &TextLine) -> bool {
    let dom = page.dom;
    dom.self_and_ancestors(line.node).take(8).any(|id| {
        let class = dom.raw_attribute(id, "class").unwrap_or_default();
        // Classes of the body describe the page.
        !matches!(dom.element(id), Some(Element::Body | Element::Html))
            && class
                .split(|c: char| !c.is_ascii_alphanumeric())
                .take(20)
                .any(|word| THIRD_PARTY_CLASSES.contains(word.to_ascii_lowercase().as_str()))
    })
}
