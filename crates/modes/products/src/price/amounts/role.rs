//! What an amount is, told by the words and marks beside it.

use super::super::tokens::Token;
use super::super::wording::{FROM_PHRASES, Sense};

/// What an amount is said to be, in the order in which they are taken for the price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Role {
    Price,
    /// What it used to cost, or others ask.
    Old,
    /// The price of a measure.
    Measure,
    /// One of several payments.
    Instalment,
    Saving,
    /// What sending it costs, or from where on that is free.
    Sending,
}

/// How many words beside an amount are looked at.
const REACH: usize = 5;
/// Marks that say nothing.
const SILENT: &[char] = &['.', ',', ':', '*', '¹', '²', '†', '(', '[', '|', '•', '!'];

impl Role {
    /// The role of the amount `at` this place among the spans of all.
    pub fn of(all: &[Token], spans: &[(usize, usize)], at: usize) -> Self {
        let Some(&(start, end)) = spans.get(at) else { return Self::Price };
        let last_end = at.checked_sub(1).and_then(|at| spans.get(at)).map_or(0, |span| span.1);
        let next_start = spans.get(at + 1).map_or(all.len(), |span| span.0);
        let before = all.get(last_end..start).unwrap_or_default();
        let behind = all.get(end..next_start).unwrap_or_default();
        let near = || before.iter().rev().filter(|token| token.word().is_some()).take(REACH);
        let says = |sense| near().any(|token| token.says(sense));
        let next = first_word(behind);
        let adds = |sense| next.is_some_and(|word| word.says(sense));
        if is_part(before, behind) || says(Sense::Part) || adds(Sense::Part) {
            return Self::Instalment;
        }
        if is_of_measure(behind) || equals_measure(before) || says(Sense::MeasurePrice) {
            return Self::Measure;
        }
        if says(Sense::Saved) || adds(Sense::Saved) {
            return Self::Saving;
        }
        if says(Sense::Sending) || adds(Sense::Sending) {
            return Self::Sending;
        }
        let beyond = all.get(next_start.saturating_sub(1));
        // "De R$ 100 por R$ 80" tells the old price by what stands before the new one.
        let is_crossed = near().next().and_then(Token::word) == Some("de")
            && next_start < all.len()
            && beyond.and_then(Token::word) == Some("por");
        if says(Sense::Old) || is_crossed { Self::Old } else { Self::Price }
    }
}

/// The word right behind an amount, past marks that say nothing.
fn first_word(behind: &[Token]) -> Option<&Token> {
    behind.iter().find(|token| !token.is_mark(SILENT) && !token.is_mark(&['/', ')']))
}

/// `/ 100 g`, `pro Liter`, `the kg`: the price of a measure.
fn is_of_measure(behind: &[Token]) -> bool {
    let mut rest = behind.iter().skip_while(|token| token.is_mark(SILENT)).peekable();
    let slash = rest.next_if(|token| token.is_mark(&['/', '∕'])).is_some();
    let per = rest.next_if(|token| token.says(Sense::Per)).is_some();
    if !slash && !per {
        return false;
    }
    let _ = rest.next_if(|token| token.number().is_some());
    rest.next().is_some_and(|token| token.says(Sense::Measure))
}

/// `100 g = 1,29 €`.
fn equals_measure(before: &[Token]) -> bool {
    let mut back = before.iter().rev();
    back.next().is_some_and(|token| token.is_mark(&['=']))
        && back.next().is_some_and(|token| token.says(Sense::Measure))
}

/// `12 x`, `/ month`, `x 4`: one of several payments.
fn is_part(before: &[Token], behind: &[Token]) -> bool {
    let is_times = |token: &Token| {
        token.is_mark(&['×', '*']) || token.word().is_some_and(|word| word == "x" || word == "х")
    };
    let is_count = |token: &Token| token.number().is_some_and(|text| text.len() <= 2);
    let mut back = before.iter().rev().filter(|token| {
        !token.word().is_some_and(|word| {
            matches!(word, "de" | "of" | "zu" | "von" | "à" | "da" | "av" | "je" | "a" | "po")
        })
    });
    if back.next().is_some_and(is_times) && back.next().is_some_and(is_count) {
        return true;
    }
    let mut rest = behind.iter().skip_while(|token| token.is_mark(SILENT)).peekable();
    if rest.peek().is_some_and(|token| is_times(token) && !token.is_mark(&['*'])) {
        let mut next = behind.iter().skip_while(|token| !is_times(token)).skip(1);
        let counts = next.next().is_some_and(is_count);
        return counts && !next.next().is_some_and(|token| token.says(Sense::Measure));
    }
    let _ = rest.next_if(|token| token.is_mark(&['/', '∕']));
    let _ = rest.next_if(|token| token.says(Sense::Per));
    rest.next().is_some_and(|token| token.says(Sense::Span))
}

/// Whether the text says that the amount between these places is the lowest of several.
pub(super) fn says_from(all: &[Token], start: usize, end: usize) -> bool {
    let before = all.get(..start).unwrap_or_default();
    let back = || before.iter().rev().filter(|token| !token.is_mark(SILENT));
    let words = || back().map_while(Token::word);
    let is_phrase = |phrase: &[&str]| words().take(phrase.len()).eq(phrase.iter().rev().copied());
    if back().next().is_some_and(|token| token.says(Sense::From))
        || FROM_PHRASES.iter().any(|phrase| is_phrase(phrase))
    {
        return true;
    }
    let says = |at: usize| all.get(at).is_some_and(|token| token.says(Sense::FromBehind));
    let Some(next) = all.get(end) else { return false };
    // An ending may be tied to the currency: Ft-tól, TL'den.
    says(end)
        || (next.is_mark(&['-', '\'']) && says(end + 1))
        || (next.is_mark(&['~', '+']) && all.get(end + 1).is_none())
}

#[cfg(test)]
mod tests {
    use super::super::super::tokens::tokens;
    use super::*;

    #[test]
    fn an_amount_is_what_stands_beside_it() {
        let role = |before: &str, behind: &str| {
            let mut all = tokens(before);
            let start = all.len();
            all.extend(tokens("5 €"));
            let end = all.len();
            all.extend(tokens(behind));
            Role::of(&all, &[(start, end)], 0)
        };
        assert_eq!(role("Preis:", "inkl. MwSt."), Role::Price);
        assert_eq!(role("", "/ 100 g"), Role::Measure);
        assert_eq!(role("(1 l =", ")"), Role::Measure);
        assert_eq!(role("12 x", ""), Role::Instalment);
        assert_eq!(role("", "pro Monat"), Role::Instalment);
        assert_eq!(role("Sie sparen", ""), Role::Saving);
        assert_eq!(role("zzgl.", "Versand"), Role::Sending);
        assert_eq!(role("statt", ""), Role::Old);
    }
}
