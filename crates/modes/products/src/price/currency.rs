//! Currencies: the codes of ISO 4217 that goods are sold in, and where each is spent.

/// A code of ISO 4217.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Currency {
    code: &'static str,
}

/// The codes in use, in order. The lev is one of them: shops show it beside the euro.
/// Metals, funds and units of account are left out: nobody is paid in them.
const CODES: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB \
    BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB \
    EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD \
    JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP \
    MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON \
    RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP \
    TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

/// Those without a smaller coin, and those with a thousand of it.
const WHOLE: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const THOUSANDTHS: &str = "BHD IQD JOD KWD LYD OMR TND";

/// Where each is spent, by the codes of ISO 3166.
const COUNTRIES: &[(&str, &str)] = &[
    (
        "EUR",
        "AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM \
             PT RE SI SK SM TF VA XK YT EU",
    ),
    ("USD", "US AS BQ EC FM GU IO MH MP PR PW SV TC TL UM VG VI"),
    ("XOF", "BF BJ CI GW ML NE SN TG"),
    ("XAF", "CF CG CM GA GQ TD"),
    ("XCD", "AG AI DM GD KN LC MS VC"),
    ("AUD", "AU CC CX HM KI NF NR TV"),
    ("GBP", "GB UK GG IM JE GS"),
    ("NZD", "NZ CK NU PN TK"),
    ("NOK", "NO BV SJ"),
    ("DKK", "DK FO GL"),
    ("CHF", "CH LI"),
    ("XPF", "NC PF WF"),
    ("MAD", "MA EH"),
    ("ILS", "IL PS"),
    ("XCG", "CW SX"),
    ("AED", "AE"),
    ("AFN", "AF"),
    ("ALL", "AL"),
    ("AMD", "AM"),
    ("AOA", "AO"),
    ("ARS", "AR"),
    ("AWG", "AW"),
    ("AZN", "AZ"),
    ("BAM", "BA"),
    ("BBD", "BB"),
    ("BDT", "BD"),
    ("BHD", "BH"),
    ("BIF", "BI"),
    ("BMD", "BM"),
    ("BND", "BN"),
    ("BOB", "BO"),
    ("BRL", "BR"),
    ("BSD", "BS"),
    ("BTN", "BT"),
    ("BWP", "BW"),
    ("BYN", "BY"),
    ("BZD", "BZ"),
    ("CAD", "CA"),
    ("CDF", "CD"),
    ("CLP", "CL"),
    ("CNY", "CN"),
    ("COP", "CO"),
    ("CRC", "CR"),
    ("CUP", "CU"),
    ("CVE", "CV"),
    ("CZK", "CZ"),
    ("DJF", "DJ"),
    ("DOP", "DO"),
    ("DZD", "DZ"),
    ("EGP", "EG"),
    ("ERN", "ER"),
    ("ETB", "ET"),
    ("FJD", "FJ"),
    ("FKP", "FK"),
    ("GEL", "GE"),
    ("GHS", "GH"),
    ("GIP", "GI"),
    ("GMD", "GM"),
    ("GNF", "GN"),
    ("GTQ", "GT"),
    ("GYD", "GY"),
    ("HKD", "HK"),
    ("HNL", "HN"),
    ("HTG", "HT"),
    ("HUF", "HU"),
    ("IDR", "ID"),
    ("INR", "IN"),
    ("IQD", "IQ"),
    ("IRR", "IR"),
    ("ISK", "IS"),
    ("JMD", "JM"),
    ("JOD", "JO"),
    ("JPY", "JP"),
    ("KES", "KE"),
    ("KGS", "KG"),
    ("KHR", "KH"),
    ("KMF", "KM"),
    ("KPW", "KP"),
    ("KRW", "KR"),
    ("KWD", "KW"),
    ("KYD", "KY"),
    ("KZT", "KZ"),
    ("LAK", "LA"),
    ("LBP", "LB"),
    ("LKR", "LK"),
    ("LRD", "LR"),
    ("LSL", "LS"),
    ("LYD", "LY"),
    ("MDL", "MD"),
    ("MGA", "MG"),
    ("MKD", "MK"),
    ("MMK", "MM"),
    ("MNT", "MN"),
    ("MOP", "MO"),
    ("MRU", "MR"),
    ("MUR", "MU"),
    ("MVR", "MV"),
    ("MWK", "MW"),
    ("MXN", "MX"),
    ("MYR", "MY"),
    ("MZN", "MZ"),
    ("NAD", "NA"),
    ("NGN", "NG"),
    ("NIO", "NI"),
    ("NPR", "NP"),
    ("OMR", "OM"),
    ("PAB", "PA"),
    ("PEN", "PE"),
    ("PGK", "PG"),
    ("PHP", "PH"),
    ("PKR", "PK"),
    ("PLN", "PL"),
    ("PYG", "PY"),
    ("QAR", "QA"),
    ("RON", "RO"),
    ("RSD", "RS"),
    ("RUB", "RU"),
    ("RWF", "RW"),
    ("SAR", "SA"),
    ("SBD", "SB"),
    ("SCR", "SC"),
    ("SDG", "SD"),
    ("SEK", "SE"),
    ("SGD", "SG"),
    ("SHP", "SH"),
    ("SLE", "SL"),
    ("SOS", "SO"),
    ("SRD", "SR"),
    ("SSP", "SS"),
    ("STN", "ST"),
    ("SYP", "SY"),
    ("SZL", "SZ"),
    ("THB", "TH"),
    ("TJS", "TJ"),
    ("TMT", "TM"),
    ("TND", "TN"),
    ("TOP", "TO"),
    ("TRY", "TR"),
    ("TTD", "TT"),
    ("TWD", "TW"),
    ("TZS", "TZ"),
    ("UAH", "UA"),
    ("UGX", "UG"),
    ("UYU", "UY"),
    ("UZS", "UZ"),
    ("VES", "VE"),
    ("VND", "VN"),
    ("VUV", "VU"),
    ("WST", "WS"),
    ("YER", "YE"),
    ("ZAR", "ZA"),
    ("ZMW", "ZM"),
    ("ZWG", "ZW"),
];

/// Languages that one country's shops speak, as far as money goes.
const LANGUAGES: &[(&str, &str)] = &[
    ("SEK", "sv"),
    ("DKK", "da"),
    ("NOK", "nb nn no"),
    ("ISK", "is"),
    ("JPY", "ja"),
    ("RON", "ro"),
    ("RUB", "ru"),
    ("CZK", "cs"),
    ("PLN", "pl"),
    ("HUF", "hu"),
    ("UAH", "uk"),
    ("INR", "hi ta te mr gu kn ml pa"),
    ("BYN", "be"),
    ("KRW", "ko"),
    ("ILS", "he iw"),
];

/// Domains of countries that everybody uses: they do not tell where a shop is.
const WORLDWIDE: &str = "ai bz cc co fm gg im io la me ms mu nu pw sc sh st tk to tv vc ws";

/// Whether a word is one of those in a list of words.
fn lists(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

impl Currency {
    /// The currency of this code; none when there is no such currency.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.trim();
        let known = || CODES.split_ascii_whitespace();
        let found = known().find(|known| known.eq_ignore_ascii_case(code))?;
        Some(Self { code: found })
    }

    pub fn as_str(self) -> &'static str {
        self.code
    }

    /// How many decimals its amounts have.
    pub fn decimals(self) -> usize {
        match self.code {
            code if lists(WHOLE, code) => 0,
            code if lists(THOUSANDTHS, code) => 3,
            _ => 2,
        }
    }

    /// What is paid with in a country, which is named by its code in capitals or by its
    /// domain in small letters.
    pub fn of_country(country: &str) -> Option<Self> {
        let name = country.rsplit('.').next().unwrap_or_default();
        if lists(WORLDWIDE, name) {
            return None;
        }
        let name = name.to_ascii_uppercase();
        let spent = COUNTRIES.iter().find(|(_, countries)| lists(countries, &name));
        spent.and_then(|(code, _)| Self::from_code(code))
    }

    /// What is paid with where a language is spoken: in the region of its tag, or in the one
    /// country that speaks it.
    pub fn of_language(tag: &str) -> Option<Self> {
        if let Some(region) = region(tag) {
            return Self::of_country(&region.to_ascii_uppercase());
        }
        let language = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        let spent = LANGUAGES.iter().find(|(_, languages)| lists(languages, &language));
        spent.and_then(|(code, _)| Self::from_code(code))
    }
}

/// The region of a language tag.
fn region(tag: &str) -> Option<&str> {
    let is_region = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
    tag.split(['-', '_']).skip(1).find(is_region)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_that_exist_are_currencies() {
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
    fn every_currency_of_a_country_exists() {
        for (code, _) in COUNTRIES.iter().chain(LANGUAGES) {
            assert!(Currency::from_code(code).is_some(), "{code}");
        }
        for (list, _) in [(WHOLE, 0), (THOUSANDTHS, 3)] {
            assert!(list.split_ascii_whitespace().all(|code| Currency::from_code(code).is_some()));
        }
    }

    #[test]
    fn a_country_is_named_by_its_code_or_its_domain() {
        let of = |name| Currency::of_country(name).map(Currency::as_str);
        assert_eq!(
            [of("DE"), of("de"), of("co.uk"), of("com.au")],
            [Some("EUR"), Some("EUR"), Some("GBP"), Some("AUD")]
        );
        assert_eq!([of("com"), of(""), of("shop"), of("co")], [None, None, None, None]);
        let spoken = |tag| Currency::of_language(tag).map(Currency::as_str);
        assert_eq!(
            [spoken("en-CA"), spoken("sv"), spoken("zh-Hant-TW")],
            [Some("CAD"), Some("SEK"), Some("TWD")]
        );
        assert_eq!([spoken("en"), spoken("es"), spoken("es-419")], [None, None, None]);
    }
}
