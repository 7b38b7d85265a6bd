//! Formulas as TeX: inline `$…$` and display `$$…$$`.

use memchr::memchr_iter;

use super::blocks::BlockKind;
use super::{InlineContext, MarkdownWriter};
use html::dom::{Element, NodeId, NodeKind};

mod presentation;
mod symbols;

/// Maximum length of a formula.
const MAX_BYTES: usize = 64 * 1024;

const DISPLAY_CLASSES: &[&str] = &["katex-display", "MathJax_Display", "mwe-math-element-block"];

const RENDERED_CLASSES: &[&str] =
    &["MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG", "MathJax_CHTML", "mjx-chtml"];

impl MarkdownWriter<'_, '_> {
    /// Writes a `math` element: its TeX annotation, or a conversion of its MathML.
    pub(super) fn formula(&mut self, id: NodeId) {
        let source = self.dom.descendants(id).find(|below| {
            let encoding = self.dom.raw_attribute(*below, "encoding").unwrap_or_default();
            self.dom.is(*below, Element::Other) && encoding.to_ascii_lowercase().contains("tex")
        });
        let tex = source
            .map(|source| self.dom.inner_text(source))
            .or_else(|| self.dom.attribute(id, "alttext").map(Into::into))
            .filter(|tex| !tex.trim().is_empty())
            .or_else(|| presentation::tex(self.formula_markup(id)?));
        let Some(tex) = tex.filter(|tex| !tex.trim().is_empty()) else {
            for below in self.dom.descendants(id) {
                if self.dom.kind(below) == NodeKind::Text {
                    let text = self.dom.text(below);
                    self.line.push(&text);
                }
            }
            return;
        };
        let block = self.dom.raw_attribute(id, "display").is_some_and(|display| display == "block");
        let around =
            || self.dom.ancestors(id).take(4).any(|above| self.has_class(above, DISPLAY_CLASSES));
        self.write_formula(&tex, block || around());
    }

    /// The page from the start of a formula on, because the DOM does not know MathML element names.
    fn formula_markup(&self, id: NodeId) -> Option<&str> {
        let first = self.dom.descendants(id).find_map(|below| self.dom.text_start(below))?;
        let page = self.dom.source();
        let starts = self.formulas.get_or_init(|| formula_starts(page));
        let before = starts.partition_point(|start| *start < first).checked_sub(1)?;
        page.get(starts[before]..)
    }

    /// Writes a script that contains the source of a formula.
    pub(super) fn script(&mut self, id: NodeId) {
        let Some(kind) = self.dom.raw_attribute(id, "type") else { return };
        let chosen = self.dom.parent(id).is_none_or(|parent| self.selection.contains(parent));
        if is_formula(kind) && chosen {
            let tex = self.dom.inner_text(id);
            self.write_formula(&tex, kind.contains("display"));
        }
    }

    pub(super) fn write_formula(&mut self, tex: &str, displayed: bool) {
        let mut tex = tex.trim();
        if let Some(inner) = tex.strip_prefix("{\\displaystyle").and_then(|t| t.strip_suffix('}')) {
            tex = inner.trim();
        }
        if tex.is_empty() || tex.len() > MAX_BYTES {
            return;
        }
        let mut written = String::with_capacity(tex.len() + 4);
        let sign = if displayed && self.inside == InlineContext::Flow { "$$" } else { "$" };
        written.push_str(sign);
        for (at, word) in tex.split_whitespace().enumerate() {
            if at > 0 {
                written.push(' ');
            }
            written.push_str(word);
            self.line.words += 1;
        }
        written.push_str(sign);
        if self.inside == InlineContext::Cell {
            written = written.replace('|', "\\|");
        }
        if sign == "$$" {
            self.flush();
            self.begin_block(BlockKind::Paragraph);
            self.out.push_str(&written);
        } else {
            self.line.push_raw(&written);
        }
    }

    /// Whether an element is the rendering of a formula whose source is next to it.
    pub(super) fn is_rendered_formula(&self, id: NodeId) -> bool {
        if !self.has_math {
            return false;
        }
        if self.has_class(id, &["katex-html"]) {
            let parent = self.dom.parent(id);
            return parent.is_some_and(|parent| self.dom.find(parent, Element::Math).is_some());
        }
        self.has_class(id, RENDERED_CLASSES) && {
            let after = (self.dom.end(id).0..).map(NodeId).take(8);
            after.take_while(|next| next.index() < self.dom.node_count()).any(|next| {
                self.dom.is(next, Element::Script)
                    && self.dom.raw_attribute(next, "type").is_some_and(is_formula)
            })
        }
    }

    pub(super) fn has_class(&self, id: NodeId, names: &[&str]) -> bool {
        self.dom.has_word(id, "class", names)
    }
}

/// Byte offsets of the formulas in a page.
fn formula_starts(page: &str) -> Vec<usize> {
    let named = |start: &usize| {
        let name = page.as_bytes().get(start + 1..start + 5);
        name.is_some_and(|name| name.eq_ignore_ascii_case(b"math"))
    };
    memchr_iter(b'<', page.as_bytes()).filter(named).collect()
}

/// Whether a script type is that of a formula.
pub(super) fn is_formula(kind: &str) -> bool {
    kind.trim_start().starts_with("math/tex")
}
