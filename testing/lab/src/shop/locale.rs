//! Where a shop sells: its language, its currency, and how people there spell a price.

use super::words::{self, Words};
use crate::draw::Draw;

/// Hundredths of the currency's unit.
pub(super) type Cents = i64;

/// One market.
#[derive(Debug)]
pub(super) struct Locale {
    /// As `lang` and `hreflang` say it.
    pub(super) tag: &'static str,
    pub(super) country: &'static str,
    pub(super) currency: &'static str,
    pub(super) words: &'static Words,
    spelling: Spelling,
}

#[derive(Debug, Clone, Copy)]
enum Spelling {
    German,
    Austrian,
    Swiss,
    French,
    Japanese,
    Indian,
    American,
    British,
    Polish,
    Brazilian,
    Swedish,
}

macro_rules! locales {
    ($(
        $name:ident: $tag:literal $country:literal $currency:literal $words:ident $spelling:ident;
    )*) => {
        $(pub(super) static $name: Locale = Locale {
            tag: $tag,
            country: $country,
            currency: $currency,
            words: &words::$words,
            spelling: Spelling::$spelling,
        };)*
    };
}

locales! {
    DE: "de-DE" "DE" "EUR" GERMAN German;
    AT: "de-AT" "AT" "EUR" GERMAN Austrian;
    CH: "de-CH" "CH" "CHF" GERMAN Swiss;
    FR: "fr-FR" "FR" "EUR" FRENCH French;
    JP: "ja-JP" "JP" "JPY" JAPANESE Japanese;
    IN: "en-IN" "IN" "INR" ENGLISH Indian;
    US: "en-US" "US" "USD" ENGLISH American;
    GB: "en-GB" "GB" "GBP" ENGLISH British;
    PL: "pl-PL" "PL" "PLN" POLISH Polish;
    BR: "pt-BR" "BR" "BRL" PORTUGUESE Brazilian;
    SE: "sv-SE" "SE" "SEK" SWEDISH Swedish;
}

impl Locale {
    /// The language without its region.
    pub(super) fn language(&self) -> &'static str {
        self.tag.split('-').next().unwrap_or_default()
    }

    /// The price as a number with a point; whole where the currency has no smaller coin.
    pub(super) fn decimal(&self, cents: Cents) -> String {
        match self.spelling {
            Spelling::Japanese => (cents / 100).to_string(),
            _ => decimal(cents),
        }
    }

    /// The price as it is spelled there. A shop keeps to one `habit`.
    pub(super) fn money(&self, cents: Cents, habit: usize) -> String {
        let sign = if cents < 0 { "-" } else { "" };
        let (whole, rest) = (cents.abs() / 100, cents.abs() % 100);
        let text = match self.spelling {
            Spelling::German => match habit % 2 {
                0 => format!("{},{rest:02}\u{a0}€", grouped(whole, ".")),
                _ => format!("{},{rest:02} EUR", grouped(whole, ".")),
            },
            Spelling::Austrian => format!("€ {},{rest:02}", grouped(whole, ".")),
            Spelling::Swiss => match (habit % 2, rest) {
                (0, 0) => format!("CHF {}.-", grouped(whole, "'")),
                (0, _) => format!("CHF {}.{rest:02}", grouped(whole, "'")),
                (_, 0) => format!("Fr. {}.–", grouped(whole, "’")),
                (_, _) => format!("Fr. {}.{rest:02}", grouped(whole, "’")),
            },
            Spelling::French => match habit % 2 {
                0 => format!("{},{rest:02}\u{a0}€", grouped(whole, "\u{202f}")),
                _ => format!("{},{rest:02} €", grouped(whole, "\u{a0}")),
            },
            Spelling::Japanese => match habit % 2 {
                0 => format!("¥{}", grouped(whole, ",")),
                _ => format!("{}円", grouped(whole, ",")),
            },
            Spelling::Indian => match habit % 2 {
                0 => format!("Rs. {}.{rest:02}", lakhs(whole)),
                _ => format!("₹{}.{rest:02}", lakhs(whole)),
            },
            Spelling::American => format!("${}.{rest:02}", grouped(whole, ",")),
            Spelling::British => format!("£{}.{rest:02}", grouped(whole, ",")),
            Spelling::Polish => format!("{},{rest:02} zł", grouped(whole, "\u{a0}")),
            Spelling::Brazilian => format!("R$\u{a0}{},{rest:02}", grouped(whole, ".")),
            Spelling::Swedish => match (habit % 2, rest) {
                (0, 0) => format!("{} kr", grouped(whole, "\u{a0}")),
                (0, _) => format!("{},{rest:02} kr", grouped(whole, "\u{a0}")),
                (_, 0) => format!("{}:-", grouped(whole, " ")),
                (_, _) => format!("{}:{rest:02}", grouped(whole, " ")),
            },
        };
        format!("{sign}{text}")
    }

    /// The sign or letters that stand for the currency in [`Self::money`].
    pub(super) fn symbol(&self) -> &'static str {
        match self.spelling {
            Spelling::German | Spelling::Austrian | Spelling::French => "€",
            Spelling::Swiss => "CHF",
            Spelling::Japanese => "¥",
            Spelling::Indian => "₹",
            Spelling::American => "$",
            Spelling::British => "£",
            Spelling::Polish => "zł",
            Spelling::Brazilian => "R$",
            Spelling::Swedish => "kr",
        }
    }

    /// A town with its code.
    pub(super) fn city(&self) -> &'static str {
        match self.country {
            "DE" => "10115 Berlin",
            "AT" => "A-1070 Wien",
            "CH" => "3011 Bern",
            "FR" => "69002 Lyon",
            "JP" => "東京都千代田区",
            "IN" => "Bengaluru 560001",
            "GB" => "Leeds LS1 4AP",
            "PL" => "00-950 Warszawa",
            "BR" => "São Paulo - SP, 01310-100",
            "SE" => "111 22 Stockholm",
            _ => "Portland, OR 97204",
        }
    }

    /// A telephone number, spelled in one of the ways people spell them.
    pub(super) fn phone(&self, draw: &mut Draw) -> String {
        let (a, b, c) = (draw.digits(3), draw.digits(4), draw.digits(2));
        let way = draw.below(3);
        match (self.country, way) {
            ("DE", 0) => format!("030 / {a} {b}"),
            ("DE", 1) => format!("+49 (0)40 {a}{b}"),
            ("DE", _) => format!("0171-{a}{b}"),
            ("AT", _) => format!("+43 1 {a} {b}"),
            ("CH", 0) => format!("044 {a} {c} {c}"),
            ("CH", _) => format!("+41 31 {a} {c} {c}"),
            ("FR", 0) => format!("01 {c} {c} {c} 27"),
            ("FR", _) => format!("+33 6 {c} 47 {c} {c}"),
            ("JP", _) => format!("03-{b}-5{a}"),
            ("IN", 0) => format!("+91 98{a} {a}{c}"),
            ("IN", _) => format!("080-2{a} {b}"),
            ("GB", 0) => format!("020 7{a} {b}"),
            ("GB", _) => format!("+44 (0)161 {a} {b}"),
            ("PL", _) => format!("+48 5{c} {a} {a}"),
            ("BR", 0) => format!("(11) 9{b}-{b}"),
            ("BR", _) => format!("+55 21 9{b} {b}"),
            ("SE", _) => format!("08-{a} {c} {c}"),
            (_, 0) => format!("({a}) 555-{b}"),
            (_, 1) => format!("1-800-{a}-{b}"),
            (_, _) => format!("{a}.555.{b}"),
        }
    }
}

/// Cents with a point.
pub(super) fn decimal(cents: Cents) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

fn grouped(whole: i64, mark: &str) -> String {
    let digits = whole.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push_str(mark);
        }
        text.push(digit);
    }
    text
}

/// The last three digits, and pairs before them.
fn lakhs(whole: i64) -> String {
    let digits = whole.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        let left = digits.len() - at;
        if at > 0 && left >= 3 && (left - 3).is_multiple_of(2) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_market_spells_its_prices() {
        let plain = |text: String| text.replace(['\u{a0}', '\u{202f}'], " ");
        for (locale, habit, cents, spelled) in [
            (&DE, 0, 123_456, "1.234,56 €"),
            (&AT, 0, 123_456, "€ 1.234,56"),
            (&CH, 0, 123_400, "CHF 1'234.-"),
            (&FR, 0, 123_456, "1 234,56 €"),
            (&JP, 0, 123_400, "¥1,234"),
            (&IN, 0, 12_345_600, "Rs. 1,23,456.00"),
            (&IN, 0, 99_900, "Rs. 999.00"),
            (&US, 0, 123_456, "$1,234.56"),
            (&GB, 0, 99, "£0.99"),
            (&PL, 0, 123_456, "1 234,56 zł"),
            (&BR, 0, 123_456, "R$ 1.234,56"),
            (&SE, 1, 123_400, "1 234:-"),
            (&US, 0, -500, "-$5.00"),
        ] {
            assert_eq!(plain(locale.money(cents, habit)), spelled);
        }
        assert_eq!((DE.decimal(1205), JP.decimal(1200)), ("12.05".to_owned(), "12".to_owned()));
    }
}
