//! What a product costs, and how its page says so.

use super::Variant;
use crate::draw::Draw;
use crate::shop::locale::{Cents, Locale};
use crate::shop::plan::{Plan, Spread};
use crate::shop::trade::Trade;
use crate::shop::truth::PriceType;

/// The price of a product.
#[derive(Debug, Clone)]
pub(in crate::shop) struct Money {
    /// As the page shows it: exact, from, a range or on request.
    pub(in crate::shop) kind: PriceType,
    pub(in crate::shop) low: Cents,
    pub(in crate::shop) high: Cents,
    pub(in crate::shop) regular: Option<Cents>,
    /// What the data says, which may be wrong; nothing when it names no price.
    pub(in crate::shop) data: Option<Cents>,
    /// As shown.
    pub(in crate::shop) text: String,
    pub(in crate::shop) regular_text: Option<String>,
}

impl Money {
    pub(super) fn make(
        plan: &Plan,
        locale: &'static Locale,
        base: Cents,
        variants: &[Variant],
        draw: &mut Draw,
    ) -> Self {
        let prices = || variants.iter().map(|variant| variant.price);
        let low = prices().min().unwrap_or(base);
        let high = prices().max().unwrap_or(base);
        let kind = if draw.chance(plan.deals.on_request) {
            PriceType::OnRequest
        } else if low == high {
            PriceType::Exact
        } else {
            match plan.deals.spread {
                Spread::First => PriceType::Exact,
                Spread::From => PriceType::From,
                Spread::Range => PriceType::Range,
            }
        };
        let low = if kind == PriceType::Exact { prices().next().unwrap_or(base) } else { low };
        let regular = variants.first().map_or_else(
            || draw.chance(plan.deals.sale).then(|| raised(locale, base, draw)),
            |first| first.regular,
        );
        let regular = regular.filter(|_| kind == PriceType::Exact);
        let carried = kind != PriceType::OnRequest || draw.chance(50);
        let data = carried.then_some(low);
        let mut money =
            Self { kind, low, high, regular, data, text: String::new(), regular_text: None };
        money.spell(plan, locale);
        money
    }

    /// No price is named any more, neither for the eye nor in the data.
    pub(super) fn forget(&mut self) {
        self.kind = PriceType::None;
        (self.regular, self.data, self.regular_text) = (None, None, None);
        self.text.clear();
    }

    /// It is a sum, and not words.
    pub(in crate::shop) fn is_sum(&self) -> bool {
        matches!(self.kind, PriceType::Exact | PriceType::From | PriceType::Range)
    }

    /// Writes the shown texts anew.
    pub(super) fn spell(&mut self, plan: &Plan, locale: &'static Locale) {
        let spelled = |cents| locale.money(cents, plan.habit);
        self.text = match self.kind {
            PriceType::Exact => spelled(self.low),
            PriceType::From => locale.words.from.replace("{}", &spelled(self.low)),
            PriceType::Range => format!("{} – {}", spelled(self.low), spelled(self.high)),
            PriceType::OnRequest | PriceType::Hidden => {
                Draw::new(self.low as u64).pick(locale.words.on_request).to_owned()
            }
            PriceType::None => String::new(),
        };
        self.regular_text = self.regular.map(spelled);
    }
}

/// A price such as the trade has, more often a low one than a high one.
pub(super) fn base(trade: &Trade, locale: &Locale, draw: &mut Draw) -> Cents {
    let (low, high) = trade.prices;
    let steps = (high / low.max(1)).max(2).ilog2() as usize;
    let reach = (low << draw.between(0, steps)).min(high);
    let whole = draw.between(reach, (reach * 2).min(high).max(reach)) as Cents;
    tidy(locale, whole * 100, draw)
}

/// The same amount with an ending that shops of the country like.
fn tidy(locale: &Locale, cents: Cents, draw: &mut Draw) -> Cents {
    let whole = cents / 100 * 100;
    match locale.currency {
        "JPY" => (whole / 1000 * 1000).max(1000),
        "INR" => whole,
        "SEK" => whole + draw.pick(&[0, 0, 0, 50]),
        "CHF" => whole + draw.pick(&[0, 0, 50, 90]),
        _ => whole + draw.pick(&[99, 95, 0, 50, 49, 90]),
    }
}

/// What it cost before.
pub(super) fn raised(locale: &Locale, cents: Cents, draw: &mut Draw) -> Cents {
    let more = cents + cents * draw.between(12, 60) as Cents / 100 + 100;
    tidy(locale, more, draw).max(cents + 100)
}
