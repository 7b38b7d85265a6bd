//! Signs and words for currencies, and which currencies each may mean. The table is
//! `data/currency_symbols.tsv`.

use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};

use super::{Currency, PriceHints};
use crate::vocabulary;

/// A sign or word for money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CurrencySymbol {
    /// The codes of the currencies that it may mean. The first is the default, unless the list
    /// begins with a question mark.
    codes: &'static str,
    /// Whether it is a word, which may have another meaning beside a number.
    pub is_word: bool,
}

#[derive(Default)]
struct SymbolTable {
    signs: HashMap<char, CurrencySymbol>,
    /// Names of currencies in lower case.
    words: HashMap<&'static str, CurrencySymbol>,
    /// Only in this letter case.
    exact_words: HashMap<&'static str, CurrencySymbol>,
    /// Letters before a dollar sign, in upper case.
    dollar_prefixes: HashMap<String, CurrencySymbol>,
    /// Codes that are also written in lower case and are no words then.
    lower_case_codes: HashSet<&'static str>,
}

static TABLE: LazyLock<SymbolTable> = LazyLock::new(|| {
    let mut table = SymbolTable::default();
    for (kind, entry) in vocabulary::keyed(term_file!("currency_symbols.tsv")) {
        let Some((name, codes)) = entry.split_once('\t') else { continue };
        let (sign, word) =
            (CurrencySymbol { codes, is_word: false }, CurrencySymbol { codes, is_word: true });
        match kind {
            "sign" => table.signs.extend(name.chars().map(|letter| (letter, sign))),
            "word" => table.words.extend([(name, word)]),
            "exact_word" => table.exact_words.extend([(name, word)]),
            "dollar_prefix" => table.dollar_prefixes.extend([(name.to_ascii_uppercase(), sign)]),
            _ => table.lower_case_codes.extend([name]),
        }
    }
    table
});

impl CurrencySymbol {
    pub fn of_sign(sign: char) -> Option<Self> {
        let sign = if sign == '￥' { '¥' } else { sign };
        TABLE.signs.get(&sign).copied()
    }

    /// The symbol of a word: a currency code, or a usual name of a currency.
    pub fn of_word(word: &str) -> Option<Self> {
        if let Some(found) = TABLE.exact_words.get(word) {
            return Some(*found);
        }
        let lower = word.to_lowercase();
        if let Some(found) = TABLE.words.get(lower.as_str()) {
            return Some(*found);
        }
        let is_code = word.bytes().all(|b| b.is_ascii_uppercase())
            || TABLE.lower_case_codes.contains(lower.as_str());
        let code = Currency::from_code(word).filter(|_| is_code)?;
        Some(Self { codes: code.as_str(), is_word: true })
    }

    /// The symbol of a dollar sign with these letters before it.
    pub fn of_dollar(letters: &str) -> Option<Self> {
        TABLE.dollar_prefixes.get(letters.to_ascii_uppercase().as_str()).copied()
    }

    /// Whether it means one currency on every page.
    pub fn is_exact(self) -> bool {
        self.codes.len() == 3
    }

    /// Whether amounts with it may have a colon as the decimal mark.
    pub fn is_krone(self) -> bool {
        self.can_mean("SEK") || self.can_mean("DKK")
    }

    /// Whether it may be written between euros and cents, as in 12€99.
    pub fn is_euro(self) -> bool {
        self.codes == "EUR"
    }

    /// Whether both symbols may mean the same currency.
    pub fn agrees_with(self, other: Self) -> bool {
        self.codes.split_ascii_whitespace().any(|code| code != "?" && other.can_mean(code))
    }

    fn can_mean(self, code: &str) -> bool {
        self.codes.split_ascii_whitespace().any(|known| known == code)
    }

    /// The currency that it means on a page: the one that the page names, else that of its country
    /// or language, if the symbol may mean it.
    pub fn currency(self, hints: &PriceHints<'_>) -> Option<Currency> {
        let fits = |currency: &Currency| self.can_mean(currency.as_str());
        let country = || match hints.country.and_then(Currency::of_country) {
            Some(currency) => Some(currency),
            None => hints.language.and_then(Currency::of_language),
        };
        let hinted = hints.currency.filter(fits).or_else(|| country().filter(fits));
        hinted.or_else(|| Currency::from_code(self.codes.split_ascii_whitespace().next()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_means_known_currencies() {
        for (kind, entry) in vocabulary::keyed(term_file!("currency_symbols.tsv")) {
            let kinds = ["sign", "word", "exact_word", "dollar_prefix", "lower_case_code"];
            assert!(kinds.contains(&kind), "{kind}");
            let (_, codes) = entry.split_once('\t').expect("three columns");
            for code in codes.trim_start_matches('?').split_ascii_whitespace() {
                assert!(Currency::from_code(code).is_some(), "{code}");
            }
        }
    }
}
