//! Finds the amounts in a price text and the role of each.

use super::currency_symbol::CurrencySymbol;
use super::number_format::{NumberFormat, amount};
use super::price_words::PriceWordSense;
use super::tokens::{DASHES, PriceToken, PriceTokenKind};
use super::{Currency, Decimal, PriceForm, PriceHints};
use text::vocabulary::TermSet;

mod role;

static NUMBER_FACTORS: TermSet = word_set!("number_factors.txt");

pub(super) use role::AmountRole;

/// An amount of a text with its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PriceAmount {
    pub low: Decimal,
    pub high: Option<Decimal>,
    pub currency: Option<Currency>,
    pub form: PriceForm,
    pub role: AmountRole,
}

/// A number that may be an amount, with its currency symbol.
#[derive(Debug, Clone)]
struct NumberSpan {
    /// The range of its tokens, including the symbol.
    start: usize,
    end: usize,
    text: String,
    /// Whether a dash replaces the decimals: 12,-.
    has_dash: bool,
    symbol: Option<CurrencySymbol>,
    /// The upper end of a range.
    high: Option<String>,
}

/// The amounts of a text, in order.
pub(super) fn amounts(tokens: &[PriceToken], hints: &PriceHints<'_>) -> Vec<PriceAmount> {
    let mut numbers = join_ranges(tokens, number_spans(tokens));
    if numbers.iter().any(|span| span.symbol.is_some()) {
        numbers.retain(|span| span.symbol.is_some());
    } else if !is_bare_price(tokens, &numbers) {
        return Vec::new();
    }
    let spans: Vec<_> = numbers.iter().map(|span| (span.start, span.end)).collect();
    let read = |(at, span): (usize, &NumberSpan)| {
        let role = AmountRole::of(tokens, &spans, at);
        let currency = match span.symbol {
            Some(symbol) => symbol.currency(hints),
            None => hints.currency,
        };
        let format = NumberFormat {
            currency,
            has_colon: span.symbol.is_some_and(CurrencySymbol::is_krone) || is_nordic(hints),
            fine_mark: (role == AmountRole::UnitPrice).then(|| decimal_mark(hints)).flatten(),
        };
        let low = amount(&span.text, format)?;
        let high = span.high.as_ref().and_then(|text| amount(text, format));
        let high = high.filter(|high| *high > low);
        let form = match high {
            Some(_) => PriceForm::Range,
            None if role == AmountRole::Instalment => PriceForm::Exact,
            None if role::says_from(tokens, span.start, span.end) => PriceForm::From,
            None => PriceForm::Exact,
        };
        Some(PriceAmount { low, high, currency, form, role })
    };
    numbers.iter().enumerate().filter_map(read).collect()
}

/// Whether a text without a currency symbol states a price: it has few other words, and numbers
/// among other words have decimals.
fn is_bare_price(tokens: &[PriceToken], numbers: &[NumberSpan]) -> bool {
    let is_unknown = |token: &&PriceToken| {
        token.word().is_some()
            && ![
                PriceWordSense::Label,
                PriceWordSense::Per,
                PriceWordSense::Unit,
                PriceWordSense::To,
                PriceWordSense::Neutral,
            ]
            .iter()
            .any(|sense| token.says(*sense))
    };
    let unknown = tokens.iter().filter(is_unknown).count();
    let has_decimals = |span: &NumberSpan| {
        let digits = span.text.rsplit(['.', ',', ':']).next().map_or(0, str::len);
        span.has_dash || (digits == 2 && span.text.len() > 2)
    };
    let all_have_decimals = numbers.len() <= 3 && numbers.iter().all(has_decimals);
    (unknown == 0 && numbers.len() == 1) || (unknown <= 2 && all_have_decimals)
}

/// The numbers with the symbol before or after them, without percentages, negative numbers and
/// parts of words.
fn number_spans(tokens: &[PriceToken]) -> Vec<NumberSpan> {
    let mut numbers: Vec<NumberSpan> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let free_from = numbers.last().map_or(0, |span| span.end);
        match number_at(tokens, at, free_from) {
            Some((span, is_amount)) => {
                at = span.end;
                if is_amount {
                    numbers.push(span);
                }
            }
            None => at += 1,
        }
    }
    numbers
}

/// The number at a token and whether it may be an amount. Tokens before `free_from` belong to
/// another number.
fn number_at(tokens: &[PriceToken], at: usize, free_from: usize) -> Option<(NumberSpan, bool)> {
    let PriceTokenKind::Number { text, ends_with_dash } = &tokens.get(at)?.kind else {
        return None;
    };
    let (mut text, mut start, mut end) = (text.clone(), at, at + 1);
    let money = |at: usize| tokens.get(at).and_then(PriceToken::money);
    let before = at.checked_sub(1).filter(|at| *at >= free_from).and_then(money);
    if let Some((decimals, after)) = split_decimals(tokens, at, before.is_some()) {
        text = format!("{text}.{decimals}");
        end = after;
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
    // The symbol between euros and cents: 12€99.
    let between = money(at + 1).filter(|_| end == at + 3);
    let after = between.or_else(|| money(end).filter(|_| !belongs_to_next(tokens, end)));
    symbol = match (symbol, after) {
        (Some(sign), Some(code)) if code.agrees_with(sign) && !sign.is_exact() => Some(code),
        (Some(word), Some(sign)) if word.is_word && !sign.is_word => Some(sign),
        (Some(sign), _) => Some(sign),
        (None, after) => after,
    };
    if after.is_some() && between.is_none() {
        end += 1;
    }
    let is_amount = !is_negative(tokens, start, at, free_from)
        && !tokens.get(end).is_some_and(|token| token.is_mark(&['%', '‰', '°', '"', '″']))
        && !is_in_word(tokens, at, end, symbol.is_some());
    let has_dash = *ends_with_dash;
    Some((NumberSpan { start, end, text, has_dash, symbol, high: None }, is_amount))
}

/// Decimals after the symbol, as in 12€99, or after a space, as in $12 99.
fn split_decimals(tokens: &[PriceToken], at: usize, has_sign: bool) -> Option<(&str, usize)> {
    let is_whole = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 6;
    tokens.get(at)?.number().filter(|text| is_whole(text))?;
    let decimals = |at: usize, spaced: bool| {
        let token = tokens.get(at).filter(|token| token.spaced == spaced)?;
        token.number().filter(|text| text.len() == 2 && is_whole(text))
    };
    if let Some(sign) = tokens.get(at + 1).and_then(PriceToken::money) {
        let is_tight = !tokens.get(at + 1)?.spaced;
        let found = decimals(at + 2, false).filter(|_| !has_sign && (sign.is_euro() || is_tight));
        let is_tail = tokens.get(at + 3).is_none_or(|next| next.money().is_none());
        return found.filter(|_| is_tail && !sign.is_word).map(|decimals| (decimals, at + 3));
    }
    let found = decimals(at + 1, true)?;
    let has_sign_behind = at == 0 && tokens.get(at + 2).is_some_and(|next| next.money().is_some());
    (has_sign || has_sign_behind).then_some((found, at + 2))
}

/// Whether the symbol at a token belongs to the next number and not to the last.
fn belongs_to_next(tokens: &[PriceToken], at: usize) -> bool {
    let next = tokens.get(at + 1);
    tokens.get(at).is_some_and(|sign| sign.spaced)
        && next.is_some_and(|next| next.number().is_some() && !next.spaced)
}

/// Whether a minus sign belongs to the number: it is next to the number and does not separate it
/// from a word before it.
fn is_negative(tokens: &[PriceToken], start: usize, number: usize, free_from: usize) -> bool {
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

/// Whether the number is part of a word: A4, 50mm, 2nd, and $1.2k, which is not exact.
fn is_in_word(tokens: &[PriceToken], at: usize, end: usize, has_sign: bool) -> bool {
    let word_before = at.checked_sub(1).and_then(|at| tokens.get(at)).and_then(PriceToken::word);
    let tight_before = tokens.get(at).is_some_and(|token| !token.spaced);
    let after = tokens.get(end).filter(|token| !token.spaced).and_then(PriceToken::word);
    let is_letters = |word: &str| word.chars().all(|c| c.is_alphabetic() && c < '\u{3000}');
    let is_factor = after.is_some_and(|word| NUMBER_FACTORS.contains(word));
    is_factor
        || (tight_before && word_before.is_some_and(|word| word != "x" && is_letters(word)))
        || (!has_sign && after.is_some_and(is_letters))
}

/// Joins the two ends of each range.
fn join_ranges(tokens: &[PriceToken], numbers: Vec<NumberSpan>) -> Vec<NumberSpan> {
    let mut joined: Vec<NumberSpan> = Vec::new();
    for span in numbers {
        match joined.last_mut().filter(|last| last.high.is_none() && is_range(tokens, last, &span))
        {
            Some(last) => {
                last.high = Some(span.text);
                last.symbol = last.symbol.or(span.symbol);
                last.end = span.end;
            }
            None => joined.push(span),
        }
    }
    joined
}

fn is_range(tokens: &[PriceToken], low: &NumberSpan, high: &NumberSpan) -> bool {
    let [between] = tokens.get(low.end..high.start).unwrap_or_default() else { return false };
    let same_money = match (low.symbol, high.symbol) {
        (Some(low), Some(high)) => low.agrees_with(high),
        (None, None) | (Some(_), None) | (None, Some(_)) => true,
    };
    let before = low.start.checked_sub(1).and_then(|at| tokens.get(at));
    let follows = |sense| before.is_some_and(|token| token.says(sense));
    let is_span = between.says(PriceWordSense::To)
        || (between.says(PriceWordSense::And) && follows(PriceWordSense::Between))
        || between.is_mark(DASHES)
        || between.is_mark(&['~', '…']);
    // A model number, a dash and a price are not a range.
    let opens = low.symbol.is_some()
        || before.and_then(PriceToken::word).is_none()
        || [PriceWordSense::Label, PriceWordSense::Between, PriceWordSense::Neutral]
            .iter()
            .any(|sense| follows(*sense));
    let is_ascending =
        match (amount(&low.text, lenient_format()), amount(&high.text, lenient_format())) {
            (Some(low), Some(high)) => low <= high,
            _ => false,
        };
    same_money && is_span && opens && is_ascending
}

/// The format with the fewest restrictions, to compare the ends of a range.
fn lenient_format() -> NumberFormat {
    NumberFormat { has_colon: true, ..NumberFormat::default() }
}

/// Whether the page uses kroner, whose decimal mark may be a colon.
fn is_nordic(hints: &PriceHints<'_>) -> bool {
    let language = hints.language.unwrap_or_default().split(['-', '_']).next().unwrap_or_default();
    let kroner = hints.currency.is_some_and(|c| matches!(c.as_str(), "SEK" | "NOK" | "DKK"));
    kroner || matches!(language, "sv" | "nb" | "nn" | "no" | "da")
}

/// The decimal mark of the page's language.
fn decimal_mark(hints: &PriceHints<'_>) -> Option<char> {
    let language = hints.language?.split(['-', '_']).next()?;
    Some(match language {
        "en" | "ja" | "zh" | "ko" | "th" | "he" | "hi" => '.',
        _ => ',',
    })
}
