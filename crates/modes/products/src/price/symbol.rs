//! Signs and words that stand for money, and which currencies each may mean.

use super::{Currency, PriceHints};

/// What a sign may mean: the codes of currencies, and the first of them when the page does
/// not tell, unless the list begins with a question mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    meanings: &'static str,
    /// It is a word, which may mean something else beside a number.
    pub is_word: bool,
}

/// Signs that are no letters.
const SIGNS: &[(char, &str)] = &[
    ('€', "EUR"),
    (
        '$',
        "? USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BRL DOP BBD BMD BND BSD BZD FJD GYD \
           JMD KYD LRD NAD SBD SRD TTD XCD NIO CUP CVE MOP ZWG",
    ),
    ('£', "GBP EGP LBP SYP FKP GIP SHP SSP SDG"),
    ('¥', "? JPY CNY"),
    ('₹', "INR"),
    ('₨', "? INR PKR LKR NPR MUR SCR"),
    ('₩', "KRW"),
    ('₪', "ILS"),
    ('₫', "VND"),
    ('₺', "TRY"),
    ('₴', "UAH"),
    ('₽', "RUB"),
    ('₸', "KZT"),
    ('₦', "NGN"),
    ('₵', "GHS"),
    ('₡', "CRC"),
    ('₲', "PYG"),
    ('₼', "AZN"),
    ('₾', "GEL"),
    ('֏', "AMD"),
    ('৳', "BDT"),
    ('฿', "THB"),
    ('៛', "KHR"),
    ('₭', "LAK"),
    ('₮', "MNT"),
    ('₱', "PHP"),
    ('﷼', "? IRR SAR QAR OMR YER"),
    ('؋', "AFN"),
    ('円', "JPY"),
    ('圓', "? JPY TWD HKD"),
    ('元', "? CNY TWD HKD"),
    ('원', "KRW"),
];

/// Words in any case; a dot may follow.
const WORDS: &[(&str, &str)] = &[
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("ευρώ", "EUR"),
    ("евро", "EUR"),
    ("kr", "? SEK NOK DKK ISK"),
    ("kronor", "SEK"),
    ("kroner", "? NOK DKK"),
    ("krónur", "ISK"),
    ("zł", "PLN"),
    ("zl", "PLN"),
    ("złotych", "PLN"),
    ("kč", "CZK"),
    ("forint", "HUF"),
    ("lei", "? RON MDL"),
    ("leu", "? RON MDL"),
    ("дин", "RSD"),
    ("лв", "BGN"),
    ("ден", "MKD"),
    ("грн", "UAH"),
    ("руб", "? RUB BYN"),
    ("р", "? RUB BYN"),
    ("тг", "KZT"),
    ("сум", "UZS"),
    ("đ", "VND"),
    ("vnđ", "VND"),
    ("บาท", "THB"),
    ("sfr", "CHF"),
    ("franken", "CHF"),
    ("fcfa", "? XOF XAF"),
    ("cfa", "? XOF XAF"),
    ("reais", "BRL"),
    ("yen", "JPY"),
    ("yuan", "CNY"),
    ("rmb", "CNY"),
    ("dollar", "? USD CAD AUD NZD"),
    ("dollars", "? USD CAD AUD NZD"),
    ("ksh", "KES"),
    ("tsh", "TZS"),
    ("ush", "UGX"),
    ("ريال", "? SAR QAR OMR YER IRR"),
    ("درهم", "? AED MAD"),
    ("جنيه", "? EGP SDG"),
    ("دينار", "? KWD BHD JOD IQD LYD TND DZD"),
    ("تومان", "?"),
    ("ر.س", "SAR"),
    ("د.إ", "AED"),
    ("د.ك", "KWD"),
    ("ج.م", "EGP"),
    ("د.ب", "BHD"),
    ("ر.ق", "QAR"),
    ("ر.ع", "OMR"),
    ("د.م", "MAD"),
    ("שח", "ILS"),
];

const RUPEES: &str = "? INR PKR LKR NPR MUR SCR";

/// Words in these letters only: in others they are something else.
const LETTERS: &[(&str, &str)] = &[
    ("R", "ZAR"),
    ("TL", "TRY"),
    ("KM", "BAM"),
    ("SR", "SAR"),
    ("QR", "QAR"),
    ("BD", "BHD"),
    ("KD", "KWD"),
    ("DT", "TND"),
    ("Bs", "? BOB VES"),
    ("Br", "? BYN ETB"),
    ("Fr", "CHF"),
    ("Php", "PHP"),
    ("Ft", "HUF"),
    ("din", "RSD"),
    ("Rs", RUPEES),
    ("RS", RUPEES),
    ("rs", RUPEES),
    ("Rp", "IDR"),
    ("RM", "MYR"),
    ("Tk", "BDT"),
    ("Dhs", "? AED MAD"),
    ("DHS", "? AED MAD"),
    ("Dh", "? MAD AED"),
    ("DH", "? MAD AED"),
    ("NIS", "ILS"),
    ("Gs", "PYG"),
];

/// What stands before a dollar sign.
const DOLLARS: &[(&str, &str)] = &[
    ("US", "USD"),
    ("U", "USD"),
    ("CA", "CAD"),
    ("C", "CAD"),
    ("CAD", "CAD"),
    ("CDN", "CAD"),
    ("A", "AUD"),
    ("AU", "AUD"),
    ("AUD", "AUD"),
    ("NZ", "NZD"),
    ("S", "SGD"),
    ("SG", "SGD"),
    ("HK", "HKD"),
    ("NT", "TWD"),
    ("R", "BRL"),
    ("MX", "MXN"),
    ("AR", "ARS"),
    ("CL", "CLP"),
    ("CLP", "CLP"),
    ("CO", "COP"),
    ("COL", "COP"),
    ("RD", "DOP"),
    ("J", "JMD"),
    ("TT", "TTD"),
    ("BZ", "BZD"),
    ("B", "? BSD BND BBD BMD"),
    ("EC", "XCD"),
    ("FJ", "FJD"),
    ("N", "NAD"),
    ("USD", "USD"),
    ("UYU", "UYU"),
    ("MOP", "MOP"),
    ("Bds", "BBD"),
    ("GY", "GYD"),
];

/// Codes that people also write in small letters, and that are no words then.
const SMALL: &[&str] = &[
    "eur", "usd", "gbp", "chf", "pln", "sek", "nok", "dkk", "czk", "huf", "cad", "aud", "inr",
    "jpy", "brl", "zar", "nzd", "sgd", "hkd", "mxn", "uah", "rub", "bgn", "ils", "thb", "myr",
];

impl Symbol {
    /// The sign that a character is.
    pub fn of_sign(sign: char) -> Option<Self> {
        let sign = if sign == '￥' { '¥' } else { sign };
        SIGNS
            .iter()
            .find(|(known, _)| *known == sign)
            .map(|(_, meanings)| Self { meanings, is_word: false })
    }

    /// The sign that a word is: a code, or a name people use.
    pub fn of_word(word: &str) -> Option<Self> {
        let find = |list: &[(&'static str, &'static str)], word: &str| {
            let found = list.iter().find(|(known, _)| *known == word);
            found.map(|(_, meanings)| Self { meanings, is_word: true })
        };
        if let Some(found) = find(LETTERS, word) {
            return Some(found);
        }
        let small = word.to_lowercase();
        let is_code =
            word.bytes().all(|b| b.is_ascii_uppercase()) || SMALL.contains(&small.as_str());
        let code = || {
            Currency::from_code(word).map(|code| Self { meanings: code.as_str(), is_word: true })
        };
        find(WORDS, &small)
            .or_else(|| if is_code || is_title(word, &small) { code() } else { None })
    }

    /// The sign that letters and a dollar sign behind them are.
    pub fn of_dollar(letters: &str) -> Option<Self> {
        let found = DOLLARS.iter().find(|(known, _)| known.eq_ignore_ascii_case(letters));
        found.map(|(_, meanings)| Self { meanings, is_word: false })
    }

    /// Whether it means one currency, whatever the page.
    pub fn is_exact(self) -> bool {
        self.meanings.len() == 3
    }

    /// Whether amounts with it may have a colon before the smaller coin.
    pub fn is_krone(self) -> bool {
        self.can_mean("SEK") || self.can_mean("DKK")
    }

    /// Whether people write it between the euros and the cents.
    pub fn is_euro(self) -> bool {
        self.meanings == "EUR"
    }

    /// Whether another sign may stand for the same.
    pub fn agrees_with(self, other: Self) -> bool {
        self.meanings.split_ascii_whitespace().any(|code| code != "?" && other.can_mean(code))
    }

    fn can_mean(self, code: &str) -> bool {
        self.meanings.split_ascii_whitespace().any(|meaning| meaning == code)
    }

    /// The currency that it means on a page: the one that the page names, or that of its
    /// country, or that of its language, if it may mean that.
    pub fn currency(self, hints: &PriceHints<'_>) -> Option<Currency> {
        let fits = |currency: &Currency| self.can_mean(currency.as_str());
        let country = || match hints.country.and_then(Currency::of_country) {
            Some(currency) => Some(currency),
            None => hints.language.and_then(Currency::of_language),
        };
        let hinted = hints.currency.filter(fits).or_else(|| country().filter(fits));
        hinted.or_else(|| Currency::from_code(self.meanings.split_ascii_whitespace().next()?))
    }
}

/// `Eur`, as some write it.
fn is_title(word: &str, small: &str) -> bool {
    SMALL.contains(&small) && word.chars().next().is_some_and(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meaning_is_a_currency() {
        let lists = [WORDS, LETTERS, DOLLARS];
        let meanings = lists.into_iter().flatten().map(|(_, meanings)| *meanings);
        for list in meanings.chain(SIGNS.iter().map(|(_, meanings)| *meanings)) {
            for code in list.trim_start_matches('?').split_ascii_whitespace() {
                assert!(Currency::from_code(code).is_some(), "{code}");
            }
        }
        assert!(SMALL.iter().all(|code| Currency::from_code(code).is_some()));
    }
}
