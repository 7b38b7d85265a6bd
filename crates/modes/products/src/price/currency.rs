//! Currencies: the ISO 4217 codes that goods are sold in, their decimals, and where each is used.
//! The table is `data/currencies.tsv`.

use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};

use crate::vocabulary;

/// A currency of the table, by its ISO 4217 code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Currency {
    code: &'static str,
}

struct CurrencyTable {
    /// The number of decimals by code.
    decimals: HashMap<&'static str, usize>,
    /// The currency by ISO 3166 country code.
    by_country: HashMap<&'static str, Currency>,
    /// The currency by language subtag.
    by_language: HashMap<&'static str, Currency>,
    /// Country domains that shops of every country use.
    worldwide_domains: HashSet<&'static str>,
}

static TABLE: LazyLock<CurrencyTable> = LazyLock::new(|| {
    let worldwide = term_file!("worldwide_country_domains.txt");
    let mut table = CurrencyTable {
        decimals: HashMap::new(),
        by_country: HashMap::new(),
        by_language: HashMap::new(),
        worldwide_domains: vocabulary::entries(worldwide).collect(),
    };
    let rows = vocabulary::rows(term_file!("currencies.tsv"));
    for [code, decimals, countries, languages] in rows {
        let currency = Currency { code };
        table.decimals.insert(code, decimals.parse().unwrap_or(2));
        let used_by = |list: &'static str| {
            list.split(' ').filter(|name| *name != "-").map(move |name| (name, currency))
        };
        table.by_country.extend(used_by(countries));
        table.by_language.extend(used_by(languages));
    }
    table
});

impl Currency {
    /// The currency of a code in any letter case.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.trim();
        if code.len() != 3 {
            return None;
        }
        let (code, _) = TABLE.decimals.get_key_value(code.to_ascii_uppercase().as_str())?;
        Some(Self { code })
    }

    pub fn as_str(self) -> &'static str {
        self.code
    }

    /// How many decimals its amounts have.
    pub fn decimals(self) -> usize {
        TABLE.decimals.get(self.code).copied().unwrap_or(2)
    }

    /// The currency of a country, given as an ISO 3166 code in upper case or as a domain in lower
    /// case.
    pub fn of_country(country: &str) -> Option<Self> {
        let name = country.rsplit('.').next().unwrap_or_default();
        if TABLE.worldwide_domains.contains(name) {
            return None;
        }
        TABLE.by_country.get(name.to_ascii_uppercase().as_str()).copied()
    }

    /// The currency of a language tag: that of its region, or of the one country where the
    /// language is spoken.
    pub fn of_language(tag: &str) -> Option<Self> {
        if let Some(region) = region(tag) {
            return Self::of_country(&region.to_ascii_uppercase());
        }
        let language = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        TABLE.by_language.get(language.as_str()).copied()
    }
}

/// The region subtag of a language tag.
fn region(tag: &str) -> Option<&str> {
    let is_region = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
    tag.split(['-', '_']).skip(1).find(is_region)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_codes_are_no_currencies() {
        for code in ["EUR", "usd", " Chf ", "XOF", "KWD"] {
            assert!(Currency::from_code(code).is_some(), "{code}");
        }
        for code in ["", "EURO", "XXX", "ZZZ", "DEM", "XAU", "E", "US", "EUR USD"] {
            assert_eq!(Currency::from_code(code), None, "{code}");
        }
        let decimals = |code| Currency::from_code(code).map(Currency::decimals);
        assert_eq!(
            [decimals("JPY"), decimals("EUR"), decimals("KWD")],
            [Some(0), Some(2), Some(3)]
        );
    }

    #[test]
    fn every_line_of_the_table_has_four_columns() {
        for line in vocabulary::entries(term_file!("currencies.tsv")) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [code, decimals, _, _] = columns[..] else { panic!("{line}") };
            assert!(code.len() == 3 && matches!(decimals, "0" | "2" | "3"), "{line}");
        }
    }

    #[test]
    fn countries_and_languages_imply_a_currency() {
        let of = |name| Currency::of_country(name).map(Currency::as_str);
        assert_eq!(
            [of("DE"), of("de"), of("co.uk"), of("com.au")],
            [Some("EUR"), Some("EUR"), Some("GBP"), Some("AUD")]
        );
        assert_eq!([of("com"), of(""), of("shop"), of("co")], [None, None, None, None]);
        let of_tag = |tag| Currency::of_language(tag).map(Currency::as_str);
        assert_eq!(
            [of_tag("en-CA"), of_tag("sv"), of_tag("zh-Hant-TW")],
            [Some("CAD"), Some("SEK"), Some("TWD")]
        );
        assert_eq!([of_tag("en"), of_tag("es"), of_tag("es-419")], [None, None, None]);
    }
}
