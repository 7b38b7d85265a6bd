//! The amounts in a price text, each with what it is said to be.

use super::number::{Spelling, amount};
use super::symbol::Symbol;
use super::tokens::{DASHES, Kind, Token};
use super::wording::Sense;
use super::{Currency, Decimal, PriceForm, PriceHints};

mod role;

pub(super) use role::Role;

/// An amount that stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount {
    pub low: Decimal,
    pub high: Option<Decimal>,
    pub currency: Option<Currency>,
    pub form: PriceForm,
    pub role: Role,
}

/// A number that may be an amount, with the sign that belongs to it.
#[derive(Debug, Clone)]
struct Sum {
    /// Its tokens, the sign included.
    start: usize,
    end: usize,
    text: String,
    has_dash: bool,
    symbol: Option<Symbol>,
    /// The upper end of a range.
    high: Option<String>,
}

/// The amounts of a text, in their order.
pub(super) fn amounts(tokens: &[Token], hints: &PriceHints<'_>) -> Vec<Amount> {
    let mut sums = ranges(tokens, sums(tokens));
    if sums.iter().any(|sum| sum.symbol.is_some()) {
        sums.retain(|sum| sum.symbol.is_some());
    } else if !is_bare_price(tokens, &sums) {
        return Vec::new();
    }
    let spans: Vec<_> = sums.iter().map(|sum| (sum.start, sum.end)).collect();
    let read = |(at, sum): (usize, &Sum)| {
        let role = Role::of(tokens, &spans, at);
        let currency = match sum.symbol {
            Some(symbol) => symbol.currency(hints),
            None => hints.currency,
        };
        let spelling = Spelling {
            currency,
            has_colon: sum.symbol.is_some_and(Symbol::is_krone) || is_nordic(hints),
            fine_mark: (role == Role::Measure).then(|| decimal_mark(hints)).flatten(),
        };
        let low = amount(&sum.text, spelling)?;
        let high = sum.high.as_ref().and_then(|text| amount(text, spelling));
        let high = high.filter(|high| *high > low);
        let form = match high {
            Some(_) => PriceForm::Range,
            None if role == Role::Instalment => PriceForm::Exact,
            None if role::says_from(tokens, sum.start, sum.end) => PriceForm::From,
            None => PriceForm::Exact,
        };
        Some(Amount { low, high, currency, form, role })
    };
    sums.iter().enumerate().filter_map(read).collect()
}

/// Whether a text without a sign of money states a price: it says little else, and a number
/// among other words has coins.
fn is_bare_price(tokens: &[Token], sums: &[Sum]) -> bool {
    let says_nothing = |token: &&Token| {
        token.word().is_some()
            && ![Sense::Label, Sense::Per, Sense::Measure, Sense::To, Sense::Aside]
                .iter()
                .any(|sense| token.says(*sense))
    };
    let unknown = tokens.iter().filter(says_nothing).count();
    let has_coins = |sum: &Sum| {
        let digits = sum.text.rsplit(['.', ',', ':']).next().map_or(0, str::len);
        sum.has_dash || (digits == 2 && sum.text.len() > 2)
    };
    let are_coined = sums.len() <= 3 && sums.iter().all(has_coins);
    (unknown == 0 && sums.len() == 1) || (unknown <= 2 && are_coined)
}

/// Numbers with the sign before or behind them; what is a share, negative or part of a word
/// is none.
fn sums(tokens: &[Token]) -> Vec<Sum> {
    let mut sums: Vec<Sum> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let free_from = sums.last().map_or(0, |sum| sum.end);
        match sum_at(tokens, at, free_from) {
            Some((sum, is_amount)) => {
                at = sum.end;
                if is_amount {
                    sums.push(sum);
                }
            }
            None => at += 1,
        }
    }
    sums
}

/// The number at a place and whether it may be an amount. Tokens before `free_from` belong to
/// another.
fn sum_at(tokens: &[Token], at: usize, free_from: usize) -> Option<(Sum, bool)> {
    let Kind::Number { text, ends_with_dash } = &tokens.get(at)?.kind else { return None };
    let (mut text, mut start, mut end) = (text.clone(), at, at + 1);
    let money = |at: usize| tokens.get(at).and_then(Token::money);
    let before = at.checked_sub(1).filter(|at| *at >= free_from).and_then(money);
    if let Some((coins, behind)) = split_coins(tokens, at, before.is_some()) {
        text = format!("{text}.{coins}");
        end = behind;
    }
    let mut symbol = before;
    if before.is_some() {
        start = at - 1;
        // USD $12.99
        let further = at.checked_sub(2).filter(|at| *at >= free_from).and_then(money);
        if let (Some(sign), Some(code)) = (before, further)
            && code.agrees_with(sign)
            && !sign.is_exact()
        {
            (symbol, start) = (Some(code), at - 2);
        }
    }
    // The sign between euros and cents was met already.
    let between = money(at + 1).filter(|_| end == at + 3);
    let behind = between.or_else(|| money(end).filter(|_| !begins_next(tokens, end)));
    symbol = match (symbol, behind) {
        (Some(sign), Some(code)) if code.agrees_with(sign) && !sign.is_exact() => Some(code),
        (Some(word), Some(sign)) if word.is_word && !sign.is_word => Some(sign),
        (Some(sign), _) => Some(sign),
        (None, behind) => behind,
    };
    if behind.is_some() && between.is_none() {
        end += 1;
    }
    let is_amount = !is_negative(tokens, start, at, free_from)
        && !tokens.get(end).is_some_and(|token| token.is_mark(&['%', '‰', '°', '"', '″']))
        && !is_in_word(tokens, at, end, symbol.is_some());
    let has_dash = *ends_with_dash;
    Some((Sum { start, end, text, has_dash, symbol, high: None }, is_amount))
}

/// Coins that stand behind the sign, as in 12€99, or apart from the whole, as in $12 99.
fn split_coins(tokens: &[Token], at: usize, has_sign: bool) -> Option<(&str, usize)> {
    let is_whole = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 6;
    tokens.get(at)?.number().filter(|text| is_whole(text))?;
    let coins = |at: usize, spaced: bool| {
        let token = tokens.get(at).filter(|token| token.spaced == spaced)?;
        token.number().filter(|text| text.len() == 2 && is_whole(text))
    };
    if let Some(sign) = tokens.get(at + 1).and_then(Token::money) {
        let is_tight = !tokens.get(at + 1)?.spaced;
        let found = coins(at + 2, false).filter(|_| !has_sign && (sign.is_euro() || is_tight));
        let is_tail = tokens.get(at + 3).is_none_or(|next| next.money().is_none());
        return found.filter(|_| is_tail && !sign.is_word).map(|coins| (coins, at + 3));
    }
    let found = coins(at + 1, true)?;
    let has_sign_behind = at == 0 && tokens.get(at + 2).is_some_and(|next| next.money().is_some());
    (has_sign || has_sign_behind).then_some((found, at + 2))
}

/// Whether the sign at a place stands before the next number and apart from the last.
fn begins_next(tokens: &[Token], at: usize) -> bool {
    let next = tokens.get(at + 1);
    tokens.get(at).is_some_and(|sign| sign.spaced)
        && next.is_some_and(|next| next.number().is_some() && !next.spaced)
}

/// Whether a minus belongs to the number: nothing stands between, and nothing before it
/// that the dash could part from it.
fn is_negative(tokens: &[Token], start: usize, number: usize, free_from: usize) -> bool {
    let is_minus = |before: usize| {
        let Some(at) = before.checked_sub(1).filter(|at| *at >= free_from) else { return false };
        let Some(dash) = tokens.get(at).filter(|token| token.is_mark(DASHES)) else { return false };
        let is_tight = tokens.get(before).is_some_and(|token| !token.spaced);
        let opens = match at.checked_sub(1).and_then(|at| tokens.get(at)) {
            None => true,
            Some(last) => dash.spaced || last.money().is_some() || last.is_mark(&['(', ':', '[']),
        };
        is_tight && opens
    };
    is_minus(start) || is_minus(number)
}

/// Whether the number is a part of a word: A4, 50mm, 2nd, and $1.2k, which is no exact amount.
fn is_in_word(tokens: &[Token], at: usize, end: usize, has_sign: bool) -> bool {
    let word_before = at.checked_sub(1).and_then(|at| tokens.get(at)).and_then(Token::word);
    let tight_before = tokens.get(at).is_some_and(|token| !token.spaced);
    let behind = tokens.get(end).filter(|token| !token.spaced).and_then(Token::word);
    let is_letters = |word: &str| word.chars().all(|c| c.is_alphabetic() && c < '\u{3000}');
    let is_factor =
        behind.is_some_and(|word| matches!(word, "k" | "m" | "mio" | "mln" | "bn" | "tys"));
    is_factor
        || (tight_before && word_before.is_some_and(|word| word != "x" && is_letters(word)))
        || (!has_sign && behind.is_some_and(is_letters))
}

/// Joins the ends of ranges.
fn ranges(tokens: &[Token], sums: Vec<Sum>) -> Vec<Sum> {
    let mut joined: Vec<Sum> = Vec::new();
    for sum in sums {
        match joined.last_mut().filter(|last| last.high.is_none() && is_range(tokens, last, &sum)) {
            Some(last) => {
                last.high = Some(sum.text);
                last.symbol = last.symbol.or(sum.symbol);
                last.end = sum.end;
            }
            None => joined.push(sum),
        }
    }
    joined
}

fn is_range(tokens: &[Token], low: &Sum, high: &Sum) -> bool {
    let [between] = tokens.get(low.end..high.start).unwrap_or_default() else { return false };
    let same_money = match (low.symbol, high.symbol) {
        (Some(low), Some(high)) => low.agrees_with(high),
        (None, None) | (Some(_), None) | (None, Some(_)) => true,
    };
    let before = low.start.checked_sub(1).and_then(|at| tokens.get(at));
    let follows = |sense| before.is_some_and(|token| token.says(sense));
    let is_span = between.says(Sense::To)
        || (between.says(Sense::And) && follows(Sense::Between))
        || between.is_mark(DASHES)
        || between.is_mark(&['~', '…']);
    // The number of a model and a dash before its price are no range.
    let opens = low.symbol.is_some()
        || before.and_then(Token::word).is_none()
        || [Sense::Label, Sense::Between, Sense::Aside].iter().any(|sense| follows(*sense));
    let is_ascending = match (amount(&low.text, wide()), amount(&high.text, wide())) {
        (Some(low), Some(high)) => low <= high,
        _ => false,
    };
    same_money && is_span && opens && is_ascending
}

fn wide() -> Spelling {
    Spelling { has_colon: true, ..Spelling::default() }
}

fn is_nordic(hints: &PriceHints<'_>) -> bool {
    let language = hints.language.unwrap_or_default().split(['-', '_']).next().unwrap_or_default();
    let crowns = hints.currency.is_some_and(|c| matches!(c.as_str(), "SEK" | "NOK" | "DKK"));
    crowns || matches!(language, "sv" | "nb" | "nn" | "no" | "da")
}

/// The decimal mark of the page's language.
fn decimal_mark(hints: &PriceHints<'_>) -> Option<char> {
    let language = hints.language?.split(['-', '_']).next()?;
    Some(match language {
        "en" | "ja" | "zh" | "ko" | "th" | "he" | "hi" => '.',
        _ => ',',
    })
}
