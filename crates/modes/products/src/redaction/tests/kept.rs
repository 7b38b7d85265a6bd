//! Texts that look like contact details and must be kept.

use proptest::prelude::*;

use super::super::redact_contacts;

#[test]
fn codes_sizes_dates_and_prices_are_kept() {
    let wrong: Vec<_> = [
        "Order number 030-1234567.",
        "Bestellnummer 0171-2345678.",
        "Art.-Nr. 555-010-1234.",
        "Artikelnummer: 0049 30 123456.",
        "EAN 4006381333931.",
        "GTIN: 4006381 333931.",
        "ISBN 978-3-16-148410-0.",
        "Replaces part 1234-5678-90.",
        "Fits model 5550101234.",
        "Ersetzt das Teil 0123 456 789.",
        "Numéro de commande 01 23 45 67 89.",
        "Référence 06.12.34.56.78.",
        "Remplace la pièce 012-3456789.",
        "Numer zamówienia 512 345 678.",
        "Serial no. 1-800-555-0199.",
        "OEM: 06A 115 561 B, 0451103318.",
        "Measures 120 x 40 x 45 cm.",
        "Maße: 120 × 40 × 45 mm.",
        "Sizes 36 38 40 42 44 46.",
        "EU 36-38-40-42-44.",
        "Load up to 120-150 kg.",
        "Made 2019-2024.",
        "Since 12.11.2025.",
        "Valid 2025-11-15 to 2026-11-15.",
        "Costs 1.234,56 € per piece.",
        "Only $1,299.00 today.",
        "From 12 – 15 €.",
        "Works at 100 240 V.",
        "Resolution 3840 2160 px.",
        "1 000 000 cycles.",
        "Holds 10 000 000 litres.",
        "LEGO 10265.",
        "RAL 7016 or RAL 9005.",
        "DIN 912, ISO 4762.",
        "CAS 7732-18-5.",
        "Batch 20251115-01.",
        "IP 192.168.100.200.",
        "Version 10.0.19045.3803.",
        "M8 x 40 10.9.",
        "Torx T30, 12345678 pieces sold.",
        "注文番号 03-1234-5678。",
        "対応機種 0312345678。",
        "Passend für Modell 0301234567.",
        "Tolerance ±0.05 mm.",
        "Shows messages of WhatsApp and Telegram.",
        "The signal is strong.",
        "A messenger bag with a line of pockets.",
        "Look at the grain.",
        "Meets you at every point.",
        "Look at this point in daylight.",
        "Sold at 12 points of sale.",
        "The ring has a diameter of 18 mm.",
        "Dichtungsring 12 mm.",
        "Hosenträger am Rücken 5 verstellbar.",
        "The call of the sea.",
        "It is easy to reach every corner.",
        "Via a 12 V socket.",
        "A place for 12 bottles.",
        "Holz aus 100 % Eiche.",
        "Screws 4,5x60, 200 pcs.",
        "Fits Way 12 carts.",
        "10000 Blatt Papier.",
        "Phone holder 12345.",
        "Works with iPhone 15 and Galaxy S24.",
        "20000 mAh power bank, 22.5 W.",
        "Oak\nBeech\n10115 pieces sold",
        "Fits Bosch 0 986 494 596.",
        "1234 5678 9012 3456.",
    ]
    .into_iter()
    .filter(|text| redact_contacts(text) != **text)
    .map(|text| format!("{text} gave {:?}", redact_contacts(text)))
    .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paragraphs_redact_contacts_are_unchanged() {
    let text = "One.\n\nTwo.\nThree.\n\n- four\n- five";
    assert_eq!(redact_contacts(text), text);
    assert_eq!(redact_contacts("One.\n\n\n\nTwo.\r\n"), "One.\n\nTwo.");
    assert_eq!(redact_contacts(""), "");
}

proptest! {
    #[test]
    fn no_text_causes_a_panic(
        text in "(\\PC|[0-9+() ./-]{1,6}|@|\\[at\\]| dot |tel|\\. |\n|straße 1|call us|10115 Berlin){0,60}",
    ) {
        let once = redact_contacts(&text);
        let cleaned = once.lines().all(|line| line == line.trim());
        prop_assert!(cleaned && !once.contains("\n\n\n"));
    }

    #[test]
    fn labelled_number_is_redacted_with_any_separator(
        groups in proptest::collection::vec("[0-9]{2,4}", 3..4),
        gap in prop_oneof![Just(" "), Just("-"), Just("."), Just("/"), Just(" / "), Just(" - ")],
    ) {
        let number = format!("0{}", groups.join(gap));
        prop_assert_eq!(redact_contacts(&format!("Good. Telefon: {number}. Fine.")), "Good. Fine.");
    }
}

#[test]
fn long_repetitive_texts_are_redacted_in_linear_time() {
    for part in [
        "a@",
        "1 ",
        "call us ",
        "0171 ",
        "(at) ",
        "x.",
        "a b ",
        "straße 1 ",
        "eins ",
        "+1",
        "@a ",
        "t.me/ ",
        "\n1",
        "1\n",
    ] {
        let text = part.repeat(20_000);
        let _ = redact_contacts(&text);
    }
}
