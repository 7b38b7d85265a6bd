//! The product as the visible page shows it, read by structure, class hints and wording.

use contract::ProductSource;
use text::vocabulary::TermList;

use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::field::ProductField;
use crate::page_context::PageContext;
use crate::phrases;
use crate::price::{Decimal, is_on_request, tax_hint};
use crate::source_record::SourceRecord;
use html::dom::NodeId;
use html::prose;

mod breadcrumbs;
mod description;
mod features;
mod gallery;
mod options;
mod prices;
mod rating;
mod rows;
mod stock;
mod visible_lines;

pub(super) use description::is_advertisement;
pub(super) use options::label_of;
use visible_lines::VisibleLine;

/// The distance from the heading within which the buy box is searched, in nodes.
const BUY_BOX_DISTANCE: u32 = 1_500;

/// Parts of names of fields that ask for the quantity.
static QUANTITY_NAMES: TermList = word_list!("quantity_names.txt");

/// What the visible page shows of the product.
#[derive(Debug)]
pub(super) struct VisibleProduct {
    pub record: SourceRecord,
    /// Whether a button adds the product to the cart, also if it is sold out.
    pub has_buy_button: bool,
    pub button_node: Option<NodeId>,
    /// How many such buttons the main part of the page has.
    pub main_buttons: usize,
    /// Whether that button is active and says that it adds to the cart.
    pub can_be_ordered: bool,
    /// Whether the position of the price makes it certain.
    pub price_is_sure: bool,
    pub price_node: Option<NodeId>,
    /// How many current prices the main part of the page shows.
    pub price_count: usize,
    /// Whether a field asks for the quantity.
    pub has_quantity_input: bool,
    /// The text that says that the price is available on request.
    pub on_request: Option<String>,
    /// Whether the availability text is certainly about the product.
    pub stock_is_sure: bool,
    /// The labels of the options that can be chosen.
    pub choices: Vec<String>,
}

/// What the structured data states, to recognise it on the visible page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StatedValues<'t> {
    pub description: Option<&'t str>,
    pub prices: &'t [Decimal],
}

/// Reads the visible page.
pub(super) fn read(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    stated: StatedValues<'_>,
) -> VisibleProduct {
    let mut record = SourceRecord::new(ProductSource::Dom);
    record.name = Some(index.heading_text.clone()).filter(|name| !name.is_empty());
    let lines = visible_lines::lines(index);
    let (button, main_buttons) = buy_button(index);
    let groups = rows::groups(index);
    let prices = prices::prices(index, context, button, stated.prices);
    record.offer = prices.offer;
    let on_request = match record.offer.low {
        Some(_) if prices.is_sure => None,
        _ => on_request(index, &lines),
    };
    let value_of = |field| rows::value_of(field, &groups, &lines, index);
    record.mpn = value_of(ProductField::Mpn);
    record.brand = value_of(ProductField::Brand).or_else(|| rows::brand(index, context));
    record.sku = value_of(ProductField::Sku).or_else(|| rows::article_number(index));
    record.gtin = rows::gtins(&groups, &lines);
    record.condition = value_of(ProductField::Condition).and_then(|text| phrases::condition(&text));
    record.seller = rows::seller(&groups, &lines, index);
    let stock = stock::stock(index, &groups, &lines, button);
    let stock_is_sure = stock.as_ref().is_some_and(|stock| stock.is_sure);
    if let Some(stock) = stock {
        record.offer.availability = Some(stock.availability);
        record.offer.availability_raw = Some(stock.text);
    }
    if record.offer.tax_included.is_none() {
        record.offer.tax_included = tax(index, &lines);
    }
    let described = description::container(index, stated.description);
    record.description = described.and_then(|container| description::text(index, container));
    record.attributes = rows::attributes(&groups, index);
    record.features = features::features(index, described);
    record.breadcrumbs = breadcrumbs::breadcrumbs(index, context);
    record.images = gallery::images(index, context, described);
    record.rating = rating::rating(index, &lines);
    let choices = options::choices(index, context, button);
    record.variants = options::variants(&choices);
    VisibleProduct {
        record,
        has_buy_button: button.is_some(),
        button_node: button,
        main_buttons,
        can_be_ordered: button.is_some_and(|button| is_active(index, button)),
        price_is_sure: prices.is_sure,
        price_node: prices.node,
        price_count: prices.count,
        has_quantity_input: has_quantity_input(index),
        on_request,
        stock_is_sure,
        choices: choices.into_iter().map(|choice| choice.label).collect(),
    }
}

/// The button that adds the product to the cart, of several the nearest to the heading, and how many
/// there are in the main part of the page.
fn buy_button(index: &DomIndex<'_, '_>) -> (Option<NodeId>, usize) {
    let dom = index.dom;
    let heading = index.heading.map_or(0, |heading| heading.0);
    let buttons = index.buttons.iter().copied().filter(|id| is_button(index, *id));
    let links = index.links.iter().copied().filter(|id| {
        index.own(*id).intersects(ElementHints::BUY)
            || dom.raw_attribute(*id, "role") == Some("button")
    });
    let mut best: Option<(u32, NodeId)> = None;
    let mut count = 0;
    // A picture may be the button.
    let images =
        index.images.iter().copied().filter(|id| index.own(*id).intersects(ElementHints::BUY));
    for id in buttons.chain(links).chain(images) {
        let text = button_text(index, id);
        let by_text = phrases::is_buy_button(&text);
        // A button may have only an icon.
        let by_class = index.own(id).intersects(ElementHints::BUY)
            && text.trim().is_empty()
            && !dom
                .raw_attribute(id, "type")
                .is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"));
        let sold_out =
            index.own(id).intersects(ElementHints::BUY) && phrases::availability(&text).is_some();
        if !(by_text || by_class || sold_out) || !index.is_main(id) {
            continue;
        }
        count += 1;
        let distance = id.0.abs_diff(heading);
        if best.is_none_or(|(known, _)| distance < known) {
            best = Some((distance, id));
        }
    }
    (best.map(|(_, id)| id), count)
}

fn is_button(index: &DomIndex<'_, '_>, id: NodeId) -> bool {
    use html::dom::Element;
    if index.dom.is(id, Element::Button) {
        return true;
    }
    let kind = index.dom.raw_attribute(id, "type").unwrap_or_default();
    ["submit", "button", "image"].iter().any(|known| kind.eq_ignore_ascii_case(known))
}

/// The text of a button, or its label.
fn button_text(index: &DomIndex<'_, '_>, id: NodeId) -> String {
    let dom = index.dom;
    let mut text = prose::short_line(dom, id, 100);
    for name in ["value", "aria-label", "title", "alt"] {
        if text.is_empty() {
            text = dom.attribute(id, name).unwrap_or_default().into_owned();
        }
    }
    text
}

/// Whether a button can be pressed and its text is only that of a buy button.
fn is_active(index: &DomIndex<'_, '_>, button: NodeId) -> bool {
    let dom = index.dom;
    let is_disabled = dom.self_and_ancestors(button).take(2).any(|id| {
        let class = dom.raw_attribute(id, "class").unwrap_or_default();
        dom.raw_attribute(id, "disabled").is_some()
            || dom.raw_attribute(id, "aria-disabled") == Some("true")
            || class
                .split_ascii_whitespace()
                .any(|word| word.to_ascii_lowercase().ends_with("disabled"))
    });
    !is_disabled && phrases::is_buy_button(&button_text(index, button))
}

/// Whether a field of the main part asks for the quantity: `name=qty`, `id=quantity`.
fn has_quantity_input(index: &DomIndex<'_, '_>) -> bool {
    use html::dom::Element;
    let dom = index.dom;
    let fields = index.buttons.iter().filter(|id| dom.is(**id, Element::Input));
    let names_quantity = |id: NodeId| {
        ["name", "id"].iter().filter_map(|key| dom.raw_attribute(id, key)).any(|name| {
            let name = name.get(..40.min(name.len())).unwrap_or_default().to_ascii_lowercase();
            QUANTITY_NAMES.iter().any(|known| name.contains(known))
        })
    };
    let mut fields = fields.chain(&index.selects).copied();
    fields.any(|id| names_quantity(id) && index.is_main(id))
}

/// The line that says that the price is available on request.
fn on_request(index: &DomIndex<'_, '_>, lines: &[VisibleLine]) -> Option<String> {
    let heading = index.heading?;
    let near = lines.iter().filter(|line| line.block.0.abs_diff(heading.0) < BUY_BOX_DISTANCE);
    let says = |line: &&VisibleLine| line.text.len() < 90 && is_on_request(&line.text);
    let by_price = |line: &&VisibleLine| index.all(line.block).intersects(ElementHints::PRICE);
    let found = near.clone().filter(by_price).find(says).or_else(|| {
        // Without a class hint only a short line counts.
        near.clone().find(|line| line.text.len() < 60 && says(line))
    });
    found.map(|line| line.text.clone())
}

/// Whether tax is included, from lines near the heading.
fn tax(index: &DomIndex<'_, '_>, lines: &[VisibleLine]) -> Option<bool> {
    let heading = index.heading?;
    let near = lines.iter().filter(|line| line.block.0.abs_diff(heading.0) < BUY_BOX_DISTANCE / 2);
    let mut short = near.filter(|line| line.text.len() < 160);
    short.find_map(|line| {
        tax_hint(&line.text).or_else(|| tax_hint(&prices::spaced_line(index.dom, line.block)))
    })
}
