//! What a buyer sees of the product: the visible page, read by its structure and its words.

use contract::ProductSource;

use super::class_words::Hints;
use super::context::Context;
use super::draft::Draft;
use super::field::Field;
use super::phrases;
use super::price::{Decimal, is_on_request, tax_hint};
use super::survey::Survey;
use html::dom::NodeId;

mod amounts;
mod description;
mod features;
mod gallery;
mod lines;
mod options;
mod rating;
mod rows;
mod stock;
mod trail;

use lines::Line;
pub(super) use options::label_of;

/// How far behind the heading the buy box is looked for, in nodes.
const BUY_BOX: u32 = 1_500;

/// What was seen.
#[derive(Debug)]
pub(super) struct Sight {
    pub draft: Draft,
    /// A button puts the product into the cart, or could if there were any left.
    pub buys: bool,
    /// A button asks for an offer, or to be told when it is back.
    pub asks: bool,
    /// The place of the price speaks for it as much as its looks.
    pub price_is_sure: bool,
    /// Where it says that the price is told when asked.
    pub on_request: Option<String>,
    /// How surely the text about whether it can be had is about the product.
    pub stock_is_sure: bool,
    /// The labels of what can be chosen.
    pub choices: Vec<String>,
}

/// What the data of the page says, to know it again on the page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told<'t> {
    pub description: Option<&'t str>,
    pub prices: &'t [Decimal],
}

/// Reads the visible page.
pub(super) fn read(survey: &Survey<'_, '_>, context: &Context<'_>, told: Told<'_>) -> Sight {
    let mut draft = Draft::new(ProductSource::Dom);
    draft.name = Some(survey.heading_text.clone()).filter(|name| !name.is_empty());
    let lines = lines::lines(survey);
    let button = buy_button(survey);
    let groups = rows::groups(survey);
    let prices = amounts::prices(survey, context, button, told.prices);
    draft.offer = prices.offer;
    let on_request = match draft.offer.low {
        Some(_) if prices.is_sure => None,
        _ => on_request(survey, &lines),
    };
    for field in [Field::Sku, Field::Mpn, Field::Brand] {
        let value = rows::value_of(field, &groups, &lines, survey);
        match field {
            Field::Sku => draft.sku = value,
            Field::Mpn => draft.mpn = value,
            _ => draft.brand = value.or_else(|| rows::brand(survey, context)),
        }
    }
    draft.sku = draft.sku.take().or_else(|| rows::number(survey));
    draft.gtin = rows::gtins(&groups, &lines, survey);
    draft.condition = rows::value_of(Field::Condition, &groups, &lines, survey)
        .and_then(|text| phrases::condition(&text));
    draft.seller = rows::seller(&groups, &lines, survey);
    let stock = stock::stock(survey, &groups, &lines, button);
    let stock_is_sure = stock.as_ref().is_some_and(|stock| stock.is_sure);
    if let Some(stock) = stock {
        draft.offer.availability = Some(stock.availability);
        draft.offer.availability_raw = Some(stock.text);
    }
    if draft.offer.tax_included.is_none() {
        draft.offer.tax_included = tax(survey, &lines);
    }
    let described = description::place(survey, told.description);
    draft.description = described.and_then(|place| description::text(survey, place));
    draft.attributes = rows::attributes(&groups, survey, described);
    draft.features = features::features(survey, described);
    draft.breadcrumbs = trail::trail(survey, context);
    draft.images = gallery::images(survey, context, described);
    draft.rating = rating::rating(survey, &lines);
    let choices = options::choices(survey);
    draft.variants = options::forms(&choices);
    Sight {
        draft,
        buys: button.is_some(),
        asks: asks(survey),
        price_is_sure: prices.is_sure,
        on_request,
        stock_is_sure,
        choices: choices.into_iter().map(|(label, _)| label).collect(),
    }
}

/// The button that puts the product into the cart: of several the nearest to the heading.
fn buy_button(survey: &Survey<'_, '_>) -> Option<NodeId> {
    let dom = survey.dom;
    let heading = survey.heading.map_or(0, |heading| heading.0);
    let buttons = survey.buttons.iter().copied().filter(|id| is_button(survey, *id));
    let links = survey.links.iter().copied().filter(|id| survey.own(*id).has(Hints::BUY));
    let mut best: Option<(u32, NodeId)> = None;
    for id in buttons.chain(links) {
        let said = button_text(survey, id);
        let by_words = phrases::buys(&said);
        // A button may show nothing but a drawing of a cart.
        let by_class = survey.own(id).has(Hints::BUY)
            && said.trim().is_empty()
            && !dom
                .raw_attribute(id, "type")
                .is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"));
        let sold_out = survey.own(id).has(Hints::BUY) && phrases::availability(&said).is_some();
        if !(by_words || by_class || sold_out) || !survey.is_main(id) {
            continue;
        }
        let distance = id.0.abs_diff(heading);
        if best.is_none_or(|(known, _)| distance < known) {
            best = Some((distance, id));
        }
    }
    best.map(|(_, id)| id)
}

fn is_button(survey: &Survey<'_, '_>, id: NodeId) -> bool {
    use html::dom::Element;
    if survey.dom.is(id, Element::Button) {
        return true;
    }
    let kind = survey.dom.raw_attribute(id, "type").unwrap_or_default();
    ["submit", "button", "image"].iter().any(|known| kind.eq_ignore_ascii_case(known))
}

/// What is written on a button.
fn button_text(survey: &Survey<'_, '_>, id: NodeId) -> String {
    let dom = survey.dom;
    let mut text = lines::inner(dom, id, 100);
    for name in ["value", "aria-label", "title"] {
        if text.is_empty() {
            text = dom.attribute(id, name).unwrap_or_default().into_owned();
        }
    }
    text
}

fn asks(survey: &Survey<'_, '_>) -> bool {
    let buttons = survey.buttons.iter().copied().filter(|id| is_button(survey, *id));
    let links = survey.links.iter().copied();
    let heading = survey.heading.map_or(0, |heading| heading.0);
    let near = |id: &NodeId| id.0.abs_diff(heading) < BUY_BOX;
    let mut asking = buttons.chain(links).filter(near);
    asking.any(|id| phrases::asks(&button_text(survey, id)) && survey.is_main(id))
}

/// Where the page says, instead of a price, that it is told when asked.
fn on_request(survey: &Survey<'_, '_>, lines: &[Line]) -> Option<String> {
    let heading = survey.heading?;
    let near = lines.iter().filter(|line| line.block.0.abs_diff(heading.0) < BUY_BOX);
    let says = |line: &&Line| line.text.len() < 90 && is_on_request(&line.text);
    let by_price = |line: &&Line| survey.all(line.block).has(Hints::PRICE);
    let found = near.clone().filter(by_price).find(says).or_else(|| {
        // Without a class that names a price, only a line that says nothing else.
        near.clone().find(|line| line.text.len() < 60 && says(line))
    });
    found.map(|line| line.text.clone())
}

/// What the page says of tax near its price.
fn tax(survey: &Survey<'_, '_>, lines: &[Line]) -> Option<bool> {
    let heading = survey.heading?;
    let near = lines.iter().filter(|line| line.block.0.abs_diff(heading.0) < BUY_BOX / 2);
    let mut short = near.filter(|line| line.text.len() < 160);
    short.find_map(|line| {
        tax_hint(&line.text).or_else(|| tax_hint(&amounts::spaced_line(survey.dom, line.block)))
    })
}
