//! Price texts in the formats of many countries, each with its expected price.

use super::super::{Currency, PriceForm, PriceHints, read_price};

/// The parsed price as a line: `from 12 EUR`, `12-15 EUR`, `1.29 EUR unit`, `9.90 EUR part`.
pub(super) fn parsed(text: &str, hints: &PriceHints<'_>) -> String {
    let Some(price) = read_price(text, hints) else { return "none".to_owned() };
    let from = if price.form == PriceForm::From { "from " } else { "" };
    let high = price.high.map(|high| format!("-{high}")).unwrap_or_default();
    let currency = price.currency.map_or("?", Currency::as_str);
    let unit = if price.is_unit_price { " unit" } else { "" };
    let part = if price.is_instalment { " part" } else { "" };
    format!("{from}{}{high} {currency}{unit}{part}", price.low)
}

fn check(hints: &PriceHints<'_>, table: &[(&str, &str)]) {
    let wrong: Vec<_> = table
        .iter()
        .filter(|(text, expected)| parsed(text, hints) != *expected)
        .map(|(text, expected)| format!("{text}: {}, expected {expected}", parsed(text, hints)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn country(name: &str) -> PriceHints<'_> {
    PriceHints { country: Some(name), ..PriceHints::default() }
}

fn language(tag: &str) -> PriceHints<'_> {
    PriceHints { language: Some(tag), ..PriceHints::default() }
}

#[test]
fn unambiguous_symbols_need_no_country() {
    check(
        &PriceHints::default(),
        &[
            ("1.234,56 €", "1234.56 EUR"),
            ("1.234,56\u{a0}€", "1234.56 EUR"),
            ("€1,234.56", "1234.56 EUR"),
            ("€ 1.234,56", "1234.56 EUR"),
            ("1 234,56 €", "1234.56 EUR"),
            ("1\u{a0}234,56 €", "1234.56 EUR"),
            ("1\u{202f}234,56\u{202f}€", "1234.56 EUR"),
            ("1\u{2009}234,56 €", "1234.56 EUR"),
            ("12€99", "12.99 EUR"),
            ("12 €99", "12.99 EUR"),
            ("12,99€", "12.99 EUR"),
            ("12.99€", "12.99 EUR"),
            ("12,- €", "12 EUR"),
            ("€ 12,-", "12 EUR"),
            ("12,– €", "12 EUR"),
            ("12.— €", "12 EUR"),
            ("EUR 12", "12 EUR"),
            ("12 EUR", "12 EUR"),
            ("12 Euro", "12 EUR"),
            ("12,50 eur", "12.50 EUR"),
            ("12.345.678,90 €", "12345678.90 EUR"),
            ("0,99 €", "0.99 EUR"),
            ("€0.99", "0.99 EUR"),
            ("0 €", "0 EUR"),
            ("€ 0,00", "0 EUR"),
            ("1.299 €", "1299 EUR"),
            ("1,299 €", "1299 EUR"),
            ("1.299,- €", "1299 EUR"),
            ("12,9 €", "12.90 EUR"),
            ("*12,90 €*", "12.90 EUR"),
            ("12,90 €*", "12.90 EUR"),
            ("12,90€¹", "12.90 EUR"),
            ("&nbsp;12,90 €", "12.90 EUR"),
            ("£1,234.50", "1234.50 GBP"),
            ("£12", "12 GBP"),
            ("GBP 12.00", "12 GBP"),
            ("£12.99p", "12.99 GBP"),
            ("₹1,23,456.00", "123456 INR"),
            ("₹ 999", "999 INR"),
            ("₹1,299", "1299 INR"),
            ("INR 1,00,000", "100000 INR"),
            ("₩12,000", "12000 KRW"),
            ("12,000원", "12000 KRW"),
            ("₪49.90", "49.90 ILS"),
            ("49.90 ₪", "49.90 ILS"),
            ("₫1.200.000", "1200000 VND"),
            ("1.200.000₫", "1200000 VND"),
            ("1.200.000 đ", "1200000 VND"),
            ("₺1.234,56", "1234.56 TRY"),
            ("1.234,56 TL", "1234.56 TRY"),
            ("1 234,50 ₴", "1234.50 UAH"),
            ("1234 грн", "1234 UAH"),
            ("12 345 ₽", "12345 RUB"),
            ("฿1,200.00", "1200 THB"),
            ("₱1,299.75", "1299.75 PHP"),
            ("12 990 ₸", "12990 KZT"),
            ("₦15,000.00", "15000 NGN"),
            ("12,50 zł", "12.50 PLN"),
            ("1 234,56 zł", "1234.56 PLN"),
            ("12,50zł", "12.50 PLN"),
            ("12.50 PLN", "12.50 PLN"),
            ("1 299 Kč", "1299 CZK"),
            ("1 299,- Kč", "1299 CZK"),
            ("12 990 Ft", "12990 HUF"),
            ("R$ 1.234,56", "1234.56 BRL"),
            ("R$\u{a0}49,90", "49.90 BRL"),
            ("R$49", "49 BRL"),
            ("US$ 12.99", "12.99 USD"),
            ("US$12.99", "12.99 USD"),
            ("USD 12.99", "12.99 USD"),
            ("$12.99 USD", "12.99 USD"),
            ("USD $12.99", "12.99 USD"),
            ("$12.99 CAD", "12.99 CAD"),
            ("CA$12.99", "12.99 CAD"),
            ("C$ 12", "12 CAD"),
            ("A$12.99", "12.99 AUD"),
            ("AU$12.99", "12.99 AUD"),
            ("NZ$ 12.99", "12.99 NZD"),
            ("S$12.90", "12.90 SGD"),
            ("HK$1,299", "1299 HKD"),
            ("NT$ 1,299", "1299 TWD"),
            ("MX$1,299.00", "1299 MXN"),
            ("RD$ 1,299", "1299 DOP"),
            ("CHF 1'234.50", "1234.50 CHF"),
            ("CHF 1’234.–", "1234 CHF"),
            ("1'234.- CHF", "1234 CHF"),
            ("Fr. 12.-", "12 CHF"),
            ("Fr. 1’234.50", "1234.50 CHF"),
            ("CHF 12.--", "12 CHF"),
            ("SFr. 12.50", "12.50 CHF"),
            ("12.50 Franken", "12.50 CHF"),
            ("12 000 円", "12000 JPY"),
            ("12,000円", "12000 JPY"),
            ("１２，０００円", "12000 JPY"),
            ("R 1 299,00", "1299 ZAR"),
            ("R1,299.00", "1299 ZAR"),
            ("RM 129.90", "129.90 MYR"),
            ("Rp 129.000", "129000 IDR"),
            ("Rp129.000,00", "129000 IDR"),
            ("AED 129.00", "129 AED"),
            ("129.00 AED", "129 AED"),
            ("١٢٩٫٥٠ ر.س", "129.50 SAR"),
            ("KSh 1,299", "1299 KES"),
            ("KWD 12.500", "12.50 KWD"),
            ("KWD 1.250", "1.25 KWD"),
            ("12,500 DT", "12.50 TND"),
            ("1,299 kr.", "1299 ?"),
            ("12 лв.", "12 BGN"),
            ("1299 ден", "1299 MKD"),
            ("GEL 12", "12 GEL"),
            ("₾ 12.50", "12.50 GEL"),
            ("12,50 BYN", "12.50 BYN"),
            ("kr 1 299", "1299 ?"),
            ("1 299 kr", "1299 ?"),
            ("1 299 SEK", "1299 SEK"),
            ("NOK 1 299,00", "1299 NOK"),
            ("DKK 1.299,00", "1299 DKK"),
        ],
    );
}

#[test]
fn ambiguous_symbols_without_a_country_give_no_currency() {
    check(
        &PriceHints::default(),
        &[
            ("$12.99", "12.99 ?"),
            ("12,99 $", "12.99 ?"),
            ("$1,299", "1299 ?"),
            ("$1,299.00", "1299 ?"),
            ("$ 1.299,00", "1299 ?"),
            ("¥1,234", "1234 ?"),
            ("￥1,234", "1234 ?"),
            ("99 元", "99 ?"),
            ("Rs. 1,23,456.00", "123456 ?"),
            ("Rs 999", "999 ?"),
            ("₨ 1,299", "1299 ?"),
            ("99 lei", "99 ?"),
            ("1 299 руб.", "1299 ?"),
            ("1 299 р.", "1299 ?"),
            ("12 000 FCFA", "12000 ?"),
            ("$12 99", "12.99 ?"),
            ("12,99", "12.99 ?"),
            ("1.234,56", "1234.56 ?"),
            ("1 234:-", "1234 ?"),
            ("12", "12 ?"),
            ("XXX 12", "none"),
            ("12 DEM", "none"),
        ],
    );
    check(&language("en"), &[("$12.99", "12.99 ?")]);
    check(&language("es-419"), &[("$12.99", "12.99 ?")]);
    check(&country("com"), &[("$12.99", "12.99 ?")]);
    check(&country("co"), &[("$12.99", "12.99 ?")]);
}

#[test]
fn country_and_language_resolve_ambiguous_symbols() {
    for (name, text, expected) in [
        ("US", "$12.99", "12.99 USD"),
        ("ca", "$12.99", "12.99 CAD"),
        ("com.au", "$12.99", "12.99 AUD"),
        ("co.nz", "$12.99", "12.99 NZD"),
        ("MX", "$1,299.00", "1299 MXN"),
        ("com.ar", "$ 1.299,00", "1299 ARS"),
        ("CL", "$12.990", "12990 CLP"),
        ("CO", "$ 129.900", "129900 COP"),
        ("SG", "$12.90", "12.90 SGD"),
        ("JP", "¥1,234", "1234 JPY"),
        ("cn", "¥199.00", "199 CNY"),
        ("CN", "199元", "199 CNY"),
        ("IN", "Rs. 1,23,456.00", "123456 INR"),
        ("pk", "Rs. 12,999", "12999 PKR"),
        ("LK", "Rs 12,999.00", "12999 LKR"),
        ("SE", "1 299 kr", "1299 SEK"),
        ("SE", "1 299:-", "1299 ?"),
        ("SE", "1 299:50 kr", "1299.50 SEK"),
        ("no", "kr 1 299,-", "1299 NOK"),
        ("DK", "1.299,00 kr.", "1299 DKK"),
        ("is", "12.990 kr", "12990 ISK"),
        ("RO", "1.299,00 lei", "1299 RON"),
        ("md", "1299 lei", "1299 MDL"),
        ("ru", "1 299 руб.", "1299 RUB"),
        ("by", "129,90 руб.", "129.90 BYN"),
        ("EG", "£12.99", "12.99 EGP"),
        ("DE", "£12.99", "12.99 GBP"),
        ("DE", "$12.99", "12.99 ?"),
        ("SN", "12 000 FCFA", "12000 XOF"),
        ("AE", "Dhs. 129", "129 AED"),
        ("ma", "129 DH", "129 MAD"),
        ("US", "12,99 €", "12.99 EUR"),
        ("TW", "1,299元", "1299 TWD"),
    ] {
        assert_eq!(parsed(text, &country(name)), expected, "{name}");
    }
    for (tag, text, expected) in [
        ("en-US", "$12.99", "12.99 USD"),
        ("fr-CA", "12,99 $", "12.99 CAD"),
        ("en_AU", "$12.99", "12.99 AUD"),
        ("sv", "1 299 kr", "1299 SEK"),
        ("nb-NO", "1 299 kr", "1299 NOK"),
        ("da", "1.299 kr", "1299 DKK"),
        ("ja", "¥1,234", "1234 JPY"),
        ("en", "1 299 kr", "1299 ?"),
        ("sv-SE", "1 299:50", "1299.50 ?"),
        ("zh-CN", "¥199", "199 CNY"),
        ("pt-BR", "$ 12", "12 BRL"),
    ] {
        assert_eq!(parsed(text, &language(tag)), expected, "{tag}");
    }
    let named = PriceHints { currency: Currency::from_code("CAD"), ..country("US") };
    assert_eq!(parsed("$12.99", &named), "12.99 CAD");
    assert_eq!(parsed("12.99", &named), "12.99 CAD");
    assert_eq!(parsed("€12.99", &named), "12.99 EUR");
}

#[test]
fn ranges_and_from_prices_are_recognized() {
    check(
        &PriceHints::default(),
        &[
            ("12 – 15 €", "12-15 EUR"),
            ("12,00 € – 15,00 €", "12-15 EUR"),
            ("€12 - €15", "12-15 EUR"),
            ("€12.00–€15.00", "12-15 EUR"),
            ("12-15 €", "12-15 EUR"),
            ("12 bis 15 €", "12-15 EUR"),
            ("12 € bis 15 €", "12-15 EUR"),
            ("de 12 à 15 €", "12-15 EUR"),
            ("£12 to £15", "12-15 GBP"),
            ("from £12 to £15", "12-15 GBP"),
            ("zwischen 12 und 15 €", "12-15 EUR"),
            ("entre 12 et 15 €", "12-15 EUR"),
            ("CHF 12.- – 15.-", "12-15 CHF"),
            ("1.299,00 € - 2.499,00 €", "1299-2499 EUR"),
            ("12,000円~15,000円", "12000-15000 JPY"),
            ("US$12.00-US$15.00", "12-15 USD"),
            ("12 € - 12 €", "12 EUR"),
            ("Price range: £12.00 through £15.00", "12 GBP"),
            ("od 12 do 15 zł", "12-15 PLN"),
            ("de R$ 10 a R$ 20", "10-20 BRL"),
            ("ab 12 €", "from 12 EUR"),
            ("ab 12,90 € *", "from 12.90 EUR"),
            ("Ab € 12,90", "from 12.90 EUR"),
            ("from £12", "from 12 GBP"),
            ("From: £12", "from 12 GBP"),
            ("starting at €12", "from 12 EUR"),
            ("as low as £9.99", "from 9.99 GBP"),
            ("à partir de 12 €", "from 12 EUR"),
            ("À partir de 12,00 €", "from 12 EUR"),
            ("dès 12 €", "from 12 EUR"),
            ("desde 12 €", "from 12 EUR"),
            ("a partir de R$ 12", "from 12 BRL"),
            ("da 12 €", "from 12 EUR"),
            ("a partire da 12 €", "from 12 EUR"),
            ("vanaf € 12", "from 12 EUR"),
            ("v.a. € 12", "from 12 EUR"),
            ("od 12 zł", "from 12 PLN"),
            ("już od 12 zł", "from 12 PLN"),
            ("från 12 SEK", "from 12 SEK"),
            ("fra DKK 12", "from 12 DKK"),
            ("od 12 Kč", "from 12 CZK"),
            ("от 1 200 ₽", "from 1200 RUB"),
            ("12,000円から", "from 12000 JPY"),
            ("12,000円~", "from 12000 JPY"),
            ("₩12,000부터", "from 12000 KRW"),
            ("12 € alkaen", "from 12 EUR"),
            ("€12+", "from 12 EUR"),
            ("12 000 Ft-tól", "from 12000 HUF"),
            ("DA 12,00 €", "from 12 EUR"),
            ("Preis ab: 12,90 €", "from 12.90 EUR"),
            ("iPhone 15 - 999 €", "999 EUR"),
        ],
    );
}

#[test]
fn unit_prices_instalments_and_discounts_are_not_the_price() {
    check(
        &PriceHints::default(),
        &[
            ("12,90 €/100 g", "12.90 EUR unit"),
            ("12,90 € / 100g", "12.90 EUR unit"),
            ("(12,90 € / 1 kg)", "12.90 EUR unit"),
            ("12,90 € pro Liter", "12.90 EUR unit"),
            ("€12.90 per kg", "12.90 EUR unit"),
            ("£1.20/kg", "1.20 GBP unit"),
            ("1,29 € je 100 ml", "1.29 EUR unit"),
            ("1 l = 12,90 €", "12.90 EUR unit"),
            ("Grundpreis: 12,90 €", "12.90 EUR unit"),
            ("12,90 € le kg", "12.90 EUR unit"),
            ("12,90 €/m²", "12.90 EUR unit"),
            ("12,90 € / lfm", "12.90 EUR unit"),
            ("2,50 €/l", "2.50 EUR unit"),
            ("0,125 € / g", "0.125 EUR unit"),
            ("12,90 zł za kg", "12.90 PLN unit"),
            ("19,99 € (3,99 €/100 g)", "19.99 EUR"),
            ("(3,99 €/100 g) 19,99 €", "19.99 EUR"),
            ("12,90 € / Stück", "12.90 EUR"),
            ("£12 each", "12 GBP"),
            ("12,90 € inkl. MwSt. zzgl. Versand", "12.90 EUR"),
            ("12 x 9,90 €", "9.90 EUR part"),
            ("12x R$ 9,90", "9.90 BRL part"),
            ("4x de R$ 25,00 sem juros", "25 BRL part"),
            ("ou 4 fois 25 € sans frais", "25 EUR part"),
            ("oder in 4 Raten zu je 25,00 €", "25 EUR part"),
            ("£9.99/month", "9.99 GBP part"),
            ("£9.99 per month", "9.99 GBP part"),
            ("9,99 € mtl.", "9.99 EUR part"),
            ("9,99 €/Monat", "9.99 EUR part"),
            ("9,99 € / mois", "9.99 EUR part"),
            ("or 4 interest-free payments of €25", "25 EUR part"),
            ("4 raty po 25 zł", "25 PLN part"),
            ("3 rate da 10 €", "10 EUR part"),
            ("delbetala 4 x 25 SEK", "25 SEK part"),
            ("€25 x 4", "25 EUR part"),
            ("月々1,200円", "1200 JPY part"),
            ("R$ 100,00 ou 4x de R$ 25,00", "100 BRL"),
            ("or €25/month, €300 in total", "300 EUR"),
            ("Sie sparen 5,00 €", "none"),
            ("You save £5", "none"),
            ("£5 off", "none"),
            ("12,90 € Sie sparen 5,00 €", "12.90 EUR"),
            ("statt 19,90 € nur 12,90 €", "12.90 EUR"),
            ("was £19.90 now £12.90", "12.90 GBP"),
            ("RRP £19.90", "19.90 GBP"),
            ("UVP 19,90 € 12,90 €", "12.90 EUR"),
            ("De R$ 100,00 por R$ 80,00", "80 BRL"),
            ("Najniższa cena z 30 dni: 99 zł 89 zł", "89 PLN"),
            ("Versand: 4,90 €", "none"),
            ("zzgl. 4,90 € Versand", "none"),
            ("12,90 € + 4,90 € Versand", "12.90 EUR"),
            ("Versandkostenfrei ab 50 €", "none"),
            ("Free shipping on orders over £50", "none"),
            ("-5,00 €", "none"),
            ("-£5.00", "none"),
            ("€ -5", "none"),
            ("−12 €", "none"),
            ("12,90 € -20%", "12.90 EUR"),
            ("-20% 12,90 €", "12.90 EUR"),
            ("- 12,90 €", "12.90 EUR"),
            ("20 %", "none"),
            ("£1.2k", "none"),
            ("12 reviews", "none"),
            ("4.5 out of 5 stars", "none"),
            ("2025-11-15", "none"),
            ("12.11.2025", "none"),
            ("192.168.1.1", "none"),
            ("A4", "none"),
            ("500g", "none"),
            ("", "none"),
            ("Preis", "none"),
            ("500 g 12,90 €", "12.90 EUR"),
            ("2 x 500 g: 12,90 €", "12.90 EUR"),
            ("10er Pack 12,90 €", "12.90 EUR"),
            ("1234567890123456789012345678901234567890 €", "none"),
            ("12345678901234567 €", "none"),
        ],
    );
}

#[test]
fn unit_price_may_have_three_decimals() {
    assert_eq!(parsed("1,899 €/l", &language("de")), "1.899 EUR unit");
    assert_eq!(parsed("1.899 €/l", &language("en")), "1.899 EUR unit");
    assert_eq!(parsed("1.899 €/kg", &language("de")), "1899 EUR unit");
}

#[test]
fn tax_is_read_with_the_price() {
    let tax = |text| read_price(text, &PriceHints::default()).and_then(|price| price.tax_included);
    assert_eq!(tax("12,90 € inkl. 19 % MwSt."), Some(true));
    assert_eq!(tax("£12.90 ex VAT"), Some(false));
    assert_eq!(tax("12,90 €"), None);
    assert_eq!(parsed("12,90 € inkl. 19 % MwSt.", &PriceHints::default()), "12.90 EUR");
}
