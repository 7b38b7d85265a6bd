//! The forms of a product, and the numbers that tell articles apart.

use super::{Variant, money};
use crate::draw::Draw;
use crate::shop::locale::{Cents, Locale};
use crate::shop::plan::{Market, Plan};
use crate::shop::truth::Availability;

type Axes = Vec<(&'static str, Vec<&'static str>)>;

/// What a buyer chooses between, and every form that comes of it.
pub(super) fn variants(
    plan: &Plan,
    market: &Market,
    base: Cents,
    sku: &str,
    id: &str,
    draw: &mut Draw,
) -> (Axes, Vec<Variant>) {
    if !draw.chance(plan.deals.varied) {
        return (Vec::new(), Vec::new());
    }
    let mut axes = Vec::new();
    let from =
        draw.below(market.trade.axes.len() + 1 - plan.deals.axes.min(market.trade.axes.len()));
    for (label, values) in market.trade.axes.iter().skip(from).take(plan.deals.axes) {
        let count = draw.between(2, values.len().min(4));
        axes.push((*label, draw.some(values, count)));
    }
    let priced = draw.chance(45);
    let on_sale = !priced && draw.chance(plan.deals.sale);
    let regular = on_sale.then(|| money::raised(market.locale, base, draw));
    let step = (base / 800 * 100).max(100);
    let mut combinations: Vec<(Vec<(&'static str, String)>, usize)> = vec![(Vec::new(), 0)];
    for (label, values) in &axes {
        combinations = combinations
            .iter()
            .flat_map(|(options, _)| {
                values.iter().enumerate().map(move |(at, value)| {
                    let mut longer = options.clone();
                    longer.push((*label, (*value).to_owned()));
                    (longer, at)
                })
            })
            .collect();
    }
    let variants =
        combinations.into_iter().enumerate().map(|(at, (options, step_number))| Variant {
            id: format!("{id}{at:02}"),
            options,
            sku: format!("{sku}-{}", at + 1),
            gtin: gtin(market.locale, draw),
            price: if priced { base + step * step_number as Cents } else { base },
            regular,
            stock: if draw.chance(plan.deals.sold_out) {
                Availability::OutOfStock
            } else {
                Availability::InStock
            },
        });
    (axes, variants.collect())
}

/// A number whose last digit checks the others: twelve digits in America, thirteen
/// elsewhere, now and then eight or fourteen.
pub(super) fn gtin(locale: &Locale, draw: &mut Draw) -> String {
    let length = match (draw.below(12), locale.country) {
        (0, _) => 8,
        (1, _) => 14,
        (_, "US") => 12,
        (_, _) => 13,
    };
    let digits = draw.digits(length - 1);
    format!("{digits}{}", check_digit(&digits))
}

/// The digit that makes `digits` a GTIN: weights 3 and 1 from the right.
pub(in crate::shop) fn check_digit(digits: &str) -> char {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| u32::from(digit - b'0') * if at % 2 == 0 { 3 } else { 1 })
        .sum();
    char::from(b'0' + ((10 - sum % 10) % 10) as u8)
}
