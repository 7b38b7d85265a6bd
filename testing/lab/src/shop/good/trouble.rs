//! What is wrong with some pages on purpose.

use super::{Good, Variant};
use crate::draw::Draw;
use crate::shop::plan::Plan;
use crate::shop::platform::Platform;
use crate::shop::truth::{Availability, PriceType};

/// What is wrong with a page on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shop) enum Trouble {
    None,
    /// The data's price is 0.
    ZeroPrice,
    /// The data's price is negative.
    NegativePrice,
    /// The data names a currency that does not exist.
    NoSuchCurrency,
    /// The data's price is a sentence.
    PriceAsText,
    /// The data describes another product.
    OtherProduct,
    /// The check digit of the article number is wrong.
    WrongCheckDigit,
    /// A hundred sellers offer it.
    HundredOffers,
    /// It comes in 10,000 forms.
    ManyVariants,
    /// `itemref` leads back to where it began.
    Cycle,
    /// The data's price is not the one that the buyer sees.
    StalePrice,
}

impl Trouble {
    /// What is wrong with the product of this number.
    pub(super) fn of(plan: &Plan, number: usize) -> Self {
        match (plan.platform, number) {
            (Platform::Odd, number) => match number % 8 {
                0 => Trouble::ZeroPrice,
                1 => Trouble::NegativePrice,
                2 => Trouble::NoSuchCurrency,
                3 => Trouble::PriceAsText,
                4 => Trouble::OtherProduct,
                5 | 6 => Trouble::WrongCheckDigit,
                _ => Trouble::None,
            },
            (Platform::Group, 5) => Trouble::ManyVariants,
            (Platform::Marketplace, 3) => Trouble::HundredOffers,
            (Platform::Handmade, number) if number % 6 == 2 => Trouble::Cycle,
            (Platform::Stale, number) if number % 3 != 0 => Trouble::StalePrice,
            (Platform::Woocommerce, number) if number % 10 == 7 => Trouble::StalePrice,
            (Platform::Prestashop | Platform::Woocommerce, number) if number % 9 == 4 => {
                Trouble::WrongCheckDigit
            }
            _ => Trouble::None,
        }
    }
}

/// Does to a product what its trouble asks for.
pub(super) fn vex(plan: &Plan, good: &mut Good, draw: &mut Draw) {
    match good.trouble {
        Trouble::ZeroPrice => {
            good.money.data = Some(0);
            // Nought in the data stands either beside a real price, or for the want of one.
            if draw.chance(40) {
                good.money.kind = PriceType::OnRequest;
                good.money.regular = None;
                good.money.spell(plan, good.locale);
            }
        }
        Trouble::NegativePrice => good.money.data = Some(-100),
        Trouble::WrongCheckDigit => {
            if let Some(last) = good.gtin.as_mut().and_then(|gtin| gtin.pop().map(|d| (gtin, d))) {
                let (gtin, digit) = last;
                gtin.push(if digit == '9' { '0' } else { char::from(digit as u8 + 1) });
            }
        }
        // A price that depends on the form is left alone.
        Trouble::StalePrice if !good.variants.is_empty() => {}
        Trouble::StalePrice => {
            let wrong = good.money.low * draw.pick(&[70, 85, 110, 125]) / 100;
            // Mostly the data has not heard of the sale.
            good.money.data = Some(good.money.regular.unwrap_or(wrong.max(100)));
        }
        Trouble::ManyVariants => many_variants(good),
        Trouble::HundredOffers
        | Trouble::OtherProduct
        | Trouble::NoSuchCurrency
        | Trouble::PriceAsText
        | Trouble::Cycle
        | Trouble::None => {}
    }
}

/// Forms by the thousand, as a configurator writes them.
fn many_variants(good: &mut Good) {
    let Some(sku) = good.sku.clone() else { return };
    let price = good.money.low;
    good.axes.clear();
    good.money.kind = PriceType::Exact;
    good.money.high = price;
    good.stock = Some(Availability::InStock);
    good.stock_text = good.locale.words.in_stock[0];
    good.variants = (0..10_000)
        .map(|n| Variant {
            id: format!("{}{n:05}", good.id),
            options: vec![("Engraving", format!("No. {}", n + 1))],
            sku: format!("{sku}-{n:05}"),
            gtin: String::new(),
            price,
            regular: None,
            stock: Availability::InStock,
        })
        .collect();
}
