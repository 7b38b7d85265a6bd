//! The role of an amount, derived from the words and marks around it.

use crate::price::price_words::{FROM_PHRASES, PriceWordSense};
use crate::price::tokens::PriceToken;
use text::vocabulary::TermSet;

static PAYMENT_PARTICLES: TermSet = word_set!("payment_particles.txt");

/// The role of an amount. The amount with the smallest role is taken for the price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::price) enum AmountRole {
    Price,
    /// A former price, a list price, or the price of others.
    Former,
    UnitPrice,
    Instalment,
    Discount,
    /// Shipping costs, or the order value for free shipping.
    Shipping,
}

/// How many words before an amount are considered.
const REACH: usize = 5;
/// Marks without meaning for the role.
const NEUTRAL_MARKS: &[char] = &['.', ',', ':', '*', '¹', '²', '†', '(', '[', '|', '•', '!'];

impl AmountRole {
    /// The role of the amount with number `at`; `spans` are the token ranges of all amounts.
    pub fn of(all: &[PriceToken], spans: &[(usize, usize)], at: usize) -> Self {
        let Some(&(start, end)) = spans.get(at) else { return Self::Price };
        let last_end = at.checked_sub(1).and_then(|at| spans.get(at)).map_or(0, |span| span.1);
        let next_start = spans.get(at + 1).map_or(all.len(), |span| span.0);
        let before = all.get(last_end..start).unwrap_or_default();
        let after = all.get(end..next_start).unwrap_or_default();
        let near = || before.iter().rev().filter(|token| token.word().is_some()).take(REACH);
        let says = |sense| near().any(|token| token.says(sense));
        let next = first_word(after);
        let adds = |sense| next.is_some_and(|word| word.says(sense));
        if is_instalment(before, after)
            || says(PriceWordSense::Instalment)
            || adds(PriceWordSense::Instalment)
        {
            return Self::Instalment;
        }
        if is_per_unit(after) || equals_unit(before) || says(PriceWordSense::UnitPriceLabel) {
            return Self::UnitPrice;
        }
        if says(PriceWordSense::Discount) || adds(PriceWordSense::Discount) {
            return Self::Discount;
        }
        if says(PriceWordSense::Shipping) || adds(PriceWordSense::Shipping) {
            return Self::Shipping;
        }
        let beyond = all.get(next_start.saturating_sub(1));
        // "De R$ 100 por R$ 80": "por" before the next price marks this one as former.
        let is_crossed = near().next().and_then(PriceToken::word) == Some("de")
            && next_start < all.len()
            && beyond.and_then(PriceToken::word) == Some("por");
        if says(PriceWordSense::FormerPrice) || is_crossed { Self::Former } else { Self::Price }
    }
}

/// The first word after an amount.
fn first_word(after: &[PriceToken]) -> Option<&PriceToken> {
    after.iter().find(|token| !token.is_mark(NEUTRAL_MARKS) && !token.is_mark(&['/', ')']))
}

/// Whether a unit follows: `/ 100 g`, `pro Liter`, `the kg`.
fn is_per_unit(after: &[PriceToken]) -> bool {
    let mut rest = after.iter().skip_while(|token| token.is_mark(NEUTRAL_MARKS)).peekable();
    let slash = rest.next_if(|token| token.is_mark(&['/', '∕'])).is_some();
    let per = rest.next_if(|token| token.says(PriceWordSense::Per)).is_some();
    if !slash && !per {
        return false;
    }
    let _ = rest.next_if(|token| token.number().is_some());
    rest.next().is_some_and(|token| token.says(PriceWordSense::Unit))
}

/// Whether a unit and an equals sign precede: `100 g = 1,29 €`.
fn equals_unit(before: &[PriceToken]) -> bool {
    let mut back = before.iter().rev();
    back.next().is_some_and(|token| token.is_mark(&['=']))
        && back.next().is_some_and(|token| token.says(PriceWordSense::Unit))
}

/// Whether it is one of several payments: `12 x`, `/ month`, `x 4`.
fn is_instalment(before: &[PriceToken], after: &[PriceToken]) -> bool {
    let is_times = |token: &PriceToken| {
        token.is_mark(&['×', '*']) || token.word().is_some_and(|word| word == "x" || word == "х")
    };
    let is_count = |token: &PriceToken| token.number().is_some_and(|text| text.len() <= 2);
    let is_particle =
        |token: &&PriceToken| token.word().is_some_and(|word| PAYMENT_PARTICLES.contains(word));
    let mut back = before.iter().rev().filter(|token| !is_particle(token));
    if back.next().is_some_and(is_times) && back.next().is_some_and(is_count) {
        return true;
    }
    let mut rest = after.iter().skip_while(|token| token.is_mark(NEUTRAL_MARKS)).peekable();
    if rest.peek().is_some_and(|token| is_times(token) && !token.is_mark(&['*'])) {
        let mut next = after.iter().skip_while(|token| !is_times(token)).skip(1);
        let counts = next.next().is_some_and(is_count);
        return counts && !next.next().is_some_and(|token| token.says(PriceWordSense::Unit));
    }
    let _ = rest.next_if(|token| token.is_mark(&['/', '∕']));
    let _ = rest.next_if(|token| token.says(PriceWordSense::Per));
    rest.next().is_some_and(|token| token.says(PriceWordSense::Period))
}

/// Whether the text says that the amount between these tokens is the lowest of several.
pub(super) fn says_from(all: &[PriceToken], start: usize, end: usize) -> bool {
    let before = all.get(..start).unwrap_or_default();
    let back = || before.iter().rev().filter(|token| !token.is_mark(NEUTRAL_MARKS));
    let words = || back().map_while(PriceToken::word);
    let is_phrase = |phrase: &[&str]| words().take(phrase.len()).eq(phrase.iter().rev().copied());
    if back().next().is_some_and(|token| token.says(PriceWordSense::From))
        || FROM_PHRASES.iter().any(|phrase| is_phrase(phrase))
    {
        return true;
    }
    let says = |at: usize| all.get(at).is_some_and(|token| token.says(PriceWordSense::FromAfter));
    let Some(next) = all.get(end) else { return false };
    // A suffix may follow the currency: Ft-tól, TL'den.
    says(end)
        || (next.is_mark(&['-', '\'']) && says(end + 1))
        || (next.is_mark(&['~', '+']) && all.get(end + 1).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price::tokens::tokens;

    #[test]
    fn role_follows_the_words_around_an_amount() {
        let role = |before: &str, after: &str| {
            let mut all = tokens(before);
            let start = all.len();
            all.extend(tokens("5 €"));
            let end = all.len();
            all.extend(tokens(after));
            AmountRole::of(&all, &[(start, end)], 0)
        };
        assert_eq!(role("Preis:", "inkl. MwSt."), AmountRole::Price);
        assert_eq!(role("", "/ 100 g"), AmountRole::UnitPrice);
        assert_eq!(role("(1 l =", ")"), AmountRole::UnitPrice);
        assert_eq!(role("12 x", ""), AmountRole::Instalment);
        assert_eq!(role("", "pro Monat"), AmountRole::Instalment);
        assert_eq!(role("Sie sparen", ""), AmountRole::Discount);
        assert_eq!(role("zzgl.", "Versand"), AmountRole::Shipping);
        assert_eq!(role("statt", ""), AmountRole::Former);
    }
}
