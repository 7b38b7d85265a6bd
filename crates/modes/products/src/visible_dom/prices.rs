//! Finds the visible price of the product.
//!
//! Every amount is a candidate, except former prices, unit prices, instalments, shipping costs and
//! prices of other products. Class hints, position and neighbours give each candidate a score; the
//! highest score wins.

use std::sync::LazyLock;

use text::vocabulary::TermSet;

use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::page_context::PageContext;
use crate::phrases;
use crate::price::{Currency, Decimal, PriceForm, PriceText};
use crate::source_record::Offer;
use crate::vocabulary;
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::text::Collapsed;

/// The maximum length of a price text in bytes, and of its element in nodes.
const MAX_TEXT: usize = 80;
const MAX_NODES: u32 = 28;

/// How many ancestors of an amount may contain its currency.
const MAX_CLIMB: usize = 4;

/// How many amounts are considered.
const MAX_AMOUNTS: usize = 400;

/// The minimum score of a certain price.
const CERTAIN_SCORE: f32 = 4.0;

/// The bonus for an amount that the structured data states as well.
const STATED_BONUS: f32 = 2.0;

/// A visible amount that may be the price.
#[derive(Debug, Clone)]
struct PriceCandidate {
    node: NodeId,
    low: Decimal,
    high: Option<Decimal>,
    currency: Option<Currency>,
    form: PriceForm,
    tax_included: Option<bool>,
    text: String,
    is_former: bool,
    is_regular: bool,
    score: f32,
}

/// The visible price of the product.
#[derive(Debug, Default)]
pub(super) struct VisiblePrice {
    pub offer: Offer,
    pub is_sure: bool,
    /// The element that shows the price.
    pub node: Option<NodeId>,
    /// How many current prices the main part of the page shows.
    pub count: usize,
}

pub(super) fn prices(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    button: Option<NodeId>,
    stated: &[Decimal],
) -> VisiblePrice {
    let mut candidates = price_candidates(index, context, button);
    mark_regular_as_former(index, &mut candidates);
    for one in &mut candidates {
        if stated.contains(&one.low) {
            one.score += STATED_BONUS;
        }
    }
    let mut found = VisiblePrice::default();
    restore_lowest(index, &mut candidates);
    let (former, mut current): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|one| one.is_former);
    found.count = current.len();
    current.sort_by(|one, other| other.score.total_cmp(&one.score));
    if let Some(best) = current.first().filter(|best| best.score > 0.0) {
        let shown = with_surroundings(index, context, best);
        let regular = former
            .iter()
            .filter(|old| old.low > best.low && old.currency == best.currency)
            // A number ten times as large as the price is a count.
            .filter(|old| old.low.whole_digits() <= best.low.whole_digits() + 1)
            .filter(|old| common_size(index, old.node, best.node).is_some_and(|size| size < 160))
            .min_by_key(|old| old.node.0.abs_diff(best.node.0));
        found.node = Some(best.node);
        found.is_sure = best.score >= CERTAIN_SCORE;
        found.offer = Offer {
            low: Some(shown.low),
            high: shown.high,
            regular: regular.map(|old| old.low),
            currency: shown.currency,
            form: Some(shown.form),
            raw: Some(shown.text),
            tax_included: shown.tax_included,
            ..Offer::default()
        };
    }
    found
}

fn price_candidates(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    button: Option<NodeId>,
) -> Vec<PriceCandidate> {
    let dom = index.dom;
    let mut candidates: Vec<PriceCandidate> = Vec::new();
    for &text in &index.numbers {
        if candidates.len() >= MAX_AMOUNTS {
            break;
        }
        if index.all(text).intersects(ElementHints::NOT_MAIN)
            || dom.raw_text(text).len() > 2 * MAX_TEXT
        {
            continue;
        }
        let Some((node, text_line, price)) = amount_at(index, context, text) else { continue };
        if candidates.iter().rev().take(4).any(|known| known.node == node) || index.is_teaser(node)
        {
            continue;
        }
        if price.is_unit_price || price.is_instalment || is_side_cost(index, context, node, &price)
        {
            continue;
        }
        let hints = index.all(node);
        candidates.push(PriceCandidate {
            node,
            low: price.low,
            high: price.high,
            currency: price.currency,
            form: price.form,
            tax_included: price.tax_included,
            is_former: hints.intersects(ElementHints::FORMER_PRICE)
                || phrases::is_former_price(&text_line),
            is_regular: hints.intersects(ElementHints::REGULAR_PRICE),
            score: score(index, node, &text_line, &price, button),
            text: text_line.trim_end_matches(['*', '¹', '²', '†']).trim_end().to_owned(),
        });
    }
    candidates.retain(|one| !one.low.is_zero());
    candidates
}

/// The amount that a text node belongs to: the smallest element with a currency, or an element
/// with a price hint.
fn amount_at(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    text: NodeId,
) -> Option<(NodeId, String, PriceText)> {
    let dom = index.dom;
    let mut bare = None;
    // The text node alone, unless decimals follow in another element.
    let own = Collapsed::of(&dom.text(text), MAX_TEXT + 1);
    let own = Some(own).filter(|own| own.len() <= MAX_TEXT && names_currency(own));
    let own = own.and_then(|own| Some((context.price(&own)?, own)));
    for node in dom.ancestors(text).take(MAX_CLIMB) {
        if index.size(node) > MAX_NODES {
            break;
        }
        let text_line = price_line(dom, node);
        if text_line.is_empty() || text_line.len() > MAX_TEXT {
            break;
        }
        let Some(price) = context.price(&text_line) else { continue };
        if let Some((alone, own)) = &own {
            let adds_decimals = price.low > alone.low && price.low.whole() == alone.low.whole();
            // The currency may be in an element beside the amount: `€ <b>12,-</b>`.
            let adds_currency = alone.currency.is_none()
                && price.currency.is_some()
                && price.low == alone.low
                && text_line.len() <= own.len() + 8;
            let is_same = *own == text_line;
            if adds_decimals || adds_currency || (is_same && alone.currency.is_some()) {
                return Some((node, text_line, price));
            }
            if !is_same {
                break;
            }
            bare = bare.or(Some((node, text_line, price)));
            continue;
        }
        if names_currency(&text_line) {
            return Some((node, text_line, price));
        }
        if bare.is_none()
            && index.all(node).intersects(ElementHints::PRICE)
            && is_bare_amount(&text_line)
        {
            bare = Some((node, text_line, price));
        }
    }
    bare.or_else(|| own.map(|(price, own)| (text, own, price)))
}

static SIGNS: LazyLock<Vec<char>> = LazyLock::new(|| {
    vocabulary::group(term_file!("price_marks.tsv"), "sign").flat_map(str::chars).collect()
});
static CURRENCY_WORDS: TermSet = term_group!("price_marks.tsv", "word");

/// Whether a text has a currency sign, code or word, or a dash in place of decimals.
pub(super) fn names_currency(text: &str) -> bool {
    // The dollar sign is the only one in ASCII.
    let has_sign =
        text.chars().any(|letter| (letter == '$' || !letter.is_ascii()) && SIGNS.contains(&letter));
    // In a longer text a code may be a word: `AMD64`.
    let is_short = text.split_whitespace().count() <= 5;
    has_sign
        || text.split(|letter: char| !letter.is_alphabetic()).any(|word| {
            let code = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
            (code && is_short && Currency::from_code(word).is_some())
                || CURRENCY_WORDS.contains(word)
        })
        || [".-", ",-", ":-", ".–", ",–"].iter().any(|dash| text.contains(dash))
}

/// Whether a text is a number with few letters.
fn is_bare_amount(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits > 0 && text.chars().filter(|letter| letter.is_alphabetic()).count() <= 12
}

/// The text of a price on one line. Superscript decimals get a decimal point.
fn price_line(dom: &Dom<'_>, node: NodeId) -> String {
    let mut line = Collapsed::new(MAX_TEXT + 1);
    let mut at = NodeId(node.0 + 1);
    while at < dom.end(node) {
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            NodeKind::Text => line.push(&dom.text(at)),
            NodeKind::Element(Element::Script | Element::Style | Element::Svg) => {
                next = dom.end(at)
            }
            NodeKind::Element(element) => {
                let inside = html::prose::line(dom, at, 8);
                let decimals =
                    inside.len() == 2 && inside.bytes().all(|byte| byte.is_ascii_digit());
                let follows = line.as_str().ends_with(|last: char| last.is_ascii_digit());
                // Two digits in their own element right after a whole number are its decimals.
                let is_whole = !line
                    .as_str()
                    .rsplit(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '.' | ','))
                    .next()
                    .is_some_and(|number| number.contains(['.', ',']) && !is_grouped(number));
                let is_leaf = dom.end(at).0 == at.0 + 2;
                if decimals && follows && is_whole && (element == Element::Sup || is_leaf) {
                    line.push(".");
                } else if !element.is_inline() {
                    line.gap();
                }
            }
            NodeKind::Raw | NodeKind::Document => {}
        }
        at = next;
    }
    line.take()
}

/// Whether the marks of a number separate groups of three digits.
fn is_grouped(number: &str) -> bool {
    number.split(['.', ',']).skip(1).all(|group| group.len() == 3)
}

/// Whether hints or words around an amount say that it is not the price of the product.
fn is_side_cost(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    node: NodeId,
    price: &PriceText,
) -> bool {
    let dom = index.dom;
    let around = || dom.self_and_ancestors(node).take(4);
    if index.all(node).intersects(ElementHints::FORMER_PRICE | ElementHints::REGULAR_PRICE) {
        return false;
    }
    let own = around().any(|id| {
        let hints = index.own(id);
        hints.intersects(ElementHints::SIDE_COST)
            && !hints.intersects(ElementHints::PRICE.difference(ElementHints::SIDE_COST))
            || hints.intersects(ElementHints::DELIVERY)
            || (id == node && hints.intersects(ElementHints::SIDE_COST))
    });
    if own {
        return true;
    }
    // The line of the amount may name its role.
    let block = around()
        .find(|id| dom.element(*id).is_some_and(|element| !element.is_inline()) && *id != node);
    let Some(block) = block.filter(|block| index.size(*block) < 2 * MAX_NODES) else {
        return false;
    };
    let line = spaced_line(dom, block);
    // The line has nothing but the amount, or is too long.
    let letters = line.chars().filter(|letter| letter.is_alphabetic()).count();
    if line.len() > 160 || letters < 6 {
        return false;
    }
    match context.price(&line) {
        None => true,
        Some(whole) => whole.low == price.low && (whole.is_unit_price || whole.is_instalment),
    }
}

/// The text of a block with a space between any two elements.
pub(super) fn spaced_line(dom: &Dom<'_>, block: NodeId) -> String {
    let mut line = Collapsed::new(200);
    for id in dom.descendants(block) {
        match dom.kind(id) {
            NodeKind::Text => line.push(&dom.text(id)),
            NodeKind::Element(_) => line.gap(),
            NodeKind::Raw | NodeKind::Document => {}
        }
        // A space also separates the text after an element.
        let ends = dom.end(id).0 == id.0 + 1 && dom.kind(id) == NodeKind::Text;
        if ends && dom.parent(id).is_some_and(|parent| dom.end(parent).0 == id.0 + 1) {
            line.gap();
        }
    }
    line.take()
}

fn score(
    index: &DomIndex<'_, '_>,
    node: NodeId,
    text_line: &str,
    price: &PriceText,
    button: Option<NodeId>,
) -> f32 {
    let dom = index.dom;
    let mut score = 0.0;
    let near = || dom.self_and_ancestors(node).take(5);
    if near().any(|id| index.own(id).intersects(ElementHints::PRICE)) {
        score += 3.0;
    }
    if price.currency.is_some() {
        score += 1.0;
    }
    if text_line.len() <= 28 {
        score += 1.0;
    }
    let hints = index.all(node);
    if hints.intersects(ElementHints::OPTIONS) && !hints.intersects(ElementHints::BUY) {
        score -= 1.5;
    }
    if hints.intersects(ElementHints::DESCRIPTION | ElementHints::SPECIFICATION)
        && !hints.intersects(ElementHints::PRICE)
    {
        score -= 2.0;
    }
    let in_row = near().any(|id| {
        matches!(dom.element(id), Some(Element::Table | Element::Option | Element::Select))
    });
    if in_row {
        score -= 1.0;
    }
    // An amount in a link to another page is the price of other offers.
    if dom.ancestors(node).take(6).any(|above| index.is_link_elsewhere(above)) {
        score -= 3.0;
    }
    for (anchor, weight) in [(index.heading, 0.5), (button, 0.35)] {
        let Some(anchor) = anchor else { continue };
        let Some(size) = common_size(index, anchor, node) else { continue };
        score += weight * (10.0 - (size.max(1) as f32).log2());
        if anchor < node {
            score += 0.5;
        }
        score -= (node.0.abs_diff(anchor.0) as f32 / 150.0).min(3.0) * weight;
    }
    score
}

/// The number of nodes of the smallest element that contains both nodes.
fn common_size(index: &DomIndex<'_, '_>, one: NodeId, other: NodeId) -> Option<u32> {
    let both = index.dom.self_and_ancestors(one).find(|id| index.dom.contains(*id, other))?;
    Some(index.size(both))
}

/// If all prices are former prices, the lowest one near the best candidate is the current price.
fn restore_lowest(index: &DomIndex<'_, '_>, candidates: &mut [PriceCandidate]) {
    if candidates.iter().any(|one| !one.is_former) {
        return;
    }
    let Some(best) = candidates.iter().max_by(|one, other| one.score.total_cmp(&other.score))
    else {
        return;
    };
    let node = best.node;
    let near = |one: &&mut PriceCandidate| {
        common_size(index, one.node, node).is_some_and(|size| size < 80)
    };
    if let Some(lowest) = candidates.iter_mut().filter(near).min_by_key(|one| one.low) {
        lowest.is_former = false;
    }
}

/// A regular price is a former price if a lower price is near it.
fn mark_regular_as_former(index: &DomIndex<'_, '_>, candidates: &mut [PriceCandidate]) {
    let lower = |usual: &PriceCandidate, other: &PriceCandidate| {
        !other.is_regular
            && !other.is_former
            && other.low < usual.low
            && common_size(index, usual.node, other.node).is_some_and(|size| size < 60)
    };
    let over: Vec<bool> = candidates
        .iter()
        .map(|one| one.is_regular && candidates.iter().any(|other| lower(one, other)))
        .collect();
    for (one, is_over) in candidates.iter_mut().zip(over) {
        one.is_former |= is_over;
    }
}

/// The price with the words around it: "from", or the other end of a range.
fn with_surroundings(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    best: &PriceCandidate,
) -> PriceCandidate {
    let dom = index.dom;
    if best.form != PriceForm::Exact {
        return best.clone();
    }
    for above in dom.ancestors(best.node).take(3) {
        if index.size(above) > MAX_NODES || index.has_heading(above) {
            break;
        }
        let text_line = price_line(dom, above);
        if text_line.len() > MAX_TEXT {
            break;
        }
        let has_former =
            dom.descendants(above).any(|id| index.own(id).intersects(ElementHints::FORMER_PRICE));
        let Some(whole) = context.price(&text_line).filter(|_| !has_former) else { continue };
        if whole.form != PriceForm::Exact && whole.low == best.low && !whole.is_unit_price {
            return PriceCandidate {
                high: whole.high,
                form: whole.form,
                text: text_line,
                tax_included: whole.tax_included.or(best.tax_included),
                ..best.clone()
            };
        }
    }
    best.clone()
}
