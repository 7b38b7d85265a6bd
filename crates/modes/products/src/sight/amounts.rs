//! The prices that the page shows, and which of them is the product's.
//!
//! Every amount near the heading is a candidate. What is struck through, what a measure, a
//! month or sending costs, and what other products cost is none. Of the rest the one counts
//! that classes, place and neighbours speak for most.

use super::super::class_words::Hints;
use super::super::context::Context;
use super::super::draft::Offer;
use super::super::phrases;
use super::super::price::{Currency, Decimal, PriceForm, PriceText};
use super::super::survey::Survey;
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::text::Collapsed;

/// The text of a price is shorter than this, and its element has fewer nodes.
const MAX_TEXT: usize = 80;
const MAX_NODES: u32 = 28;

/// How far above an amount its currency may stand.
const MAX_CLIMB: usize = 4;

/// How many amounts are looked at.
const MAX_AMOUNTS: usize = 400;

/// A price with a lower score than this may be anything.
const SURE: f32 = 4.0;

/// How much it counts that the data of the page tells the same.
const TOLD: f32 = 2.0;

/// An amount that the page shows.
#[derive(Debug, Clone)]
struct SeenPrice {
    place: NodeId,
    low: Decimal,
    high: Option<Decimal>,
    currency: Option<Currency>,
    form: PriceForm,
    tax_included: Option<bool>,
    text: String,
    is_struck: bool,
    is_usual: bool,
    score: f32,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Prices {
    pub offer: Offer,
    pub is_sure: bool,
}

pub(super) fn prices(
    survey: &Survey<'_, '_>,
    context: &Context<'_>,
    button: Option<NodeId>,
    told: &[Decimal],
) -> Prices {
    let mut seen = candidates(survey, context, button);
    demote_usual(survey, &mut seen);
    for one in &mut seen {
        if told.contains(&one.low) {
            one.score += TOLD;
        }
    }
    let mut found = Prices::default();
    unstrike_lowest(survey, &mut seen);
    let (struck, mut current): (Vec<_>, Vec<_>) = seen.into_iter().partition(|one| one.is_struck);
    current.sort_by(|one, other| other.score.total_cmp(&one.score));
    if let Some(best) = current.first().filter(|best| best.score > 0.0) {
        let shown = with_surroundings(survey, context, best);
        let regular = struck
            .iter()
            .filter(|old| old.low > best.low && old.currency == best.currency)
            // Nothing is reduced to a tenth; a large number beside a price is a count.
            .filter(|old| whole(old.low).len() <= whole(best.low).len() + 1)
            .filter(|old| common(survey, old.place, best.place).is_some_and(|size| size < 80))
            .min_by_key(|old| old.place.0.abs_diff(best.place.0));
        found.is_sure = best.score >= SURE;
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

fn candidates(
    survey: &Survey<'_, '_>,
    context: &Context<'_>,
    button: Option<NodeId>,
) -> Vec<SeenPrice> {
    let dom = survey.dom;
    let mut seen: Vec<SeenPrice> = Vec::new();
    for &text in &survey.numbers {
        if seen.len() >= MAX_AMOUNTS {
            break;
        }
        let aside = Hints::FRAME | Hints::TEASER | Hints::REVIEW | Hints::HIDDEN;
        if survey.all(text).has(aside) || dom.raw_text(text).len() > 2 * MAX_TEXT {
            continue;
        }
        let Some((place, said, price)) = amount_at(survey, context, text) else { continue };
        if seen.iter().rev().take(4).any(|known| known.place == place) || survey.is_teaser(place) {
            continue;
        }
        if price.is_unit_price
            || price.is_instalment
            || is_side_cost(survey, context, place, &price)
        {
            continue;
        }
        let hints = survey.all(place);
        seen.push(SeenPrice {
            place,
            low: price.low,
            high: price.high,
            currency: price.currency,
            form: price.form,
            tax_included: price.tax_included,
            is_struck: hints.has(Hints::STRUCK) || phrases::is_former_price(&said),
            is_usual: hints.has(Hints::USUAL),
            score: score(survey, place, &said, &price, button),
            text: said.trim_end_matches(['*', '¹', '²', '†']).trim_end().to_owned(),
        });
    }
    seen.retain(|one| !one.low.is_zero());
    seen
}

/// The amount that a text is part of: the smallest element that also names its currency, or
/// one that is said to be a price.
fn amount_at(
    survey: &Survey<'_, '_>,
    context: &Context<'_>,
    text: NodeId,
) -> Option<(NodeId, String, PriceText)> {
    let dom = survey.dom;
    let mut bare = None;
    // The text alone, unless decimals follow it in an element of their own.
    let own = Collapsed::of(&dom.text(text), MAX_TEXT + 1);
    let own = Some(own).filter(|own| own.len() <= MAX_TEXT && names_currency(own));
    let own = own.and_then(|own| Some((context.price(&own)?, own)));
    for place in dom.ancestors(text).take(MAX_CLIMB) {
        if survey.size(place) > MAX_NODES {
            break;
        }
        let said = price_line(dom, place);
        if said.is_empty() || said.len() > MAX_TEXT {
            break;
        }
        let Some(price) = context.price(&said) else { continue };
        if let Some((alone, own)) = own {
            let adds_decimals = price.low > alone.low && whole(price.low) == whole(alone.low);
            return Some(match adds_decimals || own == said {
                true => (place, said, price),
                false => (text, own, alone),
            });
        }
        if names_currency(&said) {
            return Some((place, said, price));
        }
        if bare.is_none() && survey.all(place).has(Hints::PRICE) && is_bare_amount(&said) {
            bare = Some((place, said, price));
        }
    }
    own.map(|(price, own)| (text, own, price)).or(bare)
}

/// An amount without its decimals.
fn whole(amount: Decimal) -> String {
    let text = amount.to_string();
    text.split('.').next().unwrap_or_default().to_owned()
}

/// Whether a text names a currency by a sign, a code or a word.
fn names_currency(text: &str) -> bool {
    let has_sign = text.chars().any(|letter| {
        matches!(
            letter,
            '$' | '£'
                | '€'
                | '₹'
                | '₩'
                | '₽'
                | '₺'
                | '₫'
                | '฿'
                | '₪'
                | '₴'
                | '₦'
                | '¢'
                | '円'
                | '元'
                | '¥'
                | '₱'
                | '₡'
                | '₵'
                | '₸'
        )
    });
    // A code in a sentence may be a word: `AMD64`.
    let is_short = text.split_whitespace().count() <= 5;
    has_sign
        || text.split(|letter: char| !letter.is_alphabetic()).any(|word| {
            let code = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
            (code && is_short && Currency::from_code(word).is_some())
                || matches!(
                    word,
                    "kr" | "Kr"
                        | "KR"
                        | "zł"
                        | "zl"
                        | "Kč"
                        | "Ft"
                        | "Rs"
                        | "lei"
                        | "Fr"
                        | "SFr"
                        | "CHF"
                        | "руб"
                        | "р"
                        | "лв"
                        | "R"
                        | "RM"
                        | "Rp"
                        | "TL"
                        | "din"
                        | "грн"
                )
        })
        || text.contains(".-")
        || text.contains(",-")
        || text.contains(":-")
        || text.contains(".–")
        || text.contains(",–")
}

fn is_bare_amount(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits > 0 && text.chars().filter(|letter| letter.is_alphabetic()).count() <= 12
}

/// The text of a price on one line. Decimals that are only set higher are parted by a point.
fn price_line(dom: &Dom<'_>, place: NodeId) -> String {
    let mut line = Collapsed::new(MAX_TEXT + 1);
    let mut at = NodeId(place.0 + 1);
    while at < dom.end(place) {
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
                if element == Element::Sup && decimals && follows {
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

/// Whether the words around an amount say that it is not what the product costs.
fn is_side_cost(
    survey: &Survey<'_, '_>,
    context: &Context<'_>,
    place: NodeId,
    price: &PriceText,
) -> bool {
    let dom = survey.dom;
    let around = || std::iter::once(place).chain(dom.ancestors(place).take(3));
    if survey.all(place).has(Hints::STRUCK | Hints::USUAL) {
        return false;
    }
    let own = around().any(|id| {
        let hints = survey.own(id);
        hints.has(Hints::SIDE_COST) && !hints.has(Hints::PRICE.without(Hints::SIDE_COST))
            || hints.has(Hints::DELIVERY)
            || (id == place && hints.has(Hints::SIDE_COST))
    });
    if own {
        return true;
    }
    // The whole line may say what the amount alone does not.
    let block = around()
        .find(|id| dom.element(*id).is_some_and(|element| !element.is_inline()) && *id != place);
    let Some(block) = block.filter(|block| survey.size(*block) < 2 * MAX_NODES) else {
        return false;
    };
    let line = spaced_line(dom, block);
    // Nothing but the amount, or too much to be one line.
    let letters = line.chars().filter(|letter| letter.is_alphabetic()).count();
    if line.len() > 160 || letters < 6 {
        return false;
    }
    match context.price(&line) {
        None => true,
        Some(whole) => whole.low == price.low && (whole.is_unit_price || whole.is_instalment),
    }
}

/// The text of a block with a gap between any two elements.
pub(super) fn spaced_line(dom: &Dom<'_>, block: NodeId) -> String {
    let mut line = Collapsed::new(200);
    for id in dom.descendants(block) {
        match dom.kind(id) {
            NodeKind::Text => line.push(&dom.text(id)),
            NodeKind::Element(_) => line.gap(),
            NodeKind::Raw | NodeKind::Document => {}
        }
        // What follows an element is parted from it as well.
        let ends = dom.end(id).0 == id.0 + 1 && dom.kind(id) == NodeKind::Text;
        if ends && dom.parent(id).is_some_and(|parent| dom.end(parent).0 == id.0 + 1) {
            line.gap();
        }
    }
    line.take()
}

fn score(
    survey: &Survey<'_, '_>,
    place: NodeId,
    said: &str,
    price: &PriceText,
    button: Option<NodeId>,
) -> f32 {
    let dom = survey.dom;
    let mut score = 0.0;
    let near = || std::iter::once(place).chain(dom.ancestors(place).take(4));
    if near().any(|id| survey.own(id).has(Hints::PRICE)) {
        score += 3.0;
    }
    if price.currency.is_some() {
        score += 1.0;
    }
    if said.len() <= 28 {
        score += 1.0;
    }
    let hints = survey.all(place);
    if hints.has(Hints::OPTIONS) && !hints.has(Hints::BUY) {
        score -= 1.5;
    }
    if hints.has(Hints::DESCRIPTION | Hints::SPECIFICATION) && !hints.has(Hints::PRICE) {
        score -= 2.0;
    }
    let in_row = near().any(|id| {
        matches!(dom.element(id), Some(Element::Table | Element::Option | Element::Select))
    });
    if in_row {
        score -= 1.0;
    }
    for (anchor, weight) in [(survey.heading, 0.5), (button, 0.35)] {
        let Some(anchor) = anchor else { continue };
        let Some(size) = common(survey, anchor, place) else { continue };
        score += weight * (10.0 - (size.max(1) as f32).log2());
        if anchor < place {
            score += 0.5;
        }
        score -= (place.0.abs_diff(anchor.0) as f32 / 150.0).min(3.0) * weight;
    }
    score
}

/// The size of the smallest part of the page that holds both.
fn common(survey: &Survey<'_, '_>, one: NodeId, other: NodeId) -> Option<u32> {
    let holds = |id: &NodeId| *id <= other && other < survey.dom.end(*id);
    let both = std::iter::once(one).chain(survey.dom.ancestors(one)).find(holds)?;
    Some(survey.size(both))
}

/// Nobody strikes out the only price: when all are, the lowest beside the likeliest is not.
fn unstrike_lowest(survey: &Survey<'_, '_>, seen: &mut [SeenPrice]) {
    if seen.iter().any(|one| !one.is_struck) {
        return;
    }
    let Some(best) = seen.iter().max_by(|one, other| one.score.total_cmp(&other.score)) else {
        return;
    };
    let place = best.place;
    let near =
        |one: &&mut SeenPrice| common(survey, one.place, place).is_some_and(|size| size < 80);
    if let Some(lowest) = seen.iter_mut().filter(near).min_by_key(|one| one.low) {
        lowest.is_struck = false;
    }
}

/// A usual price is a former one when a lower one stands beside it.
fn demote_usual(survey: &Survey<'_, '_>, seen: &mut [SeenPrice]) {
    let lower = |usual: &SeenPrice, other: &SeenPrice| {
        !other.is_usual
            && !other.is_struck
            && other.low < usual.low
            && common(survey, usual.place, other.place).is_some_and(|size| size < 60)
    };
    let over: Vec<bool> =
        seen.iter().map(|one| one.is_usual && seen.iter().any(|other| lower(one, other))).collect();
    for (one, is_over) in seen.iter_mut().zip(over) {
        one.is_struck |= is_over;
    }
}

/// The price with what stands beside it: "from", or the other end of a range.
fn with_surroundings(
    survey: &Survey<'_, '_>,
    context: &Context<'_>,
    best: &SeenPrice,
) -> SeenPrice {
    let dom = survey.dom;
    if best.form != PriceForm::Exact {
        return best.clone();
    }
    for above in dom.ancestors(best.place).take(3) {
        if survey.size(above) > MAX_NODES || survey.holds_heading(above) {
            break;
        }
        let said = price_line(dom, above);
        if said.len() > MAX_TEXT {
            break;
        }
        let has_struck = dom.descendants(above).any(|id| survey.own(id).has(Hints::STRUCK));
        let Some(whole) = context.price(&said).filter(|_| !has_struck) else { continue };
        if whole.form != PriceForm::Exact && whole.low == best.low && !whole.is_unit_price {
            return SeenPrice {
                high: whole.high,
                form: whole.form,
                text: said,
                tax_included: whole.tax_included.or(best.tax_included),
                ..best.clone()
            };
        }
    }
    best.clone()
}
