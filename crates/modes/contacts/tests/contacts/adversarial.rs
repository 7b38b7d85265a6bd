//! Hostile input: no page causes a panic, and values and time are bounded.

use contacts::{ContactAggregator, ContactPage};
use proptest::prelude::*;
use urls::CanonicalUrl;

use crate::scoring::read;

fn url() -> CanonicalUrl {
    CanonicalUrl::parse("https://firma.test/impressum").expect("a page")
}

fn record_of(html: &str) -> contacts::Contacts {
    let mut aggregator = ContactAggregator::new("firma.test");
    aggregator.add(url(), read(html, &url()));
    aggregator.finish()
}

#[test]
fn page_with_100000_mailboxes_yields_at_most_200() {
    let html: String = (0..100_000).map(|at| format!("<p>box{at}@firma.test</p>")).collect();
    let record = record_of(&html);
    assert!((100..=200).contains(&record.emails.len()), "{}", record.emails.len());
}

#[test]
fn phones_addresses_and_profiles_per_record_are_limited() {
    let html: String = (0..20_000)
        .map(|at| format!("<p>Tel. 030 {at:07}</p><p>Weg {at}<br>10115 Berlin</p><a href='https://www.facebook.com/f{at}'>f</a>"))
        .collect();
    let record = record_of(&html);
    assert!(
        record.phones.len() <= 200 && record.addresses.len() <= 200 && record.socials.len() <= 200
    );
}

#[test]
fn deep_and_broken_scripts_terminate() {
    let deep = "(".repeat(30_000);
    let lists = "[".repeat(30_000);
    for script in [
        format!("document.write({deep}'a@b.de'"),
        format!("document.write({lists}'a@b.de'"),
        "document.write('@".to_owned() + &"'+'".repeat(7_000),
        "x.replace(/".repeat(3_000) + "@",
        "'@'.".repeat(7_000),
    ] {
        let html = format!("<script>{script}</script>");
        assert!(record_of(&html).emails.len() <= 1);
    }
}

#[test]
fn deep_nesting_and_endless_lines_terminate() {
    for html in [
        "<div>".repeat(60_000) + "info@firma.test",
        "a@".repeat(200_000),
        "1 ".repeat(300_000),
        "[at] ".repeat(100_000),
        "<b>Partner</b>".repeat(30_000),
        "GmbH ".repeat(100_000),
        "10115 Berlin, ".repeat(50_000),
        "<style>".to_owned() + &".a{display:none}".repeat(50_000) + "</style>",
    ] {
        let _ = record_of(&html);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_page_does_not_panic(
        parts in prop::collection::vec(
            prop_oneof![
                Just("<p>"), Just("<br>"), Just("Tel. "), Just("+49 (0)30 "), Just("123"), Just("-"), Just("info"), Just("@"),
                Just(" [at] "), Just("firma.test"), Just("10115 Berlin"), Just(", "), Just("Weg 5"), Just("GmbH"), Just("HRB 123"),
                Just("DE136695976"), Just("USt-IdNr. "), Just("©"), Just("ß"), Just("İ"), Just("\u{200b}"), Just("<script>document.write('a'+'@"),
                Just("</script>"), Just("<a href='mailto:%40%"), Just("'>"), Just("<span style='direction:rtl;unicode-bidi:bidi-override'>"),
                Just("SW1A 1AA"), Just("CHE-116.281.710"), Just("Sąd Rejonowy "), Just("REA "), Just("hoja M-"), Just("data-cfemail"), Just("ẞ"), Just("1-800-"), Just("FIRM"),
            ],
            0..120,
        ),
    ) {
        let html: String = parts.concat();
        let _ = record_of(&html);
    }

    #[test]
    fn arbitrary_vcard_does_not_panic(text in "(BEGIN:VCARD\n|END:VCARD\n|TEL:|ADR:;;|;|EMAIL:|\\PC|\n){0,40}") {
        let page = ContactPage::read_card(text.as_bytes(), None, &url());
        let mut aggregator = ContactAggregator::new("firma.test");
        aggregator.add(url(), page);
        let _ = aggregator.finish();
    }
}
